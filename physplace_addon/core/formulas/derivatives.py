"""First and second derivatives of every function, for elements of any arithmetic.

`UNARY` gives f' and f'' of f(x); `BINARY` gives f_x, f_y, f_xx, f_xy, f_yy of f(x, y).  None stands for zero:
no product is formed with it, so that 0 times an infinite number does not arise.  They are written so that
nothing cancels: 1/cosh^2 for the slope of tanh and not 1 - tanh^2, (1 - x)(1 + x) and not 1 - x^2.

Each function takes the arithmetic, the arguments and the value f.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from .arithmetic import Arithmetic, Element

UnaryDerivatives = tuple[Element, Element]  # f' and f''; None for zero.
# f_x, f_y, f_xx, f_xy, f_yy; None for zero.
BinaryDerivatives = tuple[Element, Element, Element, Element, Element]


def _sin(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return own.function("cos", x), -f


def _cos(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return -own.function("sin", x), -f


def _tan(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power(own.function("cos", x), -2.0)
    return slope, 2.0 * f * slope


def _asin(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power((1.0 - x) * (1.0 + x), -0.5)
    return slope, x * own.power(slope, 3.0)


def _acos(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope, bend = _asin(own, x, f)
    return -slope, -bend


def _atan(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = 1.0 / (1.0 + own.power(x, 2.0))
    return slope, -2.0 * x * own.power(slope, 2.0)


def _sinh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return own.function("cosh", x), f


def _cosh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return own.function("sinh", x), f


def _tanh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power(own.function("cosh", x), -2.0)
    return slope, -2.0 * f * slope


def _asinh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power(1.0 + own.power(x, 2.0), -0.5)
    return slope, -x * own.power(slope, 3.0)


def _acosh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power((x - 1.0) * (x + 1.0), -0.5)
    return slope, -x * own.power(slope, 3.0)


def _atanh(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = 1.0 / ((1.0 - x) * (1.0 + x))
    return slope, 2.0 * x * own.power(slope, 2.0)


def _exp(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return f, f


def _log(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return 1.0 / x, -1.0 * own.power(x, -2.0)


def _log10(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope, bend = _log(own, x, f)
    return slope / math.log(10.0), bend / math.log(10.0)


def _sqrt(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return 0.5 / f, -0.25 / (f * x)


def _cbrt(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    slope = own.power(f, -2.0) / 3.0
    return slope, -2.0 * slope / (3.0 * x)


def _abs(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return own.chosen(own.below(x, 0.0 * x), 0.0 * x - 1.0, 0.0 * x + 1.0), None


def _sign(own: Arithmetic, x: Element, f: Element) -> UnaryDerivatives:
    return None, None


UNARY: Mapping[str, Callable[[Arithmetic, Element, Element], UnaryDerivatives]] = {
    **{"sin": _sin, "cos": _cos, "tan": _tan, "asin": _asin, "acos": _acos, "atan": _atan},
    **{"sinh": _sinh, "cosh": _cosh, "tanh": _tanh, "asinh": _asinh, "acosh": _acosh, "atanh": _atanh},
    **{"exp": _exp, "log": _log, "log10": _log10, "sqrt": _sqrt, "cbrt": _cbrt, "abs": _abs, "sign": _sign},
}


def power_derivatives(own: Arithmetic, x: Element, exponent: float) -> UnaryDerivatives:
    """Return the derivatives of x to a fixed power: at x = 0 too, where they exist."""
    first = None if exponent == 0.0 else exponent * own.power(x, exponent - 1.0)
    second = exponent * (exponent - 1.0)
    return first, None if second == 0.0 else second * own.power(x, exponent - 2.0)


def _divide(own: Arithmetic, x: Element, y: Element, f: Element) -> BinaryDerivatives:
    one = 1.0 / y
    bend = -1.0 * own.power(y, -2.0)
    return one, -f * one, None, bend, -2.0 * x * bend * one


def _pow(own: Arithmetic, x: Element, y: Element, f: Element) -> BinaryDerivatives:
    low, log = own.general_power(x, y - 1.0), own.function("log", x)
    bend = y * (y - 1.0) * own.general_power(x, y - 2.0)
    return y * low, f * log, bend, low * (1.0 + y * log), f * own.power(log, 2.0)


def _atan2(own: Arithmetic, y: Element, x: Element, f: Element) -> BinaryDerivatives:
    square = own.power(x, 2.0) + own.power(y, 2.0)
    of_y, of_x = x / square, -y / square
    twist = 2.0 * of_x * of_y
    return of_y, of_x, twist, (of_x - of_y) * (of_x + of_y), -1.0 * twist


def _hypot(own: Arithmetic, x: Element, y: Element, f: Element) -> BinaryDerivatives:
    of_x, of_y = x / f, y / f
    return of_x, of_y, own.power(of_y, 2.0) / f, -of_x * of_y / f, own.power(of_x, 2.0) / f


BINARY: Mapping[str, Callable[[Arithmetic, Element, Element, Element], BinaryDerivatives]] = {
    **{"divide": _divide, "pow": _pow, "atan2": _atan2, "hypot": _hypot},
}
