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
from .closest import segment_parameters, triangle_parameters
from .components import cross, dot, from_rows, length, safe_ratio

__all__ = [
    "Intersection",
    "TriangleGap",
    "beyond_plane",
    "closest_on_triangles",
    "triangle_gap",
    "triangles_intersect",
]

_NEXT = np.array([1, 2, 0])
_CORNER_1, _CORNER_2 = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
_EPSILON = float(np.finfo(np.float64).eps)


class TriangleGap(NamedTuple):
    """Distance (k,), zero if they meet, and the closest points (k, 3) on the two triangles."""

    distance: Floats
    point1: Floats
    point2: Floats


class Intersection(NamedTuple):
    """Which pairs meet (k,), and a point (k, 3) of the meeting, NaN where there is none."""

    hit: Bools
    point: Floats


def closest_on_triangles(first: Floats, second: Floats) -> TriangleGap:
    """Distance and closest points of pairs of triangles (k, 3, 3)."""
    distance, point1, point2 = triangle_gap(from_rows(first), from_rows(second))
    return TriangleGap(distance, np.ascontiguousarray(point1.T), np.ascontiguousarray(point2.T))


def triangles_intersect(first: Floats, second: Floats, tolerance: float = 0.0) -> Intersection:
    """Which pairs of triangles (k, 3, 3) come within `tolerance` (a length) or cross.

    A tolerance under the rounding of the coordinates is raised to it, so triangles that touch exactly
    are reported.
    """
    a, b = from_rows(first), from_rows(second)
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
    normal = cross(edges[0], edges[1])
    own = dot(normal[:, None, :], edges.transpose(1, 0, 2))
    height = dot(normal[:, None, :], (other - plane[0]).transpose(1, 0, 2))
    margin = distance * length(normal)
    above = height.min(axis=0) > np.maximum(own.max(axis=0), 0.0) + margin
    below = height.max(axis=0) < np.minimum(own.min(axis=0), 0.0) - margin
    result: Bools = above | below
    return result


def triangle_gap(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Distance (k,) and closest points (3, k) of triangles (corner 3, axis 3, k)."""
    candidates = [_edges_to_edges(a, b), _corners_to_face(a, b), _swapped(_corners_to_face(b, a))]
    point1 = np.concatenate([pair[0] for pair in candidates], axis=1)
    point2 = np.concatenate([pair[1] for pair in candidates], axis=1)
    between = point2 - point1
    square = dot(between, between)
    best, pick = square.argmin(axis=0), np.arange(a.shape[-1])
    distance, point1, point2 = np.sqrt(square[best, pick]), point1[:, best, pick], point2[:, best, pick]
    for plane, other in ((a, b), (b, a)):
        pierced, point = _pierced(plane, other)
        distance = np.where(pierced, 0.0, distance)
        point1, point2 = np.where(pierced, point, point1), np.where(pierced, point, point2)
    return distance, point1, point2


def _edges_to_edges(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The 9 pairs of closest points (3, 9, k) of the edges."""
    count = a.shape[-1]
    first = np.stack([a[_CORNER_1], a[_NEXT[_CORNER_1]]]).transpose(0, 2, 1, 3).reshape(2, 3, 9 * count)
    second = np.stack([b[_CORNER_2], b[_NEXT[_CORNER_2]]]).transpose(0, 2, 1, 3).reshape(2, 3, 9 * count)
    s, t = segment_parameters(first, second)
    point1 = first[0] + s * (first[1] - first[0])
    point2 = second[0] + t * (second[1] - second[0])
    return point1.reshape(3, 9, count), point2.reshape(3, 9, count)


def _corners_to_face(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The corners of a (3, 3, k) and the points of b nearest to them."""
    count = a.shape[-1]
    point = a.transpose(1, 0, 2)
    corners = np.tile(b, (1, 1, 3))
    barycentric, _ = triangle_parameters(point.reshape(3, 3 * count), corners)
    foot = (barycentric[:, None, :] * corners).sum(axis=0)
    return point, foot.reshape(3, 3, count)


def _swapped(pair: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return pair[1], pair[0]


def _pierced(plane: Floats, other: Floats) -> tuple[Bools, Floats]:
    """Whether an edge of `other` goes through the triangle `plane`, and where (3, k)."""
    edge = (plane[_NEXT] - plane).transpose(1, 0, 2)
    normal = cross(edge[:, 0], -edge[:, 2])
    height = dot(normal[:, None, :], (other - plane[0]).transpose(1, 0, 2))
    fall = height - height[_NEXT]
    changes = (height > 0.0) != (height[_NEXT] > 0.0)
    along = safe_ratio(np.where(fall < 0.0, -height, height), np.abs(fall))
    point = (other + along[:, None, :] * (other[_NEXT] - other)).transpose(1, 0, 2)
    across = cross(normal[:, None, :], edge)
    inside = changes
    for side in range(3):
        offset = point - plane[side][:, None, :]
        inside = inside & (dot(np.broadcast_to(across[:, side][:, None, :], offset.shape), offset) >= 0.0)
    which, pick = inside.argmax(axis=0), np.arange(inside.shape[1])
    return inside.any(axis=0), point[:, which, pick]
