"""The points of a region in one plane that bound it: those that are extreme in a few directions.

What touches in one plane is one region (Bouma and Vanecek 1991, section 5).  Its extreme points bound it
nearly as its convex hull does, so of thousands of points only they are kept.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot
from ..points.interface_points import InterfacePoints

DIRECTIONS = 32  # in which a region's points are extreme: no other is farther out by 1/200 of its radius
_LOWEST = 8  # points of a region that are kept because no extreme one is as low
_NO_LOWER = 1e-5  # of the level in which gaps are equal: difference that rounding alone may cause
_ONE_PLANE = 1e-6  # sine of the angle between the normals of points of one region


def hulls_of_regions(points: InterfacePoints, level: float) -> InterfacePoints:
    """Return the points without those inside the regions of one plane that bear the body.

    level: a length, within which gaps are as low as the lowest, and points in one plane.
    """
    bearing = np.flatnonzero(bears(points.gap, level))
    if len(bearing) <= DIRECTIONS:
        return points
    normal = points.normal[bearing]
    offset = dot(normal, points.point2[bearing])
    planes = np.column_stack([normal / _ONE_PLANE, offset / level]).round()
    plane, counts = np.unique(planes, axis=0, return_inverse=True, return_counts=True)[1:]
    kept = np.ones(len(points), bool)
    for number in np.flatnonzero(counts > DIRECTIONS):
        rows = bearing[plane.ravel() == number]
        kept[rows] = False
        kept[rows[extreme(points.point2[rows], points.normal[rows[0]], points.gap[rows], level)]] = True
    return points.take(kept)


def bears(gaps: Floats, level: float) -> Bools:
    """Return which gaps (k,) are within a level of the lowest, or of touching; all are lengths."""
    bearing: Bools = gaps <= max(float(gaps.min(initial=np.inf)), 0.0) + level
    return bearing


def extreme(points: Floats, normal: Floats, gaps: Floats, level: float) -> Ints:
    """Return the rows of points (k, 3) of one plane that are extreme in some direction, and of lower gaps.

    Of points equally far the first is taken, so that rounding chooses nothing.
    """
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    across = cross(normal, axis)
    across /= np.sqrt(dot(across, across))
    angles = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
    directions = np.outer(np.cos(angles), across) + np.outer(np.sin(angles), cross(normal, across))
    far = points @ directions.T
    extreme = np.unique((far >= far.max(axis=0) - level).argmax(axis=0))
    lower = np.argsort(gaps, kind="stable")[:_LOWEST]
    lower = lower[gaps[lower] < gaps[extreme].min() - _NO_LOWER * level]
    return np.union1d(extreme, lower)
