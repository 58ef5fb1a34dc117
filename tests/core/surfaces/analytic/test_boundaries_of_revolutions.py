"""Rims, apexes and poles of surfaces of revolution."""

import math

import numpy as np

from physplace_addon.core.surfaces import kinds
from tests.core.surfaces.analytic.exact_bodies import ALL


def test_a_cone_is_a_disk_a_side_a_rim_and_an_apex():
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


def test_open_ends_are_rims_with_one_face():
    (rims,) = ALL["vase"].curves
    conormals = rims.conormals(np.arange(2), np.zeros(2))
    assert np.isnan(conormals[0, 0]).all()
    assert not np.isnan(conormals[0, 1]).any()
    assert np.isnan(conormals[1, 1]).all()


def test_a_ring_profile_has_no_poles():
    ring = kinds.revolution([(0.5, 0), (1, 0.2), (1.4, 1.2), (0.6, 0.4)], closed=True)
    assert ring.closed
    assert not ring.curves
    assert ring.surfaces[0].domain[1].periodic
