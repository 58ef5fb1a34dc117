# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers of Blender's that are there while something runs, and are added and removed together."""

from __future__ import annotations

from collections.abc import Callable

import bpy

Handler = Callable[..., None]


class HandlerList:
    """Handlers, each with the name of its list in `bpy.app.handlers`.

    They must be persistent, so that none is lost when a file is opened, and only `remove` removes them.
    """

    def __init__(self, *handlers: tuple[str, Handler]) -> None:
        """Add nothing yet."""
        self._handlers = handlers

    def add(self) -> None:
        """Have Blender call all of them."""
        for name, handler in self._handlers:
            getattr(bpy.app.handlers, name).append(handler)

    def remove(self) -> None:
        """Have Blender call none of them any more."""
        for name, handler in self._handlers:
            getattr(bpy.app.handlers, name).remove(handler)
