"""Polynomials in one variable t whose coefficients are ranges: how fast a formula grows, proven.

A formula in x = t^a u, y = t^b v, z = t^c w, for ranges of u, v and w, is such a polynomial where it has none
but sums, products, whole powers, and functions and divisors of constants.  Elsewhere it is one constant of
which nothing is known, NaN, and so is one too long; NaN spreads to whatever is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from .arithmetic import Arithmetic, Element, plus
from .ranges import RANGES, Range

_LONGEST = 64  # powers of t that are kept: the products of longer ones take too long


@dataclass(frozen=True, eq=False)
class Graded:
    """The coefficients of 1, t, t^2, ...: None for zero, but not all of them."""

    parts: tuple[Range | None, ...]

    @property
    def constant(self) -> Range | None:
        """The coefficient of 1 if there are no others; else None."""
        return self.parts[0] if len(self.parts) == 1 else None

    def __neg__(self) -> Graded:
        return Graded(tuple(None if part is None else -part for part in self.parts))

    def __add__(self, other: Graded) -> Graded:
        return Graded(tuple(plus(a, b) for a, b in zip_longest(self.parts, other.parts)))

    def __sub__(self, other: Graded) -> Graded:
        return self + -other

    def __mul__(self, other: Graded) -> Graded:
        size = len(self.parts) + len(other.parts) - 1
        if size > _LONGEST:
            return _unknown()
        sums: list[Range | None] = [None] * size
        for i, a in enumerate(self.parts):
            for j, b in enumerate(other.parts):
                if a is not None and b is not None:
                    sums[i + j] = plus(sums[i + j], a * b)
        return Graded(tuple(sums))

    def __truediv__(self, other: Graded) -> Graded:
        divisor = other.constant
        if divisor is None:
            return _unknown()
        return Graded(tuple(None if part is None else part / divisor for part in self.parts))


def graded(value: Range, power: int = 0) -> Graded:
    """Return a range times a power of t."""
    return Graded((*(None,) * power, value)) if power < _LONGEST else _unknown()


def _unknown() -> Graded:
    nothing = np.asarray(np.nan)
    return graded(Range(nothing, nothing))


class GradedArithmetic(Arithmetic):
    """Functions of such polynomials: powers, and of constants what ranges have."""

    def function(self, name: str, x: Element) -> Element:
        """Return a function of a constant."""
        return _of_constants(lambda value: RANGES.function(name, value), x)

    def power(self, x: Element, exponent: float) -> Element:
        """Return a whole power by squares; of a constant, any."""
        if x.constant is not None or not (exponent.is_integer() and 1.0 <= exponent <= _LONGEST):
            return _of_constants(lambda value: RANGES.power(value, exponent), x)
        if exponent == 1.0:
            return x
        half = self.power(x, exponent // 2.0)
        square = half * half
        return square * x if exponent % 2.0 else square

    def general_power(self, x: Element, y: Element) -> Element:
        """Return x^y of constants."""
        return _of_constants(RANGES.general_power, x, y)

    def atan2(self, y: Element, x: Element) -> Element:
        """Return the angle of constants."""
        return _of_constants(RANGES.atan2, y, x)

    def hypot(self, x: Element, y: Element) -> Element:
        """Return the hypotenuse of constants."""
        return _of_constants(RANGES.hypot, x, y)

    def below(self, x: Element, y: Element) -> Any:
        """Return what constants compare to; NaN for others."""
        known = x.constant is not None and y.constant is not None
        return RANGES.below(x.constant, y.constant) if known else np.asarray(np.nan)

    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Return one of two constants."""
        return _of_constants(lambda a, b: RANGES.chosen(which, a, b), x, y)


def _of_constants(function: Any, *arguments: Graded) -> Graded:
    constants = [argument.constant for argument in arguments]
    if any(constant is None for constant in constants):
        return _unknown()
    return graded(function(*constants))
