"""The end of a solution is the least motion, as an optimizer finds it that knows nothing of this one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    Linkage,
    LinkageSolve,
    LinkageStatus,
    PointGoal,
)
from physplace_addon.core.articulation.equations import Equations
from physplace_addon.core.articulation.groups import RigidGroups
from physplace_addon.core.articulation.least_motion import Iterate, newton_step, saddle_twists
from physplace_addon.core.mechanics.joints import FREE
from physplace_addon.core.rigid import Pose, rotation_matrix, rotation_vector
from tests.core.articulation import figures
from tests.core.articulation.drags import TIP, ended, scene_of
from tests.core.articulation.figures import Figure


def random_linkage(rng: np.random.Generator) -> tuple[Figure, PointGoal]:
    """A chain, ring, star or chain of all kinds of joints, and a goal that it can reach, as a rule."""
    kind, count = rng.integers(4), int(rng.integers(3, 5))
    if kind == 0:
        figure = figures.chain(count, float(rng.uniform(0.2, 0.6)))
    elif kind == 1:
        figure = figures.ring(count + 1, tilt=True)
    elif kind == 2:
        figure = figures.star(3)
    else:
        figure = figures.mixed_chain(rng)
    part = int(rng.integers(1, len(figure.linkage))) if kind < 3 else 3
    shift = rng.normal(size=3)
    shift *= float(rng.uniform(0.1, 0.4)) / np.linalg.norm(shift)
    place = figure.poses[part].points(TIP)
    return figure, PointGoal(part, TIP, (0.7 if kind == 0 else 1.0) * place + shift)


def test_the_last_steps_to_a_figure_with_stiff_axes_are_those_of_newtons_method() -> None:
    """Each is about as short as the square of the one before: how stiff axes bend is known."""
    figure = figures.chain(4, 0.3)
    stiff = dict.fromkeys((1, 2, 3), (0, 0, 0, 2.0, 1.0, 3.0))
    linkage = Linkage.of(figure.linkage.parts, figure.linkage.joints, stiffness=stiff)
    groups, start = RigidGroups.of(linkage, figure.poses)
    goal = PointGoal(3, TIP, np.array([1.6, 1.4, 0.9]))
    equations = Equations.of(groups, [goal], start)
    at, lengths = Iterate.start(start, equations), list[float]()
    for _ in range(40):
        at = newton_step(equations, start, at, equations.rows(at.configuration), longest=0.1)
        lengths.append(at.length)
        if at.length < 1e-11:
            break
    assert lengths[-1] < 1e-11
    near = next(i for i, length in enumerate(lengths) if length < 1e-2)
    assert len(lengths) - near <= 4, lengths[near:]


def test_twists_off_a_saddle_are_there_where_the_lagrangian_bends_down_far_from_the_reference_too(
    rng: np.random.Generator,
) -> None:
    """Against finite differences: a turn of the parts by 2 radians leaves the cost half its curvature."""
    figure, step, seen = figures.chain(3, 0.3), 1e-3, set[bool]()
    groups, start = RigidGroups.of(figure.linkage, figure.poses)
    equations = Equations.of(groups, [PointGoal(2, TIP, np.array([0.5, 0.2, 1.0]))], start)
    turns = np.concatenate([np.zeros((3, 3)), rng.normal(size=(3, 3))], axis=1)
    turns *= 2.0 / np.linalg.norm(turns, axis=1, keepdims=True)
    there = start.moved(turns, groups.length)
    multipliers = rng.normal(size=len(equations))

    def lagrangian(strength: float, twists: Floats) -> float:
        moved = there.moved(twists, groups.length)
        pull = float(strength * multipliers @ equations.rows(moved).value)
        return groups.cost(start, moved) - pull

    def bends_by(strength: float, twists: Floats) -> float:
        ends = lagrangian(strength, step * twists) + lagrangian(strength, -step * twists)
        return (ends - 2.0 * lagrangian(strength, 0.0 * twists)) / step**2

    def least(strength: float) -> float:
        """The least second derivative by turns, of which no two parts' have anything in common."""
        found = []
        for group in range(3):
            each = np.zeros((3, 3, 6))
            each[np.arange(3), group, 3 + np.arange(3)] = 1.0
            hessian = [
                [
                    0.5 * (bends_by(strength, i + j) - bends_by(strength, i) - bends_by(strength, j))
                    for j in each
                ]
                for i in each
            ]
            found.append(float(np.linalg.eigvalsh(np.array(hessian))[0]))
        return min(found)

    for strength in 1e-4 * 1.6 ** np.arange(20):
        at = replace(Iterate.start(there, equations), multipliers=strength * multipliers)
        expected = least(strength)
        if abs(expected) < 1e-3 * groups.metric[:, 3].max():
            continue
        twists = saddle_twists(equations, start, at, equations.rows(there))
        assert (twists is not None) == (expected < 0.0)
        if twists is not None:
            assert bends_by(strength, twists) < 0.0
        seen.add(twists is not None)
    assert seen == {False, True}


@dataclass(frozen=True, eq=False)
class Problem:
    """Least motion in unknowns of its own: a shift and a rotation vector of each part."""

    figure: Figure
    goal: PointGoal
    length: float

    def frames(self, x: Floats) -> tuple[Floats, Floats]:
        """The parts' rotations and translations, and at last those of the world, for each of many x."""
        moves = x.reshape(*x.shape[:-1], -1, 6)
        poses = self.figure.poses
        turn = rotation_matrix(moves[..., 3:]) @ np.array([pose.matrix for pose in poses])
        shift = np.array([pose.translation for pose in poses]) + moves[..., :3]
        world = np.broadcast_to(np.eye(3), (*x.shape[:-1], 1, 3, 3))
        return np.concatenate([turn, world], axis=-3), np.concatenate([shift, 0.0 * world[..., 0]], axis=-2)

    def openings(self, x: Floats) -> Floats:
        """What is zero where all joints are closed and the goal is met, for each of many x."""
        turn, shift = self.frames(x)
        goal = self.goal
        found = [turn[..., goal.part, :, :] @ goal.point + shift[..., goal.part, :] - goal.target]
        for joint in self.figure.linkage.joints:
            a = joint.anchors
            one, two = turn[..., a.first, :, :], turn[..., a.second, :, :]
            first, second = one @ a.frame1.matrix, two @ a.frame2.matrix
            here = one @ a.frame1.translation + shift[..., a.first, :]
            there = two @ a.frame2.translation + shift[..., a.second, :]
            along = np.einsum("...i,...ij->...j", there - here, first)
            found.append(along[..., [axis != FREE for axis in joint.axes[:3]]])
            apart = np.swapaxes(first, -1, -2) @ second
            if a.name == "pin":
                found.append(apart[..., :2, 2])
            elif a.name == "slider":
                found.append(apart[..., [0, 0, 1], [1, 2, 2]])
            elif a.name == "cross":
                found.append(apart[..., :1, 1])
        return np.concatenate(found, axis=-1)

    def slopes(self, x: Floats) -> Floats:
        """The derivatives of the openings, by central differences."""
        steps = 1e-6 * np.eye(len(x))
        slopes: Floats = (self.openings(x + steps) - self.openings(x - steps)).T / 2e-6
        return slopes

    def cost(self, x: Floats) -> float:
        """The cost of the motion: of a turn by an angle a, 4 k^2 (1 - cos(a / 2))."""
        moves = x.reshape(-1, 6)
        turns = 4.0 * self.levers * (1.0 - np.cos(0.5 * np.linalg.norm(moves[:, 3:], axis=1)))
        return float((0.5 * (moves[:, :3] ** 2).sum(axis=1) + turns).sum()) / self.length**2

    def cost_slopes(self, x: Floats) -> Floats:
        """Its derivatives: 2 k^2 sin(a / 2) along the axis of the turn."""
        moves = x.reshape(-1, 6).copy()
        angle = np.linalg.norm(moves[:, 3:], axis=1)
        moves[:, 3:] *= (self.levers * np.sinc(0.5 * angle / np.pi))[:, None]
        slopes: Floats = moves.ravel() / self.length**2
        return slopes

    @cached_property
    def levers(self) -> Floats:
        """The squares k^2 of what the parts' turns cost."""
        return np.array([part.radius**2 / 3.0 for part in self.figure.linkage.parts])

    def unknowns(self, poses: Sequence[Pose]) -> Floats:
        """The unknowns of poses."""
        pairs = zip(poses, self.figure.poses, strict=True)
        moves = [
            np.concatenate(
                [now.translation - then.translation, rotation_vector(now.compose(then.inverse()).rotation)]
            )
            for now, then in pairs
        ]
        return np.concatenate(moves)


@pytest.mark.slow
def test_the_end_is_the_least_motion_that_an_independent_optimizer_finds_on_50_linkages() -> None:
    for seed in range(50):
        figure, goal = random_linkage(np.random.default_rng(seed))
        scene = scene_of(figure)
        solver = LinkageSolve(scene, scene.start, [goal])
        state = ended(solver)
        assert solver.status is LinkageStatus.REACHED, seed
        problem = Problem(figure, goal, scene.groups.length)  # the parts' frames are at their centres of mass
        mine = problem.unknowns(state.poses)
        found = minimize(
            problem.cost,
            0.9 * mine,
            method="SLSQP",
            jac=problem.cost_slopes,
            constraints=NonlinearConstraint(problem.openings, 0.0, 0.0, jac=problem.slopes),
            tol=1e-13,
            options={"maxiter": 300},
        )
        assert np.abs(problem.openings(found.x)).max() < 1e-7, seed
        assert problem.cost(mine) < found.fun + 1e-8, seed
        turn, shift = problem.frames(found.x)
        for number, pose in enumerate(state.poses):
            assert np.abs(turn[number] - pose.matrix).max() < 1e-4, seed
            assert np.abs(shift[number] - pose.translation).max() < 1e-4 * scene.groups.length, seed
