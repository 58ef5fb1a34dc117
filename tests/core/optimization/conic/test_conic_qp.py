"""Contacts, limits and joints end where Coulomb's law and the equation of motion say, for 1 to 120 bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.conic import cone_system
from physplace_addon.core.optimization.conic.conic_problem import (
    ConicQP,
    ConicSolution,
    ContactRows,
    Forces,
    LinearRows,
)
from physplace_addon.core.optimization.conic.conic_qp import solve_conic_qp

GRAVITY = 9.81
STEP = 1.0 / 60.0
UP = np.array([0.0, 0.0, 1.0])


class Scene:
    """Boxes with edges along the axes, and contacts between two of them or with the ground, number -1."""

    def __init__(self, centres: Floats, half: Floats, masses: Floats) -> None:
        self.centres, self.half, self.masses = centres, half, masses
        self.points: list[Floats] = []
        self.normals: list[Floats] = []
        self.pairs: list[tuple[int, int]] = []

    def touch(self, point: Floats, normal: Floats, body: int, other: int = -1) -> None:
        self.points.append(np.asarray(point))
        self.normals.append(np.asarray(normal) / np.linalg.norm(normal))
        self.pairs.append((body, other))

    def problem(self, velocity: Floats, friction: Floats | float, bounds: Floats | None = None) -> ConicQP:
        """The step of time from a velocity (6 n,), with gravity downwards."""
        h, size, count = self.half, 6 * len(self.masses), len(self.points)
        squares = h**2
        moments = self.masses[:, None] / 3.0 * (squares.sum(axis=1)[:, None] - squares)
        diagonal = np.concatenate([np.repeat(self.masses[:, None], 3, axis=1), moments], axis=1).ravel()
        rows = np.zeros((count, 3, size))
        for contact, (point, normal, pair) in enumerate(
            zip(self.points, self.normals, self.pairs, strict=True)
        ):
            for body, sign in zip(pair, (1.0, -1.0), strict=True):
                if body >= 0:
                    axes = frame(normal)
                    turning = np.cross(point - self.centres[body], axes)
                    rows[contact, :, 6 * body : 6 * body + 6] = sign * np.concatenate([axes, turning], axis=1)
        free = velocity.reshape(-1, 6) - STEP * GRAVITY * np.eye(6)[2]
        contacts = ContactRows(
            sparse.csr_array(rows.reshape(3 * count, size)),
            np.zeros(count) if bounds is None else bounds,
            np.zeros((count, 2)),
            np.broadcast_to(np.asarray(friction, np.float64), (count,)),
        )
        return ConicQP(
            sparse.csr_array(sparse.diags_array(diagonal)),
            diagonal * free.ravel(),
            contacts,
            LinearRows.empty(size),
            LinearRows.empty(size),
        )


def frame(normal: Floats) -> Floats:
    """A normal and two tangents (3, 3)."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.stack([normal, first, np.cross(normal, first)])


def wall(layers: int, columns: int, masses: Floats | None = None, size: float = 1.0) -> Scene:
    """Bricks in running bond on the ground; every two that touch do so at four corners."""
    half = size * np.array([1.0, 0.5, 0.5])
    number = np.arange(layers * columns)
    layer, column = np.divmod(number, columns)
    middle = 2.0 * half[0] * column + half[0] * (layer % 2)
    centres = np.stack([middle, np.zeros(len(number)), half[2] * (2 * layer + 1)], axis=1)
    masses = np.ones(len(number)) if masses is None else masses
    scene = Scene(centres, np.tile(half, (len(number), 1)), masses)
    for brick in number:
        below = [-1] if layer[brick] == 0 else np.flatnonzero(layer == layer[brick] - 1).tolist()
        for other in below:
            there = middle[brick] if other < 0 else middle[other]
            low, high = max(middle[brick], there) - half[0], min(middle[brick], there) + half[0]
            if high - low > 1e-6 * size:
                for x in (low, high):
                    for y in (-half[1], half[1]):
                        scene.touch(np.array([x, y, centres[brick, 2] - half[2]]), UP, int(brick), other)
    return scene


def heap(bodies: int, contacts: int, rng: np.random.Generator) -> Scene:
    """Boxes anywhere, that touch the ground or one near in the list anywhere in any upward direction."""
    scene = Scene(rng.normal(size=(bodies, 3)), rng.uniform(0.3, 1.0, (bodies, 3)), np.ones(bodies))
    for _ in range(contacts):
        body = int(rng.integers(bodies))
        other = body + int(rng.integers(-3, 4))
        other = other if 0 <= other < bodies and other != body else -1
        normal = rng.normal(size=3)
        normal[2] = abs(normal[2])
        centre = scene.centres[body] if other < 0 else 0.5 * (scene.centres[body] + scene.centres[other])
        scene.touch(centre + 0.5 * rng.normal(size=3), normal, body, other)
    return scene


def solved(problem: ConicQP, like: ConicSolution | None = None) -> ConicSolution:
    """The solution of a problem that has one."""
    solution = solve_conic_qp(problem, None if like is None else like.forces)
    assert solution is not None
    assert solution.residual <= 1e-10
    return solution


def assert_lawful(problem: ConicQP, solution: ConicSolution, within: float = 1e-9) -> None:
    """The equation of motion, limits, equations and Coulomb's law hold."""
    x, f, contacts = solution.x, solution.contact_forces, problem.contacts
    pushes = contacts.rows.T @ f.ravel() + problem.limits.rows.T @ solution.limit_forces
    pushes = pushes + problem.equations.rows.T @ solution.equation_forces
    inertial = problem.matrix @ x
    largest = max(np.abs(v).max(initial=0.0) for v in (f, solution.limit_forces, problem.linear)) or 1.0
    assert np.abs(inertial - problem.linear - pushes).max() <= within * largest
    free = problem.linear / problem.matrix.diagonal()
    fastest = max(float(np.abs(v).max(initial=0.0)) for v in (contacts.rows @ x, x, free)) or 1.0
    assert np.abs(problem.equations.rows @ x - problem.equations.values).max(initial=0.0) <= within * fastest
    room = problem.limits.rows @ x - problem.limits.values
    assert room.min(initial=0.0) >= -within * fastest
    assert np.abs(room * solution.limit_forces).max(initial=0.0) <= within * largest * fastest
    assert solution.limit_forces.min(initial=0.0) >= 0.0
    u = np.asarray(contacts.rows @ x).reshape(-1, 3)
    normal, sliding = u[:, 0] - contacts.bounds, u[:, 1:] - contacts.slip
    assert normal.min(initial=0.0) >= -within * fastest
    assert f[:, 0].min(initial=0.0) >= -within * largest
    assert np.abs(normal * f[:, 0]).max(initial=0.0) <= within * largest * fastest
    cone = contacts.friction * f[:, 0]
    assert (np.linalg.norm(f[:, 1:], axis=1) - cone).max(initial=0.0) <= within * largest
    speed = np.linalg.norm(sliding, axis=1)
    opposed = f[:, 1:] * speed[:, None] + cone[:, None] * sliding
    assert np.abs(opposed).max(initial=0.0) <= within * largest * fastest


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


def particle(velocity: Floats, friction: float, slip: Floats | None = None) -> ConicQP:
    """A point of mass 2 on a plane, with a velocity (3,): normal, then two tangential directions."""
    contact = ContactRows(
        sparse.csr_array(np.eye(3)),
        np.zeros(1),
        np.zeros((1, 2)) if slip is None else slip[None],
        np.array([friction]),
    )
    matrix = sparse.csr_array(2.0 * np.eye(3))
    return ConicQP(matrix, 2.0 * velocity, contact, LinearRows.empty(3), LinearRows.empty(3))


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


def with_rows(problem: ConicQP, rows: Floats, values: Floats, equations: bool) -> ConicQP:
    """The problem with equations or limits."""
    extra = LinearRows(sparse.csr_array(rows), values)
    return replace(problem, equations=extra) if equations else replace(problem, limits=extra)


def ball_joints(scene: Scene) -> LinearRows:
    """Every body is joined to the next half of the distance between their centres."""
    bodies = len(scene.masses)
    rows = np.zeros((bodies - 1, 3, 6 * bodies))
    for body in range(bodies - 1):
        middle = 0.5 * (scene.centres[body] + scene.centres[body + 1])
        for other, sign in ((body, 1.0), (body + 1, -1.0)):
            turning = np.cross(middle - scene.centres[other], np.eye(3))
            rows[body, :, 6 * other : 6 * other + 6] = sign * np.concatenate([np.eye(3), turning], axis=1)
    return LinearRows(sparse.csr_array(rows.reshape(-1, 6 * bodies)), np.zeros(3 * bodies - 3))


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
