"""Which positions are near one another, against all pairs."""

import numpy as np
import pytest

from physplace_addon.core.implicit import neighbours
from physplace_addon.core.implicit.neighbours import near_pairs, ordered_by_place, pairs_of_some
from tests.core.implicit.particles.scattered_floaters import scattered


@pytest.mark.parametrize("spread", [0.1, 30.0])
def test_neighbours_by_trees_are_those_of_all_pairs(spread: float) -> None:
    positions, radii = scattered(150, spread=spread)
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    near = np.triu(apart <= np.maximum(radii[:, None], radii[None]), 1)
    first, second = near_pairs(positions, radii)
    found = set(zip(np.minimum(first, second), np.maximum(first, second), strict=True))
    assert len(found) == len(first)
    assert set(zip(*np.nonzero(near), strict=True)) <= found


@pytest.mark.parametrize("spread", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("by_all", [2**16, 0], ids=["by all", "by cells"])
def test_neighbours_of_some_are_those_of_all_that_have_one_of_them(
    monkeypatch: pytest.MonkeyPatch, spread: float, by_all: int
) -> None:
    monkeypatch.setattr(neighbours, "_BY_ALL", by_all)
    positions, radii = scattered(300, spread=spread)
    some = np.random.default_rng(1).random(300) < 0.2
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    near = np.triu(apart <= np.maximum(radii[:, None], radii[None]), 1) & (some[:, None] | some[None])
    first, second = pairs_of_some(positions, radii, some)
    found = set(zip(np.minimum(first, second), np.maximum(first, second), strict=True))
    assert len(found) == len(first)
    assert found == set(zip(*np.nonzero(near), strict=True))


def test_near_positions_follow_one_another_in_the_order_of_place() -> None:
    positions = np.random.default_rng(2).uniform(size=(5000, 3))
    order = ordered_by_place(positions)
    assert np.array_equal(np.sort(order), np.arange(5000))
    apart, before = (np.linalg.norm(np.diff(own, axis=0), axis=1) for own in (positions[order], positions))
    assert apart.mean() < 0.25 * before.mean()
