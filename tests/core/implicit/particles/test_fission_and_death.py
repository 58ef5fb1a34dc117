"""Fission and death of floaters: who splits, who dies, and who must not."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import FloaterSettings
from physplace_addon.core.implicit.particles.fission_and_death import deaths, fission, fissions, patience
from physplace_addon.core.implicit.particles.floater_pairs import FloaterPairs
from physplace_addon.core.implicit.particles.floaters import Floaters

SETTINGS = FloaterSettings(1.0)


def flat(positions: Sequence[Sequence[float]] | Floats, radii: ArrayLike, ages: int = 0) -> Floaters:
    """Floaters on the plane z = 0, desired radius 1."""
    count = len(positions)
    up = np.tile([0.0, 0.0, 1.0], (count, 1))
    return Floaters(
        np.array(positions, dtype=float), np.array(radii), up, np.ones(count), np.full(count, ages)
    )


def all_pairs(count: int) -> FloaterPairs:
    first, second = np.triu_indices(count, 1)
    return FloaterPairs(first, second, np.ones(len(first)))


def test_a_floater_splits_at_rest_if_it_is_large_and_energized_or_at_the_greatest_radius() -> None:
    floaters = flat(np.zeros((5, 3)), [1.1, 1.1, 0.9, 1.1, 2.0])
    enough = SETTINGS.energized * SETTINGS.energy
    energy = enough * np.array([1.1, 0.9, 1.1, 1.1, 0.0])
    speed = SETTINGS.equilibrium * np.array([0.5, 0.5, 0.5, 1.2, 0.5])
    found = fissions(floaters, energy, speed, np.full(5, 2.0), SETTINGS, 0.0)
    assert found.tolist() == [0, 4]


def test_of_two_halves_one_stays_and_the_other_starts_beside_it_on_the_tangent_plane() -> None:
    floaters = flat([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]], [1.2, 0.8], ages=7)
    after = fission(floaters, np.array([0]), np.random.default_rng(0))
    assert np.array_equal(after.positions[:2], floaters.positions)
    assert np.allclose(after.radii, [1.2 / np.sqrt(2.0), 0.8, 1.2 / np.sqrt(2.0)])
    assert after.ages.tolist() == [0, 7, 0]
    assert after.positions[2, 2] == 0.0
    assert np.linalg.norm(after.positions[2]) == pytest.approx(0.7 * 1.2 / np.sqrt(2.0))


def crowd(count: int, radius: float, ages: int = 0) -> Floaters:
    """Floaters crowded on a circle, each a neighbour of all others."""
    angle = 2.0 * np.pi * np.arange(count) / count
    places = 0.2 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    return flat(places, np.full(count, radius), ages)


def test_of_a_crowd_some_die_and_some_are_left_whatever_the_seed() -> None:
    died = np.zeros(12, dtype=bool)
    for seed in range(30):
        dead = deaths(
            crowd(12, 0.3), np.zeros(12), all_pairs(12).ends_of, SETTINGS, 0.0, np.random.default_rng(seed)
        )
        assert not dead.all()
        died |= dead
    assert died.sum() > 6


def test_no_floater_dies_that_is_large_enough_moves_or_has_few_neighbours() -> None:
    fast = np.full(12, 2.0 * SETTINGS.equilibrium)
    for floaters, speed in (
        (crowd(12, 0.95), np.zeros(12)),
        (crowd(12, 0.6), fast),
        (crowd(4, 0.3), np.zeros(4)),
    ):
        count = len(floaters)
        for seed in range(20):
            rng = np.random.default_rng(seed)
            assert not deaths(floaters, speed, all_pairs(count).ends_of, SETTINGS, 0.0, rng).any()


def test_bounds_are_widened_only_after_a_while_and_up_to_a_limit() -> None:
    found = [patience(still) for still in (0, 25, 26, 10_000)]
    assert found == [0.0, 0.0, pytest.approx(0.005), pytest.approx(0.3)]


def test_a_floater_of_the_greatest_radius_splits_however_fast_it_is_driven() -> None:
    """Two at the ends of two wires drive each other, and moves as long as their radii leave the wires."""
    floaters = flat([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [2.0, 2.0])
    fast = np.full(2, 10.0 * SETTINGS.equilibrium)
    greatest = np.array([2.0, 3.0])
    assert fissions(floaters, np.full(2, SETTINGS.energy), fast, greatest, SETTINGS, 0.0).tolist() == [0]
