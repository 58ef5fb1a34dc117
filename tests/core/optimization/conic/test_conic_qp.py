"""Contacts, limits and joints end where Coulomb's law and the equation of motion say, for 1 to 120 bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from physplace_addon.core.optimization.conic.conic_problem import (
    ConicQP,
    ContactRows,
    LinearRows,
)
from physplace_addon.core.optimization.conic.conic_qp import solve_conic_qp
from tests.core.optimization.conic.boxes_in_contact import (
    GRAVITY,
    STEP,
    UP,
    Scene,
    assert_lawful,
    ball_joints,
    heap,
    particle,
    solved,
    wall,
    with_rows,
)


@pytest.mark.parametrize(("bodies", "contacts"), [(1, 3), (1, 8), (4, 12), (8, 32), (30, 120), (120, 500)])
def test_a_heap_of_moving_boxes_obeys_the_law(bodies: int, contacts: int) -> None:
    for seed in range(max(1, 40 // bodies)):
        rng = np.random.default_rng([bodies, contacts, seed])
        bounds = -rng.uniform(0.0, 3.0, contacts) * (rng.random(contacts) < 0.5)
        friction = rng.uniform(0.0, 1.0, contacts)
        problem = heap(bodies, contacts, rng).problem(rng.normal(size=6 * bodies), friction, bounds)
        assert_lawful(problem, solved(problem))


@pytest.mark.parametrize(("layers", "columns"), [(1, 1), (2, 1), (4, 2), (6, 5)])
@pytest.mark.parametrize("speed", [0.0, 0.1, 2.0])
def test_a_wall_at_rest_pushed_or_struck_obeys_the_law(layers: int, columns: int, speed: float) -> None:
    rng = np.random.default_rng([layers, columns])
    scene = wall(layers, columns)
    problem = scene.problem(speed * rng.normal(size=6 * layers * columns), 0.5)
    solution = solved(problem)
    assert_lawful(problem, solution)
    if speed == 0.0:
        assert np.abs(solution.x).max() < 1e-12
        assert solution.contact_forces[:4, 0].sum() > 0.0


def test_a_wall_of_a_hundred_and_twenty_bricks_stays_at_rest() -> None:
    problem = wall(12, 10).problem(np.zeros(720), 0.5)
    solution = solved(problem)
    assert_lawful(problem, solution)
    assert np.abs(solution.x).max() < 1e-11


def test_one_contact_sticks_slides_or_opens_as_the_closed_form_says() -> None:
    rng = np.random.default_rng(7)
    states = set()
    for _ in range(200):
        velocity, friction, slip = rng.normal(size=3), rng.uniform(0.0, 2.0), 0.3 * rng.normal(size=2)
        approach, sliding = -velocity[0], velocity[1:] - slip
        speed = np.linalg.norm(sliding)
        if approach <= 0.0:
            states.add("open")
            expected = velocity
        elif speed <= friction * approach:
            states.add("stick")
            expected = np.concatenate([[0.0], slip])
        else:
            states.add("slide")
            expected = np.concatenate([[0.0], slip + sliding * (1.0 - friction * approach / speed)])
        solution = solved(particle(velocity, friction, slip))
        assert np.abs(solution.x - expected).max() < 1e-12
        assert np.abs(solution.contact_forces[0] - 2.0 * (expected - velocity)).max() < 1e-12
    assert states == {"open", "stick", "slide"}


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.5, 0.57, 0.59, 1.0])
def test_a_box_on_a_slope_of_thirty_degrees_accelerates_by_sine_less_friction(friction: float) -> None:
    angle = np.radians(30.0)
    half = np.array([1.0, 1.0, 0.05])
    scene = Scene(np.array([[0.0, 0.0, 0.05]]), half[None], np.array([3.0]))
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            scene.touch(np.array([x, y, 0.0]), UP, 0)
    problem = scene.problem(np.zeros(6), friction)
    pull = STEP * GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle), 0.0, 0.0, 0.0])
    problem = replace(problem, linear=problem.matrix @ pull)
    solution = solved(problem)
    expected = max(0.0, STEP * GRAVITY * (np.sin(angle) - friction * np.cos(angle)))
    assert np.abs(solution.x - expected * np.eye(6)[0]).max() < 1e-12
    assert np.isclose(solution.contact_forces[:, 0].sum(), 3.0 * STEP * GRAVITY * np.cos(angle))


@pytest.mark.parametrize("bodies", [3, 8, 30])
def test_joints_limits_and_friction_hold_together(bodies: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng([bodies, seed])
        scene = heap(bodies, 3 * bodies, rng)
        problem = scene.problem(rng.normal(size=6 * bodies), 0.4, -rng.uniform(0.0, 1.0, 3 * bodies))
        limits = LinearRows(sparse.csr_array(np.eye(6 * bodies)[2::6]), np.full(bodies, -0.05))
        problem = replace(problem, equations=ball_joints(scene), limits=limits)
        assert_lawful(problem, solved(problem))


def test_without_contacts_a_problem_is_linear() -> None:
    rng = np.random.default_rng(3)
    for size in (6, 90):
        root, rows = rng.normal(size=(size, size)), rng.normal(size=(3, size))
        matrix, linear, values = root @ root.T + np.eye(size), rng.normal(size=size), rng.normal(size=3)
        none = LinearRows.empty(size)
        free = ConicQP(sparse.csr_array(matrix), linear, ContactRows.empty(size), none, none)
        assert np.allclose(solved(free).x, np.linalg.solve(matrix, linear), rtol=0.0, atol=1e-9)
        joined = with_rows(free, rows, values, equations=True)
        whole = np.block([[matrix, -rows.T], [rows, np.zeros((3, 3))]])
        expected = np.linalg.solve(whole, np.concatenate([linear, values]))
        solution = solved(joined)
        assert np.allclose(solution.x, expected[:size], rtol=0.0, atol=1e-8)
        assert np.allclose(solution.equation_forces, expected[size:], rtol=0.0, atol=1e-8)


def test_limits_that_exclude_one_another_have_no_solution() -> None:
    problem = particle(np.array([0.0, 1.0, 0.0]), 0.5)
    across = np.array([[0.0, 1.0, 1.0], [0.0, -1.0, -1.0]])
    assert solve_conic_qp(with_rows(problem, across, np.array([1.0, -0.5]), equations=False)) is None
    assert solve_conic_qp(with_rows(problem, across, np.array([0.5, -0.5]), equations=False)) is not None
    assert solve_conic_qp(with_rows(problem, across, np.array([1.0, 0.5]), equations=True)) is None
    assert solve_conic_qp(with_rows(problem, across, np.array([1.0, -1.0]), equations=True)) is not None


@pytest.mark.parametrize("bodies", [1, 12])
def test_a_box_between_plates_that_close_has_no_solution(bodies: int) -> None:
    scene = wall(bodies, 1)
    top = np.array([0.0, 0.0, float(bodies)])
    for x in (-0.5, 0.5):
        scene.touch(top + np.array([x + 1.0, 0.0, 0.0]), -UP, bodies - 1)
    bounds = np.zeros(len(scene.points))
    rest = np.zeros(6 * bodies)
    assert solve_conic_qp(scene.problem(rest, 0.5, bounds)) is not None
    bounds[-2:] = 0.1
    assert solve_conic_qp(scene.problem(rest, 0.5, bounds)) is None


def test_contacts_that_come_many_times_change_no_motion() -> None:
    velocity, scene, often = np.random.default_rng(11).normal(size=36), wall(3, 2), wall(3, 2)
    often.points, often.normals, often.pairs = 5 * scene.points, 5 * scene.normals, 5 * scene.pairs
    repeated = often.problem(velocity, 0.0)
    once, five = solved(scene.problem(velocity, 0.0)), solved(repeated)
    assert_lawful(repeated, five)
    assert np.abs(once.x - five.x).max() < 1e-9
