"""Piecewise cubic Bezier curves of any dimension, evaluated in Bernstein form.

One table (piece, 4, 4 d) holds the control values of c, c', c'', c''' by the parameter, all raised to
degree 3, so that one product gives the whole jet.  Near the ends of a piece every coordinate keeps its
*relative* accuracy: the weights are products of t and 1 - t, each computed without cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class PiecewiseCubic:
    """Control points (m, 4, d) of pieces joined end to end, over rising knots (m + 1,)."""

    control: Floats
    knots: Floats
    table: Floats

    @classmethod
    def from_control(cls, control: Floats, knots: Floats) -> PiecewiseCubic:
        """Return the curve of these pieces."""
        return cls(control, knots, _jet_table(control, np.diff(knots)))

    def piece_of(self, t: Floats) -> Ints:
        """Return the piece (k,) that holds each parameter."""
        return np.searchsorted(self.knots[1:-1], t, side="right")

    def jet(self, t: Floats) -> Floats:
        """Return c, c', c'', c''' at t (k,) side by side, (k, 4 d)."""
        piece = self.piece_of(t)
        low, high = self.knots[piece], self.knots[piece + 1]
        width = high - low
        rise, fall = (t - low) / width, (high - t) / width
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
        piece = self.piece_of(0.5 * (lower + upper))
        low, width = self.knots[piece], np.diff(self.knots)[piece]
        a, b = (lower - low) / width, (upper - low) / width
        control = self.control[piece]
        corners = [(a, a, a), (a, a, b), (a, b, b), (b, b, b)]
        return np.stack([_blossom(control, arguments) for arguments in corners], axis=1)


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


def distance_to_segment(point: Floats, start: Floats, stop: Floats) -> Floats:
    """Return the distances (k,) of points (k, d) to segments."""
    along = stop - start
    square = np.maximum(_length(along) ** 2, np.finfo(np.float64).tiny)
    t = np.clip(np.sum((point - start) * along, axis=1) / square, 0.0, 1.0)
    return _length(point - start - t[:, None] * along)


def _length(vectors: Floats) -> Floats:
    length: Floats = np.sqrt(np.sum(vectors * vectors, axis=1))
    return length


def bezier_of_hermite(points: Floats, slopes: Floats, knots: Floats) -> Floats:
    """Return control points (m, 4, d) from points and derivatives (m + 1, d) at knots (m + 1,)."""
    third = np.diff(knots)[:, None] / 3.0
    first, last = points[:-1], points[1:]
    return np.stack([first, first + third * slopes[:-1], last - third * slopes[1:], last], axis=1)


def chord_knots(points: Floats) -> Floats:
    """Return the lengths (m + 1,) along the polygon of points (m + 1, d), from 0."""
    steps = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
    return np.concatenate([[0.0], np.cumsum(steps)])
