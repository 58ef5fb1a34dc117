"""Uniform grids: numbers of cells, and a search for positions near a few places.

A grid cuts a box into cubes, the cells. A search tree is quicker where near pairs among all positions are
wanted, or where reaches differ. For a few places among many positions that are evenly spread, most of its
time goes into making it; so here only the positions in cells beside those of the places are sorted by cell.
Pairs are measured so many at a time that they stay in the processor's cache.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import column_rows

# the lowest corners (8, 3) of the eighths of a cell, in halves of its size
OCTANTS = np.stack(np.meshgrid(*[np.arange(2.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def cell_numbers(counts: Floats) -> Floats:
    """Return the numbers (k, 3) along x, y and z of all cells of a grid, which are whole; z runs fastest.

    Args:
        counts: how many cells there are along each axis (3,).
    """
    axes = [np.arange(count) for count in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


_MOST = 2**16 - 1  # most cells of a search grid: their numbers fit into 16 bits and are sorted by digits
_COARSER = 1.2  # factor by which cells become larger until there are few enough
_SLICE = 2**14  # pairs measured at a time: 32 bytes each and a few arrays of them fit into the cache
_SIDES = np.array([-1, 0, 1])  # steps along an axis to the cells beside one and to itself
# weights of a row of `_rows` that leave the position and drop the reach
_PLACE = np.array([1.0, 1.0, 1.0, 0.0])


def pairs_between(places: Floats, own: Floats, positions: Floats, others: Floats) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of places and positions that are nearer than the longer of their reaches.

    Args:
        places: a few places (k, 3).
        own: their reaches (k,).
        positions: many positions (r, 3).
        others: their reaches (r,).
    """
    if not len(places) or not len(positions):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    grid = UniformGrid(places, max(float(own.max()), float(others.max())))
    at, cells = grid.cell_numbers(places), grid.cell_numbers(positions)
    candidates = grid.beside(at).take(cells).nonzero()[0]
    candidates = candidates.take(np.argsort(cells.take(candidates).astype(np.uint16), kind="stable"))
    starts = np.zeros(grid.count + 1, dtype=np.intp)
    np.cumsum(np.bincount(cells.take(candidates), minlength=grid.count), out=starts[1:])
    columns = at[:, None] + (grid.sheet * _SIDES[:, None] + grid.row * _SIDES).ravel()
    first = starts.take(columns - 1)
    counts = starts.take(columns + 2) - first
    near = _rows(column_rows(positions, candidates), others.take(candidates))
    one, two = _within(_rows(places, own), near, first, counts)
    return one, candidates.take(two)


class UniformGrid:
    """Cells over the box of some places, their edges at least a reach long, with two layers around them."""

    def __init__(self, places: Floats, reach: float) -> None:
        self._low = places.min(axis=0)
        across = places.max(axis=0) - self._low
        edge = max((1.0 + 1e-12) * reach, 1e-12 * float(np.abs(places).max()), 1e-300)
        while np.prod(np.floor(across / edge) + 5.0) > _MOST:
            edge *= _COARSER
        self._edge, self._last = edge, np.floor(across / edge).astype(np.intp) + 4
        sides = self._last + 1
        self.row, self.sheet, self.count = int(sides[2]), int(sides[1] * sides[2]), int(np.prod(sides))

    def cell_numbers(self, positions: Floats) -> Ints:
        """Return the number of each position's cell (r,); positions far away are in the outermost layer."""
        number = np.zeros(len(positions), dtype=np.intp)
        for axis, low, last in zip(positions.T, self._low, self._last, strict=True):
            index = axis - low
            index /= self._edge
            np.floor(index, out=index)
            index += 2.0
            np.clip(index, 0.0, last, out=index)
            number *= last + 1
            number += index.astype(np.intp)
        return number

    def beside(self, cells: Ints) -> Bools:
        """Return for all cells whether something in them may be within the reach of what is in some cells
        (k,).
        """
        marked = np.zeros(self.count, dtype=bool)
        marked[cells] = True
        for step in (1, self.row, self.sheet):
            wide = marked.copy()
            wide[step:] |= marked[:-step]
            wide[:-step] |= marked[step:]
            marked = wide
        return marked


def _rows(positions: Floats, reaches: Floats) -> Floats:
    """Return positions and the squares of their reaches (r, 4): rows of 32 bytes are fetched in one."""
    rows = np.empty((len(positions), 4))
    rows[:, :3], rows[:, 3] = positions, reaches * reaches
    return rows


def _within(places: Floats, positions: Floats, first: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of places and positions that are nearer than the longer of their reaches.

    Args:
        places: rows (k, 4) of position and squared reach.
        positions: rows (r, 4) of position and squared reach, sorted by cell.
        first: the first position of each of c runs that belong to a place (k, c).
        counts: how many positions are in each run (k, c).
    """
    each = counts.sum(axis=1)
    ends = np.cumsum(each)
    cuts = np.searchsorted(ends, np.arange(_SLICE, ends[-1], _SLICE))
    cuts = np.unique(np.concatenate([[0], cuts, [len(places)]]))
    ones, twos = [], []
    for begin, end in pairwise(cuts.tolist()):
        runs = counts[begin:end].ravel()
        stops = np.cumsum(runs)
        two = np.repeat(first[begin:end].ravel() - stops + runs, runs)
        two += np.arange(len(two))
        one = np.repeat(np.arange(begin, end), each[begin:end])
        apart, other = places.take(one, axis=0), positions.take(two, axis=0)
        longer = np.maximum(apart[:, 3], other[:, 3])
        apart -= other
        apart *= apart
        near = np.flatnonzero(apart @ _PLACE <= longer)
        ones.append(one.take(near))
        twos.append(two.take(near))
    return np.concatenate(ones), np.concatenate(twos)
