# SPDX-License-Identifier: GPL-3.0-or-later
"""What something else changes in the scene while an operator works on what it has read of it.

Blender tells what is moved and reshaped (`changes.py`). Which objects are visible, and so whether one
is deleted, hidden or unlinked, is looked up now and then: that takes time in proportion to the objects.

Objects are told apart by the ids that they keep in a session of Blender, and named by their full names:
a linked object may have the name of a local one. Those that show nothing, such as lights, count for nothing.
So do armatures, hidden or not, but for who poses the figures that they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Final

from bpy.types import Context

from ..core.wording import in_words
from .changes import SHAPELESS, SceneChanges
from .reading.visible import objects_in_view, viewport_of

LOOKS_AROUND: Final = 0.2  # seconds after which it is looked again which objects are visible
_FIGURES: Final = frozenset({"ARMATURE"})


class SceneWatch:
    """Says what of a view layer's visible objects differs since its making, or since it said so last.

    It is to be made before what it watches over is read: what changes meanwhile differs then.
    """

    def __init__(self, context: Context, *, by_name: bool = True, with_figures: bool = False) -> None:
        """Begin with the scene as it is now.

        Args:
            context: Blender's context.
            by_name: whether one that is renamed differs.
            with_figures: whether armatures count, too.
        """
        self._changes, self._by_name = SceneChanges(context), by_name
        self._uncounted = SHAPELESS - _FIGURES if with_figures else SHAPELESS
        self.look(context)

    def close(self) -> None:
        """Listen no more to what Blender changes."""
        self._changes.close()

    def look(self, context: Context) -> None:
        """Take the objects that are visible now for those that are to be."""
        objects = objects_in_view(context, viewport_of(context), self._uncounted)
        self._visible = {obj.session_uid: obj.name_full for obj in objects}
        self._looked = perf_counter()

    def forget(self, context: Context) -> None:
        """Take everything as it is now for what it is to be."""
        self._changes.take()
        self.look(context)

    def differing(self, context: Context, *, at_once: bool = False) -> frozenset[str]:
        """Return the full names of the objects that have changed, come into view or gone out of it.

        Of what is renamed that is the name before, and also the one now where names count.

        at_once: look which objects are visible, however short ago that was done.
        """
        return self._changed() | self._came_or_went(context, at_once=at_once)

    def difference(self, context: Context, *, at_once: bool = False) -> str | None:
        """Return what is not so any more, as a phrase with names; None for nothing.

        at_once: look which objects are visible, however short ago that was done.
        """
        changed = self._changed()
        if changed:
            return changed_meanwhile(changed)
        differing = self._came_or_went(context, at_once=at_once)
        return f"{in_words(sorted(differing))} came into view or went out of it" if differing else None

    def _changed(self) -> frozenset[str]:
        changed = self._changes.take()
        return frozenset(name for uid, name in self._visible.items() if uid in changed)

    def _came_or_went(self, context: Context, *, at_once: bool) -> frozenset[str]:
        if not at_once and perf_counter() - self._looked < LOOKS_AROUND:
            return frozenset()
        before = self._visible
        self.look(context)
        renamed = frozenset() if self._by_name else before.keys() & self._visible.keys()
        return frozenset(name for uid, name in before.items() ^ self._visible.items() if uid not in renamed)


def changed_meanwhile(names: Iterable[str]) -> str:
    """Return the phrase that says that objects of some names have changed."""
    return f"{in_words(sorted(names))} changed meanwhile"
