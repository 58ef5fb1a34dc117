"""Circular edges about the z axis: the rims where a profile of revolution has corners or ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .base import Curve, EdgeGeometry, Interval


@dataclass(frozen=True, eq=False)
class Circles(Curve):
    """Horizontal circles of radius (e,) and height (e,); t is the azimuth.

    `inward` (e, 2, 2) holds, in the half-plane (r, z), the unit directions from the rim into the face
    before and the face after the corner; NaN where there is none.
    """

    radius: Floats
    height: Floats
    inward: Floats

    @property
    def edge_count(self) -> int:
        """Number of rims."""
        return len(self.radius)

    @property
    def domain(self) -> Interval:
        """A full turn."""
        return Interval(0.0, 2.0 * math.pi, periodic=True)

    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return point, unit tangent and curvature vector, of length 1/radius towards the axis."""
        c, s, r = np.cos(t), np.sin(t), self.radius[edge]
        point, tangent, curvature = np.empty((len(t), 3)), np.zeros((len(t), 3)), np.zeros((len(t), 3))
        point[:, 0], point[:, 1], point[:, 2] = r * c, r * s, self.height[edge]
        tangent[:, 0], tangent[:, 1] = -s, c
        curvature[:, 0], curvature[:, 1] = -c / r, -s / r
        return EdgeGeometry(point, tangent, curvature)

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t moved by arc lengths (k,)."""
        return self.domain.contain(t + distance / self.radius[edge])

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return (k, 2, 3): into the face before and the face after the corner."""
        inward = self.inward[edge]
        out = np.empty((len(t), 2, 3))
        out[:, :, 0] = inward[:, :, 0] * np.cos(t)[:, None]
        out[:, :, 1] = inward[:, :, 0] * np.sin(t)[:, None]
        out[:, :, 2] = inward[:, :, 1]
        return out

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the sagitta of each arc."""
        sagitta: Floats = self.radius[edge] * (1.0 - np.cos(0.5 * (upper - lower)))
        return sagitta
