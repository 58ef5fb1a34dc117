"""Over a planar face the lowest vertices need no search, and a base of many corners is cheap."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.generation import track_interface_points
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.flat_contacts import lowest_of_plain
from physplace_addon.core.contact.regions.level_support import level_support
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, meet
from tests.core.contact.regions.prisms import prism

REACH = 0.05


def lying(sides: int, turn: Floats, at: tuple[float, float, float]) -> tuple[BodyPair, InterfacePoints]:
    """A prism that lay flat on the slab and was turned since, and the points it had, solved again."""
    flat = meet(prism(sides), "slab", at=(*at[:2], 0.5 + 1e-10))
    before = lowest_of_plain(flat, REACH, InterfacePoints.none(), None)
    moved = meet(prism(sides), "slab", turn=turn, at=at)
    return moved, track_interface_points(moved, before)


@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-6, 1e-3, 0.02])
def test_the_lowest_corners_are_found_by_their_heights(tilt: float, rng: np.random.Generator) -> None:
    axis = rng.normal(size=2)
    axis *= tilt / np.linalg.norm(axis)
    moved, tracked = lying(1000, np.array([*axis, 0.3]), (0.1, 0.2, 0.5 + tilt + 1e-10))
    support = level_support(moved, REACH, tracked, 64)
    assert support is not None
    heights = moved.pose.points(moved.active.body.vertices)[:, 2]
    assert heights[support.over[0]].min() == pytest.approx(heights.min(), abs=2e-12)
    found = lowest_of_plain(moved, REACH, tracked, None)
    every = lowest_of_plain(moved, REACH, InterfacePoints.none(), None)
    assert found.gap.min() == pytest.approx(heights.min(), abs=2e-12)
    assert np.sort(found.gap)[:8] == pytest.approx(np.sort(every.gap)[:8], abs=1e-11)
    assert np.abs(found.normal - [0.0, 0.0, 1.0]).max() < 1e-12


def test_a_base_that_hangs_over_a_border_is_held_where_the_border_crosses_it() -> None:
    at = (3.6, 0.0, 0.5 + 1e-10)  # the slab ends at x = 4
    moved, tracked = lying(1000, np.zeros(3), at)
    assert level_support(moved, REACH, tracked, 64) is None
    found = lowest_of_plain(moved, REACH, tracked, None)
    touching = found.take(found.gap < 1e-7)
    half_angle = np.arccos(0.4)
    area = np.pi - (half_angle - 0.4 * np.sin(half_angle))
    assert ConvexHull(touching.point2[:, :2]).volume == pytest.approx(area, rel=0.01)
    assert touching.point2[:, 0].max() == pytest.approx(4.0, abs=1e-9)


def sliding(active: Body, height: float) -> float:
    """The median time of a step, seconds, of a body that slides flat down a slope."""
    lean = 0.1
    turn = np.array([np.cos(lean / 2.0), np.sin(lean / 2.0), 0.0, 0.0])
    slope = Pose(turn, np.zeros(3))
    world = body("slab").transformed(slope.matrix4)
    start = Pose(turn, slope.points(np.array([[0.1, 2.0, height + 1e-6]]))[0])
    placement = Placement(active, start, [world], Settings(eps_max=0.05))
    times = []
    for number in range(14):
        began = time.thread_time()
        placement.step()
        times.append(time.thread_time() - began)
        down = placement.state.pose.points(active.vertices) @ slope.matrix[:, 2]
        assert number < 2 or np.abs(down.min() / active.radius) < 1e-8
    return float(np.median(times[2:]))


def test_a_step_of_a_prism_on_ten_thousand_sides_costs_at_most_two_of_a_cubes() -> None:
    many = prism(10_000)
    cube = polyhedron(*cuboid(), "cube")
    assert sliding(many, 0.5) < 2.0 * sliding(cube, 0.5)


def cuboid() -> tuple[Floats, np.ndarray]:
    """A cube of side 1 about the origin."""
    corners = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij")).reshape(3, -1).T
    return corners, ConvexHull(corners).simplices
