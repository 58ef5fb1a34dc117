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
    """Return where in the prism convex functions are least (3, k)."""
    along, across = convex[2, 2], convex[:2, 2]
    free = np.divide(1.0, along, out=np.zeros_like(along), where=along > TINY)
    places = np.empty((3, *slope.shape))
    places[0, :2], places[0, 2] = _least_on_triangle(slope[:2], convex[:2, :2]), 0.0
    places[1, :2], places[1, 2] = _least_on_triangle(slope[:2] + across, convex[:2, :2]), 1.0
    lower = convex[:2, :2] - free * across[:, None] * across
    places[2, :2] = _least_on_triangle(slope[:2] - free * slope[2] * across, lower)
    places[2, 2] = np.clip(-free * (slope[2] + (across * places[2, :2]).sum(axis=0)), 0.0, 1.0)
    bent = np.einsum("abk,pbk->pak", convex, places)
    best = (places * (slope + 0.5 * bent)).sum(axis=1).argmin(axis=0)
    found: Floats = places[best, :, np.arange(len(best))].T
    return found


def _least_on_triangle(slope: Floats, hessian: Floats) -> Floats:
    """Return where in the triangle convex functions of u and v are least (2, k)."""
    (along, mixed), (_, across) = hessian
    determinant = along * across - mixed * mixed
    size = np.divide(-1.0, determinant, out=np.zeros_like(determinant), where=determinant > TINY)
    inside = size * np.stack([across * slope[0] - mixed * slope[1], along * slope[1] - mixed * slope[0]])
    is_inside = (determinant > TINY) & (inside >= 0.0).all(axis=0) & (inside.sum(axis=0) <= 1.0)
    sides = np.zeros((3, 2, len(determinant)))
    sides[0, 0] = _least_on_side(slope[0], along)
    sides[1, 1] = _least_on_side(slope[1], across)
    sides[2, 1] = _least_on_side(slope[1] - slope[0] + mixed - along, along + across - 2.0 * mixed)
    sides[2, 0] = 1.0 - sides[2, 1]
    u, v = sides[:, 0], sides[:, 1]
    best = (u * (slope[0] + 0.5 * along * u + mixed * v) + v * (slope[1] + 0.5 * across * v)).argmin(axis=0)
    found: Floats = np.where(is_inside, inside, sides[best, :, np.arange(len(best))].T)
    return found


def _least_on_side(slope: Floats, curvature: Floats) -> Floats:
    """Return where in [0, 1] slope t + curvature t^2 / 2 is least (k,)."""
    bent = curvature > TINY
    place = np.divide(-slope, curvature, out=(slope < 0.0).astype(np.float64), where=bent)
    found: Floats = np.clip(place, 0.0, 1.0)
    return found
