"""Interface points that part flat triangles which overlap at a trial although no point of features says so.

As an edge slides past a convex corner, or sinks into a hollow one, the feet of its pairs leave the features
that they were on, and no pair is left to hold it back.  But two triangles that did not overlap at a pose
before were parted by a plane: one of them, one along two of their edges, or, in one plane, one through an
edge.  A plane that parted them then and is least overlapped now is what their motion has to obey.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import closest_on_segments
from ...vectors import cross, dot
from ..body_pair import BodyPair
from ..features import FACE, whole_features
from ..row_lists import placed
from .interface_points import FIXED, PARALLEL, InterfacePoints

_ROUNDING = 1e-9  # of R: depth at the pose before that is no overlap
_FIRST, _SECOND = np.arange(4), np.arange(4, 8)  # numbers of the normals that a triangle carries with it


def parting_points(before: BodyPair, now: BodyPair, triangles: Ints) -> InterfacePoints:
    """Return a point for each pair of triangles (k, 2) that a plane parted at the pose `before`.

    Its gap is the depth along that plane's normal, and it stays where it is.
    """
    normal_before, *corners_before = _normals(before, triangles)
    normal, first, second = _normals(now, triangles)
    upright = _gaps(normal_before, *corners_before) >= _gaps(-normal_before, *corners_before)
    side = np.where(upright, 1.0, -1.0)[..., None]
    parted = _gaps(side * normal_before, *corners_before) >= -_ROUNDING * now.radius
    gaps = np.where(parted, _gaps(side * normal, first, second), -np.inf)
    gaps[np.isnan(gaps)] = -np.inf
    best = gaps.argmax(axis=1)
    rows = np.flatnonzero(np.isfinite(gaps[np.arange(len(gaps)), best]))
    best, first, second = best[rows], first[rows], second[rows]
    upward = (side * normal)[rows, best]
    at = _places(best, upward, first, second)
    return _samples(now, triangles[rows], *at, upward, gaps[rows, best])


def _normals(body_pair: BodyPair, triangles: Ints) -> tuple[Floats, Floats, Floats]:
    """Return normals (k, 17, 3) of planes that may part pairs of triangles, and these (k, 3, 3) themselves.

    Four are carried by the first, four by the second triangle: that of its plane, and those in its plane
    across its sides.  The others are across a side of each.  Those of parallel sides are NaN.
    """
    first = placed(body_pair.active.body.triangles[triangles[:, 0]], body_pair.pose)
    second = body_pair.world.body.triangles[triangles[:, 1]]
    sides = [np.roll(each, -1, axis=1) - each for each in (first, second)]
    own = []
    for side in sides:
        plane = cross(side[:, 0], side[:, 1])[:, None]
        own += [plane, cross(np.broadcast_to(plane, side.shape), side)]
    between = cross(np.repeat(sides[0], 3, axis=1), np.tile(sides[1], (1, 3, 1)))
    size = np.sqrt(dot(between, between))
    lengths = [np.sqrt(dot(side, side)) for side in sides]
    scale = np.repeat(lengths[0], 3, axis=1) * np.tile(lengths[1], (1, 3))
    between[size <= PARALLEL * scale] = np.nan
    normals = np.concatenate([*own, between], axis=1)
    return normals / np.sqrt(dot(normals, normals))[..., None], first, second


def _gaps(normals: Floats, first: Floats, second: Floats) -> Floats:
    """Return how far (k, n) triangles (k, 3, 3) are apart along normals (k, n, 3); negative is a depth."""
    origin = second[:, :1]
    above = np.einsum("kni,kci->knc", normals, first - origin)
    below = np.einsum("kni,kci->knc", normals, second - origin)
    gaps: Floats = above.min(axis=2) - below.max(axis=2)
    return gaps


def _places(number: Ints, upward: Floats, first: Floats, second: Floats) -> tuple[Floats, Bools]:
    """Return where (k, 3) triangles meet along chosen normals, and which places (k,) are the second's.

    number (k,): of the normals among those of `_normals`.
    """
    lowest = dot(first, upward[:, None]).argmin(axis=1)
    highest = dot(second, upward[:, None]).argmax(axis=1)
    rows = np.arange(len(number))
    on_second: Bools = np.isin(number, _FIRST)
    at = np.where(on_second[:, None], second[rows, highest], first[rows, lowest])
    crossing = np.flatnonzero(number > _SECOND[-1])
    side1, side2 = np.divmod(number[crossing] - _SECOND[-1] - 1, 3)
    ends1 = np.stack([first[crossing, side1], first[crossing, (side1 + 1) % 3]], axis=1)
    ends2 = np.stack([second[crossing, side2], second[crossing, (side2 + 1) % 3]], axis=1)
    fraction = closest_on_segments(ends1, ends2)[0][:, None]
    at[crossing] = ends1[:, 0] + fraction * (ends1[:, 1] - ends1[:, 0])
    return at, on_second


def _samples(
    body_pair: BodyPair, triangles: Ints, at: Floats, on_second: Bools, upward: Floats, gap: Floats
) -> InterfacePoints:
    """Return points that stay where they are, at places (k, 3) of the first triangles, or of the second."""
    k = len(gap)
    dim, offset = np.full(k, FACE), gap[:, None] * upward
    active, world = body_pair.active.body, body_pair.world.body
    piece1, piece2 = active.triangle_face[triangles[:, 0]], world.triangle_face[triangles[:, 1]]
    return InterfacePoints(
        dim,
        whole_features(active, dim, piece1),
        piece1,
        active.triangle_uv[triangles[:, 0]].mean(axis=1),
        dim,
        whole_features(world, dim, piece2),
        piece2,
        world.triangle_uv[triangles[:, 1]].mean(axis=1),
        np.ones(k),
        np.ones(k, bool),
        np.zeros(k),
        np.where(on_second[:, None], at + offset, at),
        np.where(on_second[:, None], at, at - offset),
        upward,
        gap,
        np.zeros(k, np.intp),
        np.full(k, FIXED),
    )
