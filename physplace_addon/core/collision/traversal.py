"""Traversal of two trees against each other, breadth first on arrays of block pairs.

Source: Snyder 1995, section 3.2, which goes depth first.

Body 1 stands at a pose in the frame of body 2.  A box of body 1 with centre c and half extent h is enclosed
in frame 2 by centre R c + t and half extent |R| h; two boxes are within `reach` of each other when no axis
separates them by more.  A pair of blocks (`blocks`) is replaced by the pairs of their up to 64 children that
are; where one box is much larger than the other, only the larger one by its children.  Triangle pairs are
tested by the triangles' own boxes and planes.  Every test is widened by a bound of the rounding error, so a
pair within reach is never missed; pairs that are farther apart may be among the results.

Spheres of neglect (section 3.2 and Figure 4): a pair is discarded if the part of its two boxes that is
within reach of both lies wholly inside one sphere.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from .blocks import Blocks
from .node_pairs import SIZE_RATIO, Motion, corners_of
from .slabs import AlongFlat
from .tree import BoxTree
from .triangle_pairs import beyond_plane, meeting_rows, rounding_allowed
from .triangle_signs import are_beyond_planes, beside

__all__ = ["Neglect", "meeting_pairs", "near_pairs", "swept_pairs"]

Neglect = tuple[Floats, Floats]
"""Spheres of neglect: centres (m, 3) in frame 2 and radii (m,)."""

Pairs = tuple[Ints, Ints]
"""Numbers of k blocks, or triangles, of body 1 and of body 2: each (k,)."""

BLOCKS_AT_ONCE = 128
"""Pairs of blocks that are opened at once, so that intermediate arrays stay in the cache."""

TRIANGLES_AT_ONCE = 1024
"""Pairs of triangles whose planes and edges are tested at once, for the same reason."""


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
    query = _Query(tree1, [Motion(pose1)], tree2, reach, neglect)
    return query.not_beyond_planes(*query.triangles(*query.bottoms()))


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
    query = _Query(tree1, [Motion(pose_start), Motion(pose_end)], tree2, reach, neglect)
    return query.not_beyond_planes(*query.triangles(*query.bottoms()))


def meeting_pairs(tree1: BoxTree, pose1: Pose, tree2: BoxTree) -> Ints:
    """Return the triangle pairs (k, 2) of tree 1 at a pose and tree 2 that cross or touch, to rounding."""
    query = _Query(tree1, [Motion(pose1)], tree2, 0.0, None)
    return query.meeting(*query.triangles(*query.bottoms()))


class _Query:
    """Which pairs may be within reach at one pose, or on straight paths between two."""

    def __init__(
        self,
        tree1: BoxTree,
        motions: list[Motion],
        tree2: BoxTree,
        reach: float,
        neglect: Neglect | None,
    ) -> None:
        self.tree1, self.tree2, self.motions = tree1, tree2, motions
        self.blocks1, self.blocks2 = tree1.blocks, tree2.blocks
        self.reach = reach + max(motion.rounding(tree1, tree2) for motion in motions)
        self.flat = AlongFlat(tree1, motions, tree2, self.reach)
        self.neglect = neglect if neglect is not None and neglect[1].size else None

    def bottoms(self) -> Pairs:
        """Return the pairs of bottom blocks within reach."""
        block1, block2 = self._top()
        done = []
        while block1.size:
            following, bottoms = self.below(block1, block2)
            block1, block2 = following
            done.append(bottoms)
        return _joined(done)

    def _top(self) -> Pairs:
        """Return the pairs within reach of the blocks at which a traversal starts."""
        top1, top2 = self.blocks1.top, self.blocks2.top
        own1, own2 = self.blocks1.own[:, top1, None], self.blocks2.own[:, top2, None]
        slot1, slot2, _ = self._near_slots(*self._around(own1), own2[:3], own2[3:])
        return self._flat_kept(top1[slot1], top2[slot2])

    def below(self, block1: Ints, block2: Ints) -> tuple[Pairs, Pairs]:
        """Return the pairs within reach that follow pairs of blocks (k,), and those that are two bottoms.

        A bottom block has size -1, which SIZE_RATIO times -1 is below.
        """
        size1, size2 = self.blocks1.size[block1], self.blocks2.size[block2]
        open1, open2 = size1 * SIZE_RATIO >= size2, size2 * SIZE_RATIO >= size1
        if np.logical_and(open1, open2).all():
            return self._children(block1, block2, 3), (block1[:0], block2[:0])
        if not np.logical_or(open1, open2).any():
            return (block1[:0], block2[:0]), (block1, block2)
        ways = 2 * open1 + open2
        found = []
        for way in (1, 2, 3):
            rows = np.flatnonzero(ways == way)
            found.append(self._children(block1[rows], block2[rows], way))
        ends = np.flatnonzero(ways == 0)
        return _joined(found), (block1[ends], block2[ends])

    def _children(self, block1: Ints, block2: Ints, way: int) -> Pairs:
        """Return the pairs within reach of children of pairs of blocks (k,).

        way: 3 for children of both, 2 and 1 for those of the first or second alone.
        """
        found = []
        for begin in range(0, block1.size, BLOCKS_AT_ONCE):
            part = slice(begin, begin + BLOCKS_AT_ONCE)
            boxes1, child1 = _gathered(self.blocks1, block1[part], way >= 2)
            boxes2, child2 = _gathered(self.blocks2, block2[part], way % 2 == 1)
            slot1, slot2, row = self._near_slots(*self._around(boxes1), boxes2[:3], boxes2[3:])
            found.append(self._flat_kept(child1[slot1, row], child2[slot2, row]))
        return _joined(found)

    def _flat_kept(self, block1: Ints, block2: Ints) -> Pairs:
        """Return those pairs of blocks that are not apart along the second body's flat direction."""
        if not self.flat.pays:
            return block1, block2
        apart = self.flat.nodes(self.blocks1.node[block1], self.blocks2.node[block2])
        return block1[~apart], block2[~apart]

    def _around(self, boxes: Floats) -> tuple[Floats, Floats]:
        """Return centres and half extents (3, a, k) around all places of boxes (6, a, k) of body 1."""
        flat = boxes.reshape(6, -1)
        center, half = self.motions[0].boxes(flat)
        for motion in self.motions[1:]:
            other_center, other_half = motion.boxes(flat)
            lower = np.minimum(center - half, other_center - other_half)
            upper = np.maximum(center + half, other_center + other_half)
            center, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        shape = (3, *boxes.shape[1:])
        return center.reshape(shape), half.reshape(shape)

    def _near_slots(
        self, center1: Floats, half1: Floats, center2: Floats, half2: Floats
    ) -> tuple[Ints, Ints, Ints]:
        """Return which boxes (3, a, k) and (3, b, k) are within reach: their places in a, b and k."""
        apart = center1[:, :, None] - center2[:, None]
        np.abs(apart, out=apart)
        apart -= half1[:, :, None]
        apart -= half2[:, None]
        slot1, slot2, row = self._within(apart)
        if self.neglect is None:
            return slot1, slot2, row
        boxes = center1[:, slot1, row], half1[:, slot1, row], center2[:, slot2, row], half2[:, slot2, row]
        left = np.flatnonzero(~_neglected(*boxes, self.reach, self.neglect))
        return slot1[left], slot2[left], row[left]

    def _within(self, apart: Floats) -> tuple[Ints, Ints, Ints]:
        """Return the places in a, b and k of gaps (3, a, b, k) of which none is greater than the reach."""
        most = np.maximum(apart[0], apart[1])
        np.maximum(most, apart[2], out=most)
        slots, row = np.divmod(np.flatnonzero(most <= self.reach), most.shape[2])
        slot1, slot2 = np.divmod(slots, most.shape[1])
        return slot1, slot2, row

    def triangles(self, block1: Ints, block2: Ints) -> Pairs:
        """Return the pairs of triangles with boxes within reach, of pairs of bottom blocks (k,)."""
        found = []
        for begin in range(0, block1.size, BLOCKS_AT_ONCE):
            row1 = self.blocks1.row[block1[begin : begin + BLOCKS_AT_ONCE]]
            row2 = self.blocks2.row[block2[begin : begin + BLOCKS_AT_ONCE]]
            lower1, upper1 = self._placed_boxes(row1)
            lower2, upper2 = _columns(self.blocks2.triangle_boxes, row2).reshape(2, 3, -1, row2.size)
            if self.neglect is None:
                apart = lower1[:, :, None] - upper2[:, None]
                np.maximum(apart, lower2[:, None] - upper1[:, :, None], out=apart)
                slot1, slot2, row = self._within(apart)
            else:
                boxes1 = 0.5 * (lower1 + upper1), 0.5 * (upper1 - lower1)
                slot1, slot2, row = self._near_slots(
                    *boxes1, 0.5 * (lower2 + upper2), 0.5 * (upper2 - lower2)
                )
            triangle1, triangle2 = self.blocks1.triangle, self.blocks2.triangle
            found.append((triangle1[slot1, row1[row]], triangle2[slot2, row2[row]]))
        return _joined(found)

    def _placed_boxes(self, row: Ints) -> tuple[Floats, Floats]:
        """Return lower and upper corners (3, m, k) of the boxes of bottom blocks' triangles of body 1."""
        corners = _columns(self.blocks1.corners, row).reshape(3, -1)
        places = [(motion.matrix @ corners).reshape(3, 3, -1) for motion in self.motions]
        for place, motion in zip(places, self.motions, strict=True):
            place += motion.translation[:, :, None]
        lower = np.minimum.reduce([place.min(axis=1) for place in places])
        upper = np.maximum.reduce([place.max(axis=1) for place in places])
        if self.tree1.is_grown:
            bound = self.blocks1.bound[:, row].ravel()
            lower, upper = lower - bound, upper + bound
        return lower.reshape(3, -1, row.size), upper.reshape(3, -1, row.size)

    def not_beyond_planes(self, triangle1: Ints, triangle2: Ints) -> Ints:
        """Return those pairs of triangles (m, 2) that no plane of a triangle separates by over the reach."""
        kept = []
        for begin in range(0, triangle1.size, TRIANGLES_AT_ONCE):
            part = slice(begin, begin + TRIANGLES_AT_ONCE)
            first, second = triangle1[part], triangle2[part]
            distance = self.tree1.bound[first] + self.tree2.bound[second] + self.reach
            moved, fixed = self._corners(first), corners_of(self.tree2, second)
            if len(moved) == 1:
                apart = are_beyond_planes(beside(moved[0], fixed), distance)
            else:
                # A plane in motion does not separate straight paths.
                apart = beyond_plane(fixed, np.concatenate(moved), distance)
            if self.flat.pays:
                apart |= self.flat.triangles(first, second)
            kept.append(begin + np.flatnonzero(~apart))
        return _stacked(triangle1, triangle2, kept)

    def meeting(self, triangle1: Ints, triangle2: Ints) -> Ints:
        """Return those pairs of triangles (m, 2) that cross or touch, to rounding."""
        kept = []
        for begin in range(0, triangle1.size, TRIANGLES_AT_ONCE):
            part = slice(begin, begin + TRIANGLES_AT_ONCE)
            first, second = self._corners(triangle1[part])[0], corners_of(self.tree2, triangle2[part])
            scale = np.maximum(np.abs(first).max(axis=(0, 1)), np.abs(second).max(axis=(0, 1)))
            kept.append(begin + meeting_rows(beside(first, second), rounding_allowed(scale)))
        return _stacked(triangle1, triangle2, kept)

    def _corners(self, triangle: Ints) -> list[Floats]:
        """Return triangles (corner 3, axis 3, k) of body 1 at each of its places."""
        corners = corners_of(self.tree1, triangle)
        return [motion.corners(corners) for motion in self.motions]


def _gathered(blocks: Blocks, block: Ints, opened: bool) -> tuple[Floats, Ints]:
    """Return boxes (6, a, k) and numbers (a, k) of blocks' children, or of the blocks themselves."""
    if not opened:
        return np.take(blocks.own, block, axis=1)[:, None], block[None]
    row = blocks.row[block]
    return np.take(blocks.boxes, row, axis=2), np.take(blocks.child, row, axis=1)


def _columns(rows: Floats, number: Ints) -> Floats:
    """Return the given rows (k,) of an array (n, c) as columns (c, k)."""
    return np.ascontiguousarray(np.take(rows, number, axis=0).T)


def _joined(pairs: list[Pairs]) -> Pairs:
    if len(pairs) == 1:
        return pairs[0]
    if not pairs:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def _stacked(first: Ints, second: Ints, kept: list[Ints]) -> Ints:
    """Return the kept rows (m,) of pairs (k,) as an array (m, 2)."""
    rows = np.concatenate(kept) if kept else first[:0]
    return np.stack([first[rows], second[rows]], axis=1)


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
