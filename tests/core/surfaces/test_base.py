"""Exact surfaces and edges under affine maps."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces import kinds
from tests.core.surfaces.analytic.exact_bodies import ALL, samples

MAPS = {
    "turned and scaled": [[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3]],
    "stretched": [[1, 0, 0, 0], [0, 0.7, 0, 0], [0, 0, 0.4, 0]],
    "sheared": [[1, 0.5, 0, 0], [0, 1, 0.2, 1], [0.3, 0, 1, 0]],
    "mirrored": [[-1, 0, 0, 0], [0, 1, 0.2, 0], [0, 0, 1.5, 1]],
}


def matrix(name: str) -> Floats:
    return np.vstack([np.array(MAPS[name], dtype=float), [0, 0, 0, 1]])


@pytest.mark.parametrize("map_name", MAPS)
@pytest.mark.parametrize("name", ["torus", "rounded box", "knot", "apple"])
def test_mapped_geometry_agrees_with_mapped_derivatives(
    name: str, map_name: str, rng: np.random.Generator
) -> None:
    surface = ALL[name].surfaces[0].transformed(matrix(map_name))
    face, uv = samples(surface, 100, rng, margin=0.01)
    g, d = surface.geometry(face, uv), surface.derivatives(face, uv)
    np.testing.assert_allclose(g.point, d.point, atol=1e-13)
    np.testing.assert_allclose(surface.points(face, uv), g.point, atol=1e-14)
    sign = np.sign(np.linalg.det(matrix(map_name)[:3, :3]))
    normal = sign * np.cross(d.du, d.dv)
    np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-11)
    form = np.einsum("kai,ki->ka", np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1), g.normal).reshape(-1, 2, 2)
    to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
    expected = to_frame @ form @ to_frame.transpose(0, 2, 1)
    scale = 1.0 + np.abs(expected).max(axis=(1, 2))[:, None, None]
    np.testing.assert_allclose(g.curvature / scale, expected / scale, atol=1e-10)


def test_a_stretched_sphere_is_an_ellipsoid(rng: np.random.Generator) -> None:
    ball = kinds.sphere(1.0).surfaces[0].transformed(matrix("stretched"))
    ellipsoid = kinds.superquadric(1.0, 0.7, 0.4).surfaces[0]
    face, uv = samples(ball, 50, rng, margin=0.01)
    a, b = ball.geometry(face, uv), ellipsoid.geometry(face, uv)
    np.testing.assert_allclose(a.point, b.point, atol=1e-14)
    np.testing.assert_allclose(a.normal, b.normal, atol=1e-13)
    np.testing.assert_allclose(np.linalg.eigvalsh(a.curvature), np.linalg.eigvalsh(b.curvature), rtol=1e-11)


@pytest.mark.parametrize("map_name", MAPS)
def test_mapped_moves_are_exact_to_first_order(map_name: str, rng: np.random.Generator) -> None:
    surface = ALL["torus"].surfaces[0].transformed(matrix(map_name))
    face, uv = samples(surface, 100, rng)
    g = surface.geometry(face, uv)
    direction = rng.normal(size=(100, 3))
    tangential = direction - np.einsum("ki,ki->k", direction, g.normal)[:, None] * g.normal
    errors = []
    for h in (1e-3, 1e-4):
        moved = surface.geometry(face, surface.move(face, uv, h * direction)).point
        errors.append(np.linalg.norm(moved - g.point - h * tangential, axis=1).max())
    assert errors[1] < 2e-2 * errors[0]
    assert np.array_equal(surface.move(face, uv, np.zeros((100, 3))), uv)


def test_two_maps_are_one() -> None:
    first, second = matrix("sheared"), matrix("mirrored")
    twice = ALL["torus"].surfaces[0].transformed(first).transformed(second)
    once = ALL["torus"].surfaces[0].transformed(second @ first)
    uv = np.array([[0.3, 1.0]])
    face = np.zeros(1, dtype=np.intp)
    np.testing.assert_allclose(twice.geometry(face, uv).point, once.geometry(face, uv).point, atol=1e-14)


@pytest.mark.parametrize("map_name", MAPS)
def test_mapped_rims_agree_with_differences(map_name: str) -> None:
    rims = kinds.cone(1.0, 2.0).curves[0].transformed(matrix(map_name))
    edge, t, h = np.zeros(5, dtype=np.intp), np.linspace(0.2, 5.0, 5), 1e-4
    g = rims.geometry(edge, t)
    before, after = rims.geometry(edge, t - h).point, rims.geometry(edge, t + h).point
    velocity, acceleration = (after - before) / (2 * h), (after - 2 * g.point + before) / h**2
    speed = np.linalg.norm(velocity, axis=1)[:, None]
    np.testing.assert_allclose(g.tangent, velocity / speed, atol=1e-7)
    across = acceleration - np.einsum("ki,ki->k", acceleration, g.tangent)[:, None] * g.tangent
    np.testing.assert_allclose(g.curvature, across / speed**2, atol=1e-6)
    conormals = rims.conormals(edge, t)
    np.testing.assert_allclose(np.einsum("kai,ki->ka", conormals, g.tangent), 0.0, atol=1e-14)
    moved = rims.geometry(edge, rims.move(edge, t, np.full(5, 1e-4))).point
    np.testing.assert_allclose(moved, g.point + 1e-4 * g.tangent, atol=1e-7)
