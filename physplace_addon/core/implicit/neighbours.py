"""Which positions are near a few places, by the cells of a grid.

A tree is quicker where all are looked for, or reaches differ; for some places among many positions that are
spread alike, most of its time goes into making it.  Here only positions in cells beside those of the places
are sorted, and pairs are measured so many at a time that they stay in the processor's cache.

Which positions are near one another: searches by trees and by cells.

Reaches can differ a hundredfold, at the frontier of growth.  Positions are sorted into octaves of reach, and
each octave is searched once among itself and those below it, so that one that reaches far does not make all
search far.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints
from ..vectors import column_rows

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


_ALIKE = 1.25  # longest over shortest reach that are searched as one
_MIDST = 1.15  # of the usual reach: where an octave ends, so that most are in that one
_FAR = 2.5  # of the usual reach: only the few that reach farther are searched so far
_FEW = 0.1  # of all: fewer in the octave below that are searched with it
_BY_ALL = 2**16  # pairs up to which looking at each is quicker than a tree


def near_pairs(positions: Floats, reaches: Floats) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of positions (r, 3) nearer than the longer of their reaches (r,).

    Where reaches are much alike, pairs a little farther apart are among them.
    """
    if not len(reaches) or float(reaches.max()) <= _ALIKE * float(reaches.min()):
        return _among(positions, float(reaches.max(initial=0.0)))
    octave = _octaves(reaches)
    order = np.argsort(octave, kind="stable")
    ends = np.cumsum(np.bincount(octave))
    starts = np.concatenate([[0], ends[:-1]])
    found = [
        _octave(positions, reaches, order[start:end], order[:start])
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]
    return _joined(*found)


def pairs_of_some(positions: Floats, reaches: Floats, some: Bools) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of positions (r, 3) nearer than the longer of their reaches (r,), one of
    each pair being of some (r,).  What reaches farther is searched at a level of its own.
    """
    own, mean, found = np.flatnonzero(some), float(reaches.mean()), []
    for low, high in pairwise((0.0, _MIDST * mean, _FAR * mean, np.inf)):
        level, up_to = np.flatnonzero((reaches > low) & (reaches <= high)), np.flatnonzero(reaches <= high)
        if len(level):
            found.append(_across(positions, reaches, level[some[level]], up_to))
            found.append(_across(positions, reaches, own[reaches[own] <= low], level))
    first, second = _joined(*found)
    once = np.flatnonzero(~some.take(second) | (first < second))
    return first.take(once), second.take(once)


def _octaves(reaches: Floats) -> Ints:
    """Return the octaves (r,) of reaches, numbered from 0."""
    octave = np.ceil(np.log2(reaches / (_MIDST * np.median(reaches)))).astype(np.intp)
    below = octave == -1
    if np.count_nonzero(below) < _FEW * len(below):
        octave[below] = 0
    return np.asarray(octave - octave.min())


def _among(positions: Floats, reach: float) -> tuple[Ints, Ints]:
    """Return the pairs of positions within a reach."""
    if not len(positions):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    pairs = _tree(positions).query_pairs(reach, output_type="ndarray")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _octave(positions: Floats, reaches: Floats, own: Ints, below: Ints) -> tuple[Ints, Ints]:
    """Return the pairs among `own`, and of own with those `below`, that reach no farther."""
    one, two = _among(column_rows(positions, own), float(reaches[own].max()))
    among = _nearer(positions, reaches, own.take(one), own.take(two))
    return _joined(among, _across(positions, reaches, own, below))


def _across(positions: Floats, reaches: Floats, own: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of some positions with others that are nearer than the longer of their reaches."""
    if len(own) * len(others) <= _BY_ALL:
        return _nearer(positions, reaches, np.repeat(own, len(others)), np.tile(others, len(own)))
    ends = (own, others)
    one, two = pairs_between(
        *(given for end in ends for given in (column_rows(positions, end), reaches.take(end)))
    )
    return own.take(one), others.take(two)


def _joined(*found: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the pairs that were found in several searches."""
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _nearer(positions: Floats, reaches: Floats, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the pairs that are nearer than the longer of their reaches."""
    left = np.maximum(reaches.take(first), reaches.take(second)) ** 2
    for axis in np.ascontiguousarray(positions.T):
        apart = axis.take(first) - axis.take(second)
        left -= apart * apart
    near = np.flatnonzero(left >= 0.0)
    return first.take(near), second.take(near)


def nearest(places: Floats, positions: Floats, farthest: float = np.inf) -> tuple[Floats, Ints]:
    """Return how far the nearest of positions (r, 3) is from places (k, 3), infinite if that is more than
    `farthest`, and which it is; r if there is none.
    """
    apart, index = _tree(positions).query(places, distance_upper_bound=farthest)
    return np.asarray(apart), np.asarray(index)


def _tree(positions: Floats) -> cKDTree:
    return cKDTree(positions, balanced_tree=False, compact_nodes=False)
