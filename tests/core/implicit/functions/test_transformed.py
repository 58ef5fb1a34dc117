"""A moved function has its surface where the map takes it, with that surface's derivatives and bounds."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Quadrics, blobby_spheres
from physplace_addon.core.implicit.functions.transformed import Moved


def a_map(rng: np.random.Generator) -> Floats:
    affine = np.eye(4)
    affine[:3] += 0.3 * rng.normal(size=(3, 4))
    affine[0, :3] *= -2.0
    return affine


def test_a_moved_function_agrees_with_differences_and_its_bounds_hold() -> None:
    rng = np.random.default_rng(1)
    for function in (
        blobby_spheres(0.3, rng.normal(size=(4, 3)), [0.8]),
        Quadrics.of(rng.normal(size=(1, 10))),
    ):
        affine = a_map(rng)
        moved, own = Moved(function, affine), rng.normal(size=(30, 3))
        x, h = own @ affine[:3, :3].T + affine[:3, 3], 1e-5
        np.testing.assert_allclose(moved.value(x), function.value(own), atol=1e-12)
        _, slope, bend = moved.hessian(x)
        for j, step in enumerate(h * np.eye(3)):
            (ahead, up), (behind, down) = moved.gradient(x + step), moved.gradient(x - step)
            np.testing.assert_allclose(slope[:, j], (ahead - behind) / (2.0 * h), rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(bend[:, j], (up - down) / (2.0 * h), rtol=1e-4, atol=1e-6)
        rate = rng.normal(size=len(moved.parameters))
        np.testing.assert_allclose(
            moved.parameter_rate(x, rate), moved.parameter_gradient(x) @ rate, atol=1e-12
        )
        half = rng.uniform(0.0, 0.5, (30, 3))
        least, most = moved.range(x - half, x + half)
        for _ in range(20):
            value = moved.value(x + half * rng.uniform(-1.0, 1.0, (30, 3)))
            assert np.all((least <= value) & (value <= most))


def test_the_box_of_a_moved_surface_holds_it() -> None:
    rng = np.random.default_rng(2)
    moved = Moved(blobby_spheres(0.3, rng.normal(size=(3, 3)), [0.6]), a_map(rng))
    box = moved.box()
    x = box.mean(axis=0) + 1.5 * (box[1] - box[0]) * rng.uniform(-1.0, 1.0, (20_000, 3))
    inside = x[moved.value(x) < 0.0]
    assert len(inside) > 10
    assert np.all((box[0] <= inside) & (inside <= box[1]))
