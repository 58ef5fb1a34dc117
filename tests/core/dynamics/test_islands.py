"""Islands of bodies are what a graph of them says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from physplace_addon.core.arrays import Bools, Ints
from physplace_addon.core.contact.system import FIXED, InterfacePoints
from physplace_addon.core.dynamics.sleeping import islands


def by_graph(count: int, given: Bools, pairs: Ints) -> Ints:
    """The same from a sparse graph."""
    moves = np.append(~given, False)  # the last is the fixed world
    one, other = pairs[moves[pairs].all(axis=1)].T
    graph = sparse.coo_array((np.ones(len(one)), (one, other)), (count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.intp)


@pytest.mark.parametrize("seed", range(40))
def test_bodies_that_pairs_connect_are_an_island(seed: int) -> None:
    rng = np.random.default_rng([15, seed])
    count = int(rng.integers(1, 60))
    given = rng.random(count) < 0.1
    pairs = rng.integers(FIXED, count, (int(rng.integers(0, count + 1)), 2))
    pairs = np.concatenate([pairs, pairs[::2, ::-1]])
    found = islands(count, given, InterfacePoints.none(), pairs)
    assert (found == by_graph(count, given, pairs)).all()


def test_a_long_chain_is_one_island_however_its_bodies_are_numbered() -> None:
    numbers = [np.arange(500), np.append(0, np.arange(499, 0, -1)), np.random.default_rng(3).permutation(500)]
    for order in numbers:
        pairs = np.stack([order[:-1], order[1:]], axis=1)
        assert not islands(500, np.zeros(500, np.bool_), InterfacePoints.none(), pairs).any()
