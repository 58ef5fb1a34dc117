"""Linkages that are dragged, pulled and solved for goals, where nothing touches."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    Goal,
    Line,
    LinkageDrag,
    LinkagePull,
    LinkageSolve,
    LinkageStatus,
    LookAtGoal,
    OrientationGoal,
    PinGoal,
    Plane,
    PointGoal,
    SurfaceGoal,
)
from physplace_addon.core.articulation.configuration import Configuration
from physplace_addon.core.articulation.contact.obstacles import NoClearances
from physplace_addon.core.articulation.tracking import Tracking
from physplace_addon.core.rigid import Pose
from physplace_addon.core.solver import Solver
from tests.core.articulation import figures
from tests.core.articulation.drags import TIP, anchors_of, ended, scene_of, solved, tip_of
from tests.core.articulation.figures import Figure


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


def path_there(figure: Figure, part: int, ticks: int) -> list[list[PointGoal]]:
    start = tip_of(figure, part)
    tau = np.linspace(0.0, 1.0, ticks)
    places = start + 0.5 * np.stack([np.sin(tau) - tau, np.sin(2.0 * tau), 1.0 - np.cos(tau)], axis=1)
    return [[PointGoal(part, TIP, place)] for place in places]


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
        target = goals[0].target
        now = anchors_of(figure, state)
        assert np.linalg.norm(now - before, axis=1).max() <= 3.0 * np.linalg.norm(target - place)
        assert state.joint_error < 1e-6
        assert state.goal_errors[0] < 1e-3 * scene.groups.length
        before, place = now, target


@pytest.mark.parametrize("nudge", [1e-12, 1e-8])
def test_a_goal_that_hardly_moves_while_the_figure_is_behind_is_reached(nudge: float) -> None:
    """As a mouse that stands still does, whose place is read again and again in single precision."""
    figure = figures.chain(4, 0.4)
    scene, tip = scene_of(figure), tip_of(figure, 3)
    far = tip + np.array([0.0, 0.3, 0.74])
    drag = LinkageDrag(scene, scene.start, [PointGoal(3, TIP, tip)])
    drag.move_to([PointGoal(3, TIP, far)])
    for _ in range(2):
        drag.step()
    drag.move_to([PointGoal(3, TIP, far + np.array([0.0, 0.0, nudge]))])
    for _ in range(20):
        drag.step()
    assert drag.status is LinkageStatus.REACHED


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


@pytest.mark.parametrize("make", [LinkageDrag, LinkageSolve])
def test_a_figure_that_cannot_begin_to_move_says_so(
    make: type[LinkageDrag] | type[LinkageSolve], monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = figures.chain(3)
    scene = scene_of(figure)
    monkeypatch.setattr(NoClearances, "checked", lambda *_: None)  # something is in the way everywhere
    solver = make(scene, scene.start, [PointGoal(2, TIP, np.array([0.0, 2.0, 1.0]))])
    assert solver.state.goal_errors.shape == (1,)
    for _ in range(5):
        solver.step()
    assert solver.status is LinkageStatus.BLOCKED
    assert solver.explanation == 'something is in the way ("part 2")'


def test_a_figure_that_is_stopped_has_ended_unless_it_moves() -> None:
    figure = figures.chain(3)
    scene = scene_of(figure)
    solver = LinkageSolve(scene, scene.start, [PointGoal(2, TIP, np.array([0.0, 2.0, 1.0]))])
    solver.step()
    solver.stop(moves=True)
    assert solver.status.is_running
    solver.stop()
    assert solver.status is LinkageStatus.UNREACHABLE


def _planes(height: float) -> Goal:
    return SurfaceGoal(2, TIP, Plane(np.array([0.0, 0.0, height]), np.array([0.0, 0.0, 1.0])))


def _lines(height: float) -> Goal:
    return SurfaceGoal(2, TIP, Line(np.array([0.0, 0.0, height]), np.array([1.0, 0.4, 0.0])))


def _turned(angle: float) -> Floats:
    return figures.chain(3, 0.3).poses[2].displaced(np.zeros(3), [0.0, 0.0, angle], np.zeros(3)).rotation


@pytest.mark.parametrize(
    "goal",
    [
        _planes,
        _lines,
        lambda a: PointGoal(2, TIP, np.array([2.0, 0.5 + a, 0.3])),
        lambda a: PointGoal(2, np.array([a, 0.0, 0.0]), np.array([2.0, 0.5, 0.3])),
        lambda a: OrientationGoal(2, _turned(a)),
        lambda a: LookAtGoal(2, TIP, np.array([1.0, 0.0, 0.0]), np.array([5.0 - 8.0 * a, 5.0, 0.0])),
        lambda a: LookAtGoal(2, TIP, np.array([1.0, a, 0.0]), np.array([5.0, 5.0, 0.0])),
        lambda a: PinGoal(2, Pose(_turned(a), np.array([1.8, 0.8, 0.3]))),
    ],
)
def test_a_drag_that_has_come_to_rest_follows_goals_of_any_kind(goal: Callable[[float], Goal]) -> None:
    figure = figures.chain(3, 0.3)
    scene = scene_of(figure)
    drag = LinkageDrag(scene, scene.start, [goal(0.1)])
    rest = ended(drag)
    drag.move_to([goal(0.1)])
    assert drag.step() is rest, "nothing has changed"
    drag.move_to([goal(0.4)])
    state = ended(drag)
    there = LinkageSolve(scene, scene.start, [goal(0.4)])
    ended(there)
    assert drag.status is there.status is LinkageStatus.REACHED
    for one, other in zip(state.poses, there.state.poses, strict=True):
        np.testing.assert_allclose(one.matrix4, other.matrix4, atol=1e-6)


def test_a_path_is_pulled_along_place_by_place() -> None:
    figure = figures.chain(5, 0.4)
    scene = scene_of(figure)
    start = tip_of(figure, 4)

    def path(tau: float) -> list[PointGoal]:
        return [PointGoal(4, TIP, start + tau * np.array([-0.6, 0.2, 0.4]))]

    pull = LinkagePull(scene, scene.start, path, 8)
    for frame in range(1, 9):
        state = pull.step()
        assert pull.frame == frame
        assert state.goal_errors.max() < 1e-6
        assert np.abs(state.poses[4].points(TIP) - path(frame / 8)[0].target).max() < 1e-6
    assert pull.status is LinkageStatus.REACHED


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


class Refusals(NoClearances):
    """Something that is in the way of so many motions, after half of each."""

    free_share = 0.5

    def __init__(self, count: int) -> None:
        self._count = count

    def checked(self, configuration: Configuration) -> bool | None:
        self._count -= 1
        return None if self._count >= 0 else True


def test_goals_that_come_back_from_what_was_in_the_way_are_followed_at_once() -> None:
    figure = figures.chain(4, 0.4)
    scene, tip = scene_of(figure), tip_of(figure, 3)
    begin = scene.start.configuration
    for shift, follows in ((0.02, True), (0.06, False)):
        tracking = Tracking(scene.equations, begin, scene.equations.coordinates(begin))
        tracking.follow([PointGoal(3, TIP, tip)])
        tracking.tick(begin, NoClearances(), 0.1, 0.3, 1e-5)
        tracking.follow([PointGoal(3, TIP, tip + np.array([0.0, 0.0, 0.05]))])
        stopped = tracking.tick(begin, Refusals(3), 0.1, 0.3, 1e-5)
        assert 0.0 < stopped.share < 0.1
        tracking.follow([PointGoal(3, TIP, tip + np.array([0.0, 0.0, shift]))])
        tick = tracking.tick(stopped.solution.iterate.configuration, NoClearances(), 0.1, 0.3, 1e-5)
        assert (tick.share == 1.0) == follows


def test_a_tick_after_one_that_was_cut_is_no_longer_and_the_next_twice_as_long() -> None:
    figure = figures.chain(4, 0.4)
    scene, tip = scene_of(figure), tip_of(figure, 3)
    here = scene.start.configuration
    tracking = Tracking(scene.equations, here, scene.equations.coordinates(here))
    tracking.follow([PointGoal(3, TIP, tip)])
    tracking.tick(here, NoClearances(), 0.1, 0.3, 1e-5)
    tracking.follow([PointGoal(3, TIP, tip + np.array([0.0, 0.0, 0.05]))])
    shares = []
    for clearances in (Refusals(3), Refusals(0), Refusals(0)):
        tick = tracking.tick(here, clearances, 0.1, 0.3, 1e-5)
        here = tick.solution.iterate.configuration
        shares.append(tick.share)
    assert shares[0] < 0.4
    assert shares[1:] == [shares[0], 2.0 * shares[0]]


def test_a_goal_that_was_far_and_is_near_again_before_the_next_tick_is_met_by_it() -> None:
    figure = figures.chain(4, 0.4)
    scene, tip = scene_of(figure), tip_of(figure, 3)
    drag = LinkageDrag(scene, scene.start, [PointGoal(3, TIP, tip)])
    drag.step()
    for shift in (1.0, 2.0, 1.0, 0.05):
        drag.move_to([PointGoal(3, TIP, tip + np.array([0.0, 0.0, shift]))])
    assert drag.step().goal_errors[0] < 0.005
