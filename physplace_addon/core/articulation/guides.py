"""Surfaces and curves that points are to stay on: planes, spheres, lines, splines, the boundaries of bodies.

A guide gives the closest point s to a place p, and the directions N across it: one for a surface, its unit
normal, two for a curve, at right angles to its tangent.  The equations n . (p - s) = 0 hold where p is on the
guide.  There their derivatives are the directions themselves: s moves only along the guide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from ..arrays import Floats
from ..bodies import Body
from ..contact.system import closest_boundary_point
from ..errors import JointError

_SAMPLES = 16  # of a span of a spline, from which its closest point is looked for
_NEWTON = 12  # steps of that search


class Guide(ABC):
    """A surface or curve.  Points and directions are in its own frame."""

    rows: int = 1
    """The number of equations of a point on it: 1 for a surface, 2 for a curve."""

    @abstractmethod
    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the closest point (3,) to a place (3,), and the unit directions (rows, 3) across the guide
        there.
        """


@dataclass(frozen=True, eq=False)
class Plane(Guide):
    """A plane through a point (3,) with a normal (3,)."""

    point: Floats
    normal: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", finite_vector("plane", "point", self.point))
        object.__setattr__(self, "normal", unit_direction("plane", "normal", self.normal))

    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the foot of the perpendicular and the normal."""
        return place - ((place - self.point) @ self.normal) * self.normal, self.normal[None]


@dataclass(frozen=True, eq=False)
class Sphere(Guide):
    """A sphere with a centre (3,) and a radius."""

    center: Floats
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", finite_vector("sphere", "center", self.center))
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise JointError("sphere", f"its radius is {self.radius}", "give it a positive one")

    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the point of the sphere on the ray from the centre, and its direction."""
        arm = place - self.center
        size = float(np.linalg.norm(arm))
        normal = arm / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
        return self.center + self.radius * normal, normal[None]


@dataclass(frozen=True, eq=False)
class BodySurface(Guide):
    """The boundary of a body, in the body's own frame."""

    body: Body

    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the closest point of the boundary, and the direction from it to the place; at it, the
        normal.
        """
        found = closest_boundary_point(self.body, place)
        apart = place - found.point
        size = float(np.linalg.norm(apart))
        across = apart / size if size > 1e-9 * self.body.radius else found.normal
        return found.point, across[None]


@dataclass(frozen=True, eq=False)
class Line(Guide):
    """A straight line through a point (3,) with a direction (3,)."""

    point: Floats
    direction: Floats
    rows: int = field(default=2, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", finite_vector("line", "point", self.point))
        object.__setattr__(self, "direction", unit_direction("line", "direction", self.direction))

    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the foot of the perpendicular, and two directions across the line."""
        foot = self.point + ((place - self.point) @ self.direction) * self.direction
        return foot, across(self.direction)


@dataclass(frozen=True, eq=False)
class Spline(Guide):
    """A cubic spline through points (n, 3), n >= 2, in order; a closed one comes back to the first."""

    points: Floats
    closed: bool = False
    rows: int = field(default=2, init=False)

    def __post_init__(self) -> None:
        points = np.array(self.points, np.float64)
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1) if points.ndim == 2 else np.zeros(1)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not (steps > 0.0).all():
            raise JointError(
                "spline", f"its points have the shape {points.shape}", "give two or more different ones"
            )
        object.__setattr__(self, "points", points)

    @cached_property
    def _curve(self) -> CubicSpline:
        points = np.concatenate([self.points, self.points[:1]]) if self.closed else self.points
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        return CubicSpline(knots, points, bc_type="periodic" if self.closed else "natural")

    @cached_property
    def _samples(self) -> tuple[Floats, Floats]:
        knots = self._curve.x
        share = np.arange(_SAMPLES) / _SAMPLES
        parameters = np.append((knots[:-1, None] + np.diff(knots)[:, None] * share).ravel(), knots[-1])
        return parameters, self._curve(parameters)

    def nearest(self, place: Floats) -> tuple[Floats, Floats]:
        """Return the closest point by Newton's method from the nearest sample, and two directions across
        there.
        """
        parameters, samples = self._samples
        at = float(parameters[np.argmin(((samples - place) ** 2).sum(axis=1))])
        low, high = float(parameters[0]), float(parameters[-1])
        for _ in range(_NEWTON):
            apart, tangent, bend = self._curve(at) - place, self._curve(at, 1), self._curve(at, 2)
            curved = float(tangent @ tangent + apart @ bend)
            change = float(apart @ tangent) / (curved if curved > 0.0 else float(tangent @ tangent))
            moved = at - change
            moved = low + (moved - low) % (high - low) if self.closed else min(max(moved, low), high)
            if abs(moved - at) <= 1e-14 * (high - low):
                break
            at = moved
        tangent = self._curve(at, 1)
        return np.asarray(self._curve(at)), across(tangent / np.linalg.norm(tangent))


def across(direction: Floats) -> Floats:
    """Return two unit vectors (2, 3) at right angles to a unit direction (3,) and to each other."""
    least = np.zeros(3)
    least[np.argmin(np.abs(direction))] = 1.0
    first = np.cross(direction, least)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(direction, first)])


def finite_vector(kind: str, subject: str, value: Floats) -> Floats:
    """Return a vector (3,). Raises JointError, that names what it is of, for anything else."""
    vector = np.array(value, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise JointError(kind, f"its {subject} is {value}", "give three finite numbers")
    return vector


def unit_direction(kind: str, subject: str, value: Floats) -> Floats:
    """Return a direction (3,) of length 1. Raises JointError, that names what it is of, for none."""
    vector = finite_vector(kind, subject, value)
    size = float(np.linalg.norm(vector))
    if size == 0.0:
        raise JointError(kind, f"its {subject} has no length", "give it one")
    return vector / size
