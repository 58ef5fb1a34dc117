"""The end of a solution is the least motion, as an optimizer finds it that knows nothing of this one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    LinkageSolve,
    LinkageStatus,
    PointGoal,
)
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


@dataclass(frozen=True, eq=False)
class Problem:
    """Least motion in unknowns of its own: a shift and a rotation vector of each part."""

    figure: Figure
    goal: PointGoal
    length: float

    def frames(self, x: Floats) -> tuple[Floats, Floats]:
        """The parts' rotations and translations, and at last those of the world."""
        moves = x.reshape(-1, 6)
        poses = self.figure.poses
        turn = rotation_matrix(moves[:, 3:]) @ np.array([pose.matrix for pose in poses])
        shift = np.array([pose.translation for pose in poses]) + moves[:, :3]
        return np.concatenate([turn, np.eye(3)[None]]), np.concatenate([shift, np.zeros((1, 3))])

    def openings(self, x: Floats) -> Floats:
        """What is zero where all joints are closed and the goal is met."""
        turn, shift = self.frames(x)
        goal = self.goal
        found = [turn[goal.part] @ goal.point + shift[goal.part] - goal.target]
        for joint in self.figure.linkage.joints:
            a = joint.anchors
            first, second = turn[a.first] @ a.frame1.matrix, turn[a.second] @ a.frame2.matrix
            here = turn[a.first] @ a.frame1.translation + shift[a.first]
            there = turn[a.second] @ a.frame2.translation + shift[a.second]
            found.append(((there - here) @ first)[[axis != FREE for axis in joint.axes[:3]]])
            apart = first.T @ second
            if a.name == "pin":
                found.append(apart[:2, 2])
            elif a.name == "slider":
                found.append(np.array([apart[0, 1], apart[0, 2], apart[1, 2]]))
            elif a.name == "cross":
                found.append(apart[:1, 1])
        return np.concatenate(found)

    def cost(self, x: Floats) -> float:
        """The cost of the motion: of a turn by an angle a, 4 k^2 (1 - cos(a / 2))."""
        moves = x.reshape(-1, 6)
        levers = np.array([part.radius**2 / 3.0 for part in self.figure.linkage.parts])
        turns = 4.0 * levers * (1.0 - np.cos(0.5 * np.linalg.norm(moves[:, 3:], axis=1)))
        return float((0.5 * (moves[:, :3] ** 2).sum(axis=1) + turns).sum()) / self.length**2

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
            constraints=NonlinearConstraint(problem.openings, 0.0, 0.0),
            tol=1e-13,
            options={"maxiter": 300},
        )
        assert np.abs(problem.openings(found.x)).max() < 1e-7, seed
        assert problem.cost(mine) < found.fun + 1e-8, seed
        turn, shift = problem.frames(found.x)
        for number, pose in enumerate(state.poses):
            assert np.abs(turn[number] - pose.matrix).max() < 1e-4, seed
            assert np.abs(shift[number] - pose.translation).max() < 1e-4 * scene.groups.length, seed
