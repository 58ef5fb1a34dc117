"""Partitions of boxes: trees that hold each box once, split at gaps."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision.partition import partition


def boxes(rng: np.random.Generator, count: int, spread: float = 1.0) -> tuple[Floats, Floats]:
    center, half = spread * rng.normal(size=(count, 3)), 0.1 * rng.random((count, 3))
    return center - half, center + half


@pytest.mark.parametrize("count", [1, 2, 3, 100, 777])
@pytest.mark.parametrize("leaf_size", [1, 2, 5])
def test_every_box_is_below_one_leaf_of_the_right_size(
    rng: np.random.Generator, count: int, leaf_size: int
) -> None:
    tree = partition(*boxes(rng, count), leaf_size)
    assert sorted(tree.order.tolist()) == list(range(count))
    leaves = tree.children[:, 0] < 0
    assert tree.count[leaves].sum() == count
    assert tree.count[leaves].max() <= leaf_size
    for node in np.flatnonzero(~leaves):
        first, second = tree.children[node]
        assert tree.start[first] == tree.start[node]
        assert tree.start[second] == tree.start[first] + tree.count[first]
        assert tree.count[node] == tree.count[first] + tree.count[second]
        assert min(tree.count[first], tree.count[second]) > 0


def test_the_widest_gap_splits_first(rng: np.random.Generator) -> None:
    lower, upper = boxes(rng, 60, spread=0.2)
    away = np.arange(60) % 3 == 0
    lower[away, 1] += 10.0
    upper[away, 1] += 10.0
    tree = partition(lower, upper, 2)
    first = tree.children[0, 0]
    below = set(tree.order[tree.start[first] : tree.start[first] + tree.count[first]].tolist())
    assert below in (set(np.flatnonzero(away).tolist()), set(np.flatnonzero(~away).tolist()))


def test_a_geometric_progression_does_not_make_a_deep_tree() -> None:
    place = 2.0 ** np.arange(400.0)
    lower = np.stack([place, 0.0 * place, 0.0 * place], axis=1)
    tree = partition(lower, lower, 1)
    assert len(tree.level_start) - 1 <= 2 * (2 * int(np.ceil(np.log2(400))) + 4)


def test_equal_boxes_are_halved() -> None:
    lower = np.zeros((64, 3))
    tree = partition(lower, lower + 1.0, 1)
    assert len(tree.level_start) - 1 == 7
