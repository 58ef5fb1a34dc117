# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact regions that are drawn, until they no longer are those of the scene.

They are drawn from when they are found until an object that they belong to is moved, changed, renamed or
deleted, until undo or redo, until another file is opened, or until they are cleared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
from bpy.types import Depsgraph, Object, Scene

from ...overlay.drawing import Drawing
from ...overlay.regions import RegionMarks, region_layers
from ...scene.access import original, persistent


class ShownRegions:
    """Draws regions until it is closed; chosen: the number of the one that is picked out, None for none."""

    def __init__(self, pairs: Sequence[RegionMarks], objects: frozenset[str]) -> None:
        """Draw what was found between bodies; objects: the full names of those that they are read from."""
        self.chosen: int | None = None
        self._pairs = tuple(pairs)
        self._objects = objects.intersection(_names())
        self._drawing = Drawing()
        self._draw()

    @property
    def is_seen(self) -> bool:
        """Whether it still draws, in the scene that is shown."""
        return self._drawing.is_open and self._drawing.is_in_scene

    def choose(self, number: int) -> None:
        """Pick a region out; the one that is picked out already no more."""
        self.chosen = None if self.chosen == number else number
        self._draw()

    def is_outdated(self, depsgraph: Depsgraph) -> bool:
        """Return whether an update of the scene concerns an object that the regions belong to."""
        return not self._objects.issubset(_names()) or any(
            update.is_updated_transform or update.is_updated_geometry
            for update in depsgraph.updates
            if isinstance(update.id, Object) and original(update.id).name_full in self._objects
        )

    def close(self) -> None:
        """Stop drawing."""
        self._drawing.close()

    def _draw(self) -> None:
        self._drawing.show_layers(region_layers(self._pairs, self.chosen))


def _names() -> frozenset[str]:
    """Return the full names of all objects of the file."""
    return frozenset(obj.name_full for obj in bpy.data.objects)


_shown: list[ShownRegions] = []


def shown() -> ShownRegions | None:
    """Return the regions that are drawn in the scene that is shown; None if there are none."""
    return _shown[0] if _shown and _shown[0].is_seen else None


def show(pairs: Sequence[RegionMarks], objects: frozenset[str]) -> None:
    """Draw regions, in place of those that are drawn."""
    clear()
    _shown.append(ShownRegions(pairs, objects))
    for handlers, handler in _handlers():
        handlers.append(handler)


def clear() -> None:
    """Draw no regions; if there are none, nothing happens."""
    if not _shown:
        return
    for handlers, handler in _handlers():
        handlers.remove(handler)
    _shown.pop().close()


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    if _shown and depsgraph.mode != "RENDER" and _shown[0].is_outdated(depsgraph):
        clear()


@persistent
def _on_replaced(*_: object) -> None:
    clear()


def _handlers() -> list[tuple[list[Any], Callable[..., None]]]:
    """Return Blender's lists of handlers, and the handler in each while regions are drawn.

    All handlers are persistent, so that only `clear` removes them, all at once.
    """
    handlers = bpy.app.handlers
    return [
        (handlers.depsgraph_update_post, _on_update),
        (handlers.frame_change_post, _on_update),
        (handlers.undo_post, _on_replaced),
        (handlers.redo_post, _on_replaced),
        (handlers.load_pre, _on_replaced),
    ]
