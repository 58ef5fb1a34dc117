"""Joints that have broken: they are gone from then on, and their bodies meet each other again.

Bodies that a joint let go through each other may overlap when it breaks.  These go on through each other;
those that do not overlap are parted by the gap that bodies in contact keep, and collide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...arrays import Bools, Ints
from ...contact.system import OVERLAP, InterfacePoints, Reach, feature_keys, rows_with_keys
from ..events import Event, EventKind
from ..motion import Motion, anchor_frames
from ..scene import Scene, through_each_other
from ..start import parted
from ..step import Moment, moment_at
from .free_linkages import FreeLinkages
from .passed_limits import slowly_reached

_UNSURE = 1e-4  # gap over R whose sign does not say on which side of each other two features are
_NEAR = 1e-3  # over the spans of bodies, the distance at which points of them are looked for


@dataclass(frozen=True)
class BrokenJoints:
    """The numbers of the joints that have broken, and the pairs of bodies that go on through each other."""

    numbers: frozenset[int]
    through: frozenset[tuple[int, int]]

    @classmethod
    def none(cls) -> Self:
        """Return none."""
        return cls(frozenset(), frozenset())

    def intact(self, scene: Scene) -> Ints:
        """Return the numbers (n,) of the joints of a whole scene that hold."""
        return np.setdiff1d(np.arange(len(scene.joints)), sorted(self.numbers))

    def scene(self, whole: Scene) -> Scene:
        """Return a scene without the joints that have broken."""
        if not self.numbers:
            return whole
        return whole.with_joints(whole.joints.take(self.intact(whole)), self.through)


def after_break(
    whole: Scene, before: BrokenJoints, more: Ints, motion: Motion
) -> tuple[BrokenJoints, Motion]:
    """Return what is broken after more joints have, and bodies in motion parted where they meet again.

    Args:
        whole: the scene with all joints.
        before: what had broken.
        more: the numbers (n,) of joints that break now.
        motion: of the bodies.
    """
    numbers = before.numbers | frozenset(more.tolist())
    old = before.scene(whole)
    again = through_each_other(old.joints) - through_each_other(
        whole.joints.take(BrokenJoints(numbers, frozenset()).intact(whole))
    )
    found = BrokenJoints(numbers, before.through | again)
    for pair in sorted(again):
        trial = replace(found, through=found.through - {pair})
        apart = _parted_pair(trial.scene(whole), pair, motion)
        if apart is not None:
            found, motion = trial, apart
    return found, motion


def _parted_pair(scene: Scene, pair: tuple[int, int], motion: Motion) -> Motion | None:
    """Return bodies, two of them moved to where they do not touch; None if any overlap then."""
    others = np.ones(len(scene), np.bool_)
    others[list(pair)] = False
    near = frozenset(scene.system(motion).pairs(0.0)) - {pair}
    never = scene.template.never_meeting | near
    template = replace(scene.template, never_meeting=never, sign_tolerance=_UNSURE)
    apart = parted(replace(scene.moving_without(others), template=template), motion)
    if apart is None:
        return None
    system = scene.system(apart)
    points = system.generate(Reach(_NEAR, _NEAR, _NEAR), InterfacePoints.none(), None)
    free = float(points.gap.min(initial=np.inf)) > 0.0 and not system.misses_collision(points, OVERLAP)
    return apart if free else None


def moment_after(scene: Scene, before: Moment, motion: Motion, held: Bools) -> Moment:
    """Return a moment after joints have broken.

    Args:
        scene: without these.
        before: the moment at which they do.
        motion: of the bodies, parted where they meet again.
        held (n,): which joints hold on.
    """
    coordinates = before.coordinates[held]
    if motion is before.motion and scene.template.never_meeting == before.system.never_meeting:
        return replace(before, coordinates=coordinates)
    fresh = moment_at(scene, before.time, motion, replace(before, coordinates=coordinates), None, scene.step)
    rows = rows_with_keys(feature_keys(fresh.points), feature_keys(before.points))
    known = np.flatnonzero(rows >= 0)
    fresh.kept[known] = before.kept[rows[known]]
    fresh.bending.put(known, before.bending.take(rows[known]))
    fresh.forces[known] = before.forces[rows[known]]
    return fresh


def joint_events(
    scene: Scene,
    at: Moment,
    kind: EventKind,
    time: float,
    joints: Ints,
    speed: list[float],
    numbers: Ints,
) -> list[Event]:
    """Return events of joints at a time, s.

    Args:
        scene: what is simulated.
        at: the moment then, or one near it.
        kind: of the events.
        time: in seconds.
        joints: their rows (k,) in the scene.
        speed: of each, lengths a second.
        numbers (n,): by which all joints of the scene are known.
    """
    if len(joints) == 0:
        return []
    places = anchor_frames(scene.joints, scene.inertia, at.motion).points[:, 1]
    return [
        Event(time, kind, (int(pair[0]), int(pair[1])), places[row], v, int(numbers[row]))
        for row, v, pair in zip(joints.tolist(), speed, scene.joints.body[joints], strict=True)
    ]


def limit_events(
    scene: Scene, start: Moment, end: Moment, linkages: FreeLinkages, numbers: Ints
) -> list[Event]:
    """Return the events of limits that are reached in a step without an impact at its end.

    Args:
        scene: what is simulated.
        start: of the step.
        end: of it.
        linkages: what has moved by itself.
        numbers (n,): by which all joints of the scene are known.
    """
    kind, found = EventKind.LIMIT_REACHED, list[Event]()
    for hit in linkages.hits:
        row, speed = np.array([hit.joint]), [scene.joints.length * hit.speed]
        found += joint_events(scene, end, kind, start.time + hit.time, row, speed, numbers)
    rows = slowly_reached(scene, start, end, linkages.bodies)
    return found + joint_events(scene, end, kind, end.time, rows, [0.0] * len(rows), numbers)
