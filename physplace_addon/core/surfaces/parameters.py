"""Checks of what an artist types for a surface; each error names the kind and the property."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SurfaceError


def positive(kind: str, name: str, value: object) -> float:
    """Return `value` as a float; raises SurfaceError unless it is a positive finite number."""
    try:
        number = float(value)  # type: ignore[arg-type]  # anything may come from a custom property
    except (TypeError, ValueError):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number") from None
    if isinstance(value, (bool, str)) or not (math.isfinite(number) and number > 0.0):
        raise SurfaceError(kind, name, f"found {value!r}", "expected a positive number")
    return number


def finite_array(kind: str, name: str, value: ArrayLike) -> Floats:
    """Return `value` as an array; raises SurfaceError unless it is all finite numbers."""
    array = np.asarray(value, dtype=np.float64)
    if not np.isfinite(array).all():
        raise SurfaceError(kind, name, "found a number that is not finite", "expected finite coordinates")
    return array
