# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene of a simulation: selected objects that move among those that are animated and those that stand.

Everything visible counts, however far away it is: what moves in time may get anywhere.  Every animated object
that does not move by itself is a body whose motion is given, frame by frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import bpy
import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.bodies import Body, merge
from ...core.dynamics.contacts import SurfaceLaws
from ...core.dynamics.driving.tracks import Track
from ...core.dynamics.motion import Motion
from ...core.dynamics.scene import Scene
from ...core.jobs import Job
from ...core.rigid import Pose
from ..access import scene_of
from ..changes import SHAPELESS
from ..errors import SceneError
from ..reading.scenario import Scenario, reading
from ..reading.settings import gravity_direction, settings_of
from ..reading.subjects.movers import selected_movers
from ..reading.subjects.options import PlacementOptions
from ..reading.subjects.subject import Subject
from ..reading.visible import Family
from ..references import by_full_name
from .rigid_bodies import (
    LeftOut,
    damping_shares,
    is_free,
    leave_out_changes_of_shape,
    leave_out_fields,
    leave_out_keys,
    leave_out_lost_faces,
    leave_out_scene_keys,
    leave_out_settings,
    not_free_reason,
    surface_law,
    weighed,
)
from .rigid_constraints import AnchoredJoint, Joinable, anchored_joints, joined_to, joints_of, passed_through
from .sampling import SampledPath, frames_before, may_move, sampling, velocity

_NO_BODIES: Final = SHAPELESS | {"EMPTY"}


@dataclass(frozen=True, eq=False)
class DynamicScenario:
    """What a simulation needs.

    Attributes:
        subjects: the objects that move by themselves; the first bodies of the scene.
        bodies: those that move, in their own frames: the subjects', then those that are animated.
        world: those that stand, in the scene.
        scene: all bodies.
        motion: how they move at the start.
        first_frame: the frame of the start.
        last_frame: the last one that is simulated.
        seconds_a_frame: the time from one frame to the next, s.
        left_out: what was left out of account, a phrase each.
        anchored: where the joints hold, by the names of the objects that have them.
        objects: the ids of all objects of the scene.
        ends_at_proven_rest: whether what has almost come to rest is ended by placement.
    """

    subjects: tuple[Subject, ...]
    bodies: tuple[Body, ...]
    world: tuple[Body, ...]
    scene: Scene
    motion: Motion
    first_frame: int
    last_frame: int
    seconds_a_frame: float
    left_out: tuple[str, ...]
    anchored: Mapping[str, AnchoredJoint]
    objects: frozenset[int]
    ends_at_proven_rest: bool

    @property
    def rounding(self) -> float:
        """The largest error of a point of a moving object by single precision, in scene units."""
        return max(subject.rounding for subject in self.subjects)

    def standing_like(self, before: DynamicScenario, moved: Sequence[Pose | None]) -> DynamicScenario:
        """Return this with the channels that objects had before, unless they were moved by hand."""
        subjects = list(self.subjects)
        for i, (old, by_hand) in enumerate(zip(before.subjects, moved, strict=True)):
            if by_hand is None:
                now = subjects[i]
                channels = old.space.channels.in_mode(now.space.mode, now.space.channels.rotation)
                subjects[i] = replace(now, space=replace(now.space, channels=channels))
        return replace(self, subjects=tuple(subjects))

    @property
    def first_poses(self) -> tuple[Pose, ...]:
        """The poses of the subjects when they were read."""
        return tuple(subject.pose for subject in self.subjects)

    def names(self, numbers: Sequence[int]) -> list[str]:
        """Return the names of the bodies of numbers, those that move first, each name once."""
        every = (*self.bodies, *self.world)
        return list(dict.fromkeys(every[number].name for number in numbers))

    def poses(self, motion: Motion) -> tuple[Pose, ...]:
        """Return the poses of the subjects."""
        return self.scene.poses(motion)[: len(self.subjects)]


def read_dynamics(
    context: Context, frames: int, before: DynamicScenario | None = None
) -> Job[DynamicScenario]:
    """Read the selected objects and everything visible, in slices, for so many frames from the present one.

    Args:
        context: Blender's context.
        frames: how many.
        before: what is gone on from: its objects move on, whatever is selected now, and with them those that
            have been added since and are selected; its joints hold where they held.

    Raises:
        PhysPlaceError: something is wrong; nothing was changed.
    """
    scene = scene_of(context)
    if scene.frame_subframe != 0.0:
        found = f"the present frame is {scene.frame_current_final:g}, between two frames"
        raise SceneError(scene.name, found, "go to a whole frame")
    first, last = scene.frame_current, scene.frame_current + frames
    moving = _free_objects(context, first) if before is None else _going_on(context, first, before)
    names = [obj.name for obj in moving]
    everything = frozenset(obj.name_full for obj in scene.objects)
    movers = [bpy.data.objects[name] for name in names]
    scenario = yield from reading(context, movers, everything, PlacementOptions())
    free = [bpy.data.objects[name] for name in names]
    animated = [obj.name for obj in free if may_move(obj)]
    velocities = yield from sampling(context, animated, frames_before(first))
    ends = [obj.name_full for obj in joined_to(scene, free) if may_move(obj)]
    stood = [*_animated_owners(scenario), *_animated_parents(free), *ends]
    paths = yield from sampling(context, list(dict.fromkeys(stood)), range(first, last + 1))
    _check_parents([bpy.data.objects[name] for name in names], paths)
    return _assembled(context, scenario, paths, velocities, first, last, before)


def seconds_a_frame(context: Context) -> float:
    """Return the time from one frame to the next, s: by the frame rate, and the speed of rigid bodies."""
    scene = scene_of(context)
    world = scene.rigidbody_world
    speed = world.time_scale if world is not None and world.time_scale > 0.0 else 1.0
    return float(speed * scene.render.fps_base / scene.render.fps)


def gravity_of(context: Context) -> Floats:
    """Return the acceleration (3,) of gravity, lengths over s^2; zero where the scene has it off."""
    scene = scene_of(context)
    world, strength = scene.rigidbody_world, np.array(scene.gravity, dtype=np.float64)
    weights = None if world is None else world.effector_weights
    weight = 1.0 if weights is None else float(weights.gravity)
    if not scene.use_gravity or not strength.any():
        return np.zeros(3)
    if settings_of(scene).use_scene_gravity:
        return weight * strength
    return weight * float(np.linalg.norm(strength)) * np.array(gravity_direction(scene))


def _free_objects(context: Context, frame: int) -> list[Object]:
    """Return the selected objects that move by themselves. Raises SceneError if there are none."""
    selected = selected_movers(context, with_active=False)
    free = [obj for obj in selected if is_free(obj, frame)]
    if not free:
        raise SceneError(
            selected[0].name,
            f"it {not_free_reason(selected[0])}, and nothing else that is selected moves",
            "select an object to simulate, or make this one an active rigid body",
        )
    return free


def _going_on(context: Context, frame: int, before: DynamicScenario) -> list[Object]:
    """Return the objects that move on, and those that join them. Raises SceneError for one that cannot."""
    known = [subject.object for subject in before.subjects]
    for obj in known:
        if not is_free(obj, frame):
            raise SceneError(
                obj.name,
                f"it {not_free_reason(obj)}, and has moved so far",
                "undo that change, or key what was simulated and simulate again",
            )
    added = [
        obj for obj in selected_movers(context, with_active=False) if obj.session_uid not in before.objects
    ]
    return known + [obj for obj in added if obj.type not in _NO_BODIES and is_free(obj, frame)]


def _animated_owners(scenario: Scenario) -> Iterator[str]:
    """Yield the full names of the objects of the world that may move."""
    objects = by_full_name()
    for owner in dict.fromkeys(scenario.owners):
        if owner in objects and may_move(objects[owner]):
            yield owner


def _animated_parents(free: Sequence[Object]) -> Iterator[str]:
    """Yield the full names of the parents of objects that may move."""
    yield from (obj.parent.name_full for obj in free if obj.parent is not None and may_move(obj.parent))


def _check_parents(free: Sequence[Object], paths: Mapping[str, SampledPath]) -> None:
    """Raise SceneError for an object whose parent moves in the frames that are simulated."""
    for obj in free:
        path = paths.get(obj.parent.name_full) if obj.parent is not None else None
        if path is not None and not (path.is_still and path.keeps_shape):
            assert obj.parent is not None
            raise SceneError(
                obj.name,
                f'its parent "{obj.parent.name}" is animated',
                "clear the parent (Object > Parent > Clear and Keep Transformation), or simulate the parent",
            )


@dataclass(frozen=True, eq=False)
class _Given:
    """An object whose motion is given: its body in its own frame, and its track."""

    obj: Object
    body: Body
    track: Track


def _assembled(
    context: Context,
    scenario: Scenario,
    paths: Mapping[str, SampledPath],
    velocities: Mapping[str, SampledPath],
    first: int,
    last: int,
    before: DynamicScenario | None,
) -> DynamicScenario:
    """Return the scenario of what was read. Raises PhysPlaceError."""
    left_out, seconds = LeftOut(), seconds_a_frame(context)
    subjects = tuple(
        replace(subject, body=weighed(subject.body, bpy.data.objects[subject.name]))
        for subject in scenario.subjects
    )
    free = [bpy.data.objects[subject.name] for subject in subjects]
    given = _given_objects(scenario, paths, seconds, left_out)
    given += _passed_through(context, scenario, free, given)
    standing = _standing(scenario, given)
    bodies = (*(subject.body for subject in subjects), *(each.body for each in given))
    world = tuple(body for _, body in standing)
    poses = [*(subject.pose for subject in subjects), *(each.track.pose(0.0) for each in given)]
    _leave_out(left_out, scene_of(context), free, _others(given, standing))
    leave_out_lost_faces(left_out, (*bodies, *world))
    joinable = Joinable(
        _numbers(free, given),
        len(free),
        poses,
        scenario.visible,
        _impulse_seconds(context, seconds),
        {} if before is None else before.anchored,
        _shapeless(scenario, paths),
    )
    joints = joints_of(scene_of(context), joinable, left_out)
    owners = [*free, *(each.obj for each in given), *(owner for owner, _ in standing)]
    scene = Scene.of(
        bodies,
        poses,
        world,
        _laws(context, owners),
        gravity_of(context),
        {len(free) + i: each.track for i, each in enumerate(given)},
        joints,
        1.0 / settings_of(scene_of(context)).steps_per_second,
        np.array([*(damping_shares(obj) for obj in free), *([(0.0, 0.0)] * len(given))]),
    )
    return DynamicScenario(
        subjects,
        bodies,
        world,
        scene,
        _motion(scene, poses, subjects, velocities, seconds),
        first,
        last,
        seconds,
        left_out.notes(),
        anchored_joints(scene_of(context), joinable, joints),
        frozenset(obj.session_uid for obj in scene_of(context).objects),
        settings_of(scene_of(context)).end_at_proven_rest,
    )


def _leave_out(
    left_out: LeftOut, scene: bpy.types.Scene, free: Sequence[Object], others: Iterable[Object]
) -> None:
    """Add what is left out of account of objects that move by themselves, of others, and of their scene."""
    leave_out_settings(left_out, free)
    for other in {each.name_full: each for each in others}.values():
        leave_out_keys(left_out, other)
        leave_out_changes_of_shape(left_out, other)
    leave_out_scene_keys(left_out, scene)
    leave_out_fields(left_out, scene)


def _shapeless(scenario: Scenario, paths: Mapping[str, SampledPath]) -> frozenset[str]:
    """Return the full names of the objects that are animated and have no shape."""
    return frozenset(
        name
        for name, path in paths.items()
        if not path.is_still and not scenario.bodies_of(frozenset([name]))
    )


def _given_objects(
    scenario: Scenario, paths: Mapping[str, SampledPath], seconds: float, left_out: LeftOut
) -> list[_Given]:
    """Return the objects of the world that move as they are animated."""
    given, objects = [], by_full_name()
    for full_name, path in paths.items():
        obj = objects[full_name]
        name, own = obj.name, scenario.bodies_of(frozenset([full_name]))
        if not path.keeps_shape:
            left_out.add("the animated scale", name)
        if own and not path.is_still:
            body = own[0] if len(own) == 1 else merge(own, name)
            track = path.track(seconds)
            given.append(_Given(obj, body.transformed(path.poses[0].inverse().matrix4, name), track))
    return given


def _passed_through(
    context: Context, scenario: Scenario, free: Sequence[Object], given: Sequence[_Given]
) -> list[_Given]:
    """Return the standing objects that joined ones may go through, as bodies that are given no motion."""
    names = passed_through(scene_of(context), free) - {each.obj.name_full for each in given}
    still, found = Track.of([0.0], [Pose.identity()]), []
    for obj in scene_of(context).objects:
        own = scenario.bodies_of(frozenset([obj.name_full])) if obj.name_full in names else []
        if own:
            found.append(_Given(obj, own[0] if len(own) == 1 else merge(own, obj.name), still))
    return found


def _standing(scenario: Scenario, given: Sequence[_Given]) -> list[tuple[Object | None, Body]]:
    """Return the bodies of the world that stand still, with the objects that show them."""
    moving = {each.obj.name_full for each in given}
    objects = by_full_name()
    pairs = zip(scenario.owners, scenario.world, strict=True)
    return [(objects.get(owner), body) for owner, body in pairs if owner not in moving]


def _others(given: Sequence[_Given], standing: Sequence[tuple[Object | None, Body]]) -> Iterator[Object]:
    """Yield the objects that do not move by themselves."""
    yield from (each.obj for each in given)
    yield from (owner for owner, _ in standing if owner is not None)


def _numbers(free: Sequence[Object], given: Sequence[_Given]) -> dict[str, int]:
    """Return the numbers of bodies by the full names of the objects that they are made of."""
    numbers = {each.obj.name_full: len(free) + i for i, each in enumerate(given)}
    for i, obj in enumerate(free):
        numbers |= dict.fromkeys(Family.of(obj).names, i)
    return numbers


def _laws(context: Context, owners: Sequence[Object | None]) -> SurfaceLaws:
    laws = [surface_law(owner, scene_of(context)) for owner in owners]
    return SurfaceLaws(np.array([law.friction for law in laws]), np.array([law.restitution for law in laws]))


def _impulse_seconds(context: Context, seconds: float) -> float:
    """Return the time in which a motor gives its greatest impulse: a substep of Blender's rigid bodies."""
    world = scene_of(context).rigidbody_world
    return seconds / (10 if world is None else world.substeps_per_frame)


def _motion(
    scene: Scene,
    poses: Sequence[Pose],
    subjects: Sequence[Subject],
    velocities: Mapping[str, SampledPath],
    seconds: float,
) -> Motion:
    """Return the motion of all bodies at the start; what moves as given has its rates from its track."""
    linear, angular = np.zeros((len(poses), 3)), np.zeros((len(poses), 3))
    for i, subject in enumerate(subjects):
        if subject.name in velocities:
            path = velocities[subject.name]
            linear[i], angular[i] = velocity(path, subject.body.mass.center, seconds)
    return scene.motion(poses, linear, angular)
