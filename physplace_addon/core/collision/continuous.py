"""Continuous collision detection: whether primitives cross while their vertices move on straight lines.

A vertex and a triangle, or two segments, can meet only while four points are coplanar: f(tau) = x . (b x c) =
0 with x, b, c linear in tau, a cubic (Provot 1997).  In Bernstein form its coefficients are means of x(i) .
(b(j) x c(l)) over ends i, j, l; coefficients of one sign mean that there is no root.  The other cubics are
split at their extrema into at most three monotone pieces, each with at most one root, which Newton's method
inside a bracket finds.  At every root the distance of the primitives decides whether they meet there.

Values of f below its rounding error count as zero.  For motion within one plane f = 0 throughout: then only
the start and the end are tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_arrays, coordinate_cross, coordinate_dot, coordinate_length
from .closest_points import segment_parameters, triangle_parameters

__all__ = ["SweptCrossing", "edge_crossings", "vertex_crossings"]

MEETING = 1e-9
"""Largest distance at a root, over the primitives' size, at which they count as meeting."""

_MOST_ROUNDS = 60
"""Steps of a root's iteration: bisection alone reaches the last bit of [0, 1] in 53."""

_EPSILON = float(np.finfo(np.float64).eps)


class SweptCrossing(NamedTuple):
    """How k pairs of primitives cross during a linear motion.

    crossed (k,): whether they meet.  side (k,): the sign of f at the start, 0 if they start coplanar.
    fraction (k,): of the motion, in [0, 1], at the first meeting; 1 where there is none.
    """

    crossed: Bools
    side: Floats
    fraction: Floats


def vertex_crossings(
    point_start: Floats, point_end: Floats, triangle_start: Floats, triangle_end: Floats
) -> SweptCrossing:
    """Return the crossings of points (k, 3) with triangles (k, 3, 3), both in linear motion.

    `side` is positive for a point that starts on the side of the triangle's normal.
    """
    point = coordinate_arrays(point_start), coordinate_arrays(point_end)
    corners = coordinate_arrays(triangle_start), coordinate_arrays(triangle_end)
    x = [p - c[0] for p, c in zip(point, corners, strict=True)]
    b = [c[1] - c[0] for c in corners]
    c = [c[2] - c[0] for c in corners]

    def meeting(pick: Ints, tau: Floats) -> Bools:
        where, triangle = _between(point, pick, tau), _between(corners, pick, tau)
        barycentric, _ = triangle_parameters(where, triangle)
        miss = coordinate_length(where - (barycentric[:, None, :] * triangle).sum(axis=0))
        return _touching(miss, np.abs(triangle - triangle[0]), np.abs(triangle))

    return _crossings(_coefficients(x, b, c), meeting)


def edge_crossings(
    first_start: Floats, first_end: Floats, second_start: Floats, second_end: Floats
) -> SweptCrossing:
    """Return the crossings of pairs of segments (k, 2, 3), both in linear motion.

    `side` is the sign of ``(second[0] - first[0]) . (u x v)`` with u, v the directions of the first and
    the second segment.
    """
    first = coordinate_arrays(first_start), coordinate_arrays(first_end)
    second = coordinate_arrays(second_start), coordinate_arrays(second_end)
    x = [q[0] - p[0] for p, q in zip(first, second, strict=True)]
    u = [p[1] - p[0] for p in first]
    v = [q[1] - q[0] for q in second]

    def meeting(pick: Ints, tau: Floats) -> Bools:
        p, q = _between(first, pick, tau), _between(second, pick, tau)
        s, t = segment_parameters(p, q)
        u, v = p[1] - p[0], q[1] - q[0]
        miss = coordinate_length(p[0] + s * u - q[0] - t * v)
        return _touching(miss, np.stack([np.abs(u), np.abs(v)]), np.stack([np.abs(p), np.abs(q)]))

    return _crossings(_coefficients(x, u, v), meeting)


def _between(ends: tuple[Floats, Floats], pick: Ints, tau: Floats) -> Floats:
    start, end = np.take(ends[0], pick, axis=-1), np.take(ends[1], pick, axis=-1)
    return start + tau * (end - start)


def _touching(miss: Floats, sizes: Floats, coordinates: Floats) -> Bools:
    """Return whether distances (k,) are negligible beside sizes (..., k) and rounding of coordinates (...,
    k).
    """
    within = tuple(range(coordinates.ndim - 1))
    size = sizes.max(axis=tuple(range(sizes.ndim - 1)))
    result: Bools = miss <= MEETING * size + 16.0 * _EPSILON * coordinates.max(axis=within)
    return result


def _coefficients(x: list[Floats], b: list[Floats], c: list[Floats]) -> Floats:
    """Return the Bernstein coefficients (4, k) of x . (b x c) from vectors (3, k) at start and end.

    Coefficients below their rounding error are set to zero.
    """
    n00, n11 = coordinate_cross(b[0], c[0]), coordinate_cross(b[1], c[1])
    mixed = coordinate_cross(b[0], c[1]) + coordinate_cross(b[1], c[0])
    coefficients = np.stack(
        [
            coordinate_dot(x[0], n00),
            (coordinate_dot(x[1], n00) + coordinate_dot(x[0], mixed)) / 3.0,
            (coordinate_dot(x[0], n11) + coordinate_dot(x[1], mixed)) / 3.0,
            coordinate_dot(x[1], n11),
        ]
    )
    size = [np.maximum(coordinate_length(ends[0]), coordinate_length(ends[1])) for ends in (x, b, c)]
    noise = 16.0 * _EPSILON * size[0] * size[1] * size[2]
    return np.where(np.abs(coefficients) <= noise, 0.0, coefficients)


def _crossings(coefficients: Floats, meeting: Callable[[Ints, Floats], Bools]) -> SweptCrossing:
    side = np.sign(coefficients[0])
    crossed = np.zeros(side.size, dtype=bool)
    fraction = np.ones(side.size)
    one_sign = (coefficients.min(axis=0) > 0.0) | (coefficients.max(axis=0) < 0.0)
    left = np.flatnonzero(~one_sign)
    roots = _roots(coefficients[:, left])
    which, pick = np.nonzero(np.isfinite(roots))
    meets = meeting(left[pick], roots[which, pick])
    hits = left[pick[meets]]
    crossed[hits] = True
    np.minimum.at(fraction, hits, roots[which, pick][meets])
    return SweptCrossing(crossed, side, fraction)


def _roots(coefficients: Floats) -> Floats:
    """Return the roots in [0, 1] of cubics (4, k): (4, k), increasing, NaN where there are fewer."""
    knots = np.concatenate([np.zeros((1, coefficients.shape[1])), _extrema(coefficients)])
    knots = np.concatenate([knots, np.ones((1, coefficients.shape[1]))])
    value = _values(coefficients[:, None, :], knots)[0]
    noise = 8.0 * _EPSILON * np.abs(coefficients).max(axis=0)
    sign = np.where(np.abs(value) <= noise, 0.0, np.sign(value))
    roots = np.full((4, coefficients.shape[1]), np.nan)
    roots[0, sign[0] == 0.0] = 0.0
    ends_on = sign[1:] == 0.0
    roots[1:][ends_on] = knots[1:][ends_on]
    piece, pick = np.nonzero(sign[:-1] * sign[1:] < 0.0)
    roots[piece + 1, pick] = _bracketed(coefficients[:, pick], knots[piece, pick], knots[piece + 1, pick])
    return roots


def _extrema(coefficients: Floats) -> Floats:
    """Return the extrema (2, k) of cubics (4, k), clipped to [0, 1], increasing."""
    d = np.diff(coefficients, axis=0)
    a, half_b, c = d[0] - 2.0 * d[1] + d[2], d[1] - d[0], d[0]
    root = np.sqrt(np.maximum(half_b * half_b - a * c, 0.0))
    q = -(half_b + np.copysign(root, half_b))
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = np.stack([q / a, c / q])
    turns = np.where(np.isfinite(turns), turns, 0.0)
    result: Floats = np.sort(np.clip(turns, 0.0, 1.0), axis=0)
    return result


def _values(coefficients: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """Return f and its derivative at tau, by de Casteljau's scheme."""
    line = coefficients[:3] + tau * (coefficients[1:] - coefficients[:3])
    square = line[:2] + tau * (line[1:] - line[:2])
    slope = square[1] - square[0]
    return square[0] + tau * slope, 3.0 * slope


def _bracketed(coefficients: Floats, low: Floats, high: Floats) -> Floats:
    """Return the root (k,) of each cubic between `low` and `high` (k,), where it is monotone and changes
    sign.
    """
    at_low, at_high = _values(coefficients, low)[0], _values(coefficients, high)[0]
    noise = 2.0 * _EPSILON * np.abs(coefficients).max(axis=0)
    sign_low = np.sign(at_low)
    tau = np.clip(low + (high - low) * at_low / (at_low - at_high), low, high)
    for _ in range(_MOST_ROUNDS):
        value, slope = _values(coefficients, tau)
        before = np.sign(value) == sign_low
        low, high = np.where(before, tau, low), np.where(before, high, tau)
        newton = tau - np.divide(value, slope, out=np.full_like(value, np.inf), where=slope != 0.0)
        good = (newton > low) & (newton < high)
        following = np.where(good, newton, 0.5 * (low + high))
        done = (np.abs(value) <= noise) | (np.abs(following - tau) <= 2.0 * _EPSILON)
        tau = np.where(done, tau, following)
        if done.all():
            break
    return tau
