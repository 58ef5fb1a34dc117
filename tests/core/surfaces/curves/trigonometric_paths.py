"""Closed paths of tubes that are sums of sines and cosines, such as the trefoil knot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.curves.paths import Path, PathJet
from physplace_addon.core.surfaces.geometry import Interval


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
