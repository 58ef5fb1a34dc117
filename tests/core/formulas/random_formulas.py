"""Random formulas, as text and as functions of numbers of any precision: they share nothing but the tree."""

from collections.abc import Callable

import mpmath as mp
import numpy as np
from mpmath import mpf

ONE = {
    **{name: getattr(mp, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")},
    **{
        name: getattr(mp, name) for name in ("tanh", "asinh", "acosh", "atanh", "exp", "log", "log10", "sqrt")
    },
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "abs": abs,
    "ln": mp.log,
}
TWO = {"atan2": mp.atan2, "hypot": mp.hypot, "pow": lambda x, y: x**y, "min": min, "max": max}
SIGNS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


def random_formula(
    rng: np.random.Generator, depth: int, names: tuple[str, str] = ("u", "v")
) -> tuple[str, Callable[[mpf, mpf], mpf]]:
    """A text, and the function of `names` (numbers in their order) that it means."""
    if depth == 0 or rng.random() < 0.15:
        return _leaf(rng, names)
    kind = rng.random()
    if kind < 0.4:
        sign = str(rng.choice(list(SIGNS)))
        (a, f), (b, g) = (random_formula(rng, depth - 1, names) for _ in range(2))
        return f"({a} {sign} {b})", lambda *x: SIGNS[sign](f(*x), g(*x))
    if kind < 0.5:
        power = int(rng.integers(-2, 5))
        a, f = random_formula(rng, depth - 1, names)
        return f"({a})^{power}", lambda *x: f(*x) ** power
    if kind < 0.58:
        a, f = random_formula(rng, depth - 1, names)
        return f"-({a})", lambda *x: -f(*x)
    if kind < 0.85:
        name = str(rng.choice(list(ONE)))
        a, f = random_formula(rng, depth - 1, names)
        return f"{name}({a})", lambda *x: ONE[name](f(*x))
    name = str(rng.choice(list(TWO)))
    (a, f), (b, g) = (random_formula(rng, depth - 1, names) for _ in range(2))
    return f"{name}({a}, {b})", lambda *x: TWO[name](f(*x), g(*x))


def _leaf(rng: np.random.Generator, names: tuple[str, str]) -> tuple[str, Callable[[mpf, mpf], mpf]]:
    if rng.random() < 0.7:
        index = int(rng.integers(len(names)))
        return names[index], lambda *x: x[index]
    number = f"{rng.uniform(0.2, 3.0):.3f}"
    return number, lambda *x: mp.mpf(float(number))
