"""The distance of two bodies, and how far one may travel before it meets the other.

Both are the least value over all triangle pairs, found by a best-first search over pairs of nodes, many pairs
a round, and those of many pairs of bodies in one (`least_values`).  A node pair's value is a lower bound of
the values of its triangle pairs.  The pairs with the least values are replaced by their children first, so
that a leaf gives a small upper bound early.  Once there was one, many are replaced at a time, because a round
has a fixed cost.  Pairs that cannot be below it by more than the accepted error are dropped.  Boxes and
triangles are grown by their bounds, so both results err only towards zero.

Travel along a unit direction d.  For boxes it is the time of entry of the slabs.  For two triangles the
distance D(tau) of one, shifted by tau d, to the other is convex in tau, because the difference of two
convex sets is convex.  Newton's method on D(tau) = b, b the sum of the bounds, started at tau = 0 with
D'(tau) = -d . n (n from triangle 1 to triangle 2 between the closest points), approaches the first
root from below and never passes it.  Of triangles that touch to rounding n is not known, so they count as
brought closer.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Floats, Ints
from ..rigid import Pose, Poses
from ..vectors import coordinate_cross, coordinate_dot, coordinate_length
from .node_pairs import Motion, Motions, corners_of, first_pairs, leaf_triangles, opened
from .tree import BoxTree
from .triangle_pairs import triangle_gap

__all__ = ["Objective", "clearance", "clearances", "free_travel", "least_values"]

FEW, MANY = 128, 4096
"""Node pairs of a pair of bodies replaced by their children in a round, before and after its first leaf."""

CHUNKS = (16, 64, 256, 1024)
"""Triangle pairs evaluated exactly at once, those with the least bounds first."""

_MOST_ROUNDS = 40
"""Newton steps of a travel; what is found then is still a lower bound."""


class Objective(Protocol):
    """A value of triangle pairs, never negative, that is minimized over all of those of a pair of bodies."""

    def nodes(self, node1: Ints, node2: Ints, pair: Ints) -> Floats:
        """Return lower bounds (k,) of the values of all triangle pairs below node pairs (k,)."""

    def triangles(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Floats:
        """Return lower bounds (k,) of the values of triangle pairs, at less cost than `exact`."""

    def exact(self, triangle1: Ints, triangle2: Ints, pair: Ints, best: Floats) -> Floats:
        """Return the values (k,) of triangle pairs; any that is not below its `best` (k,) may be inexact."""


class _NodePairs(NamedTuple):
    """Pairs of nodes of two trees, the numbers of the pairs of bodies that they are of, and their values."""

    first: Ints
    second: Ints
    pair: Ints
    value: Floats

    def take(self, rows: Ints) -> _NodePairs:
        return _NodePairs(self.first[rows], self.second[rows], self.pair[rows], self.value[rows])


def least_values(
    trees: tuple[BoxTree, BoxTree],
    start: tuple[Ints, Ints, Ints],
    objective: Objective,
    accuracy: float,
    most: Floats,
) -> Floats:
    """Return for each of p pairs of bodies the least value over all triangle pairs, or a lower one by at most
    the fraction `accuracy` of it.

    It is np.inf if every triangle pair's value is.

    Args:
        trees: that of the first bodies and that of the second ones.
        start: pairs of nodes of both (k,) below which the bodies are, and the number of the pair of bodies.
        objective: the value and its lower bounds, in any one unit.
        accuracy: relative error that is accepted to finish early.
        most: greater values (p,) count as these; the smaller they are, the faster.
    """
    best, dropped = most.copy(), np.full(most.shape, np.inf)
    nodes, reached = _NodePairs(*start, objective.nodes(*start)), np.zeros(most.size, bool)
    while True:
        hopeless = nodes.value >= (best * (1.0 - accuracy))[nodes.pair]
        np.minimum.at(dropped, nodes.pair[hopeless], nodes.value[hopeless])
        kept = np.flatnonzero(~hopeless)
        if not kept.size:
            least: Floats = np.minimum(best, dropped)
            return least
        nodes = nodes.take(kept)
        now, later = _nearest(nodes, np.where(reached, MANY, FEW))
        opening, waiting = nodes.take(now), nodes.take(later)
        below1, below2, row, is_leaf = opened(*trees, opening.first, opening.second)
        leaf = np.flatnonzero(is_leaf)
        if leaf.size:
            triangle1, triangle2, owner = leaf_triangles(*trees, opening.first[leaf], opening.second[leaf])
            reached[opening.pair[leaf]] = True
            pair = opening.pair[leaf][owner]
            best, given_up = _least_of_triangles(objective, triangle1, triangle2, pair, best, accuracy)
            dropped = np.minimum(dropped, given_up)
        below = below1, below2, opening.pair[row]
        both = zip(waiting, (*below, objective.nodes(*below)), strict=True)
        nodes = _NodePairs(*(np.concatenate(each) for each in both))


def _nearest(nodes: _NodePairs, batch: Ints) -> tuple[Ints, Ints]:
    """Return the places of those of least values of each pair of bodies, and the other places.

    batch (p,): how many of each pair of bodies there are at most.
    """
    every = np.arange(nodes.value.size)
    if (np.bincount(nodes.pair, minlength=batch.size) <= batch).all():
        return every, every[:0]
    if batch.size == 1:
        order = np.argpartition(nodes.value, batch[0])
        return order[: batch[0]], order[batch[0] :]
    order = _in_order(nodes.value, nodes.pair, batch.size)
    near = _ranks(nodes.pair[order], batch.size) < batch[nodes.pair[order]]
    return order[near], order[~near]


def _in_order(value: Floats, pair: Ints, count: int) -> Ints:
    """Return an order (k,) by the numbers of p pairs, and for each by values."""
    order = np.argsort(value, kind="stable")
    return order if count == 1 else order[np.argsort(pair[order], kind="stable")]


def _ranks(pair: Ints, count: int) -> Ints:
    """Return the places (k,) of rows among those of the same one of p pairs (k,), which are in order."""
    counts = np.bincount(pair, minlength=count)
    ranks: Ints = np.arange(pair.size) - (np.cumsum(counts) - counts)[pair]
    return ranks


def _least_of_triangles(
    objective: Objective, triangle1: Ints, triangle2: Ints, pair: Ints, best: Floats, accuracy: float
) -> tuple[Floats, Floats]:
    """Return the least values (p,) of triangle pairs (k,) and `best`, and the least bounds (p,) of those not
    evaluated.

    pair (k,): the numbers of their pairs of bodies.
    """
    value = objective.triangles(triangle1, triangle2, pair)
    best, given_up = best.copy(), np.full(best.shape, np.inf)
    left, turn = np.arange(value.size), 0
    while True:
        own, its = pair[left], value[left]
        hopeful = its < (best * (1.0 - accuracy))[own]
        np.minimum.at(given_up, own[~hopeful], its[~hopeful])
        left = left[hopeful]
        if not left.size:
            return best, given_up
        if turn == 0:
            left = left[_in_order(value[left], pair[left], best.size)]
        now = _ranks(pair[left], best.size) < CHUNKS[min(turn, len(CHUNKS) - 1)]
        chunk = left[now]
        found = objective.exact(triangle1[chunk], triangle2[chunk], pair[chunk], best[pair[chunk]])
        np.minimum.at(best, pair[chunk], found)
        left, turn = left[~now], turn + 1


def _of_whole_trees(tree1: BoxTree, tree2: BoxTree) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of nodes at which the search of one pair of bodies starts."""
    node1, node2 = first_pairs(tree1, tree2)
    return node1, node2, np.zeros(node1.size, np.intp)


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
    objective, start = _Distance(tree1, Motion(pose1), tree2), _of_whole_trees(tree1, tree2)
    return float(least_values((tree1, tree2), start, objective, accuracy, np.array([most]))[0])


def clearances(
    tree1: BoxTree,
    tree2: BoxTree,
    roots: tuple[Ints, Ints],
    poses: Poses,
    most: Floats,
    accuracy: float = ACCURACY,
) -> Floats:
    """Return what `clearance` does, of p pairs of bodies in one search.

    Args:
        tree1, tree2: trees in which the first and the second bodies are joined.
        roots: the nodes (p,) of both below which the bodies are.
        poses: of the first bodies in the frames of the second ones.
        most: greater distances (p,) count as these.
        accuracy: as in `clearance`.
    """
    objective = _Distance(tree1, Motions.of(poses), tree2)
    return least_values((tree1, tree2), (*roots, np.arange(most.size)), objective, accuracy, most)


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
    objective = _Travel(tree1, Motion(pose1), tree2, direction, reach)
    start = _of_whole_trees(tree1, tree2)
    return float(least_values((tree1, tree2), start, objective, accuracy, np.array([most]))[0])


class _Distance:
    def __init__(self, tree1: BoxTree, motion: Motion | Motions, tree2: BoxTree) -> None:
        self.tree1, self.motion, self.tree2 = tree1, motion, tree2
        self.rounding = motion.rounding(tree1, tree2)

    def nodes(self, node1: Ints, node2: Ints, pair: Ints) -> Floats:
        center, half = self.motion.take(pair).boxes(np.take(self.tree1.boxes, node1, axis=1))
        boxes2 = np.take(self.tree2.boxes, node2, axis=1)
        return self._apart(center - boxes2[:3], half + boxes2[3:])

    def triangles(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Floats:
        a, b = self._corners(triangle1, triangle2, pair)
        grown = self._grown(triangle1, triangle2)
        bound = self._apart(*_triangle_boxes(a, b, grown))
        for direction in _likely_directions(a, b):
            bound = np.maximum(bound, self._along(direction, a, b, grown))
        return bound

    def exact(self, triangle1: Ints, triangle2: Ints, pair: Ints, best: Floats) -> Floats:
        distance, _, _ = triangle_gap(*self._corners(triangle1, triangle2, pair))
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

    def _corners(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> tuple[Floats, Floats]:
        moved = self.motion.take(pair).corners(corners_of(self.tree1, triangle1))
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

    def exact(self, triangle1: Ints, triangle2: Ints, pair: Ints, best: Floats) -> Floats:
        """Return the travel (k,) by Newton's method from below, see the module's head."""
        moved, fixed = self._corners(triangle1, triangle2, pair)
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
            active = active[shift[active] < best[active]]
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
