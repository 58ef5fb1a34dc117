"""Neighbouring floaters: as pairs, each once, and as columns of each floater's neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class FloaterPairs:
    """Pairs of neighbouring floaters, each once.

    Attributes:
        first: the number of one of them (m,).
        second: the number of the other (m,).
        weight: the factor (m,) on their repulsion, from 0 to 1.
    """

    first: Ints
    second: Ints
    weight: Floats

    def take(self, which: Ints) -> FloaterPairs:
        """Return some of the pairs, by their numbers (k,)."""
        return FloaterPairs(self.first.take(which), self.second.take(which), self.weight.take(which))

    def of(self, some: Bools) -> FloaterPairs:
        """Return the pairs of which at least one is among some floaters (r,)."""
        return self.take(np.flatnonzero(some.take(self.first) | some.take(self.second)))


class Neighbours(NamedTuple):
    """The neighbours of m floaters, k each.

    Attributes:
        numbers: their numbers (k, m), greater than all for none.
        apart: p_i - p_j by coordinates (3, k, m), in scene units; huge for none.
        square: |p_i - p_j|^2 (k, m).
        weight: the factor (k, m) on their repulsion, from 0 to 1; None where all are 1.
    """

    numbers: Ints
    apart: Floats
    square: Floats
    weight: Floats | None
