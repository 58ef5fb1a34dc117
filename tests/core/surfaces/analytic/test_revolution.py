"""Surfaces of revolution: known curvature at poles, and the rims, apexes and poles of their bodies."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.base import Patch
from tests.core.surfaces.analytic.exact_bodies import ALL

FACE = np.zeros(1, dtype=np.intp)


def principal(surface: Patch, uv: Sequence[float]) -> Floats:
    """Principal curvatures, rising, at one point."""
    return np.linalg.eigvalsh(surface.geometry(FACE, np.array([uv])).curvature[0])


def test_a_sphere_curves_away_from_its_outward_normal() -> None:
    surface = kinds.sphere(2.0).surfaces[0]
    np.testing.assert_allclose(principal(surface, [0.3, 0.4]), [-0.5, -0.5], rtol=1e-14)


@pytest.mark.parametrize("v", [-0.5 * np.pi, 0.5 * np.pi])
def test_a_sphere_is_a_sphere_at_its_poles(v: float) -> None:
    surface = kinds.sphere(2.0).surfaces[0]
    g = surface.geometry(FACE, np.array([[1.0, v]]))
    np.testing.assert_allclose(g.normal[0], [0, 0, np.sign(v)], atol=1e-15)
    np.testing.assert_allclose(g.curvature[0], -0.5 * np.eye(2), atol=1e-14)


def test_the_inside_of_a_torus_is_a_saddle() -> None:
    surface = kinds.torus(1.0, 0.25).surfaces[0]
    np.testing.assert_allclose(principal(surface, [0.7, np.pi]), [-4.0, 1.0 / 0.75], rtol=1e-13)


@pytest.mark.parametrize("end", [0, -1])
def test_curvature_tends_to_its_value_at_a_smooth_pole(end: int) -> None:
    surface = ALL["apple"].surfaces[0]
    pole = surface.breaks[1][end]
    inward = 1.0 if end == 0 else -1.0
    v = pole + inward * np.array([0.0, 1e-12, 1e-9, 1e-6, 1e-4])
    curvature = surface.geometry(np.zeros(5, dtype=np.intp), np.column_stack([np.full(5, 0.4), v])).curvature
    np.testing.assert_allclose(curvature[0, 0, 0], curvature[0, 1, 1])
    np.testing.assert_allclose(curvature, np.tile(curvature[:1], (5, 1, 1)), atol=3e-3)
    np.testing.assert_allclose(curvature[:4], np.tile(curvature[:1], (4, 1, 1)), atol=1e-4)


def test_a_cone_is_a_disk_a_side_a_rim_and_an_apex() -> None:
    cone = kinds.cone(1.0, 2.0)
    assert [surface.flat for surface in cone.surfaces] == [True, False]
    (rims,) = cone.curves
    assert rims.edge_count == 1
    into_disk, into_side = rims.conormals(np.zeros(1, dtype=np.intp), np.zeros(1))[0]
    np.testing.assert_allclose(into_disk, [-1.0, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(into_side, np.array([-1.0, 0.0, 2.0]) / math.sqrt(5.0), atol=1e-15)
    np.testing.assert_allclose(cone.vertices, [[0.0, 0.0, 1.0]])
    assert cone.vertex_directions[0].shape == (32, 3)
    np.testing.assert_allclose(cone.vertex_directions[0][:, 2], -2.0 / math.sqrt(5.0), rtol=1e-14)


def test_open_ends_are_rims_with_one_face() -> None:
    (rims,) = ALL["vase"].curves
    conormals = rims.conormals(np.arange(2), np.zeros(2))
    assert np.isnan(conormals[0, 0]).all()
    assert not np.isnan(conormals[0, 1]).any()
    assert np.isnan(conormals[1, 1]).all()


def test_a_ring_profile_has_no_poles() -> None:
    ring = swept.revolution([(0.5, 0), (1, 0.2), (1.4, 1.2), (0.6, 0.4)], closed=True)
    assert ring.closed
    assert not ring.curves
    assert ring.surfaces[0].domain[1].periodic
