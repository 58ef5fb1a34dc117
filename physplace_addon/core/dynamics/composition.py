"""Symmetric compositions: a method of second order, applied with several step sizes in a row.

If Psi(h) is symmetric, Psi(-h) Psi(h) = 1, and of second order, then Psi(c_s h) ... Psi(c_1 h) with c_i =
c_{s+1-i} is symmetric too, and of a higher order where the sums of the odd powers of c, and for the sixth
order some nested sums, vanish (Hairer, Lubich, Wanner 2006, Geometric Numerical Integration, section V.3).
It keeps what Psi keeps: a momentum, a constraint, the symplectic form.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

_SUZUKI: Final = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))

FOURTH_ORDER: Final = (_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI, _SUZUKI, _SUZUKI)
"""Suzuki 1990: five steps, fourth order."""

_KAHAN_LI: Final = (
    0.39216144400731413928,
    0.33259913678935943860,
    -0.70624617255763935981,
    0.082213596293550800230,
)

SIXTH_ORDER: Final = (*_KAHAN_LI, 1.0 - 2.0 * sum(_KAHAN_LI), *_KAHAN_LI[::-1])
"""Kahan and Li 1997: nine steps, sixth order (Hairer, Lubich, Wanner, equation V.3.12)."""

_SUZUKI_UMENO: Final = (
    0.74167036435061295345,
    -0.40910082580003159400,
    0.19075471029623837995,
    -0.57386247111608226666,
    0.29906418130365592384,
    0.33462491824529818378,
    0.31529309239676659663,
)

EIGHTH_ORDER: Final = (*_SUZUKI_UMENO, 1.0 - 2.0 * sum(_SUZUKI_UMENO), *_SUZUKI_UMENO[::-1])
"""Suzuki and Umeno 1993: fifteen steps, eighth order (Hairer, Lubich, Wanner, equation V.3.13)."""


def strang_products(steps: tuple[float, ...], repeats: int) -> tuple[list[float], list[float]]:
    """Return the step sizes of two flows A and B, over h, for which A B A B ... A is a composed splitting.

    Each step of the composition is A(c/2) B(c) A(c/2); neighbouring halves of A are one.

    Args:
        steps: c, one composition.
        repeats: how often it follows itself, each time over h / repeats.

    Returns:
        The sizes of A, one more than those of B, and those of B.
    """
    second = [step / repeats for _ in range(repeats) for step in steps]
    ends = [0.0, *second, 0.0]
    return [0.5 * (before + after) for before, after in pairwise(ends)], second
