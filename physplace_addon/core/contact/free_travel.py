"""How far one body of a contact system may move before it meets anything, everything else standing still.

All look at the tessellations, grown by their bounds, and so never say too much.  Pairs that never meet are
not in each other's way.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..collision import clearance, free_travel
from ..rigid import Pose
from .contact_system import ContactSystem
from .points.interface_points import FIXED, Pair

_ROUNDING = 1e-12  # of the coordinates of boxes


def free_distance(system: ContactSystem, body: int, direction: Floats, near: float) -> float:
    """Return how far (a length) a body may be shifted along a unit direction (3,) before it comes within
    `near`, a length, of anything; np.inf if it never does.
    """
    return _Travelling(system, direction).way(body, near)


def free_falls(
    system: ContactSystem,
    free: Bools,
    direction: Floats,
    near: Floats,
    least: Floats,
    together: Ints | None = None,
) -> Floats:
    """Return how far (m,), lengths, bodies fall one after another, the lowest first.

    Args:
        system: the bodies.
        free: which bodies (m,) fall; the others stand still.
        direction: unit (3,), in which they fall.
        near: how near (m,) each comes to what it meets first.
        least: the lengths (m,) up to which a fall is none.
        together: numbers (m,) of what falls as one; None where each body falls by itself.

    Returns:
        0 where a body does not fall; inf for one that meets nothing, after which no other falls.
    """
    far, travelling = np.zeros(len(system)), _Travelling(system, direction)
    group, looked_at = np.arange(len(system)) if together is None else together, set[int]()
    for body in np.argsort(-system.centres @ direction, kind="stable").tolist():
        if not free[body] or int(group[body]) in looked_at:
            continue
        looked_at.add(int(group[body]))
        bodies: Ints = np.flatnonzero(group == group[body])
        way = min(travelling.way(each, float(near[each]), bodies) for each in bodies.tolist())
        if way > least[bodies].max():
            far[bodies] = way
            if not np.isfinite(way):
                break
            for each in bodies.tolist():
                travelling.shift(each, way)
    return far


class _Travelling:
    """Bodies of a system that go along one unit direction (3,), one at a time."""

    def __init__(self, system: ContactSystem, direction: Floats) -> None:
        self._system, self._direction = system, direction
        self._poses = list(system.poses)
        self._lower, self._upper = (corners.copy() for corners in system.boxes)

    def shift(self, body: int, way: float) -> None:
        """Let a body go a way, a length."""
        step, pose = way * self._direction, self._poses[body]
        self._poses[body] = Pose(pose.rotation, pose.translation + step)
        self._lower[body] += step
        self._upper[body] += step

    def way(self, body: int, near: float, with_it: Ints | None = None) -> float:
        """Return how far a body may go, as `free_distance`.

        The others are looked at in the order in which the boxes around them are met, and only until one is
        met before the next box.  Those that go with it are not met.
        """
        best, enters = np.inf, self._enters(body, near)
        if with_it is not None:
            enters[with_it] = np.inf
        passed = [other for other in range(len(enters)) if not _may_meet(self._system, body, other)]
        enters[passed] = np.inf
        for other in np.argsort(enters, kind="stable").tolist():
            if enters[other] >= best:
                break
            best = self._way_to(body, other, near, best)
        return self._way_to(body, FIXED, near, best) if _may_meet(self._system, body, FIXED) else best

    def _enters(self, body: int, near: float) -> Floats:
        """Return when (m,), lengths of way, a body's box comes within `near` of the boxes around others, inf
        if never.
        """
        away = near + _ROUNDING * np.maximum(np.abs(self._lower), np.abs(self._upper)).max(axis=0)
        nearest = self._lower - self._upper[body] - away
        farthest = self._upper - self._lower[body] + away
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([nearest, farthest]) / self._direction
        beside = (nearest > 0.0) | (farthest < 0.0)  # for ever, on an axis along which nothing moves
        ends = np.where(self._direction == 0.0, np.where(beside, np.inf, [[[-np.inf]], [[np.inf]]]), ends)
        enter, leave = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        never = (enter > leave) | (leave < 0.0) | np.isposinf(enter)
        enters = np.where(never, np.inf, np.maximum(enter, 0.0))
        enters[body] = np.inf
        return enters

    def _way_to(self, body: int, other: int, near: float, most: float) -> float:
        """Return how far a body may go until it meets another one or the fixed ones, at most `most`."""
        tree, pose = self._system.bodies[body].tree, self._poses[body]
        if other == FIXED:
            assert self._system.fixed is not None
            return free_travel(tree, pose, self._system.fixed.tree, self._direction, near, most=most)
        to_other = self._poses[other].inverse()
        second, along = self._system.bodies[other].tree, to_other.vectors(self._direction)
        return free_travel(tree, to_other.compose(pose), second, along, near, most=most)


def least_distance(system: ContactSystem, body: int, most: float = np.inf) -> float:
    """Return a lower bound of a body's distance, a length, from everything else, but no more than `most`."""
    pairs = [system.body_pair(pair) for pair in _pairs_of(system, body)]
    return min(
        (clearance(pair.active.tree, pair.pose, pair.world.tree, most=most) for pair in pairs), default=most
    )


def _pairs_of(system: ContactSystem, body: int) -> list[Pair]:
    return [(body, other) for other in (FIXED, *range(len(system))) if _may_meet(system, body, other)]


def _may_meet(system: ContactSystem, body: int, other: int) -> bool:
    """Return whether a body may meet another one, or the fixed ones."""
    if other == body or (other == FIXED and system.fixed is None):
        return False
    pair = (body, other) if other == FIXED else (min(body, other), max(body, other))
    return pair not in system.never_meeting
