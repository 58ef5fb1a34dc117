"""Bounds on the distance from a surface over a parameter cell to the cell's two triangles.

Corners are numbered (0) lower u, lower v; (1) upper u, lower v; (2) lower u, upper v; (3) upper u, upper v.
The triangles are (0, 1, 2) and (3, 2, 1).

*Bilinear.*  Linear interpolation over an interval h errs by at most h^2/8 max|S''|; along v, then along u,
that is (du^2 max|S_uu| + dv^2 max|S_vv|)/8 in all.  The bilinear patch B leaves the flat triangle T by s t w,
s t <= 1/4, with the twist w = P0 - P1 - P2 + P3.  Only the part of w off the triangle's plane counts, and,
where w carries a point over the diagonal, the sine of the fold there.

*Tangent planes*, for convex bodies around the origin.  Over the radial cone of a triangle with corners X_j
the surface stays below the tangent planes n_i . x <= n_i . X_i.  With x = sum l_j X_j the largest L = sum l_j
is the linear programme max L, B l <= 1, l >= 0, B_ij = n_i . X_j / n_i . X_i.  Every feasible y >= 0 of its
dual, B' y >= 1, proves L <= sum y, and the distance to the triangle is at most (L - 1) max |X_j|.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..vectors import coordinate_cross, coordinate_dot, cross, dot, length
from .curves.piecewise import distance_to_segment

_TRIANGLES = ((0, 1, 2), (3, 2, 1))  # the corners of a cell's triangles
_PAIRS = ((0, 1), (1, 2), (2, 0))  # the sides of a triangle


def cell_corners(lower: Floats, upper: Floats) -> Floats:
    """Return the parameters (k, 4, 2) of the corners of cells [lower, upper], each (k, 2)."""
    corners = np.empty((len(lower), 4, 2))
    corners[:, 0::2, 0], corners[:, 1::2, 0] = lower[:, :1], upper[:, :1]
    corners[:, :2, 1], corners[:, 2:, 1] = lower[:, 1:], upper[:, 1:]
    return corners


def bilinear_bounds(points: Floats, bend_u: Floats, bend_v: Floats) -> Floats:
    """Return bounds (k,) on the distance of surfaces to the triangles of cells, scene units.

    Args:
        points: the corners (k, 4, 3) of the cells.
        bend_u: du^2 max|S_uu| (k,).
        bend_v: dv^2 max|S_vv| (k,).
    """
    bounds: Floats = 0.125 * (bend_u + bend_v) + twist_bounds(points)
    return bounds


def twist_bounds(points: Floats) -> Floats:
    """Return bounds (k,) on the distance from the bilinear patches of corners (k, 4, 3) to their triangles.

    A patch with a side of no length is a triangle.
    """
    twist = points[:, 0] - points[:, 1] - points[:, 2] + points[:, 3]
    full = 0.25 * length(twist)
    first, second = (_unit_normal(points[:, list(corners)]) for corners in _TRIANGLES)
    off = np.maximum(np.abs(dot(twist, first)), np.abs(dot(twist, second)))
    tight = 0.25 * off + full * length(cross(first, second))
    inside = _twist_stays_inside(points, twist) & (dot(first, second) > 0.0)
    bounds = np.where(inside, np.minimum(full, tight), full)
    return np.where(_has_collapsed_side(points), 0.0, bounds)


def _twist_stays_inside(points: Floats, twist: Floats) -> Bools:
    """Return whether the in-plane twist (k,) is less than the sides: it can carry a point over the diagonal
    only.
    """
    inside = np.ones(len(points), dtype=np.bool_)
    for origin, one, two in _TRIANGLES:
        a, b = points[:, one] - points[:, origin], points[:, two] - points[:, origin]
        normal = cross(a, b)
        square = dot(normal, normal)
        along_a = np.abs(dot(cross(twist, b), normal))
        along_b = np.abs(dot(cross(a, twist), normal))
        inside &= (along_a < square) & (along_b < square)
    return inside


def _has_collapsed_side(points: Floats) -> Bools:
    scale = np.max(np.abs(points), axis=(1, 2))
    sides = [length(points[:, i] - points[:, j]) for i, j in ((0, 1), (2, 3), (0, 2), (1, 3))]
    return np.asarray(np.min(sides, axis=0) <= 1e-14 * scale)


def tangent_plane_bounds(points: Floats, normals: Floats) -> Floats:
    """Return bounds (k,) on the distance of convex bodies to the triangles of cells, scene units.

    Args:
        points: the corners (k, 4, 3), the origin inside of the body.
        normals: the outward normals (k, 4, 3) there, of any length.
    """
    both = [_cap(points[:, list(corners)], normals[:, list(corners)]) for corners in _TRIANGLES]
    return np.maximum(both[0], both[1])


def _cap(points: Floats, normals: Floats) -> Floats:
    """Return bounds (k,) on the height of the cap over one triangle a cell; 0 where the triangle
    has no area.
    """
    product = normals @ points.transpose(0, 2, 1)
    matrix = np.ascontiguousarray((product / np.einsum("kii->ki", product)[:, :, None]).transpose(1, 2, 0))
    most = np.minimum(_one_plane(matrix), np.minimum(_two_planes(matrix), _three_planes(matrix)))
    reach = np.sqrt(np.max([dot(points[:, i], points[:, i]) for i in range(3)], axis=0))
    side = np.min([length(points[:, i] - points[:, j]) for i, j in _PAIRS], axis=0)
    cap: Floats = np.where(side > 1e-14 * reach, np.maximum(most - 1.0, 0.0) * reach, 0.0)
    return cap


def _one_plane(matrix: Floats) -> Floats:
    """Return the least sum y (k,) of dual points with one plane, for matrices (3, 3, k)."""
    least = matrix.min(axis=1)
    with np.errstate(divide="ignore"):
        sums: Floats = np.where(least > 0.0, 1.0 / least, np.inf).min(axis=0)
    return sums


def _two_planes(matrix: Floats) -> Floats:
    """Return the least sum y (k,) of dual points with two planes, where two columns are tight."""
    best = np.full(matrix.shape[2], np.inf)
    for i, j in _PAIRS:
        for m, n in _PAIRS:
            a, b, c, d = matrix[i, m], matrix[j, m], matrix[i, n], matrix[j, n]
            det = a * d - b * c
            safe = np.where(det == 0.0, np.inf, det)
            best = np.minimum(best, _sum_if_feasible(matrix, {i: (d - b) / safe, j: (a - c) / safe}))
    return best


def _three_planes(matrix: Floats) -> Floats:
    """Return the sum y (k,) of the dual point where all columns are tight: the sums of the
    inverse's columns.
    """
    crossed = [coordinate_cross(matrix[i], matrix[j]) for i, j in ((1, 2), (2, 0), (0, 1))]
    det = coordinate_dot(matrix[0], crossed[0])
    safe = np.where(det > 0.0, det, np.inf)
    y = {i: (column[0] + column[1] + column[2]) / safe for i, column in enumerate(crossed)}
    return _sum_if_feasible(matrix, y)


def _sum_if_feasible(matrix: Floats, weights: dict[int, Floats]) -> Floats:
    """Return the sums of weights (k,) of planes, scaled up to cover rounding; infinite where not dual
    feasible.
    """
    columns = [sum(matrix[i, m] * y for i, y in weights.items()) for m in range(3)]
    covered = np.minimum(np.minimum(columns[0], columns[1]), columns[2])
    feasible = covered > 1.0 - 1e-9
    for y in weights.values():
        feasible &= y >= 0.0
    total = sum(weights.values()) / np.where(feasible, np.minimum(covered, 1.0), 1.0)
    return np.where(feasible, total, np.inf)


def distances_to_triangles(points: Floats, triangles: Floats) -> Floats:
    """Return the distances (m, p) of points (m, p, 3) from triangles (m, 3, 3), scene units."""
    corners = triangles.transpose(1, 0, 2)
    sides = list(zip(corners, corners[[1, 2, 0]], strict=True))
    normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    size = length(normal)
    over = np.broadcast_to((size > 0.0)[:, None], points.shape[:2])
    for start, stop in sides:
        inward = cross(normal, stop - start)
        over = over & (_along(points, inward) >= dot(start, inward)[:, None])
    upright = normal / np.where(size > 0.0, size, 1.0)[:, None]
    away = np.where(over, np.abs(_along(points, upright) - dot(corners[0], upright)[:, None]), np.inf)
    row, rest = np.nonzero(~over)
    beside = [distance_to_segment(points[row, rest], start[row], stop[row]) for start, stop in sides]
    away[row, rest] = np.min(beside, axis=0)
    return away


def _along(points: Floats, directions: Floats) -> Floats:
    """Return the coordinates (m, p) of points (m, p, 3) along directions (m, 3)."""
    return np.asarray((points @ directions[:, :, None])[:, :, 0])


def _unit_normal(corners: Floats) -> Floats:
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = length(normal)
    direction: Floats = normal / np.where(size > 0.0, size, 1.0)[:, None]
    return direction
