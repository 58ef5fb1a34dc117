"""Boxes about the surfaces of polynomials, whose leading terms win far from the origin.

All of space is on the ways x_i = t^a_i u_i, t >= 0, from the origin through the boundary of the cube
|u_i| <= 1.  Along them F is a polynomial in t with coefficients c_d(u).  Over a patch of that boundary where
c_d >= l_d, with l_D > 0 for the highest power D, F is above 0 for all t > s if

    sum_{d<D} max(-l_d, 0) s^(d-D) < l_D,

and the surface is no farther out than s^a_i u_i.  The weights a_i are such that the pure powers of all three
axes lead together: x^4 + y^2 + z^2 - x^2 is followed along x = t u, y = t^2 v, z = t^2 w.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from ..arrays import Floats, Ints
from ..formulas import Formulas, Range, graded
from .extents import EMPTY

_PATCHES = 8  # of a face, by each axis
_ROUNDS, _MOST = 12, 4096  # halvings, and patches, after which the leading terms are taken for 0 somewhere
_BISECTIONS = 24
_SLACK = 1e-9  # much more than is rounded


def polynomial_box(formulas: Formulas, constants: Floats, level: float | None) -> Floats:
    """Return a box (2, 3) that holds the surface of a formula in x, y, z and constants (m,), or where F <=
    level if that is given; infinite where the formula is no polynomial, or its leading terms do not win.
    """
    degrees, sign = _degrees(formulas, constants)
    known = degrees.all() and not (degrees % 2).any()
    if not known or sign == 0.0 or (level is not None and sign < 0.0):
        return -EMPTY
    top = lcm(*degrees.tolist())
    weights = top // degrees
    box, (lower, upper) = np.zeros((2, 3)), _faces()
    for _ in range(_ROUNDS):
        least, most = _coefficients(formulas, constants, weights, (lower, upper))
        if len(least) <= top or not np.isfinite(least + most).all():
            break
        if level is not None:
            least[0] -= level + _SLACK * (abs(level) + np.abs(least[0]))
        if sign < 0.0:
            least, most = -most, -least
        if (most[-1] <= 0.0).any():
            break
        won = least[-1] > 0.0
        ends = (1.0 + _SLACK) * _beyond(least[:, won])[:, None] ** weights
        box[0] = np.minimum(box[0], (ends * lower[won]).min(axis=0, initial=0.0))
        box[1] = np.maximum(box[1], (ends * upper[won]).max(axis=0, initial=0.0))
        lower, upper = _halved(lower[~won], upper[~won])
        if not len(lower):
            return box
        if len(lower) > _MOST:
            break
    return -EMPTY


def _degrees(formulas: Formulas, constants: Floats) -> tuple[Ints, float]:
    """The degrees of F (3,) along the three axes, 0 where not known, and the sign with which all of them
    lead, or 0.
    """
    axes = np.eye(3)
    least, most = _coefficients(formulas, constants, np.ones(3, dtype=np.intp), (axes, axes))
    there = (least > 0.0) | (most < 0.0)
    if not np.isfinite(least + most).all():
        return np.zeros(3, dtype=np.intp), 0.0
    degrees = len(there) - 1 - np.argmax(there[::-1], axis=0)
    signs = np.sign(least[degrees, range(3)])
    return np.where(there.any(axis=0), degrees, 0), float(signs[0]) if (signs == signs[0]).all() else 0.0


def _coefficients(
    formulas: Formulas, constants: Floats, weights: Ints, patches: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Bounds (n, k) of the coefficients of 1, t, t^2, ... over patches, lower and upper (k, 3)."""
    own = [
        graded(Range(low, high), int(weight))
        for low, high, weight in zip(patches[0].T, patches[1].T, weights, strict=True)
    ]
    known = [graded(Range(value, value)) for value in constants]
    parts = formulas.graded([*own, *known])[0].parts
    bounds = np.zeros((2, len(parts), len(patches[0])))
    for power, part in enumerate(parts):
        if part is not None:
            bounds[0, power], bounds[1, power] = part.lower, part.upper
    return bounds[0], bounds[1]


def _faces() -> tuple[Floats, Floats]:
    """The patches, lower and upper (k, 3), of the boundary of the cube from -1 to 1."""
    ticks = np.linspace(-1.0, 1.0, _PATCHES + 1)
    low = np.stack(np.meshgrid(ticks[:-1], ticks[:-1], indexing="ij"), axis=-1).reshape(-1, 2)
    high = np.stack(np.meshgrid(ticks[1:], ticks[1:], indexing="ij"), axis=-1).reshape(-1, 2)
    lower = [np.insert(low, axis, side, axis=1) for axis in range(3) for side in (-1.0, 1.0)]
    upper = [np.insert(high, axis, side, axis=1) for axis in range(3) for side in (-1.0, 1.0)]
    return np.concatenate(lower), np.concatenate(upper)


def _halved(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Patches cut across their longest side."""
    rows = np.arange(len(lower))
    axis = (upper - lower).argmax(axis=1)
    middle = 0.5 * (lower + upper)[rows, axis]
    below, above = upper.copy(), lower.copy()
    below[rows, axis] = above[rows, axis] = middle
    return np.concatenate([lower, above]), np.concatenate([below, upper])


def _beyond(least: Floats) -> Floats:
    """For lower bounds (n, k) of coefficients, of the last above 0, the t (k,) beyond which the sum is."""
    short = np.maximum(-least[:-1], 0.0) / least[-1]
    powers = np.arange(len(short), 0, -1.0)[:, None]
    high: Floats = 2.1 * (short ** (1.0 / powers)).max(axis=0)  # the sum of all 2.1^-n is less than 1
    low = np.zeros_like(high)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proven = (short * middle**-powers).sum(axis=0) < 1.0 - _SLACK
        low, high = np.where(proven, low, middle), np.where(proven, middle, high)
    return high
