"""Over a planar face the lowest vertices need no search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.generation import track_interface_points
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.flat_contacts import lowest_of_plain
from physplace_addon.core.contact.regions.level_support import level_support
from tests.core.contact.body_pairs import meet
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
