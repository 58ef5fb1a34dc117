"""Bezier patches as arrays: evaluated many at once, cut into smaller ones, regular at their poles.

S(u, v) = sum_ij B_i(u) B_j(v) P_ij, u and v from 0 to 1, B the Bernstein polynomials of some degree d, two or
more; a *rational* patch is a quotient of two such sums (see `surfaces.rational`).  A *polar* patch has its
whole side v = 1 in one point P.  There S_u vanishes, but with w = 1 - v

    S = P + w Q(u, v),    Q = sum_i,j<d d/(d - j) B_i(u) b_j(v) (P_ij - P),    b of degree d - 1,

and Q_u = S_u / w does not; of a rational patch this sum, with w_ij (P_ij - P), is Q's numerator.  So A = S_u
/ w and B = S_v span the tangent plane up to the pole, and with the coordinate p along A (dp = w du) the
second fundamental form n . d2S is

    pp  n . Q_uu / w,      pv  n . Q_uv,      vv  n . (w Q_vv - 2 Q_v);

n . Q_u = 0 has been used, so nothing cancels in the last two.  The first tends to a limit along every
meridian of a smooth pole; nearer to it than a millionth, it is taken from a millionth away.

*Sides* are curves of Bezier pieces end to end, over the lengths of their control polygons.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..bernstein import bernstein, raising_matrix, sub_matrices
from ..cell_bounds import bilinear_bounds
from ..curves.piecewise import PiecewiseBezier
from ..curves.rational import piecewise_bezier
from ..geometry import Derivatives
from ..patches import SideCurve, SidedPatches, SideEnds, Slopes, normals_and_forms
from ..rational import dehomogenized, second_derivative_bounds, surface_quotients

# Parameter distance from a pole at which its curvature is taken: a millionth, and 1 - POLE_DISTANCE is exact.
POLE_DISTANCE = 2.0**-20
# Largest distance, over the size of the body, between control points that are one: what single precision
# leaves.
COINCIDENT = 1e-7


@dataclass(frozen=True, eq=False)
class BezierSides(SideCurve):
    """Control points (m, d + 1, 3), or homogeneous ones (m, d + 1, 4), of sides end to end."""

    control: Floats

    @cached_property
    def _curve(self) -> PiecewiseBezier:
        polygon = np.linalg.norm(np.diff(dehomogenized(self.control), axis=1), axis=2).sum(axis=1)
        return piecewise_bezier(self.control, np.concatenate([[0.0], np.cumsum(polygon)]), 3)

    @property
    def knots(self) -> Floats:
        """Sums (m + 1,) of the lengths of the control polygons, scene units."""
        return self._curve.knots

    def jet(self, t: Floats) -> Floats:
        """Return the point and its first three derivatives by t (k,), side by side (k, 12)."""
        return self._curve.jet(t)

    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, d + 1, 3) of arcs over [lower, upper] (k,), each within one side."""
        return self._curve.sub_control(lower, upper)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the largest distance (k,) of the arcs' control points from their chords, or less."""
        return self._curve.chord_bounds(lower, upper)


@dataclass(frozen=True, eq=False)
class BezierNets(SidedPatches):
    """n Bezier patches of degree d.

    control (n, d + 1, d + 1, 3): control points by patch, along u, along v; or homogeneous (n, d + 1, d + 1,
    4) of rational patches.  polar (n,): which have a pole.
    """

    control: Floats
    polar: Bools

    def __len__(self) -> int:
        return len(self.control)

    @property
    def degree(self) -> int:
        """The degree along u and along v."""
        return int(self.control.shape[1]) - 1

    @property
    def rational(self) -> bool:
        """Whether the control points have weights."""
        return bool(self.control.shape[3] == 4)

    @cached_property
    def places(self) -> Floats:
        """The control points (n, d + 1, d + 1, 3) in space."""
        return dehomogenized(self.control)

    @cached_property
    def has_poles(self) -> bool:
        """Whether any patch is polar."""
        return bool(self.polar.any())

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of a control point, scene units."""
        return float(np.abs(self.places).max())

    @cached_property
    def ends(self) -> SideEnds:
        """Ends of the sides, and tangents there: towards the first control point that is elsewhere."""
        polygons = sides_of(self.places)
        leaving = np.stack([start_tangents(polygons), start_tangents(polygons[:, :, ::-1])], axis=2)
        return SideEnds(polygons[:, :, [0, -1]], leaving)

    @cached_property
    def pole(self) -> Floats:
        """The pole of each polar patch, zero for the others, (n, 3)."""
        pole: Floats = np.where(self.polar[:, None], self.places[:, 0, -1], 0.0)
        return pole

    @cached_property
    def _centre(self) -> Floats:
        """The points (n, 3) that rational patches are evaluated about, so that no digits are lost far from
        the origin.
        """
        centre: Floats = np.where(self.polar[:, None], 0.0, self.places.mean(axis=(1, 2)))
        return centre

    @cached_property
    def _table(self) -> Floats:
        """The net (n, d + 1, (d + 1) c) of S, or that of Q raised to degree d in v."""
        table = self.control.copy()
        if self.rational:
            about = self.pole + self._centre
            table[..., :3] -= table[..., 3:] * about[:, None, None]
        elif self.has_poles:
            table -= self.pole[:, None, None]
        if self.has_poles:
            share = self.degree / (self.degree - np.arange(float(self.degree)))
            offset = table[self.polar, :, :-1, :3] * share[:, None]
            table[self.polar, ..., :3] = raising_matrix(self.degree - 1, self.degree) @ offset
        return table.reshape(*table.shape[:2], table.shape[2] * table.shape[3])

    def jets(self, patch: Ints, at: Floats, order: int) -> Floats:
        """Return d^(a + b) / du^a dv^b of S, or of Q on polar patches, indexed (k, a, b, 3).

        a and b go up to `order`; those of rational patches are right only where a + b is no more than 2.
        """
        weights = bernstein(at, order, self.degree)
        first = weights[:, 0] @ self._table[patch]
        shape = len(patch), order + 1, self.degree + 1, self.control.shape[3]
        jets: Floats = weights[:, 1, None] @ first.reshape(shape)
        if not self.rational:
            return jets
        jets = surface_quotients(jets)
        jets[:, 0, 0] += self._centre[patch]
        return jets

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Return points and tangents of patches (k,) at parameters (k, 2)."""
        jets = self.jets(patch, at, 1)
        return self._slopes_of(jets, patch, at)

    def _slopes_of(self, jets: Floats, patch: Ints, at: Floats) -> Slopes:
        point, along, across = jets[:, 0, 0], jets[:, 1, 0], jets[:, 0, 1]
        if not self.has_poles:
            return Slopes(point, along, across, np.ones(len(patch)))
        polar = self.polar[patch]
        scale = np.where(polar, 1.0 - at[:, 1], 1.0)
        w, chosen = scale[:, None], polar[:, None]
        across = np.where(chosen, w * across - point, across)
        return Slopes(np.where(chosen, self.pole[patch] + w * point, point), along, across, scale)

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals A x B (k, 3), and n . d2S in the basis (A, B), (k, 2, 2)."""
        jets = self.jets(patch, at, 2)
        slopes = self._slopes_of(jets, patch, at)
        normal, form = normals_and_forms(slopes.along, slopes.across, jets)
        polar = np.nonzero(self.polar[patch])[0] if self.has_poles else ()
        if len(polar):
            w = slopes.scale[polar]
            form[polar, 0, 0] /= np.maximum(w, POLE_DISTANCE)
            form[polar, 1, 1] = w * form[polar, 1, 1] - 2.0 * dot(normal[polar], jets[polar, 0, 1])
            close = polar[w < POLE_DISTANCE]
            if len(close):
                form[close, 0, 0] = self._near_pole(patch[close], at[close])
        return slopes, normal, form

    def _near_pole(self, patch: Ints, at: Floats) -> Floats:
        """Return the curvature (k,) along A a little away from the pole, on the same meridians."""
        return self.forms(patch, np.column_stack([at[:, 0], np.full(len(at), 1.0 - POLE_DISTANCE)]))[2][
            :, 0, 0
        ]

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives to second order of patches (k,) at parameters (k, 2)."""
        jets = self.jets(patch, at, 2)
        q, qu, qv = jets[:, 0, 0], jets[:, 1, 0], jets[:, 0, 1]
        quu, quv, qvv = jets[:, 2, 0], jets[:, 1, 1], jets[:, 0, 2]
        polar, w = self.polar[patch][:, None], 1.0 - at[:, 1:]
        return Derivatives(
            np.where(polar, self.pole[patch] + w * q, q),
            np.where(polar, w * qu, qu),
            np.where(polar, w * qv - q, qv),
            np.where(polar, w * quu, quu),
            np.where(polar, w * quv - qu, quv),
            np.where(polar, w * qvv - 2.0 * qv, qvv),
        )

    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return the bounds of `SidedPatches`.

        A part of a polynomial patch has du^2 max|S_uu| <= d (d - 1) max|second differences of its control
        points|, and the same along v; for a rational one see `second_derivative_bounds`.
        """
        size = self.degree + 1
        parts = sub_nets(self.control[patch], cells_u, cells_v).reshape(-1, size, size, self.control.shape[3])
        corners = dehomogenized(parts[:, [0, -1, 0, -1], [0, 0, -1, -1]])
        if self.rational:
            bend_u, bend_v = second_derivative_bounds(parts)
        else:
            bend_u, bend_v = _bend(parts, 1), _bend(parts, 2)
        return bilinear_bounds(corners, bend_u, bend_v), bend_u, bend_v

    def side_curve(self, patch: Ints, side: Ints, backwards: Bools) -> BezierSides:
        """Return sides (m,) of patches (m,) as one curve of Bezier pieces."""
        control = sides_of(self.control)[patch, side]
        return BezierSides(np.where(backwards[:, None, None], control[:, ::-1], control))


def _bend(parts: Floats, axis: int) -> Floats:
    degree = parts.shape[axis] - 1
    second = np.linalg.norm(np.diff(parts, n=2, axis=axis), axis=3)
    most: Floats = degree * (degree - 1) * second.max(axis=(1, 2))
    return most


def start_tangents(polygons: Floats) -> Floats:
    """Return the unit tangents (..., 3) at the starts of control polygons (..., d + 1, 3).

    They are zero for polygons of no length.
    """
    chord = (polygons[..., 1:, :] - polygons[..., :1, :]).reshape(-1, polygons.shape[-2] - 1, 3)
    size = np.linalg.norm(chord, axis=2)
    first = np.argmax(size > COINCIDENT * size.max(axis=1, keepdims=True), axis=1)
    rows = np.arange(len(chord))
    unit: Floats = chord[rows, first] / np.maximum(size[rows, first], np.finfo(np.float64).tiny)[:, None]
    return unit.reshape(*polygons.shape[:-2], 3)


def sub_nets(control: Floats, cells_u: int, cells_v: int) -> Floats:
    """Return the nets (cells_u, cells_v, d + 1, d + 1, c) of the equal parts of one net (d + 1, d + 1, c)."""
    degree = len(control) - 1
    first = np.einsum("aip,pqx->aiqx", sub_matrices(cells_u, degree), control)
    nets: Floats = np.einsum("bjq,aiqx->abijx", sub_matrices(cells_v, degree), first)
    return nets


def sides_of(control: Floats) -> Floats:
    """Return the control polygons (n, 4, d + 1, c) of the sides u = 0, u = 1, v = 0, v = 1 of nets, by rising
    parameter.
    """
    return np.stack([control[:, 0], control[:, -1], control[:, :, 0], control[:, :, -1]], axis=1)


def side_parameters(side: Ints, t: Floats) -> Floats:
    """Return the parameters (k, 2) of the points t (k,) along sides (k,)."""
    at = np.empty((len(t), 2))
    fixed = (side % 2).astype(np.float64)
    first = side < 2
    at[:, 0], at[:, 1] = np.where(first, fixed, t), np.where(first, t, fixed)
    return at
