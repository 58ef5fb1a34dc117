"""The mass of what Bezier patches enclose."""

import numpy as np
import pytest

from tests.core.surfaces.bezier.patched_bodies import (
    BODIES,
)


def test_a_cube_of_patches_has_the_mass_of_a_cube() -> None:
    mass = BODIES["cube"].mass
    assert mass.volume == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(mass.center, 0.5, rtol=1e-14)
    np.testing.assert_allclose(mass.inertia, np.eye(3) / 6.0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pebble", "lunes"])
def test_the_mass_of_a_solid_is_that_of_a_fine_mesh_of_it(name: str) -> None:
    """A mesh's volume errs by the square of its cells: two of them say what it tends to."""
    volumes = []
    for lines in (61, 121):
        mesh = BODIES[name].tessellate((lines, lines))
        corners = mesh.points[mesh.corners]
        volumes.append(np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)
    limit = volumes[1] + (volumes[1] - volumes[0]) / 3.0
    assert BODIES[name].mass.volume == pytest.approx(limit, rel=1e-7)
