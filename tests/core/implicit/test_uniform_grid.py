"""Uniform grids: cells, and pairs of a few places with many positions against all pairs."""

import numpy as np
import pytest

from physplace_addon.core.implicit.uniform_grid import UniformGrid, cell_numbers, pairs_between


def test_cells_are_numbered_once_each_with_z_running_fastest() -> None:
    numbers = cell_numbers(np.array([2.0, 3.0, 4.0]))
    assert numbers.shape == (24, 3)
    assert len(np.unique(numbers, axis=0)) == 24
    assert numbers[:2].tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize("spread", [0.1, 1.0, 100.0])
def test_pairs_between_places_and_positions_are_those_of_all_pairs(
    spread: float, rng: np.random.Generator
) -> None:
    places, positions = 5.0 + 0.3 * rng.normal(size=(40, 3)), 5.0 + rng.normal(size=(500, 3))
    own, others = (0.05 + 0.1 * rng.random(count) * spread for count in (40, 500))
    own, others = np.minimum(own, 0.5), np.minimum(others, 0.5)
    apart = np.linalg.norm(places[:, None] - positions, axis=2)
    near = apart <= np.maximum(own[:, None], others)
    first, second = pairs_between(places, own, positions, others)
    assert len(first) == near.sum()
    assert near[first, second].all()


def test_no_places_have_no_pairs() -> None:
    nothing, some = np.zeros((0, 3)), np.zeros((3, 3))
    for places, positions in ((nothing, some), (some, nothing)):
        found = pairs_between(places, np.ones(len(places)), positions, np.ones(len(positions)))
        assert [len(end) for end in found] == [0, 0]


def test_what_is_within_reach_is_in_a_cell_beside(rng: np.random.Generator) -> None:
    places = rng.normal(size=(20, 3))
    grid = UniformGrid(places, 0.4)
    beside = grid.beside(grid.cell_numbers(places[:1]))
    near = places[0] + 0.4 * rng.uniform(-1.0, 1.0, (200, 3)) / np.sqrt(3.0)
    assert beside[grid.cell_numbers(near)].all()
    assert not beside[grid.cell_numbers(places[0] + np.array([[9.0, 9.0, 9.0]]))].any()
