"""What a ray meets first is the surface, however thin, and wherever the whole stands."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from physplace_addon.core.implicit.ray_intersection import first_hit

LONE = float(np.exp(-1.0))  # the bias by which a lone blobby sphere has its own radius


def ball(centre: ArrayLike = (0.0, 0.0, 0.0), radius: float = 1.0) -> Blob:
    return blobby_spheres(LONE, np.asarray(centre)[None], [radius])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_a_ray_meets_a_ball_at_its_near_side(scale: float, offset: float) -> None:
    centre = scale * np.array([offset, 0.0, offset])
    origin = centre + scale * np.array([0.3, -7.0, 0.2])
    hit = first_hit(ball(centre, scale), origin, np.array([0.0, 1.0, 0.0]), 100.0 * scale)
    assert hit == pytest.approx(scale * (7.0 - np.sqrt(1.0 - 0.09 - 0.04)), rel=1e-9)


def test_rays_agree_with_marching_in_tiny_steps() -> None:
    rng = np.random.default_rng(3)
    blob = blobby_spheres(LONE, rng.uniform(-1.5, 1.5, (9, 3)), rng.uniform(0.3, 0.8, 9))
    met = 0
    for _ in range(25):
        origin = 8.0 * (way := rng.normal(size=3)) / np.linalg.norm(way)
        along = rng.uniform(-1.2, 1.2, 3) - origin
        along /= np.linalg.norm(along)
        steps = np.linspace(0.0, 16.0, 8_001)
        inside = np.flatnonzero(blob.value(origin + steps[:, None] * along) <= 0.0)
        hit = first_hit(blob, origin, along, 16.0)
        assert (hit is None) == (len(inside) == 0)
        if hit is not None:
            met += 1
            assert steps[inside[0]] - 2e-3 <= hit <= steps[inside[0]]
    assert met > 5


def test_a_needle_far_off_is_not_missed() -> None:
    centres = np.stack([np.full(200, 50.0), np.zeros(200), np.linspace(-1.0, 1.0, 200)], axis=1)
    radii = np.append(np.full(200, 0.01), 1.0)
    needle = blobby_spheres(LONE, np.vstack([centres, [[500.0, 0.0, 0.0]]]), radii)
    hit = first_hit(needle, np.zeros(3), np.array([1.0, 0.0, 0.0]), 1e4)
    assert hit == pytest.approx(50.0, abs=0.03)


def test_a_ray_that_ends_before_the_surface_meets_nothing() -> None:
    origin, along = np.array([0.0, 0.0, -5.0]), np.array([0.0, 0.0, 1.0])
    assert first_hit(ball(), origin, along, 3.9) is None
    assert first_hit(ball(), origin, -along, 100.0) is None
    assert first_hit(ball((2.0, 0.0, 0.0)), origin, along, 100.0) is None


def test_a_surface_that_is_not_there_is_not_met() -> None:
    nothing = blobby_spheres(2.0, [[0.0, 0.0, 0.0]], [1.0])
    assert first_hit(nothing, np.array([0.0, 0.0, -5.0]), np.array([0.0, 0.0, 1.0]), 100.0) is None
