"""Neighbouring floaters: as pairs, each once, and as columns of each floater's neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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

    def ends_of(self, some: Bools) -> tuple[Ints, Ints]:
        """Return the numbers of both ends (k,) of the pairs of which at least one is among some floaters
        (r,).
        """
        which = (some.take(self.first) | some.take(self.second)).nonzero()[0]
        return self.first.take(which), self.second.take(which)


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
