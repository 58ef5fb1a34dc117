"""Piecewise Bezier curves of any degree p and dimension d, rational ones among them.

With c = N / D, D the weight, c^(n) D = N^(n) - sum_i<n (n over i) D^(n - i) c^(i).  Numerators are sums of
products of t and 1 - t, so a coordinate keeps its relative accuracy near the ends of a piece.

*A bound on |c^(n)|*: as for patches (see `surfaces.rational`), with fixed vectors m_i near c^(i), |c^(i) -
m_i| <= e_i,

    |c^(n) - m_n| <= (max |N^(n) - m_n D - sum_i<n (n over i) D^(n - i) m_i|
                      + sum_i<n (n over i) max |D^(n - i)| e_i) / least D,

where c is taken about m_0, so that m_0 = 0 and e_0 is the greatest distance of a control point from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from ...arrays import Floats
from ..bernstein import CUBIC, derivative_matrix, part_matrices
from .cubics import PiecewiseCubic
from .piecewise import PiecewiseBezier

_ORDER = 3  # the highest derivative in a jet


@dataclass(frozen=True, eq=False)
class PiecewiseRational(PiecewiseBezier):
    """Rational pieces: homogeneous control points (m, p + 1, d + 1), weights last."""

    @property
    def degree(self) -> int:
        """The degree p of the pieces."""
        return int(self.control.shape[1]) - 1

    @cached_property
    def _table(self) -> Floats:
        """Control values (m, p + 1, 4 (d + 1)) of (N, D) and its first three derivatives by the parameter."""
        rate = derivative_matrix(self.degree) / np.diff(self.knots)[:, None, None]
        levels = [self.control]
        for _ in range(_ORDER):
            levels.append(rate @ levels[-1])
        return np.concatenate(levels, axis=2)

    @cached_property
    def _binomials(self) -> Floats:
        return np.array([float(comb(self.degree, i)) for i in range(self.degree + 1)])

    def jet(self, t: Floats) -> Floats:
        """Return c, c', c'', c''' at t (k,) side by side, (k, 4 d)."""
        piece, rise, fall = self.shares(t)
        power = np.arange(self.degree + 1)
        weights = self._binomials * rise[:, None] ** power * fall[:, None] ** (self.degree - power)
        jet = (weights[:, None] @ self._table[piece]).reshape(len(t), _ORDER + 1, -1)
        return curve_quotients(jet).reshape(len(t), -1)

    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, p + 1, d) over [lower, upper], each within one piece."""
        control = self.sub_homogeneous(lower, upper)
        found: Floats = control[..., :-1] / control[..., -1:]
        return found

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on |c'''| over [lower, upper], each within one piece."""
        bounds: Floats = derivative_bounds(self.sub_homogeneous(lower, upper)) / (upper - lower) ** _ORDER
        return bounds

    def sub_homogeneous(self, lower: Floats, upper: Floats) -> Floats:
        """Return the homogeneous control points (k, p + 1, d + 1) over [lower, upper], each within
        one piece.
        """
        piece, start, stop = self.parts(lower, upper)
        parts: Floats = part_matrices(start, stop, self.degree) @ self.control[piece]
        return parts


def derivative_bounds(control: Floats) -> Floats:
    """Return bounds (k,) on |c'''| by the share of a piece, for homogeneous control points (k, p +
    1, d + 1).
    """
    degree = control.shape[1] - 1
    middle = part_matrices(np.full(1, 0.5), np.full(1, 0.5), degree)[0, 0]
    weight = control[..., -1:]
    points = control[..., :-1] / weight
    numerator = weight * (points - points.mean(axis=1, keepdims=True))
    levels = [np.concatenate([numerator, weight], axis=2)]
    for _ in range(_ORDER):
        levels.append(derivative_matrix(degree) @ levels[-1])
    near = curve_quotients(np.stack([middle @ level for level in levels], axis=1))
    near[:, [0, _ORDER]] = 0.0
    least, off = weight.min(axis=(1, 2)), [_longest(numerator / weight)]
    for n in range(1, _ORDER + 1):
        rest = levels[n][..., :-1] - near[:, n, None] * weight
        rest = rest - sum(comb(n, i) * levels[n - i][..., -1:] * near[:, i, None] for i in range(n))
        spread = sum(comb(n, i) * _longest(levels[n - i][..., -1:]) * off[i] for i in range(n))
        off.append((_longest(rest) + spread) / least)
    return off[_ORDER]


def _longest(vectors: Floats) -> Floats:
    """Return the greatest length (k,) of vectors (k, m, d)."""
    longest: Floats = np.sqrt((vectors * vectors).sum(axis=2).max(axis=1))
    return longest


def curve_quotients(jets: Floats) -> Floats:
    """Return the derivatives (k, n, d) of N / D from those of (N, D), (k, n, d + 1)."""
    inverse = 1.0 / jets[:, 0, -1:]
    out: Floats = jets[..., :-1] * inverse[:, None]
    weight = jets[..., -1:] * inverse[:, None]
    for n in range(1, jets.shape[1]):
        for i in range(n):
            out[:, n] -= comb(n, i) * weight[:, n - i] * out[:, i]
    return out


def piecewise_bezier(control: Floats, knots: Floats, dimension: int) -> PiecewiseBezier:
    """Return the curve of pieces (m, p + 1, d), or homogeneous ones (m, p + 1, d + 1), over knots (m + 1,).

    Args:
        control: the control points.
        knots: rising.
        dimension: d, which says whether there are weights.
    """
    rational = control.shape[2] > dimension
    if not rational and control.shape[1] == CUBIC + 1:
        return PiecewiseCubic.from_control(control, knots)
    if not rational:
        control = np.concatenate([control, np.ones((*control.shape[:2], 1))], axis=2)
    return PiecewiseRational(control, knots)
