"""Any size, any start and any factorization lead to the same end, and what is given up early is safe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from physplace_addon.core.optimization.conic import cone_system
from physplace_addon.core.optimization.conic.conic_problem import (
    ConeQP,
    ConicQP,
    ConicSolution,
    ContactRows,
    Forces,
    LinearRows,
    ScaledConicQP,
)
from physplace_addon.core.optimization.conic.conic_qp import solve_conic_qp
from physplace_addon.core.optimization.conic.coulomb_law import DECREASE, PARTS, Point, damped, newton_change
from tests.core.optimization.conic.boxes_in_contact import (
    GRAVITY,
    STEP,
    UP,
    Scene,
    assert_lawful,
    ball_joints,
    heap,
    solved,
    wall,
    with_rows,
)


def test_the_longest_part_of_a_newton_step_that_lowers_the_residual_is_taken() -> None:
    """As where each part is tried by itself, with products of its own."""
    shorter = 0
    for seed in range(30):
        rng = np.random.default_rng([15, seed])
        given = wall(4, 2).problem(0.3 * rng.normal(size=48), 0.5)
        problem = ScaledConicQP(ConeQP.of(given)).problem
        point, change = (
            Point(rng.normal(size=48), np.zeros(0), rng.normal(size=problem.offsets.shape)) for _ in range(2)
        )
        before = problem.residuals(point)
        change = newton_change(problem, point, before) if seed % 2 else change
        tried = {part: problem.residuals(point.moved(change, part)).norm for part in PARTS}
        lower = [part for part, norm in tried.items() if norm < (1.0 - DECREASE * part) * before.norm]
        wanted = lower[0] if lower else min(tried, key=lambda part: tried[part])
        _, residuals = damped(problem, point, before, change)
        assert residuals.norm == tried[wanted]
        shorter += wanted < 1.0
    assert shorter > 5


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e2])
@pytest.mark.parametrize("heaviest", [1e-3, 1.0, 1e3])
def test_lengths_and_masses_of_any_size_are_scaled_inside(size: float, heaviest: float) -> None:
    rng = np.random.default_rng(4)
    masses = np.where(np.arange(8) % 3 == 1, heaviest, 1.0)
    velocity = 0.3 * rng.normal(size=(8, 6)) * np.array([1.0, 1.0, 1.0, 1.0 / size, 1.0 / size, 1.0 / size])
    problem = wall(4, 2, masses, size).problem(velocity.ravel(), 0.5)
    assert_lawful(problem, solved(problem))


def test_a_solution_is_found_again_from_itself() -> None:
    problem = wall(4, 2).problem(0.3 * np.random.default_rng(5).normal(size=48), 0.5)
    cold = solved(problem)
    again = solved(problem, cold)
    assert np.abs(again.x - cold.x).max() < 1e-9
    assert again.iterations <= 2


def test_a_similar_solution_leads_to_the_one_found_without_it() -> None:
    """Three contacts of a box determine its motion; four that slide need not, for their forces differ."""
    for seed in range(20):
        rng = np.random.default_rng([2, seed])
        scene, velocity = heap(1, 3, rng), rng.normal(size=6)
        like = solved(scene.problem(velocity + 1e-2 * rng.normal(size=6), 0.2))
        problem = scene.problem(velocity, 0.2)
        warm = solved(problem, like)
        assert_lawful(problem, warm)
        assert np.abs(warm.x - solved(problem).x).max() < 1e-9


@pytest.mark.parametrize(("layers", "columns"), [(4, 2), (6, 5)])
def test_a_wall_that_was_pushed_alike_before_takes_fewer_iterations(layers: int, columns: int) -> None:
    """The law holds as it does without what is known, and many contacts need not be searched again."""
    rng = np.random.default_rng([layers, columns, 2])
    scene, size = wall(layers, columns), 6 * layers * columns
    velocity = 0.1 * rng.normal(size=size)
    like = solved(scene.problem(velocity, 0.5))
    problem = scene.problem(velocity + 1e-4 * rng.normal(size=size), 0.5)
    warm = solved(problem, like)
    assert_lawful(problem, warm)
    assert warm.iterations <= 0.6 * solved(problem).iterations


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_forces_that_mislead_change_no_law(size: float) -> None:
    """Those of another wall altogether, far too large or small ones, also where nothing obeys the rows."""
    rng = np.random.default_rng(16)
    problem = wall(6, 5).problem(0.1 * rng.normal(size=180), 0.5)
    cold = solved(problem)
    wrong = size * rng.normal(size=cold.contact_forces.shape)
    assert_lawful(problem, solved(problem, replace(cold, contact_forces=wrong)))
    contradicting = np.array([np.eye(180)[0], -np.eye(180)[0]])
    problem = with_rows(problem, contradicting, np.array([1.0, -0.5]), equations=False)
    assert solve_conic_qp(problem, Forces(size * np.ones(2), wrong)) is None


def test_limits_are_contacts_without_friction() -> None:
    rng = np.random.default_rng(6)
    problem = heap(4, 16, rng).problem(rng.normal(size=24), 0.0)
    normals = LinearRows(sparse.csr_array(problem.contacts.rows.toarray()[::3]), problem.contacts.bounds)
    limited = replace(problem, contacts=ContactRows.empty(24), limits=normals)
    one, other = solved(problem), solved(limited)
    assert np.abs(one.x - other.x).max() < 1e-9
    assert not one.contact_forces[:, 1:].any()


@pytest.mark.parametrize("widest_band", [0, 500])
def test_a_band_and_a_general_matrix_give_the_dense_solution(
    widest_band: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(8)
    problem = wall(3, 3).problem(0.1 * rng.normal(size=54), 0.5)
    problem = replace(problem, equations=ball_joints(wall(3, 3)))
    dense = solved(problem)
    monkeypatch.setattr(cone_system, "_DENSE", 10)
    monkeypatch.setattr(cone_system, "_WIDEST_BAND", widest_band)
    assert_lawful(problem, solved(problem))
    assert np.abs(solved(problem).x - dense.x).max() < 1e-9


def assert_safe(problem: ConicQP, solution: ConicSolution, within: float = 1e-9) -> None:
    """Nothing is penetrated, forces are within their cones and give no energy, whatever the residual is."""
    x, f, contacts = solution.x, solution.contact_forces, problem.contacts
    free = problem.linear / problem.matrix.diagonal()
    assert (problem.matrix @ x @ x) <= (problem.matrix @ free @ free) * (1.0 + 1e-12)
    balance = problem.matrix @ x - problem.linear - contacts.rows.T @ f.ravel()
    assert np.abs(balance).max() <= 1e-9 * max(np.abs(f).max(), np.abs(problem.linear).max())
    size = np.sqrt(float(problem.matrix @ free @ free)) / np.sqrt(problem.matrix.diagonal().min())
    assert ((contacts.rows @ x)[::3] - contacts.bounds).min() >= -within * size
    assert (np.hypot(f[:, 1], f[:, 2]) - contacts.friction * f[:, 0]).max() <= 1e-9 * np.abs(f).max()


@pytest.mark.parametrize(("layers", "columns"), [(6, 5), (8, 6), (12, 10)])
@pytest.mark.parametrize("speed", [0.3, 2.0])
def test_a_result_is_safe_where_the_law_is_not_reached(layers: int, columns: int, speed: float) -> None:
    """Every brick has a random velocity and spin, so that hundreds of contacts slide and wedge."""
    rng = np.random.default_rng([layers, columns, 1])
    problem = wall(layers, columns).problem(speed * rng.normal(size=6 * layers * columns), 0.6)
    solution = solve_conic_qp(problem, enough=1e-8)
    assert solution is not None
    assert_safe(problem, solution)
    assert solution.residual <= 2e-2
    assert solution.iterations <= 100


def struck_wall(rng: np.random.Generator, ball: float) -> ConicQP:
    """A wall at rest with a ball of some mass that arrives at a brick's face at a speed of 10."""
    scene = wall(6, 5, np.concatenate([np.ones(30), [ball]]))
    brick = int(rng.integers(5, 30))
    centre = scene.centres[brick] + np.array([0.0, 1.0, 0.0])
    scene.centres, scene.half = np.vstack([scene.centres, centre]), np.vstack([scene.half, np.full(3, 0.5)])
    scene.touch(scene.centres[brick] + np.array([0.3, 0.5, 0.1]), np.array([0.0, 1.0, 0.0]), 30, brick)
    velocity = np.zeros((31, 6))
    velocity[30, :3] = 3.0, -10.0, 0.0
    bounds = np.where(rng.random(len(scene.points)) < 0.5, -6.0 * rng.random(len(scene.points)), 0.0)
    bounds[-1] = 0.0
    return scene.problem(velocity.ravel(), 0.6, bounds)


def chain(rng: np.random.Generator) -> ConicQP:
    """Ten links that touch the next at points that nearly coincide, and might touch it at many others."""
    centres = np.stack([np.zeros(10), np.zeros(10), -np.arange(10.0)], axis=1)
    scene = Scene(centres, np.full((10, 3), 0.5), np.full(10, 0.03))
    near = []
    for link in range(10):
        for _ in range(2):
            point = centres[link] + np.array([0.0, 0.0, 0.5]) + 0.1 * rng.normal(size=3)
            normal = UP + 0.5 * rng.normal(size=3)
            for nudge in (0.0, 1e-7, 1e-6):
                turned = normal + nudge * rng.normal(size=3)
                scene.touch(point + nudge * rng.normal(size=3), -turned, link, link - 1)
                near.append(True)
        for _ in range(4):
            scene.touch(centres[link] + 0.5 * rng.normal(size=3), rng.normal(size=3), link, link - 1)
            near.append(False)
    bounds = np.where(near, 1e-6 * rng.random(len(near)), -4.0 * rng.random(len(near)))
    return scene.problem(rng.normal(size=60), 0.3, bounds)


@pytest.mark.parametrize("kind", ["wall", "chain"])
def test_impacts_take_few_factorizations(kind: str) -> None:
    taken = []
    for seed in range(12):
        rng = np.random.default_rng([13, seed])
        problem = struck_wall(rng, 10.0) if kind == "wall" else chain(rng)
        solution = solve_conic_qp(problem, enough=1e-8)
        assert solution is not None
        assert_safe(problem, solution)
        taken.append(solution.iterations)
    assert np.mean(taken) <= 30


@pytest.mark.parametrize(("heaviest", "within"), [(1e-3, 1e-9), (1e3, 1e-9), (1e6, 1e-7)])
def test_a_wall_of_very_unequal_masses_is_solved_safely(heaviest: float, within: float) -> None:
    rng = np.random.default_rng(14)
    masses = np.where(np.arange(30) % 4 == 1, heaviest, 1.0)
    for speed in (0.0, 1.0):
        problem = wall(6, 5, masses).problem(speed * rng.normal(size=180), 0.5)
        solution = solve_conic_qp(problem, enough=1e-8)
        assert solution is not None
        assert_safe(problem, solution, within)


def test_a_contact_out_of_reach_is_added_where_the_motion_reaches_it() -> None:
    """A box at a speed of 1 pushes one at rest at a speed of 1/2, that may approach a wall at 1/5 alone."""
    along = np.array([1.0, 0.0, 0.0])
    scene = Scene(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.full((2, 3), 0.5), np.ones(2))
    scene.touch(np.array([0.5, 0.0, 0.0]), along, 1, 0)
    scene.touch(np.array([1.5, 0.0, 0.0]), -along, 1)
    velocity = np.zeros((2, 6))
    velocity[:, 2], velocity[0, 0] = STEP * GRAVITY, 1.0
    for gap, expected in ((-0.6, 0.5), (-0.2, 0.2)):
        problem = scene.problem(velocity.ravel(), 0.0, np.array([0.0, gap]))
        solution = solved(problem)
        assert_lawful(problem, solution)
        assert np.abs(solution.x[[0, 6]] - expected).max() < 1e-12


def test_a_residual_that_suffices_ends_the_search() -> None:
    problem = chain(np.random.default_rng(15))
    coarse, fine = solve_conic_qp(problem, enough=1e-3), solve_conic_qp(problem, enough=1e-8)
    assert coarse is not None
    assert fine is not None
    assert coarse.residual <= 1e-3
    assert coarse.iterations < fine.iterations
