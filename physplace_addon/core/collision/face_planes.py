"""The planes of all triangles below a node at once: whether something lies beyond every one of them.

Below a node whose box has centre C, all unit normals n lie in a box, n = m + e with |e| <= h on each axis,
and all triangles, grown by their bounds, have n . (x - C) between `low` and `high`, each along its own
normal.  For a point p with d = p - C,

    n . d  >=  m . d - h . |d|

whichever triangle it is; so if m . d - h . |d| > high + reach for every p of a box, none of the planes is
within reach of that box on its outer side.  On the flat h = 0, and nothing is lost; over a coarse node of a
bent surface it tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_dot

if TYPE_CHECKING:
    from .node_pairs import Motion
    from .tree import BoxTree

__all__ = ["Planes", "highest_below", "planes_below"]

_EPSILON = float(np.finfo(np.float64).eps)


class Planes(NamedTuple):
    """The planes below k nodes: m, h (3, k), low and high (k,)."""

    middle: Floats
    spread: Floats
    low: Floats
    high: Floats

    @classmethod
    def below(cls, tree: BoxTree, node: Ints) -> Planes:
        """Those of some nodes (k,)."""
        rows = np.take(tree.planes_below, node, axis=1)
        return cls(rows[:3], rows[3:6], rows[6], rows[7])

    def heights(self, motion: Motion, half: Floats, offset: Floats, around: Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest that points of boxes in motion may be along the normals, over C (k,).

        half (3, k): half extents in the boxes' own frame; offset (3, k): their centres - C; around (3, k):
        half extents of the boxes around them in this frame.
        """
        height = coordinate_dot(self.middle, offset)
        extent = coordinate_dot(np.abs(motion.matrix.T @ self.middle), half) + coordinate_dot(
            self.spread, np.abs(offset) + around
        )
        return height - extent, height + extent

    def are_passed(self, heights: list[tuple[Floats, Floats]], reach: float) -> Bools:
        """Whether what goes straight between such heights is beyond reach of all planes, on one side (k,)."""
        lowest = np.minimum.reduce([low for low, _ in heights])
        highest = np.maximum.reduce([high for _, high in heights])
        passed: Bools = (lowest > self.high + reach) | (highest < self.low - reach)
        return passed


def planes_below(tree: BoxTree) -> Floats:
    """(8, n) of each node: m, h, low and high, rounded outwards."""
    planes = np.ascontiguousarray(tree.planes[tree.order].T)
    normal, bound = planes[:3], tree.bound[tree.order]
    over_origin = (normal * tree.triangles[tree.order, 0].T).sum(axis=0)
    low, high = over_origin + planes[3] - bound, over_origin + planes[4] + bound
    result = np.empty((8, len(tree.start)))
    for begin, end in zip(tree.level_start[:-1], tree.level_start[1:], strict=True):
        place, first = _below(tree.start[begin:end], tree.count[begin:end])
        normals = np.take(normal, place, axis=1)
        lower = np.minimum.reduceat(normals, first, axis=1)
        upper = np.maximum.reduceat(normals, first, axis=1)
        middle = 0.5 * (lower + upper)
        result[:3, begin:end] = middle
        result[3:6, begin:end] = np.maximum(upper - middle, middle - lower) * (1.0 + 4.0 * _EPSILON)
        centers = np.repeat(tree.boxes[:3, begin:end], tree.count[begin:end], axis=1)
        offset = (normals * centers).sum(axis=0)
        result[6, begin:end] = np.minimum.reduceat(low[place] - offset, first)
        result[7, begin:end] = np.maximum.reduceat(high[place] - offset, first)
    return result


def highest_below(tree: BoxTree, values: Floats) -> Floats:
    """(m, n) the highest, below each node, of values (m, t) of the triangles."""
    ordered = values[:, tree.order].astype(np.float64)
    result = np.empty((len(values), len(tree.start)))
    for begin, end in zip(tree.level_start[:-1], tree.level_start[1:], strict=True):
        place, first = _below(tree.start[begin:end], tree.count[begin:end])
        result[:, begin:end] = np.maximum.reduceat(np.take(ordered, place, axis=1), first, axis=1)
    return result


def _below(start: Ints, count: Ints) -> tuple[Ints, Ints]:
    """The places in the tree's order of all triangles below nodes, and where each node's begin."""
    first = np.cumsum(count) - count
    return np.arange(int(count.sum())) - np.repeat(first - start, count), first
