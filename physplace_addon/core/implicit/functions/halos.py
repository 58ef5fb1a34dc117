"""Gaussians of how far outside of a solid a place is: g = exp(-max(f, 0)^2 / s^2), f in units of length.

So solids of any kind (ellipsoids, planes, quadrics, whole blends) may be part of a blob: each grows by what
its radius s gives, and they run together.  Second derivatives jump where f is 0, which is inside the blob.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...arrays import Bools, Floats
from . import sparse_rows
from .base import ImplicitFunction
from .gaussians.summands import LEAST_RADIUS, NEGLECTED, ROUNDING, Summand
from .sparse_rows import Rows


@dataclass(frozen=True, eq=False)
class Halo(Summand):
    """The Gaussian about one function, with that one's parameters and the radius s."""

    function: ImplicitFunction
    radius: float

    @property
    def parameters(self) -> Floats:
        """The function's, then the radius."""
        return np.append(self.function.parameters, self.radius)

    @property
    def scales(self) -> Floats:
        """The function's, and 1 for the radius."""
        return np.append(self.function.scales, 1.0)

    @property
    def names(self) -> tuple[str, ...]:
        """The function's, and the radius."""
        return (*self.function.names, "halo radius")

    @property
    def positive(self) -> Bools:
        """The function's, and the radius."""
        return np.append(self.function.positive, True)

    @property
    def radii(self) -> Floats:
        """The radius (1,)."""
        return np.array([self.radius])

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same with other parameters; a radius below 0 becomes its opposite."""
        return type(self)(self.function.with_parameters(parameters[:-1]), abs(float(parameters[-1])))

    @property
    def _s(self) -> float:
        return max(self.radius, LEAST_RADIUS)

    def _gaussian(self, f: Floats) -> tuple[Floats, Floats, Floats]:
        """g, its derivative by f, and max(f, 0) / s, each (n,)."""
        outside = np.maximum(f, 0.0) / self._s
        g = np.exp(-outside * outside)
        return g, -2.0 * outside / self._s * g, outside

    def total(self, x: Floats) -> Floats:
        """Return g (n,) at points (n, 3)."""
        return self._gaussian(self.function.value(x))[0]

    def first(self, x: Floats) -> Floats:
        """Return g' f_x and g (4, n)."""
        f, slope = self.function.gradient(x)
        g, by_f, _ = self._gaussian(f)
        return np.vstack((by_f * slope.T, g))

    def second(self, x: Floats) -> tuple[Floats, Floats]:
        """Return `first`, and g'' f_x f_x' + g' f_xx (3, 3, n)."""
        f, slope, bend = self.function.hessian(x)
        g, by_f, outside = self._gaussian(f)
        twice = np.where(f > 0.0, (4.0 * outside**2 - 2.0) / self._s**2 * g, 0.0)
        second = twice * slope.T[:, None] * slope.T + by_f * np.moveaxis(bend, 0, -1)
        return np.vstack((by_f * slope.T, g)), second

    def rate(self, x: Floats, rates: Floats) -> Floats:
        """Return g' f_q . rates + g_s rates (n,)."""
        g, by_f, outside = self._gaussian(self.function.value(x))
        change = by_f * self.function.parameter_rate(x, rates[:-1])
        change += (2.0 * float(rates[-1]) / self._s) * outside**2 * g
        return change

    def shares(self, x: Floats) -> Rows:
        """Return g' f_q and g_s (n, m)."""
        g, by_f, outside = self._gaussian(self.function.value(x))
        near = (g > NEGLECTED)[:, None]
        of_function = sparse_rows.rows_of(self.function.parameter_gradient(x))
        of_radius = sparse_rows.of_dense((2.0 / self._s * outside**2 * g)[:, None], near)
        return sparse_rows.beside(
            [sparse_rows.scaled(of_function, np.where(near[:, 0], by_f, 0.0)), of_radius]
        )

    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n,) of g, which falls with f."""
        ends = self.function.range(lower, upper)
        near, far = (np.exp(-((np.maximum(f, 0.0) / self._s) ** 2)) for f in ends)
        return far - ROUNDING, near + ROUNDING

    def middles(self) -> Floats:
        """Return the function's (k, 3)."""
        return self.function.middles()

    def hint(self) -> Floats:
        """Return the function's box, grown by the radius."""
        return self.function.box() + self.radius * np.array([[-1.0], [1.0]])
