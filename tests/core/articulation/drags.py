"""Linkages that are led to goals, to their end, where nothing touches."""

from collections.abc import Sequence

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    Goal,
    LinkageDrag,
    LinkageScene,
    LinkageSolve,
    LinkageState,
)
from physplace_addon.core.contact.system import FIXED
from tests.core.articulation.figures import Figure

TIP = np.array([0.5, 0.0, 0.0])


def scene_of(figure: Figure) -> LinkageScene:
    return LinkageScene.of(figure.linkage, figure.poses, clearances=False)


def ended(solver: LinkageSolve | LinkageDrag, most: int = 200) -> LinkageState:
    """The state at the end; joints are closed in every state."""
    for _ in range(most):
        if not solver.status.is_running:
            return solver.state
        assert solver.step().joint_error < 1e-6
    raise AssertionError(f"it has not ended: {solver.explanation}")


def solved(figure: Figure, goals: Sequence[Goal]) -> tuple[LinkageSolve, LinkageState]:
    scene = scene_of(figure)
    solver = LinkageSolve(scene, scene.start, goals)
    return solver, ended(solver)


def tip_of(figure: Figure, part: int) -> Floats:
    return figure.poses[part].points(TIP)


def anchors_of(figure: Figure, state: LinkageState) -> Floats:
    """Where the joints are."""
    points = []
    for joint in figure.linkage.joints:
        a = joint.anchors
        points.append(
            a.frame1.translation if a.first == FIXED else state.poses[a.first].points(a.frame1.translation)
        )
    return np.array(points)
