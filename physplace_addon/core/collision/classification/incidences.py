"""Where segments meet triangles: at corners, on sides, inside, with exact signs.

A segment PQ and a triangle ABC.  With h(X) = det (A - X, B - X, C - X), the height of X over the plane times
twice the area, and s(AB) = det (P - B, Q - B, A - B):

transversal
    h(P) and h(Q) differ in sign, or one of them is zero.  The segment meets the plane at t = h(P) / (h(P) -
    h(Q)).  It meets the triangle if s of the three sides do not differ in sign.  Where one of them is zero
    the place is on that side, where two are, at their common corner.
in the plane
    h(P) = h(Q) = 0.  The same questions are asked in the plane, along whichever axis the triangle's normal
    is longest.  Incidences are then corners of the triangle on the segment, crossings of sides, and ends of
    the segment on sides or inside.

Every sign is exact (`exact_signs`), so neighbouring triangles agree on what happens at what they share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import cross
from .exact_signs import area_signs, volume_signs

AT_START, AT_END, ON_PLANE, ON_SIDE, AT_CORNER = range(5)
"""How the parameter t of an incidence is found: 0, 1, from heights, from areas beside a side, or from a
corner's coordinates."""

CORNER, SIDE, INTERIOR = range(3)


@dataclass(frozen=True, eq=False)
class Incidences(ArrayRecord):
    """k times that a segment meets a triangle at one place.

    segment, triangle (k,): their numbers.  kind (k,): CORNER, SIDE or INTERIOR of the triangle.
    place (k,): the number (0 to 2) of the corner, or of the side that begins there; 0 for the interior.
    way (k,): how t is found.  crossing (k,): +1 where the segment leaves through the interior of the triangle
        to the side of its normal, -1 where it comes from there, 0 for all else.
    axis (k,): the axis that is left out in the triangle's plane, for ON_SIDE.
    """

    segment: Ints
    triangle: Ints
    kind: Ints
    place: Ints
    way: Ints
    crossing: Ints
    axis: Ints


@dataclass(frozen=True, eq=False)
class Covers(ArrayRecord):
    """k pairs of a segment in the plane of a triangle.

    segment, triangle (k,).  side (k,): the triangle's side on whose line the segment lies, -1 for none.
    """

    segment: Ints
    triangle: Ints
    side: Ints


def incidences_of(
    segments: Floats, corners: Floats, segment: Ints, triangle: Ints
) -> tuple[Incidences, Covers]:
    """Return all incidences of pairs of segments and triangles, and the pairs that lie in one plane.

    Args:
        segments: (k, 2, 3), of distinct ends.
        corners: of the triangles (t, 3, 3).
        segment, triangle: the pairs (p,).
    """
    p, q = segments[segment, 0], segments[segment, 1]
    abc = corners[triangle]
    at_start = volume_signs(abc[:, 0], abc[:, 1], abc[:, 2], p)
    at_end = volume_signs(abc[:, 0], abc[:, 1], abc[:, 2], q)
    rows = np.flatnonzero((at_start * at_end <= 0) & ((at_start != 0) | (at_end != 0)))
    across = _transversal(p[rows], q[rows], abc[rows], at_start[rows], at_end[rows], rows)
    rows = np.flatnonzero((at_start == 0) & (at_end == 0))
    within, side = _in_plane(p[rows], q[rows], abc[rows], rows)
    found = Incidences.join([across, *within])
    pair = found.segment  # until here the number of the pair
    numbered = Incidences(
        segment[pair], triangle[pair], found.kind, found.place, found.way, found.crossing, found.axis
    )
    return numbered, Covers(segment[rows], triangle[rows], side)


def _incidences(
    pair: Ints, kind: Ints | int, place: Ints, way: Ints | int, crossing: Ints | int = 0, axis: Ints | int = 0
) -> Incidences:
    """Return incidences of pairs (k,); numbers stand for arrays of them."""
    full = [np.broadcast_to(np.asarray(value, dtype=np.intp), pair.shape) for value in (kind, place, way)]
    more = [np.broadcast_to(np.asarray(value, dtype=np.intp), pair.shape) for value in (crossing, axis)]
    return Incidences(pair, np.zeros_like(pair), *full, *more)


def _transversal(p: Floats, q: Floats, abc: Floats, at_start: Ints, at_end: Ints, pair: Ints) -> Incidences:
    """Return the incidences of segments pq (k, 3) that meet the planes of triangles (k, 3, 3) in a point.

    Args:
        p, q, abc: the pairs.
        at_start, at_end: signs (k,) of the heights of the ends; not both are zero.
        pair: the number (k,) of each pair.
    """
    signs = np.stack([volume_signs(p, q, abc[:, i], abc[:, (i + 1) % 3]) for i in range(3)], axis=1)
    rows = np.flatnonzero(~((signs > 0).any(axis=1) & (signs < 0).any(axis=1)))
    signs, at_start, at_end = signs[rows], at_start[rows], at_end[rows]
    zero = signs == 0
    count = zero.sum(axis=1)
    kind = np.choose(count, [INTERIOR, SIDE, CORNER])
    # Sides i and i + 1 meet at corner i + 1.
    corner = np.where(zero[:, 0] & zero[:, 1], 1, np.where(zero[:, 1] & zero[:, 2], 2, 0))
    place = np.choose(kind, [corner, zero.argmax(axis=1), 0])
    way = np.where(at_start == 0, AT_START, np.where(at_end == 0, AT_END, ON_PLANE))
    way = np.where((way == ON_PLANE) & (kind == CORNER), AT_CORNER, way)
    # det (A - X, B - X, C - X) is negative above the plane.
    crossing = np.where((kind == INTERIOR) & (way == ON_PLANE), at_start, 0)
    return _incidences(pair[rows], kind, place, way, crossing)


def _in_plane(p: Floats, q: Floats, abc: Floats, pair: Ints) -> tuple[list[Incidences], Ints]:
    """Return the incidences of segments pq (k, 3) in the planes of triangles (k, 3, 3), and the side (k,) on
    whose line each lies, -1 for none.
    """
    normal = cross(abc[:, 1] - abc[:, 0], abc[:, 2] - abc[:, 0])
    axis = np.abs(normal).argmax(axis=1)
    kept = np.array([[1, 2], [2, 0], [0, 1]])[axis]
    rows = np.arange(len(pair))[:, None]
    p2, q2 = p[rows, kept], q[rows, kept]
    abc2 = np.stack([abc[rows[:, 0][:, None], i, kept] for i in range(3)], axis=1)
    beside = np.stack([area_signs(p2, q2, abc2[:, i]) for i in range(3)], axis=1)
    start, end = (
        np.stack([area_signs(abc2[:, i], abc2[:, (i + 1) % 3], x) for i in range(3)], axis=1)
        for x in (p2, q2)
    )
    found = [*_at_corners(p2, q2, abc2, beside, pair), *_across_sides(beside, start, end, pair, axis)]
    for sign, x, way in ((start, p2, AT_START), (end, q2, AT_END)):
        found += _end_inside(sign, x, abc2, beside, pair, way)
    along = (beside == 0) & (np.roll(beside, -1, axis=1) == 0)
    return found, np.where(along.any(axis=1), along.argmax(axis=1), -1)


def _between(x: Floats, a: Floats, b: Floats) -> Bools:
    """Return whether points (k, 2) on the lines of a and b (k, 2) are strictly between them, (k,)."""
    least, most = np.minimum(a, b), np.maximum(a, b)
    inside: Bools = ((least <= x) & (x <= most)).all(axis=1) & (x != a).any(axis=1) & (x != b).any(axis=1)
    return inside


def _at_corners(p: Floats, q: Floats, abc: Floats, beside: Ints, pair: Ints) -> list[Incidences]:
    """Return the incidences of segments with corners of triangles in their planes, in the plane."""
    found = []
    for i in range(3):
        x = abc[:, i]
        first, last = (x == p).all(axis=1), (x == q).all(axis=1)
        rows = np.flatnonzero((beside[:, i] == 0) & (first | last | _between(x, p, q)))
        way = np.where(first[rows], AT_START, np.where(last[rows], AT_END, AT_CORNER))
        found.append(_incidences(pair[rows], CORNER, np.full(len(rows), i), way))
    return found


def _across_sides(beside: Ints, start: Ints, end: Ints, pair: Ints, axis: Ints) -> list[Incidences]:
    """Return the incidences of segments with sides of triangles that they cross, in the plane.

    Args:
        beside: the side (k, 3) of the segment's line on which each corner is.
        start, end: the side of each of the triangle's sides (k, 3) on which the segment's ends are.
        pair, axis: the number (k,) of each pair, and the axis that is left out.
    """
    found = []
    for i in range(3):
        straddled = beside[:, i] * beside[:, (i + 1) % 3] < 0
        rows = np.flatnonzero(straddled & (start[:, i] * end[:, i] <= 0))
        way = np.where(start[rows, i] == 0, AT_START, np.where(end[rows, i] == 0, AT_END, ON_SIDE))
        found.append(_incidences(pair[rows], SIDE, np.full(len(rows), i), way, 0, axis[rows]))
    return found


def _end_inside(sign: Ints, x: Floats, abc: Floats, beside: Ints, pair: Ints, way: int) -> list[Incidences]:
    """Return the incidences of an end of segments with the interiors of triangles, and of their sides along
    the segments, in the plane.

    Args:
        sign: the side (k, 3) of each side of the triangle on which the end is.
        x: the end (k, 2), in the plane.
        abc: the triangles (k, 3, 2), in the plane.
        beside: the side (k, 3) of the segment's line on which each corner is.
        pair: the number (k,) of each pair.
        way: AT_START or AT_END.
    """
    rows = np.flatnonzero(np.abs(sign.sum(axis=1)) == 3)
    found = [_incidences(pair[rows], INTERIOR, np.zeros(len(rows), dtype=np.intp), way)]
    for i in range(3):
        after = (i + 1) % 3
        along = (beside[:, i] == 0) & (beside[:, after] == 0) & _between(x, abc[:, i], abc[:, after])
        rows = np.flatnonzero(along)
        found.append(_incidences(pair[rows], SIDE, np.full(len(rows), i), way))
    return found
