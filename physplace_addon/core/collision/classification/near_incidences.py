"""Where segments come within a tolerance of triangles: at corners, on sides, inside.

For edges whose places are known up to a tolerance only, all within that length of a corner, side or triangle
counts as on it:

    a corner        at the closest point of the segment
    a side          at the ends of the segment, and at the closest point unless the two are so nearly parallel
                    that they stay within the tolerance of each other along the whole of one of them
    the interior    at the ends of the segment, and where it goes through

A segment is on a side, or on a triangle, between two places at which it meets that.  Incidences of one
segment that are no farther apart than the tolerance are one place.  Everything is in double
precision: a tolerance below its rounding has no meaning.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length
from .incidences import (
    AT_CORNER,
    AT_END,
    AT_START,
    CORNER,
    INTERIOR,
    ON_PLANE,
    ON_SIDE,
    SIDE,
    Covers,
    Incidences,
)


class _Collected:
    """Incidences that are found one kind after the other, with their parameters."""

    def __init__(self, segment: Ints, triangle: Ints) -> None:
        self.segment, self.triangle = segment, triangle
        self.parts: list[tuple[Incidences, Floats]] = []

    def add(
        self, which: Bools, kind: int, place: int, way: int, t: Floats, crossing: Ints | None = None
    ) -> None:
        """Add the pairs (p,) that are marked, at parameters t (p,)."""
        rows = np.flatnonzero(which)
        zero = np.zeros(len(rows), dtype=np.intp)
        signs = zero if crossing is None else crossing[rows]
        kinds, places, ways = zero + kind, zero + place, zero + way
        found = Incidences(self.segment[rows], self.triangle[rows], kinds, places, ways, signs, zero)
        self.parts.append((found, t[rows]))

    def joined(self) -> tuple[Incidences, Floats]:
        """Return all of them."""
        return Incidences.join([found for found, _ in self.parts]), np.concatenate([t for _, t in self.parts])


def near_incidences(
    segments: Floats, corners: Floats, segment: Ints, triangle: Ints, tolerance: float
) -> tuple[Incidences, Floats, Covers]:
    """Return all incidences of pairs within a tolerance, their parameters (k,), and all
    pairs with each side and with none, which they may be on.

    Args:
        segments: (s, 2, 3).
        corners: of the triangles (t, 3, 3).
        segment, triangle: the pairs (p,).
        tolerance: a length.
    """
    p, q = segments[segment].transpose(1, 0, 2)
    abc = corners[triangle].transpose(1, 0, 2)
    found = _Collected(segment, triangle)
    for i, x in enumerate(abc):
        _near_corner(found, p, q, x, i, tolerance)
        _near_side(found, p, q, x, abc[(i + 1) % 3], i, tolerance)
    _near_interior(found, p, q, abc, tolerance)
    incidences, t = found.joined()
    side = np.repeat(np.arange(-1, 3), len(segment))
    return incidences, t, Covers(np.tile(segment, 4), np.tile(triangle, 4), side)


def _near_corner(found: _Collected, p: Floats, q: Floats, x: Floats, i: int, tolerance: float) -> None:
    """Add the incidences of segments pq (k, 3) with corners x (k, 3)."""
    along = q - p
    t = np.clip(dot(x - p, along) / dot(along, along), 0.0, 1.0)
    found.add(length(p + t[:, None] * along - x) <= tolerance, CORNER, i, AT_CORNER, t)


def _near_side(
    found: _Collected, p: Floats, q: Floats, a: Floats, b: Floats, i: int, tolerance: float
) -> None:
    """Add the incidences of segments pq (k, 3) with the insides of sides ab (k, 3)."""
    side, along, offset = b - a, q - p, p - a
    square, product, own = dot(side, side), dot(side, along), dot(along, along)
    for x, way in ((p, AT_START), (q, AT_END)):
        u = dot(x - a, side) / square
        near = (u > 0.0) & (u < 1.0) & (length(a + u[:, None] * side - x) <= tolerance)
        found.add(near, SIDE, i, way, np.full(len(p), float(way == AT_END)))
    turned = np.maximum(own * square - product**2, 0.0)  # squared, of the area between them
    apart = turned > tolerance**2 * np.maximum(own, square)
    whole = np.where(apart, turned, 1.0)
    t = (product * dot(side, offset) - square * dot(along, offset)) / whole
    u = (own * dot(side, offset) - product * dot(along, offset)) / whole
    near = apart & (t > 0.0) & (t < 1.0) & (u > 0.0) & (u < 1.0)
    near &= length(offset + t[:, None] * along - u[:, None] * side) <= tolerance
    found.add(near, SIDE, i, ON_SIDE, t)


def _near_interior(found: _Collected, p: Floats, q: Floats, abc: Floats, tolerance: float) -> None:
    """Add the incidences of segments pq (k, 3) with the interiors of triangles (corner 3, k, 3)."""
    normal = cross(abc[1] - abc[0], abc[2] - abc[0])
    normal /= length(normal)[:, None]
    first, last = dot(normal, p - abc[0]), dot(normal, q - abc[0])
    for x, height, way in ((p, first, AT_START), (q, last, AT_END)):
        near = (np.abs(height) <= tolerance) & _inside(x, abc, normal)
        found.add(near, INTERIOR, 0, way, np.full(len(p), float(way == AT_END)))
    through = first * last < 0.0
    t = first / np.where(through, first - last, 1.0)
    through &= _inside(p + t[:, None] * (q - p), abc, normal)
    found.add(through, INTERIOR, 0, ON_PLANE, t, np.where(first < 0.0, 1, -1))


def _inside(x: Floats, abc: Floats, normal: Floats) -> Bools:
    """Return whether points x (k, 3) project into the interiors of triangles (corner 3, k, 3), (k,)."""
    sides = [dot(cross(abc[(i + 1) % 3] - abc[i], x - abc[i]), normal) > 0.0 for i in range(3)]
    inside: Bools = sides[0] & sides[1] & sides[2]
    return inside


def near_places(segments: Floats, found: Incidences, t: Floats, tolerance: float) -> Ints:
    """Return the place (k,) of each incidence among those of its segment, from parameters t (k,).

    Incidences no farther apart than the tolerance are at one place.  Those at the two ends of a segment never
    are.  The place counts on from one segment to the next.
    """
    size = length(segments[:, 1] - segments[:, 0])[found.segment]
    reach = np.minimum(tolerance, 0.25 * size)
    away = t * size
    part = np.where(away <= reach, 0, np.where(away >= size - reach, 2, 1))
    order = np.lexsort((away, part, found.segment))
    key, ordered = (3 * found.segment + part)[order], away[order]
    new = (np.diff(key) != 0) | ((part[order][1:] == 1) & (np.diff(ordered) > reach[order][1:]))
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(np.concatenate([[0], new]))
    return place
