"""A function times a number: -1 turns inside and outside over, a length makes comparable what is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats
from .derived import Derived


@dataclass(frozen=True, eq=False)
class Scaled(Derived):
    """factor times another function, with that one's parameters and surface."""

    factor: float

    @property
    def scales(self) -> Floats:
        """The function's: where the surface is does not depend on the factor."""
        return self.function.scales

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        return self.factor * self.function.value(x)

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        value, slope = self.function.gradient(x)
        return self.factor * value, self.factor * slope

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        value, slope, bend = self.function.hessian(x)
        return self.factor * value, self.factor * slope, self.factor * bend

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m)."""
        matrix = self.function.parameter_gradient(x)
        matrix.data = self.factor * matrix.data
        return matrix

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        return self.factor * self.function.parameter_rate(x, rate)

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q . rate (k,)."""
        value, slope, change = self.function.gradient_and_rate(x, rate)
        return self.factor * value, self.factor * slope, self.factor * change

    def middles(self) -> Floats:
        """Return the function's, if the factor is above 0; what is outside of it has none that are known."""
        return self.function.middles() if self.factor > 0.0 else super().middles()

    def pieces(self) -> Floats:
        """Return the function's, if the factor is above 0."""
        return self.function.pieces() if self.factor > 0.0 else super().pieces()

    def box(self) -> Floats:
        """Return the function's box."""
        return self.function.box()

    def inside(self, level: float) -> Floats:
        """Return the function's, if the factor is above 0; else what is outside of it, which has no box."""
        return self.function.inside(level / self.factor) if self.factor > 0.0 else super().inside(level)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds of F."""
        ends = [self.factor * own for own in self.function.range(lower, upper)]
        return np.minimum(*ends), np.maximum(*ends)
