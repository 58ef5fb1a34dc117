"""Partitions of boxes: balanced trees that hold each box once."""

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


def test_halves_differ_by_one_box_at_most_and_are_split_along_the_longest_axis(
    rng: np.random.Generator,
) -> None:
    for count in (63, 64, 65, 96, 97, 701):
        center = rng.random((count, 3)) * [1.0, 9.0, 1.0]
        tree = partition(center - 1.0, center + 1.0, 2)
        first, second = tree.children[0]
        assert abs(tree.count[first] - tree.count[second]) <= 1
        below = [tree.order[tree.start[n] : tree.start[n] + tree.count[n]] for n in (first, second)]
        assert center[below[0], 1].max() <= center[below[1], 1].min() + 1e-5


def test_nodes_of_a_level_hold_equally_many_boxes_to_within_two(rng: np.random.Generator) -> None:
    for count in (5, 100, 777, 1025):
        tree = partition(*boxes(rng, count), 1)
        for begin, end in zip(tree.level_start[:-2], tree.level_start[1:-1], strict=True):
            inner = tree.count[begin:end][tree.children[begin:end, 0] >= 0]
            assert inner.size == 0 or np.ptp(inner) <= 2


def test_a_geometric_progression_does_not_make_a_deep_tree() -> None:
    place = 2.0 ** np.arange(400.0)
    lower = np.stack([place, 0.0 * place, 0.0 * place], axis=1)
    tree = partition(lower, lower, 1)
    assert len(tree.level_start) - 1 <= int(np.ceil(np.log2(400))) + 1


def test_equal_boxes_are_halved() -> None:
    lower = np.zeros((64, 3))
    tree = partition(lower, lower + 1.0, 1)
    assert len(tree.level_start) - 1 == 7
