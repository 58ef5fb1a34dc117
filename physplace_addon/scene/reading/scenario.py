# SPDX-License-Identifier: GPL-3.0-or-later
"""What a shape depends on must move with it, or it becomes another one on the way.

That are the objects its modifiers refer to, such as an armature, a lattice or a cutter, and the other
metaballs of one blob: those visible whose names are alike up to a number.

The objects that move and the world they are placed into, read into core's bodies; nothing is changed.

A moving body's frame is its object's own, with its rotation and position taken out into a pose and its scale
left in: the solver moves the body rigidly, so scale and shear belong to the body's shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context, Depsgraph, Modifier, Object

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.errors import MeshError
from ...core.rigid import Pose
from ..access import active_object, evaluated_scene, library_of, original, view_layer_of
from ..affine import PoseAndStretch, is_singular, linear4, split
from ..blobs.models import read_blob
from ..blobs.objects import blob_of, is_blob
from ..errors import SceneError
from ..rests.start import stored_start
from ..writing.transform import ObjectSpace, object_space
from .masses import BodyPart, body_part, combined_body
from .shapes import NOT_FINITE, RESET, BodyReader
from .visible import Family, VisibleItem, visible_items

SHAPELESS = frozenset(  # modifiers that move no point
    {
        *("DATA_TRANSFER", "NORMAL_EDIT", "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP"),
        *("VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"),
    }
)
DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})


def check_moves_whole(obj: Object, depsgraph: Depsgraph) -> None:
    """Raise SceneError, naming both, if the shape of an object or a child depends on one that stays."""
    members = [obj, *obj.children_recursive]
    for member in members:
        for what, other in _needed(member, depsgraph):
            if other not in members:
                raise SceneError(
                    member.name,
                    f'{what} "{other.name}", which does not move with it',
                    "parent one to the other and place the parent, or make it a mesh of its own",
                )


def _needed(member: Object, depsgraph: Depsgraph) -> Iterator[tuple[str, Object]]:
    """The objects that a shape depends on, and how."""
    for modifier in member.modifiers:
        if modifier.show_viewport and modifier.type not in SHAPELESS:
            for other in _objects_of(modifier):
                yield f'its modifier "{modifier.name}" depends on', other
    if member.parent is not None and member.parent_type in DEFORMING_PARENTS:
        yield "it is deformed by", member.parent
    if member.type == "META":
        for other in depsgraph.objects:
            if other.type == "META" and _blob(other) == _blob(member):
                yield "it is one blob with", original(other)


def _objects_of(modifier: Modifier) -> Iterator[Object]:
    """The objects that a modifier refers to."""
    for prop in modifier.bl_rna.properties:
        other = getattr(modifier, prop.identifier) if prop.type == "POINTER" else None
        if isinstance(other, Object):
            yield other


def _blob(ball: Object) -> str:
    """What the names of all metaballs of a blob begin with."""
    return re.sub(r"\.\d+$", "", ball.name)


ROUNDINGS = 8.0  # of a coordinate, between a pose written to an object and the same pose read back


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

    def bodies_of(self, names: frozenset[str]) -> list[Body]:
        """The bodies of the world that objects of these full names show."""
        return [body for body, owner in zip(self.world, self.owners, strict=True) if owner in names]


def read(context: Context, movers: Sequence[Object] | None = None) -> Scenario:
    """The objects that move, the active one unless told, and everything else that is visible.

    Raises SceneError, or another PhysPlaceError, naming the object, what is wrong with it, and a remedy.
    """
    moving = [_active(context)] if movers is None else list(movers)
    for mover in moving:
        check_editable(mover)
    depsgraph = evaluated_scene(context)
    for mover in moving:
        check_moves_whole(mover, depsgraph)
    frames = [_Frame.of(mover, depsgraph) for mover in moving]
    parts: list[list[BodyPart]] = [[] for _ in moving]
    world: list[Body] = []
    owners: list[str] = []
    reader = BodyReader(depsgraph)
    for item in visible_items(depsgraph, [Family.of(mover) for mover in moving]):
        if item.family is not None:
            own = reader.body(item, frames[item.family].affine(item))
            parts[item.family] += [] if own is None else [body_part(own, item.evaluated, item.shower)]
            continue
        body = reader.body(item, _clean(item.matrix))
        if body is not None:
            world.append(body)
            owners.append(item.owner)
    subjects = tuple(
        frame.subject(own, depsgraph, reader.left_out) for frame, own in zip(frames, parts, strict=True)
    )
    return Scenario(subjects, tuple(world), tuple(owners))


def selected_movers(context: Context) -> list[Object]:
    """The active object and those selected with it, the active one first.

    One that is a child of another of them moves with that one and is not listed. Raises SceneError if there
    is no active object.
    """
    active = _active(context)
    selected = [blob_of(obj) or obj for obj in view_layer_of(context).objects.selected]
    chosen = list(dict.fromkeys([active, *selected]))
    return [obj for obj in chosen if not any(parent in chosen for parent in _ancestors(obj))]


def _ancestors(obj: Object) -> list[Object]:
    return [] if obj.parent is None else [obj.parent, *_ancestors(obj.parent)]


def _active(context: Context) -> Object:
    active = active_object(context)
    if active is None:
        raise SceneError("(none)", "no object is active", "click the object to place")
    return blob_of(active) or active


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
    own: PoseAndStretch
    space: ObjectSpace

    @classmethod
    def of(cls, obj: Object, depsgraph: Depsgraph) -> _Frame:
        evaluated = obj.evaluated_get(depsgraph)
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        if not np.all(np.isfinite(matrix)):
            raise SceneError(obj.name, NOT_FINITE, RESET)
        space = object_space(obj, evaluated)
        return cls(obj, evaluated, split(matrix), space)

    def affine(self, item: VisibleItem) -> Floats:
        """From an item's coordinates to this frame (4, 4); the mesh of a text or a surface stands as it does
        itself.
        """
        own = original(item.evaluated) == self.obj
        if own and np.array_equal(item.matrix, np.array(self.evaluated.matrix_world)):
            return linear4(self.own.stretch)
        return self.own.pose.inverse().matrix4 @ item.matrix

    def subject(
        self, parts: Sequence[BodyPart], depsgraph: Depsgraph, left_out: Mapping[str, MeshError]
    ) -> Subject:
        if not parts:
            raise self._shapeless(left_out)
        pose = self.own.pose
        body = combined_body(parts, [self.obj, *self.obj.children_recursive], pose, depsgraph)
        notes = [f"{name} is left out: {error.found}" for name, error in left_out.items()]
        body = replace(body, notes=(*body.notes, *notes))
        kept = stored_start(self.obj, body, pose, _rounding(body, pose))
        start = pose if kept is None else kept
        return Subject(self.obj.name, body, pose, self.own.stretch, self.space, start)

    def _shapeless(self, left_out: Mapping[str, MeshError]) -> SceneError:
        if is_blob(self.obj):
            read_blob(self.obj)  # says what it has not
        error = left_out.get(self.obj.name)
        if error is not None:
            return SceneError(self.obj.name, error.found, error.remedy)
        return SceneError(
            self.obj.name,
            "it has no faces, and no visible child has",
            "give it a mesh with faces, or a surface",
        )


def _rounding(body: Body, pose: Pose) -> float:
    farthest = float(np.abs(pose.translation).max()) + body.radius
    return ROUNDINGS * float(np.finfo(np.float32).eps) * farthest


def _clean(matrix: Floats) -> Floats:
    if not np.all(np.isfinite(matrix)) or is_singular(matrix):
        return matrix
    placed: PoseAndStretch = split(matrix)
    return placed.affine
