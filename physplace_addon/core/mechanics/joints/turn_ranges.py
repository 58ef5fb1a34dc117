"""What restricts the turn of two bodies besides the axes of their joint, such as ranges of Euler angles."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...arrays import Floats
from .closure import Positions
from .equations import JointRows


class TurnRanges(Protocol):
    """Equations and limits of turns between two bodies besides those of joints.

    Their rows have the number of the joint that they belong to.
    """

    def equations(self, positions: Positions) -> JointRows:
        """Return what is locked, with the values that are to be 0."""
        ...

    def limits(self, positions: Positions) -> JointRows:
        """Return gaps that are to be >= 0, always as many."""
        ...

    def hessians(self, positions: Positions) -> tuple[Floats, Floats]:
        """Return the second derivatives (k, 12, 12) of the equations, and those of the limits."""
        ...


class NoRanges:
    """No such rows."""

    def equations(self, positions: Positions) -> JointRows:
        """Return none."""
        return _NO_ROWS

    limits = equations

    def hessians(self, positions: Positions) -> tuple[Floats, Floats]:
        """Return none."""
        return _NO_HESSIANS, _NO_HESSIANS


_NO_HESSIANS = np.zeros((0, 12, 12))
_NO_NUMBERS = np.zeros(0, np.intp)
_NO_ROWS = JointRows(np.zeros((0, 2, 6)), np.zeros((0, 2), np.intp), np.zeros(0), _NO_NUMBERS, _NO_NUMBERS)
