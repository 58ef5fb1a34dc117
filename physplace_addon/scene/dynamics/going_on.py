# SPDX-License-Identifier: GPL-3.0-or-later
"""Going on from a state of a simulation after the artist has changed something: what was read again.

What moved by itself keeps its velocity, and its place to the last bit unless it was moved by hand.  Where
nothing has changed, the same simulation goes on, so that the same frames come again, to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.dynamics.motion import Motion
from ...core.dynamics.scene import Scene
from ...core.rigid import Pose
from ..changes import CLOSE
from ..reading.subjects.subject import Subject
from .reading import DynamicScenario
from .rigid_constraints import AnchoredJoint

_OF_JOINTS: Final = (
    "body",
    "locked",
    "lower",
    "upper",
    "stiffness",
    "damping",
    "rest",
    "speed",
    "greatest",
    "restitution",
    "strength",
    "seconds",
)


def motion_going_on(
    before: DynamicScenario,
    then: Motion,
    now: DynamicScenario,
    moved: Sequence[Pose | None],
    *,
    keeps_velocity: bool,
) -> Motion:
    """Return the motion of all bodies that were read again.

    Args:
        before: what was read first.
        then: its motion, to go on from.
        now: the same objects, and perhaps more, read again.
        moved: where the first ones were put by hand; None for those that were not.
        keeps_velocity: whether they go on as fast as they were; otherwise as they were read again.
    """
    known = len(before.subjects)
    poses = [*now.scene.poses(now.motion)]
    for i, (pose, by_hand) in enumerate(zip(before.poses(then), moved, strict=True)):
        poses[i] = pose if by_hand is None else by_hand
    velocity, spin = now.motion.velocity(now.scene.inertia), now.motion.spin.copy()
    if keeps_velocity:
        velocity[:known] = then.velocity(before.scene.inertia)[:known]
        spin[:known] = then.spin[:known]
    return now.scene.motion(poses, velocity, spin)


def is_unchanged(before: DynamicScenario, frames: int, now: DynamicScenario) -> bool:
    """Return whether what was read again, so many frames later, is what it was.

    Where the objects that move by themselves are does not count.
    """
    times = before.seconds_a_frame * np.arange(frames, before.last_frame - before.first_frame + 1)
    return (
        [subject.reference for subject in before.subjects] == [subject.reference for subject in now.subjects]
        and all(map(_are_same_spaces, before.subjects, now.subjects))
        and before.last_frame == now.last_frame
        and (frames > 0 or _are_as_fast(before, now))
        and before.seconds_a_frame == now.seconds_a_frame
        and before.ends_at_proven_rest == now.ends_at_proven_rest
        and _are_same_bodies(before.bodies[: len(before.subjects)], now.bodies[: len(now.subjects)])
        and _are_same_bodies(before.world, now.world)
        and _are_near(before.bodies[len(before.subjects) :], now.bodies[len(now.subjects) :])
        and _are_same_laws(before.scene, now.scene)
        and _are_same_anchors(before.anchored, now.anchored)
        and _are_same_tracks(before, now, times.tolist())
    )


def _are_as_fast(before: DynamicScenario, now: DynamicScenario) -> bool:
    known = len(before.subjects)
    return bool(np.allclose(before.motion.rates[:known], now.motion.rates[:known], rtol=1e-6, atol=1e-9))


def _are_same_spaces(first: Subject, second: Subject) -> bool:
    one, other = first.space, second.space
    return np.array_equal(first.stretch, second.stretch) and np.array_equal(one.outer, other.outer)


def _are_same_bodies(first: Sequence[Body], second: Sequence[Body]) -> bool:
    return len(first) == len(second) and all(
        one is other
        or (
            np.array_equal(one.triangles, other.triangles)
            and one.mass.mass == other.mass.mass
            and np.array_equal(one.mass.center, other.mass.center)
            and np.array_equal(one.mass.inertia, other.mass.inertia)
        )
        for one, other in zip(first, second, strict=True)
    )


def _are_near(first: Sequence[Body], second: Sequence[Body]) -> bool:
    """Return whether bodies whose motion is given, and which were read elsewhere, are the same but for
    rounding.
    """
    return len(first) == len(second) and all(
        one.name == other.name
        and one.triangles.shape == other.triangles.shape
        and bool(np.abs(one.triangles - other.triangles).max() <= CLOSE * one.radius)
        for one, other in zip(first, second, strict=True)
    )


def _are_same_anchors(first: Mapping[str, AnchoredJoint], second: Mapping[str, AnchoredJoint]) -> bool:
    return list(first) == list(second) and all(
        one.ends == second[name].ends
        and np.array_equal(one.anchors.frame1.matrix4, second[name].anchors.frame1.matrix4)
        and np.array_equal(one.anchors.frame2.matrix4, second[name].anchors.frame2.matrix4)
        for name, one in first.items()
    )


def _are_same_laws(first: Scene, second: Scene) -> bool:
    one, other = first.joints, second.joints
    return (
        np.array_equal(first.laws.friction, second.laws.friction)
        and np.array_equal(first.laws.restitution, second.laws.restitution)
        and np.array_equal(first.gravity, second.gravity)
        and np.array_equal(first.damping.rates, second.damping.rates)
        and first.step == second.step
        and first.template.never_meeting == second.template.never_meeting
        and all(_are_equal(getattr(one, name), getattr(other, name)) for name in _OF_JOINTS)
    )


def _are_equal(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    return first == second


def _are_same_tracks(before: DynamicScenario, now: DynamicScenario, times: Sequence[float]) -> bool:
    """Return whether the bodies whose motion is given go the same way from a time on."""
    first, second = before.scene.tracks, now.scene.tracks
    origin = before.scene.origin - now.scene.origin
    return list(first) == list(second) and all(
        _are_alike(track.pose(time), second[number].pose(time - times[0]), origin, before.rounding)
        for number, track in first.items()
        for time in times
    )


def _are_alike(first: Pose, second: Pose, shift: Floats, noise: float) -> bool:
    off = first.translation + shift - second.translation
    return bool(max(np.abs(off).max(), np.abs(first.matrix - second.matrix).max()) <= noise)
