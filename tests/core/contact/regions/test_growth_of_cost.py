"""A step costs as the contact regions and the logarithm of the triangles, from 100 triangles to 100,000.

Times are of the thread alone, in one run, so that the machine's load does not count.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body
from tests.core.contact.regions.prisms import gridded_cube, prism

LEAN = 0.1  # of the slope, radians


def faceted_ball(count: int) -> Body:
    """The hull of points spread evenly on a sphere, 2 count - 4 triangles."""
    number = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * number / count, np.pi * (1.0 + np.sqrt(5.0)) * number
    across = np.sqrt(1.0 - height**2)
    points = np.stack([across * np.cos(turn), across * np.sin(turn), height], axis=1)
    return polyhedron(points, ConvexHull(points).simplices, "faceted ball")


def step_times(*actives: tuple[Body, float, float]) -> list[float]:
    """The time of a step, seconds, of each of some bodies that slide or roll down a slope, all in turn.

    Each is given with its origin's height over the slope when it touches, and its gap.  The time is that of
    the fastest quarter.
    """
    turn = np.array([np.cos(LEAN / 2.0), np.sin(LEAN / 2.0), 0.0, 0.0])
    slope = Pose(turn, np.zeros(3))
    world = body("slab").transformed(slope.matrix4)
    placements = []
    for active, height, gap in actives:
        start = Pose(turn, slope.points(np.array([[0.1, 2.0, height + gap]]))[0])
        placements.append(Placement(active, start, [world], Settings(eps_max=0.05)))
    times = np.empty((14, len(placements)))
    for row in times:
        for number, placement in enumerate(placements):
            began = time.thread_time()
            placement.step()
            row[number] = time.thread_time() - began
            assert lowest(placement, slope) > -1e-9
    fastest: list[float] = np.quantile(times[2:], 0.25, axis=0).tolist()
    return fastest


def lowest(placement: Placement, slope: Pose) -> float:
    """The height of the lowest vertex of the body over the slope."""
    at: Floats = placement.state.pose.points(placement.setup.bodies[0].vertices) @ slope.matrix[:, 2]
    return float(at.min())


def test_a_step_of_a_prism_on_ten_thousand_sides_costs_at_most_two_of_a_cubes() -> None:
    cube, many = step_times((gridded_cube(1), 0.5, 1e-6), (prism(10_000), 0.5, 1e-6))
    assert many < 2.0 * cube


@pytest.mark.slow
def test_a_step_of_a_cube_does_not_see_the_grids_of_its_faces() -> None:
    coarse, fine = gridded_cube(3), gridded_cube(91)
    assert (len(coarse.triangles), len(fine.triangles)) == (108, 99_372)
    few, many = step_times((coarse, 0.5, 1e-6), (fine, 0.5, 1e-6))
    assert many < 1.5 * few


@pytest.mark.slow
def test_a_step_of_a_ball_grows_as_the_logarithm_of_its_triangles() -> None:
    few, many = step_times((faceted_ball(52), 1.0, 1e-3), (faceted_ball(50_000), 1.0, 1e-3))
    assert many < 2.5 * few  # the logarithm of 100,000 is 2.5 times that of 100
