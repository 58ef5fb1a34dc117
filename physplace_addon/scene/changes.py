# SPDX-License-Identifier: GPL-3.0-or-later
"""What something else changes in the scene while PhysPlace works in it: artists, animations, scripts.

Blender says after every update, and on every frame, which objects it has moved or reshaped. What PhysPlace
changes itself, and what follows from that, happens within `own_changes` and does not count. When one rigid
body is changed, Blender names all of them as moved, and when any object is deleted, as reshaped, too: those
that are where they were do not count then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from weakref import WeakSet

import numpy as np
from bpy.types import Collection, Context, Depsgraph, Object, Scene

from ..core.arrays import Floats
from .access import original, present, scene_of, view_layer_of
from .errors import SceneError
from .reading.subjects.subject import Subject, subjects_now
from .writing.transform import ObjectSpace

SHAPELESS: Final = frozenset({"ARMATURE", "CAMERA", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"})
CLOSE: Final = 1e-5  # largest difference, over R, of two readings of one body: a few float32 products
AGAIN: Final = "place it again"


class SceneChanges:
    """The objects of a view layer that something else has moved or reshaped.

    They are collected from its making on, or since they were taken.
    """

    def __init__(self, context: Context) -> None:
        """Begin with none."""
        self._place = scene_of(context).name_full, view_layer_of(context).name
        self._ids: set[int] = set()
        context.evaluated_depsgraph_get()  # what was changed before does not count
        rigid = (obj for obj in view_layer_of(context).objects if obj.rigid_body is not None)
        self._matrices = {obj.session_uid: obj.matrix_world.copy() for obj in rigid}
        _listening.add(self)

    def take(self) -> frozenset[int]:
        """Return their ids, which renaming leaves as they are, and begin anew with none."""
        ids, self._ids = frozenset(self._ids), set()
        return ids

    def close(self) -> None:
        """Collect no more."""
        _listening.discard(self)

    def note(self, depsgraph: Depsgraph, *, is_own: bool) -> None:
        """Note what an update has changed; where that is PhysPlace's own, only where rigid bodies are now."""
        if (present(depsgraph.scene).name_full, present(depsgraph.view_layer).name) != self._place:
            return
        names_all = _names_all_rigid_bodies(depsgraph)
        for obj, is_reshaped in _changed(depsgraph):
            stays = obj.rigid_body is not None and self._stays(obj)
            is_only_named = stays and (names_all or not is_reshaped)
            if not is_own and not is_only_named:
                self._ids.add(obj.session_uid)

    def _stays(self, obj: Object) -> bool:
        """Return whether an object is where it was when that was asked last."""
        before, now = self._matrices.get(obj.session_uid), obj.matrix_world.copy()
        self._matrices[obj.session_uid] = now
        return before == now


class _OwnChanges:
    """How many blocks of own changes are open, one within another."""

    depth = 0


_listening: Final[WeakSet[SceneChanges]] = WeakSet()
_own: Final = _OwnChanges()


@contextmanager
def own_changes(context: Context) -> Iterator[None]:
    """Within the block all changes are PhysPlace's own. What something else has changed before is noted."""
    context.evaluated_depsgraph_get()
    _own.depth += 1
    try:
        yield
        context.evaluated_depsgraph_get()
    finally:
        _own.depth -= 1


def listeners() -> tuple[SceneChanges, ...]:
    """Return all who listen to what Blender changes."""
    return tuple(_listening)


def note_changes(depsgraph: Depsgraph) -> None:
    """Let all who listen note what an update of the scene has changed."""
    for changes in listeners():
        changes.note(depsgraph, is_own=_own.depth > 0)


def _names_all_rigid_bodies(depsgraph: Depsgraph) -> bool:
    """Return whether an update names all rigid bodies as reshaped, as where an object is deleted."""
    return any(isinstance(update.id, Scene) and update.is_updated_geometry for update in depsgraph.updates)


def _changed(depsgraph: Depsgraph) -> Iterator[tuple[Object, bool]]:
    """Yield what an update names as moved or reshaped, and whether as reshaped.

    Where objects come into a collection or go out of it, that is whatever instances a collection.
    """
    for update in depsgraph.updates:
        if isinstance(update.id, Object) and (update.is_updated_transform or update.is_updated_geometry):
            obj = original(update.id)
            if obj.type not in SHAPELESS:
                yield obj, update.is_updated_geometry
        elif isinstance(update.id, Collection) and update.is_updated_geometry:
            objects = present(depsgraph.view_layer).objects
            yield from ((obj, True) for obj in objects if obj.instance_collection is not None)


def check_as_read(context: Context, subjects: Sequence[Subject]) -> None:
    """Raise SceneError, which names the object, unless objects that move have the scale, the shape and the
    parent that they had. Of one with constraints, only its world matrix says what they do.

    Raises PhysPlaceError, too, for one that cannot be read any more, such as a hidden one.
    """
    for subject, now in zip(
        subjects, subjects_now(context, [subject.object for subject in subjects]), strict=True
    ):
        if not _are_close(subject.stretch, now.stretch):
            raise SceneError(now.name, "its scale has been changed", AGAIN)
        if not _are_alike(subject, now):
            raise SceneError(now.name, "its shape has been changed", AGAIN)
        if not subject.object.constraints and _is_carried_elsewhere(subject.space, now.space):
            raise SceneError(now.name, "its parent or its delta transform has been changed", AGAIN)


def _is_carried_elsewhere(before: ObjectSpace, now: ObjectSpace) -> bool:
    """Return whether the same location and rotation now give another place."""
    return not (
        _are_close(before.outer, now.outer)
        and _are_close(before.delta_rotation, now.delta_rotation)
        and np.array_equal(before.delta_location, now.delta_location)
    )


def _are_close(first: Floats, second: Floats) -> bool:
    return bool(np.abs(first - second).max() <= CLOSE * np.abs(first).max())


def _are_alike(first: Subject, second: Subject) -> bool:
    """Return whether two readings of an object gave the same body, but for rounding."""
    one, other = first.body, second.body
    if one is other:
        return True
    close = CLOSE * one.radius + max(first.rounding, second.rounding)
    return (
        one.triangles.shape == other.triangles.shape
        and bool(np.abs(one.triangles - other.triangles).max() <= close)
        and bool(np.abs(one.mass.center - other.mass.center).max() <= close)
    )
