"""Which floaters are near one another, found by trees and kept while it holds (a Verlet list).

i and j are neighbours if they are nearer than the longer of their reaches.  The list is made with some slack: it
holds until a floater has moved so far, or grown so much, that someone new could have come within reach.

Reaches can differ a hundredfold, at the frontier of growth.  Floaters are sorted into octaves of reach, and each
octave is searched once among itself and those below it, so that one that reaches far does not make all search far.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Floats, Ints
from .floaters import Floaters
from .repulsion import REACH, Pairs

_SLACK = 1.12  # of the reach


class Neighbours:
    """The pairs of neighbours of floaters through time."""

    def __init__(self) -> None:
        self._pairs = Pairs(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
        self._positions = np.zeros((0, 3))
        self._reaches = np.zeros(0)

    def forget(self) -> None:
        """Search anew next time: floaters have come or gone."""
        self._reaches = np.zeros(0)

    def of(self, floaters: Floaters, force_radii: Floats) -> Pairs:
        """Return the pairs that may feel each other, by their radii or by the radii (r,) forces are made with."""
        reaches = REACH * np.maximum(floaters.radii, force_radii)
        if not self._holds(floaters.positions, reaches):
            self._positions, self._reaches = floaters.positions, _SLACK * reaches
            self._pairs = facing(floaters, *near_pairs(self._positions, self._reaches))
        return self._pairs

    def _holds(self, positions: Floats, reaches: Floats) -> bool:
        if len(reaches) != len(self._reaches) or not len(reaches):
            return False
        moved = positions - self._positions
        farthest = np.sqrt(np.einsum("ri,ri->r", moved, moved).max())
        return bool(np.all(reaches + 2.0 * farthest <= self._reaches))


def facing(floaters: Floaters, first: Ints, second: Ints) -> Pairs:
    """Return pairs with how much they feel of each other: 1 up to a right angle between normals, 0 from 120°."""
    normals = np.ascontiguousarray(floaters.normals.T)
    cosine = sum(axis.take(first) * axis.take(second) for axis in normals)
    weight = np.clip(1.0 + 2.0 * cosine, 0.0, 1.0)
    felt = weight > 0.0
    return Pairs(first[felt], second[felt], weight[felt])


def near_pairs(positions: Floats, reaches: Floats) -> tuple[Ints, Ints]:
    """Return all pairs (m,), (m,) of positions (r, 3) nearer than the longer of their reaches (r,)."""
    least = float(reaches.min(initial=np.inf))
    if not len(reaches) or float(reaches.max()) <= 1.5 * least:
        return _within(positions, reaches, np.arange(len(reaches)), np.zeros(0, dtype=np.intp))
    octave = np.floor(np.log2(reaches / least)).astype(np.intp)
    order = np.argsort(octave, kind="stable")
    ends = np.cumsum(np.bincount(octave))
    starts = np.concatenate([[0], ends[:-1]])
    found = [
        _within(positions, reaches, order[start:end], order[:start])
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]
    return np.concatenate([one for one, _ in found]), np.concatenate([two for _, two in found])


def _within(positions: Floats, reaches: Floats, own: Ints, below: Ints) -> tuple[Ints, Ints]:
    """Return the pairs among `own`, and of own with those `below`, that reach no farther."""
    if not len(own):
        return own, own
    reach = float(reaches[own].max())
    tree = cKDTree(positions[own], balanced_tree=False, compact_nodes=False)
    pairs = tree.query_pairs(reach, output_type="ndarray")
    first, second = own[pairs[:, 0]], own[pairs[:, 1]]
    if len(below):
        others = cKDTree(positions[below], balanced_tree=False, compact_nodes=False)
        across = tree.sparse_distance_matrix(others, reach, output_type="ndarray")
        first = np.concatenate([first, own[across["i"]]])
        second = np.concatenate([second, below[across["j"]]])
    apart = positions[first] - positions[second]
    near = np.einsum("mi,mi->m", apart, apart) <= np.maximum(reaches[first], reaches[second]) ** 2
    return first[near], second[near]
