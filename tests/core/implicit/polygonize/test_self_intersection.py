"""Triangles of a mesh that cross each other, beside all pairs one by one."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit.polygonize.self_intersection import crossing_triangles
from tests.core.implicit.functions.every_function import rotations
from tests.oracles.triangles import crossings


def by_pairs(points: Floats, triangles: Ints) -> set[tuple[int, ...]]:
    """The pairs of triangles that cross each other, by the oracle."""
    corners = points[triangles]
    return {tuple(sorted(pair)) for pair in crossings(corners, corners, 1e-12).tolist()}


def found(points: Floats, triangles: Ints) -> set[tuple[int, ...]]:
    """The pairs of triangles that cross each other, each once."""
    pairs = [tuple(sorted(pair)) for pair in crossing_triangles(points, triangles).tolist()]
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


def ball(rng: np.random.Generator, count: int) -> tuple[Floats, Ints]:
    """A ball through points at random."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return points, ConvexHull(points).simplices.astype(np.intp)


def test_triangles_of_all_sizes_cross_as_they_do_pair_by_pair(rng: np.random.Generator) -> None:
    sizes = np.exp(rng.uniform(np.log(0.01), 0.0, 400))
    corners = rng.uniform(-0.6, 0.6, (400, 1, 3)) + sizes[:, None, None] * rng.normal(size=(400, 3, 3))
    points, triangles = corners.reshape(-1, 3), np.arange(1200).reshape(-1, 3)
    expected = by_pairs(points, triangles)
    assert len(expected) > 1000
    assert found(points, triangles) == expected


def test_neighbours_cross_where_a_corner_is_pulled_through_the_mesh(rng: np.random.Generator) -> None:
    points, triangles = ball(rng, 200)
    assert found(points, triangles) == set()
    for _ in range(5):
        moved = points.copy()
        moved[rng.integers(200)] = rng.uniform(-1.5, 1.5, 3)
        crossing = by_pairs(moved, triangles)
        assert found(moved, triangles) == crossing
        which = rng.random(len(triangles)) < 0.3
        some = {tuple(sorted(pair)) for pair in crossing_triangles(moved, triangles, which).tolist()}
        assert some == {pair for pair in crossing if which[list(pair)].any()}


@pytest.mark.parametrize("away", [0.0, 1000.0])
def test_neighbours_in_a_plane_touch_whatever_it_is_rounded_to(rng: np.random.Generator, away: float) -> None:
    flat = rng.uniform(-1.0, 1.0, (500, 2))
    triangles = Delaunay(flat).simplices.astype(np.intp)
    for turn in rotations(rng, 5):
        points = np.column_stack([flat, np.zeros(500)]) @ turn.T + away
        assert len(crossing_triangles(points, triangles)) == 0


def test_neighbours_that_are_folded_onto_each_other_cross() -> None:
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.4, 0.7, 0.0]])
    assert len(crossing_triangles(points, np.array([[0, 1, 2], [1, 0, 3]]))) == 1
    assert len(crossing_triangles(points * [1.0, 1.0, 2.0], np.array([[0, 1, 2], [0, 1, 2]]))) == 1
    points[3, 1] = -0.7
    assert len(crossing_triangles(points, np.array([[0, 1, 2], [1, 0, 3]]))) == 0
    points[3] = [0.4, 0.7, 1e-9]
    assert len(crossing_triangles(points, np.array([[0, 1, 2], [1, 0, 3]]))) == 0


def test_no_triangles_do_not_cross() -> None:
    assert crossing_triangles(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.intp)).shape == (0, 2)
