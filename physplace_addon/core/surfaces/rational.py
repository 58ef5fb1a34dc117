"""Rational patches in homogeneous coordinates: a control point (x, y, z) of weight w is (w x, w y, w z, w).

With N = sum_ij B_i B_j w_ij (P_ij - c) and D = sum_ij B_i B_j w_ij the patch is S = c + N / D, whatever the
centre c, and by the product rule for D (S - c)

    S_u = (N_u - D_u (S - c)) / D,    S_uu = (N_uu - 2 D_u S_u - D_uu (S - c)) / D.

*A bound on |S_uu|* over a patch with positive weights: D >= least w, and |S - c| <= r = max |P_ij - c|,
because S lies in the convex hull of the P_ij.  With a fixed vector m near S_u, for which the chord stands,

    |S_u - m| <= e = (max |N_u - m D| + r max |D_u|) / least w,
    |S_uu| <= (max |N_uu - 2 m D_u| + 2 e max |D_u| + r max |D_uu|) / least w,

each max over the control points of a polynomial of the patch's degrees.  As the patch gets smaller, the last
two terms fall faster than the first: the bound tends to |S_uu| itself.

Source: L. Piegl and W. Tiller, The NURBS Book, 2nd ed., section 4.5, for the derivatives.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .bernstein import derivative_matrix


def dehomogenized(control: Floats) -> Floats:
    """Return the points (..., 3) of control points, themselves (..., 3) or homogeneous (..., 4)."""
    if control.shape[-1] == 3:
        return control
    found: Floats = control[..., :3] / control[..., 3:]
    return found


def homogeneous(points: Floats, weights: Floats) -> Floats:
    """Return homogeneous control points (..., 4) of points (..., 3) and weights (...)."""
    return np.concatenate([points * weights[..., None], weights[..., None]], axis=-1)


def surface_quotients(jets: Floats) -> Floats:
    """Return the derivatives (k, a, b, 3) of N / D by u and v, up to a + b = 2; those of a higher order are
    zero.

    Args:
        jets: derivatives (k, a, b, 4) of (N, D).
    """
    inverse = 1.0 / jets[:, 0, 0, 3:]
    weight = jets[..., 3:] * inverse[:, None, None]
    out = np.zeros((*jets.shape[:3], 3))
    point = out[:, 0, 0] = jets[:, 0, 0, :3] * inverse
    out[:, 1, 0] = jets[:, 1, 0, :3] * inverse - weight[:, 1, 0] * point
    out[:, 0, 1] = jets[:, 0, 1, :3] * inverse - weight[:, 0, 1] * point
    if jets.shape[1] > 2:
        along, across = out[:, 1, 0], out[:, 0, 1]
        for a, b, product in (
            (2, 0, 2.0 * weight[:, 1, 0] * along),
            (1, 1, weight[:, 1, 0] * across + weight[:, 0, 1] * along),
            (0, 2, 2.0 * weight[:, 0, 1] * across),
        ):
            out[:, a, b] = jets[:, a, b, :3] * inverse - product - weight[:, a, b] * point
    return out


def second_derivative_bounds(nets: Floats) -> tuple[Floats, Floats]:
    """Return bounds (m,) on |S_uu| and on |S_vv|, scene units, over patches of homogeneous control points (m,
    d + 1, d + 1, 4).
    """
    weight = nets[..., 3:]
    corners = dehomogenized(nets[:, :: nets.shape[1] - 1, :: nets.shape[2] - 1])
    numerator = nets[..., :3] - weight * corners.mean(axis=(1, 2))[:, None, None]
    least, reach = weight.min(axis=(1, 2, 3)), _most(numerator / weight)
    centred = np.concatenate([numerator, weight], axis=-1)
    chord_u, chord_v = (np.diff(corners, axis=axis).mean(axis=(1, 2)) for axis in (1, 2))
    turned = centred.swapaxes(1, 2)
    return _bend(centred, chord_u, least, reach), _bend(turned, chord_v, least, reach)


def _bend(centred: Floats, chord: Floats, least: Floats, reach: Floats) -> Floats:
    """Return the bound (m,) on |S_uu| from the net of (N, D), with S_u near the chord (m, 3)."""
    once = derivative_matrix(centred.shape[1] - 1)
    first = np.einsum("ai,mijx->majx", once, centred)
    second = np.einsum("ai,mijx->majx", once, first)
    chord = chord[:, None, None]
    rate = _most(first[..., 3:])
    slope = (_most(first[..., :3] - chord * centred[..., 3:]) + reach * rate) / least
    bend = _most(second[..., :3] - 2.0 * chord * first[..., 3:])
    bound: Floats = (bend + 2.0 * slope * rate + reach * _most(second[..., 3:])) / least
    return bound


def _most(vectors: Floats) -> Floats:
    """Return the greatest length (m,) of vectors (m, i, j, x)."""
    most: Floats = np.sqrt(np.einsum("mijx,mijx->mij", vectors, vectors).max(axis=(1, 2)))
    return most
