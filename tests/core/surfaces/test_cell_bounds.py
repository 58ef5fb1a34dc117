"""Bounds on cells hold for every point of a surface, and are not much more than the distance."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.bernstein import bernstein
from physplace_addon.core.surfaces.cell_bounds import (
    bilinear_bounds,
    distances_to_triangles,
    tangent_plane_bounds,
    twist_bounds,
)
from tests.core.surfaces.point_distances import distances

TRIANGLES = ([0, 1, 2], [3, 2, 1])


def farthest(points: Floats, corners: Floats) -> float:
    """The largest distance of points (m, 3) from the two triangles of corners (4, 3)."""
    return float(distances(points, corners[np.array(TRIANGLES)]).min(axis=1).max())


def test_a_bilinear_patch_is_within_its_twist_bound(rng: np.random.Generator) -> None:
    u, v = rng.uniform(0.0, 1.0, (2, 500, 1))
    corners = rng.normal(size=(40, 4, 3))
    for own, bound in zip(corners, twist_bounds(corners), strict=True):
        points = (1 - u) * (1 - v) * own[0] + u * (1 - v) * own[1] + (1 - u) * v * own[2] + u * v * own[3]
        assert farthest(points, own) <= bound + 1e-13


def test_a_bicubic_patch_is_within_the_bound_of_its_second_derivatives(rng: np.random.Generator) -> None:
    t = np.linspace(0.0, 1.0, 21)
    basis = bernstein(t, 2)
    for _ in range(10):
        net = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0), [0.0], indexing="ij"), axis=-1)[:, :, 0]
        net = net + rng.normal(scale=0.3, size=(4, 4, 3))
        points = np.einsum("ai,bj,ijx->abx", basis[:, 0], basis[:, 0], net)
        bends = [
            np.array([6.0 * np.linalg.norm(np.diff(net, n=2, axis=axis), axis=2).max()]) for axis in (0, 1)
        ]
        corners = net[[0, 3, 0, 3], [0, 0, 3, 3]]
        assert farthest(points.reshape(-1, 3), corners) <= bilinear_bounds(corners[None], *bends)[0]


def test_a_sphere_is_within_the_bound_of_its_tangent_planes(rng: np.random.Generator) -> None:
    for width in (0.05, 0.3, 0.8):
        u0, v0 = rng.uniform(-1.0, 1.0), rng.uniform(-0.6, 0.6)
        at = np.array([[u0, v0], [u0 + width, v0], [u0, v0 + width], [u0 + width, v0 + width]])
        inside = np.array([u0, v0]) + rng.uniform(0.0, width, (400, 2))

        def on_sphere(uv: Floats) -> Floats:
            u, v = uv.T
            return np.stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)], axis=1)

        corners = on_sphere(at)
        bound = tangent_plane_bounds(corners[None], corners[None])[0]
        away = farthest(on_sphere(inside), corners)
        assert away <= bound <= 4.0 * away + 1e-6


def test_distances_to_triangles_are_those_by_brute_force(rng: np.random.Generator) -> None:
    points, triangles = rng.normal(size=(6, 30, 3)), rng.normal(size=(6, 3, 3))
    found = distances_to_triangles(points, triangles)
    expected = [distances(own, triangle[None])[:, 0] for own, triangle in zip(points, triangles, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
