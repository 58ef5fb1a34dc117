"""What stands and what falls: an arch, dominoes, a coin that spins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.rigid import Pose, quaternion_exponential

from .scenes import GRAVITY, UPRIGHT, block, floor, simulation, standing


def hull(points: Floats, name: str) -> Body:
    """The convex hull of points."""
    found = ConvexHull(points)
    corners = found.simplices.copy()
    a, b, c = (points[corners[:, i]] for i in range(3))
    inward = (np.cross(b - a, c - a) * found.equations[:, :3]).sum(axis=1) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return polyhedron(points, corners, name)


def arch(friction: float, stones: int = 7) -> Simulation:
    """Half a ring of stones that stands on the floor, its thickness .35 of the radius inside."""
    ends = np.linspace(np.pi, 0.0, stones + 1)
    bodies, poses = [], []
    for one, other in pairwise(ends):
        flat = np.array([[r * np.cos(t), r * np.sin(t)] for t in (one, other) for r in (1.0, 1.35)])
        points = np.concatenate([np.insert(flat, 1, side, axis=1) for side in (-0.2, 0.2)])
        middle = points.mean(axis=0)
        bodies.append(hull(points - middle, "stone"))
        poses.append(Pose(UPRIGHT, middle))
    return simulation(bodies, poses, [floor()], friction=friction)


def test_an_arch_stands_with_much_friction_and_falls_with_little() -> None:
    firm = arch(0.6)
    start = firm.state.motion.centre
    firm.run(0.3)
    assert firm.status is SimulationStatus.AT_REST
    assert np.abs(firm.state.motion.centre - start).max() < 1e-9
    loose = arch(0.2)
    start = loose.state.motion.centre
    loose.run(0.25)
    fallen = start[:, 2] - loose.state.motion.centre[:, 2]
    assert fallen[2:5].min() > 0.02  # those in the middle slip out
    assert np.abs(np.delete(fallen, [2, 3, 4])).max() < 1e-6


def dominoes(count: int) -> Simulation:
    """Dominoes in a row, the first one pushed."""
    stone = block(0.08, 0.3, 0.6)
    poses = [standing(stone, 0.25 * i) for i in range(count)]
    spin, velocity = np.zeros((count, 3)), np.zeros((count, 3))
    spin[0, 1], velocity[0, 0] = 2.0, 0.6
    return simulation([stone] * count, poses, [floor()], friction=0.4, velocity=velocity, spin=spin)


def test_dominoes_fall_in_order() -> None:
    count = 4
    made = dominoes(count)
    made.run(0.75)
    first: dict[tuple[int, ...], float] = {}
    for state in made.states:
        for event in state.events:
            if min(event.bodies) >= 0:
                first.setdefault(tuple(sorted(event.bodies)), event.time)
    times = [first[i, i + 1] for i in range(count - 1)]
    assert times == sorted(times)
    assert len(first) == count - 1  # each meets its neighbours alone
    energies = np.array([state.energy for state in made.states])
    assert np.diff(energies).max() <= 1e-5 * energies[0]


@pytest.mark.slow
def test_a_spinning_coin_settles_and_ends_at_rest() -> None:
    """Of eight corners, so that it rattles down: its energy never rises above that of its start."""
    turn, side = np.arange(8) * np.pi / 4.0, np.ones(8)
    ring = [np.column_stack([0.5 * np.cos(turn), y * side, 0.5 * np.sin(turn)]) for y in (-0.04, 0.04)]
    coin = hull(np.concatenate(ring), "coin")
    tilted = quaternion_exponential(np.array([0.25, 0.0, 0.0]))
    lowest = Pose(tilted, np.zeros(3)).points(coin.points)[:, 2].min()
    start = Pose(tilted, np.array([0.0, 0.0, 1e-5 * coin.radius - lowest]))
    made = simulation([coin], [start], [floor()], friction=0.3, spin=np.array([[0.0, 0.0, 8.0]]))
    made.run(6.0)
    assert made.status is SimulationStatus.AT_REST
    assert made.state.motion.centre[0, 2] == pytest.approx(0.04, abs=1e-4)
    energies = np.array([state.energy for state in made.states])
    assert energies.max() <= energies[0] + 1e-7 * GRAVITY * coin.mass.mass
    assert sum(len(state.events) for state in made.states) < 2000


def test_a_block_does_not_fall_asleep_while_it_leaves_a_balance_that_is_not_stable() -> None:
    """It stands on an edge, a hair from upright: slower than what sleeps, but faster and faster."""
    cube, tilt = block(), 2e-6
    turned = quaternion_exponential(np.array([0.0, np.pi / 4.0 + tilt, 0.0]))
    lowest = Pose(turned, np.zeros(3)).points(cube.points)[:, 2].min()
    start = Pose(turned, np.array([0.0, 0.0, 1e-5 * cube.radius - lowest]))
    made = simulation([cube], [start], [floor()], friction=0.8)
    made.run(0.6)
    time = made.state.time
    assert not made.state.sleep.asleep.any()
    rate = np.sqrt(GRAVITY * np.sqrt(0.5) / (1.0 / 6.0 + 0.5))  # of the growth of the tilt about the edge
    assert made.state.motion.spin[0, 1] == pytest.approx(tilt * rate * np.sinh(rate * time), rel=0.02)


def test_what_stands_falls_asleep_at_once_but_not_what_turns_round() -> None:
    """One box stands on the floor; another one flies up, and stops for a moment at the end of a step."""
    box, h, steps = block(), 1.0 / 240.0, 4
    poses = [standing(box), standing(box, 3.0, floor_at=2.0)]
    velocity = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, steps * GRAVITY * h]])
    made = simulation([box, box], poses, [floor()], velocity=velocity)
    made.run(steps * h)
    assert np.abs(made.state.motion.rates).max() < 1e-12
    assert made.state.sleep.asleep.tolist() == [True, False]
    made.run(20.0 * h)
    assert made.state.motion.rates[1, 2] * box.radius == pytest.approx(-GRAVITY * (20 - steps) * h)
