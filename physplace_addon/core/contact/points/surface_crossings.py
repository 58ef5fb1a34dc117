"""Crossings of true surfaces, proven on triangles that are refined where they are near each other.

The tessellations of two bodies are only within their bounds b1 and b2 of the true surfaces.  If a side of one
triangle pierces another one, and the ends of the side and the other's border are farther than b1 + b2 from
where it does, then the true surfaces cross, since no change by so little undoes it; triangles that are
farther than b1 + b2 apart prove that they do not cross there (Snyder 1995, Figure 3).  The pairs between
these two are refined: a triangle of a curved face is cut into four at the middles of its sides in (u, v),
whose new corners are points of the true face.  The bounds hold because the second derivatives over a part
are no larger than over the whole, so that halving a triangle divides its bound by four.

A corner at a pole has one free parameter.  It takes that of the other end of each side, so that the parts of
such a triangle leave nothing out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...arrays import SHARED, ArrayRecord, Bools, Floats, Ints
from ...bodies import Body
from ...collision import near_pairs
from ...collision.triangle_pairs import beyond_plane, triangle_gap
from ...rigid import Pose
from ...vectors import coordinate_arrays, cross, dot, length
from ..body_pair import BodyPair
from ..row_lists import placed

_FINEST = 1e-7  # of R: sum of two bounds below which a pair is no longer refined
_LEVELS = 16  # of refinement, at most
_MOST = 4_000  # pairs, those that cut deepest, that are refined further: it bounds the time
_ROUNDING = 1e-13  # of R: what bounds are raised by
_POLE = 1e-9  # of the longer partial derivative: length of the other one that marks a pole
_FIRST, _SECOND = np.array([0, 1, 2]), np.array([1, 2, 0])  # corners of a triangle at the ends of its sides
# The corners of the four parts of a triangle, among its corners 0 to 2 and the middles 3 to 5 of its sides.
_PARTS = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]])


@dataclass(frozen=True, eq=False)
class SurfaceCrossings(ArrayRecord):
    """m pairs of small triangles whose true surfaces are proven to cross.

    point (m, 3): a point of both triangles, in the frame of the pair.
    depth (m,): a length that the triangles cut through each other by, beyond their bounds (`_cut_depths`).
    triangles (m, 2): the triangles of the tessellations that they are parts of, in the first and second body.
    uv1, uv2 (m, 3, 2): the parameters of their corners, on the faces of these.
    """

    point: Floats
    depth: Floats
    triangles: Ints
    uv1: Floats
    uv2: Floats

    def __len__(self) -> int:
        return len(self.depth)

    @classmethod
    def none(cls) -> SurfaceCrossings:
        """Return no crossings."""
        uv = np.zeros((0, 3, 2))
        return cls(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2), np.intp), uv, uv)


@dataclass(frozen=True, eq=False)
class _Parts(ArrayRecord):
    """k parts of triangles of one body.

    triangle (k,): of the tessellation.  uv (k, 3, 2), corners (k, 3, 3): parameters and places, in the frame
    of the pair.  free (k, 3, 2): which parameters of the corners mean nothing, as at poles.
    bound (k,): a length; no point of the true surface over the part is farther from it.
    """

    body: Body = field(metadata=SHARED)
    pose: Pose | None = field(metadata=SHARED)
    triangle: Ints
    uv: Floats
    corners: Floats
    free: Bools
    bound: Floats

    @classmethod
    def of(cls, body: Body, pose: Pose | None, triangles: Ints, rounding: float) -> _Parts:
        uv, corners = body.triangle_uv[triangles], placed(body.triangles[triangles], pose)
        free = np.zeros(uv.shape, dtype=np.bool_)
        curved = np.flatnonzero(~body.face_flat[body.triangle_face[triangles]])
        free[curved] = _free_parameters(body, body.triangle_face[triangles[curved]], uv[curved])
        return cls(body, pose, triangles, uv, corners, free, body.triangle_bound[triangles] + rounding)

    def quarters(self, rounding: float) -> _Parts:
        """Return the four parts of each, one after another."""
        uv = 0.5 * (self.uv[:, _FIRST] + self.uv[:, _SECOND])
        uv = np.where(self.free[:, _FIRST], self.uv[:, _SECOND], uv)
        uv = np.where(self.free[:, _SECOND] & ~self.free[:, _FIRST], self.uv[:, _FIRST], uv)
        face = np.repeat(self.body.triangle_face[self.triangle], 3)
        point = placed(self.body.face_points(face, uv.reshape(-1, 2)), self.pose).reshape(-1, 3, 3)
        every_uv = np.concatenate([self.uv, uv], axis=1)[:, _PARTS].reshape(-1, 3, 2)
        every_free = np.concatenate([self.free, np.zeros_like(self.free)], axis=1)[:, _PARTS].reshape(
            -1, 3, 2
        )
        corners = np.concatenate([self.corners, point], axis=1)[:, _PARTS].reshape(-1, 3, 3)
        bound = np.repeat(0.25 * (self.bound - rounding) + rounding, 4)
        return replace(
            self,
            triangle=np.repeat(self.triangle, 4),
            uv=every_uv,
            corners=corners,
            free=every_free,
            bound=bound,
        )


def _free_parameters(body: Body, face: Ints, uv: Floats) -> Bools:
    """Return which parameters (k, 3, 2) of the corners of triangles on faces (k,) do not move the point."""
    free = np.zeros(uv.shape, dtype=np.bool_)
    owner = body.face_surface[face]
    for number in np.unique(owner).tolist():
        rows = np.flatnonzero(owner == number)
        index = np.repeat(body.face_index[face[rows]], 3)
        found = body.surfaces[number].derivatives(index, uv[rows].reshape(-1, 2))
        speed = np.sqrt(np.stack([dot(found.du, found.du), dot(found.dv, found.dv)], axis=1))
        speed = speed.reshape(-1, 3, 2)
        free[rows] = speed <= _POLE * speed.max(axis=(1, 2), keepdims=True)
    return free


def surface_crossings(body_pair: BodyPair, depth: float) -> SurfaceCrossings:
    """Return where the true surfaces of two bodies are proven to cross at the pose.

    Pairs of flat faces are left out: for those see `interpenetration.triangle_overlaps`.  A crossing that is
    shallower than some 1e-7 R may be left out, and so may a part of a contact area that needs too many parts.

    Args:
        depth: a length; triangles that cut through each other by no more, beyond their bounds, do not count.
    """
    return _searched(body_pair, depth, contacts=False)[0]


def crossings_and_contacts(body_pair: BodyPair, depth: float) -> tuple[SurfaceCrossings, SurfaceCrossings]:
    """Return the crossings, and, with no depth, where the surfaces are within some 1e-7 R of each other.

    There they touch, or they cross along lines of both tessellations, whose sides pierce nothing: the equator
    of a ball that is sunk to it in a plane.
    """
    return _searched(body_pair, depth, contacts=True)


def _searched(body_pair: BodyPair, depth: float, contacts: bool) -> tuple[SurfaceCrossings, SurfaceCrossings]:
    """Return the crossings, and the contacts if they are asked for."""
    active, world, radius = body_pair.active, body_pair.world, body_pair.radius
    if active.triangle_flat.all() and world.triangle_flat.all():
        return SurfaceCrossings.none(), SurfaceCrossings.none()
    pairs = near_pairs(active.tree, body_pair.pose, world.tree, 0.0)
    pairs = pairs[~(active.triangle_flat[pairs[:, 0]] & world.triangle_flat[pairs[:, 1]])]
    rounding = _ROUNDING * radius
    rows1, one = np.unique(pairs[:, 0], return_inverse=True)
    rows2, two = np.unique(pairs[:, 1], return_inverse=True)
    first = _Parts.of(active.body, body_pair.pose, rows1, rounding)
    second = _Parts.of(world.body, None, rows2, rounding)
    found, touching = [SurfaceCrossings.none()], [SurfaceCrossings.none()]
    for _ in range(_LEVELS):
        crossings, one, two = _sifted(first, second, one, two, depth)
        found.append(crossings)
        coarse = first.bound[one] + second.bound[two] > _FINEST * radius
        if contacts:
            touching.append(_undecided(first, second, one[~coarse], two[~coarse]))
        one, two = one[coarse], two[coarse]
        if len(one) == 0:
            break
        first, second, one, two = _refined(first, second, one, two, rounding)
    return SurfaceCrossings.join(found), SurfaceCrossings.join(touching)


def _undecided(first: _Parts, second: _Parts, one: Ints, two: Ints) -> SurfaceCrossings:
    """Return the pairs of parts within their bounds of each other, as crossings of no depth, each at the
    middle of its first part.
    """
    bound = first.bound[one] + second.bound[two]
    gap = triangle_gap(coordinate_arrays(first.corners[one]), coordinate_arrays(second.corners[two]))[0]
    one, two = one[gap <= bound], two[gap <= bound]
    triangles = np.stack([first.triangle[one], second.triangle[two]], axis=1)
    middle = first.corners[one].mean(axis=1)
    return SurfaceCrossings(middle, np.zeros(len(one)), triangles, first.uv[one], second.uv[two])


def _sifted(
    first: _Parts, second: _Parts, one: Ints, two: Ints, depth: float
) -> tuple[SurfaceCrossings, Ints, Ints]:
    """Return the pairs of parts that are proven to cross, and the numbers (m,), (m,) of the undecided ones.

    one, two: numbers (k,), (k,) of parts that make pairs.
    """
    bound = first.bound[one] + second.bound[two]
    apart = _boxes_apart(first, second, one, two, bound)
    one, two, bound = one[~apart], two[~apart], bound[~apart]
    corners1, corners2 = first.corners[one], second.corners[two]
    a, b = coordinate_arrays(corners1), coordinate_arrays(corners2)
    near = np.flatnonzero(~(beyond_plane(a, b, bound) | beyond_plane(b, a, bound)))
    one, two, bound = one[near], two[near], bound[near]
    corners1, corners2 = corners1[near], corners2[near]
    cut, point = _cut_depths(corners1, corners2)
    proven = cut - bound > depth
    own, other = one[proven], two[proven]
    triangles = np.stack([first.triangle[own], second.triangle[other]], axis=1)
    depths = (cut - bound)[proven]
    crossings = SurfaceCrossings(point[proven], depths, triangles, first.uv[own], second.uv[other])
    left = np.flatnonzero(~proven)
    left = left[np.argsort(-cut[left], kind="stable")[:_MOST]]
    return crossings, one[left], two[left]


def _boxes_apart(first: _Parts, second: _Parts, one: Ints, two: Ints, bound: Floats) -> Bools:
    """Return which pairs (k,) of parts have boxes that are farther apart than their bounds (k,)."""
    lower1, upper1 = first.corners.min(axis=1), first.corners.max(axis=1)
    lower2, upper2 = second.corners.min(axis=1), second.corners.max(axis=1)
    gap = np.maximum(lower1[one] - upper2[two], lower2[two] - upper1[one]).max(axis=1)
    apart: Bools = gap > bound
    return apart


def _refined(
    first: _Parts, second: _Parts, one: Ints, two: Ints, rounding: float
) -> tuple[_Parts, _Parts, Ints, Ints]:
    """Return the parts of both bodies, the coarser ones of each pair cut in four, and all pairs of them."""
    bound1, bound2 = first.bound[one], second.bound[two]
    first, one, row = _cut(first, one, bound1 >= 0.5 * bound2, rounding)
    second, two, again = _cut(second, two[row], (bound2 >= 0.5 * bound1)[row], rounding)
    return first, second, one[again], two


def _cut(parts: _Parts, own: Ints, wanted: Bools, rounding: float) -> tuple[_Parts, Ints, Ints]:
    """Cut those parts in four for which any pair wants it; only parts of pairs are kept.

    Args:
        own: (k,) the part of each pair.
        wanted: (k,) whether the pair wants it cut.

    Returns:
        the parts; the part (m,) of each pair that there is now; the pair (m,) that it was before.
    """
    kept, own = np.unique(own, return_inverse=True)
    is_cut = np.zeros(len(kept), dtype=np.bool_)
    is_cut[own[wanted]] = True
    parts = parts.take(kept)
    count = np.where(is_cut, 4, 1)
    place = np.cumsum(count) - count
    order = np.argsort(np.concatenate([place[~is_cut], np.repeat(place[is_cut], 4)]), kind="stable")
    parts = _Parts.join([parts.take(~is_cut), parts.take(is_cut).quarters(rounding)]).take(order)
    row = np.repeat(np.arange(len(own)), count[own])
    begin = np.cumsum(count[own]) - count[own]
    return parts, place[own][row] + np.arange(len(row)) - begin[row], row


def _cut_depths(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return how deep (k,), lengths, triangles (k, 3, 3) cut through each other, and a point (k, 3) of both.

    A side of one that pierces the other does so by the least of the distances of its ends from the plane, and
    of the side from the other's border: so far neither can be moved without that they cross.  The deepest of
    the six sides counts.  The depth is zero, and the point without meaning, where none pierces.
    """
    found = [_piercings(first, second), _piercings(second, first)]
    depths = np.concatenate([depth for depth, _ in found], axis=1)
    points = np.concatenate([point for _, point in found], axis=1)
    rows, best = np.arange(len(first)), depths.argmax(axis=1)
    return depths[rows, best], points[rows, best]


def _piercings(pierced: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return how deep (k, 3) the sides of other triangles pierce some (k, 3, 3), zero where they do not, and
    where (k, 3, 3).
    """
    sides = pierced[:, _SECOND] - pierced
    normal = cross(sides[:, 0], sides[:, 1])
    normal /= np.maximum(length(normal), 1e-300)[:, None]
    height = dot(other - pierced[:, :1], normal[:, None])
    crosses = np.flatnonzero((height * height[:, _SECOND] < 0.0).any(axis=1))
    depth, point = np.zeros((len(other), 3)), other.copy()
    depth[crosses], point[crosses] = _depths_of_sides(
        pierced[crosses], other[crosses], sides[crosses], normal[crosses], height[crosses]
    )
    return depth, point


def _depths_of_sides(
    pierced: Floats, other: Floats, sides: Floats, normal: Floats, height: Floats
) -> tuple[Floats, Floats]:
    """Return what `_piercings` does, of triangles (k, 3, 3) any side of which crosses the other's plane.

    sides, normal: the pierced triangles' sides (k, 3, 3) and normals (k, 3); height (k, 3): of the other
    triangles' corners above their planes.
    """
    low, high = height, height[:, _SECOND]
    along = other[:, _SECOND] - other
    rise = high - low
    share = np.where(low * high < 0.0, -low / np.where(rise == 0.0, 1.0, rise), np.nan)
    point = other + share[:, :, None] * along
    inward = cross(normal[:, None], sides)
    inward /= np.maximum(length(inward), 1e-300)[:, :, None]
    inside = dot(point[:, :, None] - pierced[:, None], inward[:, None]).min(axis=2)
    steepness = np.abs(rise) / np.maximum(length(along), 1e-300)
    depth = np.minimum(np.minimum(np.abs(low), np.abs(high)), inside * steepness)
    return np.nan_to_num(depth, nan=0.0).clip(min=0.0), point
