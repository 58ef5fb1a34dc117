"""Points that are one but for rounding, made one.

Only points whose places along one direction in general position differ by no more than the tolerance can be
within it; in a mesh without doubled vertices hardly any do. The others need not be searched.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .arrays import Floats, Ints
from .mesh_edges import components

_DIRECTION = np.array([0.5377, 0.6811, 0.4972])  # in general position to what is modelled on axes and grids


def weld(points: Floats, tolerance: float) -> tuple[Floats, Ints]:
    """Points (m, 3) with those within a tolerance of each other made one, and the new index (n,) of each
    point.

    The first of the points that are merged stands for all of them.
    """
    some = _suspects(points, tolerance)
    labels = np.arange(len(points))
    if len(some) == 0:
        return points, labels
    labels[some] = some[_merged(points[some], tolerance)]
    kept = labels == np.arange(len(points))
    numbers = np.cumsum(kept, dtype=np.intp) - 1
    return points[kept], numbers[labels]


def _suspects(points: Floats, tolerance: float) -> Ints:
    """The points (s,), increasing, that may be within the tolerance of another."""
    along = points @ (_DIRECTION / np.linalg.norm(_DIRECTION))
    order = _order(along)
    rounding = 8.0 * np.finfo(np.float64).eps * float(np.abs(points).max())
    near = np.diff(along[order]) <= tolerance + rounding
    suspects = np.zeros(len(points), dtype=bool)
    suspects[order[:-1][near]] = suspects[order[1:][near]] = True
    return np.flatnonzero(suspects)


def _order(values: Floats) -> Ints:
    """The order (n,) of values (n,).

    Whole numbers below 65536 are counted, not compared, and what lies almost in order is soon sorted.
    """
    low, high = float(values.min()), float(values.max())
    rough = (values - low) / (high - low) * 65535.0 if high > low else values - low
    order = np.argsort(rough.astype(np.uint16), kind="stable")
    return order[np.argsort(values[order], kind="stable")]


def _merged(points: Floats, tolerance: float) -> Ints:
    """For each point (n,) the first one it is merged with, itself if none."""
    order = np.lexsort(points.T)
    ordered = points[order]
    first = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    labels = np.empty(len(points), dtype=np.intp)
    labels[order] = np.cumsum(first) - 1
    distinct = ordered[first]
    pairs = cKDTree(distinct, balanced_tree=False, compact_nodes=False).query_pairs(
        tolerance, output_type="ndarray"
    )
    if len(pairs):
        labels = components(pairs, len(distinct))[labels]
    foremost = np.full(int(labels.max()) + 1, len(points))
    np.minimum.at(foremost, labels, np.arange(len(points)))
    return foremost[labels]
