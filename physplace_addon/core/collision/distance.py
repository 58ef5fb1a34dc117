"""The distance of two bodies, and how far one may travel before it meets the other.

Both are the least value over all triangle pairs, found by a best-first search over pairs of nodes, many pairs
a round (`least_value`).  A node pair's value is a lower bound of the values of its triangle pairs.  The pairs
with the least values are replaced by their children first, so that a leaf gives a small upper bound early.
Once there is one, many are replaced at a time, because a round has a fixed cost.  Pairs that cannot be below
it by more than the accepted error are dropped.  Boxes and triangles are grown by their bounds, so both
results err only towards zero.

Travel along a unit direction d.  For boxes it is the time of entry of the slabs.  For two triangles the
distance D(tau) of one, shifted by tau d, to the other is convex in tau, because the difference of two
convex sets is convex.  Newton's method on D(tau) = b, b the sum of the bounds, started at tau = 0 with
D'(tau) = -d . n (n from triangle 1 to triangle 2 between the closest points), approaches the first
root from below and never passes it.  Of triangles that touch to rounding n is not known, so they count as
brought closer.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints
from ..rigid import Pose
from ..vectors import coordinate_cross, coordinate_dot, coordinate_length
from .node_pairs import Motion, corners_of, first_pairs, leaf_triangles, opened
from .tree import BoxTree
from .triangle_pairs import triangle_gap

__all__ = ["Objective", "clearance", "free_travel", "least_value"]

FEW, MANY = 128, 4096
"""Node pairs replaced by their children in a round, before and after the first upper bound."""

CHUNKS = (16, 64, 256, 1024)
"""Triangle pairs evaluated exactly at once, those with the least bounds first."""

_MOST_ROUNDS = 40
"""Newton steps of a travel; what is found then is still a lower bound."""


class Objective(Protocol):
    """A value of triangle pairs, never negative, that is minimized over all of them."""

    def nodes(self, node1: Ints, node2: Ints) -> Floats:
        """Return lower bounds (k,) of the values of all triangle pairs below node pairs (k,)."""

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Floats:
        """Return lower bounds (k,) of the values of triangle pairs, at less cost than `exact`."""

    def exact(self, triangle1: Ints, triangle2: Ints, best: float) -> Floats:
        """Return the values (k,) of triangle pairs; any that is not below `best` may be inexact."""


def least_value(
    tree1: BoxTree, tree2: BoxTree, objective: Objective, accuracy: float, most: float = np.inf
) -> float:
    """Return the least value over all triangle pairs, or a lower one by at most the fraction `accuracy` of
    it.

    It is np.inf if every pair's value is.

    Args:
        tree1, tree2: the trees of the two bodies.
        objective: the value and its lower bounds, in any one unit.
        accuracy: relative error that is accepted to finish early.
        most: greater values count as this one; the smaller it is, the faster.
    """
    node1, node2 = first_pairs(tree1, tree2)
    value = objective.nodes(node1, node2)
    best, dropped = most, np.inf
    while True:
        hopeless = value >= best * (1.0 - accuracy) if np.isfinite(best) else ~np.isfinite(value)
        dropped = min(dropped, float(value[hopeless].min(initial=np.inf)))
        kept = np.flatnonzero(~hopeless)
        if not kept.size:
            return min(best, dropped)
        node1, node2, value = node1[kept], node2[kept], value[kept]
        now, later = _nearest(value, MANY if np.isfinite(best) else FEW)
        below1, below2, _, is_leaf = opened(tree1, tree2, node1[now], node2[now])
        leaf = now[is_leaf]
        if leaf.size:
            pairs = leaf_triangles(tree1, tree2, node1[leaf], node2[leaf])[:2]
            best, given_up = _least_of_triangles(objective, *pairs, best, accuracy)
            dropped = min(dropped, given_up)
        node1, node2 = np.concatenate([node1[later], below1]), np.concatenate([node2[later], below2])
        value = np.concatenate([value[later], objective.nodes(below1, below2)])


def _nearest(value: Floats, batch: int) -> tuple[Ints, Ints]:
    """Return the places of the `batch` least values, and the other places."""
    if value.size <= batch:
        return np.arange(value.size), np.empty(0, dtype=np.intp)
    order = np.argpartition(value, batch)
    return order[:batch], order[batch:]


def _least_of_triangles(
    objective: Objective, triangle1: Ints, triangle2: Ints, best: float, accuracy: float
) -> tuple[float, float]:
    """Return the least value of the pairs and `best`, and the least bound of the pairs not evaluated."""
    value = objective.triangles(triangle1, triangle2)
    order = np.argsort(value, kind="stable")
    order = order[: int(np.isfinite(value).sum())]
    begin = turn = 0
    while begin < order.size:
        hopeful = value[order[begin:]] < best * (1.0 - accuracy)
        chunk = order[begin : begin + min(int(hopeful.sum()), CHUNKS[min(turn, len(CHUNKS) - 1)])]
        if not chunk.size:
            return best, float(value[order[begin]])
        best = min(best, float(objective.exact(triangle1[chunk], triangle2[chunk], best).min()))
        begin, turn = begin + chunk.size, turn + 1
    return best, np.inf


ACCURACY, TRAVEL_ACCURACY = 0.02, 1e-9
"""Relative error of a distance, and of a travel, that is accepted to finish early."""


def clearance(
    tree1: BoxTree, pose1: Pose, tree2: BoxTree, accuracy: float = ACCURACY, most: float = np.inf
) -> float:
    """Return a lower bound, a length, of the distance of the true surfaces; zero if they may touch.

    Args:
        tree1, pose1, tree2: body 1 at a pose in the frame of body 2.
        accuracy: largest relative error, below the least distance of two triangles grown by their bounds.
        most: greater distances count as this one; the smaller it is, the faster.
    """
    return least_value(tree1, tree2, _Distance(tree1, Motion(pose1), tree2), accuracy, most)


def free_travel(
    tree1: BoxTree,
    pose1: Pose,
    tree2: BoxTree,
    direction: Floats,
    reach: float = 0.0,
    accuracy: float = TRAVEL_ACCURACY,
    most: float = np.inf,
) -> float:
    """Return how far body 1 may be shifted along a unit direction (3,) before it comes within a reach, a
    length.

    It is np.inf if body 1 never does.  Triangles already within reach count only if the shift brings them
    closer, or if they touch: the travel is then 0.  It is never more than the true travel, and less by at
    most the fraction `accuracy`.  Greater travels count as `most`; the smaller it is, the faster.
    """
    motion = Motion(pose1)
    return least_value(tree1, tree2, _Travel(tree1, motion, tree2, direction, reach), accuracy, most)


class _Distance:
    def __init__(self, tree1: BoxTree, motion: Motion, tree2: BoxTree) -> None:
        self.tree1, self.motion, self.tree2 = tree1, motion, tree2
        self.rounding = motion.rounding(tree1, tree2)

    def nodes(self, node1: Ints, node2: Ints) -> Floats:
        center, half = self.motion.boxes(np.take(self.tree1.boxes, node1, axis=1))
        boxes2 = np.take(self.tree2.boxes, node2, axis=1)
        return self._apart(center - boxes2[:3], half + boxes2[3:])

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Floats:
        a, b = self._corners(triangle1, triangle2)
        grown = self._grown(triangle1, triangle2)
        bound = self._apart(*_triangle_boxes(a, b, grown))
        for direction in _likely_directions(a, b):
            bound = np.maximum(bound, self._along(direction, a, b, grown))
        return bound

    def exact(self, triangle1: Ints, triangle2: Ints, best: float) -> Floats:
        distance, _, _ = triangle_gap(*self._corners(triangle1, triangle2))
        result: Floats = np.maximum(distance - self._grown(triangle1, triangle2) - self.rounding, 0.0)
        return result

    def _apart(self, between: Floats, half: Floats) -> Floats:
        gap = np.maximum(np.abs(between) - half - self.rounding, 0.0)
        result: Floats = np.sqrt(coordinate_dot(gap, gap))
        return result

    def _along(self, normal: Floats, a: Floats, b: Floats, grown: Floats) -> Floats:
        """Return the lower bound (k,) that the gap along unit normals (3, k) gives."""
        before, after = _gaps(normal, a, b)
        result: Floats = np.maximum(before, after) - grown - self.rounding
        return result

    def _corners(self, triangle1: Ints, triangle2: Ints) -> tuple[Floats, Floats]:
        moved = self.motion.corners(corners_of(self.tree1, triangle1))
        return moved, corners_of(self.tree2, triangle2)

    def _grown(self, triangle1: Ints, triangle2: Ints) -> Floats:
        result: Floats = self.tree1.bound[triangle1] + self.tree2.bound[triangle2]
        return result


class _Travel(_Distance):
    def __init__(
        self, tree1: BoxTree, motion: Motion, tree2: BoxTree, direction: Floats, reach: float
    ) -> None:
        super().__init__(tree1, motion, tree2)
        self.direction = np.asarray(direction, dtype=np.float64)[:, None]
        self.reach = reach

    def _apart(self, between: Floats, half: Floats) -> Floats:
        """Return the shifts (k,) at which boxes come within reach of each other, np.inf if never."""
        wide = half + (self.reach + self.rounding)
        moving = self.direction[:, 0] != 0.0
        to_go, width, speed = -between[moving], wide[moving], self.direction[moving]
        ends = np.stack([(to_go - width) / speed, (to_go + width) / speed])
        enter, leave = ends.min(axis=0).max(axis=0), ends.max(axis=0).min(axis=0)
        beside = (np.abs(between[~moving]) > wide[~moving]).any(axis=0)
        never = beside | (enter > leave) | (leave < 0.0)
        return np.where(never, np.inf, np.maximum(enter, 0.0))

    def _along(self, normal: Floats, a: Floats, b: Floats, grown: Floats) -> Floats:
        """Return when gaps of width w along n close: after w / (d . n), and never if d . n is not
        positive.
        """
        before, after = _gaps(normal, a, b)
        speed = coordinate_dot(self.direction, normal)
        width, speed = np.where(before > after, before, after), np.where(before > after, speed, -speed)
        width = width - grown - self.reach - self.rounding
        shift = np.divide(width, speed, out=np.full_like(width, np.inf), where=speed > 0.0)
        return np.where(width > 0.0, shift, 0.0)

    def exact(self, triangle1: Ints, triangle2: Ints, best: float) -> Floats:
        """Return the travel (k,) by Newton's method from below, see the module's head."""
        moved, fixed = self._corners(triangle1, triangle2)
        keep_off = self._grown(triangle1, triangle2) + self.reach + self.rounding
        shift = np.zeros(triangle1.size)
        active = np.arange(triangle1.size)
        for _ in range(_MOST_ROUNDS):
            here = moved[..., active] + shift[active] * self.direction
            distance, point1, point2 = triangle_gap(here, fixed[..., active])
            left = distance - keep_off[active]
            closing = coordinate_dot(self.direction, point2 - point1) / np.where(
                distance > 0.0, distance, 1.0
            )
            parting = (closing <= 0.0) & (distance > self.rounding)
            shift[active[parting]] = np.inf
            going = ~parting & (left > self.rounding)
            active, left, closing = active[going], left[going], closing[going]
            shift[active] += left / closing
            active = active[shift[active] < best]
            if not active.size:
                break
        return shift


def _triangle_boxes(moved: Floats, fixed: Floats, grown: Floats) -> tuple[Floats, Floats]:
    """Return, for the boxes of triangle pairs, centre to centre and the sum of the grown half extents (3,
    k).
    """
    lower1, upper1 = moved.min(axis=0), moved.max(axis=0)
    lower2, upper2 = fixed.min(axis=0), fixed.max(axis=0)
    between = 0.5 * (lower1 + upper1 - lower2 - upper2)
    return between, 0.5 * (upper1 - lower1 + upper2 - lower2) + grown


def _likely_directions(a: Floats, b: Floats) -> list[Floats]:
    """Return unit directions (3, k) that often separate: both normals, and centroid to centroid."""
    directions = [coordinate_cross(t[1] - t[0], t[2] - t[0]) for t in (a, b)] + [
        b.sum(axis=0) - a.sum(axis=0)
    ]
    lengths = [coordinate_length(direction) for direction in directions]
    return [d / np.where(size > 0.0, size, 1.0) for d, size in zip(directions, lengths, strict=True)]


def _gaps(normal: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the width (k,) of the gap along a normal if b comes after a, and if it comes before."""
    height1, height2 = (coordinate_dot(normal[:, None], t.transpose(1, 0, 2)) for t in (a, b))
    after = height2.min(axis=0) - height1.max(axis=0)
    before = height1.min(axis=0) - height2.max(axis=0)
    return after, before
