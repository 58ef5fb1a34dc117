"""Triangles whose flat features may meet one another: near, and in a direction in which both can be met.

A vertex is met by a face only along the face's normal, an edge or a vertex only along a direction of its
normal cone: on a smooth mesh of flat faces these are all but one.  So the offset d between two features that
are within reach has |d_i| <= reach s_i, with s_i the largest component of those directions on axis i, and the
boxes of triangles are grown by that instead of by the reach: over a level floor nothing is looked for beside.

A pair is kept in one of two ways: what triangle 1 owns (vertices, edges) meets triangle 2 or what it owns,
along directions known on side 2; or a vertex of triangle 2 meets triangle 1, along the normal of triangle 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from .pairs import Motion, corners_of
from .planes import Planes, highest_below
from .traversal import traversed
from .tree import BoxTree

__all__ = ["Directions", "directional_pairs"]


@dataclass(frozen=True, eq=False)
class Directions:
    """In which directions the t triangles of a tree can be met, and what they own.

    spread (3, t): s, of a triangle's normal if it is a flat face, and of all that it owns.  owns (t,): it
    owns a vertex or an edge; owns_vertex (t,).
    """

    tree: BoxTree
    spread: Floats
    owns: Bools
    owns_vertex: Bools

    @cached_property
    def below(self) -> Floats:
        """(5, n) the highest of spread, owns and owns_vertex below each node."""
        return highest_below(
            self.tree, np.concatenate([self.spread, self.owns[None], self.owns_vertex[None]])
        )


def directional_pairs(first: Directions, pose1: Pose, second: Directions, reach: float, slack: float) -> Ints:
    """Triangle pairs (k, 2) with all that are, or own, features that meet within `reach` of each other.

    slack: how far, a length, features may be off their directions.
    """
    return traversed(first.tree, second.tree, _Facing(first, Motion(pose1), second, reach, slack))


class _Facing:
    def __init__(
        self, first: Directions, motion: Motion, second: Directions, reach: float, slack: float
    ) -> None:
        self.first, self.second, self.motion, self.reach = first, second, motion, reach
        self.slack = slack + motion.rounding(first.tree, second.tree)

    def nodes(self, node1: Ints, node2: Ints) -> Bools:
        tree1, tree2 = self.first.tree, self.second.tree
        boxes1, boxes2 = np.take(tree1.boxes, node1, axis=1), np.take(tree2.boxes, node2, axis=1)
        center, half = self.motion.boxes(boxes1)
        between = center - boxes2[:3]
        apart = np.abs(between) - half - boxes2[3:]
        below1, below2 = self.first.below, self.second.below
        kept = self._within(apart, np.take(below2[:3], node2, axis=1))
        kept &= below1[3, node1] > 0.0
        others = np.flatnonzero((below2[4, node2] > 0.0) & ~kept)
        if others.size:
            planes1 = Planes.below(tree1, node1[others])
            normals = np.abs(self.motion.matrix @ planes1.middle) + self.motion.magnitude @ planes1.spread
            kept[others] = self._within(apart[:, others], normals)
        left = np.flatnonzero(kept)
        planes = Planes.below(tree2, node2[left])
        heights = planes.heights(self.motion, boxes1[3:, left], between[:, left], half[:, left])
        kept[left] = ~planes.are_passed([heights], self.reach + self.slack)
        return kept

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Bools:
        moved = self.motion.corners(corners_of(self.first.tree, triangle1))
        fixed = corners_of(self.second.tree, triangle2)
        apart = np.maximum(moved.min(axis=0) - fixed.max(axis=0), fixed.min(axis=0) - moved.max(axis=0))
        kept = self.first.owns[triangle1] & self._within(
            apart, np.take(self.second.spread, triangle2, axis=1)
        )
        others = np.flatnonzero(self.second.owns_vertex[triangle2] & ~kept)
        if others.size:
            normals = np.abs(self.motion.matrix @ self.first.tree.planes[triangle1[others], :3].T)
            kept[others] = self._within(apart[:, others], normals)
        return kept

    def _within(self, apart: Floats, spread: Floats) -> Bools:
        """Whether boxes (3, k) apart are no farther than the reach in directions of such a spread (3, k)."""
        beyond = apart - (self.reach * np.minimum(spread, 1.0) + self.slack)
        within: Bools = beyond.max(axis=0) <= 0.0
        return within
