"""A test of a box against the planes of all triangles below a node at once.

Below a node whose box has centre C, all unit normals n lie in a box: n = m + e with |e| <= h on each axis.
All triangles, grown by their bounds, have n . (x - C) between `low` and `high`, each along its own normal.
For a point p with d = p - C,

    n . d  >=  m . d - h . |d|

for every triangle.  So if m . d - h . |d| > high + reach for every p of a box, that box is beyond all the
planes by more than the reach.  On a flat part h = 0 and the test is as sharp as that of one plane; over a
coarse node of a curved surface h is large and the test rejects nothing.  `BoxTree.planes_below` has m, h, low
and high of each node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_dot
from .node_pairs import Motion
from .tree import BoxTree

__all__ = ["Planes"]


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

    def heights(self, motion: Motion, half: Floats, offset: Floats, around: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest n . (p - C) that points p of placed boxes may have (k,), lengths.

        Args:
            motion: from the boxes' frame to the tree's.
            half: half extents (3, k) of the boxes in their own frame.
            offset: centres of the placed boxes less C (3, k).
            around: half extents (3, k) of the boxes around the placed ones, axes of the tree's frame.
        """
        height = coordinate_dot(self.middle, offset)
        extent = coordinate_dot(np.abs(motion.matrix.T @ self.middle), half) + coordinate_dot(
            self.spread, np.abs(offset) + around
        )
        return height - extent, height + extent

    def are_passed(self, heights: list[tuple[Floats, Floats]], reach: float) -> Bools:
        """Return whether paths (k,) between such heights stay beyond all planes, on one side, by over a
        reach.
        """
        lowest = np.minimum.reduce([low for low, _ in heights])
        highest = np.maximum.reduce([high for _, high in heights])
        passed: Bools = (lowest > self.high + reach) | (highest < self.low - reach)
        return passed
