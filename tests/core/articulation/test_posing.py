"""Linkages that are dragged, pulled and solved for goals, where nothing touches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint, minimize

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    FigureGoal,
    Goal,
    Line,
    LinkageDrag,
    LinkagePull,
    LinkageScene,
    LinkageSolve,
    LinkageState,
    LinkageStatus,
    OrientationGoal,
    PinGoal,
    Plane,
    PointGoal,
    SurfaceGoal,
    pinned,
)
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import FREE, Anchors, Axis, ball, hinge
from physplace_addon.core.rigid import Pose, rotation_matrix, rotation_vector
from physplace_addon.core.solver import Solver
from tests.core.articulation import figures
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


def test_the_three_solvers_have_the_face_of_a_solver() -> None:
    figure = figures.chain(3)
    scene = scene_of(figure)
    goals = [PointGoal(2, TIP, tip_of(figure, 2) + np.array([0.1, 0.0, 0.2]))]
    solvers = [
        LinkageDrag(scene, scene.start, goals),
        LinkageSolve(scene, scene.start, goals),
        LinkagePull(scene, scene.start, lambda _: goals, 3),
    ]
    for solver in solvers:
        assert isinstance(solver, Solver)
        assert solver.status.is_running
        assert solver.step() is solver.state
        assert solver.status.message


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


def path_there(figure: Figure, part: int, ticks: int) -> list[list[Goal]]:
    start = tip_of(figure, part)
    tau = np.linspace(0.0, 1.0, ticks)
    places = start + 0.5 * np.stack([np.sin(tau) - tau, np.sin(2.0 * tau), 1.0 - np.cos(tau)], axis=1)
    return [[PointGoal(part, TIP, place)] for place in places]


def anchors_of(figure: Figure, state: LinkageState) -> Floats:
    """Where the joints are."""
    points = []
    for joint in figure.linkage.joints:
        a = joint.anchors
        points.append(
            a.frame1.translation if a.first == FIXED else state.poses[a.first].points(a.frame1.translation)
        )
    return np.array(points)


@pytest.mark.parametrize("make", [lambda: figures.chain(6, 0.4), lambda: figures.ring(19, tilt=True)])
def test_joints_move_at_most_three_times_as_fast_as_the_goal(make: Callable[[], Figure]) -> None:
    figure = make()
    scene, part = scene_of(figure), 4
    path = path_there(figure, part, 60)
    drag = LinkageDrag(scene, scene.start, path[0])
    before, place = anchors_of(figure, drag.state), tip_of(figure, part)
    for goals in path[1:]:
        drag.move_to(goals)
        state = drag.step()
        target = goals[0].place
        now = anchors_of(figure, state)
        assert np.linalg.norm(now - before, axis=1).max() <= 3.0 * np.linalg.norm(target - place)
        assert state.joint_error < 1e-6
        assert state.goal_errors[0] < 1e-3 * scene.groups.length
        before, place = now, target


@pytest.mark.parametrize(
    "make", [lambda: figures.chain(6, 0.4), lambda: figures.ring(19, tilt=True), figures.four_bar]
)
def test_out_and_back_returns(make: Callable[[], Figure]) -> None:
    figure = make()
    scene, part = scene_of(figure), min(4, len(figure.linkage) - 1)
    path = path_there(figure, part, 40)
    drag = LinkageDrag(scene, scene.start, path[0])
    for goals in [*path[1:], *path[-2::-1]]:
        drag.move_to(goals)
        drag.step()
    state = ended(drag)
    for pose, start in zip(state.poses, scene.start.poses, strict=True):
        assert np.abs(pose.matrix4 - start.matrix4).max() < 1e-6


def test_nothing_moves_at_rest() -> None:
    figure = figures.chain(6, 0.4)
    scene = scene_of(figure)
    goals = [PointGoal(4, TIP, tip_of(figure, 4) + np.array([-0.3, 0.2, 0.3]))]
    drag = LinkageDrag(scene, scene.start, goals)
    state = ended(drag)
    for _ in range(20):
        drag.move_to(goals)
        after = drag.step()
        for pose, start in zip(after.poses, state.poses, strict=True):
            assert np.abs(pose.matrix4 - start.matrix4).max() < 1e-6


def test_a_path_is_pulled_along_place_by_place() -> None:
    figure = figures.chain(5, 0.4)
    scene = scene_of(figure)
    start = tip_of(figure, 4)

    def path(tau: float) -> list[Goal]:
        return [PointGoal(4, TIP, start + tau * np.array([-0.6, 0.2, 0.4]))]

    pull = LinkagePull(scene, scene.start, path, 8)
    for frame in range(1, 9):
        state = pull.step()
        assert pull.frame == frame
        assert state.goal_errors.max() < 1e-6
        assert np.abs(state.poses[4].points(TIP) - path(frame / 8)[0].place).max() < 1e-6
    assert pull.status is LinkageStatus.REACHED


def test_an_arm_points_at_a_goal_out_of_its_reach_and_comes_no_nearer_than_it_can() -> None:
    figure = figures.chain(3, 0.3)
    target = np.array([1.0, 5.0, 2.0])
    solver, state = solved(figure, [PointGoal(2, TIP, target)])
    assert solver.status is LinkageStatus.UNREACHABLE
    assert "part 2" in solver.explanation
    reach = 2.0 + float(np.linalg.norm(state.poses[2].points(TIP) - anchors_of(figure, state)[2]))
    assert abs(state.goal_errors[0] - (np.linalg.norm(target) - reach)) < 1e-5
    assert state.joint_error < 1e-8


def test_a_straight_arm_bends_where_its_end_is_pulled_in() -> None:
    figure = figures.chain(3, 0.0)
    solver, state = solved(figure, [PointGoal(2, TIP, np.array([1.8, 0.0, 0.0]))])
    assert solver.status is LinkageStatus.REACHED
    assert state.goal_errors[0] < 1e-6


def test_a_straight_arm_that_is_dragged_in_bends_without_a_jump() -> None:
    figure = figures.chain(2, 0.0)
    scene = scene_of(figure)
    end = tip_of(figure, 1)
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, TIP, end)])
    before, step = anchors_of(figure, drag.state), 0.01
    for tick in range(1, 80):
        drag.move_to([PointGoal(1, TIP, end - np.array([tick * step, 0.0, 0.0]))])
        now = anchors_of(figure, drag.step())
        assert np.linalg.norm(now - before, axis=1).max() <= 3.0 * step
        before = now
    assert ended(drag).goal_errors[0] < 1e-6


def test_conflicting_pins_are_met_in_the_sense_of_least_squares() -> None:
    figure = figures.chain(1)
    along = figure.poses[0].points(np.array([0.0, 0.0, 0.0]))
    goals = [
        PointGoal(0, np.zeros(3), along + np.array([0.0, 0.3, 0.0]), hard=False, weight=3.0),
        PointGoal(0, np.zeros(3), along - np.array([0.0, 0.3, 0.0]), hard=False),
    ]
    solver, state = solved(figure, goals)
    assert solver.status is LinkageStatus.UNREACHABLE
    angle = np.linspace(-1.0, 1.0, 20001)  # by brute force: the middle goes round the origin at .5
    middle = 0.5 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    misfit = 3.0 * ((middle - goals[0].place) ** 2).sum(axis=1) + ((middle - goals[1].place) ** 2).sum(axis=1)
    assert np.abs(state.poses[0].translation - middle[np.argmin(misfit)]).max() < 1e-4


def test_two_pinned_parts_stay_where_the_rest_is_dragged() -> None:
    figure = figures.ring(19, tilt=True)
    scene = scene_of(figure)
    goals = [*pinned(figure.poses, [0, 9]), PointGoal(4, TIP, tip_of(figure, 4) + np.array([0.1, 0.1, -0.2]))]
    state = ended(LinkageSolve(scene, scene.start, goals))
    for part in (0, 9):
        assert np.abs(state.poses[part].matrix4 - figure.poses[part].matrix4).max() < 1e-7
    assert state.goal_errors.max() < 1e-6


def test_goals_can_be_exchanged_for_others_while_a_figure_is_dragged() -> None:
    figure = figures.chain(5, 0.4)
    scene = scene_of(figure)
    place = tip_of(figure, 4)
    drag = LinkageDrag(scene, scene.start, [PointGoal(4, TIP, place)])
    shift = np.array([-0.3, 0.2, 0.1])
    for goals in (
        [PointGoal(4, TIP, place + shift)],
        [SurfaceGoal(4, TIP, Plane(place - shift, np.array([1.0, 0.0, 0.0])))],
        [SurfaceGoal(4, TIP, Line(place - shift, np.array([0.0, 1.0, 0.0])))],
        [PinGoal(0, figure.poses[0]), PointGoal(4, TIP, place + shift)],
        [],
    ):
        drag.move_to(goals)
        assert ended(drag).goal_errors.max(initial=0.0) < 1e-6
        assert drag.status is LinkageStatus.REACHED
    for pose, start in zip(
        drag.state.poses, figure.poses, strict=True
    ):  # nothing holds it: least motion is none
        assert np.abs(pose.matrix4 - start.matrix4).max() < 1e-6


def test_pins_hold_where_a_part_is_dragged_out_of_reach() -> None:
    figure = figures.chain(4, 0.4)
    free = type(figure.linkage).of(figure.linkage.parts, figure.linkage.joints[1:])
    pins = pinned(figure.poses, [0])
    place = figure.poses[3].translation + np.array([2.0, 3.0, 0.0])
    solver, state = solved(Figure(free, figure.poses), [*pins, PointGoal(3, np.zeros(3), place)])
    assert solver.status is LinkageStatus.UNREACHABLE
    slipped = np.linalg.norm(state.poses[0].translation - figure.poses[0].translation)
    assert slipped < 0.03 * state.goal_errors[1]


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


def test_a_stiff_joint_bends_less_and_a_locked_one_not_at_all() -> None:
    figure = figures.chain(3, 0.4)
    goals = [PointGoal(2, TIP, tip_of(figure, 2) + np.array([-0.2, 0.3, 0.2]))]

    def bend(**changes: object) -> float:
        linkage = type(figure.linkage).of(figure.linkage.parts, figure.linkage.joints, **changes)  # type: ignore[arg-type]
        _, state = solved(Figure(linkage, figure.poses), goals)
        assert state.goal_errors.max() < 1e-6
        apart = state.poses[0].inverse().compose(state.poses[1])
        before = figure.poses[0].inverse().compose(figure.poses[1])
        return float(np.arccos(np.clip(abs(apart.rotation @ before.rotation), 0.0, 1.0)))

    free = bend()
    assert bend(stiffness={1: (0, 0, 0, 3.0, 3.0, 3.0)}) < 0.5 * free
    assert bend(locked=[1]) < 1e-7


@pytest.mark.parametrize("scale", [1e-3, 100.0])
def test_a_bead_and_a_hall_move_alike(scale: float) -> None:
    small = figures.chain(4, 0.4)
    shift = np.array([-0.5, 0.4, 0.3])
    _, expected = solved(small, [PointGoal(3, TIP, tip_of(small, 3) + shift)])
    figure = figures.chain(4, 0.4, scale)
    goal = PointGoal(3, scale * TIP, figure.poses[3].points(scale * TIP) + scale * shift)
    _, state = solved(figure, [goal])
    for pose, other in zip(state.poses, expected.poses, strict=True):
        assert np.abs(pose.translation / scale - other.translation).max() < 1e-7
        assert 1.0 - abs(pose.rotation @ other.rotation) < 1e-12


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


def test_a_goal_of_a_part_that_is_not_there_is_an_error() -> None:
    figure = figures.chain(2)
    scene = scene_of(figure)
    with pytest.raises(JointError, match="part 7"):
        LinkageSolve(scene, scene.start, [PointGoal(7, TIP, TIP)])


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
