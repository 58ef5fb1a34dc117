"""The interface points of flat features that a state goes on with: the lowest ones, spread over the contact.

A body that lies flat on a fine mesh has thousands of pairs within reach.  Those that can stop a step are
among the lowest, so a fixed number of them is kept.  Where that many were known before, their gaps show how
near the lowest ones are now, and only that neighbourhood is searched, farther if it has not enough.

What touches in one plane is one region (Bouma and Vanecek 1991, section 5): its points that are extreme in a
few directions bound it nearly as its convex hull does, so only they are kept of it.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import directional_pairs
from ...vectors import cross, dot
from ..body_pair import BodyPair, farthest_displacement
from ..points.interface_points import InterfacePoints, enough_to_choose_from, lowest_spread
from .flat_pairs import flat_pairs

_MOST = 128  # flat interface points that a state goes on with: more than a step's QP needs, few enough for it
_FARTHER = 8.0  # factor by which the neighbourhood of the contact that is searched grows if it has not enough
_FIRST = 1.0 / 8.0  # part of the reach that is searched first where nothing is known
_DIRECTIONS = 32  # in which a region's points are extreme: no other is farther out by 1/200 of its radius
_LOWEST = 8  # points of a region that are kept because no extreme one is as low
_NO_LOWER = 1e-5  # of the level in which gaps are equal: difference that rounding alone may cause
_ONE_PLANE = 1e-6  # sine of the angle between the normals of points of one region


def lowest_of_plain(
    body_pair: BodyPair, reach: float, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    """Return the lowest flat points of a pair in which nothing is curved.

    A part of the reach is searched first.  If that has enough points, those of the whole reach are the same.

    Args:
        body_pair: the pair.
        reach: the largest gap that is searched, a length.
        tracked: its points of the last state; their gaps show which part is searched first.
        before: the pair at the last pose, None if there is none.
    """
    close = _first_reach(body_pair, reach, tracked, before is not None)
    while close < reach:
        t1, t2 = _near_triangles(body_pair, close, before)
        if len(t1) >= _MOST:
            points = flat_pairs(body_pair, t1, t2, before, close)
            if _suffice(points.gap, close - body_pair.sign_tolerance, body_pair.sign_tolerance):
                return lowest(body_pair, points)
        close *= _FARTHER
    t1, t2 = _near_triangles(body_pair, reach, before)
    return lowest(body_pair, flat_pairs(body_pair, t1, t2, before, reach))


def _first_reach(body_pair: BodyPair, reach: float, tracked: InterfacePoints, known: bool) -> float:
    """Return how far, a length, to search first; tracked points show how many are how near."""
    if not known:
        return _FIRST * reach
    level, gaps = body_pair.sign_tolerance, np.sort(tracked.gap)
    lies_flat = np.count_nonzero(_bearing(gaps, level)) >= _DIRECTIONS
    if len(gaps) < _MOST and not lies_flat:
        return reach
    return float(np.clip(_FARTHER * gaps[len(gaps) // 2], _FARTHER * level, reach))


def lowest(body_pair: BodyPair, points: InterfacePoints) -> InterfacePoints:
    """Return the lowest of the flat points, no more than a state goes on with."""
    level = body_pair.sign_tolerance
    return lowest_spread(hulls_of_regions(points, level), _MOST, level)


def hulls_of_regions(points: InterfacePoints, level: float) -> InterfacePoints:
    """Return the points without those inside the regions of one plane that bear the body.

    level: a length, within which gaps are as low as the lowest, and points in one plane.
    """
    bearing = np.flatnonzero(_bearing(points.gap, level))
    if len(bearing) <= _DIRECTIONS:
        return points
    normal = points.normal[bearing]
    offset = dot(normal, points.point2[bearing])
    planes = np.column_stack([normal / _ONE_PLANE, offset / level]).round()
    plane, counts = np.unique(planes, axis=0, return_inverse=True, return_counts=True)[1:]
    kept = np.ones(len(points), bool)
    for number in np.flatnonzero(counts > _DIRECTIONS):
        rows = bearing[plane.ravel() == number]
        kept[rows] = False
        kept[rows[_extreme(points.point2[rows], points.normal[rows[0]], points.gap[rows], level)]] = True
    return points.take(kept)


def _bearing(gaps: Floats, level: float) -> Bools:
    """Return which gaps (k,) are within a level of the lowest, or of touching; all are lengths."""
    bearing: Bools = gaps <= max(float(gaps.min(initial=np.inf)), 0.0) + level
    return bearing


def _extreme(points: Floats, normal: Floats, gaps: Floats, level: float) -> Ints:
    """Return the rows of points (k, 3) of one plane that are extreme in some direction, and of lower gaps.

    Of points equally far the first is taken, so that rounding chooses nothing.
    """
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    across = cross(normal, axis)
    across /= np.sqrt(dot(across, across))
    angles = np.arange(_DIRECTIONS) * (2.0 * np.pi / _DIRECTIONS)
    directions = np.outer(np.cos(angles), across) + np.outer(np.sin(angles), cross(normal, across))
    far = points @ directions.T
    extreme = np.unique((far >= far.max(axis=0) - level).argmax(axis=0))
    lower = np.argsort(gaps, kind="stable")[:_LOWEST]
    lower = lower[gaps[lower] < gaps[extreme].min() - _NO_LOWER * level]
    return np.union1d(extreme, lower)


def _suffice(gaps: Floats, most: float, level: float) -> bool:
    """Return whether the gaps (k,) below `most` settle which points are the lowest ones; all are lengths.

    They do if there are enough to choose from, or if so many bear the body that no others would be chosen.
    """
    gaps = gaps[gaps < most]
    bear = int(np.count_nonzero(_bearing(gaps, level)))
    return len(gaps) >= enough_to_choose_from(_MOST) or bear >= _MOST


def _near_triangles(body_pair: BodyPair, reach: float, before: BodyPair | None) -> tuple[Ints, Ints]:
    """Return pairs of triangles (k,) within reach in the directions that their normals allow."""
    first, second = body_pair.active.normal_bounds, body_pair.world.normal_bounds
    behind = 0.0 if before is None else farthest_displacement(before, body_pair)
    pairs = directional_pairs(first, body_pair.pose, second, reach, body_pair.sign_tolerance, behind)
    return pairs[:, 0], pairs[:, 1]
