"""Uniform grids: the cells of a box, and which positions are near a few places.

A grid cuts a box into cubes, the cells, numbered along x, y and z.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import column_rows

OCTANTS = np.stack(np.meshgrid(*[np.arange(2.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def cell_numbers(counts: Floats) -> Floats:
    """Return the numbers (k, 3) along x, y and z of all cells of a grid, which are whole; z runs fastest.

    Args:
        counts: how many cells there are along each axis (3,).
    """
    axes = [np.arange(count) for count in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


_MOST = 2**16 - 1  # cells: their numbers are sorted by digits
_COARSER = 1.2
_SLICE = 2**14  # pairs measured at a time
_SIDES = np.array([-1, 0, 1])
_PLACE = np.array([1.0, 1.0, 1.0, 0.0])  # of a row: what is a position


def pairs_between(places: Floats, own: Floats, positions: Floats, others: Floats) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of places (k, 3) with positions (r, 3) that are nearer than the longer of
    their reaches, own (k,) and others (r,).
    """
    if not len(places) or not len(positions):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    grid = UniformGrid(places, max(float(own.max()), float(others.max())))
    at, cells = grid.cells(places), grid.cells(positions)
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
    """Cells over the box of some places, their edges at least a reach, and two layers around them."""

    def __init__(self, places: Floats, reach: float) -> None:
        self._low = places.min(axis=0)
        across = places.max(axis=0) - self._low
        edge = max((1.0 + 1e-12) * reach, 1e-12 * float(np.abs(places).max()), 1e-300)
        while np.prod(np.floor(across / edge) + 5.0) > _MOST:
            edge *= _COARSER
        self._edge, self._last = edge, np.floor(across / edge).astype(np.intp) + 4
        sides = self._last + 1
        self.row, self.sheet, self.count = int(sides[2]), int(sides[1] * sides[2]), int(np.prod(sides))

    def cells(self, positions: Floats) -> Ints:
        """Return the number of each position's cell (r,); those far away are in the outermost layer."""
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
        """Return of which of all cells something may be within the reach of what is in some (k,)."""
        marked = np.zeros(self.count, dtype=bool)
        marked[cells] = True
        for step in (1, self.row, self.sheet):
            wide = marked.copy()
            wide[step:] |= marked[:-step]
            wide[:-step] |= marked[step:]
            marked = wide
        return marked


def _rows(positions: Floats, reaches: Floats) -> Floats:
    """Return positions and the squares of reaches (r, 4): rows of 32 bytes are fetched in one."""
    rows = np.empty((len(positions), 4))
    rows[:, :3], rows[:, 3] = positions, reaches * reaches
    return rows


def _within(places: Floats, positions: Floats, first: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the near pairs of places (k, 4) with positions (r, 4); those of a place may be among runs of
    positions, `counts` (k, c) from the `first` (k, c) on.
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
