"""The smallest enclosing ball against brute force and known answers."""

from itertools import combinations

import numpy as np
import pytest

from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.mesh.enclosing_ball import enclosing_ball


def brute_force_radius(points: np.ndarray) -> float:
    """The smallest, over all sets of two to four points, of the balls through them that hold all points."""
    best = np.inf
    for size in (2, 3, 4):
        for subset in combinations(range(len(points)), size):
            edges = points[list(subset[1:])] - points[subset[0]]
            gram = edges @ edges.T
            if np.linalg.cond(gram) > 1e12:
                continue
            center = points[subset[0]] + np.linalg.solve(gram, 0.5 * np.diag(gram)) @ edges
            best = min(best, float(np.linalg.norm(points - center, axis=1).max()))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_no_smaller_ball_encloses_random_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(2, 13)), 3)) * 10.0 ** rng.uniform(-2, 2, size=3)
    center, radius = enclosing_ball(points)
    assert np.linalg.norm(points - center, axis=1).max() <= radius * (1.0 + 1e-15)
    assert radius == pytest.approx(brute_force_radius(points), rel=1e-12)


@pytest.mark.parametrize("dimension", [1, 2])
def test_points_on_a_line_or_in_a_plane_have_their_ball(rng: np.random.Generator, dimension: int) -> None:
    points = rng.normal(size=(9, dimension)) @ rng.normal(size=(dimension, 3)) + 100.0
    assert enclosing_ball(points)[1] == pytest.approx(brute_force_radius(points), rel=1e-9)


def test_points_on_one_sphere_have_that_sphere(rng: np.random.Generator) -> None:
    directions = rng.normal(size=(20_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    center, radius = enclosing_ball(2.0 * directions + [7.0, 8.0, 9.0])
    assert np.allclose(center, [7.0, 8.0, 9.0], rtol=0.0, atol=1e-6)
    assert radius == pytest.approx(2.0, rel=1e-6)
    assert radius <= 2.0 * (1.0 + 1e-14)


def test_doubled_points_and_grids_are_no_trouble() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(3.0)] * 3), axis=-1).reshape(-1, 3)
    center, radius = enclosing_ball(np.vstack([grid, grid[::-1]]))
    assert np.allclose(center, 1.0, atol=1e-15)
    assert radius == pytest.approx(np.sqrt(3.0), rel=1e-15)
    assert enclosing_ball(np.ones((5, 3)))[1] == 0.0


def test_a_small_ball_far_away_keeps_its_digits(rng: np.random.Generator) -> None:
    points = rng.normal(size=(50, 3))
    _, radius = enclosing_ball(points)
    shifted = points * 2.0**-10 + 2.0**20
    exact_shift = (shifted - 2.0**20) * 2.0**10
    assert enclosing_ball(shifted)[1] * 2.0**10 == pytest.approx(enclosing_ball(exact_shift)[1], rel=1e-12)
    assert radius > 0.0


def test_no_points_and_points_nowhere_are_refused() -> None:
    for points in (np.empty((0, 3)), [[0.0, 0.0, np.inf]]):
        with pytest.raises(PhysPlaceError, match="enclosing ball"):
            enclosing_ball(points)
