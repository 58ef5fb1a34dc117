"""Valleys of curved faces, finer than their tessellation, that reach below what they are over.

A smooth face through a mesh of uneven triangles has waves as fine as its patches, and samples at the corners
of its triangles may miss one.  So the patches' control points tell where there can be none.  Over a cell of
such a face let nu be the base's outward normal at the foot B of the cell's middle, kappa its curvature there,
and r the cell's radius about its middle.  The gradient of the distance f to the base is within kappa r of nu,
so that

    f >= min nu . (P_ij - B) - kappa r^2 / 2,    |f_u - nu . S_u| <= kappa r |S_u|,

and nu . S_u is an average of the differences of the nu . P_ij; `HullDeviation` is what the control points
leave out.  A cell has no valley below the base if f > 0, if f_u or f_v has one sign everywhere, or if no foot
is near. The others are cut into four, again and again; what is left are starts for the iteration.  Over a
flat base kappa is zero and all of this is proven; elsewhere kappa is taken from one point, twice over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import triangle_boxes
from ...surfaces.geometry import HullDeviation
from ...vectors import dot
from ..body_pair import BodyPair, farthest_displacement
from ..features import FACE, FeatureGeometry, FeaturePoints
from ..row_lists import placed
from .face_seeds import heights
from .interface_points import InterfacePoints
from .minimization import closest_points_on_faces
from .pair_roles import PairRoles, nearest_partner, uv_at

_CUTS = 2
_MOST = 128  # cells that are gone on with, the lowest
_FOOT_ROUNDS = 3
_SURE = 2.0  # how much more a base may bend beside a foot
_ROUNDING = 1e-9  # of the tangents: a slope that may be zero on the join of two patches
_DEGREE = 3
_AT_HALF = np.array([1.0, 3.0, 3.0, 1.0]) / 8.0
_QUARTERS = 0.5 * np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@dataclass(frozen=True)
class _Cells:
    """Cells of faces of the mover, [lower, upper] (k, 2) of their parameters; base: faces, and where to begin
    to look for feet on them; side (k,): +1 where the base's normal points to the mover, else -1.
    """

    face: Ints
    lower: Floats
    upper: Floats
    base: FeaturePoints
    side: Floats

    def take(self, rows: Ints) -> _Cells:
        return _Cells(
            self.face[rows], self.lower[rows], self.upper[rows], self.base.take(rows), self.side[rows]
        )

    def middles(self, view: PairRoles) -> FeaturePoints:
        return view.mover_features(FACE, self.face, 0.5 * (self.lower + self.upper))

    def quarters(self) -> _Cells:
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
    """Return starts in the valleys that may reach below their bases, of faces with hulls: of triangles (k,)
    that are near, within reach.  None is left out for a known point beside it: a valley may be as near.

    On which sides of sheets they are tell `before`, a pose free of overlap, and the points tracked since.
    """
    active, world = body_pair.active, body_pair.world
    one, two = active.triangle_hulled[t1], world.triangle_hulled[t2]
    if not (one.any() or two.any()):
        return []
    deepest = reach if before is None else min(reach, farthest_displacement(before, body_pair))
    meet = _boxes_meet(body_pair, t1, t2, deepest)
    finer = active.triangle_size[t1] <= world.triangle_size[t2]
    views = (
        (PairRoles(body_pair, True), t1, t2, meet & one & (finer | ~two)),
        (PairRoles(body_pair, False), t2, t1, meet & two & ~(finer & one)),
    )
    return [
        _starts_of(view, mine[rows], other[rows], tracked, before)
        for view, mine, other, rows in views
        if rows.any()
    ]


def _boxes_meet(body_pair: BodyPair, t1: Ints, t2: Ints, pad: float) -> Bools:
    """Tell which triangles' boxes, grown by a pad and with room for the true surfaces, meet (k,)."""
    one, two = body_pair.active.body, body_pair.world.body
    rows, row = np.unique(t1, return_inverse=True)
    corners = placed(one.triangles[rows], body_pair.pose)
    lower1, upper1 = triangle_boxes(corners, one.triangle_bound[rows] + pad)
    rows, other = np.unique(t2, return_inverse=True)
    lower2, upper2 = triangle_boxes(two.triangles[rows], two.triangle_bound[rows])
    apart = (lower1[row] > upper2[other]) | (lower2[other] > upper1[row])
    return ~np.asarray(apart.any(axis=1))


def _starts_of(
    view: PairRoles, mine: Ints, other: Ints, tracked: InterfacePoints, before: BodyPair | None
) -> InterfacePoints:
    left = _left(view, _cells_of(view, mine, other, tracked, before))
    for _ in range(_CUTS):
        if len(left.face):
            left = _left(view, left.quarters())
    return view.points(left.middles(view), left.base)


def _cells_of(
    view: PairRoles, mine: Ints, other: Ints, tracked: InterfacePoints, before: BodyPair | None
) -> _Cells:
    """The tessellation's cells of triangles `mine` (k,), over each face of their partners `other` (k,)."""
    body, base = view.mover.body, view.base.body
    middle = placed(view.mover.triangle_centre[mine], view.mover_pose)
    corners = placed(base.triangles[other], view.base_pose)
    best = nearest_partner(mine, base.triangle_face[other], middle, corners)
    lower, upper = body.triangle_uv[mine[best]].min(axis=1), body.triangle_uv[mine[best]].max(axis=1)
    keys = np.column_stack([base.triangle_face[other[best]], body.triangle_face[mine[best]], lower])
    first = np.unique(keys, axis=0, return_index=True)[1]
    lower, upper, best = lower[first], upper[first], best[first]
    middle = middle[best]
    uv = uv_at(view, middle, other[best], corners[best])
    features = view.base_faces(base.triangle_face[other[best]], uv)
    cells = _Cells(body.triangle_face[mine[best]], lower, upper, features, np.ones(len(best)))
    foot = closest_points_on_faces(middle, features, view.body_pair.radius, _FOOT_ROUNDS)[1]
    distance = dot(middle - foot.point, foot.normal)
    points = view.points(cells.middles(view), features)
    return replace(cells, side=heights(view, points, middle, distance, tracked, before)[1])


def _left(view: PairRoles, cells: _Cells) -> _Cells:
    """The cells that may hold valleys, no more than _MOST of them, the lowest."""
    hulls = view.mover.body.face_hulls(cells.face, cells.lower, cells.upper)
    middle = _AT_HALF @ (hulls.control.transpose(0, 2, 3, 1) @ _AT_HALF)
    net = hulls.control - middle[:, None, None]
    middle = placed(middle, view.mover_pose)
    base, foot = closest_points_on_faces(middle, cells.base, view.body_pair.radius, _FOOT_ROUNDS)
    outward = cells.side[:, None] * foot.normal
    offset = middle - foot.point
    height = dot(offset, outward)
    beside = offset - height[:, None] * outward
    seen = outward if view.mover_pose is None else outward @ view.mover_pose.matrix
    rise, along = (net @ seen[:, None, :, None])[..., 0], HullDeviation.of(hulls, seen)
    whole, bend = HullDeviation.of(hulls), _bends(foot, height)
    radius: Floats = _largest(net) + whole.point
    lowest = height + rise.min(axis=(1, 2)) - along.point - 0.5 * bend * radius**2
    may: Bools = (lowest < 0.0) & (dot(beside, beside) <= radius**2)
    for i, axis in enumerate((1, 2)):
        speed = _DEGREE * _largest(np.diff(net, axis=axis)) + whole.first[:, i]
        slope = _DEGREE * np.diff(rise, axis=axis)
        slack = along.first[:, i] + (bend * radius + _ROUNDING) * speed
        may &= (slope.min(axis=(1, 2)) <= slack) & (slope.max(axis=(1, 2)) >= -slack)
    rows = np.nonzero(may)[0]
    rows = rows[np.argsort(lowest[rows], kind="stable")[:_MOST]]
    return replace(cells, base=base).take(rows)


def _bends(foot: FeatureGeometry, height: Floats) -> Floats:
    """How fast (k,) the gradient of the distance to the base may turn."""
    h = foot.curvature
    size = np.sqrt(h[:, 0, 0] ** 2 + 2.0 * h[:, 0, 1] ** 2 + h[:, 1, 1] ** 2)
    bend: Floats = _SURE * size / np.maximum(1.0 - size * np.abs(height), 0.5)
    return bend


def _largest(vectors: Floats) -> Floats:
    largest: Floats = np.sqrt(dot(vectors, vectors).max(axis=(1, 2)))
    return largest
