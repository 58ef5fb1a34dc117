"""Momentum: what bodies do to each other changes neither theirs in sum nor that of what is elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import CarriedPoints, ContactSystem, InterfacePoints, Reach
from physplace_addon.core.dynamics.drift import free_drift
from physplace_addon.core.dynamics.drift.cut_short import cut_short
from physplace_addon.core.dynamics.free_rotation import free_motion
from physplace_addon.core.dynamics.scene import HOLD
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import sphere

from .scenes import DOWN, UPRIGHT, block, brick_wall, floor, simulation, standing
from .test_energy_gains import momenta

BRICK = (0.24, 0.12, 0.08)


def drift_of_momenta(made: Simulation) -> float:
    """The most by which the momenta of all bodies are off those at the start."""
    every = np.array([momenta(made.scene, state.motion) for state in made.states])
    return float(np.abs(every - every[0]).max())


def struck_wall_and_a_body_apart(gravity: Floats, speed: float) -> Simulation:
    """A wall of six bricks, a cube that flies at it, and a block that turns and flies elsewhere."""
    bodies, poses = brick_wall(3, 2, BRICK)
    velocity, spin = np.zeros((8, 3)), np.zeros((8, 3))
    velocity[-2:] = [[0.0, speed, speed / 6.0], [1.0, 0.0, 3.0]]
    spin[-1] = [3.0, 2.0, 1.0]
    poses += [Pose(UPRIGHT, np.array(place)) for place in ([0.24, -0.2, 0.14], [5.0, 5.0, 3.0])]
    return simulation(
        [*bodies, block(0.15, 0.15, 0.15), block(0.4, 0.3, 0.2)],
        poses,
        [floor()] if gravity.any() else [],
        gravity=gravity,
        friction=0.6,
        velocity=velocity,
        spin=spin,
    )


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The shares of steps that end on the path of a longer one."""
    shares: list[float] = []

    def counted(*args: object) -> object:
        shares.append(args[3])  # type: ignore[arg-type]
        return cut_short(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(free_drift, "cut_short", counted)
    return shares


@pytest.mark.parametrize(
    "shape", [block(0.4, 0.3, 0.2), sphere().body.transformed(np.diag([0.2, 0.2, 0.2, 1.0]))]
)
def test_friction_in_the_void_changes_no_momentum(shape: Body) -> None:
    places = np.array([[-0.3, 0.0, 0.05], [0.3, 0.02, 0.0], [0.0, 0.35, 0.3]])
    turns = np.random.default_rng(3).normal(size=(3, 3))
    poses = [Pose(quaternion_exponential(turn), place) for turn, place in zip(turns, places, strict=True)]
    made = simulation(
        [shape] * 3, poses, [], gravity=np.zeros(3), friction=0.8, velocity=-4.0 * places, spin=3.0 * turns
    )
    made.run(0.15)
    assert made.state.energy < 0.8 * made.states[0].energy  # they did collide
    assert drift_of_momenta(made) < 1e-14


def test_bodies_that_turn_together_slip_nowhere() -> None:
    """At a distance g apart forces of two points would turn them by g n x f."""
    poses = [Pose(UPRIGHT, np.array([0.02 * i, 0.0, 1.02 * i])) for i in range(3)]
    poses.append(Pose(UPRIGHT, np.array([0.3, 0.1, 2.53 + 0.03 + 1.0])))
    system = ContactSystem.of([block()] * 3 + [sphere().body], poses, [])
    points = system.generate(Reach(0.2, 0.2, 0.2), InterfacePoints.none(), None)
    assert len(points) > 8
    carried = CarriedPoints.of(system, system.in_world(points))
    turned = Pose(quaternion_exponential(np.array([0.4, -0.3, 0.2])), np.array([0.5, 0.1, 0.2]))
    there = system.at([turned.compose(pose) for pose in system.poses])
    _, moved = carried.after(there.frames, np.arange(len(points)))
    assert np.abs(moved).max() < 1e-14


@pytest.mark.slow
def test_a_struck_wall_in_the_void_keeps_its_momenta(cuts: list[float]) -> None:
    made = struck_wall_and_a_body_apart(np.zeros(3), 4.2)
    made.run(0.1)
    assert cuts
    assert made.state.energy < 0.9 * made.states[0].energy
    assert drift_of_momenta(made) < 1e-13


@pytest.mark.slow
def test_a_body_flies_on_its_parabola_while_steps_end_for_others(cuts: list[float]) -> None:
    made = struck_wall_and_a_body_apart(DOWN, 6.0)
    made.run(0.1)
    assert cuts
    last = made.scene.inertia.take(np.array([7]))
    mine, start = (state.motion.take(np.array([7])) for state in (made.state, made.states[0]))
    exact = free_motion(last, start, DOWN, made.state.time)
    np.testing.assert_allclose(mine.centre, exact.centre, atol=1e-13)
    np.testing.assert_allclose(mine.rates, exact.rates, atol=1e-12)
    np.testing.assert_allclose(mine.rotation, exact.rotation, atol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_what_sleeps_is_struck_as_what_is_awake(restitution: float) -> None:
    """Three blocks in two islands that touch: a fourth one shares its momentum with all of them."""
    brick = block(0.2, 0.2, 0.2)
    apart = 0.2 + 1.2 * HOLD * brick.radius
    poses = [standing(brick, apart * i) for i in range(3)] + [standing(brick, -0.25)]
    velocity = np.zeros((4, 3))
    velocity[3, 0] = 2.0
    made = simulation([brick] * 4, poses, [floor()], friction=0.0, restitution=restitution, velocity=velocity)
    made.run(0.02)
    assert made.state.sleep.asleep[:3].all()
    assert len(set(made.state.sleep.island[:3].tolist())) > 1
    made.run(0.04)
    after = made.state.motion.velocity(made.scene.inertia)[:, 0]
    shared = 2.0 * (1.0 + restitution) / 4.0
    assert after == pytest.approx([shared] * 3 + [shared - 2.0 * restitution], abs=1e-9)
