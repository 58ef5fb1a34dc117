"""Tubes: their round ends."""

import numpy as np

from physplace_addon.core.surfaces.analytic.tube import Tube
from tests.core.surfaces.analytic.exact_bodies import ALL


def test_round_ends_of_a_tube_meet_it_in_the_same_tangent_plane() -> None:
    surface = ALL["hook"].surfaces[0]
    assert isinstance(surface, Tube)
    own = surface.path.domain
    for u in (own.lower, own.upper):
        near = np.array([[u - 1e-9, 1.0], [u + 1e-9, 1.0]])
        g = surface.geometry(np.zeros(2, dtype=np.intp), near)
        np.testing.assert_allclose(g.point[0], g.point[1], atol=1e-8)
        np.testing.assert_allclose(g.normal[0], g.normal[1], atol=1e-7)
