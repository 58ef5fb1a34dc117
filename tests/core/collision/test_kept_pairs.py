"""Kept lists return at every pose of a path what a fresh search returns."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.collision import KeptPairs, build_tree, meeting_pairs, near_pairs
from physplace_addon.core.rigid import Pose
from tests.core.collision.soups import hostile_soup, random_pose, random_soup, torus


def rows(pairs: Ints) -> list[tuple[int, int]]:
    return sorted(map(tuple, pairs.tolist()))


def path(rng: np.random.Generator, step: float, count: int) -> list[Pose]:
    """Poses of a random walk; every tenth step is a hundred times as long, every seventh none at all."""
    poses = [random_pose(rng, 0.2)]
    for number in range(1, count):
        length = step * (100.0 if number % 10 == 0 else 0.0 if number % 7 == 0 else 1.0)
        poses.append(
            poses[-1].displaced(length * rng.normal(size=3), length * rng.normal(size=3), np.zeros(3))
        )
    return poses


@pytest.mark.parametrize("step", [1e-9, 1e-4, 1e-3, 1e-2, 0.3])
@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_every_pair_is_there_at_every_pose_and_no_other(
    rng: np.random.Generator, step: float, soup: Callable[..., Floats]
) -> None:
    first, second = build_tree(soup(rng, 200), 0.05 * rng.random(200)), build_tree(soup(rng, 150))
    kept, found = KeptPairs(first, second), 0
    for pose in path(rng, step, 40):
        reach = float(rng.choice([0.0, 0.02, 0.1]))
        fresh = rows(near_pairs(first, pose, second, reach))
        assert rows(kept.near(pose, reach)) == fresh
        assert rows(kept.meeting(pose)) == rows(meeting_pairs(first, pose, second))
        found += len(fresh)
    assert found > 40


def test_a_turning_ring_loses_no_pair(rng: np.random.Generator) -> None:
    tree = build_tree(torus(40, 20))
    kept = KeptPairs(tree, tree)
    for angle in np.cumsum(rng.choice([1e-4, 1e-3, 5e-2], size=60)):
        pose = Pose(np.array([np.cos(angle), 0.0, 0.0, np.sin(angle)]), np.array([0.0, 0.0, 0.79]))
        fresh = rows(meeting_pairs(tree, pose, tree))
        assert fresh
        assert rows(kept.meeting(pose)) == fresh


def test_bodies_far_apart_have_no_pairs_until_they_come_near() -> None:
    tree = build_tree(torus())
    kept = KeptPairs(tree, tree)
    for height in (9.0, 5.0, 1.0, 0.81, 0.8, 0.79, 0.78, 0.9):
        pose = Pose(np.array([1.0, 0.0, 0.0, 0.1]), np.array([0.0, 0.0, height]))
        assert rows(kept.meeting(pose)) == rows(meeting_pairs(tree, pose, tree))
    assert kept.meeting(Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 7.0]))).shape == (0, 2)
