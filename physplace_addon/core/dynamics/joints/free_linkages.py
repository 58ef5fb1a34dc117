"""Linkages that touch nothing: they move by themselves, with the accuracy of `constrained_motion`."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...contact.system import FIXED
from ...mechanics.joints.equations import Joints
from ..motion import Motion
from ..scene import Scene
from .constrained_motion import ConstrainedMotion
from .limit_impacts import LimitHit

_ACCURACY = 1e-10  # relative error of the energy that a sub-step may make
_MOST_STEPS = 300  # of RATTLE in one step: what would take more has springs too stiff to be followed


class FreeLinkages(NamedTuple):
    """What moves as free linkages in a step.

    bodies (m,): which; the others stay.
    motion: where they are after it.
    time: of the step, s: shorter than was asked for where a joint breaks before.
    hits: what ran into limits, with the numbers of all joints.
    broken (n,): the joints that break at its end.
    """

    bodies: Bools
    motion: Motion
    time: float
    hits: tuple[LimitHit, ...]
    broken: Bools

    @classmethod
    def none(cls, motion: Motion, joints: int) -> Self:
        """Return that nothing of bodies in motion with so many joints has moved."""
        return cls(np.zeros(len(motion), np.bool_), motion, 0.0, (), np.zeros(joints, np.bool_))

    def before_end(self, share: float) -> FreeLinkages:
        """Return what has happened after a share of the time below 1: nothing has broken yet."""
        hits = tuple(hit for hit in self.hits if hit.time <= share * self.time)
        return self._replace(time=share * self.time, hits=hits, broken=np.zeros_like(self.broken))


class _Moved(NamedTuple):
    """A linkage, its bodies and joints, after a step; hits and what broke have its own numbers."""

    bodies: Ints
    rows: Ints
    end: Motion
    time: float
    hits: list[LimitHit]
    broken: Bools


def moved_linkages(
    scene: Scene, motion: Motion, coordinates: Floats, hindered: Bools, h: float
) -> FreeLinkages:
    """Return the linkages without a hindered body, h seconds later, or at the time of the first break.

    Args:
        scene: the bodies and what acts on them.
        motion: of all m of them now.
        coordinates: of the joints (n, 6), with whole turns counted.
        hindered: bodies (m,) that may touch something, or whose motion is given.
        h: the time, s.
    """
    linkages = [each for each in _linkages(scene.joints, len(motion)) if not hindered[each[0]].any()]
    moved = [_moved(scene, motion, coordinates, each, h) for each in linkages]
    time = min((each.time for each in moved if each is not None), default=h)
    if time < h:
        moved = [
            each if each is None or each.time == time else _moved(scene, motion, coordinates, linkage, time)
            for each, linkage in zip(moved, linkages, strict=True)
        ]
    moves, broken = np.zeros(len(motion), bool), np.zeros(len(scene.joints), bool)
    found, hits = motion, list[LimitHit]()
    for each in moved:
        if each is not None and each.time == time:
            found = found.copy() if found is motion else found
            found.put(each.bodies, each.end)
            moves[each.bodies] = True
            broken[each.rows[each.broken]] = True
            hits += [hit._replace(joint=int(each.rows[hit.joint])) for hit in each.hits]
    return FreeLinkages(moves, found, time, tuple(hits), broken)


def _moved(
    scene: Scene, motion: Motion, coordinates: Floats, linkage: tuple[Ints, Ints], h: float
) -> _Moved | None:
    """Return a linkage after h seconds, or at the time of its first break; None if it cannot be followed."""
    bodies, rows = linkage
    solver = ConstrainedMotion(
        scene.inertia.take(bodies),
        _renumbered(scene.joints.take(rows), bodies, len(motion)),
        motion.take(bodies),
        scene.gravity,
        accuracy=_ACCURACY,
        near=coordinates[rows],
        damping=scene.damping.take(bodies),
        slow=scene.slow / scene.joints.length,
    )
    end = solver.step(h) if solver.sub_steps(h) <= _MOST_STEPS else None
    if end is None or solver.blocked:
        return None
    time = solver.elapsed if solver.broken.any() else h
    return _Moved(bodies, rows, end, time, solver.hits, solver.broken)


def _linkages(joints: Joints, count: int) -> list[tuple[Ints, Ints]]:
    """Return the bodies (b,) of each linkage, and the numbers of its joints (n,)."""
    if len(joints) == 0:
        return []
    number = joints.linkages(count)
    owner = number[joints.body.max(axis=1)]  # FIXED is the least
    return [
        (np.flatnonzero(number == each), np.flatnonzero(owner == each)) for each in np.unique(owner).tolist()
    ]


def _renumbered(joints: Joints, bodies: Ints, count: int) -> Joints:
    """Return the joints of some bodies, which are numbered in their own order."""
    place = np.full(count + 1, FIXED)  # the last is the fixed world's
    place[bodies] = np.arange(len(bodies))
    joints.body[:] = place[joints.body]  # `take` has copied it
    return joints
