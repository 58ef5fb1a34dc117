# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that move, read into bodies of core.

A moving body's frame is its object's own, with rotation and position taken out into a pose and scale left in:
the solver moves the body rigidly, so scale and shear belong to its shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from bpy.types import Context, Depsgraph, Object

from ....core.arrays import Floats
from ....core.bodies import Body
from ....core.errors import MeshError
from ....core.jobs import Job, Progress
from ....core.rigid import Pose
from ...access import evaluated_scene, original
from ...affine import PoseAndStretch, linear4, split
from ...blobs.models import read_blob
from ...blobs.objects import is_blob
from ...errors import SceneError
from ...references import ObjectReference
from ...rests.start import stored_start
from ...writing.transform import ObjectSpace, object_space
from ..kept_bodies import kept
from ..masses import BodyPart, body_part, combined_body
from ..nearness import MovingBall
from ..shapes import NOT_FINITE, RESET, BodyReader, FetchedBody
from ..visible import Family, VisibleItem, visible_items
from .movers import check_editable, check_moves_whole

SHOW = "show it in the Outliner, with its collections, or by Object > Show/Hide > Show Hidden Objects"
ROUNDINGS = 8.0  # float32 roundings of a coordinate between writing a pose to an object and reading it back


@dataclass(frozen=True, eq=False)
class Subject:
    """An object that moves, as a body in its own frame.

    Attributes:
        reference: the object.
        body: its body, and its children's, in the object's frame.
        pose: its pose in the world.
        stretch: (3, 3), the part of the object's matrix that is not rigid.
        space: turns a world matrix into the object's location and rotation.
        start: the pose from which it came to the rest where it is; its pose now if it is at no known rest.
    """

    reference: ObjectReference
    body: Body
    pose: Pose
    stretch: Floats
    space: ObjectSpace
    start: Pose

    @property
    def name(self) -> str:
        """The object's name when it was read."""
        return self.reference.name

    @property
    def object(self) -> Object:
        """The object. Raises SceneError if it does not exist any more."""
        return self.reference.object

    @property
    def is_placed(self) -> bool:
        """Whether it is at the rest that an earlier placement brought it to."""
        return self.start is not self.pose

    @property
    def rounding(self) -> float:
        """The largest error of a point of the body by single precision, in scene units."""
        return _rounding(self.body, self.pose)

    def noting(self, left_out: Mapping[str, MeshError]) -> Subject:
        """Return the same object, which says in its notes what was left out."""
        notes = [f"{name} is left out: {error.found}" for name, error in left_out.items()]
        notes = [note for note in notes if note not in self.body.notes]
        if not notes:
            return self
        noted = replace(self.body, notes=(*self.body.notes, *notes))
        return replace(self, body=kept.same(("noted", self.name), noted))

    @cached_property
    def ball(self) -> MovingBall:
        """The ball that holds the body however it turns."""
        return MovingBall.of(self.body)

    def world_matrix(self, pose: Pose) -> Floats:
        """Return the object's world matrix (4, 4) for a pose of its body."""
        return pose.matrix4 @ linear4(self.stretch)


def reading_subjects(context: Context, movers: Sequence[Object]) -> Job[tuple[Subject, ...]]:
    """Read objects that move, in slices, and nothing else. Raises PhysPlaceError as `read` does."""
    depsgraph = _checked(context, movers)
    references = [ObjectReference.of(mover) for mover in movers]
    yield from _made(_fetched_parts(movers, depsgraph))
    return _subjects([reference.object for reference in references], evaluated_scene(context))


def subjects_now(context: Context, movers: Sequence[Object]) -> tuple[Subject, ...]:
    """Return objects that move as they are now. Raises PhysPlaceError as `read` does."""
    return _subjects(movers, _checked(context, movers))


def _checked(context: Context, movers: Sequence[Object]) -> Depsgraph:
    """Return the evaluated scene. Raises SceneError for an object that cannot be placed."""
    for mover in movers:
        check_editable(mover)
    depsgraph = evaluated_scene(context)
    for mover in movers:
        check_moves_whole(mover, depsgraph)
    return depsgraph


def _fetched_parts(movers: Sequence[Object], depsgraph: Depsgraph) -> list[FetchedBody]:
    """Return what the bodies of all parts of some objects are made of, in the objects' frames."""
    reader, frames = BodyReader(depsgraph), [_Frame.of(mover, depsgraph) for mover in movers]
    found = []
    for item in visible_items(depsgraph, [Family.of(mover) for mover in movers]):
        if item.family is not None:
            found.append(reader.fetched(item, frames[item.family].affine(item)))
    return [each for each in found if each is not None]


def _made(fetched: Sequence[FetchedBody]) -> Job[None]:
    """Make bodies, in slices, so that they are kept."""
    for own in fetched:
        yield Progress(f'Reading "{own.name}"')
        yield from own.making({})


def _subjects(movers: Sequence[Object], depsgraph: Depsgraph) -> tuple[Subject, ...]:
    """Return objects that move as bodies; these are kept, so that it takes little time."""
    frames = [_Frame.of(mover, depsgraph) for mover in movers]
    parts: list[list[BodyPart]] = [[] for _ in movers]
    reader = BodyReader(depsgraph)
    for item in visible_items(depsgraph, [Family.of(mover) for mover in movers]):
        if item.family is not None:
            own = reader.body(item, frames[item.family].affine(item))
            parts[item.family] += [] if own is None else [body_part(own, item.evaluated, item.shower)]
    return tuple(
        frame.subject(own, depsgraph, reader.left_out) for frame, own in zip(frames, parts, strict=True)
    )


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
        body = kept.same(("mover", self.obj.name), body)
        known = stored_start(self.obj, body, pose, _rounding(body, pose))
        start = pose if known is None else known
        reference = ObjectReference.of(self.obj)
        return Subject(reference, body, pose, self.own.stretch, self.space, start).noting(left_out)

    def _shapeless(self, left_out: Mapping[str, MeshError]) -> SceneError:
        if is_blob(self.obj):
            read_blob(self.obj)  # says what it has not
        error = left_out.get(self.obj.name)
        if error is not None:
            return SceneError(self.obj.name, error.found, error.remedy)
        if not self.obj.visible_get():
            return SceneError(self.obj.name, "it is hidden", SHOW)
        return SceneError(
            self.obj.name,
            "it has no faces, and no visible child has",
            "give it a mesh with faces, or a surface",
        )


def _rounding(body: Body, pose: Pose) -> float:
    return rounding_at(float(np.abs(pose.translation).max()) + body.radius)


def rounding_at(farthest: float) -> float:
    """Return the largest error by single precision of a point whose coordinates are at most `farthest`."""
    return ROUNDINGS * float(np.finfo(np.float32).eps) * farthest
