"""The order of incidences along segments, exactly.

The parameter t of an incidence is found in double precision, with a bound of its error.  Incidences whose
intervals may overlap are put in order by their exact parameters, which are fractions of integers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from ...arrays import Bools, Floats, Ints
from .exact_signs import EPSILON, Integers, areas, exact_areas, exact_volumes, integers, volumes
from .incidences import AT_CORNER, AT_END, AT_START, ON_PLANE, ON_SIDE, Incidences

_SURE = 1e-9
"""Largest error of a parameter that is used; beyond that it is taken from integers."""


def parameters(segments: Floats, corners: Floats, found: Incidences) -> tuple[Floats, Bools]:
    """Return the parameters (k,) of incidences, from 0 to 1, and whether they are right to `_SURE`.

    Args:
        segments: (s, 2, 3).
        corners: of the triangles (t, 3, 3).
        found: the incidences.
    """
    t, sure = np.where(found.way == AT_END, 1.0, 0.0), np.ones(len(found.way), dtype=bool)
    for way in (ON_PLANE, ON_SIDE):
        rows = np.flatnonzero(found.way == way)
        if len(rows):
            base, p, q = _measured(segments, corners, found.take(rows), way)
            (first, error1), (last, error2) = _sizes(base, p), _sizes(base, q)
            size = np.abs(first - last)
            sure[rows] = 4.0 * (error1 + error2) <= _SURE * size
            t[rows] = np.clip(np.divide(first, first - last, out=np.zeros(len(rows)), where=size > 0.0), 0, 1)
    rows = np.flatnonzero(found.way == AT_CORNER)
    p, q, x = _along(segments, corners, found.take(rows))
    t[rows] = (x - p) / (q - p)
    sure[rows] = 16.0 * EPSILON * np.maximum(np.abs(p), np.abs(q)) <= _SURE * np.abs(q - p)
    return t, sure


def exact_parameters(segments: Floats, corners: Floats, found: Incidences) -> list[Fraction]:
    """Return the exact parameters (k,) of incidences; arguments as for `parameters`."""
    result = [Fraction(int(way == AT_END)) for way in found.way]
    for way in (ON_PLANE, ON_SIDE):
        rows = np.flatnonzero(found.way == way)
        if len(rows):
            base, p, q = _measured(segments, corners, found.take(rows), way)
            *whole, p, q = integers(len(base), *base, p, q)
            first, last = _exact_sizes(whole, p), _exact_sizes(whole, q)
            for row, a, b in zip(rows, first, last, strict=True):
                result[row] = Fraction(int(a), int(a) - int(b))
    rows = np.flatnonzero(found.way == AT_CORNER)
    for row, p, q, x in zip(rows, *_along(segments, corners, found.take(rows)), strict=True):
        origin = Fraction(p)
        result[row] = (Fraction(x) - origin) / (Fraction(q) - origin)
    return result


def _measured(
    segments: Floats, corners: Floats, found: Incidences, way: int
) -> tuple[list[Floats], Floats, Floats]:
    """Return the points from which volumes (way ON_PLANE) or areas (ON_SIDE) to the ends of segments are
    measured, three or two, and these ends, in space or in the plane.
    """
    ends, triangle = segments[found.segment], corners[found.triangle]
    if way == ON_PLANE:
        return list(triangle.transpose(1, 0, 2)), ends[:, 0], ends[:, 1]
    kept = np.array([[1, 2], [2, 0], [0, 1]])[found.axis]
    rows = np.arange(len(kept))
    base = [triangle[rows[:, None], ((found.place + i) % 3)[:, None], kept] for i in range(2)]
    return base, ends[rows[:, None], 0, kept], ends[rows[:, None], 1, kept]


def _sizes(base: list[Floats], end: Floats) -> tuple[Floats, Floats]:
    """Return the volumes or areas (k,) from two or three points to an end, and bounds of their errors."""
    return volumes(base[0], base[1], base[2], end) if len(base) == 3 else areas(base[0], base[1], end)


def _exact_sizes(base: list[Integers], end: Integers) -> Integers:
    """Return the same of integer points."""
    if len(base) == 3:
        return exact_volumes(base[0], base[1], base[2], end)
    return exact_areas(base[0], base[1], end)


def _along(segments: Floats, corners: Floats, found: Incidences) -> tuple[Floats, Floats, Floats]:
    """Return the coordinates (k,) of both ends and of the corner along the longest axis of each segment."""
    ends, x = segments[found.segment], corners[found.triangle, found.place]
    axis = np.abs(ends[:, 1] - ends[:, 0]).argmax(axis=1)
    rows = np.arange(len(axis))
    return ends[rows, 0, axis], ends[rows, 1, axis], x[rows, axis]


def ranks(segments: Floats, corners: Floats, found: Incidences) -> tuple[Ints, Floats]:
    """Return the place (k,) of each incidence among those of its segment, equal for equal parameters, and the
    parameters (k,).

    Every segment has incidences at both of its ends.  The place counts on from one segment to the next.
    """
    t, sure = parameters(segments, corners, found)
    order = np.lexsort((t, found.segment))
    close = _close(len(segments), found, t, sure, order)
    way = found.way[order]
    equal = close & (way[1:] == way[:-1]) & ((way[1:] == AT_START) | (way[1:] == AT_END))
    group = np.cumsum(np.concatenate([[False], ~close]))
    unclear = np.bincount(group[1:], weights=close & ~equal, minlength=int(group[-1]) + 1) > 0
    rows = np.flatnonzero(unclear[group])
    if len(rows):
        exact = exact_parameters(segments, corners, found.take(order[rows]))
        by_value = sorted(range(len(rows)), key=lambda i: (group[rows[i]], exact[i]))
        order[rows] = order[rows][by_value]
        t[order[rows]] = [float(exact[i]) for i in by_value]
        same = [exact[i] == exact[j] for i, j in itertools.pairwise(by_value)]
        equal[rows[1:] - 1] = np.array(same, dtype=bool) & (group[rows[1:]] == group[rows[:-1]])
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(np.concatenate([[0], ~equal]))
    return place, t


def _close(count: int, found: Incidences, t: Floats, sure: Bools, order: Ints) -> Bools:
    """Return whether each incidence and the next one (k - 1,) in an order may have equal parameters.

    Args:
        count: of the segments.
        found, t, sure: the incidences, their parameters, and whether these are sure, (k,).
        order: by segments and parameters (k,).
    """
    doubtful = np.zeros(count, dtype=bool)
    doubtful[found.segment[~sure]] = True
    segment = found.segment[order]
    near = (np.diff(t[order]) <= 2.0 * _SURE) | doubtful[segment[1:]]
    close: Bools = near & (segment[1:] == segment[:-1])
    return close
