# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that move and the world they are placed into, read into core's bodies; nothing is changed.

A moving body's frame is its object's own, with its rotation and position taken out into a pose and its scale
left in: the solver moves the body rigidly, so scale and shear belong to the body's shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Depsgraph, Object

from ..core import bodies
from ..core.arrays import Floats
from ..core.bodies import Body
from ..core.errors import MeshError
from ..core.rigid import Pose
from .access import active_object, library_of, view_layer_of
from .affine import Placed, is_singular, linear4, split
from .definitions import complex_of
from .errors import SceneError
from .meshes import triangles_of
from .start import kept_start
from .transform import ObjectSpace, object_space
from .visible import Family, Item, items

ROUNDINGS = 8.0  # of a coordinate, between a pose written to an object and the same pose read back

NOT_FINITE, RESET = "its transform is not finite", "reset its location, rotation and scale"


@dataclass(frozen=True, eq=False)
class Subject:
    """An object that moves, as a body in its own frame, its pose, and the way back to the object.

    `stretch` (3, 3) is the part of the object's matrix that is not rigid; `space` turns a world matrix into
    the object's location and rotation; `start` is the pose it was put to by hand: that from which it came to
    the rest it stands at, or else its pose now.
    """

    name: str
    body: Body
    pose: Pose
    stretch: Floats
    space: ObjectSpace
    start: Pose

    @property
    def is_placed(self) -> bool:
        """Whether it stands at the rest that an earlier placement brought it to."""
        return self.start is not self.pose

    @property
    def rounding(self) -> float:
        """How far single precision may have put a point of the body off, in scene units."""
        return _rounding(self.body, self.pose)

    def world_matrix(self, pose: Pose) -> Floats:
        """The object's world matrix (4, 4) when its body stands in a pose."""
        return pose.matrix4 @ linear4(self.stretch)


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a placement needs: who moves, and the bodies of the world, in world coordinates.

    `owners` are the full names of the objects that show the bodies of the world.
    """

    subjects: tuple[Subject, ...]
    world: tuple[Body, ...]
    owners: tuple[str, ...]

    @property
    def subject(self) -> Subject:
        """The object that moves; of several, the first."""
        return self.subjects[0]

    @property
    def rounding(self) -> float:
        """How far single precision may have put a point of a moving body off, in scene units."""
        return max(subject.rounding for subject in self.subjects)

    def standing(self, names: frozenset[str]) -> list[Body]:
        """The bodies of the world that objects of these full names show."""
        return [body for body, owner in zip(self.world, self.owners, strict=True) if owner in names]


def read(context: Context, movers: Sequence[Object] | None = None) -> Scenario:
    """The objects that move, the active one unless told, and everything else that is visible.

    Raises SceneError, or another PhysPlaceError, naming the object, what is wrong with it, and a remedy.
    """
    moving = [_active(context)] if movers is None else list(movers)
    for mover in moving:
        check_editable(mover)
    depsgraph = context.evaluated_depsgraph_get()
    frames = [_Frame.of(mover, depsgraph) for mover in moving]
    parts: list[list[Body]] = [[] for _ in moving]
    world: list[Body] = []
    owners: list[str] = []
    reader = Reader()
    for item in items(depsgraph, [Family.of(mover) for mover in moving]):
        if item.family is not None:
            part = reader.body(item, frames[item.family].affine(item))
            parts[item.family] += [] if part is None else [part]
            continue
        body = reader.body(item, _clean(item.matrix))
        if body is not None:
            world.append(body)
            owners.append(item.owner)
    subjects = tuple(frame.subject(own) for frame, own in zip(frames, parts, strict=True))
    return Scenario(subjects, tuple(world), tuple(owners))


def selected_movers(context: Context) -> list[Object]:
    """The active object and those selected with it, the active one first.

    One that is a child of another of them moves with that one and is not listed. Raises SceneError if there
    is no active object.
    """
    active = _active(context)
    chosen = [active, *(obj for obj in view_layer_of(context).objects.selected if obj != active)]
    return [obj for obj in chosen if not any(parent in chosen for parent in _ancestors(obj))]


def _ancestors(obj: Object) -> list[Object]:
    return [] if obj.parent is None else [obj.parent, *_ancestors(obj.parent)]


def _active(context: Context) -> Object:
    active = active_object(context)
    if active is None:
        raise SceneError("(none)", "no object is active", "click the object to place")
    return active


def check_editable(obj: Object) -> None:
    """Raise SceneError for an object whose transform may not be written, because it is linked."""
    remedy = "make a library override (Object > Relations > Make Library Override)"
    library = library_of(obj)
    if library is not None:
        raise SceneError(obj.name, f"it is linked from {library.filepath}", remedy)
    override = obj.override_library
    if override is not None and override.is_system_override:
        raise SceneError(obj.name, "its library override is not editable", "make the override editable")
    action = obj.animation_data.action if obj.animation_data else None
    if action is not None and library_of(action) is not None:
        raise SceneError(obj.name, f'its action "{action.name}" is linked', "make the action local")


@dataclass(frozen=True, eq=False)
class _Frame:
    """The frame of an object that moves, before its shape is known."""

    obj: Object
    evaluated: Object
    own: Placed
    space: ObjectSpace

    @classmethod
    def of(cls, obj: Object, depsgraph: Depsgraph) -> _Frame:
        evaluated = obj.evaluated_get(depsgraph)
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        if not np.all(np.isfinite(matrix)):
            raise SceneError(obj.name, NOT_FINITE, RESET)
        space = object_space(obj, evaluated)
        return cls(obj, evaluated, split(matrix), space)

    def affine(self, item: Item) -> Floats:
        """From an item's coordinates to this frame (4, 4)."""
        if item.evaluated == self.evaluated:
            return linear4(self.own.stretch)
        return self.own.pose.inverse().matrix4 @ item.matrix

    def subject(self, parts: Sequence[Body]) -> Subject:
        if not parts:
            raise SceneError(
                self.obj.name,
                "it has no faces, and no visible child has",
                "give it a mesh with faces, or a surface",
            )
        body = parts[0] if len(parts) == 1 else bodies.merge(parts, self.obj.name)
        pose = self.own.pose
        kept = kept_start(self.obj, body, pose, _rounding(body, pose))
        start = pose if kept is None else kept
        return Subject(self.obj.name, body, pose, self.own.stretch, self.space, start)


def _rounding(body: Body, pose: Pose) -> float:
    farthest = float(np.abs(pose.translation).max()) + body.radius
    return ROUNDINGS * float(np.finfo(np.float32).eps) * farthest


def _clean(matrix: Floats) -> Floats:
    if not np.all(np.isfinite(matrix)) or is_singular(matrix):
        return matrix
    placed: Placed = split(matrix)
    return placed.affine


class Reader:
    """Makes bodies of items; instances of one mesh are cleaned and analysed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Body | None] = {}

    def body(self, item: Item, affine: Floats) -> Body | None:
        """The item's body after an affine map (4, 4); None for an item without faces or shrunk to nothing."""
        name = item.evaluated.name
        if not np.all(np.isfinite(affine)):
            raise SceneError(name, NOT_FINITE, RESET)
        if not affine[:3, :3].any():
            return None
        if is_singular(affine):
            return self._flattened(item, affine)
        key = (name, item.evaluated.data.as_pointer() if item.evaluated.data else 0)
        if key not in self._known:
            self._known[key] = _exact(item) if item.exact else _polyhedron(item, np.eye(4))
        known = self._known[key]
        return None if known is None else known.transformed(affine, name=name)

    def _flattened(self, item: Item, affine: Floats) -> Body | None:
        if item.exact:
            raise SceneError(item.evaluated.name, "its scale is zero", "give it a scale on every axis")
        return _polyhedron(item, affine)


def _exact(item: Item) -> Body:
    return bodies.exact(complex_of(item.evaluated), item.evaluated.name)


def _polyhedron(item: Item, affine: Floats) -> Body | None:
    arrays = triangles_of(item.evaluated)
    if arrays is None or len(arrays[1]) == 0:
        return None
    points, triangles = arrays
    try:
        return bodies.polyhedron(points @ affine[:3, :3].T + affine[:3, 3], triangles, item.evaluated.name)
    except MeshError as error:
        raise SceneError(item.evaluated.name, error.found, error.remedy) from error
