"""Sub-cell seeds: starts where curved faces may have waves finer than their tessellation.

A smooth face through a mesh of uneven triangles has waves as fine as its patches, and the corners of its
triangles may miss one.  So the patches' control points P_ij show where there can be none.  Over a cell of
such a face let nu be the base's outward normal at B, the closest point to the cell's middle, kappa its
curvature there, and r the cell's radius about its middle.  The gradient of the distance f to the base is
within kappa r of nu, so that

    f >= min nu . (P_ij - B) - kappa r^2 / 2,    |f_u - nu . S_u| <= kappa r |S_u|,

and nu . S_u is an average of the differences of the nu . P_ij; `HullDeviation` is what the control points
leave out.
A cell has no minimum below the base if f > 0, if f_u or f_v has one sign everywhere, or if no closest point
is near.  The others are cut into four, again and again; the cells that are left are starts.  Over a flat base
kappa is zero and all of this is proven; elsewhere kappa is that of one point, doubled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...collision import triangle_boxes
from ...surfaces.geometry import HullDeviation
from ...vectors import dot
from ..body_pair import BodyPair, farthest_displacement
from ..features import FACE, FeatureGeometry, FeaturePoints
from ..row_lists import placed
from .closest_points import closest_points_on_faces
from .face_seeds import heights_and_sides
from .interface_points import InterfacePoints
from .pair_roles import PairRoles, closest_parameters, nearest_partner

_CUTS = 2  # of a cell into four: starts are then a quarter of a triangle apart
_MOST = 128  # cells, the lowest ones, that go on after each cut
_ROUNDS = 3  # of Newton's method for the closest point
_CURVATURE_SLACK = 2.0  # factor of kappa: how much more a base may curve beside the closest point
_ROUNDING = 1e-9  # of |S_u|: slope that rounding can cause on the join of two patches
_DEGREE = 3  # of the patches in u and in v
_AT_HALF = np.array([1.0, 3.0, 3.0, 1.0]) / 8.0  # Bernstein polynomials of degree 3 at 1/2
_QUARTERS = 0.5 * np.array(
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
)  # lower corners in the unit square


@dataclass(frozen=True, eq=False)
class _ParameterCells(ArrayRecord):
    """k cells of faces of the mover.

    face (k,); lower, upper (k, 2): their ranges of (u, v).
    base: faces of the base, with the points on them from which the search for closest points starts.
    side (k,): +1 where the base's normal points to the mover, else -1.
    """

    face: Ints
    lower: Floats
    upper: Floats
    base: FeaturePoints
    side: Floats

    def middles(self, roles: PairRoles) -> FeaturePoints:
        return roles.mover_features(FACE, self.face, 0.5 * (self.lower + self.upper))

    def quarters(self) -> _ParameterCells:
        four = self.take(np.repeat(np.arange(len(self.face)), 4))
        half = 0.5 * (four.upper - four.lower)
        lower = four.lower + 2.0 * half * np.tile(_QUARTERS, (len(self.face), 1))
        return replace(four, lower=lower, upper=lower + half)


def sub_cell_seeds(
    body_pair: BodyPair,
    t1: Ints,
    t2: Ints,
    reach: float,
    tracked: InterfacePoints,
    before: BodyPair | None,
) -> list[InterfacePoints]:
    """Return seeds where faces with control points may reach below their bases, one value a role.

    None is left out for a known point beside it, since two such minima may be very near.

    Args:
        t1, t2: (k,) near triangles of the active body and of the world.
        reach: how deep, a length, seeds may be.
        tracked, before: as in `face_seeds`.
    """
    active, world = body_pair.active, body_pair.world
    one, two = active.triangle_hulled[t1], world.triangle_hulled[t2]
    if not (one.any() or two.any()):
        return []
    deepest = reach if before is None else min(reach, farthest_displacement(before, body_pair))
    overlap = _boxes_overlap(body_pair, t1, t2, deepest)
    finer = active.triangle_size[t1] <= world.triangle_size[t2]
    both_roles = (
        (PairRoles(body_pair, True), t1, t2, overlap & one & (finer | ~two)),
        (PairRoles(body_pair, False), t2, t1, overlap & two & ~(finer & one)),
    )
    return [
        _seeds_of(roles, mine[rows], other[rows], tracked, before)
        for roles, mine, other, rows in both_roles
        if rows.any()
    ]


def _boxes_overlap(body_pair: BodyPair, t1: Ints, t2: Ints, pad: float) -> Bools:
    """Return which triangles' boxes (k,), grown by a pad and by the bounds of the true surfaces, overlap."""
    one, two = body_pair.active.body, body_pair.world.body
    rows, row = np.unique(t1, return_inverse=True)
    corners = placed(one.triangles[rows], body_pair.pose)
    lower1, upper1 = triangle_boxes(corners, one.triangle_bound[rows] + pad)
    rows, other = np.unique(t2, return_inverse=True)
    lower2, upper2 = triangle_boxes(two.triangles[rows], two.triangle_bound[rows])
    apart = (lower1[row] > upper2[other]) | (lower2[other] > upper1[row])
    return ~np.asarray(apart.any(axis=1))


def _seeds_of(
    roles: PairRoles, mine: Ints, other: Ints, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    left = _possible(roles, _cells_of(roles, mine, other, tracked, before))
    for _ in range(_CUTS):
        if len(left.face):
            left = _possible(roles, left.quarters())
    return roles.points(left.middles(roles), left.base)


def _cells_of(
    roles: PairRoles, mine: Ints, other: Ints, tracked: InterfacePoints, before: BodyPair | None
) -> _ParameterCells:
    """Return the tessellation's cells of triangles `mine` (k,), over each face of their partners `other`."""
    body, base = roles.mover.body, roles.base.body
    middle = placed(roles.mover.triangle_centre[mine], roles.mover_pose)
    corners = placed(base.triangles[other], roles.base_pose)
    best = nearest_partner(mine, base.triangle_face[other], middle, corners)
    lower, upper = body.triangle_uv[mine[best]].min(axis=1), body.triangle_uv[mine[best]].max(axis=1)
    keys = np.column_stack([base.triangle_face[other[best]], body.triangle_face[mine[best]], lower])
    first = np.unique(keys, axis=0, return_index=True)[1]
    lower, upper, best = lower[first], upper[first], best[first]
    middle = middle[best]
    uv = closest_parameters(roles, middle, other[best], corners[best])
    features = roles.base_faces(base.triangle_face[other[best]], uv)
    cells = _ParameterCells(body.triangle_face[mine[best]], lower, upper, features, np.ones(len(best)))
    closest = closest_points_on_faces(middle, features, roles.body_pair.radius, _ROUNDS)[1]
    distance = dot(middle - closest.point, closest.normal)
    points = roles.points(cells.middles(roles), features)
    return replace(cells, side=heights_and_sides(roles, points, middle, distance, tracked, before)[1])


def _possible(roles: PairRoles, cells: _ParameterCells) -> _ParameterCells:
    """Return the cells that may hold a minimum below the base, no more than _MOST of them, the lowest."""
    hulls = roles.mover.body.face_hulls(cells.face, cells.lower, cells.upper)
    middle = _AT_HALF @ (hulls.control.transpose(0, 2, 3, 1) @ _AT_HALF)
    net = hulls.control - middle[:, None, None]
    middle = placed(middle, roles.mover_pose)
    base, closest = closest_points_on_faces(middle, cells.base, roles.body_pair.radius, _ROUNDS)
    outward = cells.side[:, None] * closest.normal
    offset = middle - closest.point
    height = dot(offset, outward)
    beside = offset - height[:, None] * outward
    seen = outward if roles.mover_pose is None else outward @ roles.mover_pose.matrix
    rise, along = (net @ seen[:, None, :, None])[..., 0], HullDeviation.of(hulls, seen)
    whole, kappa = HullDeviation.of(hulls), _curvature_bound(closest, height)
    radius: Floats = _longest(net) + whole.point
    lowest = height + rise.min(axis=(1, 2)) - along.point - 0.5 * kappa * radius**2
    may: Bools = (lowest < 0.0) & (dot(beside, beside) <= radius**2)
    for i, axis in enumerate((1, 2)):
        speed = _DEGREE * _longest(np.diff(net, axis=axis)) + whole.first[:, i]
        slope = _DEGREE * np.diff(rise, axis=axis)
        slack = along.first[:, i] + (kappa * radius + _ROUNDING) * speed
        may &= (slope.min(axis=(1, 2)) <= slack) & (slope.max(axis=(1, 2)) >= -slack)
    rows = np.nonzero(may)[0]
    rows = rows[np.argsort(lowest[rows], kind="stable")[:_MOST]]
    return replace(cells, base=base).take(rows)


def _curvature_bound(closest: FeatureGeometry, height: Floats) -> Floats:
    """Return kappa (k,), 1/length: how fast the gradient of the distance to the base may turn."""
    h = closest.curvature
    size = np.sqrt(h[:, 0, 0] ** 2 + 2.0 * h[:, 0, 1] ** 2 + h[:, 1, 1] ** 2)
    kappa: Floats = _CURVATURE_SLACK * size / np.maximum(1.0 - size * np.abs(height), 0.5)
    return kappa


def _longest(vectors: Floats) -> Floats:
    """Return the length (k,) of the longest of the vectors (k, m, n, 3)."""
    longest: Floats = np.sqrt(dot(vectors, vectors).max(axis=(1, 2)))
    return longest
