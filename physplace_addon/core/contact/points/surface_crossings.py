"""Crossings of true surfaces, proven on triangles that are refined where they are near each other.

The tessellations of two bodies are only within their bounds b1 and b2 of the true surfaces.  If a side of one
triangle pierces another one, and the ends of the side and the other's border are farther than b1 + b2 from
where it does, then the true surfaces cross, since no change by so little undoes it; triangles that are
farther than b1 + b2 apart prove that they do not cross there (Snyder 1995, Figure 3).  The pairs between
these two are refined: the less known triangle is cut into parts, each with its own bound
(`bodies.surface_parts`).

At a pole the part is a flat triangle that reaches beyond its piece of the surface.  To shrink it to the piece
moves its points by as much, so that counts with the bound where a crossing is proven, but not where two parts
are proven to be apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Floats, Ints
from ...bodies.surface_parts import SurfaceParts, reach_of_parts
from ...collision import near_pairs
from ...collision.closest_points import triangle_parameters
from ...collision.triangle_pairs import beyond_along, triangle_gap
from ...rigid import Pose
from ...vectors import (
    coordinate_arrays,
    coordinate_dot,
    coordinate_length,
    cross,
    dot,
    from_coordinates,
    length,
    sines_of,
)
from ..body_pair import BodyPair
from ..row_lists import placed

_FINEST = 1e-7  # of R: sum of two bounds below which a pair is no longer refined
_LEVELS = 28  # of refinement, at most: the part at a pole of a body of size R is halved so often to _FINEST
_MOST = 4_000  # pairs, those that cut deepest, that are refined further: it bounds the time
_ROUNDING = 1e-13  # of R: what bounds are raised by
_ALIKE = 0.5  # bound of a part, over that of the other one of its pair, at which it is cut, too
_SECOND = np.array([1, 2, 0])  # corners of a triangle at the second ends of its sides


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
class _Rows(ArrayRecord):
    """k parts of triangles of one body.

    number (k,): of the part.  triangle (k,): of the tessellation.
    uv (k, 3, 2), corners (k, 3, 3): parameters and places, in the frame of the pair.
    normal (k, 3): unit, of the flat parts; 0 where they have no area.
    across, along (k,): how far the true surface over the part is from it at most, along its normal and in its
        plane, lengths.
    beyond (k,): how far points of the part move in its plane besides when it becomes that surface, lengths.
    """

    number: Ints
    triangle: Ints
    uv: Floats
    corners: Floats
    normal: Floats
    across: Floats
    along: Floats
    beyond: Floats

    @classmethod
    def of(cls, parts: SurfaceParts, pose: Pose | None, numbers: Ints, rounding: float) -> _Rows:
        """Return parts (k,) at a pose, their bounds raised by a length."""
        rows = parts.rows(numbers)
        normal = rows.normal if pose is None else pose.vectors(rows.normal)
        corners, across = placed(rows.corners, pose), rows.across + rounding
        return cls(numbers, rows.triangle, rows.uv, corners, normal, across, rows.along, rows.beyond)

    @property
    def bound(self) -> Floats:
        """How far the true surface is from the part at most (k,), lengths."""
        return self.across + self.along

    @property
    def change(self) -> Floats:
        """How far points of the part move when it becomes the true surface at most (k,), lengths."""
        return self.across + self.along + self.beyond

    def margin(self, direction: Floats) -> Floats:
        """Return how far the true surface is from the part along unit directions (k, 3) at most (k,)."""
        return self.across + self.along * sines_of(dot(direction, self.normal))

    def change_along(self, direction: Floats) -> Floats:
        """Return the same of points of the part when it becomes the true surface (k,), lengths."""
        return self.across + (self.along + self.beyond) * sines_of(dot(direction, self.normal))


def _box(corners: Floats, bound: Floats) -> Floats:
    """Return the least coordinates of triangles (corner 3, axis 3, k) less bounds (k,), and the negative
    largest ones less bounds (6, k).
    """
    box: Floats = np.concatenate([corners.min(axis=0), -corners.max(axis=0)]) - bound
    return box


def _size(corners: Floats) -> Floats:
    """Return the half diagonals (k,) of the boxes of triangles (corner 3, axis 3, k)."""
    return 0.5 * coordinate_length(corners.max(axis=0) - corners.min(axis=0))


@dataclass(frozen=True, eq=False)
class _PartPairs(ArrayRecord):
    """k pairs of parts of both bodies."""

    first: _Rows
    second: _Rows

    @classmethod
    def not_apart(cls, first: _Rows, second: _Rows, own: Ints, other: Ints) -> _PartPairs:
        """Return those pairs of rows, given by their places (k,), whose true surfaces no plane separates of
        those across an axis, the normal of either, and the way from one to the other.

        Most pairs are apart, so that no more of their parts is looked up than each of these takes.
        """
        a, b = coordinate_arrays(first.corners), coordinate_arrays(second.corners)
        box1, box2 = _box(a, first.bound), np.roll(_box(b, second.bound), 3, axis=0)
        between = (box1.take(own, axis=1) + box2.take(other, axis=1)).max(axis=0)
        near = np.flatnonzero(between <= 0.0)
        own, other = own[near], other[near]
        a, b = a.take(own, axis=2), b.take(other, axis=2)
        normal1, normal2 = (
            coordinate_arrays(rows.normal).take(each, axis=1)
            for rows, each in ((first, own), (second, other))
        )
        across = first.across[own] + second.across[other]
        sine = sines_of(coordinate_dot(normal1, normal2))
        apart = beyond_along(normal1, a, b, across + sine * second.along[other])
        apart |= beyond_along(normal2, b, a, across + sine * first.along[own])
        return cls(first.take(own[~apart]), second.take(other[~apart])).not_beside()

    def not_beside(self) -> _PartPairs:
        """Return the pairs that no plane across the way from the larger part to the middle of the lesser one
        separates.

        A large flat triangle that ends beside a surface goes on through it as a plane, and the planes of the
        surface's parts cut the triangle elsewhere.
        """
        first, second = coordinate_arrays(self.first.corners), coordinate_arrays(self.second.corners)
        larger = _size(first) >= _size(second)
        large, small = np.where(larger, first, second), np.where(larger, second, first)
        middle = small.sum(axis=0) / 3.0
        weight, _ = triangle_parameters(middle, large)
        way = middle - (weight[:, None] * large).sum(axis=0)
        way /= np.maximum(coordinate_length(way), 1e-300)
        direction = from_coordinates(*way)
        margin = self.first.margin(direction) + self.second.margin(direction)
        return self.take(~beyond_along(way, large, small, margin))

    def crossings(self, point: Floats, depth: Floats) -> SurfaceCrossings:
        """Return the pairs as crossings at points (k, 3) with depths (k,)."""
        triangles = np.stack([self.first.triangle, self.second.triangle], axis=1)
        return SurfaceCrossings(point, depth, triangles, self.first.uv, self.second.uv)


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
    found, touching = [SurfaceCrossings.none()], [SurfaceCrossings.none()]
    if active.triangle_flat.all() and world.triangle_flat.all():
        return found[0], touching[0]
    reach = reach_of_parts(active.body) + reach_of_parts(world.body)
    near = near_pairs(active.tree, body_pair.pose, world.tree, reach)
    near = near[~(active.triangle_flat[near[:, 0]] & world.triangle_flat[near[:, 1]])]
    parts = SurfaceParts.of(active.body), SurfaceParts.of(world.body)
    numbers = np.stack([each.of_triangles(own) for each, own in zip(parts, near.T, strict=True)], axis=1)
    numbers = np.unique(numbers, axis=0)  # at a pole many triangles are one part
    for _ in range(_LEVELS):
        if len(numbers) == 0:
            break
        distinct, places = zip(*(np.unique(own, return_inverse=True) for own in numbers.T), strict=True)
        first = _Rows.of(parts[0], body_pair.pose, distinct[0], _ROUNDING * radius)
        second = _Rows.of(parts[1], None, distinct[1], _ROUNDING * radius)
        crossings, pairs = _sifted(_PartPairs.not_apart(first, second, *places), depth)
        found.append(crossings)
        coarse = pairs.first.change + pairs.second.change > _FINEST * radius
        if contacts:
            touching.append(_undecided(pairs.take(~coarse)))
        numbers = _refined(*parts, pairs.take(coarse))
    return SurfaceCrossings.join(found), SurfaceCrossings.join(touching)


def _undecided(pairs: _PartPairs) -> SurfaceCrossings:
    """Return the pairs of parts within their bounds of each other, as crossings of no depth, each at the
    middle of its first part.
    """
    corners = coordinate_arrays(pairs.first.corners), coordinate_arrays(pairs.second.corners)
    pairs = pairs.take(triangle_gap(*corners)[0] <= pairs.first.bound + pairs.second.bound)
    middle = pairs.first.corners.mean(axis=1)
    return pairs.crossings(middle, np.zeros(len(middle)))


def _sifted(pairs: _PartPairs, depth: float) -> tuple[SurfaceCrossings, _PartPairs]:
    """Return those of k pairs of parts that are proven to cross, and the undecided ones."""
    cut, point = _cut_depths(pairs)
    proven = cut > depth
    crossings = pairs.take(proven).crossings(point[proven], cut[proven])
    left = np.flatnonzero(~proven)
    left = left[np.argsort(-cut[left], kind="stable")[:_MOST]]
    return crossings, pairs.take(left)


def _refined(first: SurfaceParts, second: SurfaceParts, pairs: _PartPairs) -> Ints:
    """Return the numbers (m, 2) of the parts of both bodies, the less known ones of each pair cut."""
    own, other = pairs.first.number, pairs.second.number
    change1, change2 = pairs.first.change, pairs.second.change
    own, row = first.with_some_cut(own, change1 >= _ALIKE * change2)
    other, again = second.with_some_cut(other[row], (change2 >= _ALIKE * change1)[row])
    return np.stack([own[again], other], axis=1)


def _cut_depths(pairs: _PartPairs) -> tuple[Floats, Floats]:
    """Return how deep (k,), lengths, pairs of parts cut through each other beyond their bounds, and points
    (k, 3) of both.

    A side of one that pierces the other does so by the least of the distances of its ends from the plane, and
    of the side from the other's border: so far neither can be moved without that they cross.  The deepest of
    the six sides counts.  The depth is -inf, and the point without meaning, where none pierces.
    """
    count = len(pairs.first.number)
    both = _Rows.join([pairs.first, pairs.second])
    depth, point = _piercings(both, both.take(np.roll(np.arange(2 * count), count)))
    depths = np.concatenate([depth[:count], depth[count:]], axis=1)
    points = np.concatenate([point[:count], point[count:]], axis=1)
    rows, best = np.arange(count), depths.argmax(axis=1)
    return depths[rows, best], points[rows, best]


def _piercings(pierced: _Rows, other: _Rows) -> tuple[Floats, Floats]:
    """Return how deep (k, 3) the sides of other parts pierce some beyond their bounds, -inf where they do
    not, and where (k, 3, 3).
    """
    corners = other.corners
    sides = pierced.corners[:, _SECOND] - pierced.corners
    normal = cross(sides[:, 0], sides[:, 1])
    normal /= np.maximum(length(normal), 1e-300)[:, None]
    height = dot(corners - pierced.corners[:, :1], normal[:, None])
    crosses = np.flatnonzero((height * height[:, _SECOND] < 0.0).any(axis=1))
    depth, point = np.full((len(corners), 3), -np.inf), corners.copy()
    pierced, other = pierced.take(crosses), other.take(crosses)
    ends, beside, point[crosses] = _depths_of_sides(
        pierced.corners, other.corners, sides[crosses], normal[crosses], height[crosses]
    )
    ends -= (pierced.change_along(normal[crosses]) + other.change_along(normal[crosses]))[:, None]
    beside -= (pierced.change + other.change)[:, None]
    depth[crosses] = np.nan_to_num(np.minimum(ends, beside), nan=-np.inf)
    return depth, point


def _depths_of_sides(
    pierced: Floats, other: Floats, sides: Floats, normal: Floats, height: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return how far (k, 3) the ends of sides are from the triangles that these pierce, and the sides (k, 3)
    from their borders, NaN of sides that pierce no plane, and the points (k, 3, 3) where they do.

    pierced, other: triangles (k, 3, 3); any side of the latter crosses the planes of the former.
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
    return np.minimum(np.abs(low), np.abs(high)), inside * steepness, point
