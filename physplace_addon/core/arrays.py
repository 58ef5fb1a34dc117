"""Names for the array types used throughout core, and how to go through long arrays.

Memory that is used again in each step.

A step goes over arrays of a number for each pair of neighbours.  Made anew, they come in fresh pages from the
system, and to be given those takes longer than to add up what is in them.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Rows = TypeVar("Rows", Floats, Ints)

PORTION = 8192


def portions(count: int) -> list[slice]:
    """The rows of a long array, some thousands at a time.

    Then what is worked out on the way stays in the processor's cache, and needs no new memory: several times
    as fast as over hundreds of thousands of rows at once.
    """
    return [slice(first, first + PORTION) for first in range(0, count, PORTION)]


def chosen(rows: Rows, which: Bools) -> Rows:
    """Those of some rows (n, ...) that are chosen (n,), not copied where all are."""
    return rows if which.all() else np.take(rows, np.flatnonzero(which), axis=0)


def box_of(points: Floats) -> tuple[Floats, Floats]:
    """The least and the largest coordinates (3,) of points (n, 3): by columns, for the sake of speed."""
    return np.array([axis.min() for axis in points.T]), np.array([axis.max() for axis in points.T])


_SPARE = 0.25  # of what is asked for: so much more is kept


class Scratch:
    """Arrays by name, with whatever was in them; asked for again, the one before is written over."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def floats(self, name: str, count: int, size: int) -> Floats:
        """Return so many arrays (count, size) of numbers."""
        arrays: Floats = self._arrays(name, count, size, np.float64)
        return arrays

    def ints(self, name: str, count: int, size: int) -> Ints:
        """Return so many arrays (count, size) of whole numbers."""
        arrays: Ints = self._arrays(name, count, size, np.intp)
        return arrays

    def _arrays(self, name: str, count: int, size: int, kind: type) -> Any:
        kept = self._kept.get(name)
        if kept is None or kept.shape[1] < size:
            kept = self._kept[name] = np.empty((count, int((1.0 + _SPARE) * size)), dtype=kind)
        return kept[:, :size]
