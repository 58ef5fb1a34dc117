"""How functions are combined into one: F of f_1 .. f_k, with weights F_fj and second derivatives.

The union is the least of them.  Smoothly, with radius r, it is the F for which

    sum_j p(u_j) = 1,   p(u) = max(u, 0)^3,   u_j = 1 + (F - f_j) / r.

On the surface, F = 0, that is the superelliptic blend of Rockwood and Owen (1987) with the exponent 3,
sum max(1 - f_j / r, 0)^3 = 1; on all other levels the same of the functions less that level.  It is symmetric
in any number of functions; exactly f_j where all others are larger by r or more; and p makes it twice
continuously differentiable.  With S = sum p', its derivatives are the weights l_j = p'(u_j) / S, which sum up
to 1 (so it is no steeper than they are), and F_fj,fk = -(1 / r S) sum_i p''(u_i) (d_ij - l_j) (d_ik - l_k).
By r it changes by sum l_j u_j - 1.

Two equal functions give 0.206 r less than either: that is how far the blend reaches out of a corner.  The
intersection is minus the union of the opposites.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats

_STEPS = 40
_CONVERGED = 1e-15


@dataclass(frozen=True, eq=False)
class Blended:
    """F (n,); weights l (n, k); bends p''(u) / (r S) (n, k); growth F_r (n,)."""

    value: Floats
    weights: Floats
    bends: Floats
    growth: Floats


def least(f: Floats) -> Blended:
    """Return the least of f (n, k)."""
    number = np.argmin(f, axis=1)
    weights = np.zeros(f.shape)
    weights[np.arange(len(f)), number] = 1.0
    return Blended(f[np.arange(len(f)), number], weights, np.zeros(f.shape), np.zeros(len(f)))


def smooth_least(f: Floats, radius: float) -> Blended:
    """Return the smooth least of f (n, k) with a radius r; not a number where one f is not."""
    first = f.min(axis=1)
    with np.errstate(invalid="ignore"):  # the difference of infinite values
        above = np.where(f > first[:, None], (f - first[:, None]) / radius, 0.0)
    v = _solved(above)  # (F - min f) / r, from -1 to 0
    u = np.maximum(1.0 + v[:, None] - above, 0.0)
    slopes = 3.0 * u * u
    total = slopes.sum(axis=1, keepdims=True)
    weights = slopes / total
    growth = (weights * u).sum(axis=1) - 1.0
    return Blended(first + radius * v, weights, 6.0 * u / (radius * total), growth)


def _solved(above: Floats) -> Floats:
    """v (n,) for which the sum of max(1 + v - above, 0)^3 is 1, by Newton's method from above.

    The sum is convex and grows with v; at v = 0 it is at least 1, so each step stays above the solution.
    """
    v = np.zeros(len(above))
    rows = np.flatnonzero(((above < 1.0).sum(axis=1)) > 1)
    near = above[rows]
    for _ in range(_STEPS):
        if not len(rows):
            break
        u = np.maximum(1.0 + v[rows, None] - near, 0.0)
        step = ((u**3).sum(axis=1) - 1.0) / (3.0 * (u * u).sum(axis=1))
        v[rows] -= step
        going = step > _CONVERGED
        rows, near = rows[going], near[going]
    return v
