"""Space curves that tubes follow, with exact derivatives to third order.

A path is smooth: its unit tangent is continuous.  `third_bounds` bounds |c'''| over a range of the parameter,
from which the tessellation's proof takes its bounds on c' and c''.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ...arrays import Bools, Floats
from ..geometry import Interval
from ..rational import homogeneous
from .cubics import PiecewiseCubic, bezier_of_hermite, chord_knots
from .piecewise import PiecewiseBezier, SmoothCurve
from .rational import piecewise_bezier

_LOOP = 0.25  # least width of a piece's range, over the length of its control polygon


@dataclass(frozen=True, eq=False)
class PathJet:
    """c, c', c'' by the parameter, each (k, 3), scene units."""

    point: Floats
    first: Floats
    second: Floats


class Path(SmoothCurve):
    """A smooth space curve."""

    @abstractmethod
    def jet(self, t: Floats) -> PathJet:
        """Return the point and its first two derivatives at t (k,)."""

    @abstractmethod
    def third(self, t: Floats) -> Floats:
        """Return the third derivative (k, 3)."""

    @abstractmethod
    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on |c'''| over [lower, upper], which lies between two breaks."""

    @property
    def rule_breaks(self) -> Floats:
        """Parameters, both ends included, between which the path is analytic."""
        return self.breaks


@dataclass(frozen=True, eq=False)
class BezierPath(Path):
    """Bezier pieces end to end; joints (m + 1,): at which knots c' or c'' may jump."""

    curve: PiecewiseBezier
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
        """Return the point and its first two derivatives at t (k,)."""
        jet = self.curve.jet(t)
        return PathJet(jet[:, :3], jet[:, 3:6], jet[:, 6:9])

    def third(self, t: Floats) -> Floats:
        """Return the third derivative (k, 3)."""
        return self.curve.jet(t)[:, 9:]

    def third_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the bounds (k,) that the pieces give."""
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
    """Return the path of Bezier pieces (m, p + 1, 3), with weights (m, p + 1) or without.

    The pieces follow one another with the same tangent.  The parameter is the length of their chords; of a
    loop whose ends nearly meet, it is a part of the length of its polygon.
    """
    polygon = np.linalg.norm(np.diff(control, axis=1), axis=2).sum(axis=1)
    chord = np.linalg.norm(control[:, -1] - control[:, 0], axis=1)
    knots = np.concatenate([[0.0], np.cumsum(np.maximum(chord, _LOOP * polygon))])
    curve = piecewise_bezier(control if weights is None else homogeneous(control, weights), knots, 3)
    return BezierPath(curve, np.ones(len(knots), dtype=np.bool_), closed)
