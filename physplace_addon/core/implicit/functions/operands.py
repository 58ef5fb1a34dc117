"""The operands of a combination: whole functions, or solids taken element by element.

Solids that are combined in the way in which they are united among themselves need not be united first: each
element is a column of its own. So a smooth union of 100 spheres blends 100 functions, and not one that has
creases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...arrays import Floats, Ints
from .base import ImplicitFunction
from .solids.solids import ALL, Solids
from .sparse_rows import SparseRows, rows_of


class Operand(ABC):
    """One or more functions f_j, called columns.

    `values` evaluates all columns at all points. The other methods evaluate pairs: at each point x (n, 3) the
    column (n,) that belongs to it.
    """

    count: int

    @abstractmethod
    def values(self, x: Floats) -> Floats:
        """Return f (n, count) at points (n, 3)."""

    @abstractmethod
    def gradient(self, x: Floats, column: Ints) -> Floats:
        """Return f_x (n, 3) of one column (n,) at each point (n, 3)."""

    @abstractmethod
    def gradient_and_hessian(self, x: Floats, column: Ints) -> tuple[Floats, Floats]:
        """Return f_x (n, 3) and f_xx (n, 3, 3)."""

    @abstractmethod
    def parameter_rows(self, x: Floats, column: Ints) -> SparseRows:
        """Return f_q (n, m), m the number of the operand's parameters."""

    @abstractmethod
    def parameter_rate(self, x: Floats, column: Ints, rate: Floats) -> Floats:
        """Return f_q . rate (n,) for a rate (m,) of the operand's parameters."""

    @abstractmethod
    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats, level: float) -> Floats:
        """Return proven lower bounds (n, count) of f_x . direction over boxes, for a direction (n, 3) each,
        of what rises on beyond a level.
        """

    @abstractmethod
    def rising_ranges(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return proven bounds (n, count) over boxes with corners (n, 3) of what rises on beyond a level."""

    @abstractmethod
    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds (n, count) of f over boxes with corners (n, 3)."""


class _Whole(Operand):
    """A function as a single column."""

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

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats, level: float) -> Floats:
        return self.function.least_slope(lower, upper, directions, level)[:, None]

    def rising_ranges(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        least, most = self.function.rising_range(lower, upper, level)
        return least[:, None], most[:, None]

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        least, most = self.function.range(lower, upper)
        return least[:, None], most[:, None]


class _Each(Operand):
    """Solids, with one column for each element."""

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

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats, level: float) -> Floats:
        return self.solids.least_slopes(lower, upper, directions)

    def rising_ranges(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        return self.solids.ranges(lower, upper)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return self.solids.ranges(lower, upper)


def operand_of(function: ImplicitFunction, sign: float) -> Operand:
    """Return a function as an operand of a union (sign 1) or an intersection (sign -1).

    Solids that are combined in the same way are taken element by element.
    """
    if isinstance(function, Solids) and function.sign == sign and len(function.rows) > 1:
        return _Each(function)
    return _Whole(function)
