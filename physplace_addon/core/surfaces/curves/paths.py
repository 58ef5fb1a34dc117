"""Space curves that tubes follow, with exact derivatives to third order.

A path is smooth: its unit tangent is continuous.  `third_bounds` bounds |c'''| over a range of the
parameter, from which the tessellation's proof takes its bounds on c' and c''.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from ...arrays import Bools, Floats
from ..base import Interval
from ..rational import weighted
from .cubics import PiecewiseCubic, bezier_of_hermite, chord_knots
from .pieces import Pieces, Smooth
from .rational_curves import piecewise


@dataclass(frozen=True, eq=False)
class PathJet:
    """c, c', c'' by the parameter, each (k, 3)."""

    point: Floats
    first: Floats
    second: Floats


class Path(Smooth):
    """A smooth space curve."""

    @abstractmethod
    def jet(self, t: Floats) -> PathJet:
        """Return the point and its first two derivatives at t (k,)."""

    @abstractmethod
    def third(self, t: Floats) -> Floats:
        """Return the third derivative (k, 3)."""

    @abstractmethod
    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Bound |c'''| (k,) over [lower, upper], which lies between two breaks."""

    @property
    def rule_breaks(self) -> Floats:
        """Parameters, both ends included, between which the path is analytic."""
        return self.breaks


@dataclass(frozen=True, eq=False)
class BezierPath(Path):
    """Bezier pieces end to end; `joints` (m + 1,) says at which knots c' or c'' may jump."""

    curve: Pieces
    joints: Bools
    closed: bool = False

    @property
    def domain(self) -> Interval:
        """From the first knot to the last."""
        return self.curve.domain(self.closed)

    @property
    def breaks(self) -> Floats:
        """The knots where c' or c'' may jump."""
        breaks: Floats = self.curve.knots[self.joints]
        return breaks

    @property
    def rule_breaks(self) -> Floats:
        """All knots."""
        return self.curve.knots

    def jet(self, t: Floats) -> PathJet:
        """Return the point and its derivatives."""
        jet = self.curve.jet(t)
        return PathJet(jet[:, :3], jet[:, 3:6], jet[:, 6:9])

    def third(self, t: Floats) -> Floats:
        """Return the third derivative."""
        return self.curve.jet(t)[:, 9:]

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the bounds that the pieces give."""
        return self.curve.third_bounds(lower, upper)


def spline_path(points: Floats, closed: bool) -> BezierPath:
    """Return the C2 cubic spline through points (n, 3), by chord length; free ends have no curvature."""
    if closed:
        points = np.concatenate([points, points[:1]])
    knots = chord_knots(points)
    slopes = CubicSpline(knots, points, bc_type="periodic" if closed else "natural")(knots, 1)
    joints = np.zeros(len(knots), dtype=np.bool_)
    joints[[0, -1]] = True
    control = bezier_of_hermite(points, slopes, knots)
    return BezierPath(PiecewiseCubic.from_control(control, knots), joints, closed)


def bezier_path(control: Floats, closed: bool, weights: Floats | None = None) -> BezierPath:
    """Return the path of Bezier pieces (m, p + 1, 3), with weights (m, p + 1) or without, that follow one
    another with the same tangent.
    """
    knots = chord_knots(np.concatenate([control[:, 0], control[-1:, -1]]))
    curve = piecewise(control if weights is None else weighted(control, weights), knots, 3)
    return BezierPath(curve, np.ones(len(knots), dtype=np.bool_), closed)


@dataclass(frozen=True, eq=False)
class TrigonometricPath(Path):
    """The closed path sum_n cosine_n cos(n t) + sine_n sin(n t), n = 0, 1, ...; coefficients (m, 3)."""

    cosine: Floats
    sine: Floats

    @property
    def domain(self) -> Interval:
        """A full turn."""
        return Interval(0.0, 2.0 * math.pi, periodic=True)

    def jet(self, t: Floats) -> PathJet:
        """Return the point and its derivatives."""
        angle = t[:, None] * self._order
        cos, sin = np.cos(angle), np.sin(angle)
        once = self._order[:, None]
        velocity = cos @ (once * self.sine) - sin @ (once * self.cosine)
        twice = once * once
        acceleration = cos @ (-twice * self.cosine) - sin @ (twice * self.sine)
        return PathJet(cos @ self.cosine + sin @ self.sine, velocity, acceleration)

    def third(self, t: Floats) -> Floats:
        """Return the third derivative."""
        angle = t[:, None] * self._order
        cubed = self._order[:, None] ** 3
        third: Floats = np.sin(angle) @ (cubed * self.cosine) - np.cos(angle) @ (cubed * self.sine)
        return third

    @cached_property
    def _order(self) -> Floats:
        return np.arange(len(self.cosine), dtype=np.float64)

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the sum of the harmonics' largest third derivatives, over the whole turn."""
        ellipses = np.stack([self.cosine, self.sine], axis=2)
        semi_axes = np.linalg.norm(ellipses, ord=2, axis=(1, 2))
        return np.full(len(lower), float(semi_axes @ np.arange(len(semi_axes)) ** 3))


def trefoil(scale: float = 1.0) -> TrigonometricPath:
    """Return the trefoil knot (sin t + 2 sin 2t, cos t - 2 cos 2t, -sin 3t) times `scale`."""
    cosine, sine = np.zeros((4, 3)), np.zeros((4, 3))
    sine[1, 0], sine[2, 0] = 1.0, 2.0
    cosine[1, 1], cosine[2, 1] = 1.0, -2.0
    sine[3, 2] = -1.0
    return TrigonometricPath(scale * cosine, scale * sine)
