"""Do moving primitives cross?  Vertices move on straight lines from their start to their end.

A vertex and a triangle, or two segments, can meet only when four points are coplanar:
``f(tau) = x . (b x c) = 0`` with x, b, c linear in tau, a cubic (Provot 1997).  In Bernstein form its
coefficients are means of ``x(i) . (b(j) x c(l))`` over ends i, j, l, and coefficients of one sign mean
no root.  What is left is cut at the cubic's extrema into at most three monotone pieces; each holds at
most one root, found by Newton's method kept inside its bracket.  At every root the primitives' true
distance decides whether they meet there.

Values of f under its rounding count as zero.  Motion within one plane has f = 0 throughout: then
only the start and the end are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_arrays, coordinate_cross, coordinate_dot, coordinate_length
from .closest_points import segment_parameters, triangle_parameters

__all__ = ["Crossing", "edge_crossings", "vertex_crossings"]

MEETING = 1e-9
"""Primitives this close at a root, as a part of their size, meet there."""

_EPSILON = float(np.finfo(np.float64).eps)


class Crossing(NamedTuple):
    """What linear motion does to k pairs of primitives.

    crossed (k,); side (k,) -1, 0 or 1: the sign of f at the start, 0 if they start coplanar;
    fraction (k,) of the motion at the first meeting, 1 where there is none.
    """

    crossed: Bools
    side: Floats
    fraction: Floats


def vertex_crossings(
    point_start: Floats, point_end: Floats, triangle_start: Floats, triangle_end: Floats
) -> Crossing:
    """Crossings of points (k, 3) with triangles (k, 3, 3), both in linear motion.

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
) -> Crossing:
    """Crossings of pairs of segments (k, 2, 3), both in linear motion.

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
    """Whether a miss (k,) is nothing against the primitives' sizes and their coordinates' rounding."""
    within = tuple(range(coordinates.ndim - 1))
    size = sizes.max(axis=tuple(range(sizes.ndim - 1)))
    result: Bools = miss <= MEETING * size + 16.0 * _EPSILON * coordinates.max(axis=within)
    return result


def _coefficients(x: list[Floats], b: list[Floats], c: list[Floats]) -> Floats:
    """Bernstein coefficients (4, k) of x . (b x c) from the ends' vectors (3, k); rounding cleared."""
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


def _crossings(coefficients: Floats, meeting: Callable[[Ints, Floats], Bools]) -> Crossing:
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
    return Crossing(crossed, side, fraction)


def _roots(coefficients: Floats) -> Floats:
    """The roots in [0, 1] of cubics (4, k), as (4, k), increasing, NaN where there are fewer."""
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
    """Where the cubics (4, k) turn, clipped to [0, 1], increasing, (2, k)."""
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
    """f and its derivative at tau, by de Casteljau's scheme."""
    line = coefficients[:3] + tau * (coefficients[1:] - coefficients[:3])
    square = line[:2] + tau * (line[1:] - line[:2])
    slope = square[1] - square[0]
    return square[0] + tau * slope, 3.0 * slope


def _bracketed(coefficients: Floats, low: Floats, high: Floats) -> Floats:
    """The root of each cubic between `low` and `high`, where it changes sign and is monotone."""
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


_MOST_ROUNDS = 60
