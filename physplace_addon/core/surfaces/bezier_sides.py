"""The sides of bicubic patches as curves of cubic pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from .cubics import PiecewiseCubic, distance_to_segment
from .patches import SideCurve


@dataclass(frozen=True, eq=False)
class CubicSides(SideCurve):
    """Control points (m, 4, 3) of sides end to end."""

    control: Floats

    @cached_property
    def _curve(self) -> PiecewiseCubic:
        polygon = np.linalg.norm(np.diff(self.control, axis=1), axis=2).sum(axis=1)
        return PiecewiseCubic.from_control(self.control, np.concatenate([[0.0], np.cumsum(polygon)]))

    @property
    def knots(self) -> Floats:
        """Sums of the lengths of the control polygons."""
        return self._curve.knots

    def jet(self, t: Floats) -> Floats:
        """Return the point and its derivatives."""
        return self._curve.jet(t)

    def sub_control(self, lower: Floats, upper: Floats) -> Floats:
        """Return the control points (k, 4, 3) of arcs over [lower, upper] (k,), each within one side."""
        return self._curve.sub_control(lower, upper)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return the largest distance of the arcs' control points from their chords."""
        control = self.sub_control(lower, upper)
        inner = [distance_to_segment(control[:, i], control[:, 0], control[:, 3]) for i in (1, 2)]
        return np.maximum(inner[0], inner[1])
