"""Points, frames, normals and curvature of every surface in closed form."""

import numpy as np
import pytest

from tests.core.surfaces.analytic.exact_bodies import ALL, CLOSED, samples


@pytest.mark.parametrize("name", ALL)
def test_geometry_agrees_with_the_derivatives(name: str, rng: np.random.Generator) -> None:
    for surface in ALL[name].surfaces:
        face, uv = samples(surface, 200, rng, margin=0.01)
        g, d = surface.geometry(face, uv), surface.derivatives(face, uv)
        np.testing.assert_allclose(g.point, d.point, rtol=0, atol=1e-14)
        metric = g.frame @ g.frame.transpose(0, 2, 1)
        np.testing.assert_allclose(metric, np.tile(np.eye(2), (200, 1, 1)), atol=1e-14)
        np.testing.assert_allclose(np.einsum("kai,ki->ka", g.frame, g.normal), 0.0, atol=1e-14)
        normal = np.cross(d.du, d.dv)
        np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-12)
        second = np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1)
        form = np.einsum("kai,ki->ka", second, g.normal).reshape(-1, 2, 2)
        to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
        expected = to_frame @ form @ to_frame.transpose(0, 2, 1)
        scale = 1.0 + np.abs(expected).max(axis=(1, 2))[:, None, None]
        np.testing.assert_allclose(g.curvature / scale, expected / scale, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", CLOSED)
def test_normals_of_a_closed_body_point_out_of_it(name: str, rng: np.random.Generator) -> None:
    """The flux of x through the boundary is three times the volume, which is positive."""
    mesh = CLOSED[name].tessellate((61, 41))
    corners = mesh.points[mesh.corners]
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle = mesh.uv.mean(axis=1)
    for i, surface in enumerate(CLOSED[name].surfaces):
        chosen = mesh.face == i
        g = surface.geometry(np.zeros(chosen.sum(), dtype=np.intp), middle[chosen])
        assert np.all(np.einsum("ki,ki->k", g.normal, area[chosen]) > 0.0)
    assert np.einsum("ki,ki->", corners.mean(axis=1), area) > 0.0
