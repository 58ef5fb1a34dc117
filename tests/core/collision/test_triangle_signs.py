"""Signs that are certain agree with distances, and few are in doubt among triangles in general position."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision.triangle_signs import are_beyond_planes, beside, meeting
from physplace_addon.core.vectors import coordinate_arrays
from tests.core.collision.soups import all_pairs, closest_on_triangles, hostile_soup, random_soup

EPSILON = float(np.finfo(np.float64).eps)


def pairs_of(
    rng: np.random.Generator, soup: Callable[..., Floats], scale: float, offset: float
) -> tuple[Floats, Floats]:
    first, second = (scale * (soup(rng, 150) + offset) for _ in range(2))
    i, j = all_pairs(150, 150)
    return first[i], second[j]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_what_is_certain_is_true(
    rng: np.random.Generator, scale: float, offset: float, soup: Callable[..., Floats]
) -> None:
    first, second = pairs_of(rng, soup, scale, offset)
    allowed = np.full(len(first), 16.0 * EPSILON * scale * (offset + 10.0))
    found = meeting(beside(coordinate_arrays(first), coordinate_arrays(second)), allowed)
    near = closest_on_triangles(first, second)[0] <= allowed
    assert near[found.certain].all()
    others = np.ones(len(first), dtype=bool)
    others[found.certain] = others[found.doubtful] = False
    assert not near[others].any()
    if soup is random_soup:
        assert len(found.doubtful) <= 1e-3 * len(first)


def test_what_is_within_the_allowed_distance_is_never_left_out(rng: np.random.Generator) -> None:
    first, second = pairs_of(rng, random_soup, 1.0, 0.0)
    distance = closest_on_triangles(first, second)[0]
    for allowed in (1e-6, 1e-3, 0.1):
        found = meeting(
            beside(coordinate_arrays(first), coordinate_arrays(second)), np.full(len(first), allowed)
        )
        left = np.setdiff1d(np.flatnonzero(distance <= allowed), np.concatenate(found))
        assert left.size == 0


def test_what_is_beyond_a_plane_is_farther_away_than_the_distance(rng: np.random.Generator) -> None:
    for soup in (random_soup, hostile_soup):
        first, second = pairs_of(rng, soup, 1.0, 0.0)
        distance = 0.3 * rng.random(len(first))
        beyond = are_beyond_planes(beside(coordinate_arrays(first), coordinate_arrays(second)), distance)
        assert 1000 < beyond.sum() < len(first)
        assert (closest_on_triangles(first, second)[0][beyond] > distance[beyond]).all()
