"""Which floaters are near one another, found by trees and kept while it holds (a Verlet list).

i and j are neighbours if they are nearer than the longer of their reaches.  The list is made with some slack:
it holds until a floater has moved so far, or grown so much, that someone new could have come within reach.

Reaches can differ a hundredfold, at the frontier of growth.  Floaters are sorted into octaves of reach, and
each octave is searched once among itself and those below it, so that one that reaches far does not make all
search far.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints
from .floaters import Floaters
from .repulsion import REACH, Pairs

_SLACK = 1.25  # of the reach
_WASTE = 1.5  # of the reaches, together: a list made for so much longer ones is not worth keeping
_TURNED = 0.9  # cosine of how far a normal may turn before it matters who looks whose way
_ALIKE = 1.25  # longest over shortest reach that are searched as one


class Neighbours:
    """The pairs of neighbours of floaters through time."""

    def __init__(self) -> None:
        self._pairs = Pairs(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
        self._positions = np.zeros((0, 3))
        self._normals = np.zeros((0, 3))
        self._reaches = np.zeros(0)

    def of(self, floaters: Floaters, force_radii: Floats) -> Pairs:
        """Return the pairs that may feel each other, by their radii or by the radii (r,) forces are made
        with.
        """
        reaches = REACH * np.maximum(floaters.radii, force_radii)
        normals = floaters.normals
        if not self._holds(floaters.positions, normals, reaches):
            self._positions, self._normals, self._reaches = floaters.positions, normals, _SLACK * reaches
            self._pairs = facing(normals, *near_pairs(self._positions, self._reaches))
        return self._pairs

    def _holds(self, positions: Floats, normals: Floats, reaches: Floats) -> bool:
        if len(reaches) != len(self._reaches) or not len(reaches):
            return False
        if self._reaches.sum() > _WASTE * reaches.sum():
            return False
        if np.einsum("ri,ri->r", normals, self._normals).min() < _TURNED:
            return False
        moved = positions - self._positions
        farthest = np.sqrt(np.einsum("ri,ri->r", moved, moved).max())
        return bool(np.all(reaches + 2.0 * farthest <= self._reaches))

    def without(self, dead: Bools) -> None:
        """Forget the floaters of a mask (r,); the others move up."""
        number = np.cumsum(~dead) - 1
        first, second = self._pairs.first, self._pairs.second
        left = np.flatnonzero(~(dead.take(first) | dead.take(second)))
        self._pairs = Pairs(
            number[first.take(left)], number[second.take(left)], self._pairs.weight.take(left)
        )
        self._positions, self._normals = self._positions[~dead], self._normals[~dead]
        self._reaches = self._reaches[~dead]

    def with_halves(self, parents: Ints) -> None:
        """Take in the newborns of parents (k,), numbered on: they were where their parents were, and meet
        whom these meet.
        """
        count = len(self._reaches)
        child = np.full(count + len(parents), -1, dtype=np.intp)
        child[parents] = np.arange(count, count + len(parents))
        first, second, weight = self._pairs.first, self._pairs.second, self._pairs.weight
        for _ in range(2):
            split = np.flatnonzero(child.take(first) >= 0)
            first, second = np.append(first, child[first[split]]), np.append(second, second[split])
            weight = np.append(weight, weight[split])
            first, second = second, first
        first, second = np.append(first, parents), np.append(second, child[parents])
        self._pairs = Pairs(first, second, np.append(weight, np.ones(len(parents))))
        self._positions = np.concatenate([self._positions, self._positions[parents]])
        self._normals = np.concatenate([self._normals, self._normals[parents]])
        self._reaches = np.append(self._reaches, self._reaches[parents])


def facing(normals: Floats, first: Ints, second: Ints) -> Pairs:
    """Return pairs with how much they feel of each other, by their unit normals (r, 3): 1 up to a right angle
    between them, 0 from 120°.
    """
    weight = np.ones(len(first))
    for axis in np.ascontiguousarray(normals.T):
        weight += 2.0 * axis.take(first) * axis.take(second)
    if len(weight) and weight.min() >= 1.0:
        return Pairs(first, second, np.ones(len(first)))
    felt = np.flatnonzero(weight > 0.0)
    return Pairs(first[felt], second[felt], np.minimum(weight[felt], 1.0))


def near_pairs(positions: Floats, reaches: Floats) -> tuple[Ints, Ints]:
    """Return the pairs (m,), (m,) of positions (r, 3) nearer than the longer of their reaches (r,).

    Where reaches are much alike, pairs a little farther apart are among them.
    """
    least = float(reaches.min(initial=np.inf))
    if not len(reaches) or float(reaches.max()) <= _ALIKE * least:
        return _among(positions, float(reaches.max(initial=0.0)))
    octave = np.floor(np.log2(reaches / least)).astype(np.intp)
    order = np.argsort(octave, kind="stable")
    ends = np.cumsum(np.bincount(octave))
    starts = np.concatenate([[0], ends[:-1]])
    found = [
        _octave(positions, reaches, order[start:end], order[:start])
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _among(positions: Floats, reach: float) -> tuple[Ints, Ints]:
    """Return the pairs of positions within a reach."""
    if not len(positions):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    pairs = _tree(positions).query_pairs(reach, output_type="ndarray")
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _octave(positions: Floats, reaches: Floats, own: Ints, below: Ints) -> tuple[Ints, Ints]:
    """Return the pairs among `own`, and of own with those `below`, that reach no farther."""
    reach = float(reaches[own].max())
    first, second = (own[end] for end in _among(positions[own], reach))
    if len(below):
        across = _tree(positions[own]).sparse_distance_matrix(
            _tree(positions[below]), reach, output_type="ndarray"
        )
        first = np.concatenate([first, own[across["i"]]])
        second = np.concatenate([second, below[across["j"]]])
    apart = positions[first] - positions[second]
    near = np.einsum("mi,mi->m", apart, apart) <= np.maximum(reaches[first], reaches[second]) ** 2
    return first[near], second[near]


def nearest(places: Floats, positions: Floats, farthest: float = np.inf) -> tuple[Floats, Ints]:
    """Return how far the nearest of positions (r, 3) is from places (k, 3), infinite if that is more than
    `farthest`, and which it is; r if there is none.
    """
    apart, index = _tree(positions).query(places, distance_upper_bound=farthest)
    return np.asarray(apart), np.asarray(index)


def _tree(positions: Floats) -> cKDTree:
    return cKDTree(positions, balanced_tree=False, compact_nodes=False)
