"""Frame, normal and curvature against the derivatives, and at poles, where those fail, in closed form."""

import numpy as np
import pytest

from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic.star import Star
from physplace_addon.core.surfaces.analytic.superquadric import SuperquadricGauge
from tests.core.surfaces.exact_bodies import ALL, CLOSED, samples

FACE = np.zeros(1, dtype=np.intp)


def principal(surface, uv):
    """Principal curvatures, rising, at one point."""
    return np.linalg.eigvalsh(surface.geometry(FACE, np.array([uv])).curvature[0])


@pytest.mark.parametrize("name", ALL)
def test_geometry_agrees_with_the_derivatives(name, rng):
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
def test_normals_of_a_closed_body_point_out_of_it(name, rng):
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


def test_a_sphere_curves_away_from_its_outward_normal():
    surface = kinds.sphere(2.0).surfaces[0]
    np.testing.assert_allclose(principal(surface, [0.3, 0.4]), [-0.5, -0.5], rtol=1e-14)


@pytest.mark.parametrize("v", [-0.5 * np.pi, 0.5 * np.pi])
def test_a_sphere_is_a_sphere_at_its_poles(v):
    surface = kinds.sphere(2.0).surfaces[0]
    g = surface.geometry(FACE, np.array([[1.0, v]]))
    np.testing.assert_allclose(g.normal[0], [0, 0, np.sign(v)], atol=1e-15)
    np.testing.assert_allclose(g.curvature[0], -0.5 * np.eye(2), atol=1e-14)


def test_the_inside_of_a_torus_is_a_saddle():
    surface = kinds.torus(1.0, 0.25).surfaces[0]
    np.testing.assert_allclose(principal(surface, [0.7, np.pi]), [-4.0, 1.0 / 0.75], rtol=1e-13)


@pytest.mark.parametrize("end", [0, -1])
def test_curvature_tends_to_its_value_at_a_smooth_pole(end):
    surface = ALL["apple"].surfaces[0]
    pole = surface.breaks[1][end]
    inward = 1.0 if end == 0 else -1.0
    v = pole + inward * np.array([0.0, 1e-12, 1e-9, 1e-6, 1e-4])
    curvature = surface.geometry(np.zeros(5, dtype=np.intp), np.column_stack([np.full(5, 0.4), v])).curvature
    np.testing.assert_allclose(curvature[0, 0, 0], curvature[0, 1, 1])
    np.testing.assert_allclose(curvature, np.tile(curvature[:1], (5, 1, 1)), atol=3e-3)
    np.testing.assert_allclose(curvature[:4], np.tile(curvature[:1], (4, 1, 1)), atol=1e-4)


def test_an_ellipsoid_has_its_known_curvature_on_the_axes():
    a, b, c = 1.0, 0.7, 0.4
    surface = kinds.superquadric(a, b, c).surfaces[0]
    quarter = 0.5 * np.pi
    on_axes = {(0.0, 0.0): (a, b, c), (quarter, 0.0): (b, a, c), (0.9, quarter): (c, a, b)}
    for uv, (axis, one, other) in on_axes.items():
        expected = sorted([-axis / one**2, -axis / other**2])
        np.testing.assert_allclose(principal(surface, uv), expected, rtol=1e-13)


@pytest.mark.parametrize("quarters", [(0, 0), (1, 0), (2, 0), (0.3, 1), (1.4, -1)])
def test_a_superquadric_with_small_exponents_is_exactly_flat_on_its_axes(quarters):
    surface = kinds.superquadric(1.0, 0.7, 0.4, 0.5, 0.6).surfaces[0]
    g = surface.geometry(FACE, 0.5 * np.pi * np.array([quarters]))
    assert np.all(g.curvature == 0.0)
    assert np.sort(np.abs(g.normal[0])).tolist() == [0.0, 0.0, 1.0]
    assert np.count_nonzero(g.point) == 1


@pytest.mark.parametrize("exponents", [(0.1, 0.1), (0.1, 2), (1, 1.9), (1.5, 0.3), (2, 2), (2, 0.1)])
def test_superquadrics_are_finite_on_planes_and_axes(exponents):
    surface = kinds.superquadric(1.0, 1.0, 1.0, *exponents).surfaces[0]
    u, v = np.meshgrid(np.arange(9) * np.pi / 4, np.arange(-4, 5) * np.pi / 8)
    uv = np.column_stack([u.ravel(), v.ravel()])
    g = surface.geometry(np.zeros(len(uv), dtype=np.intp), uv)
    for part in (g.point, g.frame, g.normal, g.curvature):
        assert np.isfinite(part).all()
    np.testing.assert_allclose(np.linalg.norm(g.normal, axis=1), 1.0, rtol=1e-14)
    assert np.linalg.eigvalsh(g.curvature).max() <= 1e-9 * np.abs(g.curvature).max()


def test_the_superquadric_gauge_is_a_norm():
    """Euler: x . grad g = g and H x = 0 for degree 1."""
    rng = np.random.default_rng(3)
    surface = Star(SuperquadricGauge(0.7, 1.3), np.ones(3))
    face, uv = samples(surface, 50, rng)
    g = surface.geometry(face, uv)
    assert np.all(np.einsum("ki,ki->k", g.point, g.normal) > 0.0)


def test_round_ends_of_a_tube_meet_it_in_the_same_tangent_plane():
    surface = ALL["hook"].surfaces[0]
    own = surface.path.domain
    for u in (own.lower, own.upper):
        near = np.array([[u - 1e-9, 1.0], [u + 1e-9, 1.0]])
        g = surface.geometry(np.zeros(2, dtype=np.intp), near)
        np.testing.assert_allclose(g.point[0], g.point[1], atol=1e-8)
        np.testing.assert_allclose(g.normal[0], g.normal[1], atol=1e-7)
