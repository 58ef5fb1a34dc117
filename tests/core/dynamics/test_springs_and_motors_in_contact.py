"""Springs, dampers and motors of joints whose bodies touch something."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.mechanics.joints import (
    FREE,
    LOCKED,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    generic,
    hinge,
    slider,
)
from physplace_addon.core.rigid import Pose
from tests.core.dynamics.joints.linkages import integrated

from .scenes import DOWN, GRAVITY, UPRIGHT, at, block, floor, standing

HERE = Pose(UPRIGHT, np.zeros(3))
ABOUT_Y = np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0])  # turns the axis z to -y


def jointed(
    bodies: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body], joints: Sequence[Joint]
) -> Simulation:
    count = len(bodies) + len(world)
    laws = SurfaceLaws(np.zeros(count), np.zeros(count))
    scene = Scene.of(bodies, poses, world, laws, DOWN, joints=joints)
    still = np.zeros((len(bodies), 3))
    return Simulation(scene, scene.motion(poses, still, still))


def hanging(stiffness: float, damping: float, *, touches: bool) -> Simulation:
    """A cube on a spring, relaxed at first, stiffness and damping for a mass of 1; beside a smooth wall."""
    cube = block()
    mass = cube.mass.mass
    wall = at(block(1.0, 4.0, 6.0), np.array([-1.0 - HOLD * cube.radius, 0.0, 0.0]))
    axis = Axis(spring=Spring(stiffness * mass, damping * mass))
    anchors = Anchors.at("spring", FIXED, 0, HERE, [HERE])
    return jointed(
        [cube], [HERE], [wall] if touches else [], [generic(anchors, (FREE, FREE, axis), (FREE, FREE, FREE))]
    )


@pytest.mark.parametrize(("touches", "share"), [(True, 5e-4), (False, 1e-10)])
@pytest.mark.parametrize(("stiffness", "damping"), [(40.0, 0.0), (40.0, 2.0), (40.0, 20.0), (0.0, 50.0)])
def test_a_cube_on_a_damped_spring_sinks_as_its_equation_says(
    stiffness: float, damping: float, touches: bool, share: float
) -> None:
    made = hanging(stiffness, damping, touches=touches)
    made.run(0.2)

    def change(_: float, state: Floats) -> Floats:
        return np.array([state[1], -GRAVITY - stiffness * state[0] - damping * state[1]])

    height, speed = integrated(change, np.zeros(2), 0.2)
    assert (len(made.state.touching) > 0) == touches
    assert made.state.motion.centre[0, 2] == pytest.approx(height, rel=share)
    assert made.state.motion.velocity(made.scene.inertia)[0, 2] == pytest.approx(speed, rel=share)


@pytest.mark.parametrize("touches", [True, False])
def test_a_spring_gives_back_the_energy_that_it_took(touches: bool) -> None:
    """Where the cube rises again, all that it gains is the spring's."""
    pace, time = 20.0, 0.25  # radians a second, of which it turns back after pi
    made = hanging(pace**2, 0.0, touches=touches)
    made.run(time)
    assert np.pi < pace * time < 2.0 * np.pi
    height = -GRAVITY / pace**2 * (1.0 - np.cos(pace * time))
    share = (pace * made.scene.step) ** 2 if touches else 1e-10  # in contact steps are of second order
    assert abs(made.state.motion.centre[0, 2] - height) < share * abs(height)


@pytest.mark.parametrize("touches", [True, False])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e6, 0.0), (1e12, 0.0), (1e12, 10.0), (0.0, 1e9)])
def test_a_spring_of_any_strength_gains_no_energy(stiffness: float, damping: float, touches: bool) -> None:
    made = hanging(stiffness, damping, touches=touches)
    for _ in range(12):
        made.step()
    energies = np.array([state.energy for state in made.states])
    drop = max(GRAVITY**2 / stiffness if stiffness else 0.0, GRAVITY * 0.05 * GRAVITY / max(damping, 1.0))
    assert np.abs(energies).max() <= 1e-9 + drop
    assert made.state.motion.centre[0, 2] > -1e-4


def test_a_rod_on_stiff_springs_swings_as_one_on_a_hinge() -> None:
    """Springs so stiff that a step is many of their periods, on a rod that a wall touches."""
    rod, pose = block(1.0, 0.2, 0.2), Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    wall = at(block(3.0, 1.0, 3.0), np.array([0.0, -0.6 - HOLD * rod.radius, 0.0]))
    stiff = Axis(spring=Spring(1e8 * rod.mass.mass))
    anchors = Anchors.at("socket", FIXED, 0, Pose(ABOUT_Y, np.zeros(3)), [pose])
    made = jointed([rod], [pose], [wall], [generic(anchors, (stiff,) * 3, (LOCKED, LOCKED, FREE))])
    made.run(0.4)
    arm = float(made.scene.inertia.moments[0, 1]) / rod.mass.mass + 0.25

    def change(_: float, state: Floats) -> Floats:
        return np.array([state[1], 0.5 * GRAVITY * np.cos(state[0]) / arm])

    angle = integrated(change, np.zeros(2), 0.4)[0]
    expected = [0.5 * np.cos(angle), 0.0, -0.5 * np.sin(angle)]
    assert made.state.motion.centre[0] == pytest.approx(expected, abs=1e-4)
    assert max(state.energy for state in made.states) <= made.states[0].energy + 1e-4 * GRAVITY


def test_a_motor_speeds_a_cart_up_with_its_greatest_force_and_then_keeps_its_speed() -> None:
    cart = block()
    pose = standing(cart)
    drive = Axis(motor=Motor(0.5, 4.0 * cart.mass.mass))
    anchors = Anchors.at("rail", FIXED, 0, pose, [pose])
    made = jointed([cart], [pose], [floor()], [generic(anchors, (drive, FREE, FREE), (FREE, FREE, FREE))])
    made.run(0.3)
    assert len(made.state.touching) > 0
    assert made.state.motion.velocity(made.scene.inertia)[0, 0] == pytest.approx(0.5, abs=1e-9)
    assert made.state.motion.centre[0, 0] == pytest.approx(0.5 * (0.3 - 0.5 * 0.5 / 4.0), abs=1e-5)


def paddle(torque: float) -> Simulation:
    """A bar turned about y by a motor under the end of a block that slides up and down at x = 1."""
    bar, weight = block(1.0, 0.2, 0.1), block(0.2, 0.2, 0.4)
    under = Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    above = Pose(UPRIGHT, np.array([0.9, 0.0, 0.25 + HOLD * bar.radius]))
    poses = [under, above]
    axle = Anchors.at("axle", FIXED, 0, Pose(ABOUT_Y, np.zeros(3)), poses)
    rail = Anchors.at(
        "rail", FIXED, 1, Pose(np.array([1.0, 0.0, -1.0, 0.0]) / np.sqrt(2.0), np.zeros(3)), poses
    )
    stop = Axis(lower=-1e-3, upper=1.0)
    joints = [hinge(axle, Axis(lower=-1e-3, upper=1.0, motor=Motor(1.0, torque))), slider(rail, stop)]
    return jointed([bar, weight], poses, [], joints)


@pytest.mark.parametrize(("share", "lifts"), [(0.98, False), (1.02, True)])
def test_a_motor_stalls_under_a_weight_that_its_greatest_torque_does_not_lift(
    share: float, lifts: bool
) -> None:
    """The edge of the weight presses at the end of the bar, at a distance of 1."""
    bar, weight = paddle(0.0).scene.inertia.mass
    made = paddle(share * GRAVITY * (0.5 * bar + weight))
    made.run(0.2)
    height = made.state.motion.centre[1, 2] - made.states[0].motion.centre[1, 2]
    assert (height > 1e-4) if lifts else (height < 1e-6)


def test_a_motor_without_a_bound_stops_at_its_limit() -> None:
    wheel, pose = block(0.2, 0.8, 0.8), standing(block(0.2, 0.8, 0.8))
    drive = Axis(lower=-1.0, upper=0.05, motor=Motor(1.0))
    anchors = Anchors.at("rail", FIXED, 0, pose, [pose])
    made = jointed([wheel], [pose], [floor()], [generic(anchors, (drive, FREE, FREE), (FREE, FREE, FREE))])
    made.run(0.1)
    assert made.state.motion.centre[0, 0] == pytest.approx(0.05, abs=1e-9)
    assert np.abs(made.state.motion.rates).max() < 1e-9


def test_a_motor_that_drives_a_bar_against_a_block_does_not_push_it_through() -> None:
    bar, pose = block(1.0, 0.2, 0.1), Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    stop = at(block(0.2, 0.2, 0.2), np.array([0.9, 0.0, 0.2]))
    axle = Anchors.at("axle", FIXED, 0, Pose(ABOUT_Y, np.zeros(3)), [pose])
    made = jointed([bar], [pose], [stop], [hinge(axle, Axis(motor=Motor(2.0, 500.0)))])
    made.run(0.3)
    assert made.status.is_running or made.state.sleep.asleep.all()
    assert np.abs(made.state.motion.rates).max() < 1e-6
    assert made.moment.points.gap.min() > 0.0
    angle = np.arctan2(made.state.motion.centre[0, 2], made.state.motion.centre[0, 0])
    assert angle == pytest.approx(0.05, abs=1e-3)
