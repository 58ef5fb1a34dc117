"""Interface points: pairs of features, the points on them, the normal between and the signed gap.

Snyder 1995, section 4, keeps *contact pairs* (g = 0) and *extremal pairs* (g > 0).  Both are one thing here:
a solved pair with its signed separation g along n, the other body's outward normal; its transitions are
changes of g and f.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..features import EDGE, FACE, VERTEX

FIXED = -1  # the number, among the bodies, of what stands still
LOW = 4  # times as many points as are chosen may be chosen from
_TIE = 1e-6
KIND_NAMES = {VERTEX: "vertex", EDGE: "edge", FACE: "face"}


@dataclass(frozen=True, eq=False)
class InterfacePoints:
    """k interface points between the active body (1) and the world (2).

    dim1, index1, param1: feature of the active body (dimension, number, parameters (k, 2)); dim2, index2,
    param2: of the world.  side (k,): +1 or -1, what turns the raw normal (face normal of 2, minus that of 1,
    T1 x T2) into n. held (k,): a sample on a contact curve or area, stationary only in stiff directions.
    softest (k,): the least curvature K of the gap along the pair, 1/length; inf where nothing can slide.
    point1, point2 (k, 3) in the frame of body 2; normal (k, 3) = n, unit, from body 2 to body 1; gap (k,): n
    . (point1 - point2), < 0 is depth.  body1, body2 (k,): which moving bodies they are between; FIXED: what
    stands still, whose frame is the world's.
    """

    dim1: Ints
    index1: Ints
    param1: Floats
    dim2: Ints
    index2: Ints
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

    def take(self, rows: Ints | Bools | slice) -> InterfacePoints:
        """Return the given rows: indices, a mask or a slice."""
        if isinstance(rows, slice):
            return InterfacePoints(*[getattr(self, name)[rows] for name in _COLUMNS])
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)  # looked for once, and not in each column
        return InterfacePoints(*[getattr(self, name).take(rows, axis=0) for name in _COLUMNS])

    def copy(self) -> InterfacePoints:
        """Return the same points in arrays of their own."""
        return InterfacePoints(*[getattr(self, name).copy() for name in _COLUMNS])

    def put(self, rows: Bools, part: InterfacePoints) -> None:
        """Write `part` over the rows of a mask; only for whoever has just made this copy."""
        for name in _COLUMNS:
            getattr(self, name)[rows] = getattr(part, name)

    @classmethod
    def join(cls, parts: list[InterfacePoints]) -> InterfacePoints:
        """Concatenate."""
        if len(parts) > 1:
            parts = [part for part in parts if len(part)] or parts[:1]
        return cls(*[np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS])

    @classmethod
    def none(cls) -> InterfacePoints:
        """Return no points."""
        i, f, v, p = np.zeros(0, np.intp), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 2))
        return cls(i, i, p, i, i, p, f, np.zeros(0, bool), f, v, v, v, f, i, i)

    def kinds(self) -> list[str]:
        """Name each point's kind, active body first: "face/edge"."""
        return [
            f"{KIND_NAMES[int(a)]}/{KIND_NAMES[int(b)]}" for a, b in zip(self.dim1, self.dim2, strict=True)
        ]


_COLUMNS = tuple(field.name for field in fields(InterfacePoints))


def without_doubles(points: InterfacePoints, distance: float) -> InterfacePoints:
    """Drop points that lie within `distance` of an earlier one of the same two features (section 4.2)."""
    if len(points) < 2:
        return points
    columns = (points.index2, points.dim2, points.index1, points.dim1)
    order = np.lexsort(columns)
    same = np.ones(len(points) - 1, bool)
    for column in columns:
        same &= np.diff(column[order]) == 0
    doubled = np.zeros(len(points), bool)
    for rows in np.split(order, np.nonzero(~same)[0] + 1) if same.any() else []:
        if len(rows) > 1:
            rows = np.sort(rows)
            offset = points.point1[rows][:, None] - points.point1[rows][None]
            near: Bools = np.tril(dot(offset, offset) < distance**2, -1)
            doubled[rows] = near.any(axis=1)
    return points.take(np.nonzero(~doubled)[0])


def lowest_spread(points: InterfacePoints, count: int, level: float) -> InterfacePoints:
    """Return at most `count` of the points: those that touch or are as low as the lowest but for `level`, and
    of LOW times `count` that are lowest, and those as low as these, those far from the ones that are chosen.

    What a step would push through something is always among the lowest, so nothing that matters goes unseen;
    of a face that lies flat all corners are as low.  On a fine mesh what carries it may lie in the midst of
    many that are nearly as low: it is not left to chance.
    """
    if len(points) <= count:
        return points
    order = np.argsort(points.gap, kind="stable")
    gaps = points.gap[order]
    low = points.take(order[gaps <= gaps[: LOW * count][-1] + level])
    bearing = int(np.count_nonzero(low.gap <= max(low.gap[0], 0.0) + level))
    if bearing >= count:
        return low.take(np.sort(spread_out(low.point1[:bearing], count)))
    return low.take(np.sort(spread_out(low.point1, count, bearing)))


def spread_out(positions: Floats, count: int, given: int = 1) -> Ints:
    """Choose `count` of the positions (k, 3) far from one another: the first ones, `given`, and then always
    the farthest from those chosen, the first of several that are as far: on a regular mesh rounding would
    choose among them.
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
