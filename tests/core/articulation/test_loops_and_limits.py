"""Closed loops, limits of joints, stiff and locked ones."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from physplace_addon.core.articulation import (
    EulerAngles,
    Linkage,
    LinkageDrag,
    LinkageScene,
    LinkageStatus,
    OrientationGoal,
    Perpendicular,
    PinGoal,
    Plane,
    PointGoal,
    PointOnSurface,
)
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import Anchors, Axis, ball, hinge
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.drags import TIP, anchors_of, ended, scene_of, solved, tip_of
from tests.core.articulation.figures import Figure


def test_a_four_bar_linkage_turns_as_its_geometry_says() -> None:
    figure = figures.four_bar()
    angle = 0.35
    turned = figure.poses[0].displaced(np.zeros(3), [0.0, angle, 0.0], np.zeros(3))
    solver, state = solved(figure, [OrientationGoal(0, turned.rotation)])
    assert solver.status is LinkageStatus.REACHED
    crank, rocker = (anchors_of(figure, state)[i] for i in (1, 2))
    points = np.array([[0.4, 0.0, 0.9], [2.0, 0.0, 1.4], [2.2, 0.0, 0.0]])
    assert abs(np.linalg.norm(crank) - np.linalg.norm(points[0])) < 1e-9
    assert abs(np.linalg.norm(rocker - crank) - np.linalg.norm(points[1] - points[0])) < 1e-9
    assert abs(np.linalg.norm(rocker - points[2]) - np.linalg.norm(points[1] - points[2])) < 1e-9
    assert np.abs(state.poses[2].translation[1]) < 1e-9


def test_a_crank_cannot_leave_its_plane() -> None:
    figure = figures.four_bar()
    end = figure.poses[0].points(TIP)
    solver, state = solved(figure, [PointGoal(0, TIP, end + np.array([0.0, 0.5, 0.0]))])
    assert solver.status is LinkageStatus.UNREACHABLE
    assert np.abs(state.poses[0].points(TIP) - end).max() < 1e-5


def test_a_stewart_platform_comes_to_any_near_pose() -> None:
    figure = figures.stewart_platform()
    top = figure.poses[-1]
    goal = Pose(top.rotation, top.translation + np.array([0.1, -0.05, 0.12])).displaced(
        np.zeros(3), [0.1, 0.15, -0.1], top.translation
    )
    solver, state = solved(figure, [PinGoal(len(figure.linkage) - 1, goal)])
    assert solver.status is LinkageStatus.REACHED
    assert np.abs(state.poses[-1].matrix4 - goal.matrix4).max() < 1e-6


def test_a_limit_of_a_joint_stops_a_drag_and_says_so() -> None:
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.3]])
    free = figures.pinned_chain(points, np.array([0.0, 1.0, 0.0]), fixed_end=False)
    base, elbow = (joint.anchors for joint in free.linkage.joints)
    limited = type(free.linkage).of(
        free.linkage.parts,
        [hinge(base, Axis(lower=-0.2, upper=0.3)), hinge(elbow, Axis(lower=-0.1, upper=0.1))],
    )
    figure = Figure(limited, free.poses)
    solver, state = solved(figure, [PointGoal(1, np.array([0.4, 0.0, 0.0]), np.array([0.2, 0.0, -2.0]))])
    assert solver.status is LinkageStatus.AT_LIMIT
    turns = state.joint_coordinates[:, 5]
    assert (turns >= np.array([-0.2, -0.1]) - 1e-7).all()
    assert (turns <= np.array([0.3, 0.1]) + 1e-7).all()
    assert np.abs(np.abs(turns) - np.array([0.3, 0.1])).max() < 1e-6 or np.abs(turns[0] + 0.2) < 1e-6


@pytest.mark.parametrize("bars", [2, 3, 4])
@pytest.mark.parametrize("limits", [(0.0, 2.4), (-2.4, 0.0)])
def test_a_straight_leg_bends_to_the_side_that_its_knees_allow(
    bars: int, limits: tuple[float, float]
) -> None:
    points = np.arange(bars + 1.0)[:, None] * np.array([1.0, 0.0, 0.0])
    free = figures.pinned_chain(points, np.array([0.0, 1.0, 0.0]), fixed_end=False)
    hip, *knees = (joint.anchors for joint in free.linkage.joints)
    joints = [hinge(hip), *(hinge(knee, Axis(lower=limits[0], upper=limits[1])) for knee in knees)]
    figure = Figure(Linkage.of(free.linkage.parts, joints), free.poses)
    scene, end = scene_of(figure), tip_of(figure, bars - 1)
    drag = LinkageDrag(scene, scene.start, [PointGoal(bars - 1, TIP, end)])
    before, step = anchors_of(figure, drag.state), 0.02
    for tick in range(1, 40):
        drag.move_to([PointGoal(bars - 1, TIP, end - np.array([tick * step, 0.0, 0.0]))])
        state = drag.step()
        turns, now = state.joint_coordinates[1:, 5], anchors_of(figure, state)
        assert (turns >= limits[0] - 1e-7).all()
        assert (turns <= limits[1] + 1e-7).all()
        assert np.linalg.norm(now - before, axis=1).max() <= 3.0 * step
        before = now
    assert ended(drag).goal_errors[0] < 1e-6


@pytest.mark.slow
def test_errors_of_limits_do_not_add_up_while_a_goal_presses_against_them() -> None:
    rng, free = np.random.default_rng(5), figures.chain(2, 0.4)
    lower, upper = -rng.uniform(0.0, 1.0, (2, 3)), rng.uniform(0.0, 1.0, (2, 3))
    anchors = [joint.anchors for joint in free.linkage.joints]
    ranges = [EulerAngles.of(a, "XYZ", *ends) for a, *ends in zip(anchors, lower, upper, strict=True)]
    figure = Figure(Linkage.of(free.linkage.parts, free.linkage.joints, constraints=ranges), free.poses)
    scene, start, way = scene_of(figure), tip_of(figure, 1), rng.normal(size=3)
    way *= 1.5 / np.linalg.norm(way)
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, TIP, start)])
    out = np.linspace(0.0, 1.0, 31)
    for share in [*out[1:], *out[-2::-1]]:
        drag.move_to([PointGoal(1, TIP, start + share * way)])
        poses = drag.step().poses
        frames = poses[0].matrix, poses[0].matrix.T @ poses[1].matrix
        for a, turn, low, high in zip(anchors, frames, lower, upper, strict=True):
            angles = Rotation.from_matrix(a.frame1.matrix.T @ turn @ a.frame2.matrix).as_euler("xyz")
            beyond = np.maximum(low - angles, angles - high)
            beyond[[0, 2]] *= np.cos(angles[1])  # these have no meaning where the middle one is a right angle
            assert beyond.max() < 1.5e-6


def test_a_stiff_joint_bends_less_and_a_locked_one_not_at_all() -> None:
    figure = figures.chain(3, 0.4)
    goals = [PointGoal(2, TIP, tip_of(figure, 2) + np.array([-0.2, 0.3, 0.2]))]

    def bend(linkage: Linkage) -> float:
        _, state = solved(Figure(linkage, figure.poses), goals)
        assert state.goal_errors.max() < 1e-6
        apart = state.poses[0].inverse().compose(state.poses[1])
        before = figure.poses[0].inverse().compose(figure.poses[1])
        return float(np.arccos(np.clip(abs(apart.rotation @ before.rotation), 0.0, 1.0)))

    parts, joints = figure.linkage.parts, figure.linkage.joints
    free = bend(Linkage.of(parts, joints))
    assert bend(Linkage.of(parts, joints, stiffness={1: (0, 0, 0, 3.0, 3.0, 3.0)})) < 0.5 * free
    assert bend(Linkage.of(parts, joints, locked=[1])) < 1e-7


def test_joints_that_do_not_meet_are_named() -> None:
    figure = figures.chain(3, 0.4)
    apart = [
        *figure.poses[:2],
        figure.poses[2].displaced(np.array([0.3, 0.0, 0.0]), np.zeros(3), np.zeros(3)),
    ]
    with pytest.raises(JointError, match=r"joint 1.*do not meet"):
        LinkageScene.of(figure.linkage, apart)


def test_joints_that_are_open_by_rounding_are_closed() -> None:
    figure = figures.ring(19, tilt=True)
    rng = np.random.default_rng(1)
    noisy = [Pose(pose.rotation, pose.translation + 1e-6 * rng.normal(size=3)) for pose in figure.poses]
    scene = LinkageScene.of(figure.linkage, noisy, clearances=False)
    assert scene.start.joint_error < 1e-11


def test_a_linkage_says_what_has_no_meaning() -> None:
    parts = [figures.box((1.0, 1.0, 1.0))] * 2
    joint = ball(Anchors.at("elbow", 0, 1, Pose.identity(), [Pose.identity()] * 2))
    linkage = type(figures.chain(1).linkage)
    with pytest.raises(JointError, match="parts and 1 names"):
        linkage.of(parts, [joint], names=["one"])
    with pytest.raises(JointError, match="weights"):
        linkage.of(parts, [joint], weights=[1.0, 0.0])
    with pytest.raises(JointError, match=r"elbow.*stiffness"):
        linkage.of(parts, [joint], stiffness={0: (1.0, 2.0)})
    with pytest.raises(JointError, match="locked"):
        linkage.of(parts, [joint], locked=[3])
    with pytest.raises(JointError, match=r"elbow.*second axis has no length"):
        linkage.of(parts, [joint], constraints=[Perpendicular("elbow", 0, 1, TIP, np.zeros(3))])
    with pytest.raises(JointError, match=r"rail.*point is .*nan"):
        linkage.of(parts, [joint], constraints=[PointOnSurface("rail", 0, 1, np.nan * TIP, Plane(TIP, TIP))])


def test_a_linkage_that_is_welded_to_the_world_says_that_nothing_can_move() -> None:
    figure = figures.chain(3, 0.3)
    locked = figure.linkage.with_locked(range(3))
    with pytest.raises(JointError, match=r'"base": it and others weld .* none can move'):
        LinkageScene.of(locked, figure.poses)


def test_a_loop_that_cannot_be_closed_names_the_joint_that_is_open_most() -> None:
    figure = figures.four_bar()
    first, *others = figure.linkage.joints
    leaning = Pose(first.anchors.frame1.rotation, np.array([0.0, 5e-4, 0.0]))  # out of the others' plane
    anchors = replace(first.anchors, frame1=leaning)
    linkage = Linkage.of(figure.linkage.parts, [replace(first, anchors=anchors), *others])
    with pytest.raises(JointError, match=r'"base": it cannot be closed together with the others, 0.0005'):
        LinkageScene.of(linkage, figure.poses, clearances=False)
