"""The components of a sharp union: functions whose own surfaces have no creases where they meet others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .base import ImplicitFunction
from .combinations import Combination
from .solids.solids import Solids
from .transformed import Scaled


def components_of_union(function: ImplicitFunction) -> tuple[ImplicitFunction, ...]:
    """Return the functions that a function is the sharp union of, each once; itself if it is
    no such union.
    """
    found: list[ImplicitFunction] = []
    for part in _parts(function):
        if not any(_same(part, other) for other in found):
            found.append(part)
    return tuple(found)


def _parts(function: ImplicitFunction) -> list[ImplicitFunction]:
    """Return the components of nested unions, with repetitions."""
    if isinstance(function, Combination) and function.sign > 0.0 and function.radius == 0.0:
        return [part for own in function.functions for part in _parts(own)]
    if isinstance(function, Scaled) and function.factor > 0.0:
        return _parts(function.function)
    if isinstance(function, Solids) and function.sign > 0.0 and len(function.rows) > 1:
        return [replace(function, rows=function.rows[i : i + 1]) for i in range(len(function.rows))]
    return [function]


def _same(one: ImplicitFunction, other: ImplicitFunction) -> bool:
    """Return whether two functions are of one kind and have equal parameters."""
    return type(one) is type(other) and np.array_equal(one.parameters, other.parameters)
