"""What a step adds to the energy of an island is taken from that island alone, and from no momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import InterfacePoints
from physplace_addon.core.dynamics.energy_gains import rates_as_one, without_gains
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose, quaternion_exponential

from .scenes import UPRIGHT, block, floor, simulation, standing


def momenta(scene: Scene, motion: Motion, bodies: slice = slice(None)) -> Floats:
    """The momentum of some bodies, and their angular momentum about the origin."""
    mass, velocity = scene.inertia.mass[bodies, None], motion.velocity(scene.inertia)[bodies]
    angular = motion.angular_momentum(scene.inertia)[bodies]
    turning = angular + mass * np.cross(motion.centre[bodies], velocity)
    return np.concatenate([(mass * velocity).sum(axis=0), turning.sum(axis=0)])


def two_heaps(rng: np.random.Generator) -> Simulation:
    """Three blocks close to each other in the air, and two, one on the other, on a floor."""
    bodies = [block(0.4, 0.3, 0.2)] * 5
    high = [Pose(UPRIGHT, np.array([0.0, 0.3005 * i, 5.0])) for i in range(3)]
    low = [standing(bodies[0]), standing(bodies[0], floor_at=0.2)]
    made = simulation(bodies, [*high, *low], [floor()])
    made.moment = made.moment.with_rates(rng.normal(size=(5, 6)))
    return made


def test_bodies_that_move_as_one_have_the_momenta_that_they_had(rng: np.random.Generator) -> None:
    made = two_heaps(rng)
    scene, motion = made.scene, made.moment.motion
    as_one = replace(motion, rates=rates_as_one(scene.inertia, motion))
    np.testing.assert_allclose(momenta(scene, as_one), momenta(scene, motion), atol=1e-12)
    arms = as_one.centre - as_one.centre[0]  # one rigid motion: V = V_0 + omega x arm
    assert np.ptp(as_one.spin, axis=0).max() < 1e-14
    moved = as_one.velocity(scene.inertia)
    np.testing.assert_allclose(moved, moved[0] + np.cross(as_one.spin[0], arms), atol=1e-12)


@pytest.mark.parametrize("gaining", [0, 3])
def test_what_an_island_gains_is_taken_from_it_alone(gaining: int, rng: np.random.Generator) -> None:
    made = two_heaps(rng)
    scene, start = made.scene, made.moment
    rates = start.motion.rates.copy()
    rates[gaining] *= 1.05
    end = start.with_rates(rates)
    mended = without_gains(scene, start, end, InterfacePoints.none(), np.zeros(5)).motion
    high, low = slice(0, 3), slice(3, 5)
    mine, other = (high, low) if gaining == 0 else (low, high)
    np.testing.assert_array_equal(mended.rates[other], rates[other])
    before, after = (each.kinetic_energies(scene.inertia)[mine].sum() for each in (start.motion, mended))
    assert after == pytest.approx(before, rel=1e-12)
    kept = np.abs(momenta(scene, mended, mine) - momenta(scene, end.motion, mine)).max()
    assert (kept < 1e-12) == (gaining == 0)  # the floor takes what the heap on it loses


def test_an_island_that_moves_as_one_pays_from_all_of_its_motion(rng: np.random.Generator) -> None:
    """No motion in it is without momentum: of the two promises the energy is kept."""
    made = two_heaps(rng)
    scene, high = made.scene, np.arange(3)
    rates = made.moment.motion.rates.copy()
    rates[high] = rates_as_one(scene.inertia.take(high), made.moment.motion.take(high))
    start = made.moment.with_rates(rates)
    end = start.with_rates(np.where(np.arange(5)[:, None] < 3, 1.05 * rates, rates))
    mended = without_gains(scene, start, end, InterfacePoints.none(), np.zeros(5)).motion
    np.testing.assert_allclose(mended.rates, rates, rtol=1e-9)


def test_what_a_moving_body_of_given_motion_touches_may_gain(rng: np.random.Generator) -> None:
    made = two_heaps(rng)
    scene = replace(made.scene, given=np.array([False, True, False, False, False]))
    rates = made.moment.motion.rates.copy()
    rates[[0, 3]] *= 1.05
    end = made.moment.with_rates(rates)
    mended = without_gains(scene, made.moment, end, InterfacePoints.none(), np.zeros(5)).motion
    np.testing.assert_array_equal(mended.rates[:3], rates[:3])
    assert np.abs(mended.rates[3]).max() < np.abs(rates[3]).max()


def test_blocks_that_collide_in_the_void_keep_their_momenta() -> None:
    rng = np.random.default_rng(12)
    places = np.array([[-0.25, 0.0, 0.0], [0.25, 0.0, 0.0]])
    made = simulation(
        [block(0.4, 0.3, 0.2)] * 2,
        [Pose(quaternion_exponential(rng.normal(size=3)), place) for place in places],
        [],
        gravity=np.zeros(3),
        friction=0.0,
        velocity=-4.0 * places + 0.1 * rng.normal(size=(2, 3)),
        spin=2.0 * rng.normal(size=(2, 3)),
    )
    made.run(0.2)
    every = np.array([momenta(made.scene, state.motion) for state in made.states])
    assert np.abs(every - every[0]).max() < 1e-12
    energies = np.array([state.energy for state in made.states])
    assert energies[-1] < 0.9 * energies[0]  # they did collide
    assert np.diff(energies).max() < 1e-6 * energies[0]
