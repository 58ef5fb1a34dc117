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
from ..vectors import coordinate_arrays

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
    sizes = range(1, min(3, len(basis)) + 1)
    subsets = [
        np.array([newcomer, *others], dtype=np.intp)
        for size in sizes
        for others in combinations(basis.tolist(), size)
    ]
    centers = [_circumcenter(points[:, subset].T) for subset in subsets]
    squares = [float(_squared_distances(few, center).max()) for center in centers]
    best = int(np.argmin(squares))
    return subsets[best], centers[best], float(np.sqrt(squares[best]))


def _circumcenter(corners: Floats) -> Floats:
    """Return the point (3,) in the affine hull of 2 to 4 corners (m, 3) that is equally far from all of
    them.
    """
    edges = corners[1:] - corners[0]
    offset: Floats = np.linalg.lstsq(edges, 0.5 * np.einsum("ij,ij->i", edges, edges), rcond=1e-14)[0]
    center: Floats = corners[0] + offset
    return center
