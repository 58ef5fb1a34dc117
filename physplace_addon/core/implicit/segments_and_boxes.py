"""How near to a box a segment comes, and how far from it the box reaches: exactly.

The squared distance from a + t e to a box is a convex, piecewise quadratic function of t, whose pieces end
where the segment crosses one of the planes of the box.  Between its six such t and 0 and 1 each piece has its
own least place; the least of them all is the least there is.  The distance to a segment is a convex function
of the place, so over a box it is greatest at a corner.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_CORNERS = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=np.bool_)


def distances_to_segments(lower: Floats, upper: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest distance (n,) from each box (n, 3) to its segment (n, 3)."""
    return _least(lower, upper, a, b - a), _greatest(lower, upper, a, b - a)


def _least(lower: Floats, upper: Floats, a: Floats, e: Floats) -> Floats:
    bounds = np.zeros((len(a), 8))
    bounds[:, :3], bounds[:, 3:6] = _divided(lower - a, e), _divided(upper - a, e)
    np.clip(bounds, 0.0, 1.0, out=bounds)
    bounds[:, 7] = 1.0
    bounds.sort(axis=1)
    best = _least_places(lower, upper, a, e, 0.5 * (bounds[:, 1:] + bounds[:, :-1]))
    t = np.concatenate((bounds, np.clip(best, bounds[:, :-1], bounds[:, 1:])), axis=1)
    squares = np.zeros(t.shape)
    for i in range(3):
        places = a[:, i, None] + t * e[:, i, None]
        beyond = np.maximum(np.maximum(lower[:, i, None] - places, places - upper[:, i, None]), 0.0)
        squares += beyond * beyond
    least: Floats = np.sqrt(squares.min(axis=1))
    return least


def _least_places(lower: Floats, upper: Floats, a: Floats, e: Floats, t: Floats) -> Floats:
    """Where the quadratic that holds at each t (n, 7) has its least place: any where it has none."""
    pull, steep = np.zeros(t.shape), np.zeros(t.shape)
    for i in range(3):
        places = a[:, i, None] + t * e[:, i, None]
        under, over = places < lower[:, i, None], places > upper[:, i, None]
        goals = np.where(under, lower[:, i, None], np.where(over, upper[:, i, None], 0.0)) - a[:, i, None]
        slopes = np.where(under | over, e[:, i, None], 0.0)
        pull += goals * slopes
        steep += slopes * slopes
    return _divided(pull, steep)


def _divided(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0.0)


def _greatest(lower: Floats, upper: Floats, a: Floats, e: Floats) -> Floats:
    finite = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
    far = np.full(len(a), np.inf)
    a, e = a[finite], e[finite]
    offsets = np.where(_CORNERS, upper[finite, None], lower[finite, None]) - a[:, None]
    along = np.einsum("nci,ni->nc", offsets, e)
    t = np.clip(_divided(along, np.broadcast_to((e * e).sum(axis=1)[:, None], along.shape)), 0.0, 1.0)
    d = offsets - t[..., None] * e[:, None]
    far[finite] = np.sqrt(np.einsum("nci,nci->nc", d, d).max(axis=1, initial=0.0))
    return far
