"""Trees joined under a top-level tree find what the parts find."""

import numpy as np
import pytest

from physplace_addon.core.collision import build_tree, join_trees, near_pairs
from physplace_addon.core.rigid import Pose
from tests.core.collision.soups import hostile_soup, random_soup


def test_a_joined_tree_finds_the_pairs_of_its_parts(rng: np.random.Generator) -> None:
    parts = [hostile_soup(rng, count) + 2.0 * rng.normal(size=3) for count in (30, 1, 90)]
    probe, pose = build_tree(random_soup(rng, 60, spread=2.0)), Pose.identity()
    joined = near_pairs(probe, pose, join_trees(*map(build_tree, parts)), 0.05)
    expected, start = [], 0
    for part in parts:
        expected += [(a, b + start) for a, b in near_pairs(probe, pose, build_tree(part), 0.05).tolist()]
        start += len(part)
    assert expected
    assert sorted(map(tuple, joined.tolist())) == sorted(expected)


def test_one_tree_is_joined_to_itself_and_none_is_refused(rng: np.random.Generator) -> None:
    tree = build_tree(random_soup(rng, 9))
    assert join_trees(tree) is tree
    with pytest.raises(ValueError, match="at least one tree"):
        join_trees()


def test_bounds_are_kept(rng: np.random.Generator) -> None:
    bounds = [np.full(5, 0.1), np.full(7, 0.2)]
    joined = join_trees(*(build_tree(random_soup(rng, len(bound)), bound) for bound in bounds))
    assert np.array_equal(joined.bound, np.concatenate(bounds))
