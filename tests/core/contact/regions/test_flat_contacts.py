"""The lowest points of flat bodies are the same however the search goes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.features import VERTEX
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from physplace_addon.core.contact.regions.flat_contacts import lowest, lowest_of_plain
from physplace_addon.core.contact.regions.flat_pairs import flat_pairs
from tests.core.contact.body_pairs import (
    meet,
)
from tests.core.contact.regions.prisms import prism


def grid(cells: int, size: float) -> tuple[Floats, Ints]:
    """A level square of cells x cells squares, each two triangles."""
    line = np.linspace(-size, size, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3), triangles


def bumpy(rng: np.random.Generator, cells: int = 16) -> Body:
    """A sheet of many low bumps: far more pairs than a state goes on with."""
    points, triangles = grid(cells, 1.0)
    points[:, 2] = 0.02 * rng.random(len(points))
    return polyhedron(points, triangles, "bumpy")


def test_the_lowest_points_are_those_of_a_search_of_everything(rng: np.random.Generator) -> None:
    body_pair = meet(bumpy(rng), "slab", at=(0.0, 0.0, 0.001))
    reach = 0.2
    found = lowest_of_plain(body_pair, reach, InterfacePoints.none(), None)
    count1, count2 = len(body_pair.active.body.triangles), len(body_pair.world.body.triangles)
    every = flat_pairs(body_pair, *np.divmod(np.arange(count1 * count2), count2), None, reach)
    assert len(every) > len(found) == 128
    expected = lowest(every, body_pair.sign_tolerance)
    assert sorted(found.gap.tolist()) == pytest.approx(sorted(expected.gap.tolist()), abs=1e-13)
    assert found.gap.min() == pytest.approx(every.gap.min(), abs=1e-13)


def test_few_points_are_all_kept() -> None:
    body_pair = meet("cube", "slab", at=(0.0, 0.0, 0.51))
    found = lowest_of_plain(body_pair, 0.2, InterfacePoints.none(), None)
    corners = found.take(found.dim1 == VERTEX)
    assert len(set(corners.index1.tolist())) == 4
    np.testing.assert_allclose(corners.gap, 0.01, atol=1e-12)


def test_a_body_that_lay_flat_finds_the_same_points_again() -> None:
    flat = polyhedron(*grid(16, 1.0), "flat")
    body_pair = meet(flat, "slab", at=(0.0, 0.0, 1e-9))
    first = lowest_of_plain(body_pair, 0.2, InterfacePoints.none(), None)
    again = lowest_of_plain(body_pair, 0.2, first, body_pair)
    np.testing.assert_allclose(again.point1, first.point1, atol=1e-12)


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_region_of_many_corners_is_held_by_few_that_bound_it(turn: float) -> None:
    body_pair = meet(prism(1000), "slab", turn=(0.0, 0.0, turn), at=(0.1, 0.2, 0.5 + 1e-10))
    found = lowest_of_plain(body_pair, 0.05, InterfacePoints.none(), None)
    assert len(found) <= 40
    area = ConvexHull(found.point2[:, :2]).volume
    assert 0.99 * np.pi < area < np.pi
    np.testing.assert_allclose(found.normal, np.broadcast_to([0.0, 0.0, 1.0], (len(found), 3)), atol=1e-12)


@pytest.mark.parametrize("tilt", [1e-9, 1e-8, 3e-8])
def test_a_region_that_is_hardly_tilted_keeps_its_lowest_corner(
    tilt: float, rng: np.random.Generator
) -> None:
    axis = rng.normal(size=2)
    axis *= tilt / np.linalg.norm(axis)
    body_pair = meet(prism(1000), "slab", turn=(*axis, 0.0), at=(0.1, 0.2, 0.5 + 1e-7))
    found = lowest_of_plain(body_pair, 0.05, InterfacePoints.none(), None)
    lowest_corner = body_pair.pose.points(body_pair.active.body.vertices)[:, 2].min()
    assert found.gap.min() == pytest.approx(lowest_corner, abs=2e-12)
    assert len(found) <= 48
