# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that move and the world they are placed into, read into bodies of core.

Nothing in the scene is changed. `subjects` has the objects that move, `nearness` the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Context, Object

from ...core.bodies import Body
from ...core.errors import PlacementError
from ...core.jobs import Job, finished
from ...core.placement import Settings
from ...core.rigid import Pose
from ..access import extended, scene_of
from .nearness import Boxes, Surroundings, Travel, boxes_of, reading_world
from .settings import gravity_direction
from .subjects.movers import active_mover
from .subjects.options import PlacementOptions, options_of
from .subjects.subject import Subject, reading_subjects
from .visible import Family


@dataclass(frozen=True, eq=False)
class Scenario:
    """What a placement needs.

    Attributes:
        subjects: the objects that move.
        world: the fixed bodies that a subject may come near, in world coordinates.
        owners: for each fixed body, the full name of the object that shows it.
        unread: the boxes of what is too far away to be read.
        surroundings: how far the subjects may get.
        visible: the full names of the objects that were visible.
        absent: the full names of objects that do not count.
        placed: bodies that stand where their objects do not yet, with the objects' names; the first of the
            world.
        options: those of the placement.
    """

    subjects: tuple[Subject, ...]
    world: tuple[Body, ...]
    owners: tuple[str, ...]
    unread: Boxes
    surroundings: Surroundings
    visible: frozenset[str]
    absent: frozenset[str] = frozenset()
    placed: tuple[tuple[str, Body], ...] = ()
    options: PlacementOptions = field(default_factory=PlacementOptions)

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


def read(
    context: Context, movers: Sequence[Object] | None = None, options: PlacementOptions | None = None
) -> Scenario:
    """Return the objects that move, and everything visible that they may come near, as bodies.

    Args:
        context: Blender's context.
        movers: the objects that move; the active one if None.
        options: those of the placement; the scene's if None.

    Raises:
        PhysPlaceError: a SceneError or another, that names the object, what is wrong and a remedy.
    """
    return finished(reading(context, movers, options=options))


def reading(
    context: Context,
    movers: Sequence[Object] | None = None,
    also: frozenset[str] = frozenset(),
    options: PlacementOptions | None = None,
) -> Job[Scenario]:
    """Read the objects that move, and what they may come near; as `read`, in slices.

    Args:
        context: Blender's context.
        movers: the objects that move; the active one if None.
        also: full names of objects that are read wherever they are.
        options: those of the placement; the scene's if None.
    """
    moving = [active_mover(context)] if movers is None else list(movers)
    chosen = options_of(context, moving) if options is None else options
    subjects = yield from reading_subjects(context, moving)
    around = _surroundings(context, subjects, chosen)
    alone = Scenario(subjects, (), (), boxes_of([]), around, frozenset(), options=chosen)
    return (yield from reading_more(context, alone, [subject.pose for subject in subjects], also=also))


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
    always, around = also.union(known.owners), _surroundings(context, known.subjects, known.options)
    world = yield from reading_world(
        context,
        families,
        around,
        poses,
        travels,
        always=always,
        absent=known.absent,
        ground=known.options.ground,
    )
    found = [*known.placed, *zip(world.owners, world.bodies, strict=True)]
    before = {id(body): number for number, body in enumerate(known.world)}
    found.sort(key=lambda each: before.get(id(each[1]), len(before)))
    owners, bodies = tuple(owner for owner, _ in found), tuple(body for _, body in found)
    subjects = tuple(subject.noting(world.left_out) for subject in known.subjects)
    return replace(
        known,
        subjects=subjects,
        world=bodies,
        owners=owners,
        unread=world.unread,
        surroundings=around,
        visible=world.visible,
    )


def _surroundings(context: Context, subjects: Sequence[Subject], options: PlacementOptions) -> Surroundings:
    """Return what says how far subjects may get; without a direction of gravity they do not fall.

    A script may read without the extension's settings.
    """
    scene = scene_of(context)
    settings = getattr(extended(scene), "physplace", None)
    try:
        down = scene.gravity if settings is None else gravity_direction(scene, options.direction)
    except PlacementError:
        down = (0.0, 0.0, 0.0)
    step = options.step or (Settings().eps_max if settings is None else settings.eps_max)
    travel = Travel(np.array(down, dtype=np.float64))
    return Surroundings(tuple(subject.ball for subject in subjects), travel, step)


def completed(
    context: Context, scenario: Scenario, poses: Sequence[Pose], travels: Sequence[Travel] = ()
) -> Job[Scenario]:
    """Read, in slices, what its subjects may come near from poses on; the scenario itself if all is read.

    travels: where they may go from there besides falling.
    """
    if not scenario.misses(poses, travels):
        return scenario
    return (yield from reading_more(context, scenario, poses, travels))
