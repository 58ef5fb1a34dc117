"""Bodies whose motion is given: what they strike and hold, in scenes that move evenly as in ones at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import (
    FREE,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    Strength,
    ball,
    generic,
    slider,
)
from physplace_addon.core.rigid import Pose

from .scenes import DOWN, UPRIGHT, block

NOWHERE = np.zeros(3)
WEIGHTLESS = np.zeros(3)


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose:
    """An upright pose at a place."""
    return Pose(UPRIGHT, np.array([x, y, z]))


def carried(
    free: Body,
    start: Pose,
    given: Body,
    place: Pose,
    *,
    by: Floats = NOWHERE,
    velocity: Floats = NOWHERE,
    joints: Sequence[Joint] = (),
    friction: float = 0.0,
    restitution: float = 0.0,
    step: float = 1.0 / 240.0,
) -> Simulation:
    """A free body 0 and a body 1 that shifts evenly by a velocity, both weightless; the free one's velocity
    is over that of the other.
    """
    laws = SurfaceLaws(np.full(2, friction**0.5), np.full(2, restitution**0.5))
    track = Track.of([0.0, 10.0], [place, Pose(UPRIGHT, place.translation + 10.0 * by)])
    scene = Scene.of([free, given], [start, place], [], laws, WEIGHTLESS, {1: track}, joints, step)
    speeds = np.stack([velocity + by, NOWHERE])
    return Simulation(scene, scene.motion([start, place], speeds, np.zeros((2, 3))))


def seen_from_it(made: Simulation, by: Floats) -> Floats:
    """Where the free body is, and its rates, seen by someone who moves evenly by a velocity."""
    place = made.state.motion.centre[0] + made.scene.origin - made.state.time * by
    velocity = made.state.motion.velocity(made.scene.inertia)[0] - by
    return np.concatenate([place, velocity, made.state.motion.spin[0]])


@pytest.mark.parametrize("speed", [2.0, -50.0])
def test_a_body_bounces_off_a_bat_however_fast_both_move(speed: float) -> None:
    by, velocity = np.array([speed, 0.0, 0.0]), np.array([-2.0, 0.5, 0.0])
    start, bat = pose(1.2, 0.1, 0.0), block(1.0, 4.0, 4.0)
    made = carried(block(), start, bat, pose(), by=by, velocity=velocity, friction=0.2, restitution=0.8)
    made.run(0.3)
    assert seen_from_it(made, by)[3] == pytest.approx(0.8 * 2.0, abs=1e-6)


def test_a_bat_throws_what_stands_twice_as_fast_as_it_comes() -> None:
    by = np.array([2.0, 0.0, 0.0])
    made = carried(block(), pose(1.2), block(1.0, 4.0, 4.0), pose(), by=by, velocity=-by, restitution=1.0)
    made.run(0.4)
    assert made.state.motion.velocity(made.scene.inertia)[0] == pytest.approx(2.0 * by, abs=1e-9)


@pytest.mark.parametrize("speed", [-1.0, 3.0])
def test_what_slides_on_a_rail_bounces_off_its_end_however_fast_the_rail_is(speed: float) -> None:
    by, along = np.array([speed, 0.0, 0.0]), np.array([2.0, 0.0, 0.0])
    start, place = pose(), pose(0.0, 3.0)
    rail = slider(
        Anchors.at("rail", 1, 0, pose(), [start, place]), Axis(lower=-1.0, upper=1.0, restitution=0.5)
    )
    made = carried(block(), start, block(), place, by=by, velocity=along, joints=[rail], step=0.05)
    made.run(0.8)
    place_then, velocity = seen_from_it(made, by)[:3], seen_from_it(made, by)[3:6]
    assert velocity == pytest.approx([-1.0, 0.0, 0.0], abs=1e-7)
    assert place_then == pytest.approx([1.0 - 0.3, 0.0, 0.0], abs=1e-7)


def test_a_damped_spring_on_what_moves_as_given_swings_as_its_equation_says() -> None:
    by, start, place = np.array([1.0, 0.0, 0.0]), pose(0.3), pose(0.0, 3.0)
    stiffness, damping, cube = 50.0, 3.0, block()
    anchors = Anchors("spring", 1, 0, pose(0.0, -3.0), pose())
    sprung = generic(anchors, (Axis(spring=Spring(stiffness, damping)), FREE, FREE), (FREE, FREE, FREE))
    made = carried(cube, start, block(0.2, 0.2, 0.2), place, by=by, joints=[sprung])
    made.run(0.3)
    decay = damping / (2.0 * cube.mass.mass)
    rate = np.sqrt(stiffness / cube.mass.mass - decay**2)
    wanted = 0.3 * np.exp(-0.3 * decay) * (np.cos(0.3 * rate) + decay / rate * np.sin(0.3 * rate))
    assert seen_from_it(made, by)[0] == pytest.approx(wanted, abs=5e-5)


def test_closing_a_joint_at_the_start_moves_the_free_body_alone() -> None:
    start, place = pose(), pose(0.0, 0.0, 2.0)
    shifted = slider(Anchors.at("rail", 1, 0, pose(), [start, place]), Axis(lower=0.2, upper=1.0))
    made = carried(block(), start, block(0.2, 0.2, 0.2), place, joints=[shifted])
    there = made.state.motion.centre + made.scene.origin
    assert there == pytest.approx(np.array([[0.2, 0.0, 0.0], [0.0, 0.0, 2.0]]), abs=1e-12)


def test_what_follows_its_hook_from_the_start_loads_no_joint() -> None:
    by, start, place = np.array([5.0, 0.0, 0.0]), pose(), pose(0.0, 0.0, 2.0)
    rope = ball(Anchors.at("rope", 1, 0, pose(0.0, 0.0, 1.0), [start, place]))
    weak = replace(rope, strength=Strength(1e-6, 1e-6))
    made = carried(block(), start, block(2.0, 2.0, 0.5), place, by=by, joints=[weak])
    assert seen_from_it(made, by)[3:] == pytest.approx(np.zeros(6), abs=1e-12)
    made.run(0.05)
    assert not made.broken_names(made.state)
    assert seen_from_it(made, by)[3:] == pytest.approx(np.zeros(6), abs=1e-12)


def test_a_weak_motor_drives_a_cart_that_nothing_touches() -> None:
    cart = block()
    start, force = pose(), 0.5 * cart.mass.mass
    rail = slider(Anchors.at("rail", FIXED, 0, start, [start]), Axis(motor=Motor(1.0, force)))
    laws = SurfaceLaws(np.zeros(1), np.zeros(1))
    scene = Scene.of([cart], [start], [], laws, DOWN, joints=[rail], step=0.05)
    made = Simulation(scene, scene.motion([start], np.zeros((1, 3)), np.zeros((1, 3))))
    made.run(1.0)
    assert made.state.motion.velocity(made.scene.inertia)[0, 0] == pytest.approx(0.5, abs=1e-9)


def test_a_joint_that_cannot_be_closed_is_named_where_others_have_broken() -> None:
    start, world = pose(), [pose(x) for x in (0.0, 1.0, 5.0)]
    names = ("first", "second", "third")
    joints = [
        ball(Anchors(name, FIXED, 0, frame, pose(offset)))
        for name, frame, offset in zip(names, world, (0.0, 1.0, 0.0), strict=True)
    ]
    laws = SurfaceLaws(np.zeros(1), np.zeros(1))
    scene = Scene.of([block()], [start], [], laws, WEIGHTLESS, joints=joints)
    motion = scene.motion([start], np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(JointError, match=r"second|third") as raised:
        Simulation(scene, motion, ["first"])
    assert "first" not in str(raised.value)
