"""The nearest neighbours of floaters, in a table that is kept while neighbours move together.

In an even sampling the first two rings about a floater, which are all that repels it, are its twelve nearest
neighbours. A row of the table has these, the nearest first, of those that look the same way. All rows have
one length, so that what is asked of some floaters is evaluated by whole columns.

Floaters of a surface that is dragged move far, but beside their neighbours hardly at all. So it does not
matter how far they have moved: a row holds while none of its distances has changed by more than a share of
the radius. As long as it does, no floater of the same patch comes within reach past those that are in the
row. One from another patch may, where two parts of the surface meet: so a row is searched anew after some
looks in any case. Rows that do not hold are searched at every few looks, for a search for few rows costs not
much less than one for many. So do rows of which nothing is known wait, unless they are many, and their
floaters are left out until then. Newborns and those beside them are searched at once.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import column_rows
from ..uniform_grid import UniformGrid
from .floater_pairs import FADED, FOLDED, Neighbours, across_grooves, unfolded
from .floaters import Floaters, filled_gaps
from .repulsion import ForceFalls, Repulsion, repulsion_by_neighbours

NEIGHBOURS = 12  # in a row of the table: two rings
_REACH = 4.6  # radii: farther floaters are no neighbours
_STRAIN = 0.4  # radii by which the distance of a neighbour may change before a row is searched anew
# instead of a look: nothing is known of the row; a newborn is not in it; it is a newborn's
_UNKNOWN, _OUTDATED, _NEW = 0, -1, -2
_LOOKS, _HOLDS = 8, 12  # looks between two searches; looks after which a row is searched anew
_MANY = 0.1  # share of the rows: where nothing is known of so many, they do not wait
_FEW = 1000  # floaters among all of which is searched; of more, among those in cells nearby
_MORE = 3  # times as many are searched where some look another way
_NOBODY = np.iinfo(np.intp).max  # the number of a neighbour that is not there
_SPARE = 1.2  # rows, over those that are needed, so that few newborns need no new table
_AT_ONCE = 1024  # floaters repelled at once: their neighbours fit into the processor's cache
_HALF = 32  # bits for each number of a pair
_FAR = 1e60  # coordinates of one that is not there, in scene units


class NeighbourTable:
    """The neighbours of floaters through time; floaters are given by their numbers.

    When floaters die the last ones take their numbers, in all rows, too. Of the dead rows say that nobody is
    there, until they are searched anew.
    """

    def __init__(self) -> None:
        self._numbers = np.zeros((NEIGHBOURS, 0), dtype=np.intp)
        self._distances, self._weights = np.zeros((NEIGHBOURS, 0)), np.zeros((NEIGHBOURS, 0))
        self._until = np.zeros(0, dtype=np.intp)  # the look up to which a row holds, or one of those above
        self._folded = np.zeros((NEIGHBOURS, 0), dtype=np.bool_)  # which are across a groove
        self._all_face, self._has_folds = (
            True,
            False,
        )  # whether all weights are 1, and some are across a groove
        self._count = self._looks = 0
        self._next = _LOOKS  # the look at which rows are searched at the latest

    def mark_beside(self, marks: Bools, rows: Ints, count: int) -> None:
        """Mark the nearest `count` neighbours, as far as they are known, of floaters (m,) in marks of all
        (r,).
        """
        self._grow(len(marks))
        beside = self._numbers[:count].take(rows, axis=1).ravel()
        marks[beside[beside < len(marks)]] = True

    def look(self, floaters: Floaters, rows: Ints) -> Ints:
        """Return those of some floaters (m,) whose rows are known, after a search if it is time for one."""
        self._grow(len(floaters))
        self._looks += 1
        until = self._until.take(rows)
        unknown = int(np.count_nonzero(until <= _UNKNOWN))
        if self._looks < self._next and not self._is_pressing(until, unknown):
            return rows[until > _UNKNOWN] if unknown else rows
        self._next = self._looks + _LOOKS
        self._search(floaters, rows[(until < self._looks) | self._is_strained(floaters, rows)])
        return rows

    @staticmethod
    def _is_pressing(until: Ints, unknown: int) -> bool:
        """Return whether rows (m,), of which so many are unknown, are to be searched before it is time."""
        return unknown > _MANY * len(until) or (unknown > 0 and np.minimum.reduce(until) < _UNKNOWN)

    def seen(self, places: Floats, rows: Ints) -> Neighbours:
        """Return the neighbours of some floaters (m,) as they are now.

        Args:
            places: all positions, as `with_far` returns them (3, r + 1).
            rows: the floaters' numbers (m,).
        """
        numbers = self._numbers.take(rows, axis=1)
        apart = places.take(numbers, axis=1, mode="clip")
        np.subtract(places.take(rows, axis=1)[:, None], apart, out=apart)
        square = np.add.reduce(apart * apart, axis=0)
        weight = None if self._all_face else self._weights.take(rows, axis=1)
        return Neighbours(numbers, apart, square, weight)

    def repulsion(self, floaters: Floaters, force_radii: Floats, rows: Ints, amplitude: float) -> Repulsion:
        """Return the repulsion of some floaters (m,) by their neighbours, a part of them at a time.

        Args:
            floaters: all floaters.
            force_radii: the radii (r,) of which forces are made.
            rows: the numbers of some (m,).
            amplitude: alpha, without unit.
        """
        places, falls = with_far(floaters.positions), ForceFalls.of(force_radii)
        radii, normals = floaters.radii, floaters.normals.T if self._has_folds else None
        parts = []
        for part in (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE)):
            seen = self.seen(places, part)
            if normals is not None:
                self._unfold(seen, part, normals)
            parts.append(repulsion_by_neighbours(seen, radii.take(part), falls, part, amplitude))
        return parts[0] if len(parts) == 1 else Repulsion.join(parts)

    def _unfold(self, seen: Neighbours, rows: Ints, normals: Floats) -> None:
        """Take neighbours of floaters (m,) across grooves where they are with the sides unfolded; normals
        (3, r) are those of all.
        """
        folded = self._folded.take(rows, axis=1) & (seen.numbers < normals.shape[1])  # others have died
        column, row = folded.nonzero()
        own, others = normals.take(rows.take(row), axis=1), normals.take(seen.numbers[column, row], axis=1)
        cosine = np.add.reduce(own * others, axis=0)
        bent = (cosine < FOLDED) & (cosine > FADED)  # since then the surface may have turned
        column, row, own, others = column[bent], row[bent], own[:, bent], others[:, bent]
        apart = unfolded(seen.apart[:, column, row], own, others)
        seen.apart[:, column, row] = apart
        seen.square[column, row] = np.add.reduce(apart * apart, axis=0)

    def pairs(self, some: Bools) -> tuple[Ints, Ints]:
        """Return the numbers of both ends (k,) of the pairs of some floaters (r,) with their neighbours, each
        pair once.
        """
        rows = some.nonzero()[0]
        numbers = self._numbers.take(rows, axis=1)
        low, high = np.minimum(rows, numbers), np.maximum(rows, numbers)
        there = (high < len(some)).ravel().nonzero()[0]
        both = np.unique((low.take(there) << _HALF) | high.take(there))
        return both >> _HALF, both & ((1 << _HALF) - 1)

    def without(self, dead: Bools) -> None:
        """Forget the floaters of a mask (r,); others move as `filled_gaps` says."""
        self._grow(len(dead))
        order = filled_gaps(dead)
        moved = np.flatnonzero(order != np.arange(len(order)))
        for own in (self._numbers, self._distances, self._weights, self._folded, self._until):
            own[..., moved] = own[..., order.take(moved)]
        self._until[len(order) :] = _NEW
        now = np.full(len(dead) + 1, _NOBODY)
        now[order] = np.arange(len(order))
        self._numbers = now.take(self._numbers, mode="clip")
        self._count = len(order)

    def _grow(self, count: int) -> None:
        """Have rows for so many floaters; nothing is known of new ones."""
        if count > len(self._until):
            more = int(_SPARE * count) - len(self._until)
            shape = (NEIGHBOURS, more)
            self._numbers = np.concatenate([self._numbers, np.full(shape, _NOBODY)], axis=1)
            self._distances = np.concatenate([self._distances, np.full(shape, np.inf)], axis=1)
            self._weights = np.concatenate([self._weights, np.ones(shape)], axis=1)
            self._folded = np.concatenate([self._folded, np.zeros(shape, dtype=np.bool_)], axis=1)
            self._until = np.append(self._until, np.full(more, _NEW))
        if self._count == 0:
            self._until[:count] = _UNKNOWN
        self._count = count

    def _is_strained(self, floaters: Floaters, rows: Ints) -> Bools:
        """Return in which rows (m,) a distance has changed by too much, or a neighbour has died."""
        seen, known = self.seen(with_far(floaters.positions), rows), self._distances.take(rows, axis=1)
        now = np.where(seen.numbers >= len(floaters), np.inf, np.sqrt(seen.square))
        with np.errstate(invalid="ignore"):  # where there was none, and is none
            changed = np.abs(now - known) > _STRAIN * floaters.radii.take(rows)
        return np.asarray(changed.any(axis=0))

    def born_beside(self, rows: Ints) -> None:
        """Say that others are born beside floaters (m,): their rows do not hold, nor do their neighbours'."""
        beside = np.append(self._numbers.take(rows, axis=1).ravel(), rows)
        beside = beside[beside < self._count]
        self._until[beside] = np.minimum(self._until.take(beside), _OUTDATED)

    def _search(self, floaters: Floaters, rows: Ints) -> None:
        """Search the rows (m,) of some floaters."""
        if not len(rows):
            return
        found = nearest_facing(floaters, rows, _REACH * float(floaters.radii.take(rows).max()))
        self._numbers[:, rows], self._distances[:, rows], self._weights[:, rows], folded = found
        self._all_face = self._all_face and bool(found[2].min(initial=1.0) == 1.0)
        if folded is not None or self._has_folds:
            self._folded[:, rows], self._has_folds = False if folded is None else folded, True
        new = rows[self._until.take(rows) == _NEW]
        if len(new):  # those beside that are not searched now hold until others are
            beside = self._numbers.take(new, axis=1).ravel()
            beside = beside[beside < self._count]
            self._until[beside] = np.minimum(self._until.take(beside), self._looks)
        self._until[rows] = self._looks + _HOLDS


def with_far(positions: Floats) -> Floats:
    """Return positions (r, 3) by coordinates, and behind them a place far from all (3, r + 1)."""
    places = np.empty((3, len(positions) + 1))
    places[:, :-1], places[:, -1] = positions.T, _FAR
    return places


def nearest_facing(floaters: Floaters, rows: Ints, reach: float) -> tuple[Ints, Floats, Floats, Bools | None]:
    """Return the nearest neighbours of some floaters that look the same way, by less than 120 degrees.

    Args:
        floaters: all floaters.
        rows: the numbers of some (m,).
        reach: the greatest distance, in scene units.

    Returns:
        Their numbers (NEIGHBOURS, m), the nearest first and greater than all for none, their distances,
        infinite for none, their weights by the normals: 1 up to a right angle, or as `across_grooves` says,
        and which of them are across a groove; None if there are none.
    """
    around = _around(floaters.positions, rows, reach)
    near, own = (floaters, rows) if around is None else (floaters.take(around), np.searchsorted(around, rows))
    tree = cKDTree(np.ascontiguousarray(near.positions), balanced_tree=False, compact_nodes=False)
    normals = near.normals
    found, left_out = _nearest(tree, normals, own, reach, NEIGHBOURS)
    again = np.flatnonzero(left_out)
    if len(again):
        more = _nearest(tree, normals, own.take(again), reach, _MORE * NEIGHBOURS)[0]
        for values, new in zip(found, more, strict=True):
            values[:, again] = new
    numbers, distances, weights = found
    folded = _across_grooves(near.positions, normals, own, numbers, weights)
    np.minimum(weights, 1.0, out=weights)
    if around is None:
        numbers[numbers == len(floaters)] = _NOBODY
    else:
        numbers = np.append(around, _NOBODY).take(numbers)
    return numbers, distances, weights, folded


def _across_grooves(
    positions: Floats, normals: Floats, own: Ints, numbers: Ints, weights: Floats
) -> Bools | None:
    """Return which neighbours (k, m) of points (m,) are across a groove, or None, and set their weights.

    Args:
        positions: of all points (r, 3).
        normals: the unit normals of all (r, 3).
        own: the numbers of some (m,).
        numbers: those of their neighbours (k, m).
        weights: 1 and twice the cosine between the normals (k, m); 3 for nobody.
    """
    column, row = (weights < 1.0 + 2.0 * FOLDED).nonzero()
    if not len(row):
        return None
    i, j = own.take(row), numbers[column, row]
    across, share = across_grooves((positions[i] - positions[j]).T, normals[i].T, normals[j].T)
    if not np.count_nonzero(across):
        return None
    column, row = column[across], row[across]
    weights[column, row] = share[across]
    folded = np.zeros(numbers.shape, dtype=np.bool_)
    folded[column, row] = True
    return folded


def _around(positions: Floats, rows: Ints, reach: float) -> Ints | None:
    """Return which of positions (r, 3) may be within reach of some of them (m,); None where all are few."""
    if len(positions) <= _FEW:
        return None
    places = column_rows(positions, rows)
    grid = UniformGrid(places, reach)
    near: Ints = grid.beside(grid.cell_numbers(places)).take(grid.cell_numbers(positions)).nonzero()[0]
    return near


def _nearest(
    tree: cKDTree, normals: Floats, own: Ints, reach: float, count: int
) -> tuple[tuple[Ints, Floats, Floats], Bools]:
    """Return what `nearest_facing` does for the points of a tree with these numbers (m,), and for which (m,)
    of them some of so many nearest points looked another way.
    """
    places, facing = tree.data[own], np.zeros((3, len(normals) + 1))
    facing[:, :-1] = normals.T
    found = tree.query(places, count + 1, distance_upper_bound=reach)
    distances, numbers = (np.asarray(nearest).T.copy() for nearest in found)
    cosines = np.add.reduce(facing.take(numbers, axis=1) * facing.take(own, axis=1)[:, None], axis=0)
    weights = 1.0 + 2.0 * cosines
    no_use = (weights <= 0.0) | (numbers == own)
    away = no_use.sum(axis=0) > 1
    distances[no_use] = np.inf
    odd = np.flatnonzero(away | ~no_use[0])  # usually a point is the nearest to itself, and all others count
    if len(odd):
        order = np.argsort(distances[:, odd], axis=0, kind="stable")
        order = np.roll(order, 1, axis=0)  # the last one is of no use
        for values in (numbers, distances, weights):
            values[:, odd] = np.take_along_axis(values[:, odd], order, axis=0)
    rows = slice(1, NEIGHBOURS + 1)
    nobody = distances == np.inf
    numbers[nobody], weights[nobody] = len(normals), 3.0
    return (numbers[rows], distances[rows], weights[rows]), away
