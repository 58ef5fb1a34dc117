"""Functions made of another one that keep its parameters: in other coordinates, or times a number.

`Moved` is F(A x + b): the surface is moved, turned, stretched, sheared or mirrored. `Scaled` is c F: -1 turns
inside and outside over, and a length makes a pure number comparable with lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats
from .base import ImplicitFunction
from .solids.solids import products


@dataclass(frozen=True, eq=False)
class Derived(ImplicitFunction):
    """Another function, transformed; the parameters are that function's."""

    function: ImplicitFunction

    @property
    def parameters(self) -> Floats:
        """The function's parameters (m,)."""
        return self.function.parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The function's names (m)."""
        return self.function.names

    @property
    def positive(self) -> Bools:
        """Which of the function's parameters (m,) must stay above 0."""
        return self.function.positive

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same transformation of the function with other parameters (m,)."""
        return replace(self, function=self.function.with_parameters(parameters))


_ROUNDING = 2.0**-50  # relative error of a mapped coordinate: three products and sums, with a reserve


@dataclass(frozen=True, eq=False)
class Moved(Derived):
    """Another function whose surface an affine map has taken elsewhere.

    Attributes:
        affine: the map (4, 4) from the function's own coordinates to the scene's.
    """

    affine: Floats

    @cached_property
    def _back(self) -> Floats:
        """The inverse map (4, 4)."""
        return np.asarray(np.linalg.inv(self.affine), dtype=np.float64)

    def _own(self, x: Floats) -> Floats:
        """Return points (k, 3) of the scene in the function's own coordinates (k, 3)."""
        own: Floats = x @ self._back[:3, :3].T + self._back[:3, 3]
        return own

    @property
    def scales(self) -> Floats:
        """The function's scales (m,) over the map's mean stretch: a surface twice as large moves twice as
        far.
        """
        stretch = float(np.cbrt(abs(np.linalg.det(self.affine[:3, :3]))))
        return self.function.scales / stretch

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        return self.function.value(self._own(x))

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        value, slope = self.function.gradient(self._own(x))
        return value, slope @ self._back[:3, :3]

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        value, slope, bend = self.function.hessian(self._own(x))
        linear = self._back[:3, :3]
        return value, slope @ linear, linear.T @ bend @ linear

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m)."""
        return self.function.parameter_gradient(self._own(x))

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        return self.function.parameter_rate(self._own(x), rate)

    def box(self) -> Floats:
        """Return a box (2, 3) about the function's own box, moved."""
        return self._moved(self.function.box())

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about the function's own box where F <= level, moved."""
        return self._moved(self.function.box_inside(level))

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the function's elements, moved."""
        return self._at(self.function.middles)

    def _at(self, own: Floats) -> Floats:
        """Return points (k, 3) of the function's own coordinates in the scene (k, 3)."""
        places: Floats = own @ self.affine[:3, :3].T + self.affine[:3, 3]
        return places

    def _moved(self, own: Floats) -> Floats:
        """Return the box (2, 3) about the corners of a box (2, 3), moved; all of space for an
        infinite one.
        """
        if not np.isfinite(own).all():
            whole = np.array([[-np.inf] * 3, [np.inf] * 3])
            return own if (own[0] > own[1]).any() else whole
        corners = self._at(np.array(list(product(*own.T))))
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over the boxes about the boxes (k, 3) mapped back."""
        turned = directions @ self._back[:3, :3].T
        return self.function.least_slope(*self._back_about(lower, upper), turned, level)

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) of what rises on over the boxes about the boxes (k, 3) mapped back."""
        return self.function.rising_range(*self._back_about(lower, upper), level)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F over the boxes about the boxes (k, 3) mapped back."""
        return self.function.range(*self._back_about(lower, upper))

    def _back_about(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the corners (k, 3) of boxes about boxes (k, 3) mapped back."""
        linear, shift = self._back[:3, :3], self._back[:3, 3]
        one, other = products(linear, lower[:, None]), products(linear, upper[:, None])
        size = np.maximum(np.abs(one), np.abs(other)).sum(axis=-1) + np.abs(shift)
        slack = np.where(np.isfinite(size), _ROUNDING * size, 0.0)
        low, high = np.minimum(one, other).sum(axis=-1), np.maximum(one, other).sum(axis=-1)
        return low + shift - slack, high + shift + slack


@dataclass(frozen=True, eq=False)
class Scaled(Derived):
    """A function times a number, with its parameters and its surface."""

    factor: float

    @property
    def scales(self) -> Floats:
        """The function's scales (m,): where the surface is does not depend on the factor."""
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

    def box(self) -> Floats:
        """Return the function's box (2, 3)."""
        return self.function.box()

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the function's elements."""
        return self.function.middles

    def box_inside(self, level: float) -> Floats:
        """Return the function's box (2, 3) if the factor is above 0; the outside has none."""
        return (
            self.function.box_inside(level / self.factor) if self.factor > 0.0 else super().box_inside(level)
        )

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over boxes (k, 3)."""
        own = level / self.factor if self.factor > 0.0 else np.inf
        return self.function.least_slope(lower, upper, self.factor * directions, own)

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of what rises on."""
        if self.factor <= 0.0:
            return self.range(lower, upper)
        least, most = self.function.rising_range(lower, upper, level / self.factor)
        return self.factor * least, self.factor * most

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F over boxes (k, 3)."""
        ends = [self.factor * own for own in self.function.range(lower, upper)]
        return np.minimum(*ends), np.maximum(*ends)
