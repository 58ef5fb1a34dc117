"""Orders have all nodes, and what is joined stands about as near as it can where that is known."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Ints
from physplace_addon.core.optimization.conic.banded_order import banded_order


def shuffled(edges: Ints, size: int, seed: int) -> Ints:
    """Edges (k, 2) between the same nodes with other numbers, some of them twice, either way round."""
    rng = np.random.default_rng(seed)
    edges = rng.permutation(size)[edges]
    edges = np.concatenate([edges, edges[::2, ::-1], np.stack([np.arange(size)] * 2, axis=1)])
    return rng.permutation(edges)


def band(order: Ints, edges: Ints) -> int:
    """How far apart the ends of edges (k, 2) stand at most."""
    assert sorted(order.tolist()) == list(range(len(order)))
    place = np.argsort(order)
    return int(np.abs(place[edges[:, 0]] - place[edges[:, 1]]).max(initial=0))


def grid(rows: int, columns: int) -> Ints:
    """The edges of a grid of nodes."""
    number = np.arange(rows * columns).reshape(rows, columns)
    beside = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    above = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    return np.concatenate([beside, above])


@pytest.mark.parametrize("seed", range(20))
def test_a_grid_gets_about_the_narrowest_band_there_is(seed: int) -> None:
    """That of a grid is its shorter side (Chvatalova 1975), which is 1 for a row of nodes."""
    for rows, columns in ((1, 2), (1, 30), (3, 9), (5, 12)):
        edges = shuffled(grid(rows, columns), rows * columns, seed)
        found = band(banded_order(rows * columns, *edges.T), edges)
        assert rows <= found <= (rows if rows == 1 else rows + 1)


def test_nodes_without_edges_and_parts_apart_have_their_places() -> None:
    two = np.concatenate([grid(1, 7), 10 + grid(2, 4)])
    edges = shuffled(two, 20, 3)
    assert band(banded_order(20, *edges.T), edges) == 2
    nothing = np.zeros(0, np.intp)
    assert banded_order(0, nothing, nothing).tolist() == []
    assert sorted(banded_order(3, nothing, nothing).tolist()) == [0, 1, 2]
