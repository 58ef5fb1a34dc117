"""The whole figure is moved, as one piece unless something is in its way."""

import numpy as np

from physplace_addon.core.articulation import (
    FigureGoal,
    LinkageDrag,
    LinkageScene,
    LinkageSolve,
    LinkageStatus,
    PointGoal,
)
from physplace_addon.core.articulation.tracking import Tracking
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.drags import TIP, ended, scene_of, tip_of


def test_the_whole_figure_moves_without_bending() -> None:
    figure = figures.chain(4, 0.4)
    free = type(figure.linkage).of(figure.linkage.parts, figure.linkage.joints[1:])
    scene = LinkageScene.of(free, figure.poses, clearances=False)
    motion = Pose(np.array([0.9, 0.1, -0.2, 0.3]), np.array([1.0, 2.0, -1.0]))
    state = ended(LinkageSolve(scene, scene.start, [FigureGoal(motion)]))
    for pose, start in zip(state.poses, figure.poses, strict=True):
        assert np.abs(pose.matrix4 - motion.compose(start).matrix4).max() < 1e-7


def test_a_whole_figure_that_was_held_still_goes_on_with_the_cursor() -> None:
    figure = figures.chain(4, 0.4)
    free = type(figure.linkage).of(figure.linkage.parts, figure.linkage.joints[1:])
    scene = LinkageScene.of(free, figure.poses, clearances=False)
    drag = LinkageDrag(scene, scene.start, [FigureGoal(Pose.identity())])
    ended(drag)
    shift = np.array([0.3, -0.1, 0.2])
    drag.move_to([FigureGoal(Pose(Pose.identity().rotation, shift))])
    assert drag.status is LinkageStatus.RUNNING
    for pose, start in zip(ended(drag).poses, figure.poses, strict=True):
        assert np.abs(pose.translation - start.translation - shift).max() < 1e-6


def test_a_whole_figure_keeps_up_with_a_fast_cursor_and_stops_where_it_does() -> None:
    figure = figures.chain(4, 0.4)
    free = type(figure.linkage).of(figure.linkage.parts, figure.linkage.joints[1:])
    scene = LinkageScene.of(free, figure.poses, clearances=False)
    drag, length = LinkageDrag(scene, scene.start, [FigureGoal(Pose.identity())]), scene.groups.length
    step = 0.08 * length
    for tick in range(1, 11):
        drag.move_to([FigureGoal(Pose(Pose.identity().rotation, np.array([tick * step, 0.0, 0.0])))])
        before = drag.state.poses[0].translation
        moved = drag.step().poses[0].translation - before
        assert np.linalg.norm(moved) <= 3.0 * step
        left = tick * step - (drag.state.poses[0].translation - figure.poses[0].translation)[0]
        assert left < 1e-6 * length, "it lags behind"


def test_how_far_goals_lead_counts_those_of_the_whole_figure() -> None:
    figure = figures.chain(3)
    scene = scene_of(figure)
    start = scene.start.configuration
    tracking = Tracking(scene.equations, start, scene.equations.coordinates(start))
    place, length = tip_of(figure, 2), scene.groups.length
    unturned = Pose.identity().rotation
    point = PointGoal(2, TIP, place)
    assert tracking.follow([point, FigureGoal(Pose.identity())]) == np.inf, "they are others"
    assert tracking.follow([point, FigureGoal(Pose.identity())]) == 0.0
    aside = PointGoal(2, TIP, place + np.array([0.0, 0.1 * length, 0.0]))
    assert abs(tracking.follow([aside, FigureGoal(Pose.identity())]) - 0.1) < 1e-12
    shift = FigureGoal(Pose(unturned, np.array([0.3 * length, 0.0, 0.0])))
    assert abs(tracking.follow([aside, shift]) - 0.3) < 1e-12
