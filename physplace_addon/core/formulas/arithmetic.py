"""The arithmetics in which formulas are evaluated: plain numbers here, ranges of numbers in `ranges`.

An `Arithmetic` has a method for each function; its elements have + - * / and the sign.  Derivatives are
written once, in `derivatives`, for elements of any arithmetic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Element = Any  # an array (k,), or a Range, Dual or Graded of arrays (k,)


class Arithmetic(ABC):
    """The functions of some kind of element."""

    @abstractmethod
    def function(self, name: str, x: Element) -> Element:
        """Return a smooth function of one argument by its name."""

    @abstractmethod
    def power(self, x: Element, exponent: float) -> Element:
        """Return x to a fixed power: of negative x too where the exponent is whole."""

    @abstractmethod
    def general_power(self, x: Element, y: Element) -> Element:
        """Return x^y."""

    @abstractmethod
    def atan2(self, y: Element, x: Element) -> Element:
        """Return the angle of the point (x, y)."""

    @abstractmethod
    def hypot(self, x: Element, y: Element) -> Element:
        """Return sqrt(x^2 + y^2)."""

    @abstractmethod
    def below(self, x: Element, y: Element) -> Any:
        """Return 1 where x < y, 0 where x >= y, NaN where neither is known."""

    @abstractmethod
    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Return x where `which` is 1, y where it is 0, nothing known where it is NaN."""


class NumberArithmetic(Arithmetic):
    """Arrays of numbers; NaN and infinite values are results like others."""

    _FUNCTIONS = {
        **{"sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos},
        **{"atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh},
        **{"acosh": np.arccosh, "atanh": np.arctanh, "exp": np.exp, "log": np.log, "log10": np.log10},
        **{"sqrt": np.sqrt, "cbrt": np.cbrt, "abs": np.abs, "sign": np.sign},
    }

    def function(self, name: str, x: Element) -> Element:
        """Return numpy's function."""
        return self._FUNCTIONS[name](x)

    def power(self, x: Element, exponent: float) -> Element:
        """Return x to a power; squares and the reciprocal exactly as products and quotients."""
        if exponent == 2.0:
            return x * x
        return 1.0 / x if exponent == -1.0 else np.power(x, exponent)

    def general_power(self, x: Element, y: Element) -> Element:
        """Return numpy's power."""
        return np.power(x, y)

    def atan2(self, y: Element, x: Element) -> Element:
        """Return numpy's angle."""
        return np.arctan2(y, x)

    def hypot(self, x: Element, y: Element) -> Element:
        """Return numpy's hypotenuse."""
        return np.hypot(x, y)

    def below(self, x: Element, y: Element) -> Any:
        """Return 1 where x < y, 0 where x >= y, NaN where either is NaN."""
        return np.where(np.isnan(x + y), np.nan, np.less(x, y))

    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Return x where `which` is 1, y where it is 0, else NaN."""
        return np.where(which == 1.0, x, np.where(which == 0.0, y, np.nan))


NUMBERS = NumberArithmetic()


def plus(a: Element, b: Element) -> Element:
    """Return a + b, where None stands for zero."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def times(a: Element, b: Element) -> Element:
    """Return a b, where None stands for zero."""
    return None if a is None or b is None else a * b


def value_of(arithmetic: Arithmetic, operation: str, arguments: Sequence[Element]) -> Element:
    """Return the value of an operation on one or two elements."""
    if len(arguments) == 1:
        x = arguments[0]
        return -x if operation == "negative" else arithmetic.function(operation, x)
    x, y = arguments
    if operation in ("min", "max"):
        below = arithmetic.below(x, y)
        return arithmetic.chosen(below, *((x, y) if operation == "min" else (y, x)))
    return _TWO[operation](arithmetic, x, y)


# The operations on two elements.
_TWO: Mapping[str, Callable[[Arithmetic, Element, Element], Element]] = {
    "add": lambda _, x, y: x + y,
    "subtract": lambda _, x, y: x - y,
    "multiply": lambda _, x, y: x * y,
    "divide": lambda _, x, y: x / y,
    "pow": lambda own, x, y: own.general_power(x, y),
    "atan2": lambda own, y, x: own.atan2(y, x),
    "hypot": lambda own, x, y: own.hypot(x, y),
}
