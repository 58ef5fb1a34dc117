"""Bodies are pushed, pulled and hung up: they slide, keep contact and stop at walls (paper, 5.1)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.placement import Connection, Local, Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import GLASS, LID, box, floor, sphere, straight, turned

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
LIFTING = Settings(check_energy=False, eps_max=0.2)
WALL = 3.0  # where the wall's side is


CUP = np.array(
    [
        straight([0.0, 0.0], [0.55, 0.0]),
        [[0.55, 0.0], [0.58, 0.0], [0.6, 0.02], [0.6, 0.05]],
        straight([0.6, 0.05], [0.6, 1.0]),
        [[0.6, 1.0], [0.6, 1.04], [0.54, 1.04], [0.54, 1.0]],
        straight([0.54, 1.0], [0.54, 0.1]),
        [[0.54, 0.1], [0.54, 0.08], [0.52, 0.06], [0.5, 0.06]],
        straight([0.5, 0.06], [0.0, 0.06]),
    ]
)


def moved_by(shift: ArrayLike) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = shift
    return matrix


def wall() -> Body:
    return box((0.5, 4.0, 2.0)).body.transformed(moved_by([WALL + 0.5, 0.0, 2.0]))


def standing(body: Body, height: float) -> Placement:
    placement = Placement(body, Pose(UPRIGHT, np.array([0.0, 0.0, height])), [floor(), wall()])
    assert placement.run().status is Status.BALANCED
    return placement


@pytest.mark.slow
@pytest.mark.parametrize("height", [0.15, 0.85])
def test_a_pushed_cup_slides_along_the_table_keeps_contact_and_stops_at_the_wall(height: float) -> None:
    cup = turned("cup", CUP).body
    placement = standing(cup, 0.05)
    before = placement.state.system.centres[0, 2]
    push = Local(np.array([-0.6, 0.0, height]), np.array([1.0, 0.0, 0.0]))
    pushed = placement.branch(settings=Settings(eps_max=0.2), forces=[push])
    certificate = pushed.run()
    assert certificate.status is Status.BALANCED
    way = pushed.states[len(placement.states) :]
    assert len(way) > 5
    for state in way:
        on_table = state.points.take(state.points.normal[:, 2] > 0.9)
        assert abs(on_table.gap.min()) < 1e-9 * cup.radius
        assert state.system.centres[0, 2] < before + 1e-9
        assert state.pose.matrix[2, 2] > 1.0 - 1e-12
    at_wall = pushed.state.points.take(pushed.state.points.normal[:, 0] < -0.9)
    assert abs(at_wall.gap.min()) < 1e-9
    assert abs(at_wall.point1[:, 0].max() - WALL) < 1e-8


@pytest.mark.slow
def test_a_connection_draws_the_lid_s_knob_to_a_hand() -> None:
    lid, glass = turned("lid", LID).body, turned("glass", GLASS).body
    hand, knob = np.array([1.0, 0.5, 3.5]), np.array([0.0, 0.0, 0.5])
    placement = Placement(lid, Pose(UPRIGHT, np.array([0.02, 0.01, 2.2])), [floor(), glass])
    assert placement.run().status is Status.BALANCED
    drawn = placement.branch(settings=Settings(eps_max=0.2), forces=[Connection(knob, hand, strength=2.0)])
    certificate = drawn.run()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    assert len(certificate.contacts) == 0
    held = drawn.state.pose.points(knob)
    assert (
        np.linalg.norm(held - hand) < 1e-5 * lid.radius
    )  # the force fades there, and half of it bears the lid
    assert drawn.state.pose.matrix[2, 2] > 1.0 - 1e-9  # it hangs level from its knob


@pytest.mark.slow
def test_a_connection_to_another_body_is_as_strong_both_ways() -> None:
    ball = sphere(0.5).body
    poses = [Pose(UPRIGHT, np.array([x, 0.0, 0.5])) for x in (-2.0, 2.0)]
    placement = Placement.of_several(
        [ball, ball], poses, [floor()], Settings(), [Connection(np.zeros(3), np.zeros(3), other=1)]
    )
    certificates = [placement.run(), *placement.certificates()]
    assert all(c.status is Status.BALANCED for c in certificates)
    left, right = (pose.translation for pose in placement.state.poses)
    assert np.abs(left + right - [0.0, 0.0, 1.0]).max() < 1e-6
    assert abs(np.linalg.norm(left - right) - 1.0) < 1e-9


def test_a_push_lifts_only_where_energies_are_not_checked() -> None:
    ball = sphere(0.5).body
    placement = standing(ball, 1.0)
    lift = [Local(np.zeros(3), np.array([0.0, 0.0, 1.0]), strength=3.0)]
    for check in (True, False):
        settings = Settings(step_limit=10, check_energy=check)
        pushed = placement.branch(settings=settings, forces=lift)
        pushed.run()
        assert bool(pushed.state.pose.translation[2] < 0.5 + 1e-8) is check
