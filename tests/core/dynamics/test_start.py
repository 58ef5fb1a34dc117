"""What was placed at rest can be simulated and placed from there, although single precision put it off."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import hull_triangles
from tests.core.dynamics.scenes import simulation
from tests.oracles.frames import quaternion_of, random_rotation

SIDES = 12


def ring(radius: float, height: float) -> np.ndarray:
    """The corners (12, 3) of a ring about the vertical."""
    turn = 2.0 * np.pi * np.arange(SIDES) / SIDES
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), np.full(SIDES, height)], axis=1)


def plate() -> list[Body]:
    """A disk and a rim around it, two open meshes that share a border, as imported plates are made."""
    one, two = np.arange(SIDES), np.roll(np.arange(SIDES), -1)
    disk = np.stack([np.full(SIDES, SIDES), one, two], axis=1)
    rim = np.concatenate([np.stack([two, one + SIDES, one], 1), np.stack([two, two + SIDES, one + SIDES], 1)])
    middle = np.zeros((1, 3))
    return [
        polyhedron(np.concatenate([ring(0.5, 0.0), middle]), disk, "disk"),
        polyhedron(np.concatenate([ring(0.5, 0.0), ring(0.8, 0.2)]), rim, "rim"),
    ]


def pebble(rng: np.random.Generator) -> Body:
    """A random convex polyhedron that lacks a face."""
    points = rng.normal(size=(14, 3))
    points, triangles = hull_triangles(0.12 / np.linalg.norm(points, axis=1)[:, None] * points)
    return polyhedron(points, triangles[1:], "pebble")


@pytest.mark.parametrize("seed", [23, 60])
def test_what_lies_on_two_open_meshes_may_begin_again(seed: int) -> None:
    """Its corners are 1e-5 of its radius above one, and wedged between both, 7e-9 deep."""
    rng = np.random.default_rng(seed)
    body, world = pebble(rng), plate()
    rotation, turn = random_rotation(rng), rng.uniform(0.0, 2.0 * np.pi)
    place = np.array([0.45 * np.cos(turn), 0.45 * np.sin(turn), 0.4])
    placed = Placement(body, Pose(quaternion_of(rotation), place), world)
    placed.run()
    assert placed.status.at_rest
    pose = placed.states[-1].pose
    rounded = Pose(
        *(each.astype(np.float32).astype(np.float64) for each in (pose.rotation, pose.translation))
    )
    begun = simulation([body], [rounded], world)
    assert begun.status is not SimulationStatus.INTERFERING_START
    again = Placement(body, rounded, world, Settings(start_tolerance=1e-6))
    again.run()
    assert again.status.at_rest
