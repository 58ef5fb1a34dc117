"""Bodies whose velocities fall off by themselves, as those of Blender's rigid bodies do."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.motion import BodyDamping
from physplace_addon.core.dynamics.scene import Scene, SimulationError
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.mechanics.joints import Anchors, hinge
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import sphere
from tests.core.dynamics.joints.linkages import integrated

from .scenes import DOWN, GRAVITY, UPRIGHT, block, floor, standing

STEP = 1.0 / 240.0


def test_rates_under_damping_and_an_acceleration_are_those_of_the_exact_flow() -> None:
    shares = np.array([[0.0, 0.3], [0.9, 1.0]])
    damping, h = BodyDamping.of(shares, STEP), 0.7
    kept = np.repeat((1.0 - shares) ** h, 3, axis=1)
    assert damping.kept(h) == pytest.approx(kept, abs=1e-12)
    rates = np.where(shares < 1.0, -np.log1p(-np.minimum(shares, 0.999)), 36.0 / STEP).repeat(3, axis=1)
    expected = np.divide(1.0 - np.exp(-rates * h), rates, out=np.full_like(rates, h), where=rates > 0.0)
    assert damping.times(h) == pytest.approx(expected, rel=1e-12)


def damped(
    shares: tuple[float, float], velocity: Floats, spin: Floats, *, gravity: Floats = DOWN
) -> Simulation:
    ball, pose = sphere().body, Pose(UPRIGHT, np.zeros(3))
    scene = Scene.of([ball], [pose], [], _laws(1), gravity, damping=np.array([shares]))
    return Simulation(scene, scene.motion([pose], velocity[None], spin[None]))


def _laws(count: int, friction: float = 0.0) -> SurfaceLaws:
    return SurfaceLaws(np.full(count, np.sqrt(friction)), np.zeros(count))


@pytest.mark.parametrize("share", [0.04, 0.5, 0.999])
def test_a_ball_falls_against_its_damping_as_its_closed_form_says(share: float) -> None:
    made = damped((share, 0.0), np.array([3.0, 0.0, 1.0]), np.zeros(3))
    made.run(0.5)
    rate, time = -np.log1p(-share), 0.5
    left = np.exp(-rate * time)
    sideways, fallen = (1.0 - left) / rate, (time - (1.0 - left) / rate) / rate
    assert made.state.motion.centre[0, 0] == pytest.approx(3.0 * sideways, abs=2e-5 * rate)
    assert made.state.motion.centre[0, 2] == pytest.approx(sideways - GRAVITY * fallen, abs=2e-5 * rate)
    velocity = made.state.motion.velocity(made.scene.inertia)[0]
    assert velocity == pytest.approx([3.0 * left, 0.0, left - GRAVITY * sideways], abs=1e-9)


def test_a_spin_falls_off_by_its_share_in_a_second_and_energy_never_rises() -> None:
    made = damped((0.0, 0.75), np.zeros(3), np.array([1.0, 2.0, -2.0]), gravity=np.zeros(3))
    made.run(1.0)
    assert made.state.motion.spin[0] == pytest.approx([0.25, 0.5, -0.5], abs=1e-12)
    assert (np.diff([state.energy for state in made.states]) < 0.0).all()


def test_a_velocity_that_is_lost_wholly_is_gone_after_a_step() -> None:
    made = damped((1.0, 1.0), np.array([2.0, 0.0, 0.0]), np.array([0.0, 5.0, 0.0]), gravity=np.zeros(3))
    made.step()
    assert np.abs(made.state.motion.rates).max() < 1e-12
    assert made.state.motion.centre[0, 0] < 0.01


def test_a_damped_block_slides_to_where_its_closed_form_says() -> None:
    """v' = -L v - mu g ends at the time log(1 + L v / (mu g)) / L."""
    cube, share, friction, speed = block(), 0.6, 0.5, 2.0
    pose = standing(cube)
    scene = Scene.of([cube], [pose], [floor()], _laws(2, friction), DOWN, damping=np.array([[share, share]]))
    made = Simulation(scene, scene.motion([pose], np.array([[speed, 0.0, 0.0]]), np.zeros((1, 3))))
    made.run(0.5)
    rate, braking = -np.log1p(-share), friction * GRAVITY
    time = np.log1p(rate * speed / braking) / rate
    expected = ((speed + braking / rate) * (1.0 - np.exp(-rate * time)) - braking * time) / rate
    assert made.state.motion.centre[0, 0] == pytest.approx(expected, abs=1e-5)
    assert np.abs(made.state.motion.rates).max() < 1e-9


@pytest.mark.parametrize("beside_a_wall", [False, True])
def test_a_damped_pendulum_follows_its_equation(beside_a_wall: bool) -> None:
    """Freely, and where it touches a wall without friction that stands beside it."""
    bar, shares = block(1.0, 0.2, 0.2), np.array([[0.7, 0.4]])
    pose = Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    about_y = Pose(np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0]), np.zeros(3))
    joint = hinge(Anchors.at("pin", FIXED, 0, about_y, [pose]))
    wall = block(3.0, 1.0, 3.0).transformed(Pose(UPRIGHT, np.array([0.0, -0.6 - 1e-5, 0.0])).matrix4)
    world = [wall] if beside_a_wall else []
    scene = Scene.of([bar], [pose], world, _laws(1 + len(world)), DOWN, joints=[joint], damping=shares)
    made = Simulation(scene, scene.motion([pose], np.zeros((1, 3)), np.zeros((1, 3))))
    made.run(0.5)
    assert len(made.moment.points) == 0 if not beside_a_wall else len(made.moment.points) > 0
    mass, moment = bar.mass.mass, float(scene.inertia.moments[0, 1])
    (linear, angular) = -np.log1p(-shares[0])

    def change(_: float, state: Floats) -> Floats:
        torque = 0.5 * mass * GRAVITY * np.cos(state[0])
        lost = (0.25 * mass * linear + moment * angular) * state[1]
        return np.array([state[1], (torque - lost) / (moment + 0.25 * mass)])

    angle = float(integrated(change, np.zeros(2), 0.5)[0])
    exact = 1e-9 if not beside_a_wall else 2e-4
    found = made.state.motion.centre[0]
    assert found == pytest.approx([0.5 * np.cos(angle), 0.0, -0.5 * np.sin(angle)], abs=exact)


@pytest.mark.parametrize("shares", [(-0.1, 0.0), (0.0, 1.5), (np.nan, 0.0)])
def test_damping_that_is_no_share_is_an_error(shares: tuple[float, float]) -> None:
    with pytest.raises(SimulationError, match="damping from 0 to 1"):
        damped(shares, np.zeros(3), np.zeros(3))
