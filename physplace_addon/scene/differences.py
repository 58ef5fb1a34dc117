# SPDX-License-Identifier: GPL-3.0-or-later
"""What something else changes in the scene while an operator works on what it has read of it.

Blender tells what is moved and reshaped (`changes.py`). Which objects are visible, and so whether one
is deleted, hidden or unlinked, is looked up now and then: that takes time in proportion to the objects.
"""

from __future__ import annotations

from time import perf_counter
from typing import Final

from bpy.types import Context

from ..core.wording import in_words
from .access import view_layer_of
from .changes import SceneChanges
from .reading.visible import viewport_of, visible_objects

LOOKS_AROUND: Final = 0.2  # seconds after which it is looked again which objects are visible


class SceneWatch:
    """Says what of a view layer's visible objects differs since its making, or since it said so last."""

    def __init__(self, context: Context, *, by_name: bool = True) -> None:
        """Begin with the scene as it is now; with `by_name`, one that is renamed differs."""
        self._changes, self._by_name = SceneChanges(context), by_name
        self.look(context)

    def look(self, context: Context) -> None:
        """Take the objects that are visible now for those that are to be."""
        self._visible, self._looked = _visible(context, by_name=self._by_name), perf_counter()

    def forget(self, context: Context) -> None:
        """Take everything as it is now for what it is to be."""
        self._changes.take()
        self.look(context)

    def differing(self, context: Context) -> frozenset[str]:
        """Return the names of the objects that have changed, come or gone."""
        return self._changed() | self._came_or_went(context)

    def difference(self, context: Context, *, at_once: bool = False) -> str | None:
        """Return what is not so any more, as a phrase with names; None for nothing.

        at_once: look which objects are visible, however short ago that was done.
        """
        changed = self._changed()
        if changed:
            return f"{in_words(sorted(changed))} changed meanwhile"
        differing = self._came_or_went(context, at_once=at_once)
        return f"{in_words(sorted(differing))} came into view or went out of it" if differing else None

    def _changed(self) -> frozenset[str]:
        return self._changes.take().intersection(self._visible.values())

    def _came_or_went(self, context: Context, *, at_once: bool = False) -> frozenset[str]:
        if not at_once and perf_counter() - self._looked < LOOKS_AROUND:
            return frozenset()
        before = self._visible
        self.look(context)
        return frozenset({**before, **self._visible}[key] for key in before.keys() ^ self._visible.keys())


def _visible(context: Context, *, by_name: bool) -> dict[str | int, str]:
    """Return the names of the objects that are visible now, by name or by the ids that renaming leaves."""
    names = visible_objects(context, viewport_of(context))
    objects = [obj for obj in view_layer_of(context).objects if obj.name in names]
    return {obj.name if by_name else obj.session_uid: obj.name for obj in objects}
