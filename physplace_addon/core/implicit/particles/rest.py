"""Which floaters of a surface that changes rest: those that repulsion would hardly move.

While one point is dragged most floaters have nothing to do but to follow the surface a little. A floater
wakes if it has moved by a small share of its radius since its repulsion was last evaluated, by that itself or
with the surface; and it wakes its neighbours, once these are known. It does not fall asleep while its radius
still adapts, or is one with which it may fission or die. So whatever sleeps would do next to nothing if it
were evaluated.

All wait in two of three steps, in which floaters only follow the surface. They start from where the last
step's motion would take them: what moves steadily then is so near to the surface that one evaluation of F
brings it there.
"""

from __future__ import annotations

import numpy as np

from ...arrays import TINY, Bools, Floats, Ints
from ...vectors import column_dot
from .fission_and_death import CALM_DEATH
from .floaters import Floaters, filled_gaps
from .neighbour_table import NeighbourTable

_NOBODY = np.zeros(0, dtype=np.intp)
_EVERY = 3  # steps of which one has repulsion; in the others all only follow the surface
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
        self._along = np.zeros((1, 0))  # how far the surface moved its floaters in the last step, over F_x
        self._waited = _EVERY - 1

    @classmethod
    def of_calm(cls, floaters: Floaters) -> Rest:
        """Return that of floaters that have been on a still surface for long: they rest, if they may."""
        rest = cls()
        rest._grow(len(floaters))
        rest.evaluated(floaters, np.arange(len(floaters)), floaters.radii)
        return rest

    @property
    def has_waited(self) -> bool:
        """Whether all waited in the last step."""
        return self._waited > 0

    def awake(self, floaters: Floaters) -> Ints:
        """Return the numbers (m,) of those to be evaluated in this step; their neighbours are known."""
        self._waited += 1
        if self._waited < _EVERY:
            return _NOBODY
        self._waited = 0
        self._grow(len(floaters))
        away = floaters.positions.T - self._home[:, : len(floaters)]
        away *= away
        calm, ratio = _CALM * floaters.radii, floaters.radii / floaters.desired
        calm *= calm
        awake = np.add.reduce(away, axis=0) > calm
        awake |= ratio < CALM_DEATH
        awake |= ratio > _EMPTY
        moved = awake.nonzero()[0]
        self.table.mark_beside(awake, moved, _BESIDE)
        return self.table.look(floaters, awake.nonzero()[0])

    def evaluated(self, before: Floaters, rows: Ints, radii: Floats) -> None:
        """Remember where floaters (m,) are while they are evaluated.

        Args:
            before: those that are evaluated (m), as they were before the step.
            rows: their numbers (m,).
            radii: their radii (m,) after the step.
        """
        restless = (np.abs(radii - before.radii) > _CALM * before.radii).nonzero()[0]
        for home, place in zip(self._home, before.positions.T, strict=True):
            home[rows] = place
            home[rows.take(restless)] = np.inf

    def expected(self, floaters: Floaters, places: Floats) -> Floats:
        """Return the places (r, 3) of floaters after another motion across the surface like that of the last
        step.
        """
        self._grow(len(places))
        return places + self._along[0, : len(places), None] * floaters.gradients

    def followed(self, before: Floats, floaters: Floaters, short: float) -> None:
        """Remember how the surface moved its floaters from places (r, 3) to where they are.

        That is nothing if one moved farther than `short`, in scene units: what was so quick may be gone.
        """
        slopes, known = floaters.gradients, self._along[0, : len(before)]
        across = column_dot(floaters.positions - before, slopes)
        along = across / np.maximum(column_dot(slopes, slopes), TINY)
        far = np.maximum.reduce(across * along, initial=0.0) > short * short
        known[:] = 0.0 if far else along

    def born_beside(self, parents: Ints, count: int) -> None:
        """Say that others are born beside floaters (m,), with the numbers from `count` on."""
        self.table.born_beside(parents)
        self._grow(count + len(parents))
        self._along[:, count : count + len(parents)] = self._along[:, parents]

    def without(self, dead: Bools) -> None:
        """Forget the floaters of a mask (r,); others move as `filled_gaps` says."""
        self._grow(len(dead))
        order = filled_gaps(dead)
        moved = np.flatnonzero(order != np.arange(len(order)))
        for own, unknown in ((self._home, np.inf), (self._along, 0.0)):
            own[:, moved] = own[:, order.take(moved)]
            own[:, len(order) :] = unknown
        self.table.without(dead)

    def _grow(self, count: int) -> None:
        """Have places for so many floaters; new ones are awake."""
        more = count - self._home.shape[1]
        if more > 0:
            more += count // 5
            self._home = np.concatenate([self._home, np.full((3, more), np.inf)], axis=1)
            self._along = np.concatenate([self._along, np.zeros((1, more))], axis=1)
