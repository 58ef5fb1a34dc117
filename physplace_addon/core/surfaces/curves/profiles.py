"""Profile curves in the half-plane (r, z) of a surface of revolution.

A profile is one smooth run p(v) = (r, z) of lines, circular arcs and Bezier pieces; its corners belong to the
boundary complex, not to it.  It is followed with the inside of the body on its left, so that (z', -r') points
outward.

`nearest` returns the closest point to a displaced one: for a displacement d the parameter w with (p(w) - p(v)
- d) . p'(w) = 0, in closed form for lines and arcs, by Newton's method for Bezier pieces.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ..geometry import Interval
from .piecewise import PiecewiseBezier, SmoothCurve, closest_point_step

# What is left of a displacement after one Newton step, over the displacement, from which on the step was too
# long.
_FAR_OFF = 0.25
_DESCENTS = 16  # steps of the safe descent; each wrong one halves the next, so 16 reach 1e-5 of the first
# Least divisor of Newton's step over |p'|^2: steps are at most four times those without curvature.
_CLOSEST_TO_FOCAL = 0.25


@dataclass(frozen=True)
class ProfilePoint:
    """r, z and their first and second derivatives by v, each (k,), scene units."""

    r: Floats
    z: Floats
    r1: Floats
    z1: Floats
    r2: Floats
    z2: Floats


class Profile(SmoothCurve):
    """A smooth curve (r, z)(v) in the half-plane r >= 0."""

    @abstractmethod
    def evaluate(self, v: Floats) -> ProfilePoint:
        """Return the point and its derivatives at v (k,)."""

    @abstractmethod
    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on the distance from the curve over [lower, upper], within one piece, to its
        chord.
        """

    def nearest(self, v: Floats, start: ProfilePoint, dr: Floats, dz: Floats) -> Floats:
        """Return the parameters (k,) of the points locally closest to `start` = p(v) moved by (dr, dz).

        Args:
            v: parameters (k,).
            start: the profile there.
            dr, dz: displacements (k,), scene units.
        """
        domain = self.domain
        moved = domain.contain(v + _newton_step(start, dr, dz))
        here = self.evaluate(moved)
        miss_r, miss_z = start.r + dr - here.r, start.z + dz - here.z
        moved = domain.contain(moved + _newton_step(here, miss_r, miss_z))
        lost = miss_r**2 + miss_z**2 > _FAR_OFF**2 * (dr**2 + dz**2)
        if lost.any():
            moved[lost] = self._descended(v[lost], start.r[lost] + dr[lost], start.z[lost] + dz[lost])
        still = (dr == 0.0) & (dz == 0.0)
        return np.where(still, v, moved)

    def _descended(self, v: Floats, r: Floats, z: Floats) -> Floats:
        """Return the parameters of the points locally closest to (r, z), by steps that all come nearer.

        Where a tight bend follows on a slow stretch, a whole Newton step goes beyond it.
        """
        here = self.evaluate(v)
        share = np.ones_like(v)
        for _ in range(_DESCENTS):
            ahead = self.domain.contain(v + share * _newton_step(here, r - here.r, z - here.z))
            there = self.evaluate(ahead)
            worse = np.hypot(r - there.r, z - there.z) > np.hypot(r - here.r, z - here.z)
            share = np.where(worse, 0.5 * share, 1.0)
            v = np.where(worse, v, ahead)
            here = self.evaluate(v)
        return v

    def end(self, upper: bool) -> tuple[Floats, Floats]:
        """Return the end point (2,) and the unit tangent (2,) there, in the direction of rising v."""
        p = self.evaluate(np.array([self.domain.upper if upper else self.domain.lower]))
        tangent = np.array([p.r1[0], p.z1[0]])
        return np.array([p.r[0], p.z[0]]), tangent / np.hypot(tangent[0], tangent[1])


def _newton_step(p: ProfilePoint, dr: Floats, dz: Floats) -> Floats:
    """Return Newton's step (k,) of the parameter towards the closest point; bounded beyond the centre of
    curvature.
    """
    square = p.r1 * p.r1 + p.z1 * p.z1
    return closest_point_step(square, dr * p.r1 + dz * p.z1, dr * p.r2 + dz * p.z2, _CLOSEST_TO_FOCAL)


@dataclass(frozen=True)
class LineProfile(Profile):
    """The segment from (r, z) `start` to `stop`, v from 0 to its length."""

    start: tuple[float, float]
    stop: tuple[float, float]

    @property
    def length(self) -> float:
        """Length of the segment."""
        return float(np.hypot(self.stop[0] - self.start[0], self.stop[1] - self.start[1]))

    @property
    def domain(self) -> Interval:
        """From 0 to the length."""
        return Interval(0.0, self.length)

    @property
    def direction(self) -> tuple[float, float]:
        """Unit direction from start to stop."""
        return (self.stop[0] - self.start[0]) / self.length, (self.stop[1] - self.start[1]) / self.length

    def evaluate(self, v: Floats) -> ProfilePoint:
        """Return the point, the constant unit tangent and zero second derivatives."""
        length, (tr, tz) = self.length, self.direction
        fraction = v / length
        rest = (length - v) / length
        zero = np.zeros_like(v)
        r = rest * self.start[0] + fraction * self.stop[0]
        z = rest * self.start[1] + fraction * self.stop[1]
        return ProfilePoint(r, z, zero + tr, zero + tz, zero, zero)

    def nearest(self, v: Floats, start: ProfilePoint, dr: Floats, dz: Floats) -> Floats:
        """Return the parameters (k,) of the closest points of the segment, exactly."""
        tr, tz = self.direction
        return self.domain.contain(v + (dr * tr + dz * tz))

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return zeros: a segment is its own chord."""
        return np.zeros_like(lower)


@dataclass(frozen=True)
class ArcProfile(Profile):
    """A circular arc about (r, z) `center`: v is the angle from +r towards +z, times `turn`, radians.

    `turn` is 1 where the arc is followed counter-clockwise (bulging outward), -1 where clockwise (a hollow).
    """

    center: tuple[float, float]
    radius: float
    lower: float
    upper: float
    turn: float = 1.0
    periodic: bool = False

    @property
    def domain(self) -> Interval:
        """The range of angles."""
        return Interval(self.lower, self.upper, self.periodic)

    def evaluate(self, v: Floats) -> ProfilePoint:
        """Return the point and its derivatives by the angle."""
        r2, z2 = -self.radius * np.cos(v), -self.radius * self.turn * np.sin(v)
        r1, z1 = self.turn * z2, -self.turn * r2
        return ProfilePoint(self.center[0] - r2, self.center[1] - z2, r1, z1, r2, z2)

    def nearest(self, v: Floats, start: ProfilePoint, dr: Floats, dz: Floats) -> Floats:
        """Return the parameters (k,) of the closest points of the circle, exactly."""
        c, s = np.cos(v), self.turn * np.sin(v)
        angle = np.arctan2(c * dz - s * dr, self.radius + c * dr + s * dz)
        return self.domain.contain(v + self.turn * angle)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the sagitta (k,) of each arc."""
        sagitta: Floats = self.radius * (1.0 - np.cos(0.5 * (upper - lower)))
        return sagitta


@dataclass(frozen=True, eq=False)
class BezierProfile(Profile):
    """Bezier pieces joined smoothly, of any degree, rational or not."""

    curve: PiecewiseBezier
    periodic: bool = False

    @property
    def domain(self) -> Interval:
        """From the first knot to the last."""
        return self.curve.domain(self.periodic)

    @property
    def breaks(self) -> Floats:
        """The knots."""
        return self.curve.knots

    def evaluate(self, v: Floats) -> ProfilePoint:
        """Return the point and its derivatives by v."""
        jet = self.curve.jet(v)
        return ProfilePoint(jet[:, 0], jet[:, 1], jet[:, 2], jet[:, 3], jet[:, 4], jet[:, 5])

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the bounds (k,) that the control points over [lower, upper] give."""
        return self.curve.chord_bounds(lower, upper)
