"""Signs of determinants of points with double coordinates, exactly.

The determinant is computed in double precision first.  It is certain where it is larger than a bound of its
rounding error (Shewchuk 1997, Adaptive precision floating-point arithmetic and fast robust geometric
predicates, stage A).  Where it is not, it is computed again in integers: doubles are integers times powers of
two, so with one power of two for all of them no digit is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints

EPSILON = float(np.finfo(np.float64).eps)
"""The relative distance from 1 to the next double."""

SPACE_ERROR = 8.0 * EPSILON
"""Bound of the rounding error of a determinant of three differences of points, over its permanent."""
PLANE_ERROR = 4.0 * EPSILON
"""The same for two differences in the plane."""

_MANTISSA = 53
_INT64_BITS = 62

Integers = NDArray[Any]
"""Integers of any size: of type int64 where all results fit into it, Python's own otherwise."""


def volumes(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[Floats, Floats]:
    """Return det (a - d, b - d, c - d) of points (k, 3), and a bound of its error, both (k,)."""
    x, y, z = (a - d).T, (b - d).T, (c - d).T
    return determinants(x, y, z), SPACE_ERROR * permanents(np.abs(x), np.abs(y), np.abs(z))


def areas(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return det (a - c, b - c) of points (k, 2) in the plane, and a bound of its error, both (k,)."""
    x, y = (a - c).T, (b - c).T
    value = x[0] * y[1] - x[1] * y[0]
    return value, PLANE_ERROR * (np.abs(x[0] * y[1]) + np.abs(x[1] * y[0]))


def exact_volumes(a: Integers, b: Integers, c: Integers, d: Integers) -> Integers:
    """Return det (a - d, b - d, c - d) (k,) of integer points (k, 3)."""
    found: Integers = determinants((a - d).T, (b - d).T, (c - d).T)
    return found


def exact_areas(a: Integers, b: Integers, c: Integers) -> Integers:
    """Return det (a - c, b - c) (k,) of integer points (k, 2) in the plane."""
    x, y = (a - c).T, (b - c).T
    found: Integers = x[0] * y[1] - x[1] * y[0]
    return found


def volume_signs(a: Floats, b: Floats, c: Floats, d: Floats) -> Ints:
    """Return the exact signs (k,) of det (a - d, b - d, c - d) of points (k, 3)."""
    value, bound = volumes(a, b, c, d)
    signs = np.sign(value).astype(np.intp)
    rows = np.flatnonzero(~(np.abs(value) > bound))
    if len(rows):
        signs[rows] = signs_of(exact_volumes(*integers(3, a[rows], b[rows], c[rows], d[rows])))
    return signs


def area_signs(a: Floats, b: Floats, c: Floats) -> Ints:
    """Return the exact signs (k,) of det (a - c, b - c) of points (k, 2) in the plane."""
    value, bound = areas(a, b, c)
    signs = np.sign(value).astype(np.intp)
    rows = np.flatnonzero(~(np.abs(value) > bound))
    if len(rows):
        signs[rows] = signs_of(exact_areas(*integers(2, a[rows], b[rows], c[rows])))
    return signs


def signs_of(values: Integers) -> Ints:
    """Return the signs (k,) of integers (k,)."""
    return (values > 0).astype(np.intp) - (values < 0).astype(np.intp)


def integers(degree: int, *arrays: Floats) -> list[Integers]:
    """Return arrays of doubles as integers, all of them times the same power of two.

    Args:
        degree: of the polynomial in these numbers, or in their differences, that is to be computed: a sum of
            at most eight products.
        arrays: of any shapes.
    """
    mantissas, exponents = [], []
    for array in arrays:
        mantissa, exponent = np.frexp(array)
        whole = (mantissa * 2.0**_MANTISSA).astype(np.int64)
        zeros = np.where(whole != 0, np.log2(np.maximum(whole & -whole, 1)), 0).astype(np.int64)
        mantissas.append(whole >> zeros)
        exponents.append(np.where(whole != 0, exponent.astype(np.int64) + zeros, _NO_EXPONENT))
    least = min(int(exponent.min(initial=_NO_EXPONENT)) for exponent in exponents)
    shifts = [np.where(exponent < _NO_EXPONENT, exponent - least, 0) for exponent in exponents]
    bits = max(_bits(m, s) for m, s in zip(mantissas, shifts, strict=True))
    small = degree * (bits + 1) + 3 <= _INT64_BITS
    kind = np.int64 if small else object
    return [m.astype(kind) << s.astype(kind) for m, s in zip(mantissas, shifts, strict=True)]


_NO_EXPONENT = 1 << 20


def _bits(mantissa: NDArray[np.int64], shift: NDArray[np.int64]) -> int:
    """Return the most bits of mantissas shifted to the left."""
    size = np.ceil(np.log2(np.abs(mantissa) + 1.0)).astype(np.int64) + shift
    return int(size.max(initial=0))


def determinants(x: Any, y: Any, z: Any) -> Any:
    """Return the determinant (k,) of three vectors, coordinate arrays (3, k) each."""
    return (
        x[0] * (y[1] * z[2] - y[2] * z[1])
        + x[1] * (y[2] * z[0] - y[0] * z[2])
        + x[2] * (y[0] * z[1] - y[1] * z[0])
    )


def permanents(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return the permanent (k,) of three vectors with no negative coordinates, (3, k) each."""
    permanent: Floats = (
        x[0] * (y[1] * z[2] + y[2] * z[1])
        + x[1] * (y[2] * z[0] + y[0] * z[2])
        + x[2] * (y[0] * z[1] + y[1] * z[0])
    )
    return permanent
