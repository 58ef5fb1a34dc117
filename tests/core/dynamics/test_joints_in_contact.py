"""Joints of bodies that touch something, or that a given motion drives."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import (
    FREE,
    LOCKED,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    fixed,
    generic,
    hinge,
)
from physplace_addon.core.rigid import Pose

from .scenes import DOWN, GRAVITY, UPRIGHT, at, block, floor


def jointed(bodies: list[Body], poses: list[Pose], world: list[Body], joints: list[Joint]) -> Simulation:
    count = len(bodies) + len(world)
    laws = SurfaceLaws(np.zeros(count), np.zeros(count))
    scene = Scene.of(bodies, poses, world, laws, DOWN, joints=joints)
    still = np.zeros((len(bodies), 3))
    return Simulation(scene, scene.motion(poses, still, still))


def test_a_block_on_a_spring_slides_along_a_wall_as_its_closed_form_says() -> None:
    cube = block()
    stiffness = 40.0 * cube.mass.mass
    wall = at(block(1.0, 4.0, 6.0), np.array([-1.0 - HOLD * cube.radius, 0.0, 0.0]))
    place = Pose(UPRIGHT, np.zeros(3))
    anchors = Anchors.at("spring", FIXED, 0, place, [place])
    sprung = Axis(spring=Spring(stiffness))
    made = jointed([cube], [place], [wall], [generic(anchors, (FREE, FREE, sprung), (FREE, FREE, FREE))])
    energy, rate = made.state.energy, np.sqrt(40.0)
    made.run(1.0)
    sag = GRAVITY / 40.0
    assert made.state.motion.centre[0, 2] == pytest.approx(-sag * (1.0 - np.cos(rate)), abs=1e-3 * sag)
    assert made.state.energy == pytest.approx(energy, abs=1e-3 * stiffness * sag**2)
    assert np.abs(made.state.motion.centre[0, :2]).max() < 1e-9


def test_a_hinged_bar_comes_to_lie_on_the_floor() -> None:
    bar = block(1.0, 0.2, 0.2)
    pose = Pose(UPRIGHT, np.array([0.5, 0.0, 0.6]))
    about_y = Pose(np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0]), np.array([0.0, 0.0, 0.6]))
    made = jointed([bar], [pose], [floor()], [hinge(Anchors.at("pin", FIXED, 0, about_y, [pose]))])
    made.run(1.5)
    own = np.array([-0.5, 0.0, 0.0])
    pin = made.scene.poses(made.state.motion)[0].points(own)
    assert np.abs(pin - [0.0, 0.0, 0.6]).max() < 1e-9
    assert made.scene.poses(made.state.motion)[0].points(bar.vertices)[:, 2].min() == pytest.approx(
        0.0, abs=1e-4
    )


def test_rods_of_a_millimetre_that_nearly_touch_keep_their_energy() -> None:
    """They would turn by a third of a radian in a step."""
    size, count = 1e-3, 2
    rod = block(size, 0.1 * size, 0.1 * size)
    poses = [Pose(UPRIGHT, np.array([(1.05 * i + 0.5) * size, 0.0, 0.0])) for i in range(count)]
    quarter = np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0])
    pins = [Pose(quarter, np.array([(1.05 * i - 0.025) * size, 0.0, 0.0])) for i in range(count)]
    joints = [hinge(Anchors.at(f"pin {i}", i - 1 if i else FIXED, i, pins[i], poses)) for i in range(count)]
    made = jointed([rod] * count, poses, [], joints)
    energy = made.state.energy
    made.run(0.0125)
    moving = made.state.motion.kinetic_energy(made.scene.inertia)
    assert moving > 0.5 * count * rod.mass.mass * GRAVITY * 0.2 * size
    assert abs(made.state.energy - energy) < 1e-6 * moving


def test_a_motor_turns_a_wheel_in_its_bearing() -> None:
    wheel, pose = block(0.2, 0.8, 0.8), Pose(UPRIGHT, np.zeros(3))
    along_x = Pose(np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0]), np.zeros(3))
    turn = Axis(motor=Motor(3.0))
    made = jointed([wheel], [pose], [], [hinge(Anchors.at("axle", FIXED, 0, along_x, [pose]), turn)])
    made.run(1.0)
    assert abs(made.state.motion.spin[0, 0]) == pytest.approx(3.0, abs=1e-9)


def test_joints_that_contradict_each_other_are_refused_by_name() -> None:
    cube, pose = block(), Pose(UPRIGHT, np.zeros(3))
    here, there = (Pose(UPRIGHT, np.array([x, 0.0, 0.0])) for x in (0.0, 3.0))
    first = Anchors("here", FIXED, 0, here, Pose.identity())
    second = Anchors("there", FIXED, 0, there, Pose.identity())
    pinned = (LOCKED, LOCKED, LOCKED)
    joints = [generic(anchors, pinned, pinned) for anchors in (first, second)]
    with pytest.raises(JointError, match=r"here|there"):
        jointed([cube], [pose], [], joints)


@pytest.mark.parametrize("gap", [0.0, 2e-6, 6e-6])
def test_what_is_welded_may_touch_what_it_stands_on(gap: float) -> None:
    """Contacts keep more than that, and the weld leaves no room: it gives way by the difference."""
    cube, place = block(), np.array([0.0, 0.0, 0.5 + gap * block().radius])
    weld = fixed(Anchors.at("weld", FIXED, 0, Pose(UPRIGHT, np.zeros(3)), [Pose(UPRIGHT, place)]))
    made = jointed([cube], [Pose(UPRIGHT, place)], [floor()], [weld])
    made.run(1.0)
    assert made.status is SimulationStatus.AT_REST
    assert np.abs(made.state.motion.centre[0] - place).max() < 1.1e-5 * cube.radius
