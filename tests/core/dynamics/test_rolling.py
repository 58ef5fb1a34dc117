"""Exact balls and cylinders that roll, held against closed forms; and what spins and does not roll."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import feature_keys
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import cone, cylinder, sphere

from .scenes import DOWN, GRAVITY, UPRIGHT, block, floor, simulation, standing

FIRST_ROLL = 2.0 / 7.0  # part of a homogeneous ball's first speed that is gone when it rolls


def ball(radius: float) -> Body:
    """A ball about the origin."""
    return sphere().body.transformed(np.diag([radius, radius, radius, 1.0]))


def on_floor(radius: float) -> Pose:
    """The pose of a ball that stands on a floor by the gap of contacts."""
    return Pose(UPRIGHT, np.array([0.0, 0.0, radius * (1.0 + HOLD)]))


@pytest.mark.parametrize(("radius", "step"), [(1e-3, 1.0 / 240.0), (1.0, 1.0 / 24.0)])
def test_a_ball_that_slides_comes_to_roll_as_its_closed_form_says(radius: float, step: float) -> None:
    """The smaller one turns by a fifth of a radian in a step."""
    friction, speed = 0.5, 2.0 * np.sqrt(radius)
    made = simulation(
        [ball(radius)],
        [on_floor(radius)],
        [floor(wide=20.0 * radius)],
        friction=friction,
        velocity=np.array([[speed, 0.0, 0.0]]),
        step=step,
    )
    rolls_at = FIRST_ROLL * speed / (friction * GRAVITY)
    until = 3.0 * rolls_at
    made.run(until)
    slid = speed * rolls_at - 0.5 * friction * GRAVITY * rolls_at**2
    rolled = (1.0 - FIRST_ROLL) * speed * (until - rolls_at)
    assert made.state.motion.centre[0, 0] == pytest.approx(slid + rolled, rel=1e-10)
    assert min(abs(state.time / rolls_at - 1.0) for state in made.states) < 1e-10


def test_a_ball_rolls_down_a_slope_without_a_slip_however_far_it_turns_in_a_step() -> None:
    radius, angle, until = 1e-3, 0.3, 5.0 / 240.0
    down = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    made = simulation([ball(radius)], [on_floor(radius)], [floor()], gravity=down)
    made.run(until)
    gone = 0.5 * 5.0 / 7.0 * GRAVITY * np.sin(angle) * until**2
    assert made.state.motion.spin[0, 1] / 240.0 > 0.15
    assert made.state.motion.centre[0, 0] == pytest.approx(gone, rel=1e-10)


@pytest.mark.parametrize(("radius", "step"), [(1e-3, 1.0 / 240.0), (1.0, 1.0 / 24.0)])
def test_a_cylinder_on_its_side_slides_and_rolls_as_its_closed_form_says(radius: float, step: float) -> None:
    """It touches along a line, and rolls across it.  It loses a third of its first speed until then."""
    friction, speed, body = 0.5, 2.0 * np.sqrt(radius), cylinder(radius, 4.0 * radius).body
    lying = quaternion_exponential(np.array([0.5 * np.pi, 0.0, 0.0]))
    made = simulation(
        [body],
        [Pose(lying, np.array([0.0, 0.0, radius + HOLD * body.radius]))],
        [floor(wide=20.0 * radius)],
        friction=friction,
        velocity=np.array([[speed, 0.0, 0.0]]),
        step=step,
    )
    rolls_at = speed / (3.0 * friction * GRAVITY)
    until = 3.0 * rolls_at
    made.run(until)
    slid = speed * rolls_at - 0.5 * friction * GRAVITY * rolls_at**2
    rolled = speed * (until - rolls_at) / 1.5
    assert made.state.motion.centre[0, 0] == pytest.approx(slid + rolled, rel=1e-10)
    assert min(abs(state.time / rolls_at - 1.0) for state in made.states) < 1e-10


def test_a_cylinder_on_its_side_rolls_down_a_slope_as_its_closed_form_says() -> None:
    radius, angle, until = 1e-3, 0.3, 5.0 / 240.0
    down = GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    body = cylinder(radius, 4.0 * radius).body
    lying = quaternion_exponential(np.array([0.5 * np.pi, 0.0, 0.0]))
    pose = Pose(lying, np.array([0.0, 0.0, radius + HOLD * body.radius]))
    made = simulation([body], [pose], [floor()], gravity=down)
    made.run(until)
    gone = 0.5 * 2.0 / 3.0 * GRAVITY * np.sin(angle) * until**2
    assert made.state.motion.spin[0, 1] / 240.0 > 0.15
    assert made.state.motion.centre[0, 0] == pytest.approx(gone, rel=1e-10)


def _error_on_turntable(step: float) -> float:
    """Return how far a ball is from the circle on which it rolls on a plate that turns, a length.

    With the plate's angular velocity O it goes round its circle with 2 O / 7 (Earnshaw 1844).
    """
    radius, turning, until, start = 0.2, 2.0, 0.25, np.array([1.0, 0.0, 0.0])
    velocity, up = np.array([0.3, 0.5, 0.0]), np.array([0.0, 0.0, 1.0])
    plate, times = floor(wide=3.0), np.arange(0.0, until + 0.1, 1.0 / 60.0)
    turns = [Pose(quaternion_exponential(turning * time * up), np.zeros(3)) for time in times]
    poses = [Pose(UPRIGHT, start + (radius + HOLD * plate.radius) * up), turns[0]]
    scene = Scene.of(
        [ball(radius), plate],
        poses,
        [],
        SurfaceLaws(np.ones(2), np.zeros(2)),
        DOWN,
        tracks={1: Track.of(times.tolist(), turns)},
        step=step,
    )
    spin = np.cross(up, velocity - turning * np.cross(up, start)) / radius
    motion = scene.motion(poses, np.array([velocity, np.zeros(3)]), np.array([spin, turning * up]))
    made = Simulation(scene, motion)
    made.run(until)
    place: Floats = made.state.motion.centre[0] + scene.origin
    angle = FIRST_ROLL * turning * until
    along = np.sin(angle) * velocity + (1.0 - np.cos(angle)) * np.cross(up, velocity)
    return float(np.linalg.norm((place - start - along / (FIRST_ROLL * turning))[:2]))


@pytest.mark.slow
def test_a_ball_on_a_turntable_goes_round_its_circle_to_second_order() -> None:
    errors = [_error_on_turntable(step) for step in (1.0 / 30.0, 1.0 / 60.0)]
    assert errors[0] < 1e-5
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.parametrize(
    ("turn", "height"), [(0.0, 0.5), (0.5 * np.pi, 0.3)], ids=["on its rim", "on its side"]
)
def test_a_cylinder_that_spins_on_a_floor_stays_where_it_is(turn: float, height: float) -> None:
    """It touches along a rim or a line, in which points of contact may slide while it does not roll."""
    made = simulation(
        [cylinder(0.3, 1.0).body],
        [Pose(quaternion_exponential(np.array([turn, 0.0, 0.0])), np.array([0.0, 0.0, height + 1e-5]))],
        [floor()],
        friction=0.8,
        spin=np.array([[0.0, 0.0, 3.0]]),
        step=1.0 / 120.0,
    )
    made.run(0.05)
    assert np.abs(made.state.motion.centre[0, :2]).max() < 1e-5
    assert np.abs(made.state.motion.spin[0, :2]).max() < 1e-3
    assert made.state.motion.spin[0, 2] < 2.9


def test_each_of_several_points_of_a_rim_is_tracked_to_itself_where_nothing_moves() -> None:
    """They are all of the same two features."""
    pose = Pose(UPRIGHT, np.array([0.0, 0.0, 0.5 + 1e-5]))
    moment = simulation([cylinder(0.3, 1.0).body], [pose], [floor()]).moment
    points = moment.points
    kept, found = moment.tracked(moment.system, np.arange(len(points)), points)
    assert len(points) - len(np.unique(feature_keys(points), axis=0)) > 10
    assert kept.tolist() == list(range(len(points)))
    assert np.abs(found.point1 - points.point1).max() < 1e-9


def test_a_cone_that_rolls_and_spins_beside_much_else_keeps_its_gap() -> None:
    """Its paths bend by ten times the gap in a step, and with boxes about there are many contacts."""
    radius, height, box = 0.3, 0.6, block(0.5, 0.5, 0.5)
    shape = cone(radius, height).body
    lying = quaternion_exponential(np.array([0.0, 0.5 * np.pi + np.arctan2(radius, height), 0.0]))
    over = 0.002 - Pose(lying, np.zeros(3)).points(shape.points)[:, 2].min()
    velocity, spin = np.zeros((2, 5, 3))
    velocity[0], spin[0] = [2.0, 0.0, 0.0], [9.0, 0.0, 7.0]
    made = simulation(
        [shape, *[box] * 4],
        [Pose(lying, np.array([0.0, 0.0, over])), *[standing(box, 3.0 + i, 3.0) for i in range(4)]],
        [floor()],
        friction=0.3,
        velocity=velocity,
        spin=spin,
    )
    least = np.inf
    while made.state.time < 0.15:
        made.step()
        least = min(least, float(made.moment.points.gap.min(initial=np.inf)))
    assert least > 0.25 * made.scene.hold
