"""How often a closed surface winds around points, and which it encloses: a ray from those meets it an odd
number of times. A point is wound around once more for each time the ray leaves than it enters.

The ray runs along a direction in general position, so that it meets no edge of what is modelled on axes and
grids. With the triangles sorted by where they begin across the ray, a point's candidates are a run of them.
"""

from __future__ import annotations

import numpy as np

from .arrays import Bools, Floats, Ints

_AXES = np.linalg.qr(np.array([[0.83, 0.31, 0.46], [-0.29, 0.95, 0.12], [0.41, 0.23, -0.88]]))[0]
_AXES *= np.sign(np.linalg.det(_AXES))  # right-handed, to tell which way triangles are wound
_AT_ONCE = 1_000_000  # pairs of a point and a triangle


def encloses(corners: Floats, points: Floats) -> Bools:
    """Whether closed triangles (t, 3, 3), wound either way, enclose points (m, 3) that are not on them."""
    inside: Bools = windings(corners, points) % 2 == 1
    return inside


def windings(corners: Floats, points: Floats) -> Ints:
    """How often closed triangles (t, 3, 3) wind around points (m, 3) that are not on them, (m,): 1 inside of
    what is wound outward, -1 of what is inside out.
    """
    turned, seen = corners @ _AXES, points @ _AXES
    turned = turned[np.argsort(turned[:, :, 0].min(axis=1))]
    begins, widest = turned[:, :, 0].min(axis=1), float(np.ptp(turned[:, :, 0], axis=1).max())
    first = np.searchsorted(begins, seen[:, 0] - widest)
    count = np.searchsorted(begins, seen[:, 0], side="right") - first
    winds = np.zeros(len(points), dtype=np.intp)
    for rows in _portions(count):
        point = np.repeat(rows, count[rows])
        place = np.arange(len(point)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
        met = _meets(turned[first[point] + place], seen[point])
        found = np.bincount(point - rows[0], weights=met, minlength=len(rows))
        winds[rows] = found.astype(np.intp)
    return winds


def _portions(count: Ints) -> list[Ints]:
    """The numbers of points with `count` (m,) candidates each, in portions that fit into memory."""
    portion = np.cumsum(count) // _AT_ONCE
    return np.split(np.arange(len(count)), np.flatnonzero(np.diff(portion)) + 1)


def _meets(corners: Floats, points: Floats) -> Ints:
    """Whether rays from points (k, 3) along the third axis meet triangles (k, 3, 3): 1 where they go out, -1
    where they go in, else 0.
    """
    arms = corners - points[:, None]
    following = np.roll(arms, -1, axis=1)
    turn = arms[:, :, 0] * following[:, :, 1] - arms[:, :, 1] * following[:, :, 0]
    around = (turn > 0.0).all(axis=1) | (turn < 0.0).all(axis=1)
    total = turn.sum(axis=1)
    height = (turn * np.roll(arms[:, :, 2], 1, axis=1)).sum(axis=1)
    met: Ints = np.where(around & (height * total > 0.0), np.sign(total), 0.0).astype(np.intp)
    return met
