"""Boxes that touch one another and the ground, as problems of a step of time, and the law of their ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from physplace_addon.core.arrays import Floats
from physplace_addon.core.optimization.conic.conic_problem import (
    ConicQP,
    ConicSolution,
    ContactRows,
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
