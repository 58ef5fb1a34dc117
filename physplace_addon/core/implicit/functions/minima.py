"""The minimum of several functions at many points, sharp or smooth, with what its derivatives are made of.

The smooth minimum F of f_1 .. f_k with a radius r is that of `combinations`: sum_j p(u_j) = 1, p(u) =
max(u, 0)^3, u_j = 1 + (F - f_j) / r. Its slope is the mean of the functions' slopes, weighted by p'(u_j).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats

_STEPS = 40  # most Newton steps for F; it converges from above in some five
_CONVERGED = 1e-15  # share of r: a Newton step so short is rounding


@dataclass(frozen=True, eq=False)
class Minimum:
    """The minimum of k functions at n points, with what its derivatives are made of.

    Attributes:
        value: F (n,).
        weights: l_j (n, k), F's derivatives by the functions.
        bends: p''(u_j) / (r S) (n, k), of which second derivatives are made.
        growth: F_r (n,), the derivative by the radius.
    """

    value: Floats
    weights: Floats
    bends: Floats
    growth: Floats


def sharp_minimum(f: Floats) -> Minimum:
    """Return the minimum of f (n, k) over its columns; of equal ones the first has all the weight."""
    number = np.argmin(f, axis=1)
    weights = np.zeros(f.shape)
    weights[np.arange(len(f)), number] = 1.0
    return Minimum(f[np.arange(len(f)), number], weights, np.zeros(f.shape), np.zeros(len(f)))


def smooth_minimum(f: Floats, radius: float) -> Minimum:
    """Return the smooth minimum of f (n, k) with a radius r, in the units of f; NaN where one f is NaN."""
    first = f.min(axis=1)
    with np.errstate(invalid="ignore"):  # the difference of infinite values
        above = np.where(f > first[:, None], (f - first[:, None]) / radius, 0.0)
    v = _solved(above)  # (F - min f) / r, from -1 to 0
    u = np.maximum(1.0 + v[:, None] - above, 0.0)
    slopes = 3.0 * u * u
    total = slopes.sum(axis=1, keepdims=True)
    weights = slopes / total
    growth = (weights * u).sum(axis=1) - 1.0
    return Minimum(first + radius * v, weights, 6.0 * u / (radius * total), growth)


def _solved(above: Floats) -> Floats:
    """Return v (n,) for which the sum of max(1 + v - above, 0)^3 over the columns of above (n, k) is 1.

    The sum is convex and grows with v; at v = 0 it is at least 1. So each Newton step stays above the
    solution.
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


_BEYOND = 1e6  # radii: functions that are infinite count as this


def least_mean(slopes: Floats, least: Floats, most: Floats, radius: float) -> Floats:
    """Return lower bounds (n,) of the slope of a smooth minimum, sum u_j^2 slope_j / sum u_j^2.

    Of all weights within bounds, the mean is least where a slope below it has its greatest weight and one
    above it its least: the slopes are sorted, and every place among them tried.

    Args:
        slopes: lower bounds of the functions' slopes (n, k).
        least: lower bounds of the functions (n, k).
        most: their upper bounds (n, k).
        radius: r.
    """
    far = _BEYOND * radius
    least_u, most_u = _shares(np.clip(least, -far, far) / radius, np.clip(most, -far, far) / radius)
    order = np.argsort(np.where(most_u > 0.0, slopes, np.inf), axis=1)
    low, high, own = (np.take_along_axis(part, order, axis=1) for part in (least_u**2, most_u**2, slopes))
    own = np.where(high > 0.0, own, 0.0)
    worst = own[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        above, weight = (
            np.cumsum(high * part, axis=1) + np.cumsum((low * part)[:, ::-1], axis=1)[:, ::-1] - low * part
            for part in (own, np.ones(own.shape))
        )
        mean = np.where(np.isfinite(above) & (weight > 0.0), above / weight, -np.inf).min(axis=1)
    return np.asarray(np.maximum(mean, worst))


def _shares(least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Return bounds (n, k), (n, k) of u_j, from 0 to 1, for functions between bounds (n, k), in radii.

    u_j = 1 + F - f_j falls with f_j and rises with all others: it is greatest where f_j is least and the
    others are most, and least the other way round.
    """
    low, high = (smooth_minimum(own, 1.0).value[:, None] for own in (least, most))
    least_u, most_u = np.clip(1.0 + low - most, 0.0, 1.0), np.clip(1.0 + high - least, 0.0, 1.0)
    several = (most_u > 0.0).sum(axis=1) > 1
    for column in range(least.shape[1]):
        rows = np.flatnonzero(several & (most_u[:, column] > 0.0))
        for own, others, bound in ((least, most, most_u), (most, least, least_u)):
            values = others[rows]
            values[:, column] = own[rows, column]
            blended = smooth_minimum(values, 1.0).value
            bound[rows, column] = np.clip(1.0 + blended - own[rows, column], 0.0, 1.0)
    slack = 1e-12 * (1.0 + np.abs(low))
    return np.maximum(least_u - slack, 0.0), np.where(most_u > 0.0, np.minimum(most_u + slack, 1.0), 0.0)
