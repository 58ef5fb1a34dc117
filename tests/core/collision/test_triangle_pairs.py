"""Distances and intersections of triangles, against sampling and in every degenerate position."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import closest_on_triangle, triangle_pairs, triangles_intersect
from physplace_addon.core.collision.triangle_pairs import rows_within, triangle_gap
from physplace_addon.core.vectors import coordinate_arrays
from tests.core.collision.soups import (
    closest_on_triangles,
    hostile_soup,
    random_soup,
    sampled_distance,
    shifted,
)

SCALES = pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])


def on_triangle(barycentric: Floats, triangles: Floats) -> Floats:
    result: Floats = np.einsum("ki,kij->kj", barycentric, triangles)
    return result


@pytest.mark.slow
@SCALES
def test_no_sampled_points_of_two_triangles_are_nearer(rng: np.random.Generator, scale: float) -> None:
    first, second = scale * hostile_soup(rng, 300), scale * shifted(hostile_soup(rng, 300), 1.0, 0.0, 0.0)
    distance, point1, point2 = closest_on_triangles(first, second)
    assert (distance <= sampled_distance(first, second) + 1e-14 * scale).all()
    apart = np.linalg.norm(point1 - point2, axis=1)
    assert np.allclose(apart, distance, rtol=0.0, atol=1e-13 * scale)
    for point, triangles in ((point1, first), (point2, second)):
        foot = on_triangle(closest_on_triangle(point, triangles).barycentric, triangles)
        assert np.abs(foot - point).max() <= 1e-8 * scale


def test_moving_or_swapping_two_triangles_does_not_change_their_distance(rng: np.random.Generator) -> None:
    first, second = random_soup(rng, 300), random_soup(rng, 300)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moved = closest_on_triangles(first @ turn.T + 5.0, second @ turn.T + 5.0)[0]
    here = closest_on_triangles(first, second)[0]
    assert np.allclose(moved, here, rtol=0.0, atol=1e-13)
    assert np.allclose(closest_on_triangles(second, first)[0], here, rtol=0.0, atol=1e-13)


UNIT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize(
    ("other", "meets"),
    [
        (UNIT, True),
        (shifted(UNIT, 0.2, 0.2, 0.0), True),
        (UNIT * 0.1 + [0.2, 0.2, 0.0], True),
        (shifted(UNIT, 1.0, 0.0, 0.0), True),
        (shifted(UNIT, 1.0001, 0.0, 0.0), False),
        (shifted(UNIT, 0.0, 0.0, 1e-6), False),
        (np.array([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]]), True),
        (np.array([[0.2, 0.2, 0.0], [0.2, 0.2, 1.0], [0.3, 0.2, 1.0]]), True),
        (np.array([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [0.2, 0.2, 0.5]]), True),
        (np.array([[0.9, 0.9, -1.0], [0.9, 0.9, 1.0], [5.0, 5.0, 1.0]]), False),
        (np.full((3, 3), 0.25) * [1, 1, 0], True),
    ],
    ids=[
        "itself",
        "coplanar overlap",
        "coplanar inside",
        "one corner",
        "coplanar apart",
        "parallel",
        "pierced",
        "corner in the face",
        "needle through",
        "passing by",
        "a point on the face",
    ],
)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_triangles_that_meet_in_every_way(
    rng: np.random.Generator, other: Floats, meets: bool, scale: float, offset: float
) -> None:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    first, second = (((t @ turn.T) + offset)[None] * scale for t in (UNIT, other))
    for pair in ((first, second), (second, first)):
        result = triangles_intersect(*pair)
        assert result.hit.tolist() == [meets]
        assert np.isfinite(result.point).all() == meets


def test_the_tolerance_is_a_distance(rng: np.random.Generator) -> None:
    first, second = random_soup(rng, 2000), random_soup(rng, 2000)
    distance = closest_on_triangles(first, second)[0]
    for tolerance in (1e-3, 0.05, 0.3):
        assert np.array_equal(triangles_intersect(first, second, tolerance).hit, distance <= tolerance)


def test_the_point_of_an_intersection_lies_on_both(rng: np.random.Generator) -> None:
    first, second = random_soup(rng, 2000, spread=0.2), random_soup(rng, 2000, spread=0.2)
    hit, point = triangles_intersect(first, second)
    assert 200 < hit.sum() < 1800
    for triangles in (first, second):
        foot = on_triangle(closest_on_triangle(point[hit], triangles[hit]).barycentric, triangles[hit])
        assert np.abs(foot - point[hit]).max() < 1e-12


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("size", [0.01, 0.3, 3.0])
def test_the_pairs_within_a_distance_are_those_whose_gap_is_less(
    rng: np.random.Generator, size: float, scale: float
) -> None:
    found = 0
    for soup in (random_soup, hostile_soup):
        both = [size * soup(rng, 600) + rng.normal(size=(600, 1, 3)) for _ in range(2)]
        first, second = (coordinate_arrays(scale * each) for each in both)
        distance = scale * rng.uniform(0.5, 2.0, 600)
        within = triangle_gap(first, second)[0] <= distance
        assert rows_within(first, second, distance).tolist() == np.flatnonzero(within).tolist()
        found += int(within.sum())
    assert 30 < found < 1170


def test_of_triangles_smaller_than_a_distance_few_are_looked_at_in_full(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []

    def counted(first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
        looked_at.append(first.shape[2])
        return triangle_gap(first, second)

    monkeypatch.setattr(triangle_pairs, "triangle_gap", counted)
    first, second = (
        coordinate_arrays(0.1 * random_soup(rng, 2000) + rng.normal(size=(2000, 1, 3))) for _ in range(2)
    )
    near = rows_within(first, second, np.full(2000, 2.0))
    assert 500 < len(near) < 1500
    assert sum(looked_at) < 200
