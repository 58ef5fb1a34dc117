"""Ranges of numbers, for bounds that are proven: whatever the arguments are in theirs, the result is in its.

After every operation both ends are moved outwards by a few units in the last place.  NaN stands for "not
known": where an argument may leave a function's domain (log of a range with 0 in it), a divisor may vanish,
or abs may have its kink.  It spreads to everything that is made of it, so a finite bound is a proof that the
formula is defined, and twice differentiable, over the whole range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ..arrays import Bools, Floats
from .arithmetic import Arithmetic, Element

_WIDER = 2.0**-50  # largest rounding of an end, over the end: four units in the last place


@dataclass(frozen=True, eq=False)
class Range:
    """The numbers from lower (k,) to upper (k,); NaN where nothing is known."""

    lower: Floats
    upper: Floats
    __array_ufunc__ = None  # an array on the left leaves the operation to the range

    @property
    def magnitude(self) -> Floats:
        """The largest of the absolute values (k,)."""
        most: Floats = np.maximum(np.abs(self.lower), np.abs(self.upper))
        return most

    def __neg__(self) -> Range:
        return Range(-self.upper, -self.lower)

    def __add__(self, other: Range | float) -> Range:
        b = _range(other)
        return _outward(self.lower + b.lower, self.upper + b.upper)

    def __radd__(self, other: float) -> Range:
        return self + other

    def __sub__(self, other: Range | float) -> Range:
        b = _range(other)
        return _outward(self.lower - b.upper, self.upper - b.lower)

    def __rsub__(self, other: float) -> Range:
        return -self + other

    def __mul__(self, other: Range | float) -> Range:
        if other is self:
            return _square(self)
        b = _range(other)
        products = self.lower * b.lower, self.lower * b.upper, self.upper * b.lower, self.upper * b.upper
        return _around(*products)

    def __rmul__(self, other: float) -> Range:
        return self * other

    def __truediv__(self, other: Range | float) -> Range:
        b = _range(other)
        away = (b.lower > 0.0) | (b.upper < 0.0)
        low, high = _where(away, b.lower), _where(away, b.upper)
        return _around(self.lower / low, self.lower / high, self.upper / low, self.upper / high)

    def __rtruediv__(self, other: float) -> Range:
        return _range(other) / self


def _range(value: Range | float) -> Range:
    if isinstance(value, Range):
        return value
    number = np.asarray(value, dtype=np.float64)
    return Range(number, number)


def _outward(lower: Floats, upper: Floats) -> Range:
    return Range(lower - _WIDER * np.abs(lower), upper + _WIDER * np.abs(upper))


def _around(*ends: Floats) -> Range:
    """Return the range of products or quotients of ends."""
    least, most = ends[0], ends[0]
    for end in ends[1:]:
        least, most = np.minimum(least, end), np.maximum(most, end)
    return _outward(least, most)


def _where(known: Bools, value: Floats) -> Floats:
    return np.where(known, value, np.nan)


def _square(x: Range) -> Range:
    low, high = x.lower * x.lower, x.upper * x.upper
    straddles = (x.lower < 0.0) & (x.upper > 0.0)
    return _outward(np.where(straddles, 0.0, np.minimum(low, high)), np.maximum(low, high))


def _contains(x: Range, first: float, period: float) -> Bools:
    """Return whether one of the numbers first + n period is, or by rounding may be, in the range."""
    slack = _WIDER * (np.abs(x.lower) + np.abs(x.upper) + abs(first) + period)
    inside: Bools = np.ceil((x.lower - first - slack) / period) * period + first <= x.upper + slack
    return inside


def _wave(x: Range, function: Callable[[Floats], Floats], crest: float) -> Range:
    """Return the range of sin or cos, from its ends and the crests and troughs between them."""
    one, other = function(x.lower), function(x.upper)
    ends = _outward(np.minimum(one, other), np.maximum(one, other))
    lower = np.where(_contains(x, crest + math.pi, math.tau), -1.0, np.maximum(ends.lower, -1.0))
    upper = np.where(_contains(x, crest, math.tau), 1.0, np.minimum(ends.upper, 1.0))
    known = np.isfinite(x.lower) & np.isfinite(x.upper)
    return Range(_where(known, lower), _where(known, upper))


def _sin(x: Range) -> Range:
    return _wave(x, np.sin, 0.5 * math.pi)


def _cos(x: Range) -> Range:
    return _wave(x, np.cos, 0.0)


def _tan(x: Range) -> Range:
    known = ~_contains(x, 0.5 * math.pi, math.pi) & (x.upper - x.lower < 4.0)
    return _outward(np.tan(_where(known, x.lower)), np.tan(_where(known, x.upper)))


def _cosh(x: Range) -> Range:
    size = _abs_values(x)
    return _outward(np.maximum(np.cosh(size.lower), 1.0), np.cosh(size.upper))


def _abs_values(x: Range) -> Range:
    straddles = (x.lower < 0.0) & (x.upper > 0.0)
    low, high = np.abs(x.lower), np.abs(x.upper)
    return Range(np.where(straddles, 0.0, np.minimum(low, high)), np.maximum(low, high))


def _sign(x: Range) -> Range:
    """Return 1 or -1; at 0 it jumps, and is not known."""
    known = (x.lower > 0.0) | (x.upper < 0.0)
    sign = _where(known, np.sign(x.lower))
    return Range(sign, sign)


def _rising(function: Callable[[Floats], Floats], least: float, most: float) -> Callable[[Range], Range]:
    """Return a function of ranges for one that rises over its domain [least, most]."""

    def applied(x: Range) -> Range:
        known = (x.lower >= least) & (x.upper <= most)
        return _outward(function(_where(known, x.lower)), function(_where(known, x.upper)))

    return applied


def _acos(x: Range) -> Range:
    known = (x.lower >= -1.0) & (x.upper <= 1.0)
    return _outward(np.arccos(_where(known, x.upper)), np.arccos(_where(known, x.lower)))


_FUNCTIONS: dict[str, Callable[[Range], Range]] = {
    **{"sin": _sin, "cos": _cos, "tan": _tan, "acos": _acos, "cosh": _cosh, "abs": _abs_values},
    "sign": _sign,
    "asin": _rising(np.arcsin, -1.0, 1.0),
    "acosh": _rising(np.arccosh, 1.0, math.inf),
    "atanh": _rising(np.arctanh, -1.0, 1.0),
    "log": _rising(np.log, 0.0, math.inf),
    "log10": _rising(np.log10, 0.0, math.inf),
    "sqrt": _rising(np.sqrt, 0.0, math.inf),
    **{
        name: _rising(cast(Any, function), -math.inf, math.inf)
        for name, function in (
            *(("atan", np.arctan), ("sinh", np.sinh), ("tanh", np.tanh)),
            *(("asinh", np.arcsinh), ("exp", np.exp), ("cbrt", np.cbrt)),
        )
    },
}


class RangeArithmetic(Arithmetic):
    """Functions of ranges."""

    def function(self, name: str, x: Element) -> Element:
        """Return the range of a function's values."""
        return _FUNCTIONS[name](x)

    def power(self, x: Element, exponent: float) -> Element:
        """Return the range of a fixed power."""
        if exponent == 2.0:
            return _square(x)
        if not exponent.is_integer():
            return self._real_power(x, exponent)
        if exponent < 0.0:
            return 1.0 / self.power(x, -exponent)
        if exponent % 2.0:
            return _outward(np.power(x.lower, exponent), np.power(x.upper, exponent))
        size = _abs_values(x)
        return _outward(np.power(size.lower, exponent), np.power(size.upper, exponent))

    def _real_power(self, x: Range, exponent: float) -> Range:
        low, high = np.power(x.lower, exponent), np.power(x.upper, exponent)  # NaN of negative numbers
        return _outward(np.minimum(low, high), np.maximum(low, high))

    def general_power(self, x: Element, y: Element) -> Element:
        """Return the range of exp(y log x), of positive x."""
        return self.function("exp", _range(y) * self.function("log", _range(x)))

    def atan2(self, y: Element, x: Element) -> Element:
        """Return the range of the angle; not known where it jumps, at y = 0 for x <= 0."""
        y, x = _range(y), _range(x)
        known = (x.lower > 0.0) | (y.lower > 0.0) | (y.upper < 0.0)
        ends = [np.arctan2(_where(known, b), a) for b in (y.lower, y.upper) for a in (x.lower, x.upper)]
        return _around(*ends)

    def hypot(self, x: Element, y: Element) -> Element:
        """Return the range of the hypotenuse."""
        return self.function("sqrt", _square(_range(x)) + _square(_range(y)))

    def below(self, x: Element, y: Element) -> Any:
        """Return 1 or 0 where the ranges do not meet, else NaN."""
        x, y = _range(x), _range(y)
        return np.where(x.upper < y.lower, 1.0, np.where(x.lower > y.upper, 0.0, np.nan))

    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Return ranges chosen one by one."""
        x, y = _range(x), _range(y)
        lower, upper = (
            np.where(which == 1.0, a, np.where(which == 0.0, b, np.nan))
            for a, b in ((x.lower, y.lower), (x.upper, y.upper))
        )
        return Range(lower, upper)


RANGES = RangeArithmetic()
