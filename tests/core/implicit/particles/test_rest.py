"""Which floaters rest while a surface changes, and that those would hardly move."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import cKDTree

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Floaters, FloaterSettings, Sampling, blobby_spheres
from physplace_addon.core.implicit.particles import attachment
from physplace_addon.core.implicit.particles import sampling as sampling_module
from physplace_addon.core.implicit.particles.repulsion import repulsion, settled_radii
from physplace_addon.core.implicit.particles.rest import Rest
from physplace_addon.core.implicit.projection import newton_step
from tests.core.implicit.even import crossings, density, off, uncovered, variation
from tests.core.implicit.particles.scattered_floaters import ALPHA, all_pairs
from tests.core.implicit.particles.test_neighbour_table import sheet

DT = 0.03
RADIUS = 0.07


def carried(floaters: Floaters, move: Floats) -> Floaters:
    return Floaters(
        floaters.positions + move, floaters.radii, floaters.gradients, floaters.desired, floaters.ages
    )


def woken(rest: Rest, floaters: Floaters) -> set[int]:
    """Those that are awake in the next two steps in which any is: in the first their neighbours are found."""
    found: list[int] = []
    for _ in range(6):
        found += rest.awake(floaters).tolist()
    return set(found)


def test_all_wait_in_two_of_three_steps() -> None:
    rest, floaters = Rest(), sheet()
    evaluated = [len(rest.awake(floaters)) > 0 for _ in range(6)]
    assert evaluated == 2 * [True, False, False]


def test_a_floater_wakes_with_its_neighbours_once_it_has_moved_by_a_share_of_its_radius() -> None:
    floaters = sheet()
    rest, middle = Rest.of_calm(floaters), 8 * 16 + 8
    assert woken(rest, floaters) == set()
    move = np.zeros((len(floaters), 3), order="F")
    move[middle, 2] = 0.04 * 0.1
    assert woken(rest, carried(floaters, move)) == set()
    awake = woken(rest, carried(floaters, 2.0 * move))
    apart = np.linalg.norm(floaters.positions - floaters.positions[middle], axis=1)
    assert middle in awake
    assert set(np.flatnonzero(apart < 2.4 * 0.1).tolist()) <= awake
    assert len(awake) <= 12


def test_a_floater_that_may_be_born_from_or_die_does_not_rest() -> None:
    floaters = sheet()
    rest = Rest.of_calm(floaters)
    assert woken(rest, floaters) == set()
    floaters.desired[[40, 120]] = 0.1 / 0.84, 0.1 / 1.01  # as near a point that is dragged
    assert {40, 120} <= woken(rest, floaters)


def balls(place: float) -> Floats:
    """The parameters of a row of five balls, the last of them pulled out by a length."""
    centres = np.array([[0.8 * number, 0.0, 0.0] for number in range(5)])
    centres[-1, 0] += place
    return blobby_spheres(0.5, centres, 0.6).parameters


def test_while_one_end_is_pulled_out_the_rest_rests_evenly_and_would_hardly_move() -> None:
    blob = blobby_spheres(0.5, np.zeros((5, 3)), 0.6)
    before = blob.with_parameters(balls(0.0))
    sampling = Sampling(FloaterSettings(RADIUS), np.random.default_rng(3))
    floaters = sampling.first_floaters(before)
    for _ in range(90):
        floaters = sampling.advance(floaters, before)
    start = floaters
    for place in np.linspace(0.0, 0.8, 81)[1:]:
        after = blob.with_parameters(balls(place))
        rate = (after.parameters - before.parameters) / DT
        floaters, before = sampling.advance(floaters, before, rate, after), after
        assert off(after, floaters) <= 0.05
    assert sampling._rest is not None
    while not len(awake := sampling._rest.awake(floaters)):
        pass
    asleep = np.setdiff1d(np.arange(len(floaters)), awake)
    assert len(asleep) > 0.4 * len(floaters)
    force = settled_radii(floaters.radii, floaters.desired)
    felt = repulsion(floaters.positions, floaters.radii, force, all_pairs(len(floaters)), ALPHA)
    normals, push = floaters.normals, felt.desired_velocity
    move = DT * (push - np.einsum("ri,ri->r", push, normals)[:, None] * normals)
    assert np.linalg.norm(move[asleep], axis=1).max() < 0.06 * RADIUS
    still = start.positions[:, 0] < 1.0
    assert np.count_nonzero(floaters.positions[:, 0] < 1.0) == np.count_nonzero(still)
    points, area = crossings(before, 0.4 * RADIUS)
    assert variation(floaters.take(floaters.positions[:, 0] < 1.0)) <= 0.05
    assert 0.32 <= density(floaters, area, RADIUS) <= 0.37
    for _ in range(40):
        floaters = sampling.advance(floaters, before)
    assert variation(floaters) <= 0.05
    assert uncovered(floaters, points, area) <= 1.25


def test_floaters_of_a_surface_that_moves_steadily_are_put_on_it_by_one_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blob = blobby_spheres(0.5, np.zeros((5, 3)), 0.6)
    before = blob.with_parameters(balls(0.0))
    sampling = Sampling(FloaterSettings(RADIUS), np.random.default_rng(3))
    floaters = sampling.first_floaters(before)
    for _ in range(60):
        floaters = sampling.advance(floaters, before)
    evaluated: list[int] = []

    def counting(value: Floats, gradients: Floats, farthest: float) -> tuple[Floats, Floats]:
        evaluated.append(len(value))
        return newton_step(value, gradients, farthest)

    monkeypatch.setattr(attachment, "newton_step", counting)
    again = []
    for place in np.linspace(0.0, 0.4, 31)[1:]:
        after = blob.with_parameters(balls(place))
        evaluated.clear()
        floaters, before = sampling.advance(floaters, before, None, after), after
        again.append(sum(evaluated) / len(floaters) - 1.0)
        assert off(after, floaters) <= 1e-3
    assert again[0] > 0.1  # nothing is expected of a surface that has rested
    assert np.mean(again[2:]) < 0.02


def test_none_rests_in_a_crowd_on_a_surface_that_has_shrunk() -> None:
    """A table of the nearest has too few of those that are near then."""
    sampling = Sampling(FloaterSettings(0.1), np.random.default_rng(0))
    balls = [blobby_spheres(0.5, [[0.0, 0.0, 0.0]], radius) for radius in (1.0, 0.99, 0.5, 0.49, 0.48, 0.47)]
    floaters = sampling.first_floaters(balls[0])
    for _ in range(60):
        floaters = sampling.advance(floaters, balls[0])
    crowded = []
    for before, after in pairwise(balls):
        was_full = bool((floaters.radii / floaters.desired).mean() < 0.7)
        floaters = sampling.advance(floaters, before, None, after)
        assert (sampling._rest is None) == was_full
        crowded.append(was_full)
    assert set(crowded) == {False, True}


def test_floaters_that_are_put_in_order_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling_module, "_LARGE", 10)
    before, after = (blobby_spheres(0.5, [[0.0, 0.0, 0.0]], radius) for radius in (1.0, 1.001))
    sampling = Sampling(FloaterSettings(0.12), np.random.default_rng(0))
    floaters = sampling.first_floaters(before)
    for _ in range(60):
        floaters = sampling.advance(floaters, before)
    moved = sampling.advance(floaters, before, None, after)
    assert len(moved) == len(floaters)
    nearest, whose = cKDTree(floaters.positions).query(moved.positions)
    assert np.max(nearest) < 0.01
    assert np.array_equal(np.sort(whose), np.arange(len(floaters)))
    assert not np.array_equal(whose, np.arange(len(floaters)))
    assert np.allclose(moved.radii, floaters.radii[whose], rtol=0.05)
    assert np.array_equal(moved.ages, floaters.ages[whose] + 1)
    assert np.allclose(moved.gradients, after.gradient(moved.positions)[1], rtol=0.02, atol=0.01)


def test_a_surface_that_swings_to_and_fro_hardly_loses_and_regrows_floaters() -> None:
    """One end of a row of balls goes round six times: with the bounds of a surface at rest 309 were born."""
    blob, born = blobby_spheres(0.5, np.zeros((5, 3)), 0.6), 0
    sampling = Sampling(FloaterSettings(RADIUS), np.random.default_rng(0))
    before = blob.with_parameters(balls(0.0))
    floaters = sampling.first_floaters(before)
    for _ in range(90):
        floaters = sampling.advance(floaters, before)
    for turn in 2.0 * np.pi * np.arange(360) / 60.0:
        parameters = balls(0.1 * np.sin(turn))
        parameters[-3] = 0.1 * (1.0 - np.cos(turn))
        after = blob.with_parameters(parameters)
        rate = (after.parameters - before.parameters) / DT
        floaters, before = sampling.advance(floaters, before, rate, after), after
        born += int(np.count_nonzero(floaters.ages == 0)) // 2
    assert born <= 200
