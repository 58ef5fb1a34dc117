"""The interface points of flat features that a state goes on with: the lowest ones, spread over the contact.

A body that lies flat on a fine mesh has thousands of pairs within reach.  Those that can stop a step are
among the lowest, so a fixed number of them is kept.  Where that many were known before, their gaps show how
near the lowest ones are now, and only that neighbourhood is searched, farther if it has not enough.

What bears the body in one plane is reduced to what bounds it (`hulls`), and where that is a planar face, the
vertices over it need no search (`level_support`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision import Part, directional_pairs
from ..body_pair import BodyPair, farthest_displacement
from ..points.interface_points import InterfacePoints, enough_to_choose_from, lowest_spread
from .extreme_points import DIRECTIONS, bears, hulls_of_regions
from .flat_pairs import flat_pairs
from .level_support import level_support

_MOST = 128  # flat interface points that a state goes on with: more than a step's QP needs, few enough for it
_FARTHER = 8.0  # factor by which the neighbourhood of the contact that is searched grows if it has not enough
_FIRST = 1.0 / 8.0  # part of the reach that is searched first where nothing is known
NARROW = 0.1  # reach over R of which all is searched at once
_FEW = 500  # triangles of a body, of which it is if nothing else is searched with it


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
    support = level_support(body_pair, reach, tracked, enough_to_choose_from(_MOST))
    if support is not None:
        t1, t2 = _near_triangles(body_pair, reach, before, support.face)
        points = flat_pairs(body_pair, t1, t2, before, reach, support.over)
        return lowest(points, body_pair.sign_tolerance)
    close = _first_reach(body_pair, reach, tracked, before is not None)
    while close < reach:
        t1, t2 = _near_triangles(body_pair, close, before)
        if len(t1) >= _MOST:
            points = flat_pairs(body_pair, t1, t2, before, close)
            if _suffice(points.gap, close - body_pair.sign_tolerance, body_pair.sign_tolerance):
                return lowest(points, body_pair.sign_tolerance)
        close *= _FARTHER
    t1, t2 = _near_triangles(body_pair, reach, before)
    return lowest(flat_pairs(body_pair, t1, t2, before, reach), body_pair.sign_tolerance)


def _first_reach(body_pair: BodyPair, reach: float, tracked: InterfacePoints, known: bool) -> float:
    """Return how far, a length, to search first; tracked points show how many are how near."""
    if not known:
        few = len(body_pair.active.body.triangles) <= _FEW
        return reach if few and reach <= NARROW * body_pair.radius else _FIRST * reach
    level, gaps = body_pair.sign_tolerance, np.sort(tracked.gap)
    lies_flat = np.count_nonzero(bears(gaps, level)) >= DIRECTIONS
    if len(gaps) < _MOST and not lies_flat:
        return reach
    return float(np.clip(_FARTHER * gaps[len(gaps) // 2], _FARTHER * level, reach))


def lowest(points: InterfacePoints, level: float) -> InterfacePoints:
    """Return the lowest of a pair's flat points, no more than a state goes on with.

    level: a length, its `sign_tolerance`.
    """
    return lowest_spread(hulls_of_regions(points, level), _MOST, level)


def _suffice(gaps: Floats, most: float, level: float) -> bool:
    """Return whether the gaps (k,) below `most` settle which points are the lowest ones; all are lengths.

    They do if there are enough to choose from, or if so many bear the body that no others would be chosen.
    """
    gaps = gaps[gaps < most]
    bear = int(np.count_nonzero(bears(gaps, level)))
    return len(gaps) >= enough_to_choose_from(_MOST) or bear >= _MOST


def _near_triangles(
    body_pair: BodyPair, reach: float, before: BodyPair | None, without: Part | None = None
) -> tuple[Ints, Ints]:
    """Return pairs of triangles (k,) within reach in the directions that their normals allow.

    without: triangles of the world that are left out.
    """
    first, second = body_pair.active.normal_bounds, body_pair.world.normal_bounds
    behind = 0.0 if before is None else farthest_displacement(before, body_pair)
    slack = body_pair.sign_tolerance
    pairs = directional_pairs(first, body_pair.pose, second, reach, slack, behind, without)
    return pairs[:, 0], pairs[:, 1]
