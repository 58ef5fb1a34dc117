"""Caps over the holes that cutting a mesh has left in a piece of it, so that pieces of a solid are solids.

The border of a piece is its sides that no other of its triangles has.  Where a loop of it was cut, other
triangles of the whole mesh went on there.  Such a loop a_1, ..., a_n is closed by a fan (a_i+1, a_i, m) from
its middle m, which goes round the other way than the border.  Loops with a side that had nothing beyond it
were holes before, and stay so; so do those that pass a vertex twice.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from .edges import component_labels, edge_table


def sides_with_others(triangles: Ints) -> Bools:
    """Return for each side (3 t,) of triangles (t, 3) whether another triangle is beyond it."""
    edges = edge_table(triangles)
    found = np.zeros(3 * len(triangles), bool)
    found[edges.order] = np.repeat(edges.count > 1, edges.count)
    return found


def with_caps(points: Floats, triangles: Ints, cut: Bools) -> tuple[Floats, Ints]:
    """Return a piece's points and triangles with its cuts closed.

    Args:
        points: (n, 3), lengths.
        triangles: (t, 3), oriented alike.
        cut: for each side (3 t,), whether the whole mesh went on beyond it.
    """
    edges = edge_table(triangles)
    side = edges.sides[edges.count == 1, 0]
    start, end = triangles.ravel()[side], np.roll(triangles, -1, axis=1).ravel()[side]
    label = component_labels(np.stack([start, end], axis=1), len(points))
    simple = (np.bincount(start, minlength=len(points)) == 1) & (np.bincount(end, minlength=len(points)) == 1)
    closes = np.ones(label.max(initial=-1) + 1, bool)
    closes[label[start[~(cut[side] & simple[start] & simple[end])]]] = False
    mine = closes[label[start]]
    start, end = start[mine], end[mine]
    loops, loop = np.unique(label[start], return_inverse=True)
    middles = (
        np.stack([np.bincount(loop, points[start, axis], len(loops)) for axis in range(3)], axis=1)
        / np.maximum(np.bincount(loop, minlength=len(loops)), 1)[:, None]
    )
    fans = np.stack([end, start, len(points) + loop], axis=1)
    return np.concatenate([points, middles]), np.concatenate([triangles, fans])
