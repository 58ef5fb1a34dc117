"""A test of nodes and triangles along the normal of the largest flat part of the second body.

A box is as flat as what is below it only where its axes happen to lie along that: those of a fine prism that
stands on a table reach through the table if the axes of its mesh lean against its base.  So nodes also have
their extents [l, u] along one direction D of their own body (`BoxTree.slabs`).  Seen along another direction
d = c D + r, what is below a node with a box of centre C and half extents H is within

    c [l, u] + r . C -+ |r| . H,

which is as sharp as [l, u] where the flat parts of both bodies are parallel.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from .node_pairs import Motion
from .tree import BoxTree

__all__ = ["AlongFlat"]

_MANY = 1000  # triangles of the first body from which the test pays
_OFTEN = 4  # all triangles at once where a query asks for this part of them: 1 / _OFTEN
_LARGE = 0.1  # share of the second body's area from which its largest flat part is one to stand on


class AlongFlat:
    """Tells what of a tree stays apart from what of a second one, along the second one's flat direction.

    Args:
        tree1, tree2: the two trees.
        motions: from the frame of the first to that of the second; paths between them are straight.
        reach: what is farther apart, a length, is apart.
    """

    def __init__(self, tree1: BoxTree, motions: list[Motion], tree2: BoxTree, reach: float) -> None:
        self._tree1, self._tree2, self._motions, self._reach = tree1, tree2, motions, reach
        self.pays = len(tree1.bound) >= _MANY and tree2.slabs.share >= _LARGE

    def nodes(self, node1: Ints, node2: Ints) -> Bools:
        """Return which pairs of nodes (k,) are apart."""
        slabs, boxes = self._tree1.slabs, self._tree1.boxes[:, node1]
        ends = []
        for direction, shift in self._directions:
            along = float(slabs.direction @ direction)
            rest = direction - along * slabs.direction
            beside, spread = rest @ boxes[:3] + shift, np.abs(rest) @ boxes[3:]
            lower, upper = along * slabs.lower[node1], along * slabs.upper[node1]
            ends.append(
                (np.minimum(lower, upper) + beside - spread, np.maximum(lower, upper) + beside + spread)
            )
        other = self._tree2.slabs
        return self._apart(ends, other.lower[node2], other.upper[node2])

    def triangles(self, triangle1: Ints, triangle2: Ints) -> Bools:
        """Return which pairs of triangles (k,), grown by their bounds, are apart."""
        lower2, upper2 = self._tree2.slabs.triangles
        if _OFTEN * len(triangle1) < len(self._tree1.bound):
            low, high = self._ends_of(self._tree1.flat_triangles[triangle1], self._tree1.bound[triangle1])
        else:
            lower1, upper1 = self._ends_of_triangles
            low, high = lower1.take(triangle1), upper1.take(triangle1)
        apart: Bools = low > upper2.take(triangle2) + self._reach
        apart |= high < lower2.take(triangle2) - self._reach
        return apart

    @cached_property
    def _ends_of_triangles(self) -> tuple[Floats, Floats]:
        """The ends (t,) of all triangles of the first body: where pairs are many, each occurs in several."""
        return self._ends_of(self._tree1.flat_triangles, self._tree1.bound)

    def _ends_of(self, triangles: Floats, bound: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest D . x (k,) of triangles (k, 9), grown by bounds, on the way."""
        corners, ends = triangles.reshape(-1, 3), []
        for direction, shift in self._directions:
            a, b, c = (corners @ direction + shift).reshape(-1, 3).T
            ends.append((np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)))
        low = np.minimum.reduce([least for least, _ in ends])
        return low - bound, np.maximum.reduce([most for _, most in ends]) + bound

    def _apart(self, ends: list[tuple[Floats, Floats]], lower: Floats, upper: Floats) -> Bools:
        low = np.minimum.reduce([least for least, _ in ends])
        high = np.maximum.reduce([most for _, most in ends])
        apart: Bools = (low > upper + self._reach) | (high < lower - self._reach)
        return apart

    @cached_property
    def _directions(self) -> list[tuple[Floats, float]]:
        """D in the frame of the first tree at each motion, and by how much D . x is greater in the second."""
        normal = self._tree2.slabs.direction
        return [
            (motion.matrix.T @ normal, float(normal @ motion.translation[:, 0])) for motion in self._motions
        ]
