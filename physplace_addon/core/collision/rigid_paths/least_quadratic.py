"""A lower bound of quadratic functions over a prism: a triangle times an interval.

With z = (u, v, s), u, v >= 0, u + v <= 1, 0 <= s <= 1, and

    q(z) = value + slope . z + z' H z / 2,

H is split into its positive and its negative part by its eigenvectors.  What has the positive part is convex:
it lies above its tangent plane at any place.  With the negative part that plane gives a concave function,
whose least value is at one of the six corners of the prism.  The place is where the convex function is least,
so the bound is the least value itself where H has no negative part.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ...arrays import TINY, Floats

_CORNERS: Final = np.array(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=np.float64
)


def least_over_prisms(value: Floats, slope: Floats, hessian: Floats) -> Floats:
    """Return lower bounds (k,) of k functions q by their values (k,) at 0, slopes (3, k) and Hessians
    (3, 3, k).
    """
    strengths, axes = np.linalg.eigh(hessian.transpose(2, 0, 1))
    concave = np.einsum("kai,ki,kbi->abk", axes, np.minimum(strengths, 0.0), axes)
    convex = hessian - concave
    place = _least_places(slope, convex)
    bent = np.einsum("abk,bk->ak", convex, place)
    at_zero = value - 0.5 * (place * bent).sum(axis=0)  # of the tangent plane at the place
    corners = _CORNERS @ (slope + bent) + 0.5 * np.einsum("ca,abk,cb->ck", _CORNERS, concave, _CORNERS)
    least: Floats = at_zero + corners.min(axis=0)
    return least


def _least_places(slope: Floats, convex: Floats) -> Floats:
    """Return where in the prism convex functions are least (3, k): at s = 0, at s = 1, or where s is free."""
    along, across, flat = convex[2, 2], convex[:2, 2], convex[:2, :2]
    free = np.divide(1.0, along, out=np.zeros_like(along), where=along > TINY)
    slopes = np.stack([slope[:2], slope[:2] + across, slope[:2] - free * slope[2] * across], axis=1)
    places = np.empty((3, 3, slope.shape[1]))
    places[:2] = _least_on_triangles(
        slopes, np.stack([flat, flat, flat - free * across[:, None] * across], axis=2)
    )
    places[2, 0], places[2, 1] = 0.0, 1.0
    places[2, 2] = np.clip(-free * (slope[2] + (across * places[:2, 2]).sum(axis=0)), 0.0, 1.0)
    bent = np.einsum("abk,bpk->apk", convex, places)
    best = (places * (slope[:, None] + 0.5 * bent)).sum(axis=0).argmin(axis=0)
    found: Floats = places[:, best, np.arange(len(best))]
    return found


def _least_on_triangles(slope: Floats, hessian: Floats) -> Floats:
    """Return where in the triangle convex functions of u and v are least (2, ...), by their slopes (2, ...)
    and Hessians (2, 2, ...).
    """
    (along, mixed), (_, across) = hessian
    determinant = along * across - mixed * mixed
    size = np.divide(-1.0, determinant, out=np.zeros_like(determinant), where=determinant > TINY)
    inside = size * np.stack([across * slope[0] - mixed * slope[1], along * slope[1] - mixed * slope[0]])
    is_inside = (determinant > TINY) & (inside >= 0.0).all(axis=0) & (inside.sum(axis=0) <= 1.0)
    first = _least_on_interval(
        np.stack([slope[0], slope[1], slope[1] - slope[0] + mixed - along]),
        np.stack([along, across, along + across - 2.0 * mixed]),
    )
    nothing = np.zeros_like(along)
    u, v = np.stack([first[0], nothing, 1.0 - first[2]]), np.stack([nothing, first[1], first[2]])
    best = (u * (slope[0] + 0.5 * along * u + mixed * v) + v * (slope[1] + 0.5 * across * v)).argmin(axis=0)
    beside = np.stack([np.take_along_axis(each, best[None], axis=0)[0] for each in (u, v)])
    return np.where(is_inside, inside, beside)


def _least_on_interval(slope: Floats, curvature: Floats) -> Floats:
    """Return where in [0, 1] slope t + curvature t^2 / 2 is least (...)."""
    bent = curvature > TINY
    place = np.divide(-slope, curvature, out=(slope < 0.0).astype(np.float64), where=bent)
    found: Floats = np.clip(place, 0.0, 1.0)
    return found
