"""Superquadrics: curvature on their planes and axes, and their gauge."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic.star import Star
from physplace_addon.core.surfaces.analytic.superquadric import SuperquadricGauge
from physplace_addon.core.surfaces.base import Surface
from tests.core.surfaces.analytic.exact_bodies import samples

FACE = np.zeros(1, dtype=np.intp)


def principal(surface: Surface, uv: tuple[float, float]) -> Floats:
    """Principal curvatures, rising, at one point."""
    result: Floats = np.linalg.eigvalsh(surface.geometry(FACE, np.array([uv])).curvature[0])
    return result


def test_an_ellipsoid_has_its_known_curvature_on_the_axes() -> None:
    a, b, c = 1.0, 0.7, 0.4
    surface = kinds.superquadric(a, b, c).surfaces[0]
    quarter = 0.5 * np.pi
    on_axes = {(0.0, 0.0): (a, b, c), (quarter, 0.0): (b, a, c), (0.9, quarter): (c, a, b)}
    for uv, (axis, one, other) in on_axes.items():
        expected = sorted([-axis / one**2, -axis / other**2])
        np.testing.assert_allclose(principal(surface, uv), expected, rtol=1e-13)


@pytest.mark.parametrize("quarters", [(0, 0), (1, 0), (2, 0), (0.3, 1), (1.4, -1)])
def test_a_superquadric_with_small_exponents_is_exactly_flat_on_its_axes(quarters: tuple[float, int]) -> None:
    surface = kinds.superquadric(1.0, 0.7, 0.4, 0.5, 0.6).surfaces[0]
    g = surface.geometry(FACE, 0.5 * np.pi * np.array([quarters]))
    assert np.all(g.curvature == 0.0)
    assert np.sort(np.abs(g.normal[0])).tolist() == [0.0, 0.0, 1.0]
    assert np.count_nonzero(g.point) == 1


@pytest.mark.parametrize("exponents", [(0.1, 0.1), (0.1, 2), (1, 1.9), (1.5, 0.3), (2, 2), (2, 0.1)])
def test_superquadrics_are_finite_on_planes_and_axes(exponents: tuple[float, float]) -> None:
    surface = kinds.superquadric(1.0, 1.0, 1.0, *exponents).surfaces[0]
    u, v = np.meshgrid(np.arange(9) * np.pi / 4, np.arange(-4, 5) * np.pi / 8)
    uv = np.column_stack([u.ravel(), v.ravel()])
    g = surface.geometry(np.zeros(len(uv), dtype=np.intp), uv)
    for part in (g.point, g.frame, g.normal, g.curvature):
        assert np.isfinite(part).all()
    np.testing.assert_allclose(np.linalg.norm(g.normal, axis=1), 1.0, rtol=1e-14)
    assert np.linalg.eigvalsh(g.curvature).max() <= 1e-9 * np.abs(g.curvature).max()


def test_the_superquadric_gauge_is_a_norm() -> None:
    """Euler: x . grad g = g and H x = 0 for degree 1."""
    rng = np.random.default_rng(3)
    surface = Star(SuperquadricGauge(0.7, 1.3), np.ones(3))
    face, uv = samples(surface, 50, rng)
    g = surface.geometry(face, uv)
    assert np.all(np.einsum("ki,ki->k", g.point, g.normal) > 0.0)
