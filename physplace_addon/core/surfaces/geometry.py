"""The values that exact surfaces and curves return: points, derivatives, frames, curvature.

A body's boundary is a complex of faces (two parameters u, v), edges (one parameter t) and vertices (none).
These are plain values; the surfaces and curves that return them are in `base`.

Signs: the curvature of a face is the second fundamental form in an orthonormal tangent frame (e_1, e_2) with
the outward normal n,

    curvature[a, b] = n . d2S / ds_a ds_b,

so a sphere of radius r has -1/r times the identity.  Lengths are in scene units, angles in radians,
directions have unit length.  k is the number of queries in a batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats


@dataclass(frozen=True)
class Interval:
    """The range [lower, upper] of one parameter, which may close on itself."""

    lower: float
    upper: float
    periodic: bool = False

    @property
    def length(self) -> float:
        """Upper minus lower: the period where the parameter is periodic."""
        return self.upper - self.lower

    def contain(self, parameter: Floats) -> Floats:
        """Return parameters (k,) in the range: wrapped where it is periodic, clamped where it is not."""
        if not self.periodic:
            clamped: Floats = np.minimum(np.maximum(parameter, self.lower), self.upper)
            return clamped
        inside = (parameter >= self.lower) & (parameter < self.upper)
        if inside.all():
            return parameter
        wrapped = self.lower + np.mod(parameter - self.lower, self.length)
        within: Floats = np.where(wrapped < self.upper, wrapped, self.lower)
        return np.where(inside, parameter, within)


FULL_TURN = Interval(0.0, 2.0 * math.pi, periodic=True)
"""The range of an angle all the way round, radians."""


@dataclass(frozen=True)
class Derivatives:
    """Points S and their exact partial derivatives by (u, v) to second order, each (k, 3).

    They are per unit of the parameters, and vanish or jump at poles: contact code uses `FaceGeometry`.
    """

    point: Floats
    du: Floats
    dv: Floats
    duu: Floats
    duv: Floats
    dvv: Floats


@dataclass(frozen=True)
class FaceGeometry:
    """What contact code needs of a face at k points.

    point (k, 3) in scene units; frame (k, 2, 3), two orthonormal tangents; normal (k, 3), unit and outward;
    curvature (k, 2, 2), 1 / scene units, the second fundamental form in the frame.
    """

    point: Floats
    frame: Floats
    normal: Floats
    curvature: Floats


@dataclass(frozen=True)
class EdgeGeometry:
    """What contact code needs of an edge at k points.

    point (k, 3); tangent (k, 3), unit; curvature (k, 3), the vector d2C/ds2 by arc length s, 1 / scene units.
    """

    point: Floats
    tangent: Floats
    curvature: Floats
