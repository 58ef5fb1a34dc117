"""A step's QP ends where the conditions of Karush, Kuhn and Tucker say, or says that nothing does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import null_space

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.step_qp import (
    Step,
    TrustRegion,
    lagrangian_curvature,
    solve_qp,
    trust_region_step,
)

DOWN = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])


def within(radius: float) -> TrustRegion:
    """The region of the steps of one block of six no longer than a radius."""
    return TrustRegion(radius, np.zeros(6, int), lambda x: np.array([np.linalg.norm(x)]))


def within_two(radius: float) -> TrustRegion:
    """The same of one block of two."""
    return TrustRegion(radius, np.zeros(2, int), lambda x: np.array([np.linalg.norm(x)]))


def problem(seed: int, count: int) -> tuple[Floats, Floats, Floats, Floats]:
    """A random QP that some x obeys: B, w, J, room."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    gradients = rng.normal(size=(count, 6))
    room = gradients @ rng.normal(size=6) - rng.uniform(0.0, 0.3, count) * (rng.random(count) < 0.7)
    return root @ root.T + 0.1 * np.eye(6), 3.0 * rng.normal(size=6), gradients, room


def solved(matrix: Floats, wrench: Floats, gradients: Floats, room: Floats) -> Step:
    """The solution of a QP that has one."""
    step = solve_qp(matrix, wrench, gradients, room)
    assert step is not None
    return step


def trusted(matrix: Floats, wrench: Floats, gradients: Floats, room: Floats, trust: TrustRegion) -> Step:
    """The step of a problem that has one within the trust region."""
    step = trust_region_step(matrix, wrench, gradients, room, trust)
    assert step is not None
    return step


def assert_optimal(step: Step, matrix: Floats, wrench: Floats, gradients: Floats, room: Floats) -> None:
    scale = 1.0 + np.abs(step.forces).max(initial=0.0)
    slack = gradients @ step.x - room
    assert (step.forces >= 0.0).all()
    assert slack.min(initial=0.0) >= -1e-9 * scale
    assert np.abs(step.forces * slack).max(initial=0.0) <= 1e-8 * scale**2
    assert np.abs(matrix @ step.x - wrench - gradients.T @ step.forces).max() <= 1e-9 * scale


@pytest.mark.parametrize("count", [0, 1, 3, 6, 12, 60])
def test_the_solution_is_optimal(count: int) -> None:
    for seed in range(15):
        given = problem(seed, count)
        assert_optimal(solved(*given), *given)


def test_rows_that_come_twice_change_nothing() -> None:
    for seed in range(10):
        matrix, wrench, gradients, room = problem(seed, 8)
        once = solved(matrix, wrench, gradients, room)
        gradients, room = np.vstack([gradients] * 3), np.tile(room, 3)
        thrice = solved(matrix, wrench, gradients, room)
        assert_optimal(thrice, matrix, wrench, gradients, room)
        assert np.abs(once.x - thrice.x).max() < 1e-8


def test_without_rows_the_body_follows_the_wrench() -> None:
    step = solved(2.0 * np.eye(6), DOWN, np.zeros((0, 6)), np.zeros(0))
    assert np.allclose(step.x, 0.5 * DOWN)
    assert len(step.forces) == 0


@pytest.mark.parametrize(
    "solve", [solve_qp, lambda b, w, j, room: trust_region_step(b, w, j, room, within(0.1))]
)
def test_rows_that_contradict_one_another_have_no_solution(
    solve: Callable[[Floats, Floats, Floats, Floats], Step | None],
) -> None:
    up = -DOWN
    rows = np.vstack([up, -up])
    assert solve(np.eye(6), DOWN, rows, np.array([0.01, 0.01])) is None
    assert solve(np.eye(6), DOWN, rows, np.array([0.01, -0.01])) is not None


def test_a_contradiction_among_many_rows_is_seen() -> None:
    rng = np.random.default_rng(3)
    weights = rng.uniform(0.5, 1.0, 8)
    rows = rng.normal(size=(8, 6))
    rows[-1] = -(weights[:-1] @ rows[:-1]) / weights[-1]
    room = rng.uniform(0.1, 1.0, 8)  # the weighted rows sum to zero, their rooms do not
    assert solve_qp(np.eye(6), DOWN, rows, room) is None


def test_the_trust_is_respected_and_so_are_the_rows() -> None:
    for seed in range(20):
        matrix, wrench, gradients, _ = problem(seed, 10)
        room = -0.01 * np.random.default_rng(seed).random(10)
        for trust in (1e-6, 1e-3, 0.05, 0.5):
            step = trusted(matrix, wrench, gradients, room, within(trust))
            assert np.linalg.norm(step.x) <= trust
            assert (gradients @ step.x - room).min() >= -1e-9
            assert (step.forces >= 0.0).all()


def test_only_a_longer_step_than_trusted_is_no_step() -> None:
    rows = -DOWN[None]
    assert trust_region_step(np.eye(6), DOWN, rows, np.array([0.2]), within(0.1)) is None
    step = trusted(np.eye(6), DOWN, rows, np.array([0.05]), within(0.1))
    assert np.allclose(step.x, -0.05 * DOWN, atol=1e-9)


def test_where_the_energy_curves_down_the_step_still_falls() -> None:
    matrix = np.diag([1.0, 1.0, 1.0, -5.0, 0.0, 1.0])
    wrench = np.array([0.0, 0.0, 0.0, 0.1, 0.1, 0.0])
    step = trusted(matrix, wrench, np.zeros((0, 6)), np.zeros(0), within(0.05))
    assert 0.02 < np.linalg.norm(step.x) <= 0.05
    assert step.x[3] > 0.0
    assert step.x[4] > 0.0


def test_a_body_on_a_floor_presses_it_with_its_weight() -> None:
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    gradients = np.array([[0.0, 0.0, 1.0, y, -x, 0.0] for x, y in corners])
    step = trusted(np.zeros((6, 6)), DOWN, gradients, np.zeros(4), within(0.05))
    assert np.abs(step.x).max() < 1e-9
    assert abs(step.forces.sum() - 1.0) < 1e-9


def test_the_curvature_is_that_of_the_pressing_rows_on_the_motions_they_leave_free() -> None:
    rng = np.random.default_rng(5)
    gradients, bounds, hessians = rng.normal(size=(3, 6)), rng.normal(size=3), rng.normal(size=(3, 6, 6))
    hessians = hessians + hessians.transpose(0, 2, 1)
    matrix, linear = lagrangian_curvature(np.array([2.0, 0.0, 0.5]), gradients, bounds, hessians)
    pressing, sought = gradients[[0, 2]], bounds[[0, 2]]
    free = null_space(pressing)
    bend = -2.0 * hessians[0] - 0.5 * hessians[2]
    held = np.eye(6) - free @ free.T
    values, vectors = np.linalg.eigh(held @ bend @ held)
    convex = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T
    expected = free @ free.T @ bend @ free @ free.T + convex + 10.0 * pressing.T @ pressing
    assert np.allclose(matrix, expected, atol=1e-12)
    assert np.allclose(linear, 10.0 * pressing.T @ sought, atol=1e-12)


def test_curvature_across_the_pressing_rows_is_no_wall_in_free_directions() -> None:
    """A row holds x and curves as x y: the matrix is indefinite, and along y nothing curves."""
    gradients, bounds = np.array([[1.0, 0.0]]), np.zeros(1)
    hessians = np.array([[[0.0, 5.0], [5.0, 0.0]]])
    matrix, linear = lagrangian_curvature(np.ones(1), gradients, bounds, hessians)
    step = trust_region_step(matrix, np.array([-1.0, 1e-4]) + linear, gradients, bounds, within_two(0.05))
    assert step is not None
    assert 0.015 < step.x[1] <= 0.05


def test_a_pressing_row_that_is_still_away_draws_the_step_and_is_no_wall() -> None:
    gradients, bounds = np.array([[0.0, 1.0]]), np.array([-0.03])
    matrix, linear = lagrangian_curvature(np.array([0.1]), gradients, bounds, np.zeros((1, 2, 2)))
    step = trust_region_step(matrix, np.array([0.0, -0.1]) + linear, gradients, bounds, within_two(0.05))
    assert step is not None
    assert step.x[1] == pytest.approx(-0.03, abs=1e-12)


def test_a_small_lack_beside_much_room_is_made_good() -> None:
    rows = np.concatenate([np.eye(6), np.random.default_rng(3).normal(size=(40, 6))])
    room = np.concatenate([[2e-10], np.zeros(5), np.full(40, -0.08)])
    step = solved(np.eye(6), np.zeros(6), rows, room)
    assert abs(step.x[0] - 2e-10) < 1e-15
    assert np.abs(step.x[1:]).max() < 1e-15


@pytest.mark.parametrize("lack", [-0.2, 0.0, 0.2])
def test_a_row_that_no_motion_changes_holds_or_not_but_breaks_nothing(lack: float) -> None:
    rows = np.vstack([-DOWN, np.zeros(6)])
    step = solve_qp(np.eye(6), DOWN, rows, np.array([0.1, lack]))
    assert (step is None) is (lack > 0.0)
    if step is not None:
        assert np.allclose(step.x, -0.1 * DOWN, atol=1e-15)
        assert np.allclose(step.forces, [1.1, 0.0], atol=1e-14)


def test_each_block_is_shortened_by_itself() -> None:
    """A body that falls does not slow down one that hardly moves."""
    region = TrustRegion(0.1, np.repeat([0, 1], 6), lambda x: np.linalg.norm(x.reshape(2, 6), axis=1))
    linear = np.zeros(12)
    linear[2], linear[8] = -5.0, -0.05
    step = trusted(np.eye(12), linear, np.zeros((0, 12)), np.zeros(0), region)
    assert 0.05 < np.linalg.norm(step.x[:6]) <= 0.1
    assert abs(step.x[8] + 0.05) < 1e-4


def test_a_step_that_is_cut_short_is_about_as_long_as_trusted() -> None:
    cut = 0
    for seed in range(20):
        matrix, wrench, gradients, _ = problem(seed, 10)
        room = -0.01 * np.random.default_rng(seed).random(10)
        free = float(np.linalg.norm(solved(matrix + 1e-4 * np.eye(6), wrench, gradients, room).x))
        for trust in (1e-3, 0.05, 0.5):
            step = trusted(matrix, wrench, gradients, room, within(trust))
            similar = 1.1 * matrix, 0.9 * wrench, gradients, room
            again = trust_region_step(*similar, within(trust), start=step.viscosity)
            assert again is not None
            assert min(0.9 * trust, free - 1e-9) <= np.linalg.norm(step.x) <= trust
            assert min(0.9 * trust, 0.7 * free) <= np.linalg.norm(again.x) <= trust
            cut += free > trust
    assert cut > 20
