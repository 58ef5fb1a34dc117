"""The powers of the subdivision matrix: limits are means, and neighbourhoods shrink towards them."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.subdivision.extraordinary import bezier_nets, powers_of
from physplace_addon.core.surfaces.subdivision.neighbourhoods import VertexFan
from physplace_addon.core.surfaces.subdivision.refinement import CREASE, DART, SMOOTH

FANS = {
    "three": VertexFan(SMOOTH, 3, 0, -1, True),
    "five": VertexFan(SMOOTH, 5, 0, -1, True),
    "twelve": VertexFan(SMOOTH, 12, 0, -1, True),
    "dart": VertexFan(DART, 4, 0, 0, True),
    "border of three": VertexFan(CREASE, 3, 1, -1, False),
}


@pytest.mark.parametrize("name", FANS)
def test_the_limit_is_a_mean_and_what_is_relative_to_it_has_no_constant_part(name: str) -> None:
    powers = powers_of(FANS[name])
    assert powers.limit.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(powers.nets.sum(axis=-1), 0.0, atol=1e-12)
    np.testing.assert_allclose(powers.rings.sum(axis=-1), 0.0, atol=1e-12)


@pytest.mark.parametrize("count", [3, 5, 12])
def test_neighbourhoods_shrink_by_the_known_subdominant_eigenvalue(count: int) -> None:
    """Of a smooth vertex of n faces it is (c + 5 + sqrt((c + 9)(c + 1)))/16, c = cos(2 pi/n): Stam 1998."""
    c = np.cos(2.0 * np.pi / count)
    expected = (c + 5.0 + np.sqrt((c + 9.0) * (c + 1.0))) / 16.0
    once = powers_of(VertexFan(SMOOTH, count, 0, -1, True)).rings[1]
    assert np.abs(np.linalg.eigvals(once)).max() == pytest.approx(expected, rel=1e-12)


def test_a_uniform_spline_of_equally_spaced_points_is_a_plane_run_through_evenly() -> None:
    grid = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0), indexing="ij"), axis=-1)[None]
    third = 1.0 + np.arange(4.0) / 3.0
    expected = np.stack(np.meshgrid(third, third, indexing="ij"), axis=-1)[None]
    np.testing.assert_allclose(bezier_nets(grid), expected, atol=1e-14)
