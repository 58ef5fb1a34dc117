"""Bodies that hang one in another: nothing comes loose, nothing touches, no energy comes in."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.motion import chain, linking_numbers
from physplace_addon.core.contact.system import InterfacePoints, Reach
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationState

from .scenes import DOWN


def hung(rings: int) -> tuple[Simulation, list[int]]:
    case = chain(rings, frames=1)
    count = len(case.bodies) + len(case.world)
    laws = SurfaceLaws(np.full(count, 0.3**0.5), np.zeros(count))
    scene = Scene.of(case.bodies, case.poses, case.world, laws, DOWN)
    made = Simulation(scene, scene.motion(case.poses, case.velocity, np.zeros_like(case.velocity)))
    return made, linking_numbers(case, case.poses)


def between(made: Simulation, one: SimulationState, other: SimulationState, share: float) -> Motion:
    """Where bodies are on their even ways from one state to another."""
    twists = share * one.motion.twists_to(made.scene.inertia, other.motion)
    return one.motion.displaced(made.scene.inertia, twists)


def least_gap(made: Simulation, one: SimulationState, other: SimulationState, share: float) -> float:
    """The least gap where bodies are on their even ways from one state to another, over that of contacts."""
    there = made.scene.system(between(made, one, other, share))
    points = there.generate(Reach(0.01, 0.01, 0.01), InterfacePoints.none(), None)
    return float(points.gap.min(initial=np.inf)) / made.scene.hold


def check_chain(rings: int, seconds: float) -> None:
    made, linked = hung(rings)
    assert all(abs(number) == 1 for number in linked)
    case = chain(rings, frames=1)
    start = made.state.energy
    size = 9.81 * sum(body.mass.mass for body in case.bodies)
    made.run(seconds)
    assert made.status.is_running
    energies = np.array([state.energy for state in made.states])
    assert np.diff(energies).max() <= 1e-6 * size
    assert energies.max() <= start + 1e-6 * size
    assert linking_numbers(case, made.scene.poses(made.state.motion)) == linked
    for one, other in list(zip(made.states[:-1], made.states[1:], strict=True))[::9]:
        assert min(least_gap(made, one, other, share) for share in np.linspace(0.1, 1.0, 4)) > 0.05
        for share in np.linspace(0.1, 1.0, 10):
            assert linking_numbers(case, made.scene.poses(between(made, one, other, share))) == linked


def test_two_rings_hang_one_in_the_other() -> None:
    check_chain(2, 0.4)


@pytest.mark.slow
def test_a_chain_of_ten_rings_tumbles() -> None:
    check_chain(10, 0.5)
