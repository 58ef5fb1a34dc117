"""Values with their first and second derivatives by n variables, and the rules by which they combine.

For f(x) and f(x, y) of jets x and y, subscripts i and j for the variables,

    f_i  = f_x x_i + f_y y_i,
    f_ij = f_x x_ij + f_y y_ij + f_xx x_i x_j + f_xy (x_i y_j + x_j y_i) + f_yy y_i y_j.

A derivative that is zero by the formula's form, such as that of cos(u) by v, is None and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

from .arithmetic import Arithmetic, Element, plus, times, value_of
from .derivatives import BINARY, UNARY, BinaryDerivatives, power_derivatives


@dataclass(frozen=True, eq=False)
class Jet:
    """A value, its first derivatives by the variables, and its second ones in the order 00, 01, .., 11, ...

    Of a jet of first order `second` is empty, of one of order 0 `first` too.
    """

    value: Element
    first: tuple[Element, ...]
    second: tuple[Element, ...]


@dataclass(frozen=True)
class Order:
    """The derivatives that are wanted: up to which order, 0 to 2, and by how many variables."""

    order: int
    variables: int

    @property
    def firsts(self) -> int:
        """The number of first derivatives."""
        return self.variables if self.order > 0 else 0

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of variables, i <= j, of the second derivatives."""
        return tuple(combinations_with_replacement(range(self.variables), 2)) if self.order > 1 else ()

    def constant(self, value: Element) -> Jet:
        """Return the jet of a constant."""
        return Jet(value, (None,) * self.firsts, (None,) * len(self.pairs))

    def variable(self, index: int, value: Element, one: Element) -> Jet:
        """Return the jet of a variable."""
        first = tuple(one if i == index else None for i in range(self.firsts))
        return Jet(value, first, (None,) * len(self.pairs))


def _linear(order: Order, x: Jet, y: Jet, sign: float, value: Element) -> Jet:
    def combine(a: Element, b: Element) -> Element:
        return plus(a, b if sign > 0.0 or b is None else -b)

    first = tuple(map(combine, x.first, y.first))
    return Jet(value, first, tuple(map(combine, x.second, y.second)))


def _composed(order: Order, x: Jet, value: Element, slope: Element, bend: Element) -> Jet:
    """Return f(x) from f, f' and f''."""
    first = tuple(times(slope, a) for a in x.first)
    second = tuple(
        plus(times(slope, a), times(bend, times(x.first[i], x.first[j])))
        for a, (i, j) in zip(x.second, order.pairs, strict=True)
    )
    return Jet(value, first, second)


def _paired(order: Order, x: Jet, y: Jet, value: Element, slopes: BinaryDerivatives) -> Jet:
    """Return f(x, y) from f and its partial derivatives."""
    fx, fy, fxx, fxy, fyy = slopes
    first = tuple(plus(times(fx, a), times(fy, b)) for a, b in zip(x.first, y.first, strict=True))
    second = []
    for number, (i, j) in enumerate(order.pairs):
        part = plus(times(fx, x.second[number]), times(fy, y.second[number]))
        part = plus(part, times(fxx, times(x.first[i], x.first[j])))
        part = plus(part, times(fyy, times(y.first[i], y.first[j])))
        crossed = times(x.first[i], y.first[j])
        other = crossed if i == j else times(x.first[j], y.first[i])
        second.append(plus(part, times(fxy, plus(crossed, other))))
    return Jet(value, first, tuple(second))


def _product(order: Order, x: Jet, y: Jet, value: Element) -> Jet:
    return _paired(order, x, y, value, (y.value, x.value, None, 1.0, None))


def _picked(own: Arithmetic, x: Jet, y: Jet, least: bool) -> Jet:
    """Return the lesser, or the greater, of two jets."""
    below = own.below(x.value, y.value)
    low, high = (x, y) if least else (y, x)

    def pick(a: Element, b: Element) -> Element:
        if a is None and b is None:
            return None
        zero = 0.0 * (b if a is None else a)
        return own.chosen(below, zero if a is None else a, zero if b is None else b)

    value = own.chosen(below, low.value, high.value)
    return Jet(value, tuple(map(pick, low.first, high.first)), tuple(map(pick, low.second, high.second)))


def unary_jet(own: Arithmetic, order: Order, operation: str, x: Jet) -> Jet:
    """Return the jet of a function of one jet."""
    value = value_of(own, operation, [x.value])
    if operation == "negative":
        return _linear(order, order.constant(None), x, -1.0, value)
    slope, bend = UNARY[operation](own, x.value, value) if order.order else (None, None)
    return _composed(order, x, value, slope, bend)


def power_jet(own: Arithmetic, order: Order, x: Jet, exponent: float) -> Jet:
    """Return the jet of x to a fixed power."""
    slope, bend = power_derivatives(own, x.value, exponent) if order.order else (None, None)
    return _composed(order, x, own.power(x.value, exponent), slope, bend)


def binary_jet(own: Arithmetic, order: Order, operation: str, x: Jet, y: Jet) -> Jet:
    """Return the jet of an operation on two jets."""
    if operation in ("min", "max"):
        return _picked(own, x, y, operation == "min")
    value = value_of(own, operation, [x.value, y.value])
    if operation in ("add", "subtract"):
        return _linear(order, x, y, 1.0 if operation == "add" else -1.0, value)
    if operation == "multiply":
        return _product(order, x, y, value)
    if not order.order:
        return Jet(value, (), ())
    return _paired(order, x, y, value, BINARY[operation](own, x.value, y.value, value))
