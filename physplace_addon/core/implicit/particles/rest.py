"""Which floaters of a surface that changes rest: those that repulsion would hardly move.

While one point is dragged most floaters have nothing to do but to follow the surface a little. A floater
wakes if it has moved by a small share of its radius since its repulsion was last evaluated, by that itself or
with the surface; and it wakes its neighbours. It does not fall asleep while its radius still adapts, or is
one with which it may fission or die. So whatever sleeps would do next to nothing if it were evaluated.

All wait in every second step, in which floaters only follow the surface.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from .fission_and_death import CALM_DEATH
from .floaters import Floaters, filled_gaps
from .neighbour_table import NeighbourTable

_CALM = 0.05  # radii: a floater that has moved by less since it was evaluated may sleep
_BESIDE = 6  # nearest neighbours that a floater wakes
_EMPTY = 1.0  # ratio to the desired radius up to which a floater may sleep; from `CALM_DEATH` on it may


class Rest:
    """Remembers where floaters were when their repulsion was last evaluated.

    Attributes:
        table: the floaters' neighbours.
    """

    def __init__(self) -> None:
        self.table = NeighbourTable()
        self._home = np.zeros((3, 0))
        self._waits = True

    @classmethod
    def of_calm(cls, floaters: Floaters) -> Rest:
        """Return that of floaters that have been on a still surface for long: they rest, if they may."""
        rest = cls()
        rest._grow(len(floaters))
        rest.evaluated(floaters, np.arange(len(floaters)), floaters.radii)
        return rest

    def awake(self, floaters: Floaters) -> Ints:
        """Return the numbers (m,) of those to be evaluated in this step; their neighbours are known."""
        self._waits = not self._waits
        if self._waits:
            return np.zeros(0, dtype=np.intp)
        self._grow(len(floaters))
        square = np.zeros(len(floaters))
        for axis, home in zip(floaters.positions.T, self._home, strict=True):
            away = axis - home[: len(floaters)]
            square += np.multiply(away, away, out=away)
        ratio = floaters.radii / floaters.desired
        awake = (square > (_CALM * floaters.radii) ** 2) | (ratio < CALM_DEATH) | (ratio > _EMPTY)
        moved = awake.nonzero()[0]
        self.table.look(floaters, moved)
        self.table.mark_beside(awake, moved, _BESIDE)
        rows = awake.nonzero()[0]
        self.table.search_unknown(floaters, rows)
        return rows

    def evaluated(self, floaters: Floaters, rows: Ints, radii: Floats) -> None:
        """Remember where floaters (m,) are while they are evaluated.

        Args:
            floaters: all floaters before the step.
            rows: the numbers of those that are evaluated (m,).
            radii: their radii (m,) after the step.
        """
        home = floaters.positions.T.take(rows, axis=1)
        before = floaters.radii.take(rows)
        restless = np.abs(radii - before) > _CALM * before
        home[:, restless] = np.inf
        self._home[:, rows] = home

    def without(self, dead: Bools) -> None:
        """Forget the floaters of a mask (r,); others move as `filled_gaps` says."""
        self._grow(len(dead))
        order = filled_gaps(dead)
        moved = np.flatnonzero(order != np.arange(len(order)))
        self._home[:, moved] = self._home[:, order.take(moved)]
        self._home[:, len(order) :] = np.inf
        self.table.without(dead)

    def _grow(self, count: int) -> None:
        """Have places for so many floaters; new ones are awake."""
        more = count - self._home.shape[1]
        if more > 0:
            self._home = np.concatenate([self._home, np.full((3, more + count // 5), np.inf)], axis=1)
