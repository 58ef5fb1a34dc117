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
from .uniform_grid import pairs_between

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
