"""Goals that cannot all be met: out of reach, in conflict, beside pins, of nothing."""

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.articulation import (
    Goal,
    Line,
    LinkageDrag,
    LinkageSolve,
    LinkageStatus,
    LookAtGoal,
    OrientationGoal,
    PinGoal,
    Plane,
    PointGoal,
    SurfaceGoal,
    pinned,
)
from physplace_addon.core.errors import JointError
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.drags import TIP, anchors_of, ended, scene_of, solved, tip_of
from tests.core.articulation.figures import Figure


def test_an_arm_points_at_a_goal_out_of_its_reach_and_comes_no_nearer_than_it_can() -> None:
    figure = figures.chain(3, 0.3)
    target = np.array([1.0, 5.0, 2.0])
    solver, state = solved(figure, [PointGoal(2, TIP, target)])
    assert solver.status is LinkageStatus.UNREACHABLE
    assert "part 2" in solver.explanation
    reach = 2.0 + float(np.linalg.norm(state.poses[2].points(TIP) - anchors_of(figure, state)[2]))
    assert abs(state.goal_errors[0] - (np.linalg.norm(target) - reach)) < 1e-5
    assert state.joint_error < 1e-8


@pytest.mark.parametrize("sizes", [300.0, 1e8])
def test_an_arm_points_at_a_goal_however_far_that_is(sizes: float) -> None:
    figure = figures.chain(2, 0.3)
    scene, way = scene_of(figure), np.array([0.3, 0.5, 1.0])
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, TIP, sizes * scene.groups.length * way)])
    state = ended(drag)
    assert drag.status is LinkageStatus.UNREACHABLE
    tip = state.poses[1].points(TIP)
    assert np.linalg.norm(tip / np.linalg.norm(tip) - way / np.linalg.norm(way)) < 1e-5


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


@pytest.mark.parametrize("seed", [6, 33])
def test_an_arm_that_is_led_beyond_its_reach_bends_again_on_the_way_back(seed: int) -> None:
    figure = figures.chain(2, 0.0)
    scene = scene_of(figure)
    place = np.array([0.4, 0.05, 0.0])  # beside the line of the rods, so that they are bent a little at first
    start = figure.poses[1].points(place)
    way = np.random.default_rng(seed).normal(size=3)
    way *= 0.2 * scene.groups.length / np.linalg.norm(way)
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, place, start)])
    out = np.linspace(0.0, 1.0, 31)
    for share in [*out[1:], *out[-2::-1]]:
        drag.move_to([PointGoal(1, place, start + share * way)])
        drag.step()
    back = ended(drag)
    assert drag.status is LinkageStatus.REACHED
    for pose, before in zip(back.poses, figure.poses, strict=True):
        assert np.abs(pose.matrix4 - before.matrix4).max() < 1e-6


@pytest.mark.parametrize("bend", [5e-3, 2e-3])
def test_an_arm_led_to_where_it_is_all_but_straight_bends_as_the_law_of_cosines_says(bend: float) -> None:
    figure = figures.chain(2, 0.4)
    scene, start = scene_of(figure), tip_of(figure, 1)
    upper = float(np.linalg.norm(start - anchors_of(figure, scene.start)[1]))
    far = np.sqrt(1.0 + upper**2 + 2.0 * upper * np.cos(bend))
    way = far * np.array([0.9 * np.cos(2.0), 0.9 * np.sin(2.0), np.sqrt(0.19)]) - start
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, TIP, start)])
    for share in np.linspace(0.0, 1.0, 20)[1:]:
        drag.move_to([PointGoal(1, TIP, start + share * way)])
        drag.step()
    state = ended(drag)
    assert drag.status is LinkageStatus.REACHED
    elbow = anchors_of(figure, state)[1]
    beyond = state.poses[1].points(TIP) - elbow
    assert abs(np.arctan2(np.linalg.norm(np.cross(elbow, beyond)), elbow @ beyond) - bend) < 1e-5


@pytest.mark.parametrize(("rods", "bend", "seed"), [(2, 1e-3, 0), (3, 1e-3, 1)])
def test_an_arm_that_was_all_but_straight_is_bent_as_before_when_it_comes_back(
    rods: int, bend: float, seed: int
) -> None:
    figure = figures.chain(rods, bend)
    scene, start = scene_of(figure), tip_of(figure, rods - 1)
    way = np.random.default_rng(seed).normal(size=3)
    way *= 0.3 / np.linalg.norm(way)
    drag = LinkageDrag(scene, scene.start, [PointGoal(rods - 1, TIP, start)])
    out = np.linspace(0.0, 1.0, 16)
    for share in [*out[1:], *out[-2::-1]]:
        drag.move_to([PointGoal(rods - 1, TIP, start + share * way)])
        drag.step()
    for pose, before in zip(ended(drag).poses, figure.poses, strict=True):
        assert np.abs(pose.matrix4 - before.matrix4).max() < 1e-6


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
    misfit = sum(goal.weight * ((middle - goal.target) ** 2).sum(axis=1) for goal in goals)
    assert np.abs(state.poses[0].translation - middle[np.argmin(misfit)]).max() < 1e-4


@pytest.mark.parametrize("apart", [1e-5, 5e-4, 2e-3, 0.3])
def test_pins_that_are_all_but_where_a_figure_can_be_share_what_they_lack(apart: float) -> None:
    figure = figures.person()
    names = figure.linkage.names
    leg = pinned(figure.poses, [names.index("left foot"), names.index("pelvis")])
    lower = Pose(leg[0].pose.rotation, leg[0].pose.translation - np.array([0.0, 0.0, apart]))
    _, state = solved(figure, [replace(leg[0], pose=lower), leg[1]])
    assert np.abs(state.goal_errors - 0.5 * apart).max() < 0.1 * apart


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
    assert np.abs(state.poses[0].matrix4 - figure.poses[0].matrix4).max() < 1e-8


def test_feet_stay_however_far_a_standing_figure_is_dragged() -> None:
    figure = figures.person()
    scene, names = scene_of(figure), figure.linkage.names
    pins = pinned(figure.poses, [names.index("left foot"), names.index("right foot")])
    for part in ("pelvis", "left hand"):
        number = names.index(part)
        far = figure.poses[number].translation + np.array([1.0, -10.0, 2.0])
        state = ended(LinkageDrag(scene, scene.start, [*pins, PointGoal(number, np.zeros(3), far)]))
        for pin in pins:
            assert np.abs(state.poses[pin.part].matrix4 - pin.pose.matrix4).max() < 1e-8


def test_a_goal_of_a_part_that_is_not_there_is_an_error() -> None:
    figure = figures.chain(2)
    scene = scene_of(figure)
    with pytest.raises(JointError, match="part 7"):
        LinkageSolve(scene, scene.start, [PointGoal(7, TIP, TIP)])


NOWHERE = np.array([np.nan, 0.0, 0.0])


@pytest.mark.parametrize(
    ("goal", "match"),
    [
        (PointGoal(1, TIP, NOWHERE), "target is .*nan"),
        (PointGoal(1, NOWHERE, TIP), "point is .*nan"),
        (SurfaceGoal(1, NOWHERE, Plane(TIP, TIP)), "point is .*nan"),
        (OrientationGoal(1, np.array([1.0, 1.0, 0.0, 0.0])), "quaternion of length 1"),
        (LookAtGoal(1, TIP, np.zeros(3), TIP), "direction has no length"),
        (LookAtGoal(1, TIP, TIP, NOWHERE), "target is .*nan"),
    ],
)
def test_a_goal_that_leads_nowhere_is_an_error(goal: Goal, match: str) -> None:
    figure = figures.chain(2)
    scene = scene_of(figure)
    with pytest.raises(JointError, match=match):
        LinkageSolve(scene, scene.start, [goal])


def test_a_pinned_part_that_is_welded_to_the_world_is_where_it_is_to_be() -> None:
    figure = figures.chain(3, 0.3)
    welded = Figure(figure.linkage.with_locked([0]), figure.poses)
    goals = [
        PinGoal(0, figure.poses[0]),
        OrientationGoal(0, figure.poses[0].rotation),
        PointGoal(2, TIP, tip_of(figure, 2) + np.array([-0.2, 0.2, 0.3])),
    ]
    solver, state = solved(welded, goals)
    assert solver.status is LinkageStatus.REACHED
    assert state.goal_errors.max() < 1e-6
