"""Caps over cuts: pieces of a solid are solids that together are as large; holes stay."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core import bodies
from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.mesh.cut_caps import sides_with_others, with_caps
from tests.core.meshes import torus


def piece(points: Floats, triangles: Ints, mine: np.ndarray) -> tuple[Floats, Ints]:
    cut = sides_with_others(triangles).reshape(-1, 3)[mine].ravel()
    return with_caps(points, triangles[mine], cut)


def test_two_halves_of_a_ring_are_solids_that_together_have_its_volume() -> None:
    points, triangles = torus(24, 12)
    left = points[triangles].mean(axis=1)[:, 0] < 0.0
    halves = [bodies.polyhedron(*piece(points, triangles, mine), "half") for mine in (left, ~left)]
    whole = bodies.polyhedron(points, triangles, "ring")
    assert all(half.closed for half in halves)
    assert sum(half.mass.mass for half in halves) == pytest.approx(whole.mass.mass, rel=1e-12)


def test_what_is_whole_gets_no_cap() -> None:
    points, triangles = torus(8, 6)
    found_points, found = piece(points, triangles, np.ones(len(triangles), bool))
    np.testing.assert_array_equal(found, triangles)
    np.testing.assert_array_equal(found_points, points)


def test_a_hole_that_was_there_before_stays() -> None:
    points, triangles = torus(24, 12)
    holed = triangles[1:]
    everything = np.ones(len(holed), bool)
    _, found = piece(points, holed, everything)
    np.testing.assert_array_equal(found, holed)
    left = points[holed].mean(axis=1)[:, 0] < 0.0
    for mine in (left, ~left):
        body = bodies.polyhedron(*piece(points, holed, mine), "half")
        holds_hole = bool(mine[0])
        assert body.closed is not holds_hole


def test_a_cut_that_runs_into_a_hole_stays_open() -> None:
    points, triangles = torus(24, 12)
    middle = points[triangles].mean(axis=1)
    holed = triangles[~((np.abs(middle[:, 0]) < 0.3) & (middle[:, 1] > 0.0) & (middle[:, 2] > 0.0))]
    left = points[holed].mean(axis=1)[:, 0] < 0.0
    assert not bodies.polyhedron(*piece(points, holed, left), "half").closed
