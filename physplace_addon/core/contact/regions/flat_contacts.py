"""The interface points of flat features that a state goes on with: the lowest ones, spread over the contact.

A body that lies flat on a fine mesh has thousands of pairs within reach.  Those that can stop a step are
among the lowest, so a fixed number of them is kept.  Where the body lay flat before, the neighbourhood of the
contact alone has enough pairs, and the whole reach is searched only if it has not.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision import directional_pairs
from ..body_pair import BodyPair, farthest_displacement
from ..points.interface_points import InterfacePoints, enough_to_choose_from, lowest_spread
from .flat_pairs import flat_pairs

_MOST = 128  # flat interface points that a state goes on with: more than a step's QP needs, few enough for it
_CLOSE = 1.0 / 8.0  # part of the reach that is searched first; its square, where the body lay flat before


def lowest_of_plain(
    body_pair: BodyPair, reach: float, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    """Return the lowest flat points of a pair in which nothing is curved.

    A part of the reach is searched first.  If that has enough points, those of the whole reach are the same.

    Args:
        body_pair: the pair.
        reach: the largest gap that is searched, a length.
        tracked: its points of the last state; how many of them touch decides which part is searched first.
        before: the pair at the last pose, None if there is none.
    """
    lay_flat = np.count_nonzero(tracked.gap <= body_pair.sign_tolerance) >= _MOST
    for close in (_CLOSE**2 * reach, _CLOSE * reach) if lay_flat else (_CLOSE * reach,):
        t1, t2 = _near_triangles(body_pair, close, before)
        if len(t1) >= _MOST:
            points = flat_pairs(body_pair, t1, t2, before, close)
            if _suffice(points.gap, close - body_pair.sign_tolerance, body_pair.sign_tolerance):
                return lowest(body_pair, points)
    t1, t2 = _near_triangles(body_pair, reach, before)
    return lowest(body_pair, flat_pairs(body_pair, t1, t2, before, reach))


def lowest(body_pair: BodyPair, points: InterfacePoints) -> InterfacePoints:
    """Return the lowest of the flat points, no more than a state goes on with."""
    return lowest_spread(points, _MOST, body_pair.sign_tolerance)


def _suffice(gaps: Floats, most: float, level: float) -> bool:
    """Return whether the gaps (k,) below `most` settle which points are the lowest ones; all are lengths.

    They do if there are enough to choose from, or if so many bear the body that no others would be chosen.
    """
    gaps = gaps[gaps < most]
    bearing = max(float(gaps.min(initial=np.inf)), 0.0) + level
    bear = int(np.count_nonzero(gaps <= bearing)) if bearing < most else 0
    return len(gaps) >= enough_to_choose_from(_MOST) or bear >= _MOST


def _near_triangles(body_pair: BodyPair, reach: float, before: BodyPair | None) -> tuple[Ints, Ints]:
    """Return pairs of triangles (k,) within reach in the directions that their normals allow."""
    first, second = body_pair.active.normal_bounds, body_pair.world.normal_bounds
    behind = 0.0 if before is None else farthest_displacement(before, body_pair)
    pairs = directional_pairs(first, body_pair.pose, second, reach, body_pair.sign_tolerance, behind)
    return pairs[:, 0], pairs[:, 1]
