"""Linkages that touch nothing: they move by themselves, with the accuracy of `constrained_motion`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...contact.system import FIXED
from ...mechanics.inertia import Inertia
from ...mechanics.joints.equations import Joints
from ..motion import BodyDamping, Motion
from .constrained_motion import ConstrainedMotion

_ACCURACY = 1e-10  # relative error of the energy that a sub-step may make
_MOST_STEPS = 300  # of RATTLE in one step: what would take more has springs too stiff to be followed


class FreeLinkages(NamedTuple):
    """Bodies (m,) that move as free linkages, and where they are after a step; the others stay."""

    bodies: Bools
    motion: Motion


def moved_linkages(
    joints: Joints,
    inertia: Inertia,
    motion: Motion,
    coordinates: Floats,
    gravity: Floats,
    damping: BodyDamping,
    hindered: Bools,
    h: float,
) -> FreeLinkages:
    """Return the linkages none of whose bodies is hindered, h seconds later.

    Args:
        joints: between the bodies.
        inertia: of m bodies.
        motion: of all of them now.
        coordinates: of the joints (n, 6), with whole turns counted.
        gravity: acceleration (3,), lengths over s^2.
        damping: of the bodies' velocities.
        hindered: bodies (m,) that may touch something, or whose motion is given.
        h: the time, s.
    """
    moves = np.zeros(len(motion), bool)
    found = motion
    for bodies, rows in _linkages(joints, len(motion)):
        if hindered[bodies].any():
            continue
        moves[bodies] = True
        own = _renumbered(joints.take(rows), bodies, len(motion))
        solver = ConstrainedMotion(
            inertia.take(bodies),
            own,
            motion.take(bodies),
            gravity,
            accuracy=_ACCURACY,
            near=coordinates[rows],
            damping=damping.take(bodies),
        )
        end = solver.step(h) if solver.sub_steps(h) <= _MOST_STEPS else None
        if end is None or solver.blocked:
            moves[bodies] = False
            continue
        found = found.copy() if found is motion else found
        found.put(bodies, end)
    return FreeLinkages(moves, found)


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
