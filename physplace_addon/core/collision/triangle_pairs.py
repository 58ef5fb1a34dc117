"""Distance and intersection of pairs of triangles, and a quick test that separates most of them.

Two triangles that share no point are closest at a corner of one and a point of the other, or at two edges: 6
+ 9 candidates.  They share a point in general position if an edge of one pierces the other; most pairs are
decided by that alone (`triangle_signs`).  In all other cases (coplanar overlap, a corner in a face, zero
area) one of the 15 candidates has distance zero up to rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_arrays, coordinate_cross, coordinate_dot, coordinate_length
from .triangle_signs import beside, meeting

__all__ = [
    "Intersection",
    "beyond_along",
    "beyond_plane",
    "meeting_rows",
    "rows_within",
    "triangle_gap",
    "triangles_intersect",
]

_NEXT = np.array([1, 2, 0])
_EPSILON = float(np.finfo(np.float64).eps)

_ON_FACE = 1e-9
"""Largest distance, over the longest edge, between a point on a piercing edge and that point of the face.

On a sliver the normal is mostly rounding error, and so is the point in which its plane is pierced."""


class Intersection(NamedTuple):
    """Which pairs of triangles meet (k,), and a point (k, 3) of both, NaN where they do not."""

    hit: Bools
    point: Floats


def triangles_intersect(first: Floats, second: Floats, tolerance: float = 0.0) -> Intersection:
    """Return which pairs of triangles (k, 3, 3) cross or come within a tolerance, a length.

    A tolerance below the rounding error of the coordinates is raised to it, so that triangles that touch
    exactly are found.
    """
    a, b = coordinate_arrays(first), coordinate_arrays(second)
    scale = np.maximum(np.abs(a).max(axis=(0, 1)), np.abs(b).max(axis=(0, 1))) if a.size else np.zeros(0)
    allowed = np.maximum(tolerance, 16.0 * _EPSILON * scale)
    found = meeting_rows(beside(a, b), allowed)
    hit = np.zeros(allowed.size, dtype=bool)
    point = np.full((allowed.size, 3), np.nan)
    hit[found] = True
    _, point1, point2 = triangle_gap(a[..., found], b[..., found])
    point[found] = 0.5 * (point1 + point2).T
    return Intersection(hit, point)


def meeting_rows(both: Floats, allowed: Floats) -> Ints:
    """Return which pairs of triangles (m,) are within an allowed distance (k,), a length.

    Args:
        both: the pairs (corner 3, axis 5, body 2, k), see `triangle_signs`.
        allowed: lengths (k,).
    """
    certain, doubtful = meeting(both, allowed)
    if not doubtful.size:
        return certain
    a, b = np.take(both, doubtful, axis=3)[:, :3].transpose(2, 0, 1, 3)
    near = _rows_by_planes(a, b, allowed[doubtful])
    result: Ints = np.sort(np.concatenate([certain, doubtful[near]]))
    return result


def rows_within(a: Floats, b: Floats, distance: Floats) -> Ints:
    """Return which pairs of triangles (m,), ascending, are within a distance (k,), a length.

    Most that are have two corners as near as that, which is soon seen.

    a, b: triangles (corner 3, axis 3, k).
    """
    near, rest = _rows_by_corners(a, b, distance)
    left = rest[_rows_by_planes(a[..., rest], b[..., rest], distance[rest])]
    result: Ints = np.sort(np.concatenate([near, left]))
    return result


def _rows_by_planes(a: Floats, b: Floats, distance: Floats) -> Ints:
    """Return the same as `rows_within`, by the planes of the triangles and what these leave in full.

    Where the distance is next to nothing corners say nothing.
    """
    near = np.flatnonzero(~(beyond_plane(a, b, distance) | beyond_plane(b, a, distance)))
    gap, _, _ = triangle_gap(a[..., near], b[..., near])
    result: Ints = near[gap <= distance[near]]
    return result


def _rows_by_corners(a: Floats, b: Floats, distance: Floats) -> tuple[Ints, Ints]:
    """Return which pairs of triangles have corners within a distance, and which others are not separated by
    more than that along the way between their closest corners.

    These are few where triangles are smaller than the distance; there no plane of one separates anything.
    """
    way = (b.transpose(1, 0, 2)[:, None] - a.transpose(1, 0, 2)[:, :, None]).reshape(3, 9, -1)
    square = coordinate_dot(way, way)
    best = square.argmin(axis=0)
    least = square[best, np.arange(best.size)]
    within = least <= distance * distance
    rest = np.flatnonzero(~within)
    margin = distance[rest] * np.sqrt(least[rest])
    apart = beyond_along(way[:, best[rest], rest], a[..., rest], b[..., rest], margin)
    return np.flatnonzero(within), rest[~apart]


def beyond_plane(plane: Floats, other: Floats, distance: Floats) -> Bools:
    """Return whether the normals of triangles separate them from points by more than a distance (k,).

    The heights of the triangle's own corners count, too: the normal of a sliver is mostly rounding error, and
    a direction separates two sets only if both are projected on it.

    Args:
        plane: triangles (corner 3, axis 3, k).
        other: m points each (m, axis 3, k).
        distance: lengths (k,).
    """
    edges = plane[1:] - plane[0]
    normal = coordinate_cross(edges[0], edges[1])
    return beyond_along(normal, plane, other, distance * coordinate_length(normal))


def beyond_along(direction: Floats, triangle: Floats, other: Floats, margin: Floats) -> Bools:
    """Return whether directions separate triangles from points by more than a margin.

    Args:
        direction: coordinate arrays (3, k) of any length.
        triangle: (corner 3, axis 3, k).
        other: m points each (m, axis 3, k).
        margin: lengths (k,) times those of the directions.
    """
    own = coordinate_dot(direction[:, None, :], (triangle[1:] - triangle[0]).transpose(1, 0, 2))
    height = coordinate_dot(direction[:, None, :], (other - triangle[0]).transpose(1, 0, 2))
    above = height.min(axis=0) > np.maximum(own.max(axis=0), 0.0) + margin
    below = height.max(axis=0) < np.minimum(own.min(axis=0), 0.0) - margin
    result: Bools = above | below
    return result


def triangle_gap(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the distance (k,), 0 where they meet, and the closest points (3, k) of pairs of triangles.

    Args:
        a, b: triangles (corner 3, axis 3, k).
    """
    square, point1, point2 = _closest_of_edges(a, b)
    crossed = np.zeros(square.size, dtype=bool)
    for plane, other in ((a, b), (b, a)):
        side = _over_plane(plane, other)
        nearer = side.square < square
        square = np.where(nearer, side.square, square)
        crossed |= side.pierced
        on_plane, on_other = (point1, point2) if plane is a else (point2, point1)
        on_plane = np.where(side.pierced, side.piercing, np.where(nearer, side.projection, on_plane))
        on_other = np.where(side.pierced, side.piercing, np.where(nearer, side.corner, on_other))
        point1, point2 = (on_plane, on_other) if plane is a else (on_other, on_plane)
    return np.where(crossed, 0.0, np.sqrt(square)), point1, point2


def _closest_of_edges(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the squared distance (k,) and closest points (3, k) of the triangles' boundaries.

    27 candidates: the 9 pairs of edges, and each corner of one with each edge of the other.
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
    """A triangle over another's plane: its closest corner that projects inside, and where an edge pierces.

    square (k,): the corner's squared distance, infinite if none projects inside.  corner, projection (3, k).
    pierced (k,): whether an edge pierces the other triangle, at piercing (3, k).
    """

    square: Floats
    corner: Floats
    projection: Floats
    pierced: Bools
    piercing: Floats


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
    projection = _weighted(inward[:, best, pick], plane)
    is_above = np.asarray(above)[best, pick]
    square = np.where(is_above, coordinate_dot(corner - projection, corner - projection), np.inf)

    along = _crossing_fraction(height, height[_NEXT])
    through = inward + along * (inward[:, _NEXT] - inward)
    inside = ((height > 0.0) != (height[_NEXT] > 0.0)) & (through >= 0.0).all(axis=0)
    which = inside.argmax(axis=0)
    start, end = other[which, :, pick].T, other[_NEXT[which], :, pick].T
    piercing = start + along[which, pick] * (end - start)
    off = piercing - _weighted(through[:, which, pick], plane)
    on_face = (
        coordinate_dot(off, off)
        <= _ON_FACE**2 * coordinate_dot(edge, edge).max(axis=0) + _rounding(piercing) ** 2
    )
    return _OverPlane(square, corner, projection, inside[which, pick] & on_face, piercing)


def _weighted(inward: Floats, plane: Floats) -> Floats:
    """Return the points (3, k) of triangles with weights in proportion to `inward` (3, k) of the edges.

    They are true points of the triangles even where the normal is mostly rounding error, as on a sliver.
    """
    total = inward.sum(axis=0)
    weight = inward[_NEXT] / np.where(total > 0.0, total, 1.0)
    point: Floats = (weight[:, None] * plane).sum(axis=0)
    return point


def _rounding(point: Floats) -> Floats:
    result: Floats = 16.0 * _EPSILON * np.abs(point).max(axis=0)
    return result


def _crossing_fraction(start: Floats, end: Floats) -> Floats:
    """Return where a height passes zero, as a fraction of the way from start to end; 0 if it is constant."""
    fall = start - end
    return np.divide(start, fall, out=np.zeros_like(fall), where=fall != 0.0)


def _unit_ratio(numerator: Floats, denominator: Floats) -> Floats:
    denominator = np.broadcast_to(denominator, numerator.shape)
    ratio = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0.0)
    result: Floats = np.minimum(np.maximum(ratio, 0.0), 1.0)
    return result
