"""Bicubic Bezier patches as arrays: evaluated many at once, cut into smaller ones, regular at their poles.

S(u, v) = sum_ij B_i(u) B_j(v) P_ij, u and v from 0 to 1, B the cubic Bernstein polynomials.  A *polar* patch
has its whole side v = 1 in one point P.  There S_u vanishes, but with w = 1 - v

    S = P + w Q(u, v),    Q = sum_i,j<3 3/(3 - j) B_i(u) b_j(v) (P_ij - P),    b of degree 2,

and Q_u = S_u / w does not.  So A = S_u / w and B = S_v span the tangent plane up to the pole, and with the
coordinate p along A (dp = w du) the second fundamental form n . d2S is

    pp  n . Q_uu / w,      pv  n . Q_uv,      vv  n . (w Q_vv - 2 Q_v);

n . Q_u = 0 has been used, so nothing cancels in the last two.  The first tends to a limit along every
meridian of a smooth pole; nearer to it than a millionth, it is taken from a millionth away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from .base import Derivatives
from .bezier_sides import CubicSides
from .cell_bounds import bilinear_bounds
from .patches import SidedPatches, SideEnds, Slopes, normals_and_forms
from .vectors import dot

AWAY = 2.0**-20  # parameter distance from a pole at which its curvature is taken; 1 - AWAY is exact
SAME = 1e-7  # distance / size within which control points coincide


@dataclass(frozen=True, eq=False)
class Nets(SidedPatches):
    """Control points (n, 4, 4, 3), indexed patch, along u, along v; polar (n,) tells the polar patches."""

    control: Floats
    polar: Bools

    def __len__(self) -> int:
        return len(self.control)

    @cached_property
    def has_poles(self) -> bool:
        """Whether any patch is polar."""
        return bool(self.polar.any())

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of a control point."""
        return float(np.abs(self.control).max())

    @cached_property
    def ends(self) -> SideEnds:
        """Ends of the sides, and tangents there: to the first control point elsewhere."""
        polygons = sides_of(self.control)
        leaving = np.stack([_first_way(polygons), _first_way(polygons[:, :, ::-1])], axis=2)
        return SideEnds(polygons[:, :, [0, 3]], leaving)

    @cached_property
    def pole(self) -> Floats:
        """The pole of each polar patch, zero for the others, (n, 3)."""
        pole: Floats = np.where(self.polar[:, None], self.control[:, 0, 3], 0.0)
        return pole

    @cached_property
    def _table(self) -> Floats:
        """What is evaluated, (n, 4, 12): the net of S, or that of Q raised to degree 3 in v."""
        table = self.control.copy()
        if self.polar.any():
            offset = self.control[self.polar] - self.pole[self.polar][:, None, None]
            quadratic = offset[:, :, :3] * (3.0 / (3.0 - np.arange(3.0)))[:, None]
            table[self.polar] = _raised(quadratic)
        return table.reshape(len(table), 4, 12)

    def jets(self, patch: Ints, at: Floats, order: int) -> Floats:
        """Return d^(a + b) / du^a dv^b of S, or of Q, indexed (k, a, b, 3), a and b up to `order`."""
        weights = bernstein(at, order)
        first = weights[:, 0] @ self._table[patch]
        jets: Floats = weights[:, 1, None] @ first.reshape(len(patch), order + 1, 4, 3)
        return jets

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Evaluate points and tangents of patches (k,) at parameters (k, 2)."""
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
            form[polar, 0, 0] /= np.maximum(w, AWAY)
            form[polar, 1, 1] = w * form[polar, 1, 1] - 2.0 * dot(normal[polar], jets[polar, 0, 1])
            close = polar[w < AWAY]
            if len(close):
                form[close, 0, 0] = self._near_pole(patch[close], at[close])
        return slopes, normal, form

    def _near_pole(self, patch: Ints, at: Floats) -> Floats:
        """The curvature along A a little away from the pole, on the same meridians."""
        return self.forms(patch, np.column_stack([at[:, 0], np.full(len(at), 1.0 - AWAY)]))[2][:, 0, 0]

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

    def taken(self, rows: Ints) -> Nets:
        """Return some of the patches."""
        return Nets(self.control[rows], self.polar[rows])

    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return the bounds of `SidedPatches`: a part of a cubic has du^2 max|S_uu| <= 6 max|second
        differences of its control points|, and the same along v.
        """
        parts = sub_nets(self.control[patch], cells_u, cells_v).reshape(-1, 4, 4, 3)
        corners = parts[:, [0, 3, 0, 3], [0, 0, 3, 3]]
        bend_u, bend_v = _bend(np.diff(parts, n=2, axis=1)), _bend(np.diff(parts, n=2, axis=2))
        return bilinear_bounds(corners, bend_u, bend_v), bend_u, bend_v

    def side_curve(self, patch: Ints, side: Ints, backwards: Bools) -> CubicSides:
        """Return sides as one curve of cubic pieces."""
        control = sides_of(self.control)[patch, side]
        return CubicSides(np.where(backwards[:, None, None], control[:, ::-1], control))


def _bend(second: Floats) -> Floats:
    most: Floats = 6.0 * np.linalg.norm(second, axis=3).max(axis=(1, 2))
    return most


def _first_way(polygons: Floats) -> Floats:
    """The unit tangents (n, 4, 3) at the starts of control polygons (n, 4, 4, 3); zero for those of no
    length.
    """
    way = (polygons[:, :, 1:] - polygons[:, :, :1]).reshape(-1, 3, 3)
    size = np.linalg.norm(way, axis=2)
    first = np.argmax(size > SAME * size.max(axis=1, keepdims=True), axis=1)
    rows = np.arange(len(way))
    unit: Floats = way[rows, first] / np.maximum(size[rows, first], np.finfo(np.float64).tiny)[:, None]
    return unit.reshape(*polygons.shape[:2], 3)


def _bernstein_table() -> Floats:
    """Coefficients (4, 12) of the cubic Bernstein polynomials by powers of t, of their first derivatives and
    of their second ones.
    """
    value = np.array([[1, 0, 0, 0], [-3, 3, 0, 0], [3, -6, 3, 0], [-1, 3, -3, 1]], dtype=np.float64)
    first, second = np.zeros((4, 4)), np.zeros((4, 4))
    first[:3] = value[1:] * np.array([[1.0], [2.0], [3.0]])
    second[:2] = first[1:3] * np.array([[1.0], [2.0]])
    return np.concatenate([value, first, second], axis=1)


_BERNSTEIN = _bernstein_table()


def bernstein(t: Floats, order: int) -> Floats:
    """Return the cubic Bernstein polynomials at t (...) and their derivatives up to `order`, (..., order + 1,
    4).  They are exact at 0 and 1.
    """
    powers = np.empty((*t.shape, 4))
    powers[..., 0] = 1.0
    powers[..., 1] = t
    np.multiply(t, t, out=powers[..., 2])
    np.multiply(powers[..., 2], t, out=powers[..., 3])
    return (powers @ _BERNSTEIN[:, : 4 * (order + 1)]).reshape(*t.shape, order + 1, 4)


def _raised(quadratic: Floats) -> Floats:
    """Raise nets (m, 4, 3, 3), quadratic along v, to cubic ones (m, 4, 4, 3)."""
    a, b, c = quadratic[:, :, 0], quadratic[:, :, 1], quadratic[:, :, 2]
    return np.stack([a, (a + 2.0 * b) / 3.0, (2.0 * b + c) / 3.0, c], axis=2)


def sub_matrices(cells: int) -> Floats:
    """Return the matrices (cells, 4, 4) that take the control points of a cubic to those of its equal
    parts.
    """
    low = np.arange(cells) / cells
    high = np.arange(1, cells + 1) / cells
    corners = ((low, low, low), (low, low, high), (low, high, high), (high, high, high))
    return np.stack([_blossom_weights(*corner) for corner in corners], axis=1)


def _blossom_weights(a: Floats, b: Floats, c: Floats) -> Floats:
    """Weights (k, 4) of the control points in the blossom of a cubic at (a, b, c)."""
    level = np.broadcast_to(np.eye(4), (len(a), 4, 4))
    for t in (a, b, c):
        level = level[:, :-1] + t[:, None, None] * (level[:, 1:] - level[:, :-1])
    return level[:, 0]


def sub_nets(control: Floats, cells_u: int, cells_v: int) -> Floats:
    """Return the nets (cells_u, cells_v, 4, 4, 3) of the equal parts of one patch, control (4, 4, 3)."""
    first = np.einsum("aip,pqx->aiqx", sub_matrices(cells_u), control)
    nets: Floats = np.einsum("bjq,aiqx->abijx", sub_matrices(cells_v), first)
    return nets


def sides_of(control: Floats) -> Floats:
    """Return the control polygons (n, 4, 4, 3) of the sides u = 0, u = 1, v = 0, v = 1 of nets (n, 4, 4,
    3), by rising parameter.
    """
    return np.stack([control[:, 0], control[:, 3], control[:, :, 0], control[:, :, 3]], axis=1)


def side_parameters(side: Ints, t: Floats) -> Floats:
    """Return the parameters (k, 2) of the points t (k,) along sides (k,)."""
    at = np.empty((len(t), 2))
    fixed = (side % 2).astype(np.float64)
    first = side < 2
    at[:, 0], at[:, 1] = np.where(first, fixed, t), np.where(first, t, fixed)
    return at
