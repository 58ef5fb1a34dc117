"""Convex hulls of many sets of points in planes at once.

Bouma and Vanecek 1991, section 10: the points inside the hull of a region are thrown out.  All sets are
treated together, in arrays.  About a point inside its hull, the points of a set in order of their angle form
a star-shaped polygon.  A corner of it that does not turn left lies inside the triangle of that point and its
two neighbours, so it is no corner of the hull, and all such corners may go at once.  What remains when no
corner goes any more is the hull.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, dot

_FLAT = 1e-12  # of a set's extent: height of a corner over its neighbours below which it lies between them
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)  # of the coordinates: what rounding makes of such a height


def hull_corners(points: Floats, group: Ints, normals: Floats) -> Ints:
    """Return the rows (n,) of the corners of each set's hull: sets ascend, corners counterclockwise.

    Args:
        points: (m, 3), those of each set in one plane and not all on one line.
        group: (m,) the set of each point.
        normals: (sets, 3) unit normals, against which corners are counterclockwise.
    """
    count = len(normals)
    sizes = np.bincount(group, minlength=count)
    middle = np.stack([np.bincount(group, points[:, axis], count) for axis in range(3)], axis=1)
    offset = points - (middle / np.maximum(sizes, 1)[:, None])[group]
    x, y = _in_planes(offset, group, normals)
    extent = np.zeros(count)
    np.maximum.at(extent, group, np.hypot(x, y))
    flat = _FLAT * extent + _ROUNDING * np.abs(points).max(initial=0.0)
    rows: Ints = np.lexsort((np.hypot(x, y), np.arctan2(y, x), group))
    while len(rows):
        before, after = _neighbours(group[rows])
        least = flat[group[rows]]
        kept = np.hypot(x[rows] - x[rows[before]], y[rows] - y[rows[before]]) > least
        if kept.all():  # no two points are the same one
            kept = _turn(x[rows], y[rows], before, after) > least
        if kept.all():
            break
        rows = rows[kept]
    return rows


def _in_planes(offset: Floats, group: Ints, normals: Floats) -> tuple[Floats, Floats]:
    """Return coordinates (m,) of points, given from the middle of each set, on two axes of its plane."""
    least = np.eye(3)[np.abs(normals).argmin(axis=1)]
    axis = cross(normals, least)
    axis /= np.sqrt(dot(axis, axis))[:, None]
    other = cross(normals, axis)
    return dot(offset, axis[group]), dot(offset, other[group])


def _neighbours(group: Ints) -> tuple[Ints, Ints]:
    """Return the places (n,) of the point before and the point after each in the cycle of its set."""
    place = np.arange(len(group))
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ends = np.append(starts[1:], len(group)) - 1
    before, after = place - 1, place + 1
    before[starts], after[ends] = ends, starts
    return before, after


def _turn(x: Floats, y: Floats, before: Ints, after: Ints) -> Floats:
    """Return how far (n,) each point lies outside the line of its two neighbours, a length."""
    ux, uy, vx, vy = x[after] - x[before], y[after] - y[before], x - x[before], y - y[before]
    base = np.hypot(ux, uy)
    height: Floats = (vx * uy - vy * ux) / np.where(base > 0.0, base, 1.0)
    return height
