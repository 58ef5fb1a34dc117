# SPDX-License-Identifier: GPL-3.0-or-later
"""The active object and the world it is placed into, read into core's bodies; nothing is changed.

The active body's frame is the active object's own, with its rotation and position taken out into a pose and
its scale left in: the solver moves the body rigidly, so scale and shear belong to the body's shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Depsgraph, Object

from ..core import bodies
from ..core.arrays import Floats
from ..core.bodies import Body
from ..core.errors import MeshError
from ..core.rigid import Pose
from .access import active_object, library_of
from .affine import Placed, is_singular, linear4, split
from .definitions import complex_of
from .errors import SceneError
from .meshes import triangles_of
from .transform import ObjectSpace, object_space
from .visible import Family, Item, items

ROUNDINGS = 8.0  # of a coordinate, between a pose written to an object and the same pose read back


@dataclass(frozen=True, eq=False)
class Subject:
    """The active object as a body in its own frame, its pose, and the way back to the object.

    `stretch` (3, 3) is the part of the object's matrix that is not rigid; `space` turns a world matrix into
    the object's location and rotation.
    """

    name: str
    body: Body
    pose: Pose
    stretch: Floats
    space: ObjectSpace

    @property
    def rounding(self) -> float:
        """How far single precision may have put a point of the body off, in scene units."""
        farthest = float(np.abs(self.pose.translation).max()) + self.body.radius
        return ROUNDINGS * float(np.finfo(np.float32).eps) * farthest

    def world_matrix(self, pose: Pose) -> Floats:
        """The object's world matrix (4, 4) when its body stands in a pose."""
        return pose.matrix4 @ linear4(self.stretch)


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a placement needs: who moves, and the bodies of the world, in world coordinates."""

    subject: Subject
    world: tuple[Body, ...]


def read(context: Context) -> Scenario:
    """The active object and everything else that is visible.

    Raises SceneError, or another PhysPlaceError, naming the object, what is wrong with it, and a remedy.
    """
    active = active_object(context)
    if active is None:
        raise SceneError("(none)", "no object is active", "click the object to place")
    check_editable(active)
    depsgraph = context.evaluated_depsgraph_get()
    return Scenario(_subject(active, depsgraph), _world(active, depsgraph))


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


def _subject(active: Object, depsgraph: Depsgraph) -> Subject:
    evaluated = active.evaluated_get(depsgraph)
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    if not np.all(np.isfinite(matrix)):
        raise SceneError(active.name, "its transform is not finite", "reset its location, rotation and scale")
    space = object_space(active, evaluated)
    own = split(matrix)
    to_frame = own.pose.inverse().matrix4
    reader = Reader()
    parts = [
        reader.body(item, linear4(own.stretch) if item.evaluated == evaluated else to_frame @ item.matrix)
        for item in items(depsgraph, Family.of(active), moving=True)
    ]
    solid = [part for part in parts if part is not None]
    if not solid:
        raise SceneError(
            active.name,
            "it has no faces, and no visible child has",
            "give it a mesh with faces, or a surface",
        )
    body = solid[0] if len(solid) == 1 else bodies.merge(solid, active.name)
    return Subject(active.name, body, own.pose, own.stretch, space)


def _world(active: Object, depsgraph: Depsgraph) -> tuple[Body, ...]:
    reader = Reader()
    parts = [
        reader.body(item, _clean(item.matrix)) for item in items(depsgraph, Family.of(active), moving=False)
    ]
    return tuple(part for part in parts if part is not None)


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
            raise SceneError(name, "its transform is not finite", "reset its location, rotation and scale")
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
