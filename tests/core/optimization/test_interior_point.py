"""The interior point ends where the conditions of Karush, Kuhn and Tucker say, for 1 to 500 bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, sparse

from physplace_addon.core.arrays import Bools, Floats
from physplace_addon.core.optimization.interior_point import (
    Solution,
    SparseQP,
    solve_sparse_qp,
)
from physplace_addon.core.optimization.step_qp import MANY, TrustRegion, solve_qp, trust_region_step


def heap(bodies: int, contacts: int, rng: np.random.Generator, touching: float = 0.5) -> SparseQP:
    """A step of bodies that weigh 1: contacts with the ground or with a body near in the list."""
    first, gap = rng.integers(bodies, size=contacts), rng.uniform(0.0, 0.2, contacts)
    second = first + rng.integers(-3, 4, size=contacts)
    normal = rng.normal(size=(contacts, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    normal[:, 2] = np.abs(normal[:, 2])
    rows = np.zeros((contacts, bodies, 6))
    for body, sign in ((first, 1.0), (second, -1.0)):
        there = (body >= 0) & (body < bodies) & ((sign > 0.0) | (body != first))
        arm = 0.5 * rng.normal(size=(contacts, 3))
        wrench = sign * np.concatenate([normal, np.cross(arm, normal)], axis=1)
        rows[np.flatnonzero(there), body[there]] += wrench[there]
    weight = np.tile([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], bodies)
    bounds = -gap * (rng.random(contacts) > touching)
    return programme(3.0 * np.eye(6 * bodies), weight, rows.reshape(contacts, -1), bounds)


def programme(
    matrix: Floats, linear: Floats, rows: Floats, bounds: Floats, equations: Bools | None = None
) -> SparseQP:
    """A programme without limits."""
    none = np.zeros(len(bounds), bool)
    return SparseQP(
        sparse.csr_array(matrix),
        linear,
        sparse.csr_array(rows),
        bounds,
        none if equations is None else equations,
        np.full(len(linear), np.inf),
    )


def solved(given: SparseQP, like: Solution | None = None) -> Solution:
    """The solution of a programme that has one."""
    solution = solve_sparse_qp(given, like)
    assert solution is not None
    return solution


def assert_optimal(given: SparseQP, solution: Solution) -> None:
    x, forces = solution.x, solution.multipliers
    scale = 1.0 + np.abs(forces).max(initial=0.0)
    slack = given.rows @ x - given.bounds
    free = ~given.equations
    assert (forces[free] >= 0.0).all()
    assert slack[free].min(initial=0.0) >= -1e-10
    assert np.abs(slack[~free]).max(initial=0.0) <= 1e-9
    assert np.abs(forces[free] * slack[free]).max(initial=0.0) <= 1e-9 * scale
    descent = given.matrix @ x - given.linear - given.rows.T @ forces
    at_limit = np.abs(x) >= given.limits * (1.0 - 1e-6)
    assert np.abs(descent[~at_limit]).max(initial=0.0) <= 1e-8 * scale
    assert (np.abs(x) <= given.limits * (1.0 + 1e-9)).all()
    assert (descent[at_limit] * x[at_limit] <= 1e-8 * scale).all()


@pytest.mark.parametrize(("bodies", "seeds"), [(1, 20), (2, 20), (8, 10), (30, 4), (120, 2), (500, 1)])
@pytest.mark.parametrize("limit", [np.inf, 0.2, 1e-3])
def test_the_solution_of_a_heap_is_optimal(bodies: int, seeds: int, limit: float) -> None:
    for seed in range(seeds):
        rng = np.random.default_rng([bodies, seed])
        given = heap(bodies, (2, 8, 14)[seed % 3] * bodies, rng)
        given = replace(given, limits=np.full(6 * bodies, limit))
        assert_optimal(given, solved(given))


@pytest.mark.parametrize("bodies", [1, 3, 12])
def test_scipy_finds_the_same_forces_residual(bodies: int) -> None:
    """With c = J x0 the dual is least squares, min |L^-1 (w + J' f) - L' x0| with f >= 0."""
    for seed in range(5):
        rng = np.random.default_rng([bodies, seed])
        root = rng.normal(size=(6, 6))
        matrix: Floats = np.kron(np.eye(bodies), root @ root.T + 0.3 * np.eye(6)).astype(np.float64)
        base = heap(bodies, 8 * bodies, rng)
        rows, there = base.rows.toarray(), 0.1 * rng.normal(size=6 * bodies)
        given = programme(matrix, base.linear, rows, rows @ there)
        lower = np.linalg.cholesky(matrix)
        target = lower.T @ there - np.linalg.solve(lower, base.linear)
        forces, _ = optimize.nnls(np.linalg.solve(lower, rows.T), target, maxiter=10000)
        expected = np.linalg.solve(matrix, base.linear + rows.T @ forces)
        assert np.abs(solved(given).x - expected).max() < 1e-7


def test_rows_that_come_many_times_change_nothing_and_share_their_force() -> None:
    given = heap(6, 40, np.random.default_rng(1))
    once, rows = solved(given), given.rows.toarray()
    given = programme(given.matrix.toarray(), given.linear, np.tile(rows, (5, 1)), np.tile(given.bounds, 5))
    often = solved(given)
    assert_optimal(given, often)
    assert np.abs(often.x - once.x).max() < 1e-9
    assert np.ptp(often.multipliers.reshape(5, -1), axis=0).max() < 1e-6


def test_a_wall_of_many_contacts_on_few_motions_is_solved() -> None:
    """Forty contacts a joint, far more than its motions: their forces are not unique."""
    bodies, rng = 12, np.random.default_rng(5)
    at = rng.uniform(-0.5, 0.5, size=(bodies, 40, 2))
    wrench = np.stack(
        [np.zeros_like(at[..., 0])] * 2 + [np.ones_like(at[..., 0]), at[..., 1], -at[..., 0]], -1
    )
    rows = np.zeros((bodies, 40, bodies, 6))
    for body in range(bodies):
        rows[body, :, body, :5] = wrench[body]
        if body:
            rows[body, :, body - 1, :5] = -wrench[body]
    weight = np.tile([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], bodies)
    given = programme(3.0 * np.eye(6 * bodies), weight, rows.reshape(-1, 6 * bodies), np.zeros(40 * bodies))
    solution = solved(given)
    assert_optimal(given, solution)
    assert np.abs(solution.x).max() < 1e-9
    carried = solution.multipliers.reshape(bodies, 40).sum(axis=1)
    assert np.abs(carried - np.arange(bodies, 0, -1)).max() < 1e-8


def test_equations_may_pull() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        given = heap(10, 30, rng)
        equations = np.arange(30) < 6
        given = replace(given, equations=equations, linear=-given.linear)
        solution = solved(given)
        assert_optimal(given, solution)
        assert np.abs((given.rows @ solution.x - given.bounds)[equations]).max() < 1e-10


@pytest.mark.parametrize("bodies", [1, 10, 60])
def test_rows_that_contradict_one_another_have_no_solution(bodies: int) -> None:
    for seed in range(6):
        rng = np.random.default_rng([bodies, seed])
        given = heap(bodies, 8 * bodies, rng)
        rows = given.rows.toarray()
        row = int(rng.integers(len(rows)))
        both = np.vstack([rows, -2.0 * rows[row]])
        bounds = np.append(given.bounds, -2.0 * given.bounds[row] + 0.01)
        assert solve_sparse_qp(programme(given.matrix.toarray(), given.linear, both, bounds)) is None


def test_what_only_a_longer_step_obeys_has_no_solution_within_the_limits() -> None:
    given = heap(10, 60, np.random.default_rng(2))
    lifted = replace(given, bounds=np.where(np.arange(60) == 7, 0.5, given.bounds))
    assert_optimal(lifted, solved(lifted))
    assert solve_sparse_qp(replace(lifted, limits=np.full(60, 0.05))) is None


def test_a_similar_solution_is_a_good_start() -> None:
    rng = np.random.default_rng(3)
    given = replace(heap(60, 480, rng), limits=np.full(360, 0.2))
    cold = solved(given)
    moved = replace(given, bounds=given.bounds - 1e-3 * rng.random(480))
    warm = solved(moved, cold)
    assert_optimal(moved, warm)
    assert np.abs(warm.x - solved(moved).x).max() < 1e-7
    assert warm.iterations < 0.7 * solved(moved).iterations


def test_no_row_or_no_force_is_no_trouble() -> None:
    none = programme(2.0 * np.eye(12), np.ones(12), np.zeros((0, 12)), np.zeros(0))
    assert np.abs(solved(none).x - 0.5).max() < 1e-9
    still = programme(np.eye(12), np.zeros(12), np.eye(12), np.full(12, -0.1))
    assert np.abs(solved(still).x).max() < 1e-9


@pytest.mark.parametrize("lack", [1e-2, 1e-6, 1e-11])
def test_a_small_lack_is_made_up_beside_rows_with_room_to_spare(lack: float) -> None:
    size = MANY + 6
    rows = np.eye(size)
    bounds = np.where(np.arange(size) == 3, lack, -0.3)
    step = solve_qp(np.eye(size), np.zeros(size), rows, bounds)
    assert step is not None
    assert np.abs(step.x - np.where(np.arange(size) == 3, lack, 0.0)).max() < 1e-6 * lack


@pytest.mark.parametrize("bodies", [8, 20])
@pytest.mark.parametrize("seed", range(3))
def test_the_least_correction_of_a_heap_is_found_beside_far_contacts(bodies: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = heap(bodies, 48 * bodies, rng).rows.toarray()
    near = rng.random(len(rows)) < 0.3
    somewhere = rows @ (1e-4 * rng.normal(size=6 * bodies)) - 1e-6 * rng.random(len(rows))
    bounds = np.where(near, somewhere, -0.25 * rng.random(len(rows)))
    given = programme(np.eye(6 * bodies), np.zeros(6 * bodies), rows, bounds)
    assert_optimal(given, solved(given))


def test_no_block_of_many_moves_farther_than_the_trust_radius() -> None:
    rng = np.random.default_rng(8)
    given = heap(20, 160, rng)
    radius = np.where(np.arange(20) < 10, 0.1, 0.01)
    region = TrustRegion(
        radius, np.repeat(np.arange(20), 6), lambda x: np.linalg.norm(x.reshape(20, 6), axis=1)
    )
    matrix, rows = given.matrix.toarray(), given.rows.toarray()
    step = trust_region_step(matrix, given.linear, rows, given.bounds, region)
    assert step is not None
    assert (region.excess(step.x) <= 1.0).all()
    assert (region.excess(step.x) > 0.9).any()
    assert (rows @ step.x >= given.bounds - 1e-10).all()


def test_limits_that_become_narrower_on_the_way_lead_to_the_solution_within_them() -> None:
    given = replace(heap(30, 240, np.random.default_rng(9)), limits=np.full(180, 0.2))
    limits = np.where(np.arange(180) < 90, 0.02, 0.2)

    def narrowing(x: Floats) -> Floats | None:
        return limits if (np.abs(x) > limits).any() else None

    found = solve_sparse_qp(given, narrowing=narrowing)
    assert found is not None
    within = replace(given, limits=limits)
    assert_optimal(within, found)
    assert np.abs(found.x - solved(within).x).max() < 1e-8
