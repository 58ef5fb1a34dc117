"""Which positions are near one another, by search trees and by uniform grids.

Reaches can differ a hundredfold where floaters grow over a bare surface. Positions are sorted into octaves of
reach, and each octave is searched once among itself and once against those below it, so that one long reach
does not make all positions search far.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints
from ..vectors import column_rows
from .uniform_grid import pairs_between

_ALIKE = 1.25  # longest over shortest reach up to which all positions are searched with the longest one
_EVEN = 1.5  # longest over mean reach up to which one search for some positions costs less than two
_MIDST = 1.15  # of the median or mean reach: where a level of the search ends, so that it has most positions
_FAR = 2.5  # of the mean reach: only the few positions that reach farther are searched so far
_FEW = 0.1  # share of all positions: an octave with fewer is searched with the next one above
_BY_ALL = 2**16  # pairs up to which measuring each of them is quicker than a search


def near_pairs(positions: Floats, reaches: Floats) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of positions (r, 3) that are nearer than the longer of their reaches (r,).

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
    """Return the pairs nearer than the longer of their reaches of which at least one position is marked.

    Positions with longer reaches are searched at a level of their own.

    Args:
        positions: all positions (r, 3).
        reaches: their reaches (r,).
        some: which positions (r,) are marked.

    Returns:
        The numbers of both positions of each pair (m,), (m,).
    """
    own, mean, found = np.flatnonzero(some), float(reaches.mean()), []
    even = float(reaches.max(initial=0.0)) <= _EVEN * mean
    for low, high in pairwise((0.0, np.inf) if even else (0.0, _MIDST * mean, _FAR * mean, np.inf)):
        level, up_to = np.flatnonzero((reaches > low) & (reaches <= high)), np.flatnonzero(reaches <= high)
        if len(level):
            found.append(_across(positions, reaches, level[some[level]], up_to))
            found.append(_across(positions, reaches, own[reaches[own] <= low], level))
    first, second = _joined(*found)
    once = np.flatnonzero(~some.take(second) | (first < second))
    return first.take(once), second.take(once)


def _octaves(reaches: Floats) -> Ints:
    """Return the octave (r,) of each reach (r,), numbered from 0."""
    octave = np.ceil(np.log2(reaches / (_MIDST * np.median(reaches)))).astype(np.intp)
    below = octave == -1
    if np.count_nonzero(below) < _FEW * len(below):
        octave[below] = 0
    return np.asarray(octave - octave.min())


def _among(positions: Floats, reach: float) -> tuple[Ints, Ints]:
    """Return the pairs of positions (r, 3) within one reach."""
    if not len(positions):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    pairs = _tree(positions).query_pairs(reach, output_type="ndarray")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _octave(positions: Floats, reaches: Floats, own: Ints, below: Ints) -> tuple[Ints, Ints]:
    """Return the pairs among the positions `own`, and of these with the positions `below`."""
    one, two = _among(column_rows(positions, own), float(reaches[own].max()))
    among = _nearer(positions, reaches, own.take(one), own.take(two))
    return _joined(among, _across(positions, reaches, own, below))


def _across(positions: Floats, reaches: Floats, own: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of positions `own` with positions `others` nearer than the longer of their reaches."""
    if len(own) * len(others) <= _BY_ALL:
        return _nearer(positions, reaches, np.repeat(own, len(others)), np.tile(others, len(own)))
    ends = (own, others)
    one, two = pairs_between(
        *(given for end in ends for given in (column_rows(positions, end), reaches.take(end)))
    )
    return own.take(one), others.take(two)


def _joined(*found: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the pairs found in several searches, one after another."""
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _nearer(positions: Floats, reaches: Floats, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return those pairs of positions that are nearer than the longer of their reaches."""
    left = np.maximum(reaches.take(first), reaches.take(second)) ** 2
    for axis in np.ascontiguousarray(positions.T):
        apart = axis.take(first) - axis.take(second)
        left -= apart * apart
    near = np.flatnonzero(left >= 0.0)
    return first.take(near), second.take(near)


def thinned_rows(positions: Floats, least: Floats) -> Bools:
    """Return which positions (n,) stay when each one near an earlier one that stays is dropped.

    Args:
        positions: the positions (n, 3).
        least: the distance (n,) in scene units that each claims; of two positions the greater one counts.
    """
    first, second = near_pairs(positions, least)
    late, early = np.maximum(first, second), np.minimum(first, second)
    undecided, stays = np.ones(len(positions), dtype=np.bool_), np.ones(len(positions), dtype=np.bool_)
    while len(late):
        waits = np.zeros(len(positions), dtype=np.bool_)
        waits[late] = True
        undecided &= waits
        stays[late[~undecided[early]]] = False
        open_ = undecided[early] & stays[early] & stays[late]
        late, early = late[open_], early[open_]
    return stays


def nearest(places: Floats, positions: Floats, farthest: float = np.inf) -> tuple[Floats, Ints]:
    """Return the distance (k,) from places (k, 3) to the nearest of positions (r, 3), and its number (k,).

    The distance is infinite, and the number r, where none is within `farthest`.
    """
    apart, index = _tree(positions).query(places, distance_upper_bound=farthest)
    return np.asarray(apart), np.asarray(index)


def ordered_by_place(positions: Floats) -> Ints:
    """Return the numbers (r,) of positions (r, 3) in an order in which near ones follow one another."""
    return np.asarray(_tree(positions).indices, dtype=np.intp)


def _tree(positions: Floats) -> cKDTree:
    """Return a search tree that is quick to make."""
    return cKDTree(positions, balanced_tree=False, compact_nodes=False)
