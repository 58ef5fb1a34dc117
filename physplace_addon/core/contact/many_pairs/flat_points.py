"""Generation of the interface points of many pairs of small solids without curved parts, in one batch.

It is what `points.generation` does pair by pair, where nothing but flat features has points: one traversal
of all pairs of trees, one table of candidates, one evaluation of each kind of features.  Their sides are as
their distance shows them.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision import swept_pairs_of_parts, triangles_intersect
from ..body_pair import BodyPairs
from ..interpenetration import cut_depths
from ..points.interface_points import InterfacePoints, Pair
from ..regions.candidates import NearFeatures
from ..regions.extreme_points import DIRECTIONS
from ..regions.flat_contacts import lowest
from ..regions.flat_pairs import points_of
from .kept_features import searched


def generate_flat_points(
    pairs: BodyPairs, reach: Floats, before: BodyPairs | None, near: NearFeatures | None = None
) -> InterfacePoints:
    """Return the lowest flat points of all pairs, those of one pair after those of another.

    Args:
        pairs: a row for each of p pairs.
        reach: the largest gap (p,), lengths.
        before: the same pairs at poses known to be free of overlap, None if there are none.
        near: what a search would find, if that is known.
    """
    if near is None:
        behind = np.zeros(len(reach)) if before is None else pairs.moved_since(before)
        near = searched(pairs, reach, behind, before, np.zeros(len(reach)))
    points = points_of(near, pairs, before, reach)
    number = pairs.table.numbers_of(points)
    order = np.argsort(number, kind="stable")
    return _lowest_of_each_pair(pairs, points.take(order), number[order])


def _lowest_of_each_pair(pairs: BodyPairs, points: InterfacePoints, number: Ints) -> InterfacePoints:
    """Return of points (k,) of pairs with ascending numbers (k,) those that a state goes on with."""
    counts = np.bincount(number, minlength=len(pairs.number))
    if (counts <= DIRECTIONS).all():
        return points
    parts, end = [], np.cumsum(counts)
    for pair in np.flatnonzero(counts).tolist():
        part = points.take(slice(int(end[pair] - counts[pair]), int(end[pair])))
        level = float(pairs.table.sign_tolerance[pair])
        parts.append(part if counts[pair] <= DIRECTIONS else lowest(part, level))
    return InterfacePoints.join(parts)


def cutting_pairs(pairs: BodyPairs, names: list[Pair], depth: float) -> list[Pair]:
    """Return those of p pairs, given as rows and by name, of which triangles cut through each other by more
    than `depth`, over their R.
    """
    table = pairs.table
    number, t1, t2 = swept_pairs_of_parts(pairs.active.tree, table.roots, table.poses, None).T
    first = table.poses.take(number).points(pairs.active.body.triangles[t1])
    second = pairs.world.body.triangles[t2]
    hit = np.flatnonzero(triangles_intersect(first, second).hit)
    deep = cut_depths(first[hit], second[hit]) > depth * table.radius[number[hit]]
    return [names[each] for each in np.unique(number[hit[deep]]).tolist()]
