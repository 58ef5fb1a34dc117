import numpy as np
import pytest

from physplace_addon.core.implicit import neighbours
from physplace_addon.core.implicit.neighbours import near_pairs, pairs_of_some
from physplace_addon.core.implicit.particles import verlet_list
from physplace_addon.core.implicit.particles.attachment import constrained_velocity
from physplace_addon.core.implicit.particles.fission_and_death import fission
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.particles.repulsion import REACH, SPEEDUP, FloaterPairs, repulsion
from physplace_addon.core.implicit.particles.verlet_list import VerletList
from tests.core.implicit.surfaces import fourteen_spheres

ALPHA = 6.0


def scattered(count, seed=0, spread=1.0):
    """Floaters in a box, with radii between 0.05 and 0.05 (1 + spread)."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-0.5, 0.5, (count, 3)), 0.05 * (1.0 + spread * draw.random(count))


def all_pairs(count):
    first, second = np.triu_indices(count, 1)
    return FloaterPairs(first, second, np.ones(len(first)))


def energies(positions, radii):
    """E_ij for all i and j, by brute force."""
    square = ((positions[:, None] - positions[None]) ** 2).sum(axis=2)
    reach = REACH * np.maximum(radii[:, None], radii[None])
    each = ALPHA * np.exp(-square / (2.0 * radii[:, None] ** 2)) * (square < reach**2)
    np.fill_diagonal(each, 0.0)
    return each


def test_the_desired_velocity_is_down_the_slope_of_the_energy() -> None:
    """Equation 9, corrected, against differences of E_i = sum_j E_ij + E_ji."""
    positions, radii = scattered(20)
    felt = repulsion(positions, radii, radii, all_pairs(20), ALPHA)
    h = 1e-7
    for i, axis in [(0, 0), (3, 1), (7, 2), (19, 0)]:
        sides = []
        for step in (h, -h):
            moved = positions.copy()
            moved[i, axis] += step
            each = energies(moved, radii)
            sides.append(each[i].sum() + each[:, i].sum())
        slope = (sides[0] - sides[1]) / (2.0 * h)
        assert felt.desired_velocity[i, axis] == pytest.approx(
            -SPEEDUP * radii[i] ** 2 * slope, rel=1e-5, abs=1e-7
        )


def test_the_energy_and_how_it_grows_with_the_radius_are_those_of_the_sum() -> None:
    """D_i and equation 13."""
    positions, radii = scattered(30)
    felt = repulsion(positions, radii, radii, all_pairs(30), ALPHA)
    assert np.allclose(felt.energy, energies(positions, radii).sum(axis=1), rtol=1e-12)
    grown = radii.copy()
    grown[4] += 1e-8
    change = (energies(positions, grown)[4].sum() - felt.energy[4]) / 1e-8
    assert felt.stiffness[4] == pytest.approx(change, rel=1e-4)


@pytest.mark.parametrize("spread", [0.1, 30.0])
def test_neighbours_by_trees_are_those_of_all_pairs(spread) -> None:
    positions, radii = scattered(150, spread=spread)
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    near = np.triu(apart <= np.maximum(radii[:, None], radii[None]), 1)
    first, second = near_pairs(positions, radii)
    found = set(zip(np.minimum(first, second), np.maximum(first, second), strict=True))
    assert len(found) == len(first)
    assert set(zip(*np.nonzero(near), strict=True)) <= found


@pytest.mark.parametrize("spread", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("by_all", [2**16, 0], ids=["by all", "by cells"])
def test_neighbours_of_some_are_those_of_all_that_have_one_of_them(monkeypatch, spread, by_all) -> None:
    monkeypatch.setattr(neighbours, "_BY_ALL", by_all)
    positions, radii = scattered(300, spread=spread)
    some = np.random.default_rng(1).random(300) < 0.2
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    near = np.triu(apart <= np.maximum(radii[:, None], radii[None]), 1) & (some[:, None] | some[None])
    first, second = pairs_of_some(positions, radii, some)
    found = set(zip(np.minimum(first, second), np.maximum(first, second), strict=True))
    assert len(found) == len(first)
    assert found == set(zip(*np.nonzero(near), strict=True))


@pytest.mark.parametrize("small", [3000, 0], ids=["all looked for", "some looked for"])
def test_kept_neighbours_feel_what_all_pairs_feel_through_births_and_deaths(monkeypatch, small) -> None:
    monkeypatch.setattr(verlet_list, "_SMALL", small)
    draw = np.random.default_rng(2)
    positions, radii = scattered(100)
    ages = np.zeros(100, dtype=np.intp)
    floaters = Floaters(positions, radii, np.tile([0.0, 0.0, 1.0], (100, 1)), radii, ages)
    kept = VerletList()
    for step in range(30):
        pairs = kept.of(floaters, floaters.radii)
        felt = repulsion(floaters.positions, floaters.radii, floaters.radii, pairs, ALPHA)
        whole = energies(floaters.positions, floaters.radii).sum(axis=1)
        assert np.allclose(felt.energy, whole, rtol=1e-9, atol=1e-12), step
        parents = draw.choice(len(floaters), 3, replace=False)
        floaters = fission(floaters, parents, draw)
        dead = draw.random(len(floaters)) < 0.03
        kept.without(dead)
        floaters = floaters.take(~dead)
        moved = floaters.positions + 1e-3 * draw.normal(size=floaters.positions.shape)
        floaters = Floaters(moved, floaters.radii, floaters.gradients, floaters.desired, floaters.ages)


def test_floaters_keep_to_the_moving_surface_and_else_go_where_desired() -> None:
    """Equation 5: F' = -phi F, and what is given up of the desired velocity is along F_x."""
    blob = fourteen_spheres()
    draw = np.random.default_rng(0)
    places, desired = draw.normal(size=(20, 3)), draw.normal(size=(20, 3))
    rate = draw.normal(size=len(blob.parameters))
    value, gradient = blob.gradient(places)
    pull = blob.parameter_rate(places, rate) + 15.0 * value
    velocity = constrained_velocity(desired, gradient, pull)
    change = np.einsum("ri,ri->r", gradient, velocity) + blob.parameter_rate(places, rate)
    assert np.allclose(change, -15.0 * value, rtol=0.0, atol=1e-12)
    assert np.allclose(np.cross(velocity - desired, gradient), 0.0, atol=1e-12)
    assert not constrained_velocity(desired[:1], np.zeros((1, 3)), np.ones(1)).any()
