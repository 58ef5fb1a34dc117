"""Friction holds what textbooks say, and forces in the cones leave the least that any can."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from physplace_addon.core.arrays import Floats
from physplace_addon.core.mechanics.balance import balance
from physplace_addon.core.mechanics.friction import coulomb_balance, friction_wrench, required_friction
from physplace_addon.core.optimization.friction_cones import tangents
from tests.core.mechanics.contacts import (
    FEET,
    KINDS,
    UP,
    WEIGHT,
    all_around,
    between,
    contact_maps,
    heap,
    held_by_facets,
    in_a_bowl,
    left_by_facets,
)


def assert_least(
    wrench: Floats, maps: Floats, normals: Floats, mu: float | Floats, tolerance: float = 1e-12
) -> tuple[Floats, Floats]:
    """What tells the least squares over cones: forces in the cones, slips in their duals, and no power."""
    forces, residual = coulomb_balance(wrench, maps, normals, mu)
    largest = max(np.linalg.norm(wrench), np.abs(forces).max())
    press, slip = (forces * normals).sum(axis=1), residual @ maps
    apart = (slip * normals).sum(axis=1)
    across = [np.linalg.norm(v - p[:, None] * normals, axis=1) for v, p in ((forces, press), (slip, apart))]
    assert (across[0] <= mu * press + 1e-14 * largest).all()
    assert np.abs(residual - wrench - np.einsum("kdi,ki->d", maps, forces)).max() < tolerance * largest
    assert (apart >= mu * across[1] - tolerance * largest).all()
    assert np.abs((forces * slip).sum(axis=1)).max() < tolerance * largest**2
    return forces, residual


def size_left(wrench: Floats, maps: Floats, normals: Floats, mu: float) -> float:
    return float(np.linalg.norm(coulomb_balance(wrench, maps, normals, mu)[1]))


@pytest.mark.parametrize("count", [2, 5, 30])
def test_each_contact_may_have_its_own_coefficient(count: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        maps, normals = all_around(count, rng)
        mu = np.where(rng.uniform(size=count) < 0.3, 0.0, 10.0 ** rng.uniform(-3.0, 1.0, size=count))
        assert_least(rng.normal(size=6), maps, normals, mu)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 30])
def test_the_residual_is_the_least_that_forces_in_the_cones_leave(
    kind: Callable[[int, np.random.Generator], tuple[Floats, Floats]], count: int
) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        maps, normals = kind(count, rng)
        mu = 10.0 ** rng.uniform(-3.0, 1.0)
        for wrench in (WEIGHT, rng.normal(size=6)):
            assert_least(wrench, maps, normals, mu)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_least_close_to_the_least_coefficient_too(
    kind: Callable[[int, np.random.Generator], tuple[Floats, Floats]],
) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        maps, normals = kind(int(rng.integers(3, 9)), rng)
        mu = required_friction(WEIGHT, maps, normals)
        if 0.0 < mu < np.inf:
            for off in (-1e-2, -1e-4, 1e-4, 1e-2):
                assert_least(WEIGHT, maps, normals, mu * (1.0 + off))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_facets_inside_and_outside_of_the_cones_leave_more_and_less(count: int) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        maps, normals = in_a_bowl(count, rng)
        problem = WEIGHT, maps, normals, rng.uniform(0.1, 1.0)
        inside, outside = (left_by_facets(*problem, 48, which) for which in (False, True))
        assert outside - 1e-9 <= size_left(*problem) <= inside + 1e-9
        assert inside - outside < 1e-2


def test_one_contact_leaves_what_is_outside_of_its_cone() -> None:
    mu, normal = 0.5, np.array([0.0, 0.6, 0.8])
    edge = np.arctan(mu)
    maps = contact_maps(np.zeros((1, 3)))
    for angle in np.linspace(0.0, np.pi, 25):
        pull = -np.cos(angle) * normal + np.sin(angle) * np.array([0.0, 0.8, -0.6])
        expected = 0.0 if angle <= edge else np.sin(min(angle - edge, 0.5 * np.pi))
        wrench = np.concatenate([pull, np.zeros(3)])
        assert abs(size_left(wrench, maps, normal[None], mu) - expected) < 1e-14


def test_without_friction_it_is_the_balance_of_pushes() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        maps, normals = in_a_bowl(7, rng)
        gradients = np.einsum("kdi,ki->kd", maps, normals)
        assert (
            np.abs(coulomb_balance(WEIGHT, maps, normals, 0.0)[1] - balance(WEIGHT, gradients)[1]).max()
            < 1e-14
        )


def test_a_heap_of_twenty_bodies_is_balanced_as_a_whole() -> None:
    maps, normals, weight = heap(20, 200, np.random.default_rng(2))
    assert np.abs(assert_least(weight, maps, normals, 0.2)[1]).max() < 1e-12
    assert np.linalg.norm(assert_least(weight, maps, normals, 0.02)[1]) > 0.1


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e6])
def test_a_heavier_wrench_is_held_by_as_much_larger_forces(scale: float) -> None:
    maps, normals = in_a_bowl(4, np.random.default_rng(3))
    forces, residual = coulomb_balance(WEIGHT, maps, normals, 0.1)
    heavier, left = coulomb_balance(scale * WEIGHT, maps, normals, 0.1)
    assert np.abs(heavier - scale * forces).max() < 1e-12 * scale
    assert np.abs(left - scale * residual).max() < 1e-12 * scale
    needed = required_friction(WEIGHT, maps, normals)
    assert abs(required_friction(scale * WEIGHT, maps, normals) - needed) <= 1e-5 * needed


@pytest.mark.slow
def test_the_world_turned_turns_the_residual() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        arms, normals = rng.normal(size=(5, 3)), in_a_bowl(5, rng)[1]
        turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
        both = np.kron(np.eye(2), turn)
        there = both @ WEIGHT, contact_maps(arms @ turn.T), normals @ turn.T
        residual = coulomb_balance(WEIGHT, contact_maps(arms), normals, 0.2)[1]
        assert np.abs(coulomb_balance(*there, 0.2)[1] - both @ residual).max() < 1e-12
        needed = required_friction(WEIGHT, contact_maps(arms), normals)
        assert needed == np.inf or abs(required_friction(*there) - needed) <= 1e-5 * needed


def test_contacts_that_come_twice_or_in_another_order_change_nothing() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        maps, normals = in_a_bowl(5, rng)
        order = np.concatenate([rng.permutation(5), [2, 2, 4]])
        residuals = [
            coulomb_balance(WEIGHT, m, n, 0.2)[1] for m, n in ((maps, normals), (maps[order], normals[order]))
        ]
        assert np.abs(residuals[0] - residuals[1]).max() < 1e-12
        needed = required_friction(WEIGHT, maps, normals)
        assert (
            needed == np.inf
            or abs(required_friction(WEIGHT, maps[order], normals[order]) - needed) <= 1e-5 * needed
        )


def test_nothing_touches_or_nothing_pulls() -> None:
    nothing = np.zeros((0, 6, 3)), np.zeros((0, 3))
    forces, residual = coulomb_balance(WEIGHT, *nothing, 0.5)
    assert forces.shape == (0, 3)
    assert np.array_equal(residual, WEIGHT)
    assert not friction_wrench(WEIGHT, *nothing, 0.5).any()
    assert required_friction(WEIGHT, *nothing) == np.inf
    floor = contact_maps(FEET), np.tile(UP, (4, 1))
    assert not coulomb_balance(np.zeros(6), *floor, 0.5)[0].any()
    assert required_friction(np.zeros(6), *floor) == 0.0


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
def test_friction_on_a_slope_takes_off_what_it_can(mu: float) -> None:
    slope, edge = np.radians(30.0), np.arctan(mu)
    pull = np.array([np.sin(slope), 0.0, -np.cos(slope), 0.0, 0.0, 0.0])
    found = friction_wrench(pull, contact_maps(FEET * [1.0, 1.0, 0.0]), np.tile(UP, (4, 1)), mu)
    expected = np.sin(slope) if edge > slope else np.sin(edge) * np.cos(slope - edge)
    assert np.abs(found - [-expected, 0.0, 0.0, 0.0, 0.0, 0.0]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_least_coefficient_holds_and_less_does_not(
    kind: Callable[[int, np.random.Generator], tuple[Floats, Floats]],
) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        maps, normals = kind(int(rng.integers(2, 9)), rng)
        wrench = WEIGHT if seed % 2 else rng.normal(size=6)
        mu = required_friction(wrench, maps, normals)
        if mu > 0.0:
            assert size_left(wrench, maps, normals, min(mu, 1e4) * (1.0 - 2e-5)) > 1e-8
        if mu < np.inf:
            assert size_left(wrench, maps, normals, mu * (1.0 + 1e-4)) < 1e-8


@pytest.mark.parametrize("kind", [in_a_bowl, all_around])
def test_linear_programmes_of_facets_agree_on_the_least_coefficient(
    kind: Callable[[int, np.random.Generator], tuple[Floats, Floats]],
) -> None:
    found = 0
    for seed in range(12):
        maps, normals = kind(5, np.random.default_rng(seed))
        mu = required_friction(WEIGHT, maps, normals)
        if 1e-3 < mu < 10.0:
            found += 1
            assert held_by_facets(WEIGHT, maps, normals, mu * 1.01)
            assert not held_by_facets(WEIGHT, maps, normals, mu * 0.99, outside=True)
    assert found >= 4


@pytest.mark.parametrize(
    ("bodies", "count", "seed"), [*((4, 30, i) for i in range(8)), (6, 40, 5), (6, 40, 7)]
)
def test_a_small_heap_needs_what_holds_all_of_it(bodies: int, count: int, seed: int) -> None:
    maps, normals, weight = heap(bodies, count, np.random.default_rng(seed))
    mu = required_friction(weight, maps, normals)
    assert size_left(weight, maps, normals, mu * (1.0 - 2e-5)) > 1e-8
    assert size_left(weight, maps, normals, mu * (1.0 + 1e-4)) < 1e-8


@pytest.mark.parametrize("degrees", [0.1, 1.0, 15.0, 40.0, 60.0, 89.0])
@pytest.mark.parametrize("heading", [0.0, 0.4, 1.1])
def test_a_block_on_an_incline_needs_the_tangent_of_its_angle(degrees: float, heading: float) -> None:
    slope = np.radians(degrees)
    turn = Rotation.from_euler("zy", [heading, slope]).as_matrix()
    arms = FEET * [1.0, 1.0, 0.0] @ turn.T
    found = required_friction(WEIGHT, contact_maps(arms), np.tile(turn[:, 2], (4, 1)))
    assert abs(found - np.tan(slope)) < 1e-5 * np.tan(slope)


def test_a_stack_on_an_incline_needs_no_more_than_one_block() -> None:
    slope, count = np.radians(20.0), 4
    turn = Rotation.from_euler("y", slope).as_matrix()
    low, high = FEET * [1.0, 1.0, 0.1] @ turn.T, FEET * [1.0, 1.0, -0.1] @ turn.T
    maps = [between(i, i - 1 if i else None, count, low, high) for i in range(count)]
    found = required_friction(
        np.tile(WEIGHT, count), np.concatenate(maps), np.tile(turn[:, 2], (4 * count, 1))
    )
    assert abs(found - np.tan(slope)) < 1e-5


@pytest.mark.parametrize("degrees", [45.0, 60.0, 75.0])
def test_two_cards_that_lean_on_one_another_need_half_the_cotangent(degrees: float) -> None:
    lean, aside = np.radians(degrees), np.array([[0.0, 0.3, 0.0], [0.0, -0.3, 0.0]])
    along = np.array([np.cos(lean), 0.0, np.sin(lean)])
    mirror = np.array([-1.0, 1.0, 1.0])
    feet = [between(i, None, 2, s * (aside - along), None) for i, s in enumerate((1.0, mirror))]
    top = between(0, 1, 2, aside + along, mirror * (aside + along))
    normals = np.concatenate([np.tile(UP, (4, 1)), np.tile([-1.0, 0.0, 0.0], (2, 1))])
    found = required_friction(np.tile(WEIGHT, 2), np.concatenate([*feet, top]), normals)
    assert abs(found - 0.5 / np.tan(lean)) < 1e-5


@pytest.mark.parametrize("degrees", [1e-3, 2.0, 20.0])
def test_a_wedge_is_jammed_where_the_walls_that_open_downwards_are_rough(degrees: float) -> None:
    lean = np.radians(degrees)
    side = np.array([np.cos(lean), 0.0, -np.sin(lean)])
    ends = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    normals = np.concatenate([np.tile(side, (2, 1)), np.tile(side * [-1.0, 1.0, 1.0], (2, 1))])
    arms = np.concatenate([ends + x for x in ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0])])
    found = required_friction(WEIGHT, contact_maps(arms), normals)
    assert abs(found - np.tan(lean)) < 1e-5 * np.tan(lean)


def test_between_parallel_walls_any_friction_at_all_jams_a_box() -> None:
    arms = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    normals = -arms * [1.0, 0.0, 0.0]
    assert 0.0 < required_friction(WEIGHT, contact_maps(arms), normals) < 1e-8
    assert required_friction(WEIGHT, contact_maps(arms[:4]), normals[:4]) == np.inf


def test_two_contacts_that_squeeze_hold_no_torque_about_their_line() -> None:
    arms, normals = (
        np.array([[-1.0, 0.0, 0.2], [1.0, 0.0, -0.2]]),
        np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]),
    )
    assert abs(required_friction(WEIGHT, contact_maps(arms), normals) - 0.2) < 1e-5
    twist = WEIGHT + np.concatenate([np.zeros(3), 1e-3 * arms[1]])
    assert required_friction(twist, contact_maps(arms), normals) == np.inf


def test_a_body_that_is_jammed_does_not_hide_one_that_needs_more() -> None:
    wedge, slope = np.radians(5.0), np.radians(25.0)
    side, down = np.array([np.cos(wedge), 0.0, -np.sin(wedge)]), np.array([np.sin(slope), 0.0, np.cos(slope)])
    arms = np.array([[-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    normals = np.array([side, side, side * [-1.0, 1.0, 1.0], side * [-1.0, 1.0, 1.0], *[down] * 3])
    foot = np.array(
        [[0.0, 1.0, 0.0], [np.cos(slope), -1.0, -np.sin(slope)], [-np.cos(slope), -1.0, np.sin(slope)]]
    )
    maps = np.concatenate([between(0, None, 2, arms, None), between(1, None, 2, foot, None)])
    assert abs(required_friction(np.tile(WEIGHT, 2), maps, normals) - np.tan(slope)) < 1e-5


@pytest.mark.parametrize("degrees", [50.0, 65.0, 80.0])
def test_a_ladder_that_leans_on_a_round_rail_needs_what_statics_says(degrees: float) -> None:
    lean = np.radians(degrees)
    along, across = np.array([np.cos(lean), 0.0, np.sin(lean)]), np.array([-np.sin(lean), 0.0, np.cos(lean)])
    aside = np.array([0.0, 0.1, 0.0])
    arms = np.array([-along + aside, -along - aside, along + aside, along - aside])
    normals = np.array([UP, UP, across, across])

    def held_by(
        mu: float,
    ) -> bool:  # rail N2 = cos/2 by torques about the foot; it may rub along the ladder as well
        rail = 0.5 * np.cos(lean)
        floor_up = 1.0 - rail * np.cos(lean) - mu * rail * np.sin(lean)
        return bool(rail * np.sin(lean) - mu * rail * np.cos(lean) <= mu * floor_up)

    grid = np.linspace(0.0, 1.0, 100_001)
    expected = grid[np.argmax([held_by(mu) for mu in grid])]
    assert abs(required_friction(WEIGHT, contact_maps(arms), normals) - expected) < 2e-5


def test_a_box_pressed_by_nothing_against_a_wall_is_not_held() -> None:
    arms = np.array([[1.0, y, z] for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    assert required_friction(WEIGHT, contact_maps(arms), np.tile([-1.0, 0.0, 0.0], (4, 1))) == np.inf


def test_a_box_flat_on_the_floor_needs_no_friction() -> None:
    assert required_friction(WEIGHT, contact_maps(FEET), np.tile(UP, (4, 1))) == 0.0


def test_a_ball_between_two_walls_that_close_downwards_needs_none() -> None:
    slopes = np.radians([30.0, 150.0])
    normals = np.array([[np.cos(a), 0.0, np.sin(a)] for a in slopes])
    assert required_friction(WEIGHT, contact_maps(-normals), normals) == 0.0


def test_tangents_make_a_right_handed_frame(rng: np.random.Generator) -> None:
    n = rng.normal(size=(20, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    frame = np.stack([*tangents(n), n], axis=1)
    assert np.abs(frame @ frame.transpose(0, 2, 1) - np.eye(3)).max() < 1e-14
    assert np.abs(np.linalg.det(frame) - 1.0).max() < 1e-14
