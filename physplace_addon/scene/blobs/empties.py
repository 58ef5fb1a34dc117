# SPDX-License-Identifier: GPL-3.0-or-later
"""The empties of a blob while it is sculpted: their first state, their last known state, and what is written.

They are held by name. Each tick compares a few numbers of each, and so finds what somebody else has changed:
an empty moved, a property set, an object deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Matrix

from ...core.arrays import Floats
from ..access import custom_properties, view_layer_of
from ..affine import NOISE
from ..rotations import matrix_of, values_of
from ..writing.transform import Channels, channels, rotation_property, set_channels
from .elements.elements import EmptyUpdate
from .objects import BLOB, family_of, is_in_scene, other_ends

PREFIX = f"{BLOB}."
VECTORS = ("location", "delta_location", "scale", "delta_scale")
UNDONE = 256  # most undo steps taken to bring a deleted object back


class Reference(NamedTuple):
    """An object that a custom property names."""

    name: str


@dataclass(frozen=True)
class EmptySnapshot:
    """All of an empty that its blob depends on: transform, drawn size, parent and custom properties."""

    vectors: tuple[tuple[float, ...], ...]
    mode: str
    turn: tuple[float, ...]
    size: float
    parent: str
    inverse: tuple[float, ...]
    properties: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, obj: Object) -> EmptySnapshot:
        """Return the object's present state."""
        rows: Any = obj.matrix_parent_inverse
        return cls(
            tuple(numbers(getattr(obj, name)) for name in VECTORS),
            obj.rotation_mode,
            numbers(getattr(obj, rotation_property(obj.rotation_mode))),
            obj.empty_display_size,
            obj.parent.name if obj.parent else "",
            tuple(x for row in rows for x in row),
            tuple(
                (key, Reference(value.name) if isinstance(value, Object) else value)
                for key, value in custom_properties(obj).items()
                if key.startswith(PREFIX) or key == BLOB
            ),
        )

    def restore(self, obj: Object) -> None:
        """Give the object this state again. A parent that is gone stays gone."""
        if (obj.parent.name if obj.parent else "") != self.parent:
            obj.parent = bpy.data.objects.get(self.parent)
        rows = np.array(self.inverse).reshape(4, 4).tolist()
        obj.matrix_parent_inverse = Matrix(rows)
        mode: Any = self.mode
        obj.rotation_mode = mode
        for name, vector in zip(VECTORS, self.vectors, strict=True):
            setattr(obj, name, vector)
        setattr(obj, rotation_property(self.mode), self.turn)
        obj.empty_display_size = self.size
        self._restore_properties(obj)

    def _restore_properties(self, obj: Object) -> None:
        before, now = dict(self.properties), dict(EmptySnapshot.of(obj).properties)
        for key in now.keys() - before.keys():
            del obj[key]
        for key, value in before.items():
            if key not in now or now[key] != value:
                obj[key] = bpy.data.objects.get(value.name) if isinstance(value, Reference) else value
        obj.update_tag()


class Empties:
    """A blob's empties, held by name."""

    def __init__(self, blob: Object) -> None:
        self._name, self._uid = blob.name, blob.session_uid
        self._all = frozenset(obj.session_uid for obj in bpy.data.objects)
        self._before = {obj.session_uid: (obj.name, EmptySnapshot.of(obj)) for obj in family_of(blob)}
        self._snapshots: dict[str, EmptySnapshot] = {}
        self._count = 0
        self.take_snapshots()
        self._undone_to = dict(self._snapshots)

    @property
    def blob(self) -> str:
        """The blob's present name; its last one if it is gone."""
        objects = bpy.data.objects
        if self._name not in objects or objects[self._name].session_uid != self._uid:
            self._name = next((obj.name for obj in objects if obj.session_uid == self._uid), self._name)
        return self._name

    @property
    def is_there(self) -> bool:
        """Whether the blob still exists."""
        if not _is_there(self.blob):
            return False
        named = bpy.data.objects[self.blob]
        return named.session_uid == self._uid and BLOB in custom_properties(named)

    def take_snapshots(self) -> None:
        """List the empties again, and take the present state of all as known."""
        blob = bpy.data.objects[self.blob]
        watched = {*family_of(blob), *other_ends(blob)}  # an end need not be the blob's child
        self._snapshots = {obj.name: EmptySnapshot.of(obj) for obj in watched}
        self._count = len(bpy.data.objects)

    def take_snapshots_of(self, names: Iterable[str]) -> None:
        """Take the present state of some empties, given by name, as known."""
        self._snapshots.update({name: _snapshot(name) for name in names})

    def changed(self) -> frozenset[str]:
        """Return the names of empties that were changed or deleted since their last snapshot.

        If objects were made or deleted meanwhile, the blob itself is among them: it may have other parts.
        """
        names = {
            name for name, look in self._snapshots.items() if not _is_there(name) or look != _snapshot(name)
        }
        if len(bpy.data.objects) != self._count:
            names.add(self.blob)
        return frozenset(names)

    def write(self, context: Context, updates: Iterable[EmptyUpdate]) -> bool:
        """Write updates to the empties; return whether one of them changed."""
        written = False
        for update in updates:
            if update.name in self._snapshots and update.name in bpy.data.objects:
                written |= self._put(bpy.data.objects[update.name], update)
        if written:
            view_layer_of(context).update()
        return written

    def _put(self, obj: Object, update: EmptyUpdate) -> bool:
        before = self._snapshots[obj.name]
        write_update(obj, update)
        self._snapshots[obj.name] = EmptySnapshot.of(obj)
        return self._snapshots[obj.name] != before

    @property
    def differ_from_start(self) -> bool:
        """Whether their state is not the first one."""
        return self._now() != dict(self._before.values())

    @property
    def differ_from_undo(self) -> bool:
        """Whether their state is not that of the last undo step made here."""
        return self._now() != self._undone_to

    def make_undo(self, message: str) -> None:
        """Push an undo step with their present state."""
        bpy.ops.ed.undo_push(message=message)
        self.mark_undo_step()

    def mark_undo_step(self) -> None:
        """Note that an undo step has their present state."""
        self._undone_to = self._now()

    def _now(self) -> dict[str, EmptySnapshot]:
        return {obj.name: EmptySnapshot.of(obj) for obj in family_of(bpy.data.objects[self.blob])}

    def restore(self, context: Context) -> list[str]:
        """Restore the first state of all, remove new ones, and return the names of those that are lost.

        Only Blender's undo brings deleted objects back: undo steps are taken until all are there again.
        """
        steps, undo = 0, cast("Any", bpy.ops.ed.undo)
        while self._missing() and steps < UNDONE and undo.poll() and undo() == {"FINISHED"}:
            steps += 1
        missing = self._missing()
        for _ in range(steps if missing else 0):
            bpy.ops.ed.redo()
        self._restore_those_there()
        view_layer_of(context).update()
        return [self._before[uid][0] for uid in missing]

    def _restore_those_there(self) -> None:
        there = {obj.session_uid: obj for obj in bpy.data.objects if is_in_scene(obj)}
        known = {uid: there[uid] for uid in self._before if uid in there}
        for uid, obj in known.items():
            obj.name = self._before[uid][0]
        blob = bpy.data.objects[self.blob]
        for obj in [obj for obj in family_of(blob) if obj != blob]:
            if obj.session_uid not in self._all:
                bpy.data.objects.remove(obj)
        for uid, obj in known.items():
            self._before[uid][1].restore(obj)

    def _missing(self) -> list[int]:
        there = {obj.session_uid for obj in bpy.data.objects if is_in_scene(obj)}
        return [uid for uid in self._before if uid not in there]


def write_update(obj: Object, update: EmptyUpdate) -> None:
    """Write an update to an empty, unless it has these values in single precision already."""
    if update.location is not None and not _is(obj.location, update.location):
        obj.location = update.location.tolist()
    if update.rotation is not None:
        now = channels(obj)
        if np.abs(matrix_of(obj.rotation_mode, now.rotation) - update.rotation).max() > NOISE:
            turned = values_of(obj.rotation_mode, update.rotation, now.rotation)
            set_channels(obj, Channels(now.location, turned, now.mode))
    if update.scale is not None and not _is(obj.scale, update.scale):
        obj.scale = update.scale.tolist()
    for key, value in update.properties.items():
        if custom_properties(obj).get(key) != value:
            obj[key] = value
    if update.properties:
        obj.update_tag()


def numbers(vector: Any) -> tuple[float, ...]:
    """Return the numbers of one of Blender's vectors, which its stub does not know to be a sequence."""
    return tuple(vector)


def _is(vector: Any, values: Floats) -> bool:
    """Return whether one of Blender's vectors has some values (n,), in single precision."""
    return numbers(vector) == tuple(values.astype(np.float32).tolist())


def _is_there(name: str) -> bool:
    return name in bpy.data.objects and is_in_scene(bpy.data.objects[name])


def _snapshot(name: str) -> EmptySnapshot:
    return EmptySnapshot.of(bpy.data.objects[name])
