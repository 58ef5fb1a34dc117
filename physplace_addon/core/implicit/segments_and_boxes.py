"""How near to a box a segment comes, and how far from it the box reaches: exactly.

The squared distance from a + t e to a box is a convex, piecewise quadratic function of t, whose pieces end
where the segment crosses one of the planes of the box.  Between its six such t and 0 and 1 each piece has its
own least place; the least of them all is the least there is.  The distance to a segment is a convex function
of the place, so over a box it is greatest at a corner.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_CORNERS = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=np.float64)


def distances_to_segments(lower: Floats, upper: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest distance (n, k) from boxes (n, 3) to segments (k, 3)."""
    return _least(lower[:, None], upper[:, None], a, b - a), _greatest(lower, upper, a, b - a)


def _least(lower: Floats, upper: Floats, a: Floats, e: Floats) -> Floats:
    """Boxes (n, 1, 3), segments (k, 3)."""
    crossings = np.concatenate((_divided(lower - a, e), _divided(upper - a, e)), axis=-1)
    bounds = np.zeros((*crossings.shape[:-1], 8))
    bounds[..., :6], bounds[..., 7] = np.clip(crossings, 0.0, 1.0), 1.0
    bounds.sort(axis=-1)
    middles = 0.5 * (bounds[..., 1:] + bounds[..., :-1])
    best = _least_places(lower, upper, a, e, middles)
    t = np.concatenate((bounds, np.clip(best, bounds[..., :-1], bounds[..., 1:])), axis=-1)
    places = a[:, None] + t[..., None] * e[:, None]
    beyond = np.maximum(np.maximum(lower[..., None, :] - places, places - upper[..., None, :]), 0.0)
    least: Floats = np.sqrt(np.einsum("...i,...i->...", beyond, beyond).min(axis=-1))
    return least


def _least_places(lower: Floats, upper: Floats, a: Floats, e: Floats, t: Floats) -> Floats:
    """Where the quadratic that holds at each t (n, k, 7) has its least place: any where it has none."""
    places = a[:, None] + t[..., None] * e[:, None]
    under, over = places < lower[..., None, :], places > upper[..., None, :]
    goals = np.where(under, lower[..., None, :], upper[..., None, :]) - a[:, None]
    goals[~np.isfinite(goals)] = 0.0
    slopes = np.where(under | over, e[:, None], 0.0)
    return _divided((goals * slopes).sum(axis=-1), (slopes * slopes).sum(axis=-1))


def _divided(a: Floats, b: Floats) -> Floats:
    b = np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape))
    return np.divide(a, b, out=np.zeros(b.shape), where=b != 0.0)


def _greatest(lower: Floats, upper: Floats, a: Floats, e: Floats) -> Floats:
    corners = np.where(_CORNERS > 0.0, upper[:, None], lower[:, None])[:, None]
    offsets = corners - a[:, None]
    length2 = (e * e).sum(axis=1)[:, None]
    infinite = ~np.isfinite(offsets).all(axis=-1)
    along = np.einsum("nkci,ki->nkc", np.where(np.isfinite(offsets), offsets, 0.0), e)
    t = np.clip(_divided(along, length2), 0.0, 1.0)
    d = offsets - t[..., None] * e[:, None]
    far: Floats = np.where(infinite, np.inf, np.sqrt(np.einsum("nkci,nkci->nkc", d, d))).max(axis=-1)
    return far
