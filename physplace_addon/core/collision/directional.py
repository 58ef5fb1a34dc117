"""Pairs of triangles whose features may touch: near each other, in a direction that both normal cones allow.

A vertex touches a face only along the face's normal.  An edge or a vertex touches only along directions of
its normal cone, which on a finely divided smooth shape is narrow.  So the offset d between two features that
are within reach has |d_i| <= reach s_i, with s_i the largest component of those directions on axis i.  The
boxes of triangles are grown by that instead of by the reach: on a level floor, pairs side by side are not
searched.

Each feature (vertex, edge) is owned by one triangle.  A pair is kept for one of two reasons: what triangle 1
owns may touch triangle 2, or what that owns, along directions known on side 2; or a vertex of triangle 2 may
touch triangle 1 along the normal of triangle 1.  A triangle that owns nothing can only be touched by
vertices, so only their boxes count: on a level floor of large triangles most near triangles have no vertex
over each other.

Boxes are also tested against the planes of all triangles below a node at once (`Planes`).  Below a node whose
box has centre C, all unit normals n lie in a box: n = m + e with |e| <= h on each axis.  All triangles, grown
by their bounds, have n . (x - C) between `low` and `high`, each along its own normal.  For a point p with
d = p - C,

    n . d  >=  m . d - h . |d|

for every triangle.  So if m . d - h . |d| > high + reach for every p of a box, that box is beyond all the
planes by more than the reach.  On a flat part h = 0 and the test is as sharp as that of one plane; over a
coarse node of a curved surface h is large and the test rejects nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose, Poses
from ..vectors import coordinate_dot
from .node_pairs import Motion, Motions, corners_of, first_pairs, traversed
from .slabs import AlongFlat
from .tree import BoxTree, highest_below, triangle_boxes

__all__ = ["Part", "Planes", "TriangleDirections", "directional_pairs", "directional_pairs_of_parts"]


@dataclass(frozen=True, eq=False)
class TriangleDirections:
    """The directions in which the t triangles of a tree can be touched, and which features they own.

    spread (3, t): s, over a triangle's normal if it is a flat face, and over the cones of all that it owns.
    owns (t,): whether it owns a vertex or an edge. vertices (t, 2, 3): lower and upper corner of the box
    around its vertices, lower above upper if it has none.
    """

    tree: BoxTree
    spread: Floats
    owns: Bools
    vertices: Floats

    @cached_property
    def owns_vertex(self) -> Bools:
        """Whether each triangle (t,) owns a vertex."""
        owns: Bools = self.vertices[:, 0, 0] <= self.vertices[:, 1, 0]
        return owns

    @cached_property
    def below(self) -> Floats:
        """The largest spread (3), owns and owns_vertex below each of n nodes (5, n)."""
        return highest_below(
            self.tree, np.concatenate([self.spread, self.owns[None], self.owns_vertex[None]])
        )

    @cached_property
    def vertices_below(self) -> Floats:
        """The boxes (6, n) around the vertices below each node: centre, then half extent."""
        ends = np.concatenate([-self.vertices[:, 0], self.vertices[:, 1]], axis=1).T
        ends = highest_below(self.tree, np.ascontiguousarray(ends))
        return np.concatenate([0.5 * (ends[3:] - ends[:3]), 0.5 * (ends[3:] + ends[:3])])

    @cached_property
    def vertices_of_triangles(self) -> Floats:
        """The boxes (6, t) around the vertices of each triangle: centre, then half extent."""
        lower, upper = self.vertices[:, 0].T, self.vertices[:, 1].T
        return np.concatenate([0.5 * (lower + upper), 0.5 * (upper - lower)])


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the triangles of a tree: which (t,), and the boxes (6, n) around all others below each node,
    centre, then half extent, minus infinity where there are no others.
    """

    triangles: Bools
    others: Floats

    @classmethod
    def of(cls, tree: BoxTree, triangles: Bools) -> Part:
        """Return the part of a tree that marked triangles (t,) are."""
        lower, upper = triangle_boxes(tree.triangles, tree.bound)
        ends = np.concatenate([-lower, upper], axis=1).T
        ends = highest_below(tree, np.where(triangles, -np.inf, ends))
        none = np.isneginf(ends[0])
        ends = np.where(none, 0.0, ends)
        half = np.where(none, -np.inf, 0.5 * (ends[3:] + ends[:3]))
        return cls(triangles, np.concatenate([0.5 * (ends[3:] - ends[:3]), half]))


class Planes(NamedTuple):
    """The planes below k nodes: m, h (3, k), unitless; low and high (k,), lengths; in the tree's frame."""

    middle: Floats
    spread: Floats
    low: Floats
    high: Floats

    @classmethod
    def below(cls, tree: BoxTree, node: Ints) -> Planes:
        """Return the planes below nodes (k,) of a tree."""
        rows = np.take(tree.planes_below, node, axis=1)
        return cls(rows[:3], rows[3:6], rows[6], rows[7])

    def heights(
        self, motion: Motion | Motions, half: Floats, offset: Floats, around: Floats
    ) -> tuple[Floats, Floats]:
        """Return the least and the greatest n . (p - C) that points p of placed boxes may have (k,), lengths.

        Args:
            motion: from the boxes' frame to the tree's.
            half: half extents (3, k) of the boxes in their own frame.
            offset: centres of the placed boxes less C (3, k).
            around: half extents (3, k) of the boxes around the placed ones, axes of the tree's frame.
        """
        height = coordinate_dot(self.middle, offset)
        extent = coordinate_dot(np.abs(motion.turned_back(self.middle)), half) + coordinate_dot(
            self.spread, np.abs(offset) + around
        )
        return height - extent, height + extent

    def are_passed(self, heights: list[tuple[Floats, Floats]], reach: float | Floats) -> Bools:
        """Return whether paths (k,) between such heights stay beyond all planes, on one side, by over a
        reach.
        """
        lowest = np.minimum.reduce([low for low, _ in heights])
        highest = np.maximum.reduce([high for _, high in heights])
        passed: Bools = (lowest > self.high + reach) | (highest < self.low - reach)
        return passed


def directional_pairs(
    first: TriangleDirections,
    pose1: Pose,
    second: TriangleDirections,
    reach: float,
    slack: float,
    behind: float = 0.0,
    without: Part | None = None,
) -> Ints:
    """Return triangle pairs (k, 2): all that have, or are, features that can touch within a reach, and
    others.

    Args:
        first, second: the triangles of both bodies with bounds of their normals.
        pose1: from the frame of the first to that of the second.
        reach: a length.
        slack: a length by which features may be off their directions.
        behind: how much farther than the reach a vertex may be from a face if its triangle is within reach.
        without: triangles of the second body that are left out.
    """
    query = _Facing(first, Motion(pose1), second, reach, slack, behind, without)
    node1, node2 = first_pairs(first.tree, second.tree)
    pair = np.zeros(node1.size, dtype=np.intp)
    return traversed(first.tree, second.tree, query, node1, node2, pair)[:, 1:]


def directional_pairs_of_parts(
    first: TriangleDirections,
    second: TriangleDirections,
    roots: tuple[Ints, Ints],
    poses: Poses,
    reach: Floats,
    slack: Floats,
    behind: Floats,
) -> Ints:
    """Return what `directional_pairs` returns of many pairs of bodies at once: (k, 3), the pair's number
    first.

    Args:
        first, second: the triangles of all first and of all second bodies, in one tree each, or the same one.
        roots: the nodes below which are the first and the second bodies of p pairs, (p,) each.
        poses: p poses, from the frame of the first to that of the second.
        reach, slack, behind: as in `directional_pairs`, of each pair (p,).
    """
    query = _Facing(first, Motions.of(poses), second, reach, slack, behind, None)
    return traversed(first.tree, second.tree, query, *roots, np.arange(len(reach)))


class _Facing:
    """Which nodes and triangles have features that can touch; lengths are of each pair of bodies (p,), or the
    same for all.
    """

    def __init__(
        self,
        first: TriangleDirections,
        motion: Motion | Motions,
        second: TriangleDirections,
        reach: float | Floats,
        slack: float | Floats,
        behind: float | Floats,
        without: Part | None,
    ) -> None:
        self.without = without
        self.first, self.second, self.motion, self.reach = first, second, motion, reach
        self.from_face = reach + behind
        self.slack = slack + motion.rounding(first.tree, second.tree)
        self.flat: AlongFlat | None = None
        if isinstance(motion, Motion):
            farthest = float(np.max(self.from_face + self.slack))
            self.flat = AlongFlat(first.tree, [motion], second.tree, farthest)

    def nodes(self, node1: Ints, node2: Ints, pair: Ints) -> Bools:
        tree1, tree2 = self.first.tree, self.second.tree
        every2 = tree2.boxes if self.without is None else self.without.others
        boxes1, boxes2 = np.take(tree1.boxes, node1, axis=1), np.take(every2, node2, axis=1)
        motion = self.motion.take(pair)
        center, half = motion.boxes(boxes1)
        between = center - boxes2[:3]
        apart = np.abs(between) - half - boxes2[3:]
        below1, below2 = self.first.below, self.second.below
        spread = np.take(below2[:3], node2, axis=1)
        kept = self._within(apart, spread, self.reach, pair)
        kept &= below1[3, node1] > 0.0
        faces = np.flatnonzero(kept & (below2[3, node2] == 0.0))
        vertices = np.take(self.first.vertices_below, node1[faces], axis=1)
        kept[faces] = self._over(vertices, boxes2[:, faces], spread[:, faces], pair[faces])
        others = np.flatnonzero((below2[4, node2] > 0.0) & ~kept)
        if others.size:
            planes1 = Planes.below(tree1, node1[others])
            turned = motion.take(others)
            normals = np.abs(turned.turned(planes1.middle)) + turned.extents(planes1.spread)
            kept[others] = self._within(apart[:, others], normals, self.reach, pair[others])
        if self.flat is not None and self.flat.pays:
            kept &= ~self.flat.nodes(node1, node2)
        left = np.flatnonzero(kept)
        planes, offset = Planes.below(tree2, node2[left]), center[:, left] - tree2.boxes[:3, node2[left]]
        heights = planes.heights(motion.take(left), boxes1[3:, left], offset, half[:, left])
        kept[left] = ~planes.are_passed([heights], _of_pairs(self.reach + self.slack, pair[left]))
        return kept

    def triangles(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Bools:
        owns = self.second.owns[triangle2]
        kept, some = np.zeros(triangle1.size, dtype=bool), np.flatnonzero(owns)
        kept[some] = self._owned(triangle1[some], triangle2[some], pair[some])
        faces = np.flatnonzero(~owns & self.first.owns_vertex[triangle1])
        vertices = np.take(self.first.vertices_of_triangles, triangle1[faces], axis=1)
        fixed = corners_of(self.second.tree, triangle2[faces])
        lower, upper = fixed.min(axis=0), fixed.max(axis=0)
        spread = np.take(self.second.spread, triangle2[faces], axis=1)
        boxes2 = np.concatenate([0.5 * (lower + upper), 0.5 * (upper - lower)])
        kept[faces] = self._over(vertices, boxes2, spread, pair[faces])
        if self.without is not None:
            kept &= ~self.without.triangles[triangle2]
        if self.flat is not None and self.flat.pays:
            kept &= ~self.flat.triangles(triangle1, triangle2)
        return kept

    def _owned(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Bools:
        """Return which pairs to keep whose second triangle owns a feature, (k,)."""
        if triangle1.size == 0:
            return np.zeros(0, dtype=bool)
        motion = self.motion.take(pair)
        moved = motion.corners(corners_of(self.first.tree, triangle1))
        fixed = corners_of(self.second.tree, triangle2)
        apart = np.maximum(moved.min(axis=0) - fixed.max(axis=0), fixed.min(axis=0) - moved.max(axis=0))
        spread = np.take(self.second.spread, triangle2, axis=1)
        kept = self.first.owns[triangle1] & self._within(apart, spread, self.reach, pair)
        others = np.flatnonzero(self.second.owns_vertex[triangle2] & ~kept)
        if others.size:
            own = self.first.tree.planes[triangle1[others], :3].T
            normals = np.abs(motion.take(others).turned(own))
            kept[others] = self._within(apart[:, others], normals, self.reach, pair[others])
        return kept

    def _over(self, vertices: Floats, boxes2: Floats, spread: Floats, pair: Ints) -> Bools:
        """Return whether vertices in boxes (6, k) may project into faces in boxes (6, k), (k,)."""
        center, half = self.motion.take(pair).boxes(vertices)
        apart = np.abs(center - boxes2[:3]) - half - boxes2[3:]
        return self._within(apart, spread, self.from_face, pair)

    def _within(self, apart: Floats, spread: Floats, reach: float | Floats, pair: Ints) -> Bools:
        """Return which gaps (k,) between boxes, given as (3, k), are within reach in directions of a spread
        (3, k).
        """
        limit = _of_pairs(reach, pair) * np.minimum(spread, 1.0)
        beyond = apart - (limit + _of_pairs(self.slack, pair))
        within: Bools = beyond.max(axis=0) <= 0.0
        return within


def _of_pairs(length: float | Floats, pair: Ints) -> float | Floats:
    """Return a length of pairs (k,), one for all or given for each pair of bodies (p,)."""
    return length[pair] if isinstance(length, np.ndarray) else length
