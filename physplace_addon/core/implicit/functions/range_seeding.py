"""Component seeding by ranges: a place inside each component that proven ranges of F tell from all others.

The box about the surface is cut into cells. A cell over which the range of F does not hold 0 holds no surface
and is left out; the others are halved. Cells that remain fall into groups of neighbours: a group of a few
cells, apart from all others, may be a small component. Once there are many cells, only such groups are halved
on, until the centre of a cell is inside, F < 0, or nothing of the group remains. A component whose cells run
together with those of another one is not told apart.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ..neighbours import near_pairs
from ..uniform_grid import OCTANTS, cell_numbers
from .base import ImplicitFunction

_FIRST = 8  # cells along the longest side of the box at first
_MOST = 4000  # most cells that are evaluated in a round, which bounds its time to some milliseconds
_SMALL = 3  # cells: a group is small if it extends over fewer than this along every axis
_ROUNDS = 8  # rounds of halving: the last cells are 1 / 1024 of the box's longest side


def seeds_by_ranges(function: ImplicitFunction) -> Floats:
    """Return a place (k, 3) inside of each component that ranges tell from all others.

    There are none (0, 3) for a surface that is infinite, or that is not there.
    """
    box = function.box()
    size = float(np.max(box[1] - box[0])) / _FIRST
    if not (np.isfinite(size) and size > 0.0):
        return np.zeros((0, 3))
    cells = cell_numbers(np.ceil((box[1] - box[0]) / size))
    found = []
    for _ in range(_ROUNDS):
        low = box[0] + size * cells
        cells = cells[function.may_cross(low, low + size)]
        group, small = _groups(cells)
        last = len(cells) > _MOST // len(OCTANTS)
        middles = box[0] + size * (cells + 0.5)
        deepest = _deepest(function.value(middles), group)
        told = deepest[small[group[deepest]] | last]
        found.append(middles[told])
        cells = cells[~np.isin(group, group[told]) & (small[group] | (not last))]
        if not 0 < len(cells) <= _MOST // len(OCTANTS):
            break
        cells, size = (2.0 * cells[:, None] + OCTANTS).reshape(-1, 3), 0.5 * size
    return np.concatenate(found)


def _deepest(value: Floats, group: Ints) -> Ints:
    """Return the number of the least value below 0 in each group that has one.

    Args:
        value: F (k,) at the centres of cells.
        group: the group (k,) of each cell.
    """
    order = np.lexsort((value, group))
    least = order[np.unique(group[order], return_index=True)[1]]
    return np.asarray(least[value[least] < 0.0])


def _groups(cells: Floats) -> tuple[Ints, Bools]:
    """Return the group (k,) of each cell, by its numbers (k, 3), and which groups are small.

    Cells are in one group if they share a corner, an edge or a side (the distance of numbers is 1.8 at most).
    """
    first, second = near_pairs(cells, np.full(len(cells), 1.8))
    links = coo_array((np.ones(len(first)), (first, second)), shape=(len(cells), len(cells)))
    count, group = connected_components(links, directed=False)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, group, cells)
    np.maximum.at(high, group, cells)
    return np.asarray(group), np.asarray((high - low).max(axis=1, initial=0.0) < _SMALL)
