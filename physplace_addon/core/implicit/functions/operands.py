"""What a combination is made of: functions as they are, or solids element by element."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...arrays import Floats, Ints
from .base import ImplicitFunction
from .solids.solids import ALL, Solids
from .sparse_rows import SparseRows, rows_of


class Operand(ABC):
    """One or more columns of values; the others are asked for pairs of a point (n, 3) and a column (n,)."""

    count: int

    @abstractmethod
    def values(self, x: Floats) -> Floats:
        """Return f (n, count) at points (n, 3)."""

    @abstractmethod
    def gradient(self, x: Floats, column: Ints) -> Floats:
        """Return f_x (n, 3)."""

    @abstractmethod
    def gradient_and_hessian(self, x: Floats, column: Ints) -> tuple[Floats, Floats]:
        """Return f_x (n, 3) and f_xx (n, 3, 3)."""

    @abstractmethod
    def parameter_rows(self, x: Floats, column: Ints) -> SparseRows:
        """Return f_q (n, m)."""

    @abstractmethod
    def parameter_rate(self, x: Floats, column: Ints, rate: Floats) -> Floats:
        """Return f_q . rate (n,)."""

    @abstractmethod
    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, count) of f over boxes (n, 3)."""


class _Whole(Operand):
    def __init__(self, function: ImplicitFunction) -> None:
        self.function, self.count = function, 1

    def values(self, x: Floats) -> Floats:
        return self.function.value(x)[:, None]

    def gradient(self, x: Floats, column: Ints) -> Floats:
        return self.function.gradient(x)[1]

    def gradient_and_hessian(self, x: Floats, column: Ints) -> tuple[Floats, Floats]:
        return self.function.hessian(x)[1:]

    def parameter_rows(self, x: Floats, column: Ints) -> SparseRows:
        return rows_of(self.function.parameter_gradient(x))

    def parameter_rate(self, x: Floats, column: Ints, rate: Floats) -> Floats:
        return self.function.parameter_rate(x, rate)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        least, most = self.function.range(lower, upper)
        return least[:, None], most[:, None]


class _Each(Operand):
    def __init__(self, solids: Solids) -> None:
        self.solids, self.count = solids, len(solids.rows)

    def values(self, x: Floats) -> Floats:
        return self.solids.values(x[:, None], ALL)

    def gradient(self, x: Floats, column: Ints) -> Floats:
        return self.solids.gradients(x, column)[1]

    def gradient_and_hessian(self, x: Floats, column: Ints) -> tuple[Floats, Floats]:
        return self.solids.hessians(x, column)[1:]

    def parameter_rows(self, x: Floats, column: Ints) -> SparseRows:
        return self.solids.parameter_rows(x, column)

    def parameter_rate(self, x: Floats, column: Ints, rate: Floats) -> Floats:
        return self.solids.parameter_rates(x, column, rate)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return self.solids.ranges(lower, upper)


def operand_of(function: ImplicitFunction, sign: float) -> Operand:
    """Return a function as an operand: solids that are combined in the same way, element by element."""
    if isinstance(function, Solids) and function.sign == sign and len(function.rows) > 1:
        return _Each(function)
    return _Whole(function)
