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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from .blocks import Blocks
from .node_pairs import SIZE_RATIO, Motion, corners_of
from .slabs import AlongFlat
from .tree import BoxTree
from .triangle_pairs import beyond_plane, meeting_rows
from .triangle_signs import are_beyond_planes, beside

__all__ = ["Neglect", "PairQuery", "chosen_pairs", "meeting_pairs", "near_pairs", "swept_pairs"]

Neglect = tuple[Floats, Floats]
"""Spheres of neglect: centres (m, 3) in frame 2 and radii (m,)."""

Pairs = tuple[Ints, Ints]
"""Numbers of k blocks, or triangles, of body 1 and of body 2: each (k,)."""


class NearTriangles(NamedTuple):
    """k pairs of triangles: their numbers in body 1 and 2 (k,), and their corners in frame 2.

    moved (axis 3, corner 3, k), of body 1, or (3, 6, k) at the start and at the end of its way.
    fixed (axis 3, corner 3, k).
    """

    first: Ints
    second: Ints
    moved: Floats
    fixed: Floats


BLOCKS_AT_ONCE = 512
"""Pairs of blocks that are opened at once, so that intermediate arrays stay in the cache."""

TRIANGLES_AT_ONCE = 2048
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
    query = PairQuery(tree1, [Motion(pose1)], tree2, reach, neglect)
    return query.not_beyond_planes(query.triangles(*query.bottoms()))


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
    query = PairQuery(tree1, [Motion(pose_start), Motion(pose_end)], tree2, reach, neglect)
    return query.not_beyond_planes(query.triangles(*query.bottoms()))


def chosen_pairs(tree1: BoxTree, poses: Sequence[Pose], tree2: BoxTree, pairs: Ints) -> Ints:
    """Return those of some triangle pairs (k, 2) that may meet at one pose, or on straight ways between two.

    Of all pairs, they are those that `near_pairs` or `swept_pairs` return for no reach, and maybe others.
    """
    query = PairQuery(tree1, [Motion(pose) for pose in poses], tree2, 0.0, None)
    return query.not_beyond_planes(query.numbered(pairs[:, 0], pairs[:, 1]))


def meeting_pairs(tree1: BoxTree, pose1: Pose, tree2: BoxTree) -> Ints:
    """Return the triangle pairs (k, 2) of tree 1 at a pose and tree 2 that cross or touch, to rounding."""
    query = PairQuery(tree1, [Motion(pose1)], tree2, 0.0, None)
    return query.meeting(query.triangles(*query.bottoms()))


class PairQuery:
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
        self.rounding = max(motion.rounding(tree1, tree2) for motion in motions)
        self.reach = reach + self.rounding
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
        own1, own2 = self.blocks1.own[top1].T[:, :, None], self.blocks2.own[top2].T[:, :, None]
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
            found.append(self._flat_kept(child1[row, slot1], child2[row, slot2]))
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

    def triangles(self, block1: Ints, block2: Ints) -> NearTriangles:
        """Return the pairs of triangles with boxes within reach, of pairs of bottom blocks (k,)."""
        found = [
            self._triangles(block1[begin : begin + BLOCKS_AT_ONCE], block2[begin : begin + BLOCKS_AT_ONCE])
            for begin in range(0, max(block1.size, 1), BLOCKS_AT_ONCE)
        ]
        if len(found) == 1:
            return found[0]
        return NearTriangles(*(np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True)))

    def _triangles(self, block1: Ints, block2: Ints) -> NearTriangles:
        row1, row2 = self.blocks1.row[block1], self.blocks2.row[block2]
        moved = self._placed(_columns(self.blocks1.corners, row1).reshape(3, 3, -1))
        fixed = _columns(self.blocks2.corners, row2).reshape(3, 3, -1)
        lower1, upper1 = _boxes_around(moved, self.blocks1.bound[row1], self.tree1.is_grown)
        lower2, upper2 = _boxes_around(fixed, self.blocks2.bound[row2], self.tree2.is_grown)
        if self.neglect is None:
            apart = lower1[:, :, None] - upper2[:, None]
            np.maximum(apart, lower2[:, None] - upper1[:, :, None], out=apart)
            slot1, slot2, row = self._within(apart)
        else:
            boxes1 = 0.5 * (lower1 + upper1), 0.5 * (upper1 - lower1)
            boxes2 = 0.5 * (lower2 + upper2), 0.5 * (upper2 - lower2)
            slot1, slot2, row = self._near_slots(*boxes1, *boxes2)
        return NearTriangles(
            self.blocks1.triangle[row1[row], slot1],
            self.blocks2.triangle[row2[row], slot2],
            np.take(moved, slot1 * row1.size + row, axis=2),
            np.take(fixed, slot2 * row2.size + row, axis=2),
        )

    def _placed(self, corners: Floats) -> Floats:
        """Return triangles (axis 3, corner 3, k) of body 1 at all its places, (axis 3, corner 3 or 6, k)."""
        flat = corners.reshape(3, -1)
        places = [
            (motion.matrix @ flat + motion.translation).reshape(corners.shape) for motion in self.motions
        ]
        return places[0] if len(places) == 1 else np.concatenate(places, axis=1)

    def numbered(self, first: Ints, second: Ints) -> NearTriangles:
        """Return those pairs of triangles with such numbers (k,) that have boxes within reach."""
        own, fixed = corners_of(self.tree1, first), corners_of(self.tree2, second)
        moved, fixed = self._placed(own.transpose(1, 0, 2).copy()), fixed.transpose(1, 0, 2)
        bound = self.tree1.bound[first] + self.tree2.bound[second]
        apart = np.maximum(moved.min(axis=1) - fixed.max(axis=1), fixed.min(axis=1) - moved.max(axis=1))
        kept = np.flatnonzero(apart.max(axis=0) - bound <= self.reach)
        return NearTriangles(first[kept], second[kept], moved[..., kept], fixed[..., kept])

    def not_beyond_planes(self, near: NearTriangles) -> Ints:
        """Return those pairs of triangles (m, 2) that no plane of a triangle separates by over the reach."""
        kept = []
        for begin in range(0, near.first.size, TRIANGLES_AT_ONCE):
            part = slice(begin, begin + TRIANGLES_AT_ONCE)
            first, second = near.first[part], near.second[part]
            distance = self.tree1.bound[first] + self.tree2.bound[second] + self.reach
            moved, fixed = near.moved[..., part].transpose(1, 0, 2), near.fixed[..., part].transpose(1, 0, 2)
            if len(self.motions) == 1:
                apart = are_beyond_planes(beside(moved, fixed), distance)
            else:
                # A plane in motion does not separate straight paths.
                apart = beyond_plane(fixed, moved, distance)
            if self.flat.pays:
                apart |= self.flat.triangles(first, second)
            kept.append(begin + np.flatnonzero(~apart))
        return _stacked(near, kept)

    def meeting(self, near: NearTriangles) -> Ints:
        """Return those pairs of triangles (m, 2) that cross or touch, to rounding."""
        kept = []
        for begin in range(0, near.first.size, TRIANGLES_AT_ONCE):
            moved, fixed = (
                part[..., begin : begin + TRIANGLES_AT_ONCE].transpose(1, 0, 2) for part in near[2:]
            )
            kept.append(begin + meeting_at(beside(moved, fixed), self.rounding))
        return _stacked(near, kept)


def meeting_at(both: Floats, allowed: float) -> Ints:
    """Return which pairs of triangles (corner 3, axis 5, body 2, k) are within an allowed distance, (m,)."""
    return meeting_rows(both, np.full(both.shape[3], allowed))


def _gathered(blocks: Blocks, block: Ints, opened: bool) -> tuple[Floats, Ints]:
    """Return boxes (6, a, k) and numbers (k, a) of blocks' children, or of the blocks themselves."""
    if not opened:
        return _columns(blocks.own, block)[:, None], block[:, None]
    row = blocks.row[block]
    return _columns(blocks.boxes, row).reshape(6, -1, row.size), np.take(blocks.child, row, axis=0)


def _boxes_around(corners: Floats, bound: Floats, is_grown: bool) -> tuple[Floats, Floats]:
    """Return lower and upper corners (3, m, k) of the boxes of triangles, grown by bounds (k, m).

    corners: (axis 3, corner, m k).
    """
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    if is_grown:
        lower, upper = lower - bound.T.ravel(), upper + bound.T.ravel()
    shape = (3, bound.shape[1], bound.shape[0])
    return lower.reshape(shape), upper.reshape(shape)


def _columns(rows: Floats, number: Ints) -> Floats:
    """Return the given rows (k,) of an array (n, c) as columns (c, k)."""
    return np.ascontiguousarray(np.take(rows, number, axis=0).T)


def _joined(pairs: list[Pairs]) -> Pairs:
    if len(pairs) == 1:
        return pairs[0]
    if not pairs:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def _stacked(near: NearTriangles, kept: list[Ints]) -> Ints:
    """Return the numbers of the kept pairs as an array (m, 2)."""
    rows = np.concatenate(kept) if kept else near.first[:0]
    return np.stack([near.first[rows], near.second[rows]], axis=1)


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
