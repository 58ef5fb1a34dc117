"""Pairs of triangles: distance, intersection, and a quick separating test.

Two triangles that share no point are closest at a corner of one and the other triangle, or at two
edges: 6 + 9 candidates.  They share a point in general position if an edge of one pierces the other.
Everything else (coplanar overlap, a corner in a face, zero area) has distance zero up to rounding
among the 15 candidates, so it needs no case of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import coordinate_arrays, coordinate_cross, coordinate_dot, coordinate_length

__all__ = [
    "Intersection",
    "beyond_plane",
    "triangle_gap",
    "triangles_intersect",
]

_NEXT = np.array([1, 2, 0])
_EPSILON = float(np.finfo(np.float64).eps)

_ON_FACE = 1e-9
"""How far, as a part of the longest edge, a piercing point may be from the point of the face."""


class Intersection(NamedTuple):
    """Which pairs meet (k,), and a point (k, 3) of the meeting, NaN where there is none."""

    hit: Bools
    point: Floats


def triangles_intersect(first: Floats, second: Floats, tolerance: float = 0.0) -> Intersection:
    """Which pairs of triangles (k, 3, 3) come within `tolerance` (a length) or cross.

    A tolerance under the rounding of the coordinates is raised to it, so triangles that touch exactly
    are reported.
    """
    a, b = coordinate_arrays(first), coordinate_arrays(second)
    scale = np.maximum(np.abs(a).max(axis=(0, 1)), np.abs(b).max(axis=(0, 1))) if a.size else np.zeros(0)
    allowed = np.maximum(tolerance, 16.0 * _EPSILON * scale)
    candidates = np.flatnonzero(~(beyond_plane(a, b, allowed) | beyond_plane(b, a, allowed)))
    distance, point1, point2 = triangle_gap(a[..., candidates], b[..., candidates])
    found = np.flatnonzero(distance <= allowed[candidates])
    hit = np.zeros(allowed.size, dtype=bool)
    point = np.full((allowed.size, 3), np.nan)
    hit[candidates[found]] = True
    point[candidates[found]] = 0.5 * (point1[:, found] + point2[:, found]).T
    return Intersection(hit, point)


def beyond_plane(plane: Floats, other: Floats, distance: Floats) -> Bools:
    """Whether the normal of `plane` (3, 3, k) separates it from `other` (m, 3, k) by over `distance`.

    The triangle's own heights are measured, too: the normal of a sliver is mostly rounding error, and
    any direction separates honestly only if both sides are projected on it.
    """
    edges = plane[1:] - plane[0]
    normal = coordinate_cross(edges[0], edges[1])
    own = coordinate_dot(normal[:, None, :], edges.transpose(1, 0, 2))
    height = coordinate_dot(normal[:, None, :], (other - plane[0]).transpose(1, 0, 2))
    margin = distance * coordinate_length(normal)
    above = height.min(axis=0) > np.maximum(own.max(axis=0), 0.0) + margin
    below = height.max(axis=0) < np.minimum(own.min(axis=0), 0.0) - margin
    result: Bools = above | below
    return result


def triangle_gap(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Distance (k,) and closest points (3, k) of triangles (corner 3, axis 3, k)."""
    square, point1, point2 = _closest_of_edges(a, b)
    crossed = np.zeros(square.size, dtype=bool)
    for plane, other in ((a, b), (b, a)):
        side = _over_plane(plane, other)
        nearer = side.square < square
        square = np.where(nearer, side.square, square)
        crossed |= side.pierced
        on_plane, on_other = (point1, point2) if plane is a else (point2, point1)
        on_plane = np.where(side.pierced, side.hole, np.where(nearer, side.foot, on_plane))
        on_other = np.where(side.pierced, side.hole, np.where(nearer, side.corner, on_other))
        point1, point2 = (on_plane, on_other) if plane is a else (on_other, on_plane)
    return np.where(crossed, 0.0, np.sqrt(square)), point1, point2


def _closest_of_edges(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Squared distance and closest points of the two boundaries.

    27 candidates: 9 pairs of edges inside, and each corner of one with each edge of the other.
    """
    u, v = (a[_NEXT] - a).transpose(1, 0, 2)[:, :, None], (b[_NEXT] - b).transpose(1, 0, 2)[:, None]
    w = a.transpose(1, 0, 2)[:, :, None] - b.transpose(1, 0, 2)[:, None]
    uu, vv, uv, uw, vw = (
        coordinate_dot(u, u),
        coordinate_dot(v, v),
        coordinate_dot(u, v),
        coordinate_dot(u, w),
        coordinate_dot(v, w),
    )
    middle = _unit_ratio(uv * vw - vv * uw, uu * vv - uv * uv)
    zero = np.zeros_like(middle)
    s = np.stack([middle, zero, _unit_ratio(-uw, uu)])
    t = np.stack([_unit_ratio(middle * uv + vw, vv), _unit_ratio(vw, vv), zero])
    miss = w[:, None] + s * u[:, None] - t * v[:, None]
    square = coordinate_dot(miss, miss).reshape(27, -1)
    best, pick = square.argmin(axis=0), np.arange(square.shape[1])
    edge1, edge2 = best // 3 % 3, best % 3
    point1 = a[edge1, :, pick].T + s.reshape(27, -1)[best, pick] * u[:, edge1, 0, pick]
    point2 = b[edge2, :, pick].T + t.reshape(27, -1)[best, pick] * v[:, 0, edge2, pick]
    return square[best, pick], point1, point2


class _OverPlane(NamedTuple):
    """A triangle over another's plane: its best corner whose foot is inside, and a hole it makes."""

    square: Floats
    corner: Floats
    foot: Floats
    pierced: Bools
    hole: Floats


def _over_plane(plane: Floats, other: Floats) -> _OverPlane:
    """Perpendicular feet of the corners, and where the edges pierce the face."""
    edge = (plane[_NEXT] - plane).transpose(1, 0, 2)
    normal = coordinate_cross(edge[:, 0], -edge[:, 2])
    area = coordinate_dot(normal, normal)
    offset = other.transpose(1, 0, 2)[:, None] - plane.transpose(1, 0, 2)[:, :, None]
    inward = coordinate_dot(coordinate_cross(normal[:, None, :], edge)[:, :, None], offset)
    height = coordinate_dot(normal[:, None, :], offset[:, 0])
    pick = np.arange(area.size)

    above = (inward > 0.0).all(axis=0)
    best = np.where(above, np.abs(height), np.inf).argmin(axis=0)
    corner = other[best, :, pick].T
    foot = _weighted(inward[:, best, pick], plane)
    is_above = np.asarray(above)[best, pick]
    square = np.where(is_above, coordinate_dot(corner - foot, corner - foot), np.inf)

    along = _crossing_fraction(height, height[_NEXT])
    through = inward + along * (inward[:, _NEXT] - inward)
    inside = ((height > 0.0) != (height[_NEXT] > 0.0)) & (through >= 0.0).all(axis=0)
    which = inside.argmax(axis=0)
    start, end = other[which, :, pick].T, other[_NEXT[which], :, pick].T
    hole = start + along[which, pick] * (end - start)
    off = hole - _weighted(through[:, which, pick], plane)
    honest = (
        coordinate_dot(off, off)
        <= _ON_FACE**2 * coordinate_dot(edge, edge).max(axis=0) + _rounding(hole) ** 2
    )
    return _OverPlane(square, corner, foot, inside[which, pick] & honest, hole)


def _weighted(inward: Floats, plane: Floats) -> Floats:
    """The point (3, k) of the triangle with weights in proportion to `inward` (3, k) of its edges.

    A true point of the triangle even where the normal is mostly rounding error, as on a sliver.
    """
    total = inward.sum(axis=0)
    weight = inward[_NEXT] / np.where(total > 0.0, total, 1.0)
    point: Floats = (weight[:, None] * plane).sum(axis=0)
    return point


def _rounding(point: Floats) -> Floats:
    result: Floats = 16.0 * _EPSILON * np.abs(point).max(axis=0)
    return result


def _crossing_fraction(start: Floats, end: Floats) -> Floats:
    """Where a height goes through zero, as a part of the way; 0 if it does not change."""
    fall = start - end
    return np.divide(start, fall, out=np.zeros_like(fall), where=fall != 0.0)


def _unit_ratio(numerator: Floats, denominator: Floats) -> Floats:
    denominator = np.broadcast_to(denominator, numerator.shape)
    ratio = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0.0)
    result: Floats = np.minimum(np.maximum(ratio, 0.0), 1.0)
    return result
