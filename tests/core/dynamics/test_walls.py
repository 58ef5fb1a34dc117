"""Walls of bricks that are struck."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.rigid import Pose
from tests.core.dynamics.scenes import UPRIGHT, block, brick_wall, floor, simulation

BRICK = (0.24, 0.12, 0.08)


def struck_wall(rows: int, columns: int) -> Simulation:
    """A wall, and a cube that flies at it with 6 m/s."""
    bodies, poses = brick_wall(rows, columns, BRICK)
    middle = np.array([0.5 * columns * BRICK[0], -0.2, 0.6 * rows * BRICK[2]])
    velocity = np.zeros((len(bodies) + 1, 3))
    velocity[-1] = [0.0, 6.0, 1.0]
    return simulation(
        [*bodies, block(0.15, 0.15, 0.15)],
        [*poses, Pose(UPRIGHT, middle)],
        [floor()],
        friction=0.6,
        velocity=velocity,
    )


def test_bricks_that_turn_on_each_other_take_nearly_whole_steps() -> None:
    """A gap that stays open enough for what paths bend does not cut a step off again and again."""
    made = struck_wall(3, 2)
    made.run(0.2)
    energies = np.array([state.energy for state in made.states])
    assert len(made.states) < 2.0 * 0.2 / made.scene.step
    assert np.diff(energies).max() <= 1e-9 * energies.max()
