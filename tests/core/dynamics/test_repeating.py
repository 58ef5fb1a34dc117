"""The same start gives the same motion to the last bit: twice, in two processes, gone on from a state."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np

from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationState
from physplace_addon.core.rigid import Pose

from .scenes import block, floor, simulation
from .test_walls import struck_wall

_PROJECT = Path(__file__).parents[3]
_SECONDS = 0.04


def falling_blocks(seed: int) -> Simulation:
    """Two blocks that fall one upon the other, turned at random."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(2, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    poses = [Pose(turn, np.array([0.2 * i, 0.1 * i, 0.8 + 1.1 * i])) for i, turn in enumerate(turns)]
    return simulation([block(1.0, 0.6, 0.4)] * 2, poses, [floor()], restitution=0.3)


def digest(states: list[SimulationState]) -> str:
    """A digest of when and how bodies move, and of all that happens."""
    found = hashlib.sha256()
    for state in states:
        for values in (state.motion.centre, state.motion.rotation, state.motion.rates, state.coordinates):
            found.update(values.tobytes())
        found.update(
            repr((state.time, state.energy, [(e.time, e.kind, e.bodies) for e in state.events])).encode()
        )
    return found.hexdigest()


def wall_digest() -> str:
    made = struck_wall(2, 2)
    made.run(_SECONDS)
    return digest(made.states)


def test_a_struck_wall_falls_the_same_way_twice_and_in_another_process() -> None:
    here = wall_digest()
    assert wall_digest() == here
    program = f"from {__name__} import wall_digest; print(wall_digest())"
    other = subprocess.run(
        [sys.executable, "-c", program], cwd=_PROJECT, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == here


def test_going_on_from_a_state_repeats_what_followed_it() -> None:
    made = falling_blocks(0)
    made.run(0.7)
    states = list(made.states)
    for number in (len(states) - 50, len(states) - 20):
        made.go_on_from(states[number])
        made.run(0.7)
        assert digest(made.states[number:]) == digest(states[number:])
