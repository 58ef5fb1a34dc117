"""Bumpy spheres: the radius in direction d is rho(d) = R (1 + sum_i a_i cos(k_i . d + phi_i)).

Any radius function gives the gauge g(x) = |x| / rho(x/|x|).  With L = log rho extended by degree 0, P = 1 -
d d' and l = P grad(log rho) at a unit direction,

    grad log g = d - l,      Hess log g = P - d d' - Hess L,
    Hess L = P (Hess log rho) P - (d . grad log rho) P - (d l' + l d'),

and grad g = g grad log g, Hess g = g (grad log g grad log g' + Hess log g).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats
from .star import Directions, Gauge, GaugeJet


class RadialGauge(Gauge):
    """The gauge of a positive radius function, smooth in a neighbourhood of the unit sphere."""

    @abstractmethod
    def radius(self, direction: Floats) -> tuple[Floats, Floats, Floats]:
        """Return rho (k,), its gradient (k, 3) and Hessian (k, 3, 3) in space, at unit directions (k, 3)."""

    def value(self, at: Directions) -> Floats:
        """Return 1 / rho."""
        return 1.0 / self.radius(at.vector)[0]

    def jet(self, at: Directions) -> GaugeJet:
        """Return g, its gradient and Hessian by the chain rule of the module's docstring."""
        d = at.vector
        rho, gradient, hessian = self.radius(d)
        slope = gradient / rho[:, None]
        bend = hessian / rho[:, None, None] - _outer(slope, slope)
        steep = (d * slope).sum(axis=1)
        along = slope - steep[:, None] * d
        across = np.eye(3) - _outer(d, d)
        radial = _outer(d, along) + _outer(along, d)
        log_hessian = across @ bend @ across - steep[:, None, None] * across - radial
        toward = d - along
        g = 1.0 / rho
        second = _outer(toward, toward) + across - _outer(d, d) - log_hessian
        return GaugeJet(g, g[:, None] * toward, g[:, None, None] * second)


def _outer(a: Floats, b: Floats) -> Floats:
    product: Floats = a[:, :, None] * b[:, None, :]
    return product


@dataclass(frozen=True, eq=False)
class Ripples(RadialGauge):
    """The sum of cosines: mean radius R, amplitudes (m,), wave vectors (m, 3) in radians, phases (m,)."""

    mean: float
    amplitude: Floats
    wave: Floats
    phase: Floats

    def radius(self, direction: Floats) -> tuple[Floats, Floats, Floats]:
        """Return rho, its gradient and Hessian."""
        angle = direction @ self.wave.T + self.phase
        size = self.mean * self.amplitude
        cos, sin = size * np.cos(angle), size * np.sin(angle)
        return self.mean + cos.sum(axis=1), -(sin @ self.wave), -(cos @ self._squares).reshape(-1, 3, 3)

    @cached_property
    def _squares(self) -> Floats:
        return (self.wave[:, :, None] * self.wave[:, None, :]).reshape(-1, 9)

    def slopes(self) -> tuple[float, float, float]:
        """Return the most of rho and of its derivatives along great circles, where d'' = -d."""
        size = self.mean * np.abs(self.amplitude)
        wave = np.sqrt((self.wave * self.wave).sum(axis=1))
        first = float(size @ wave)
        return self.mean + float(size.sum()), first, float(size @ wave**2) + first
