"""Over a planar face the lowest vertices need no search."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.generation import track_interface_points
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.flat_contacts import lowest_of_plain
from physplace_addon.core.contact.regions.level_support import level_support
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, meet
from tests.core.contact.regions.prisms import prism
from tests.oracles.frames import quaternion_of, rotation_of

REACH = 0.05


def lying(sides: int, turn: Floats, at: tuple[float, float, float]) -> tuple[BodyPair, InterfacePoints]:
    """A prism that lay flat on the slab and was turned since, and the points it had, solved again."""
    flat = meet(prism(sides), "slab", at=(*at[:2], 0.5 + 1e-10))
    before = lowest_of_plain(flat, REACH, InterfacePoints.none(), None)
    moved = meet(prism(sides), "slab", turn=turn, at=at)
    return moved, track_interface_points(moved, before)


@pytest.mark.parametrize("sides", [4, 1000])
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-6, 1e-3, 0.02])
def test_the_lowest_corners_are_found_by_their_heights(
    tilt: float, sides: int, rng: np.random.Generator
) -> None:
    axis = rng.normal(size=2)
    axis *= tilt / np.linalg.norm(axis)
    moved, tracked = lying(sides, np.array([*axis, 0.3]), (0.1, 0.2, 0.5 + tilt + 1e-10))
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


def step_time(turn: Floats) -> float:
    """The median time of a step of a fine prism that slides down a slope, its mesh in a turned frame."""
    down = np.array([np.cos(0.05), np.sin(0.05), 0.0, 0.0])
    slope = Pose(down, np.zeros(3))
    upright = prism(4000)
    leaning = polyhedron(upright.points @ turn.T, upright.triangle_corners, "prism")
    start = Pose(quaternion_of(rotation_of(down) @ turn.T), slope.points(np.array([[0.1, 0.5, 0.501]]))[0])
    placement = Placement(leaning, start, [body("slab").transformed(slope.matrix4)], Settings(eps_max=0.05))
    times = []
    for _ in range(12):
        begun = time.thread_time()
        placement.step()
        times.append(time.thread_time() - begun)
    return float(np.median(times[3:]))


def test_the_frame_of_the_mesh_costs_nothing() -> None:
    """80 ms for 10 where boxes, whose axes are those of the mesh, show alone what is near."""
    leaning = step_time(rotation_of(np.array([0.9, 0.3, 0.2, 0.1]) / np.sqrt(0.95)))
    assert leaning <= 2.0 * step_time(np.eye(3))
