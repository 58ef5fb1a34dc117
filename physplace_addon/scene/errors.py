# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of objects of the scene, each with what was found and a remedy."""

from __future__ import annotations

from ..core.errors import PhysPlaceError


class SceneError(PhysPlaceError):
    """An object that cannot take part as it is: names the object, what was found, and a remedy."""

    def __init__(self, name: str, found: str, remedy: str) -> None:
        super().__init__(f'object "{name}": {found}; {remedy}')
        self.name = name
        self.found = found
        self.remedy = remedy


class RestError(PhysPlaceError):
    """A rest of an object that cannot be keyed: names the object, the rest and its frame."""

    def __init__(self, obj: str, rest: str, frame: int, found: str) -> None:
        super().__init__(f'object "{obj}", "{rest}" on frame {frame}: {found}')
