"""Piecewise cubic Bezier curves of any dimension d, evaluated in Bernstein form.

One table (piece, 4, 4 d) holds the control values of c, c', c'', c''' by the parameter, all raised to degree
3, so that one product gives the whole jet.  Near the ends of a piece every coordinate keeps its *relative*
accuracy: the weights are products of t and 1 - t, each computed without cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from .piecewise import PiecewiseBezier

_INNER = 0.75  # the largest sum of the inner two of a cubic's four weights, at t = 1/2


@dataclass(frozen=True, eq=False)
class PiecewiseCubic(PiecewiseBezier):
    """Cubic pieces, control points (m, 4, d); table (m, 4, 4 d) as the module says."""

    table: Floats

    @classmethod
    def from_control(cls, control: Floats, knots: Floats) -> PiecewiseCubic:
        """Return the curve of pieces with control points (m, 4, d) over knots (m + 1,)."""
        return cls(control, knots, _jet_table(control, np.diff(knots)))

    def jet(self, t: Floats) -> Floats:
        """Return c, c', c'', c''' at t (k,) side by side, (k, 4 d)."""
        piece, rise, fall = self.shares(t)
        weights = np.empty((len(t), 1, 4))
        rise2, fall2 = rise * rise, fall * fall
        weights[:, 0, 0] = fall2 * fall
        weights[:, 0, 1] = 3.0 * fall2 * rise
        weights[:, 0, 2] = 3.0 * fall * rise2
        weights[:, 0, 3] = rise2 * rise
        jet: Floats = (weights @ self.table[piece])[:, 0]
        return jet

    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, 4, d) over [lower, upper], each within one piece, by blossoming."""
        piece, a, b = self.parts(lower, upper)
        control = self.control[piece]
        corners = [(a, a, a), (a, a, b), (a, b, b), (b, b, b)]
        return np.stack([_blossom(control, arguments) for arguments in corners], axis=1)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return three quarters of the largest distance (k,) of the inner control points to the chord."""
        return _INNER * super().chord_bounds(lower, upper)

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the largest |c'''| (k,), constant on each piece, of the pieces in the range
        [lower, upper].
        """
        third = self.table[:, 0, -self.control.shape[2] :]
        size = np.sqrt((third * third).sum(axis=1))
        first = self.piece_of(lower)
        last = np.searchsorted(self.knots[1:-1], upper, side="left")
        bounds: Floats = size[first]
        for step in range(1, int(np.max(last - first, initial=0)) + 1):
            bounds = np.maximum(bounds, size[np.minimum(first + step, last)])
        return bounds


def _jet_table(control: Floats, width: Floats) -> Floats:
    h = width[:, None, None]
    first = 3.0 * np.diff(control, axis=1) / h
    second = 2.0 * np.diff(first, axis=1) / h
    third = np.diff(second, axis=1) / h
    a, b, c = first[:, 0], first[:, 1], first[:, 2]
    raised1 = np.stack([a, (a + 2.0 * b) / 3.0, (2.0 * b + c) / 3.0, c], axis=1)
    a, b = second[:, 0], second[:, 1]
    raised2 = np.stack([a, (2.0 * a + b) / 3.0, (a + 2.0 * b) / 3.0, b], axis=1)
    return np.concatenate([control, raised1, raised2, np.repeat(third, 4, axis=1)], axis=2)


def _blossom(control: Floats, arguments: tuple[Floats, Floats, Floats]) -> Floats:
    level: Floats = control
    for argument in arguments:
        t: Floats = argument[:, None, None]
        level = level[:, :-1] + t * (level[:, 1:] - level[:, :-1])
    return level[:, 0]


def bezier_of_hermite(points: Floats, slopes: Floats, knots: Floats) -> Floats:
    """Return control points (m, 4, d) from points and derivatives, each (m + 1, d), at knots (m + 1,)."""
    third = np.diff(knots)[:, None] / 3.0
    first, last = points[:-1], points[1:]
    return np.stack([first, first + third * slopes[:-1], last - third * slopes[1:], last], axis=1)


def chord_knots(points: Floats) -> Floats:
    """Return the lengths (m + 1,) along the polygon of points (m + 1, d), from 0."""
    steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    return np.concatenate([[0.0], np.cumsum(steps)])
