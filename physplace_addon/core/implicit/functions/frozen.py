"""A function of which only some parameters may change.

Witkin and Heckbert (1994, section 5) freeze parameters "simply by leaving them out of the q and F_q vectors".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints
from .base import ImplicitFunction
from .sparse_rows import rows_of, selected


@dataclass(frozen=True, eq=False)
class Frozen(ImplicitFunction):
    """A function F of the free parameters of another function.

    Attributes:
        whole: the function with all its parameters (m,).
        free: which of them (m,) may change; F has only these, m' of them.

    Raises:
        ValueError: for a mask of another length.
    """

    whole: ImplicitFunction
    free: Bools

    def __post_init__(self) -> None:
        """Raise ValueError for a mask of another length."""
        if self.free.shape != (len(self.whole.parameters),):
            raise ValueError(f"expected {len(self.whole.parameters)} marks, found {self.free.shape}")

    @property
    def parameters(self) -> Floats:
        """The free parameters (m',)."""
        return self._parameters.copy()

    @cached_property
    def _parameters(self) -> Floats:
        """The free parameters (m',), not to be written to."""
        return self.whole.parameters[self._numbers]

    @cached_property
    def _numbers(self) -> slice | Ints:
        """The numbers of the free parameters: a slice where they follow one another, which
        needs no copies.
        """
        numbers = np.flatnonzero(self.free)
        row = len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1
        return slice(int(numbers[0]), int(numbers[-1]) + 1) if row else numbers

    @property
    def scales(self) -> Floats:
        """The scales of the free parameters (m',)."""
        return self.whole.scales[self.free]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the free parameters (m')."""
        return tuple(name for name, free in zip(self.whole.names, self.free, strict=True) if free)

    @property
    def positive(self) -> Bools:
        """Which free parameters (m',) must stay above 0."""
        return self.whole.positive[self.free]

    def _all(self, some: Floats, others: Floats) -> Floats:
        """Return the parameters (m,) with the free ones (m',) set in `others` (m,)."""
        others[self._numbers] = some
        return others

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the function with other free parameters (m',); the frozen ones stay."""
        every = self._all(parameters, self.whole.parameters)
        made = type(self)(self.whole.with_parameters(every), self.free)
        made.__dict__["_numbers"] = self._numbers
        return made

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        return self.whole.value(x)

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        return self.whole.gradient(x)

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        return self.whole.hessian(x)

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return the free columns of F_q (k, m')."""
        return selected(rows_of(self.whole.parameter_gradient(x)), self.free).matrix()

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and the free columns of F_q (k, m')."""
        value, gradient, rates = self.whole.derivatives(x)
        return value, gradient, rates[:, self._numbers]

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,) for a rate (m',); the frozen parameters rest."""
        return self.whole.parameter_rate(x, self._all(rate, np.zeros(len(self.free))))

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q . rate (k,) for a rate (m',)."""
        return self.whole.gradient_and_rate(x, self._all(rate, np.zeros(len(self.free))))

    def box(self) -> Floats:
        """Return the box (2, 3) of the whole function."""
        return self.whole.box()

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the whole function's elements."""
        return self.whole.middles

    def is_endless(self) -> bool:
        """Return whether the box of the whole function is infinite."""
        return self.whole.is_endless()

    def box_inside(self, level: float) -> Floats:
        """Return the box (2, 3) of the whole function where F <= level."""
        return self.whole.box_inside(level)

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over boxes (k, 3)."""
        return self.whole.least_slope(lower, upper, directions, level)

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of what rises on."""
        return self.whole.rising_range(lower, upper, level)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the bounds (k,) of the whole function over boxes (k, 3)."""
        return self.whole.range(lower, upper)
