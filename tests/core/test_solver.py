"""Placement, manipulation and sculpting have the one face that a session drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.implicit import FloaterSettings, blobby_spheres
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings
from physplace_addon.core.placement import Manipulation, Placement
from physplace_addon.core.rigid import Pose
from physplace_addon.core.solver import Solver
from tests.bodies_of_the_paper import floor, sphere

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def placing() -> Placement:
    return Placement(sphere(0.5).body, Pose(UPRIGHT, np.array([0.0, 0.0, 2.0])), [floor()])


def moving_by_hand() -> Manipulation:
    return Manipulation(placing(), Pose(UPRIGHT, np.array([1.0, 0.0, 1.0])))


def sculpting() -> Sculpting:
    function = blobby_spheres(0.3, np.zeros((1, 3)), [0.6])
    return Sculpting(function, SculptSettings(FloaterSettings(0.1)), np.random.default_rng(0))


@pytest.mark.parametrize("make", [placing, moving_by_hand, sculpting])
def test_a_solver_steps_from_state_to_state_and_its_status_says_a_sentence(
    make: Callable[[], Placement | Manipulation | Sculpting],
) -> None:
    solver = make()
    assert isinstance(solver, Solver)
    assert solver.status.is_running
    assert solver.step() is solver.state
    assert solver.status.message


def test_a_solver_that_has_ended_keeps_its_state() -> None:
    solver = moving_by_hand()
    while solver.status.is_running:
        solver.step()
    assert solver.status.name == "ARRIVED"
    last = solver.state
    assert solver.step() is last
