"""Joints that break under what they bear: when, and what follows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.events import Event, EventKind
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import Anchors, Axis, Joint, Strength, ball, fixed, hinge
from physplace_addon.core.rigid import Pose

from .scenes import GRAVITY, UPRIGHT, at, block, floor, standing
from .test_limits_of_joints import _ABOUT_Y, jointed, pendulum
from .test_repeating import digest

STEP = 1.0 / 240.0
BAR = block(1.0, 0.2, 0.2)
MOMENT = 1.0 / 12.0 * (1.0 + 0.04) + 0.25  # of the bar about its end, over its mass


def breaks(made: Simulation) -> list[Event]:
    events = [event for state in made.states for event in state.events]
    return [event for event in events if event.kind is EventKind.JOINT_BREAKS]


def swinging(strength: Strength, world: list[Body]) -> Simulation:
    """A bar that is let go where it points along x, on a hinge at its end."""
    pose = Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    pin = hinge(Anchors.at("pin", 0, FIXED, Pose(_ABOUT_Y, np.zeros(3)), [pose]))
    return jointed([BAR], [pose], world, [Joint(pin.anchors, pin.axes, strength=strength)])


def pull(angle: float, spin: float) -> float:
    """The force on the hinge of the bar, over its weight."""
    along = np.sin(angle) + 0.5 * spin**2 / GRAVITY
    across = np.cos(angle) * (1.0 - 0.25 / MOMENT)
    return float(np.hypot(along, across))


def fall(least: float) -> tuple[float, Floats]:
    """The time at which the pull on the hinge is so many weights, and the angle and the spin then."""

    def rates(_: float, state: Floats) -> Floats:
        return np.array([state[1], 0.5 * GRAVITY / MOMENT * np.cos(state[0])])

    def there(_: float, state: Floats) -> float:
        return pull(*state) - least

    found = solve_ivp(rates, (0.0, 5.0), np.zeros(2), "DOP853", events=[there], rtol=1e-12, atol=1e-13)
    assert found.t_events is not None
    assert found.y_events is not None
    return float(found.t_events[0][0]), np.asarray(found.y_events[0][0])


@pytest.mark.parametrize(("weights", "touches"), [(2.2, False), (1.5, True)])
def test_a_hinge_breaks_when_its_pull_is_too_much_and_the_bar_flies_on(weights: float, touches: bool) -> None:
    strength = Strength(force=weights * GRAVITY * BAR.mass.mass)
    world = [at(block(8.0, 1.0, 8.0), np.array([0.0, 0.6 + 3e-5 * BAR.radius, 0.0]))] if touches else []
    made = swinging(strength, world)
    time, (angle, spin) = fall(weights)
    made.run(time + 0.1)
    (event,) = breaks(made)
    assert event.time == pytest.approx(time, abs=0.1 * STEP if touches else 1e-8)
    assert (event.joint, event.bodies) == (0, (0, FIXED))
    assert len(made.state.coordinates) == 0
    assert made.broken_names(made.state) == ["pin"]
    late = made.state.time - time
    start = 0.5 * np.array([np.cos(angle), 0.0, -np.sin(angle)])
    velocity = 0.5 * spin * np.array([-np.sin(angle), 0.0, -np.cos(angle)])
    expected = start + late * velocity - 0.5 * GRAVITY * late**2 * np.array([0.0, 0.0, 1.0])
    assert made.state.motion.centre[0] == pytest.approx(expected, abs=1e-3 if touches else 1e-7)
    assert abs(made.state.motion.spin[0, 1]) == pytest.approx(spin, rel=1e-3 if touches else 1e-7)
    energies = np.array([state.energy for state in made.states])
    assert np.diff(energies).max() <= 1e-6 * made.state.motion.kinetic_energy(made.scene.inertia)


@pytest.mark.parametrize(("weights", "holds"), [(0.999, False), (1.001, True)])
@pytest.mark.parametrize("on_floor", [False, True])
def test_a_weight_hangs_by_a_joint_that_bears_it_and_falls_at_once_from_a_weaker_one(
    weights: float, holds: bool, on_floor: bool
) -> None:
    cube, pose = block(), Pose(UPRIGHT, np.array([0.0, 0.0, 2.0]))
    joint = ball(Anchors.at("hook", FIXED, 0, Pose(UPRIGHT, np.array([0.0, 0.0, 2.5])), [pose]))
    strength = Strength(force=weights * GRAVITY * cube.mass.mass)
    wall = [at(block(1.0, 4.0, 4.0), np.array([1.0 + 3e-5 * cube.radius, 0.0, 2.0]))] if on_floor else []
    made = jointed([cube], [pose], wall, [Joint(joint.anchors, joint.axes, strength=strength)])
    made.run(0.3)
    if holds:
        assert breaks(made) == []
        assert made.state.motion.centre[0] == pytest.approx([0.0, 0.0, 2.0], abs=1e-9)
    else:
        assert [event.time for event in breaks(made)] == [0.0]
        assert made.state.motion.centre[0, 2] == pytest.approx(2.0 - 0.5 * GRAVITY * 0.09, abs=1e-9)


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_what_stands_and_is_welded_loads_its_joint_by_the_least_forces(share: float) -> None:
    """Four corners and a weld carry a fifth of the weight each: no force is less in all."""
    cube, pose = block(), standing(block())
    weld = fixed(Anchors.at("weld", FIXED, 0, Pose(UPRIGHT, np.array([0.0, 0.0, 0.5])), [pose]))
    strength = Strength(force=share * 0.2 * GRAVITY * cube.mass.mass)
    made = jointed([cube], [pose], [floor()], [Joint(weld.anchors, weld.axes, strength=strength)])
    made.run(0.05)
    assert len(breaks(made)) == (share < 1.0)


def test_a_shelf_breaks_off_by_its_torque() -> None:
    """A beam that is welded to the world at its end weighs there by a torque alone that is too much."""
    pose = Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    weld = fixed(Anchors.at("weld", FIXED, 0, Pose(UPRIGHT, np.zeros(3)), [pose]))
    torque = 0.5 * GRAVITY * BAR.mass.mass
    for share, count in ((1.01, 0), (0.99, 1)):
        strength = Strength(torque=share * torque)
        made = jointed([BAR], [pose], [], [Joint(weld.anchors, weld.axes, strength=strength)])
        made.run(0.05)
        assert len(breaks(made)) == count


@pytest.mark.parametrize("breaks_by_blow", [False, True])
def test_a_blow_breaks_a_joint_by_its_impulse(breaks_by_blow: bool) -> None:
    """A block hits one that is welded to the world: half of the joint's impulse in `seconds` is its force."""
    cube = block()
    poses = [Pose(UPRIGHT, np.zeros(3)), Pose(UPRIGHT, np.array([0.0, 0.0, 1.5]))]
    weld = fixed(Anchors.at("weld", FIXED, 0, Pose(UPRIGHT, np.zeros(3)), poses))
    speed = np.sqrt(2.0 * GRAVITY * 0.5)
    impulse = cube.mass.mass * speed
    strength = Strength(force=(0.98 if breaks_by_blow else 1.02) * impulse / STEP, seconds=STEP)
    made = jointed([cube, cube], poses, [], [Joint(weld.anchors, weld.axes, strength=strength)])
    made.run(0.4)
    assert len(breaks(made)) == breaks_by_blow
    if breaks_by_blow:
        assert breaks(made)[0].time == pytest.approx(speed / GRAVITY, rel=1e-5)


def test_a_limit_that_is_run_into_too_fast_breaks_the_joint() -> None:
    bar = pendulum(Axis(lower=-1.2, upper=1.2), [])
    bar.run(0.66)
    reached = next(e for state in bar.states for e in state.events if e.kind is EventKind.LIMIT_REACHED)
    pose = Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    pin = hinge(Anchors.at("pin", 0, FIXED, Pose(_ABOUT_Y, np.zeros(3)), [pose]), Axis(lower=-1.2, upper=1.2))
    torque = MOMENT * BAR.mass.mass * reached.speed / bar.scene.joints.length / STEP
    for share, count in ((1.02, 0), (0.98, 1)):
        strength = Strength(torque=share * torque, seconds=STEP)
        made = jointed([BAR], [pose], [], [Joint(pin.anchors, pin.axes, strength=strength)])
        made.run(reached.time + 0.02)
        assert len(breaks(made)) == count
    assert breaks(made)[0].time == pytest.approx(reached.time, abs=1e-6)


def test_bodies_that_a_joint_let_through_each_other_collide_after_it_breaks() -> None:
    """A cube stands on another one to which it is welded: they touch as soon as nothing holds them."""
    cube = block()
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, 0.5])), Pose(UPRIGHT, np.array([0.0, 0.0, 1.5]))]
    weld = fixed(Anchors.at("weld", 0, 1, Pose(UPRIGHT, np.array([0.0, 0.0, 1.0])), poses))
    strength = Strength(force=0.5 * GRAVITY * cube.mass.mass)
    made = jointed([cube, cube], poses, [floor()], [Joint(weld.anchors, weld.axes, strength=strength)])
    made.run(0.5)
    assert len(breaks(made)) == 1
    assert made.state.motion.centre[1, 2] == pytest.approx(1.5, abs=1e-4)
    assert made.status.is_running is False


def test_bodies_that_overlap_when_their_joint_breaks_go_on_through_each_other() -> None:
    cube = block()
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, 0.5])), Pose(UPRIGHT, np.array([0.5, 0.0, 1.0]))]
    weld = fixed(Anchors.at("weld", 0, 1, poses[1], poses))
    made = jointed(
        [cube, cube],
        poses,
        [floor()],
        [Joint(weld.anchors, weld.axes, strength=Strength(force=0.5 * GRAVITY * cube.mass.mass))],
    )
    made.run(0.5)
    assert len(breaks(made)) == 1
    assert made.state.motion.centre[1, 2] == pytest.approx(0.5, abs=1e-4)


def test_going_on_from_before_and_after_a_break_repeats_it() -> None:
    made = swinging(Strength(force=1.5 * GRAVITY * BAR.mass.mass), [floor(-2.0)])
    made.run(0.5)
    states = list(made.states)
    broke = next(i for i, state in enumerate(states) if state.broken.numbers)
    for number in (broke + 20, broke, broke - 10):
        made.go_on_from(states[number])
        assert bool(made.state.broken.numbers) == (number >= broke)
        made.run(0.5)
        assert digest(made.states[number:]) == digest(states[number:])


def test_a_joint_that_has_broken_before_is_not_closed_again() -> None:
    first = swinging(Strength(force=1.5 * GRAVITY * BAR.mass.mass), [])
    first.run(0.8)
    again = Simulation(first._whole, first.state.motion, broken=["pin"])
    np.testing.assert_array_equal(again.state.motion.centre, first.state.motion.centre)
    again.run(0.1)
    assert again.broken_names(again.state) == ["pin"]


def test_a_joint_without_strength_is_refused_by_name() -> None:
    with pytest.raises(JointError, match="pin"):
        swinging(Strength(force=0.0), [])
