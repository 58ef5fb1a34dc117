"""Points all over a surface, none of its components left out."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.implicit import blobby_spheres, union
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples

BIAS = 0.5
RADIUS = np.log(1 / BIAS) ** 0.5  # of the surface of a blobby sphere of radius 1


def test_surface_samples_leave_nothing_out_and_put_nothing_too_close() -> None:
    function = union([blobby_spheres(BIAS, [[x, 0, 0]], [size]) for x, size in ((0, 1.0), (2, 0.01))])
    points = surface_samples(function, 0.2)
    assert np.abs(points[:, 0] - 2).min() < 0.01
    points = points[points[:, 0] < 1]
    apart = np.linalg.norm(points[:, None] - points, axis=2) + 9 * np.eye(len(points))
    assert apart.min() >= 0.8 * 0.2
    somewhere = np.random.default_rng(2).normal(size=(500, 3))
    somewhere *= RADIUS / np.linalg.norm(somewhere, axis=1)[:, None]
    assert np.linalg.norm(somewhere[:, None] - points, axis=2).min(axis=1).max() < 0.2
