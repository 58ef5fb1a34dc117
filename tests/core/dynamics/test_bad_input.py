"""Bad input of a simulation: named, or handled; never an explosion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.scene import Scene, SimulationError
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import sphere

from .scenes import DOWN, UPRIGHT, at, block, floor, simulation, standing

FREE = Pose(UPRIGHT, np.array([0.0, 0.0, 3.0]))


def named(body: Body, name: str) -> Body:
    return replace(body, name=name)


@pytest.mark.parametrize("mass", [0.0, -1.0, np.inf, np.nan])
def test_a_mass_that_nothing_can_move_is_refused_by_the_name_of_its_body(mass: float) -> None:
    heavy = named(block(), "anvil")
    heavy = replace(heavy, mass=replace(heavy.mass, density=mass / heavy.mass.volume, given=True))
    with pytest.raises(SimulationError, match='"anvil": its mass'):
        simulation([block(), heavy], [FREE, standing(block())], [floor()])


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_velocities_that_are_not_finite_are_refused_by_name(value: float) -> None:
    wild, fast = named(block(), "wild"), np.array([[0.0, value, 0.0]])
    with pytest.raises(SimulationError, match='"wild": its velocity'):
        simulation([wild], [FREE], [], velocity=fast)
    with pytest.raises(SimulationError, match='"wild": its angular velocity'):
        simulation([wild], [FREE], [], spin=fast)
    with pytest.raises(SimulationError, match='"wild": it turns by'):
        simulation([wild], [FREE], [], spin=np.array([[0.0, 1e9, 0.0]]))


@pytest.mark.parametrize("value", [np.inf, np.nan, -0.5])
def test_coefficients_without_a_meaning_are_refused_by_name(value: float) -> None:
    for friction, restitution, word in (
        ([1.0, value], [0.0, 0.0], "friction"),
        ([1.0, 1.0], [0.0, value], "restitution"),
    ):
        laws = SurfaceLaws(np.array(friction), np.array(restitution))
        with pytest.raises(SimulationError, match=f'"floor": its {word}'):
            Scene.of([block()], [FREE], [floor()], laws, DOWN)
    with pytest.raises(SimulationError, match="gravity"):
        simulation([block()], [FREE], [floor()], gravity=np.array([0.0, 0.0, value if value > 0 else np.nan]))


def test_bodies_that_overlap_at_the_start_are_told_by_number() -> None:
    cube = block()
    poses = [standing(cube, 5.0), standing(cube), standing(cube, 0.5), standing(cube, -5.0, floor_at=-0.3)]
    made = simulation([cube] * 4, poses, [at(block(), np.array([20.0, 0.0, 0.0])), floor()])
    assert made.status is SimulationStatus.INTERFERING_START
    assert made.involved == (1, 2, 3, 5)  # two in each other, one in the floor, the second that stands


def test_a_block_that_a_press_squeezes_is_told_with_the_press() -> None:
    press, cube = block(2.0, 2.0, 0.2), block()
    high, low = (Pose(UPRIGHT, np.array([0.0, 0.0, z])) for z in (1.2, 0.6))
    laws, poses = SurfaceLaws(np.full(4, 0.5), np.zeros(4)), [standing(cube, 5.0), standing(cube), high]
    scene = Scene.of(
        [cube, cube, press], poses, [floor()], laws, DOWN, {2: Track.of([0.0, 0.5], [high, low])}
    )
    made = Simulation(scene, scene.motion(poses, np.zeros((3, 3)), np.zeros((3, 3))))
    first = made.states[0]
    made.run(0.5)
    assert made.status in (SimulationStatus.SQUEEZED, SimulationStatus.JAMMED)
    assert made.involved == (1, 2)
    made.go_on_from(first)
    assert len(made.involved) == 0


def test_bodies_that_are_in_each_other_later_are_told_by_number() -> None:
    """Nothing that is moved squeezes them: who goes on from a state may have changed it."""
    poses = [Pose(UPRIGHT, np.array([x, 0.0, 0.0])) for x in (0.0, 3.0, 6.0)]
    towards = np.array([[1.0, 0.0, 0.0], [0.0] * 3, [0.0] * 3])
    made = simulation([sphere(0.5).body] * 3, poses, [], gravity=np.zeros(3), velocity=towards)
    centre = made.state.motion.centre + 2.1 * towards
    made.go_on_from(replace(made.state, motion=replace(made.state.motion, centre=centre), history=None))
    made.run(0.1)
    assert made.status is SimulationStatus.JAMMED
    assert made.involved == (0, 1)


def test_a_propeller_that_turns_by_more_than_half_a_turn_in_a_step_strikes_what_is_beside_it() -> None:
    """Its path is not mistaken for the shorter one the other way round."""
    blade, post = block(2.0, 0.1, 0.1), block(0.1, 0.1, 1.0)
    poses = [Pose(UPRIGHT, np.zeros(3)), Pose(UPRIGHT, np.array([0.0, 0.7, 0.0]))]
    spin = np.array([[0.0, 0.0, 1.98 * np.pi * 240.0], [0.0, 0.0, 0.0]])
    made = simulation([blade, post], poses, [], gravity=np.zeros(3), spin=spin)
    before = made.state.energy
    made.run(1.0 / 240.0)
    assert made.state.time == pytest.approx(1.0 / 240.0)
    assert np.abs(made.state.motion.velocity(made.scene.inertia)[1]).max() > 1.0
    assert made.state.energy <= before * (1.0 + 1e-9)
