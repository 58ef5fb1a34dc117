"""The grid's surfaces against what is known of balls and rings."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.implicit.random_parts import random_scene
from tests.oracles.arrays import Floats
from tests.oracles.grid_surface import Grid

EYE = np.eye(3)


def balls(gap: float) -> Grid:
    """Two balls of radius .5 so far apart, in steps of about a sixtieth."""

    def value(x: Floats) -> Floats:
        near = np.minimum(
            *(np.linalg.norm(x - side * (0.5 + 0.5 * gap) * EYE[0], axis=1) for side in (-1, 1))
        )
        return np.asarray(near - 0.5)

    return Grid(value, np.array([-1.1, -0.5, -0.5]), np.array([1.1, 0.5, 0.5]), 132)


@pytest.mark.parametrize("gap", [0.3, 0.03, 0.003])
def test_balls_are_two_also_where_the_gap_is_a_fifth_of_a_step(gap: float) -> None:
    assert balls(gap).components == 2


def test_balls_that_reach_into_each_other_are_one_and_a_sphere() -> None:
    grid = balls(-0.2)
    assert (grid.components, grid.surface.components, grid.surface.euler_characteristic) == (1, 1, 2)


def test_a_hollow_ring_is_two_tori_with_the_area_and_volume_of_a_ring() -> None:
    """The walls are so thin that cells of the first grid, of 55, may have one sign at all corners."""

    def value(x: Floats) -> Floats:
        return np.abs(np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2]) - 0.3) - 0.03

    low, high = np.array([-1.4, -1.4, -0.4]), np.array([1.4, 1.4, 0.4])
    grid = Grid(value, low, high, 110)
    assert (grid.components, grid.surface.components, grid.surface.euler_characteristic) == (2, 2, 0)
    assert grid.surface.area == pytest.approx(4 * np.pi**2 * (0.33 + 0.27), rel=0.02)
    assert grid.surface.volume == pytest.approx(2 * np.pi**2 * (0.33**2 - 0.27**2), rel=0.04)


def test_a_grid_too_coarse_for_a_thin_part_says_so() -> None:
    """A sum of Gaussians with a thin part: the cells of the coarse grid leave out a piece of it."""
    function, _ = random_scene(50)
    low, high = function.box()
    surface = Grid(function.value, low, high, 216).surface
    assert not surface.is_closed
    with pytest.raises(ValueError, match="too coarse"):
        _ = surface.euler_characteristic
