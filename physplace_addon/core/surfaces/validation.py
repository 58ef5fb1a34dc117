"""Checks of the numbers that an artist types for a surface; each error names the kind and the property."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SurfaceError


def positive_number(kind: str, name: str, value: object) -> float:
    """Return `value` as a float.

    Raises:
        SurfaceError: unless it is a positive finite number.
    """
    number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number")
    return number


def finite_array(kind: str, name: str, value: ArrayLike) -> Floats:
    """Return `value` as an array of floats.

    Raises:
        SurfaceError: unless it is all finite numbers, in rows of the same length.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SurfaceError(kind, name, "found no array of numbers", "expected finite coordinates") from error
    if not np.isfinite(array).all():
        raise SurfaceError(kind, name, "found a number that is not finite", "expected finite coordinates")
    return array
