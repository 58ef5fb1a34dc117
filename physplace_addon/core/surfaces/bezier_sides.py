"""The sides of Bezier patches as curves of Bezier pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .patches import SideCurve
from .pieces import Pieces
from .rational import places
from .rational_curves import piecewise


@dataclass(frozen=True, eq=False)
class BezierSides(SideCurve):
    """Control points (m, d + 1, 3), or homogeneous ones (m, d + 1, 4), of sides end to end."""

    control: Floats

    @cached_property
    def _curve(self) -> Pieces:
        polygon = np.linalg.norm(np.diff(places(self.control), axis=1), axis=2).sum(axis=1)
        return piecewise(self.control, np.concatenate([[0.0], np.cumsum(polygon)]), 3)

    @property
    def knots(self) -> Floats:
        """Sums of the lengths of the control polygons."""
        return self._curve.knots

    def jet(self, t: Floats) -> Floats:
        """Return the point and its derivatives."""
        return self._curve.jet(t)

    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, d + 1, 3) of arcs over [lower, upper] (k,), each within one side."""
        return self._curve.sub_control(lower, upper)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the largest distance of the arcs' control points from their chords, or less."""
        return self._curve.chord_bounds(lower, upper)
