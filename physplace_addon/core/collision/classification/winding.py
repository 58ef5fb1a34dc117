"""Winding numbers of a closed mesh around points of segments, exactly.

A ray from the point leaves the box of the mesh on its nearest side, turned by a random small angle.  Every
triangle that it leaves through counts +1, every one that it enters through -1; the sum is the winding number.
The signs are found in double precision, with bounds that include the rounding of the point itself.  Where a
sign is doubtful it is found in integers, for the point P + t (Q - P) with t a fraction of a power of two,
which integers can hold.  A ray through a corner or a side of a triangle is replaced by another.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...rigid import Pose
from ..traversal import near_pairs
from ..tree import BoxTree, build_tree
from .exact_signs import EPSILON, Integers, determinants, integers, permanents, signs_of

_TILT = 1e-3
"""Largest tangent of the angle by which a ray is turned from its axis: its box stays thin."""

_MOST_RAYS = 64
"""Most rays from one point; a second one is seldom needed, and none helps a point on the mesh."""

_POINT_ERROR = 8.0 * EPSILON
"""Bound of the rounding error of a point on a segment, over the largest coordinate."""

_ERROR = 16.0 * EPSILON
"""Bound of the rounding error of a determinant, over its permanent, with that of the point."""


def winding_numbers(
    tree: BoxTree, segments: Floats, parameter: list[Fraction], rng: np.random.Generator
) -> Ints:
    """Return the winding numbers (k,) of a closed mesh around points of segments that are not on it.

    Args:
        tree: of the mesh's triangles.
        segments: (k, 2, 3).
        parameter: the t of each point, k fractions of powers of two.
        rng: for the directions of rays.

    Raises:
        ValueError: a point is on the mesh.
    """
    share = np.array([float(t) for t in parameter])[:, None]
    points = segments[:, 0] + share * (segments[:, 1] - segments[:, 0])
    winding = np.zeros(len(segments), dtype=np.intp)
    lower, upper = tree.lower[0], tree.upper[0]
    magnitude = max(tree.magnitude, float(np.abs(segments).max(initial=0.0)))
    slack = _POINT_ERROR * magnitude
    left = np.flatnonzero(((points >= lower - slack) & (points <= upper + slack)).all(axis=1))
    for _ in range(_MOST_RAYS):
        if len(left) == 0:
            return winding
        ends = _ray_ends(points[left], lower, upper, magnitude, rng)
        rays = np.stack([points[left], ends], axis=1)
        found, settled = _crossings(tree, rays, segments[left], [parameter[i] for i in left], slack)
        winding[left[settled]] = found[settled]
        left = left[~settled]
    raise ValueError(f"expected points off the mesh, found {len(left)} on it")


def _ray_ends(
    points: Floats, lower: Floats, upper: Floats, magnitude: float, rng: np.random.Generator
) -> Floats:
    """Return points (k, 3) beyond the box from `lower` to `upper` (3,), beside its side nearest to each point
    (k, 3); at random.
    """
    depth = np.concatenate([points - lower, upper - points], axis=1)
    nearest = depth.argmin(axis=1)
    rows, axis = np.arange(len(points)), nearest % 3
    length = depth[rows, nearest] + 0.125 * (magnitude + float((upper - lower).max()))
    ends: Floats = points + _TILT * length[:, None] * rng.uniform(-1.0, 1.0, points.shape)
    ends[rows, axis] = points[rows, axis] + np.where(nearest < 3, -length, length)
    return ends


def _crossings(
    tree: BoxTree, rays: Floats, segments: Floats, parameter: list[Fraction], slack: float
) -> tuple[Ints, Bools]:
    """Return the sum (k,) of the crossings of rays, and which (k,) meet no corner or side of a triangle.

    Args:
        tree: of the mesh's triangles.
        rays: (k, 2, 3), from the points.
        segments, parameter: what the points are.
        slack: bound of the points' rounding, a length.
    """
    ray, triangle = near_pairs(_segment_tree(rays), Pose.identity(), tree, 2.0 * slack).T
    abc = tree.triangles[triangle]
    direction = rays[ray, 1] - rays[ray, 0]
    signs, height = _float_signs(rays[ray, 0], direction, abc, slack)
    missed = (signs > 0).any(axis=1) & (signs < 0).any(axis=1)
    doubtful = np.flatnonzero(~missed & ((signs == 0).any(axis=1) | (height == 0)))
    if len(doubtful):
        which = ray[doubtful]
        points = _exact_points(segments[which], abc[doubtful], [parameter[i] for i in which])
        signs[doubtful], height[doubtful] = _exact_signs(points, direction[doubtful])
        missed = (signs > 0).any(axis=1) & (signs < 0).any(axis=1)
    settled = np.ones(len(rays), dtype=bool)
    settled[ray[~missed & (signs == 0).any(axis=1)]] = False
    hit = ~missed & (height == signs[:, 0])
    crossings = np.bincount(ray[hit], weights=signs[hit, 0], minlength=len(rays)).astype(np.intp)
    return crossings, settled


def _segment_tree(segments: Floats) -> BoxTree:
    """Return a tree over segments (k, 2, 3), as triangles without area."""
    return build_tree(segments[:, [0, 1, 1]])


def _float_signs(point: Floats, direction: Floats, abc: Floats, slack: float) -> tuple[Ints, Ints]:
    """Return the signs (k, 3) of det (r, A - M, B - M) of a triangle's sides AB, and those (k,) of
    det (A - M, B - M, C - M); 0 where they are doubtful.

    Args:
        point, direction: M and r (k, 3).
        abc: the triangles (k, 3, 3).
        slack: bound of the points' rounding, a length.
    """
    offset = (abc - point[:, None]).transpose(1, 0, 2)
    size = np.abs(offset) + slack / EPSILON
    sides = [(direction, offset[i], offset[(i + 1) % 3]) for i in range(3)]
    sizes = [(np.abs(direction), size[i], size[(i + 1) % 3]) for i in range(3)]
    found = []
    for vectors, bounds in zip([*sides, tuple(offset)], [*sizes, tuple(size)], strict=True):
        value = determinants(*(v.T for v in vectors))
        bound = _ERROR * permanents(*(v.T for v in bounds))
        found.append(np.where(np.abs(value) > bound, np.sign(value), 0.0).astype(np.intp))
    return np.stack(found[:3], axis=1), found[3]


def _exact_points(segments: Floats, abc: Floats, parameter: list[Fraction]) -> Integers:
    """Return the corners (k, 3, 3) of triangles less the points of segments (k, 2, 3), as integers.

    Those of one row are all multiplied by the same number.
    """
    whole = integers(1, segments, abc)
    ends, corners = (array.astype(object) for array in whole)
    denominator = np.array([t.denominator for t in parameter], dtype=object)[:, None]
    numerator = np.array([t.numerator for t in parameter], dtype=object)[:, None]
    point = ends[:, 0] * denominator + numerator * (ends[:, 1] - ends[:, 0])
    offset: Integers = corners * denominator[:, None] - point[:, None]
    return offset


def _exact_signs(offset: Integers, direction: Floats) -> tuple[Ints, Ints]:
    """Return what `_float_signs` does, exactly, from the offsets A - M, B - M, C - M (k, 3, 3)."""
    whole = integers(1, direction)[0].astype(object)
    a, b, c = offset.transpose(1, 2, 0)
    sides = [signs_of(determinants(whole.T, x, y)) for x, y in ((a, b), (b, c), (c, a))]
    return np.stack(sides, axis=1), signs_of(determinants(a, b, c))
