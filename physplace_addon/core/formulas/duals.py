"""Elements of any arithmetic with their derivative by one parameter: one order more for what is evaluated.

Jets of such elements carry the derivative of each of their parts: of a formula in t alone, evaluated at t
with slope 1, the slope of the second derivative is the third one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .arithmetic import Arithmetic, Element, plus, times
from .derivatives import PAIR, SINGLE, of_power


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its derivative, None for zero; both elements of another arithmetic."""

    value: Element
    slope: Element

    def __neg__(self) -> Dual:
        return Dual(-self.value, None if self.slope is None else -self.slope)

    def __add__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        return Dual(self.value + b.value, plus(self.slope, b.slope))

    def __radd__(self, other: float) -> Dual:
        return self + other

    def __sub__(self, other: Dual | float) -> Dual:
        return self + -_dual(other)

    def __rsub__(self, other: float) -> Dual:
        return -self + other

    def __mul__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        return Dual(self.value * b.value, plus(times(self.slope, b.value), times(self.value, b.slope)))

    def __rmul__(self, other: float) -> Dual:
        return self * other

    def __truediv__(self, other: Dual | float) -> Dual:
        b = _dual(other)
        quotient = self.value / b.value
        change = plus(self.slope, times(-quotient, b.slope))
        return Dual(quotient, None if change is None else change / b.value)

    def __rtruediv__(self, other: float) -> Dual:
        return _dual(other) / self


def _dual(value: Dual | float) -> Dual:
    return value if isinstance(value, Dual) else Dual(value, None)


class Duals(Arithmetic):
    """Functions of duals over the elements of an arithmetic."""

    def __init__(self, inner: Arithmetic) -> None:
        self._inner = inner

    def function(self, name: str, x: Element) -> Element:
        """Return a function with its derivative."""
        value = self._inner.function(name, x.value)
        return Dual(value, times(SINGLE[name](self._inner, x.value, value)[0], x.slope))

    def power(self, x: Element, exponent: float) -> Element:
        """Return a fixed power with its derivative."""
        slope = of_power(self._inner, x.value, exponent)[0]
        return Dual(self._inner.power(x.value, exponent), times(slope, x.slope))

    def general_power(self, x: Element, y: Element) -> Element:
        """Return x^y with its derivative."""
        return self._pair("pow", x, y, self._inner.general_power)

    def atan2(self, y: Element, x: Element) -> Element:
        """Return the angle with its derivative."""
        return self._pair("atan2", y, x, self._inner.atan2)

    def hypot(self, x: Element, y: Element) -> Element:
        """Return the hypotenuse with its derivative."""
        return self._pair("hypot", x, y, self._inner.hypot)

    def _pair(self, name: str, x: Element, y: Element, function: Any) -> Dual:
        x, y = _dual(x), _dual(y)
        value = function(x.value, y.value)
        by_x, by_y = PAIR[name](self._inner, x.value, y.value, value)[:2]
        return Dual(value, plus(times(by_x, x.slope), times(by_y, y.slope)))

    def below(self, x: Element, y: Element) -> Any:
        """Compare the values."""
        return self._inner.below(_dual(x).value, _dual(y).value)

    def chosen(self, which: Any, x: Element, y: Element) -> Element:
        """Choose values and derivatives one by one."""
        x, y = _dual(x), _dual(y)
        value = self._inner.chosen(which, x.value, y.value)
        if x.slope is None and y.slope is None:
            return Dual(value, None)
        slopes = (0.0 * own.value if own.slope is None else own.slope for own in (x, y))
        return Dual(value, self._inner.chosen(which, *slopes))
