"""Traversal of two trees against each other, breadth first on arrays of node pairs.

Source: Snyder 1995, section 3.2, which goes depth first.

Body 1 stands at a pose in the frame of body 2.  A box of body 1 with centre c and half extent h is enclosed
in frame 2 by centre R c + t and half extent |R| h; two boxes are within `reach` of each other when no axis
separates them by more, and the first is not beyond the planes of all triangles below the second
(`face_planes`).  Triangle pairs are tested by the triangles' own boxes and planes.  Every test is widened by
a bound of the rounding error, so a pair within reach is never missed; pairs that are farther apart may be
among the results.

Spheres of neglect (section 3.2 and Figure 4): a pair is discarded if the part of its two boxes that is
within reach of both lies wholly inside one sphere.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from ..vectors import coordinate_dot
from .face_planes import Planes
from .node_pairs import Motion, corners_of, first_pairs, leaf_triangles, opened
from .slabs import AlongFlat
from .tree import BoxTree

__all__ = ["Neglect", "Query", "near_pairs", "swept_pairs", "traversed"]

Neglect = tuple[Floats, Floats]
"""Spheres of neglect: centres (m, 3) in frame 2 and radii (m,)."""


LEAVES_AT_ONCE = 1024
"""Leaf pairs whose triangles are tested at once, so that intermediate arrays stay in the cache."""


class Query(Protocol):
    """The tests of a traversal: which pairs of nodes, and which pairs of triangles, to keep."""

    def nodes(self, node1: Ints, node2: Ints) -> Bools: ...

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Bools: ...


def near_pairs(
    tree1: BoxTree, pose1: Pose, tree2: BoxTree, reach: float, neglect: Neglect | None = None
) -> Ints:
    """Return the triangle pairs (k, 2) of tree 1 at a pose and tree 2 that may be within a reach of each
    other.

    Every pair whose triangles, grown by their bounds, are within reach is there, unless it is inside a sphere
    of neglect.  Others may be there too.

    Args:
        tree1, tree2: the trees of the two bodies, each in its own frame.
        pose1: from the frame of tree 1 to that of tree 2.
        reach: a length.
        neglect: the spheres of neglect, None for none.
    """
    motion = Motion(pose1)
    return traversed(tree1, tree2, _Near(tree1, [motion], tree2, reach, neglect))


def swept_pairs(
    tree1: BoxTree,
    pose_start: Pose,
    pose_end: Pose,
    tree2: BoxTree,
    reach: float,
    neglect: Neglect | None = None,
) -> Ints:
    """Return the triangle pairs (k, 2) that may come within a reach, a length, while body 1 moves.

    Every point of body 1 is taken to move on the straight line between its places at the two poses.
    """
    motions = [Motion(pose_start), Motion(pose_end)]
    return traversed(tree1, tree2, _Near(tree1, motions, tree2, reach, neglect))


def traversed(tree1: BoxTree, tree2: BoxTree, query: Query, few: int = 0) -> Ints:
    """Return the triangle pairs (k, 2) that a query keeps; it must keep all node pairs that they are below.

    Args:
        tree1, tree2: the trees of the two bodies.
        query: the test of node pairs, and of triangle pairs.
        few: up to so many node pairs are replaced by their grandchildren, because a test of few pairs costs
            more than the pairs that it would drop.
    """
    node1, node2 = first_pairs(tree1, tree2)
    leaves: list[tuple[Ints, Ints]] = []
    while node1.size:
        kept = np.flatnonzero(query.nodes(node1, node2))
        node1, node2 = node1[kept], node2[kept]
        for _ in range(2 if kept.size <= few else 1):
            below1, below2, is_leaf = opened(tree1, tree2, node1, node2)
            if below1.size < 4 * node1.size:
                done = np.flatnonzero(is_leaf)
                leaves.append((node1[done], node2[done]))
            node1, node2 = below1, below2
    return _near_triangles(tree1, tree2, query, leaves)


def _near_triangles(tree1: BoxTree, tree2: BoxTree, query: Query, leaves: list[tuple[Ints, Ints]]) -> Ints:
    """Return the triangle pairs (k, 2) of leaf pairs that the query keeps."""
    result = [np.empty((0, 2), dtype=np.intp)]
    leaf1 = np.concatenate([pair[0] for pair in leaves]) if leaves else result[0][:, 0]
    leaf2 = np.concatenate([pair[1] for pair in leaves]) if leaves else result[0][:, 1]
    for begin in range(0, leaf1.size, LEAVES_AT_ONCE):
        part = slice(begin, begin + LEAVES_AT_ONCE)
        triangle1, triangle2 = leaf_triangles(tree1, tree2, leaf1[part], leaf2[part])
        kept = np.flatnonzero(query.triangles(triangle1, triangle2))
        result.append(np.stack([triangle1[kept], triangle2[kept]], axis=1))
    return np.concatenate(result)


class _Near:
    """The query for pairs within reach at one pose, or on straight paths between two."""

    def __init__(
        self,
        tree1: BoxTree,
        motions: list[Motion],
        tree2: BoxTree,
        reach: float,
        neglect: Neglect | None,
    ) -> None:
        self.tree1, self.tree2, self.motions = tree1, tree2, motions
        self.rounding = max(motion.rounding(tree1, tree2) for motion in motions)
        self.reach = reach + self.rounding
        self.neglect = neglect
        self.flat = AlongFlat(tree1, motions, tree2, self.reach + self.rounding)

    def nodes(self, node1: Ints, node2: Ints) -> Bools:
        boxes1 = np.take(self.tree1.boxes, node1, axis=1)
        boxes2 = np.take(self.tree2.boxes, node2, axis=1)
        moved = [motion.boxes(boxes1) for motion in self.motions]
        kept = self._kept(*_around(moved), boxes2[:3], boxes2[3:])
        if self.flat.pays:
            kept &= ~self.flat.nodes(node1, node2)
        left = np.flatnonzero(kept)
        planes, half = Planes.below(self.tree2, node2[left]), boxes1[3:, left]
        heights = [
            planes.heights(motion, half, center[:, left] - boxes2[:3, left], around[:, left])
            for motion, (center, around) in zip(self.motions, moved, strict=True)
        ]
        kept[left] = ~planes.are_passed(heights, self.reach + self.rounding)
        return kept

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Bools:
        kept = np.zeros(triangle1.size, dtype=bool)
        corners = corners_of(self.tree1, triangle1)
        moved = np.concatenate([motion.corners(corners) for motion in self.motions])
        fixed = corners_of(self.tree2, triangle2)
        grown = self.tree1.bound[triangle1] + self.tree2.bound[triangle2]
        lower, upper = moved.min(axis=0), moved.max(axis=0)
        lower2, upper2 = fixed.min(axis=0), fixed.max(axis=0)
        half1, half2 = 0.5 * (upper - lower) + grown, 0.5 * (upper2 - lower2)
        near = self._kept(0.5 * (lower + upper), half1, 0.5 * (lower2 + upper2), half2)
        left = np.flatnonzero(near)
        moved, fixed = np.take(moved, left, axis=2), np.take(fixed, left, axis=2)
        grown = grown[left]
        planes2 = np.take(self.tree2.planes, triangle2[left], axis=0).T
        apart = _beyond(planes2[:3], planes2[3:], moved - fixed[0], grown + self.reach)
        if len(self.motions) == 1:
            # A plane in motion does not separate straight paths.
            planes1 = np.take(self.tree1.planes, triangle1[left], axis=0).T
            normal = self.motions[0].matrix @ planes1[:3]
            apart |= _beyond(normal, planes1[3:], fixed - moved[0], grown + self.reach)
        if self.flat.pays:
            apart |= self.flat.triangles(triangle1[left], triangle2[left])
        kept[left[~apart]] = True
        return kept

    def _kept(self, center1: Floats, half1: Floats, center2: Floats, half2: Floats) -> Bools:
        apart = np.abs(center1 - center2) - half1 - half2
        kept: Bools = apart.max(axis=0) <= self.reach
        if self.neglect is not None and self.neglect[1].size:
            kept &= ~_neglected(center1, half1, center2, half2, self.reach, self.neglect)
        return kept


def _around(boxes: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the boxes, centres and half extents (3, k), each around one box of every list entry."""
    center, half = boxes[0]
    for other_center, other_half in boxes[1:]:
        lower = np.minimum(center - half, other_center - other_half)
        upper = np.maximum(center + half, other_center + other_half)
        center, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    return center, half


def _neglected(
    center1: Floats, half1: Floats, center2: Floats, half2: Floats, reach: float, neglect: Neglect
) -> Bools:
    """Return whether the region within reach of both boxes lies wholly inside one of the spheres, (k,)."""
    lower = np.maximum(center1 - half1, center2 - half2) - reach
    upper = np.minimum(center1 + half1, center2 + half2) + reach
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    centers, radii = neglect
    farthest = np.abs(middle[:, None, :] - centers.T[:, :, None]) + half[:, None, :]
    inside: Bools = ((farthest * farthest).sum(axis=0) <= (radii * radii)[:, None]).any(axis=0)
    return inside


def _beyond(normal: Floats, own: Floats, offsets: Floats, distance: Floats) -> Bools:
    """Return whether points are all beyond a distance (k,) of a triangle's plane, on one side, (k,).

    Args:
        normal: unit normals (3, k).
        own: heights (2, k) of the triangle's lowest and highest corner over its plane.
        offsets: the m points less the triangle's first corner (m, 3, k).
    """
    heights = coordinate_dot(normal[:, None], offsets.transpose(1, 0, 2))
    result: Bools = (heights.min(axis=0) > own[1] + distance) | (heights.max(axis=0) < own[0] - distance)
    return result
