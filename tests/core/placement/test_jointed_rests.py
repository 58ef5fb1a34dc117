"""Jointed figures come to rest as statics says: pendulums, arms, loops, ladders, stiff joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import brentq

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import Axis, Joint, Motor, Spring
from physplace_addon.core.placement import Placement, Settings, Status, joint_reactions
from physplace_addon.core.rigid import Pose
from tests.core.placement.figures import THICK, angle_of, block, chain, down, floor, pin, rod

GRAVITY = 9.81
HOLDS = 0.5 * GRAVITY * block((1.0, THICK, THICK), "rod").mass.mass
"""The torque about one end of a level rod."""


def placed(
    bodies: Sequence[Body],
    poses: Sequence[Pose],
    joints: Sequence[Joint],
    world: Sequence[Body] = (),
    settings: Settings | None = None,
) -> Placement:
    """A placement that has ended; in each of its states the joints are closed."""
    placement = Placement.of_several(bodies, poses, world, settings, joints=joints)
    placement.run()
    for state in placement.states:
        for joint in joints:
            assert joint_gap(joint, state.poses) < 1e-11
    return placement


def joint_gap(joint: Joint, poses: Sequence[Pose]) -> float:
    """How far a joint's two anchors are apart."""
    anchors = joint.anchors
    ends = [
        frame.translation if number == FIXED else poses[number].points(frame.translation)
        for number, frame in ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2))
    ]
    return float(np.linalg.norm(ends[1] - ends[0]))


def angles(placement: Placement) -> Floats:
    return np.array([angle_of(pose) for pose in placement.state.poses])


def assert_balanced(placement: Placement, status: Status = Status.BALANCED) -> None:
    assert placement.status is status
    for found in placement.certificates():
        assert found.stable
        assert max(found.residual_force, found.residual_torque) < 1e-9
        assert found.overlap == 0.0


def test_a_pendulum_comes_to_rest_hanging() -> None:
    placement = placed(*chain([1.0]))
    assert_balanced(placement)
    assert abs(angles(placement)[0]) < 1e-9


@pytest.mark.parametrize("start", [(1.0, 2.0), (0.3, -0.4, 0.5)])
def test_a_chain_of_rods_hangs_straight_down(start: tuple[float, ...]) -> None:
    placement = placed(*chain(start))
    assert_balanced(placement)
    assert np.abs(angles(placement)).max() < 1e-8


@pytest.mark.parametrize("start", [(np.pi,), (np.pi, np.pi), (0.0, np.pi)])
def test_what_stands_on_its_end_is_balanced_but_not_stable(start: tuple[float, ...]) -> None:
    placement = placed(*chain(start))
    assert placement.status is Status.BALANCED
    assert not any(found.stable for found in placement.certificates())


def test_an_inverted_pendulum_is_left_by_a_nudge() -> None:
    placement = placed(*chain([np.pi]), settings=Settings(leave_metastable=True))
    assert_balanced(placement)
    assert abs(angles(placement)[0]) < 1e-9


def test_a_limit_of_a_joint_holds_a_pendulum_and_only_pushes() -> None:
    held = placed(*chain([1.0], [Axis(lower=-0.3, upper=0.3)]))
    assert_balanced(held)
    assert abs(angles(held)[0] - 0.7) < 1e-9
    away = placed(*chain([1.0], [Axis(lower=0.0, upper=2.0)]))  # it turns backwards about y
    assert abs(angles(away)[0]) < 1e-9


def test_a_pose_beyond_a_limit_is_kept_but_goes_no_farther() -> None:
    turned = chain([1.0], [Axis(lower=-0.5, upper=-0.2)])
    placement = placed(*turned)
    assert_balanced(placement)
    assert abs(angles(placement)[0] - 1.0) < 1e-9


def test_an_arm_falls_on_a_table() -> None:
    """The forearm lies flat; so the upper arm's end is half its thickness above the table."""
    height = 0.8
    placement = placed(*chain([1.9, 1.4], top=(0.0, 0.0, height)), world=[floor()])
    assert_balanced(placement)
    upper, fore = angles(placement)
    assert abs(fore - 0.5 * np.pi) < 1e-8
    assert abs(np.cos(upper) - (height - 0.5 * THICK)) < 1e-8


def _tent(angle: float) -> tuple[list[Body], list[Pose], list[Joint]]:
    """Two legs of length 1, at an angle from straight down, with a hinge on top, on a floor."""
    made = [rod(np.zeros(3), down(sign * angle), f"leg {sign}") for sign in (-1, 1)]
    lowest = min(float(pose.points(body.points)[:, 2].min()) for body, pose in made)
    lift = np.array([0.0, 0.0, 1e-9 - lowest])
    poses = [Pose(pose.rotation, pose.translation + lift) for _, pose in made]
    return [body for body, _ in made], poses, [pin("top", 0, 1, lift, poses)]


@pytest.mark.parametrize("angle", [0.3, 0.6])
def test_a_ladder_of_two_legs_needs_the_friction_of_statics(angle: float) -> None:
    """Each leg stands on its inner corner (x, z) with its weight W and is pushed in by F.

    Torques about the hinge: W (x - sin(a) / 2) = F z.
    """
    across, height = (
        np.sin(angle) - 0.5 * THICK * np.cos(angle),
        np.cos(angle) + 0.5 * THICK * np.sin(angle),
    )
    least = (across - 0.5 * np.sin(angle)) / height
    for part, status in ((1.05, Status.BALANCED_BY_FRICTION), (0.95, Status.BALANCED)):
        placement = placed(*_tent(angle), world=[floor()], settings=Settings(friction=part * least))
        assert placement.status is status
        if part > 1.0:
            assert placement.certificate().required_friction == pytest.approx(least, rel=1e-4)
        else:
            assert np.allclose(np.abs(angles(placement)), 0.5 * np.pi, atol=1e-8)  # it has slid flat


CRANK, COUPLER, ROCKER, PIVOT = 0.5, 1.2, 1.0, 1.5


def _four_bar(angle: float) -> tuple[list[Body], list[Pose], list[Joint]]:
    base, pivot = np.zeros(3), np.array([PIVOT, 0.0, 0.0])
    p = CRANK * np.array([np.cos(angle), 0.0, np.sin(angle)])
    far = float(np.linalg.norm(pivot - p))
    along = (pivot - p) / far
    part = (far**2 + COUPLER**2 - ROCKER**2) / (2.0 * far)
    q = p + part * along + np.sqrt(COUPLER**2 - part**2) * np.array([-along[2], 0.0, along[0]])
    made = [rod(base, p, "crank"), rod(p, q, "coupler"), rod(pivot, q, "rocker")]
    bodies, poses = [body for body, _ in made], [pose for _, pose in made]
    pins = [(FIXED, 0, base), (0, 1, p), (1, 2, q), (2, FIXED, pivot)]
    joints = [pin(f"pin {i}", one, other, place, poses) for i, (one, other, place) in enumerate(pins)]
    return bodies, poses, joints


def _height(angle: float) -> float:
    """Its energy: masses times heights."""
    bodies, poses, _ = _four_bar(angle)
    pairs = zip(bodies, poses, strict=True)
    return sum(body.mass.mass * float(pose.points(body.mass.center)[2]) for body, pose in pairs)


@pytest.mark.parametrize("start", [1.0, 2.0, -2.5])
def test_a_four_bar_linkage_hangs_where_its_energy_is_least(start: float) -> None:
    placement = placed(*_four_bar(start))
    assert_balanced(placement)
    assert placement.state.coordinates.size(placement.state.system) == 1
    crank = placement.state.pose.matrix[:, 0]
    found = float(np.arctan2(crank[2], crank[0]))
    slope = 1e-4
    least = brentq(lambda a: _height(a + slope) - _height(a - slope), found - 0.1, found + 0.1)
    assert abs(found - least) < 1e-7


def test_a_parallelogram_passes_where_its_rods_are_in_line() -> None:
    base, far = np.zeros(3), np.array([1.0, 0.0, 0.0])
    p = 0.5 * np.array([np.cos(0.6), 0.0, np.sin(0.6)])
    made = [rod(base, p, "crank"), rod(p, p + far, "coupler"), rod(far, p + far, "rocker")]
    bodies, poses = [body for body, _ in made], [pose for _, pose in made]
    pins = [(FIXED, 0, base), (0, 1, p), (1, 2, p + far), (2, FIXED, far)]
    joints = [pin(f"pin {i}", one, other, place, poses) for i, (one, other, place) in enumerate(pins)]
    placement = placed(bodies, poses, joints)
    assert_balanced(placement)
    assert np.allclose(angles(placement), [0.0, 0.5 * np.pi, 0.0], atol=1e-8)


@pytest.mark.parametrize("strength", [1.2, 1.001])
def test_a_stiff_joint_holds_what_it_can(strength: float) -> None:
    placement = placed(*chain([0.5 * np.pi], [Axis(motor=Motor(0.0, strength * HOLDS))]))
    assert_balanced(placement)
    assert placement.steps == 1


@pytest.mark.parametrize("strength", [0.9, 0.5, 0.1])
def test_a_stiff_joint_gives_way_until_it_holds(strength: float) -> None:
    placement = placed(*chain([0.5 * np.pi], [Axis(motor=Motor(0.0, strength * HOLDS))]))
    assert_balanced(placement)
    assert np.sin(angles(placement)[0]) == pytest.approx(strength, abs=2e-3)
    assert np.sin(angles(placement)[0]) <= strength + 1e-7


def test_a_spring_holds_a_rod_where_its_torque_is_that_of_the_weight() -> None:
    stiffness = 3.0 * HOLDS
    placement = placed(*chain([0.5 * np.pi], [Axis(spring=Spring(stiffness))]))
    assert_balanced(placement)
    found = brentq(lambda angle: stiffness * (angle - 0.5 * np.pi) + HOLDS * np.sin(angle), 0.0, 3.0)
    assert abs(angles(placement)[0] - found) < 1e-9


def test_a_locked_joint_keeps_its_angle() -> None:
    locked = Axis(motor=Motor(0.0))
    placement = placed(*chain([1.0, 1.5], [Axis(), locked]))
    assert_balanced(placement)
    first, second = angles(placement)
    assert abs(second - first - 0.5) < 1e-10
    assert abs(np.sin(first) * 1.5 + np.sin(second) * 0.5) < 1e-9  # one bent rod of two equal parts
    alone = placed(*chain([1.0, 1.5], [locked, Axis()]))
    assert np.allclose(angles(alone), [1.0, 0.0], atol=1e-9)


def test_a_lid_falls_shut_on_its_box() -> None:
    box = block((1.0, 1.0, 0.6), "box", (0.0, 0.0, 0.3))
    corner = np.array([-0.5, 0.0, 0.601])
    lid, shut = rod((-0.5, 0.0, 0.651), (0.5, 0.0, 0.651), "lid")
    pose = shut.displaced(np.zeros(3), [0.0, -1.0, 0.0], corner)
    hinge = pin("hinge", FIXED, 0, corner, [pose])
    placement = placed([lid], [pose], [hinge], world=[box])
    assert_balanced(placement)
    assert abs(angles(placement)[0] - 0.5 * np.pi + np.arcsin(0.001)) < 1e-8


def test_a_figure_falls_as_one_to_what_is_below() -> None:
    bodies, poses, _ = chain([0.4, -0.3], top=(0.0, 0.0, 30.0))
    knee = pin("knee", 0, 1, [np.sin(0.4), 0.0, 30.0 - np.cos(0.4)], poses)
    placement = placed(bodies, poses, [knee], world=[floor()])
    assert_balanced(placement)
    assert placement.steps < 150
    assert np.allclose(np.abs(np.sin(angles(placement))), 1.0, atol=1e-8)


def test_a_figure_without_support_is_named_so() -> None:
    bodies, poses, _ = chain([0.4, -0.3])
    knee = pin("knee", 0, 1, [np.sin(0.4), 0.0, -np.cos(0.4)], poses)
    assert Placement.of_several(bodies, poses, (), joints=[knee]).status is Status.NO_SUPPORT


def test_a_joint_whose_bodies_do_not_meet_is_named() -> None:
    bodies, poses, joints = chain([0.4, -0.3])
    poses[1] = Pose(poses[1].rotation, poses[1].translation + np.array([0.1, 0.0, 0.0]))
    with pytest.raises(JointError, match=r"pin 1.*a gap of 0\.1 is open"):
        Placement.of_several(bodies, poses, (), joints=joints)


def test_a_placement_of_a_figure_goes_on_from_any_state() -> None:
    placement = placed(*chain([1.0, 2.0]))
    again = placement.branch(10)
    again.run()
    assert_balanced(again)
    assert np.allclose(angles(again), 0.0, atol=1e-8)


def test_joints_report_the_reactions_of_statics() -> None:
    """The upper pin bears both rods, the lower one its own; nothing turns a straight chain."""
    placement = placed(*chain([1.0, 2.0]))
    upper, lower = joint_reactions(placement.problem, placement.state, placement.status)
    assert np.allclose(upper.force, [0.0, 0.0, 2.0], atol=1e-8)
    assert np.allclose(lower.force, [0.0, 0.0, 1.0], atol=1e-8)
    for load in (upper, lower):
        assert np.abs(load.torque).max() < 1e-8
        assert (max(load.gap, load.turn) < 1e-11, load.braking, load.at_limit) == (True, 0.0, False)


def test_a_stiff_joint_reports_the_torque_that_it_holds() -> None:
    bodies, poses, joints = chain([0.5 * np.pi], [Axis(motor=Motor(0.0, 2.0 * HOLDS))])
    placement = placed(bodies, poses, joints)
    (load,) = joint_reactions(placement.problem, placement.state, placement.status)
    assert np.allclose(load.force, [0.0, 0.0, 1.0], atol=1e-9)
    assert np.allclose(load.torque, [0.0, -0.5, 0.0], atol=1e-9)
    assert load.braking == pytest.approx(0.5, abs=1e-9)


def test_a_limit_that_presses_is_reported() -> None:
    placement = placed(*chain([1.0], [Axis(lower=-0.3, upper=0.3)]))
    (load,) = joint_reactions(placement.problem, placement.state, placement.status)
    assert load.at_limit
    assert np.allclose(load.torque, [0.0, -0.5 * np.sin(0.7), 0.0], atol=1e-9)


def test_the_top_of_a_ladder_bears_what_its_legs_push() -> None:
    """Each leg is pushed inwards by F at its foot, so by as much outwards at the top."""
    placement = placed(*_tent(0.5), world=[floor()], settings=Settings(friction=0.5))
    (load,) = joint_reactions(placement.problem, placement.state, placement.status)
    across, height = np.sin(0.5) - 0.5 * THICK * np.cos(0.5), np.cos(0.5) + 0.5 * THICK * np.sin(0.5)
    assert abs(load.force[0]) == pytest.approx((across - 0.5 * np.sin(0.5)) / height, rel=1e-6)
    assert abs(load.force[2]) < 1e-6


@pytest.mark.parametrize("scale", [1e-3, 100.0])
@pytest.mark.parametrize("away", [0.0, 1e3])
def test_an_arm_comes_to_rest_at_any_scale_and_place(scale: float, away: float) -> None:
    """The arm that falls on a table, in millimetres or for a hall, far from the origin."""
    top = np.array([away, -away, 0.8]) * scale
    elbow = top + scale * down(1.2)
    made = [
        rod(top, elbow, "upper", THICK * scale),
        rod(elbow, elbow + scale * down(1.4), "fore", THICK * scale),
    ]
    bodies, poses = [body for body, _ in made], [pose for _, pose in made]
    joints = [pin("shoulder", FIXED, 0, top, poses), pin("elbow", 0, 1, elbow, poses)]
    side = 20.0 * scale
    table = block((side, side, scale), "table", (top[0], top[1], -0.5 * scale))
    placement = Placement.of_several(bodies, poses, [table], joints=joints)
    placement.run()
    assert_balanced(placement)
    upper, fore = angles(placement)
    assert abs(fore - 0.5 * np.pi) < 1e-6
    assert abs(np.cos(upper) - (0.8 - 0.5 * THICK)) < 1e-6


def test_locked_joints_make_a_figure_one_body() -> None:
    bodies, poses, _ = chain([0.4, -0.3], top=(0.0, 0.0, 3.0))
    locked = Axis(motor=Motor(0.0))
    knee = pin("knee", 0, 1, [np.sin(0.4), 0.0, 3.0 - np.cos(0.4)], poses, locked)
    placement = placed(bodies, poses, [knee], world=[floor()])
    assert_balanced(placement)
    first, second = angles(placement)
    assert abs(np.sin(first - second) - np.sin(0.7)) < 1e-9


def test_what_is_locked_to_the_world_stays() -> None:
    locked = Axis(motor=Motor(0.0))
    placement = placed(*chain([1.0, 0.5], [locked, locked]))
    assert_balanced(placement)
    assert np.allclose(angles(placement), [1.0, 0.5], atol=1e-12)


def test_one_figure_falls_beside_another_that_is_locked() -> None:
    locked = Axis(motor=Motor(0.0))
    bodies, poses, joints = chain([1.0], [locked])
    more, stand, others = chain([1.0], top=(5.0, 0.0, 0.0))
    every = [*stand, *poses]
    free = pin("free", FIXED, 0, (5.0, 0.0, 0.0), every)
    held = pin("held", FIXED, 1, (0.0, 0.0, 0.0), every, locked)
    assert len(joints) == len(others) == 1
    placement = placed([*more, *bodies], every, [free, held])
    assert_balanced(placement)
    assert np.allclose(angles(placement), [0.0, 1.0], atol=1e-9)
