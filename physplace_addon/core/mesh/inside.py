"""Two tests of whether points are inside closed triangle meshes.

`windings` and `encloses` count how often a ray from a point meets the surface.  This is exact for a
watertight mesh, gives whole numbers, and costs only the triangles that the ray can meet.  The ray runs along
a direction in general position, so that it meets no edge of what is modelled on axes and grids.  With the
triangles sorted by where they begin across the ray, a point's candidates are a run of them, as long as the
widest triangle reaches: so triangles of very different widths are searched apart.

`winding_number` sums the solid angles of all triangles (Van Oosterom and Strackee 1983).  It is a real
number, which changes little where a mesh has a small hole or triangles that overlap, so a threshold of one
half still separates inside from outside there.  It costs every triangle for every point.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import cross, dot, length

_AXES = np.linalg.qr(np.array([[0.83, 0.31, 0.46], [-0.29, 0.95, 0.12], [0.41, 0.23, -0.88]]))[0]
_AXES *= np.sign(np.linalg.det(_AXES))
"""A frame in general position (columns), right-handed so that it keeps the way triangles are wound.  The ray
is its third axis."""

_WIDTHS = (0.1, 0.01, 0.001)
"""Widths across the ray, over the widest triangle's, below which triangles are searched apart."""

_RAY_PAIRS = 1_000_000
"""Pairs of a ray and a triangle to work on at once: they take some 0.4 GB."""

_ANGLE_PAIRS = 20_000
"""Pairs of a point and a triangle to work on at once, so that intermediate arrays stay in the cache."""


def encloses(corners: Floats, points: Floats) -> Bools:
    """Return whether closed triangles (t, 3, 3), wound either way, enclose points (m, 3); (m,).

    No point may lie on the triangles.
    """
    inside: Bools = windings(corners, points) % 2 == 1
    return inside


def windings(corners: Floats, points: Floats) -> Ints:
    """Return how often closed triangles (t, 3, 3) wind around points (m, 3); (m,).

    It is 1 inside a surface that is wound outward, -1 inside one that is inside out, 0 outside.  No point may
    lie on the triangles.
    """
    turned, seen = corners @ _AXES, points @ _AXES
    width = np.ptp(turned[:, :, 0], axis=1)
    kind = np.zeros(len(width), dtype=np.intp)
    for share in _WIDTHS:
        kind += width < share * width.max()
    winds = np.zeros(len(points), dtype=np.intp)
    for number in np.unique(kind).tolist():
        winds += _windings_alike(turned[kind == number], seen)
    return winds


def _windings_alike(turned: Floats, seen: Floats) -> Ints:
    """Return what `windings` does, in the frame of the ray, for triangles (t, 3, 3) of about the same
    width.
    """
    turned = turned[np.argsort(turned[:, :, 0].min(axis=1))]
    begins, widest = turned[:, :, 0].min(axis=1), float(np.ptp(turned[:, :, 0], axis=1).max())
    first = np.searchsorted(begins, seen[:, 0] - widest)
    count = np.searchsorted(begins, seen[:, 0], side="right") - first
    winds = np.zeros(len(seen), dtype=np.intp)
    for rows in _portions(count):
        point = np.repeat(rows, count[rows])
        place = np.arange(len(point)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
        met = _meets(turned[first[point] + place], seen[point])
        found = np.bincount(point - rows[0], weights=met, minlength=len(rows))
        winds[rows] = found.astype(np.intp)
    return winds


def _portions(count: Ints) -> list[Ints]:
    """Return the numbers of points that have `count` (m,) candidates each, split into portions."""
    portion = np.cumsum(count) // _RAY_PAIRS
    return np.split(np.arange(len(count)), np.flatnonzero(np.diff(portion)) + 1) if len(count) else []


def _meets(corners: Floats, points: Floats) -> Ints:
    """Return where rays from points (k, 3) along the third axis meet triangles (k, 3, 3); (k,).

    It is 1 where a ray leaves, -1 where it enters, 0 where it misses.
    """
    arms = corners - points[:, None]
    following = np.roll(arms, -1, axis=1)
    turn = arms[:, :, 0] * following[:, :, 1] - arms[:, :, 1] * following[:, :, 0]
    around = (turn > 0.0).all(axis=1) | (turn < 0.0).all(axis=1)
    total = turn.sum(axis=1)
    height = (turn * np.roll(arms[:, :, 2], 1, axis=1)).sum(axis=1)
    met: Ints = np.where(around & (height * total > 0.0), np.sign(total), 0.0).astype(np.intp)
    return met


def winding_number(points: Floats, triangles: Floats) -> Floats:
    """Return how often triangles (t, 3, 3) wind around points (..., 3); (...).

    It is the sum of the triangles' solid angles over 4 pi: 1 inside a closed surface that is wound outward, 0
    outside, anything between near the holes of an open one.
    """
    places = points.reshape(-1, 3)
    numbers = np.zeros(len(places))
    at_once = max(1, _ANGLE_PAIRS // len(triangles))
    for begin in range(0, len(places), at_once):
        rows = slice(begin, begin + at_once)
        a, b, c = (triangles - places[rows, None, None]).transpose(2, 0, 1, 3)
        la, lb, lc = length(a), length(b), length(c)
        volume = dot(a, cross(b, c))
        cosine = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        numbers[rows] = np.arctan2(volume, cosine).sum(axis=1) / (2.0 * np.pi)
    return numbers.reshape(points.shape[:-1])
