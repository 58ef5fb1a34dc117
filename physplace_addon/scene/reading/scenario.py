# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that move and the world they are placed into, read into bodies of core.

Nothing in the scene is changed. A moving body's frame is its object's own, with rotation and position taken
out into a pose and scale left in: the solver moves the body rigidly, so scale and shear belong to its shape.

Whatever a moving shape depends on must move with it, or its shape would change as it moves: objects that its
modifiers refer to, such as an armature, a lattice or a cutter, and the other metaballs of one metaball family
(visible ones whose names are alike up to a number). `read` raises SceneError where one of them stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from bpy.types import Context, Depsgraph, Modifier, Object

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.errors import MeshError, PlacementError
from ...core.jobs import Job, Progress, finished
from ...core.placement import Settings
from ...core.rigid import Pose
from ..access import active_object, evaluated_scene, extended, library_of, original, scene_of, view_layer_of
from ..affine import PoseAndStretch, linear4, split
from ..blobs.models import read_blob
from ..blobs.objects import blob_of, is_blob
from ..errors import SceneError
from ..references import ObjectReference
from ..rests.start import stored_start
from ..writing.transform import ObjectSpace, object_space
from .kept_bodies import kept
from .masses import BodyPart, body_part, combined_body
from .nearness import Boxes, MovingBall, Surroundings, Travel, boxes_of, reading_world
from .settings import gravity_direction
from .shapes import NOT_FINITE, RESET, BodyReader, FetchedBody
from .visible import Family, VisibleItem, visible_items

SHAPELESS = frozenset(  # modifiers that move no point
    {
        *("DATA_TRANSFER", "NORMAL_EDIT", "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP"),
        *("VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"),
    }
)
DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})
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


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a placement needs.

    Attributes:
        subjects: the objects that move.
        world: the fixed bodies that a subject may come near, in world coordinates.
        owners: for each fixed body, the full name of the object that shows it.
        unread: the boxes of what is too far away to be read.
        surroundings: how far the subjects may get.
        visible: the names of the objects that were visible.
        absent: the full names of objects that do not count.
        placed: bodies that stand where their objects do not yet, with the objects' names; the first of the
            world.
    """

    subjects: tuple[Subject, ...]
    world: tuple[Body, ...]
    owners: tuple[str, ...]
    unread: Boxes
    surroundings: Surroundings
    visible: frozenset[str]
    absent: frozenset[str] = frozenset()
    placed: tuple[tuple[str, Body], ...] = ()

    @property
    def subject(self) -> Subject:
        """The object that moves; of several, the first."""
        return self.subjects[0]

    @property
    def rounding(self) -> float:
        """The largest error of a point of a moving body by single precision, in scene units."""
        return max(subject.rounding for subject in self.subjects)

    def misses(self, poses: Sequence[Pose], travels: Sequence[Travel] = ()) -> bool:
        """Return whether a subject may meet something that is not read, from a pose on.

        travels: where the subjects may go from there besides falling.
        """
        return len(self.unread) > 0 and bool(self.surroundings.reach(self.unread, poses, travels).any())

    def with_one(
        self, subject: Subject, placed: Sequence[tuple[str, Body]], absent: frozenset[str]
    ) -> Scenario:
        """Return the scenario of one of the subjects, among others that are placed already.

        placed: bodies of subjects where they have come to rest, with their names. absent: the full names of
        all objects that are not to be read, where these are and where others have yet to be placed.
        """
        return replace(
            self,
            subjects=(subject,),
            world=(*(body for _, body in placed), *self.world),
            owners=(*(name for name, _ in placed), *self.owners),
            surroundings=replace(self.surroundings, balls=(subject.ball,)),
            absent=absent,
            placed=tuple(placed),
        )

    def bodies_of(self, names: frozenset[str]) -> list[Body]:
        """Return the fixed bodies that objects of these full names show."""
        return [body for body, owner in zip(self.world, self.owners, strict=True) if owner in names]


def read(context: Context, movers: Sequence[Object] | None = None) -> Scenario:
    """Return the objects that move, and everything visible that they may come near, as bodies.

    Args:
        context: Blender's context.
        movers: the objects that move; the active one if None.

    Raises:
        PhysPlaceError: a SceneError or another, that names the object, what is wrong and a remedy.
    """
    return finished(reading(context, movers))


def reading(
    context: Context, movers: Sequence[Object] | None = None, also: frozenset[str] = frozenset()
) -> Job[Scenario]:
    """Read the objects that move, and what they may come near; as `read`, in slices.

    also: full names of objects that are read wherever they are.
    """
    moving = [_active(context)] if movers is None else list(movers)
    subjects = yield from reading_subjects(context, moving)
    around = _surroundings(context, subjects)
    alone = Scenario(subjects, (), (), boxes_of([]), around, frozenset())
    return (yield from reading_more(context, alone, [subject.pose for subject in subjects], also=also))


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
        yield Progress(f"Reading {own.name}")
        own.made({})


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


def reading_more(
    context: Context,
    known: Scenario,
    poses: Sequence[Pose],
    travels: Sequence[Travel] = (),
    also: frozenset[str] = frozenset(),
) -> Job[Scenario]:
    """Read the world anew, in slices, around where the subjects of a scenario are now.

    What is read of it stays read while it is visible, and keeps its place; the rest comes after it.

    Args:
        context: Blender's context.
        known: the scenario.
        poses: where its subjects are.
        travels: where they may go from there besides falling.
        also: full names of objects that are read wherever they are.
    """
    families = [Family.of(subject.object) for subject in known.subjects]
    always, around = also.union(known.owners), _surroundings(context, known.subjects)
    world = yield from reading_world(
        context, families, around, poses, travels, always=always, absent=known.absent
    )
    found = [*known.placed, *zip(world.owners, world.bodies, strict=True)]
    before = {id(body): number for number, body in enumerate(known.world)}
    found.sort(key=lambda each: before.get(id(each[1]), len(before)))
    owners, bodies = tuple(owner for owner, _ in found), tuple(body for _, body in found)
    subjects = tuple(subject.noting(world.left_out) for subject in known.subjects)
    return Scenario(subjects, bodies, owners, world.unread, around, world.visible, known.absent, known.placed)


def _surroundings(context: Context, subjects: Sequence[Subject]) -> Surroundings:
    """Return what says how far subjects may get; without a direction of gravity they do not fall.

    A script may read without the extension's settings.
    """
    scene = scene_of(context)
    settings = getattr(extended(scene), "physplace", None)
    try:
        down = np.array(scene.gravity if settings is None else gravity_direction(scene), dtype=np.float64)
    except PlacementError:
        down = np.zeros(3)
    step = Settings().eps_max if settings is None else settings.eps_max
    return Surroundings(tuple(subject.ball for subject in subjects), Travel(down), step)


def completed(
    context: Context, scenario: Scenario, poses: Sequence[Pose], travels: Sequence[Travel] = ()
) -> Job[Scenario]:
    """Read, in slices, what its subjects may come near from poses on; the scenario itself if all is read.

    travels: where they may go from there besides falling.
    """
    if not scenario.misses(poses, travels):
        return scenario
    return (yield from reading_more(context, scenario, poses, travels))


def selected_movers(context: Context) -> list[Object]:
    """Return the active object and those selected with it, the active one first.

    A child of another one of them moves with that and is left out. Raises SceneError if none is active.
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
    """Yield the objects that a shape depends on, each with a phrase that says how."""
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
    """Yield the objects that a modifier refers to."""
    for prop in modifier.bl_rna.properties:
        other = getattr(modifier, prop.identifier) if prop.type == "POINTER" else None
        if isinstance(other, Object):
            yield other


def _blob(ball: Object) -> str:
    """Return the common part of the names of all metaballs of one family."""
    return re.sub(r"\.\d+$", "", ball.name)
