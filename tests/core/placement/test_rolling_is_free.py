"""A cylinder on its side stays where it is put at any roll; a prism of many sides does not."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.placement import Status
from tests.bodies_of_the_paper import cylinder, prism
from tests.core.placement.drops import drop
from tests.oracles.frames import rotation_of

LYING = rotation_of([np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0])
ROLLS = np.arange(12) * 31.0


def rolled(degrees: float) -> np.ndarray:
    half = np.radians(degrees) / 2
    result: np.ndarray = LYING @ rotation_of([np.cos(half), 0, 0, np.sin(half)])
    return result


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 0.25])
def test_a_cylinder_on_its_side_is_at_rest_at_any_roll(gap: float) -> None:
    solid = cylinder(radius=0.5, height=2.0)
    for roll in ROLLS:
        run = drop(solid, rolled(roll), gap)
        assert run.certificate.status is Status.BALANCED, roll
        assert abs(run.height - 0.5) <= 1e-12 * run.radius, roll
        turn = run.rotations[-1] @ rolled(roll).T
        assert np.abs(turn - np.eye(3)).max() <= 1e-9, roll


def test_a_prism_rolls_on_to_a_face() -> None:
    solid = prism(sides=16, radius=0.5)
    for roll in (3.0, 8.0, 14.0, 19.0):
        run = drop(solid, rolled(roll))
        rest = run.rest()
        assert run.certificate.status is Status.BALANCED, roll
        assert rest.tilt <= 1e-6, roll
        assert abs(run.height - rest.height) <= 2e-6 * run.radius, roll
        assert np.abs(run.rotations[-1] - rolled(roll)).max() > 1e-3, roll
