"""The lowest points of flat bodies are the same however the search goes."""

from __future__ import annotations

import numpy as np
import pytest

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
    expected = lowest(body_pair, every)
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
