"""Closest points of points, segments and triangles, many at a time, on any input.

Each function takes the best of a set of candidates that are all true points of the primitives, by their
measured distance.  So a sliver, a triangle without area or a pair of parallel segments can make one candidate
useless, but never the result wrong: the distance is that of the points returned (Ericson 2005, 5.1).

Segments first(s) = a + s u, second(t) = b + t v: the candidates are the pair of closest points of the two
lines, clipped to the segments, and for each end the closest point of the other segment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_arrays, coordinate_cross, coordinate_dot, coordinate_length

__all__ = [
    "EDGE",
    "FACE",
    "VERTEX",
    "OnSegments",
    "OnTriangle",
    "closest_on_segments",
    "closest_on_triangle",
    "projects_inside",
]

FACE, EDGE, VERTEX = 0, 1, 4
"""Codes of the parts of a triangle: FACE; EDGE + i from corner i to corner i + 1 (mod 3); VERTEX + i."""

_NEXT = np.array([1, 2, 0])

_ROUNDINGS = 32.0 * float(np.finfo(np.float64).eps)
"""Relative rounding error of a product of three lengths, such as a corner's height times twice the area."""

_ON_EDGE = 8.0 * float(np.finfo(np.float64).eps)
"""Least barycentric coordinate of a projection inside a triangle; below it rounding decides, so an edge
wins."""


class OnTriangle(NamedTuple):
    """Closest points on k triangles.

    Attributes:
        barycentric: their barycentric coordinates (k, 3), at least 0 with sum 1.
        region: the codes (k,) of the parts that they are on: FACE, EDGE + i, VERTEX + i.
    """

    barycentric: Floats
    region: Ints


class OnSegments(NamedTuple):
    """Closest points of segment pairs: parameters s, t (k,) in [0, 1], and which are strictly inside it."""

    s: Floats
    t: Floats
    s_inside: Bools
    t_inside: Bools


def closest_on_triangle(points: Floats, triangles: Floats) -> OnTriangle:
    """Return the closest points of triangles (k, 3, 3) to points (k, 3), row by row."""
    barycentric, region = triangle_parameters(coordinate_arrays(points), coordinate_arrays(triangles))
    return OnTriangle(np.ascontiguousarray(barycentric.T), region)


def closest_on_segments(first: Floats, second: Floats) -> OnSegments:
    """Return the closest points first(s), second(t) of pairs of segments (k, 2, 3)."""
    s, t = segment_parameters(coordinate_arrays(first), coordinate_arrays(second))
    return OnSegments(s, t, (s > 0.0) & (s < 1.0), (t > 0.0) & (t < 1.0))


def projects_inside(points: Floats, triangles: Floats, reach: float | Floats, slack: float | Floats) -> Ints:
    """Return the rows (m,) whose point (k, 3) may project into the triangle (k, 3, 3) from within a reach.

    Points that project beside the triangle, or are farther away, by up to `slack` are among them, and few
    others.

    Args:
        points: (k, 3), one for each triangle.
        triangles: (k, 3, 3).
        reach, slack: lengths, one for all or for each row (k,).
    """
    corners = coordinate_arrays(triangles)
    edge = (np.take(corners, _NEXT, axis=0) - corners).transpose(1, 0, 2)
    offset = coordinate_arrays(points)[:, None] - corners.transpose(1, 0, 2)
    normal = coordinate_cross(edge[:, 0], edge[:, 1])
    square, size = coordinate_dot(edge, edge), coordinate_length(normal)
    error = _ROUNDINGS * square.max(axis=0) * np.sqrt(coordinate_dot(offset, offset).max(axis=0))
    near = np.abs(coordinate_dot(normal, offset[:, 0])) <= (reach + slack) * size + error
    inward = coordinate_dot(coordinate_cross(normal[:, None], edge), offset)
    inside = inward >= -(slack * size + error) * np.sqrt(square)
    result: Ints = np.flatnonzero(near & inside.all(axis=0))
    return result


def triangle_parameters(point: Floats, corners: Floats) -> tuple[Floats, Ints]:
    """Return barycentric coordinates (3, k) and regions (k,) of closest points on triangles.

    Args:
        point: coordinate arrays (3, k).
        corners: (corner 3, axis 3, k).
    """
    start = corners.transpose(1, 0, 2)
    edge = np.take(corners, _NEXT, axis=0).transpose(1, 0, 2) - start
    offset = point[:, None, :] - start
    along = np.clip(safe_ratio(coordinate_dot(offset, edge), coordinate_dot(edge, edge)), 0.0, 1.0)
    miss = offset - along * edge
    square = coordinate_dot(miss, miss)
    pick = np.arange(point.shape[-1])
    side = square.argmin(axis=0)
    best, parameter = square[side, pick], along[side, pick]
    barycentric = np.zeros((3, pick.size))
    barycentric[side, pick] = 1.0 - parameter
    barycentric[_NEXT[side], pick] += parameter
    region = np.where(
        parameter <= 0.0, VERTEX + side, np.where(parameter >= 1.0, VERTEX + _NEXT[side], EDGE + side)
    )
    inside, face_barycentric = _face_candidate(offset, edge, best)
    barycentric = np.where(inside, face_barycentric, barycentric)
    return barycentric, np.where(inside, FACE, region)


def _face_candidate(offset: Floats, edge: Floats, best: Floats) -> tuple[Bools, Floats]:
    """Return where the projection lies inside and nearer than `best`, and its barycentric coordinates.

    Args:
        offset, edge: (axis 3, corner 3, k), from each corner to the point and to the next corner.
        best: squared distances (k,) of the closest points of the edges.
    """
    normal = coordinate_cross(edge[:, 0], -edge[:, 2])
    area = coordinate_dot(normal, normal)
    across = coordinate_cross(normal[:, None, :], edge)
    weight = safe_ratio(coordinate_dot(across, offset), np.broadcast_to(area, offset.shape[1:]))
    weight = np.take(weight, _NEXT, axis=0)
    inside = (area > 0.0) & (weight > _ON_EDGE).all(axis=0)
    total = weight.sum(axis=0)
    weight = weight / np.where(inside, total, 1.0)
    miss = offset[:, 0] - weight[1] * edge[:, 0] + weight[2] * edge[:, 2]
    inside &= coordinate_dot(miss, miss) < best
    return inside, weight


def segment_parameters(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return the parameters s, t (k,) of closest points of segments (end 2, axis 3, k)."""
    u, v, w = first[1] - first[0], second[1] - second[0], first[0] - second[0]
    uu, vv, uv, uw, vw = (
        coordinate_dot(u, u),
        coordinate_dot(v, v),
        coordinate_dot(u, v),
        coordinate_dot(u, w),
        coordinate_dot(v, w),
    )
    zero, one = np.zeros_like(uu), np.ones_like(uu)
    middle = np.clip(safe_ratio(uv * vw - vv * uw, uu * vv - uv * uv), 0.0, 1.0)
    s = np.stack([middle, zero, one, _unit_ratio(-uw, uu), _unit_ratio(uv - uw, uu)])
    facing = _unit_ratio(np.stack([middle * uv + vw, vw, uv + vw]), np.broadcast_to(vv, (3, *vv.shape)))
    t = np.stack([*facing, zero, one])
    miss = w[:, None] + s * u[:, None] - t * v[:, None]
    best = coordinate_dot(miss, miss).argmin(axis=0)
    pick = np.arange(best.size)
    return s[best, pick], t[best, pick]


def _unit_ratio(numerator: Floats, denominator: Floats) -> Floats:
    result: Floats = np.clip(safe_ratio(numerator, denominator), 0.0, 1.0)
    return result


def safe_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator (..., k); zero where the denominator is not positive."""
    result: Floats = np.divide(
        numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0.0
    )
    return result
