"""Memory that is used again in each step.

A step goes over arrays of a number for each pair of neighbours.  Made anew, they come in fresh pages from the
system, and to be given those takes longer than to add up what is in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats, Ints

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
