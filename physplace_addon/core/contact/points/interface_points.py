"""Interface points: pairs of features, the points on them, the normal between them and the signed gap.

Snyder 1995, section 4, keeps *contact pairs* (g = 0) and *extremal pairs* (g > 0).  Both are the same value
here: a solved pair with its signed separation g along n, the other body's outward normal.  A point changes
from one to the other when g or its contact force passes through zero (the transitions of section 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...rigid import Poses
from ...vectors import dot
from ..features import EDGE, FACE, VERTEX, FeaturePoints
from ..row_lists import row_keys

FIXED = -1  # stands for all fixed bodies in `body2`
SOFT = 0.3  # K R below which a direction is soft: one point there does not hold up what is a contact curve
PARALLEL = 1e-6  # sine of two edges' angle below which their distance gives the normal, not T1 x T2
_POOL = 4  # points that `lowest_spread` chooses from, as a multiple of those it chooses
_TIE = 1e-6  # relative difference of two squared distances that rounding alone may cause on a regular mesh
Pair = tuple[int, int]
"""The numbers of two bodies: a moving one, and another moving one or FIXED."""

KIND_NAMES = {VERTEX: "vertex", EDGE: "edge", FACE: "face"}


@dataclass(frozen=True, eq=False)
class InterfacePoints(ArrayRecord):
    """k interface points between the active body (1) and the world (2), in the frame of the second body.

    dim1, index1 (k,): feature of the active body, dimension and number.  A planar face and a straight edge
        are one feature, whatever pieces they are made of, and have the number of the first of these.
    piece1 (k,), param1 (k, 2): where the point is on it: face or edge as the body numbers them, parameters.
    dim2, index2, piece2, param2: the same of the world.
    side (k,): +1 or -1, the factor that turns the raw normal (the normal of face 2; minus that of face 1
    where only body 1 has a face; T1 x T2 of two edges) into n.
    on_curve (k,): the point is a sample of a contact curve or area, stationary only in stiff directions.
    softest (k,): the least curvature K of the gap along the pair, 1/length; inf where nothing can slide.
    point1, point2 (k, 3): the points on both features.
    normal (k, 3): n, unit, from body 2 to body 1.
    gap (k,): g = n . (point1 - point2), a length; negative is a depth.
    body1, body2 (k,): numbers of the moving bodies; body2 is FIXED where the second one stands still, and
    its frame is then that of the scene.
    """

    dim1: Ints
    index1: Ints
    piece1: Ints
    param1: Floats
    dim2: Ints
    index2: Ints
    piece2: Ints
    param2: Floats
    side: Floats
    on_curve: Bools
    softest: Floats
    point1: Floats
    point2: Floats
    normal: Floats
    gap: Floats
    body1: Ints
    body2: Ints

    def __len__(self) -> int:
        return len(self.gap)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return all points of one or more parts, in their order."""
        return super().join([part for part in parts if len(part)] or parts[:1])

    @classmethod
    def none(cls) -> InterfacePoints:
        """Return no points."""
        i, f, v, p = np.zeros(0, np.intp), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 2))
        return cls(i, i, i, p, i, i, i, p, f, np.zeros(0, bool), f, v, v, v, f, i, i)

    @classmethod
    def unsolved(cls, first: FeaturePoints, second: FeaturePoints) -> InterfacePoints:
        """Return k pairs of features that are not solved yet: their positions, normals and gaps are zero."""
        k = len(first.dim)
        empty = np.zeros((k, 3))
        return cls(
            first.dim,
            first.index,
            first.piece,
            first.param,
            second.dim,
            second.index,
            second.piece,
            second.param,
            np.ones(k),
            np.zeros(k, bool),
            np.full(k, np.inf),
            empty,
            empty,
            empty,
            np.zeros(k),
            np.zeros(k, np.intp),
            np.full(k, FIXED),
        )

    def kinds(self) -> list[str]:
        """Return the name of each point's kind, active body first: "face/edge"."""
        return [
            f"{KIND_NAMES[int(a)]}/{KIND_NAMES[int(b)]}" for a, b in zip(self.dim1, self.dim2, strict=True)
        ]


def feature_keys(points: InterfacePoints) -> Ints:
    """Return the bodies, dimensions and numbers (k, 6) of the points' two features."""
    columns = (points.body1, points.body2, points.dim1, points.index1, points.dim2, points.index2)
    return np.stack(columns, axis=1)


def rows_with_keys(wanted: Ints, keys: Ints) -> Ints:
    """Return for each wanted key (k, c) the row of one of the keys (m, c) that is the same, or -1."""
    if len(wanted) == 0 or len(keys) == 0:
        return np.full(len(wanted), -1)
    every = np.concatenate([wanted, keys])
    number = row_keys(*(every - every.min(axis=0)).T)
    mine, given = number[: len(wanted)], number[len(wanted) :]
    order = np.argsort(given, kind="stable")
    place = np.searchsorted(given[order], mine, side="right") - 1
    rows: Ints = order[np.maximum(place, 0)]
    return np.where((place >= 0) & (given[rows] == mine), rows, -1)


def rows_nearest(wanted: Ints, places: Floats, keys: Ints, others: Floats) -> Ints:
    """Return for each wanted key (k, c) at a place (k, 3) the row of the nearest of the keys (m, c), at other
    places (m, 3), that are the same, or -1.
    """
    rows = rows_with_keys(wanted, keys)
    same = rows_with_keys(keys, keys)
    number, count = np.unique(same, return_counts=True)
    for last in number[count > 1]:
        mine, given = np.flatnonzero(rows == last), np.flatnonzero(same == last)
        apart = others[given] - places[mine, None]
        rows[mine] = given[(apart**2).sum(axis=2).argmin(axis=1)]
    return rows


def without_duplicates(points: InterfacePoints, distance: float) -> InterfacePoints:
    """Return the points but those within `distance`, a length, of an earlier one of the same two features.

    Two points that have become one vanish but for one: a condition of transitions 3 and 4 of Snyder 1995,
    section 4.2.
    """
    if len(points) < 2:
        return points
    columns = (points.index2, points.dim2, points.index1, points.dim1)
    order = np.lexsort(columns)
    same = np.ones(len(points) - 1, bool)
    for column in columns:
        same &= np.diff(column[order]) == 0
    duplicate = np.zeros(len(points), bool)
    for rows in np.split(order, np.nonzero(~same)[0] + 1) if same.any() else []:
        if len(rows) > 1:
            rows = np.sort(rows)
            offset = points.point1[rows][:, None] - points.point1[rows][None]
            near: Bools = np.tril(dot(offset, offset) < distance**2, -1)
            duplicate[rows] = near.any(axis=1)
    return points.take(np.nonzero(~duplicate)[0])


def enough_to_choose_from(count: int) -> int:
    """Return how many of the lowest points `lowest_spread` looks at to choose `count` of them."""
    return _POOL * count


def lowest_spread(points: InterfacePoints, count: int, level: float) -> InterfacePoints:
    """Return at most `count` of the points: the lowest ones, and others far from these.

    The lowest ones are those that touch, and those within `level`, a length, of the lowest gap.  The others
    are chosen from the `enough_to_choose_from(count)` lowest points, and from those as low as these.  What a
    step would push through something is always among the lowest, so nothing that matters is left out.  On a
    fine mesh the points that carry the body may be surrounded by many that are nearly as low, so a choice by
    the gap alone would depend on rounding.
    """
    if len(points) <= count:
        return points
    order = np.argsort(points.gap, kind="stable")
    gaps = points.gap[order]
    low = points.take(order[gaps <= gaps[: enough_to_choose_from(count)][-1] + level])
    bearing = int(np.count_nonzero(low.gap <= max(low.gap[0], 0.0) + level))
    if bearing >= count:
        return low.take(np.sort(spread_out(low.point1[:bearing], count)))
    return low.take(np.sort(spread_out(low.point1, count, bearing)))


def spread_out(positions: Floats, count: int, given: int = 1) -> Ints:
    """Return the rows (n,), n at most `count`, of those of positions (k, 3) that are far from one another.

    The first `given` positions are taken; then always the one farthest from those taken before, and the first
    of several that are equally far, where rounding would choose among the points of a regular mesh.
    """
    if len(positions) <= count:
        return np.arange(len(positions))
    chosen = np.arange(count)
    axes = np.ascontiguousarray(positions.T)
    squares, nearest = np.empty_like(axes), np.full(len(positions), np.inf)
    for i in range(1, count):
        np.subtract(axes, axes[:, chosen[i - 1], None], out=squares)
        np.multiply(squares, squares, out=squares)
        distance = squares[0]
        distance += squares[1]
        distance += squares[2]
        np.minimum(nearest, distance, out=nearest)
        if i >= given:
            chosen[i] = (nearest >= (1.0 - _TIE) * nearest[nearest.argmax()]).argmax()
    return chosen


def between(points: InterfacePoints, pair: Pair) -> Bools:
    """Return which points (k,) are between the two bodies of a pair."""
    found: Bools = (points.body1 == pair[0]) & (points.body2 == pair[1])
    return found


def grouped(points: InterfacePoints) -> list[tuple[Pair, Bools]]:
    """Return the pairs of bodies that have points, ascending, with the rows of each as a mask (k,)."""
    if len(points) and (points.body1 == points.body1[0]).all() and (points.body2 == points.body2[0]).all():
        return [((int(points.body1[0]), int(points.body2[0])), np.ones(len(points), bool))]
    pairs = sorted(set(zip(points.body1.tolist(), points.body2.tolist(), strict=True)))
    return [(pair, between(points, pair)) for pair in pairs]


def labelled(points: InterfacePoints, pair: Pair) -> InterfacePoints:
    """Return the points with the numbers of the two bodies that they are between."""
    k = len(points)
    return replace(points, body1=np.full(k, pair[0]), body2=np.full(k, pair[1]))


def carried(points: InterfacePoints, poses: Poses) -> InterfacePoints:
    """Return the points, each after a rigid motion of its own: k poses."""
    return replace(
        points,
        point1=poses.points(points.point1),
        point2=poses.points(points.point2),
        normal=poses.vectors(points.normal),
    )
