"""What a blob is the sum of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

from ..arrays import Bools, Floats
from .sparse_rows import Rows

ROUNDING = 4e-15  # that a Gaussian may be off by: its exponent's rounding, times itself, at most 1 / e
NOTHING = 100.0  # exponents from which on a Gaussian is far less than that


class Summand(ABC):
    """A sum of Gaussians, from 0 to the number of its radii, with m parameters of its own."""

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The parameters (m,)."""

    @property
    @abstractmethod
    def scales(self) -> Floats:
        """For each parameter (m,) the change that moves the surface about a unit of length."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What each parameter is (m)."""

    @property
    @abstractmethod
    def positive(self) -> Bools:
        """Which parameters (m,) are sizes."""

    @property
    @abstractmethod
    def radii(self) -> Floats:
        """The Gaussians' radii s (k,)."""

    @abstractmethod
    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same with other parameters (m,)."""

    @abstractmethod
    def total(self, x: Floats) -> Floats:
        """Return the sum (n,) at points (n, 3)."""

    @abstractmethod
    def first(self, x: Floats) -> Floats:
        """Return the gradient of the sum, and the sum (4, n)."""

    @abstractmethod
    def second(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the sum, and the sum (4, n), and the second derivatives (3, 3, n)."""

    @abstractmethod
    def rate(self, x: Floats, rates: Floats) -> Floats:
        """Return the sum's rate of change (n,) for rates (m,) of the parameters."""

    def first_and_rate(self, x: Floats, rates: Floats) -> tuple[Floats, Floats]:
        """Return `first` and `rate`, which may share what they need."""
        return self.first(x), self.rate(x, rates)

    @abstractmethod
    def shares(self, x: Floats) -> Rows:
        """Return the derivatives (n, m) of the sum by the parameters, without those that are neglected."""

    @abstractmethod
    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds (n,) of the sum over boxes (n, 3)."""

    @abstractmethod
    def middles(self) -> Floats:
        """Return the middles (k, 3) of the Gaussians."""

    @abstractmethod
    def hint(self) -> Floats:
        """Return a box (2, 3) about where the sum is not small, or an infinite one."""
