"""The smallest ball that encloses a set of points, exactly and without randomness.

The smallest enclosing ball is an LP-type problem (Welzl 1991): it is the smallest ball of at most four of the
points, its basis.  Start with any ball, find the point farthest outside, and solve for the basis and that
point alone, at most five points: of the circumcentres of all subsets with the new point, take the one whose
farthest of the five points is nearest.  This needs no test of being inside, so no tolerance.  The radius
grows each time, so no basis comes twice and the search ends, after about ten passes over the points.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, box_of
from ..errors import PhysPlaceError
from ..vectors import coordinate_arrays, cross, dot

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Largest relative excess of a distance over the radius that rounding alone can cause."""

PASSES = 1000
"""Most passes over the points, a hundred times what is usual; what is found then still encloses all."""


def enclosing_ball(points: ArrayLike) -> tuple[Floats, float]:
    """Return the centre (3,) and the radius of the smallest ball that encloses points (n, 3), lengths.

    Every point is inside, because the radius is the largest distance found.

    Raises:
        PhysPlaceError: no points, or points that are not finite.
    """
    cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if len(cloud) == 0 or not np.all(np.isfinite(cloud)):
        raise PhysPlaceError("enclosing ball: expected at least one point, all of them finite")
    lower, upper = box_of(cloud)
    origin = 0.5 * (lower + upper)
    center, radius = _search(coordinate_arrays(cloud) - origin[:, None])
    return origin + center, radius


def _search(local: Floats) -> tuple[Floats, float]:
    """Return the centre (3,) and radius of the ball around points, a coordinate array (3, n)."""
    basis = np.array([int(np.argmax(np.einsum("ij,ij->j", local, local)))], dtype=np.intp)
    center, radius = local[:, basis[0]], 0.0
    for _ in range(PASSES):
        squares = _squared_distances(local, center)
        farthest = int(np.argmax(squares))
        distance = float(np.sqrt(squares[farthest]))
        if distance <= radius * (1.0 + ROUNDING):
            break
        candidate, next_center, next_radius = _grown(local, basis, farthest)
        if next_radius <= radius:  # only rounding is left to gain
            break
        basis, center, radius = candidate, next_center, next_radius
    return center, float(np.sqrt(_squared_distances(local, center).max()))


def _squared_distances(points: Floats, center: Floats) -> Floats:
    """Return the squared distances (n,) of points (3, n) from a centre (3,)."""
    offset = points - center[:, None]
    squares: Floats = np.einsum("ij,ij->j", offset, offset)
    return squares


def _grown(points: Floats, basis: Ints, newcomer: int) -> tuple[Ints, Floats, float]:
    """Return the basis, centre and radius of the smallest ball of a basis and a point outside its ball.

    Args:
        points: (3, n).
        basis: the numbers of the points on the ball so far.
        newcomer: the number of the point outside.
    """
    few = points[:, np.append(basis, newcomer)]
    origin = points[:, newcomer]
    edges = (points[:, basis] - origin[:, None]).T
    longest = float(np.abs(edges).max())
    best, center, square = basis, origin, np.inf
    for size in range(1, min(3, len(basis)) + 1):
        others = np.array(list(combinations(range(len(basis)), size)), dtype=np.intp)
        centers = origin + longest * _circumcenters(edges[others] / longest)
        offsets = few.T - centers[:, None]
        squares = np.einsum("sij,sij->si", offsets, offsets).max(axis=1)
        least = int(np.argmin(np.where(np.isnan(squares), np.inf, squares)))
        if squares[least] < square:
            best, center, square = basis[others[least]], centers[least], float(squares[least])
    return np.append(newcomer, best).astype(np.intp), center, float(np.sqrt(square))


def _circumcenters(edges: Floats) -> Floats:
    """Return the points (s, 3) in the span of 1 to 3 edges (s, m, 3) from the origin that are equally far
    from it and from the edges' ends; not finite where edges depend on each other.

    With e_i the edges: e / 2; (|e_1|^2 e_2 - |e_2|^2 e_1) x n / (2 |n|^2), n = e_1 x e_2; and
    (|e_1|^2 e_2 x e_3 + |e_2|^2 e_3 x e_1 + |e_3|^2 e_1 x e_2) / (2 e_1 . (e_2 x e_3)).
    """
    if edges.shape[1] == 1:
        return 0.5 * edges[:, 0]
    squares = np.einsum("smi,smi->sm", edges, edges)[..., None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if edges.shape[1] == 2:
            normal = cross(edges[:, 0], edges[:, 1])
            above = cross(squares[:, 0] * edges[:, 1] - squares[:, 1] * edges[:, 0], normal)
            found: Floats = 0.5 * above / dot(normal, normal)[:, None]
            return found
        first, second, third = edges.transpose(1, 0, 2)
        products = np.stack([cross(second, third), cross(third, first), cross(first, second)], axis=1)
        volume = dot(first, products[:, 0])[:, None]
        found = 0.5 * (squares * products).sum(axis=1) / volume
    return found
