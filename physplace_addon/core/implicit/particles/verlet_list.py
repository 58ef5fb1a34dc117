"""The list of neighbouring floaters, kept from step to step as long as it holds (Verlet 1967).

Two floaters are neighbours if they are nearer than the longer of their reaches R = 3.6 sigma. The list is
made with a margin m = 0.16 R for each: it has all pairs nearer than the longer R + 2 m. A floater's part of
the list holds while it has moved by no more than its m, and its reach has grown by no more than what is left
of m; or, of 2 m, when all have moved as far as the farthest of those whose part holds. Then any floater that
is not in the list was too far away for both, whatever both did since. Floaters whose part does not hold are
searched anew, they alone, among the positions where the others were when these were searched.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints, Scratch
from ...vectors import column_dot, column_length, column_rows
from ..neighbours import near_pairs, pairs_of_some
from .floater_pairs import FOLDED, FloaterPairs, across_grooves
from .floaters import Floaters, filled_gaps
from .repulsion import REACH

_MARGIN = 0.16  # m, in reaches
_WASTE = 1.5  # a list made for a reach so many times longer is not worth keeping
_TURNED = 0.9  # cosine of how far a normal may turn before the weights of pairs are computed anew
_SMALL = 1000  # floaters up to which searching all is quicker than searching some
_MANY = 0.3  # share of all floaters: if more are to be searched, all are
# if more than a share of all (second) reach farther than so many mean reaches (first), all are searched
_FAR, _FEW = 2.5, 0.01


class VerletList:
    """The pairs of neighbouring floaters through time."""

    def __init__(self) -> None:
        self._scratch, self._turn = Scratch(), False
        self._pairs = FloaterPairs(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
        self._positions = np.zeros((0, 3), order="F")
        self._normals = np.zeros((0, 3), order="F")
        self._reaches = np.zeros(0)
        self._number: Ints | None = None  # what those of the pairs are now, -1 if dead; None if they are all

    def of(self, floaters: Floaters, force_radii: Floats) -> FloaterPairs:
        """Return the pairs of floaters that may repel each other.

        Args:
            floaters: the floaters; those that were not there in the last step come last.
            force_radii: the radii (r,) that forces are made with; the longer of these and the floaters' own
                counts.
        """
        reaches = REACH * np.maximum(floaters.radii, force_radii)
        positions, gradients = np.asfortranarray(floaters.positions), np.asfortranarray(floaters.gradients)
        stale = self._stale(positions, gradients, reaches)
        if stale is None:
            return self._pairs
        normals = floaters.normals
        count = np.count_nonzero(stale)
        if count and (len(stale) <= _SMALL or count > _MANY * len(stale) or _many_reach_far(reaches)):
            self._positions, self._normals, self._reaches = positions, normals, reaches
            found = near_pairs(positions, (1.0 + 2.0 * _MARGIN) * reaches)
            self._pairs, self._number = facing_pairs(positions, normals, *found), None
        elif count or self._number is not None:
            self._renew(stale, positions, normals, reaches)
        return self._pairs

    def _stale(self, positions: Floats, gradients: Floats, reaches: Floats) -> Bools | None:
        """Return for which floaters (r,) the list does not hold; None if it holds for all and no floater has
        died.
        """
        if len(reaches) < len(self._reaches):
            return np.ones(len(reaches), dtype=bool)
        self._with_newborns(len(reaches))
        before = self._reaches
        drift = column_length(positions - self._positions)
        margin = _MARGIN * before
        stale = drift > margin
        farthest = 2.0 * float(drift.max(initial=0.0, where=~stale))
        room = (1.0 + 2.0 * _MARGIN) * before - reaches
        if not room.min(initial=np.inf) >= farthest:
            stale |= np.minimum(drift + margin, farthest) > room
        stale |= column_dot(gradients, self._normals) < _TURNED * column_length(gradients)
        stale |= before > _WASTE * reaches
        return None if self._number is None and not np.count_nonzero(stale) else stale

    def _renew(self, stale: Bools, positions: Floats, normals: Floats, reaches: Floats) -> None:
        """Search anew the neighbours of some floaters (r,)."""
        some = stale[:, None]
        self._positions = np.where(some, positions, self._positions)
        self._normals = np.where(some, normals, self._normals)
        self._reaches = np.where(stale, reaches, self._reaches)
        new = pairs_of_some(self._positions, (1.0 + 2.0 * _MARGIN) * self._reaches, stale)
        self._pairs = self._valid_and_new(stale, facing_pairs(self._positions, self._normals, *new))

    def _valid_and_new(self, stale: Bools, more: FloaterPairs) -> FloaterPairs:
        """Return the pairs without those of some floaters (r,) and of the dead, by their numbers now, and
        more pairs.
        """
        number, pairs, self._number = self._number, self._pairs, None
        gone = stale if number is None else (number < 0) | stale.take(number)
        kept = np.flatnonzero(~(gone.take(pairs.first) | gone.take(pairs.second)))
        size = len(kept) + len(more.first)
        self._turn = not self._turn  # the list before is read while this one is written
        first, second = self._scratch.ints(f"ends {self._turn}", 2, size)
        weight = self._scratch.floats(f"weight {self._turn}", 1, size)[0]
        for column, old, new in (
            (first, pairs.first, more.first),
            (second, pairs.second, more.second),
            (weight, pairs.weight, more.weight),
        ):
            old.take(kept, out=column[: len(kept)], mode="clip")
            column[len(kept) :] = new
        if number is not None:
            for column in (first, second):
                column[: len(kept)] = number.take(column[: len(kept)])
        return FloaterPairs(first, second, weight, _folded(pairs.folded, gone, number, more.folded))

    def _with_newborns(self, count: int) -> None:
        """Add the floaters that have come, up to `count`: nothing is known of them yet."""
        more = count - len(self._reaches)
        if more > 0:
            nothing = np.zeros((more, 3), order="F")
            self._positions = np.concatenate([self._positions, nothing])
            self._normals = np.concatenate([self._normals, nothing])
            self._reaches = np.append(self._reaches, np.zeros(more))

    def without(self, dead: Bools) -> None:
        """Forget the floaters of a mask (r,); others move as `filled_gaps` says."""
        before = np.arange(len(self._reaches)) if self._number is None else self._number
        self._with_newborns(len(dead))
        alive = filled_gaps(dead)
        now = np.full(len(dead), -1)
        now[alive] = np.arange(len(alive))
        self._number = np.where(before < 0, -1, now.take(before))
        self._positions, self._normals = (column_rows(own, alive) for own in (self._positions, self._normals))
        self._reaches = self._reaches.take(alive)


def _folded(
    pairs: FloaterPairs | None, gone: Bools, number: Ints | None, more: FloaterPairs | None
) -> FloaterPairs | None:
    """Return pairs across grooves without those of some floaters (r,), by their numbers now, and more."""
    if pairs is None:
        return more
    kept = ~(gone.take(pairs.first) | gone.take(pairs.second))
    first, second, weight = pairs.first[kept], pairs.second[kept], pairs.weight[kept]
    if number is not None:
        first, second = number.take(first), number.take(second)
    if more is None:
        return FloaterPairs(first, second, weight)
    return FloaterPairs(
        np.concatenate([first, more.first]),
        np.concatenate([second, more.second]),
        np.concatenate([weight, more.weight]),
    )


def _many_reach_far(reaches: Floats) -> bool:
    """Return whether more than a few of reaches (r,) are much longer than the others."""
    return bool(np.count_nonzero(reaches > _FAR * reaches.mean()) > _FEW * len(reaches))


def facing_pairs(positions: Floats, normals: Floats, first: Ints, second: Ints) -> FloaterPairs:
    """Return pairs with weights by their unit normals (r, 3): 1 up to a right angle between them, 0 from 120
    degrees. Those across a groove are apart, with weights of their own.

    Args:
        positions: those of all floaters (r, 3), in scene units.
        normals: the unit normals of all floaters (r, 3).
        first: one floater of each pair (m,).
        second: the other one (m,).
    """
    weight = np.ones(len(first))
    for axis in np.ascontiguousarray(normals.T):
        weight += 2.0 * axis.take(first) * axis.take(second)
    least = weight.min(initial=np.inf)
    if least >= 1.0 + 2.0 * FOLDED:
        return FloaterPairs(first, second, np.ones(len(first)))
    felt, folded = weight > 0.0, None
    which = (weight < 1.0 + 2.0 * FOLDED).nonzero()[0]
    i, j = first.take(which), second.take(which)
    apart, normal, other = positions[i] - positions[j], normals[i], normals[j]
    across, share = across_grooves(apart.T, normal.T, other.T)
    if np.count_nonzero(across):
        felt[which[across]] = False
        across &= share > 0.0
        folded = FloaterPairs(i[across], j[across], share[across])
    kept = felt.nonzero()[0]
    return FloaterPairs(first[kept], second[kept], np.minimum(weight[kept], 1.0), folded)
