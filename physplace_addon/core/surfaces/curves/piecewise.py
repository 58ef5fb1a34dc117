"""Curves by one parameter: what smooth ones have in common, Bezier pieces joined end to end, distances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ..geometry import Interval


class SmoothCurve(ABC):
    """A curve whose unit tangent is continuous, in space or in the half-plane of a profile."""

    @property
    @abstractmethod
    def domain(self) -> Interval:
        """Range of the parameter; periodic for a closed curve."""

    @property
    def breaks(self) -> Floats:
        """Parameters where the first or second derivative may jump, both ends included."""
        return np.array([self.domain.lower, self.domain.upper])


@dataclass(frozen=True, eq=False)
class PiecewiseBezier(ABC):
    """m Bezier pieces of degree p joined end to end over rising knots.

    control (m, p + 1, d), or (m, p + 1, d + 1) where they are rational; knots (m + 1,).  k is the number of
    queries.
    """

    control: Floats
    knots: Floats

    def domain(self, periodic: bool) -> Interval:
        """Return the range from the first knot to the last."""
        return Interval(float(self.knots[0]), float(self.knots[-1]), periodic)

    def piece_of(self, t: Floats) -> Ints:
        """Return the piece (k,) that holds each parameter."""
        return np.searchsorted(self.knots[1:-1], t, side="right")

    def shares(self, t: Floats) -> tuple[Ints, Floats, Floats]:
        """Return the piece (k,) of each parameter, the share of it that lies before, and the share after."""
        piece = self.piece_of(t)
        low, high = self.knots[piece], self.knots[piece + 1]
        width = high - low
        return piece, (t - low) / width, (high - t) / width

    def parts(self, lower: Floats, upper: Floats) -> tuple[Ints, Floats, Floats]:
        """Return the piece (k,) in which each [lower, upper] (k,) lies, and the shares of it at which that
        starts and ends.
        """
        piece = self.piece_of(0.5 * (lower + upper))
        low, width = self.knots[piece], np.diff(self.knots)[piece]
        return piece, (lower - low) / width, (upper - low) / width

    @abstractmethod
    def jet(self, t: Floats) -> Floats:
        """Return c, c', c'', c''' at t (k,) side by side, (k, 4 d)."""

    @abstractmethod
    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, p + 1, d) over [lower, upper], each within one piece."""

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on the distance of the curve over [lower, upper] to its chord.

        It is the largest distance of the inner control points over the range: the distance to a segment is
        convex, so that no point of the curve is farther.
        """
        control = self.sub_control(lower, upper)
        start, stop = control[:, 0], control[:, -1]
        away = [distance_to_segment(control[:, i], start, stop) for i in range(1, control.shape[1] - 1)]
        return np.asarray(np.max(away, axis=0))

    @abstractmethod
    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on |c'''| over [lower, upper]."""


def distance_to_segment(point: Floats, start: Floats, stop: Floats) -> Floats:
    """Return the distances (k,) of points (k, d) to the segments between start and stop, each (k, d)."""
    along = stop - start
    square = np.maximum(np.linalg.norm(along, axis=1) ** 2, np.finfo(np.float64).tiny)
    t = np.clip(np.sum((point - start) * along, axis=1) / square, 0.0, 1.0)
    distances: Floats = np.linalg.norm(point - start - t[:, None] * along, axis=1)
    return distances


def closest_point_step(square: Floats, along: Floats, bend: Floats, least: float) -> Floats:
    """Return Newton's steps (k,) of curve parameters towards the points of curves c closest to targets q.

    The step is along / (square - bend), the zero of the linear part of (q - c) . c'.  Near the centre of
    curvature the divisor vanishes, and beyond it the step would lead away: it is then bounded below.

    Args:
        square: |c'|^2 (k,).
        along: (q - c) . c' (k,).
        bend: (q - c) . c'' (k,).
        least: smallest divisor, over |c'|^2.
    """
    slope = np.maximum(square - bend, least * square)
    step: Floats = along / slope
    return step
