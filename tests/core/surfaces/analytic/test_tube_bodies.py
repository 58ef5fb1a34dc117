"""Tubes as bodies: their reference direction, and the paths they follow."""

import numpy as np
import pytest

from physplace_addon.core.bodies.exact_surfaces import exact
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.mesh.mass import mass_of_corners
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.analytic.tube_bodies import reference_direction


def test_the_reference_direction_of_a_tube_keeps_clear_of_its_tangents(rng: np.random.Generator) -> None:
    path = rng.normal(size=(60, 3))
    tangents = path / np.linalg.norm(path, axis=1)[:, None]
    assert np.abs(tangents @ reference_direction(tangents)).max() < 0.999


def test_bezier_paths_and_splines_make_tubes() -> None:
    pieces = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0), (4, 0, 0), (5, 1, 0), (5, 2, 0)]]
    tube = swept.tube(pieces, 0.2)
    assert tube.closed
    ring = swept.tube([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], 0.1, closed=True)
    assert ring.surfaces[0].domain[0].periodic


RING = [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)]


def test_a_closed_path_whose_first_point_comes_again_is_refused_by_name() -> None:
    with pytest.raises(SurfaceError, match="path: two successive points coincide"):
        swept.tube([*RING, RING[0]], 0.1, closed=True)


@pytest.mark.parametrize("closed", [False, True])
def test_one_piece_whose_ends_meet_makes_a_loop(closed: bool) -> None:
    """Its chord has no length, so that its range comes from its polygon."""
    smooth = np.array([[(0, 0, 0), (1, 0, 0), (2, 2, 0), (-2, 2, 0), (-1, 0, 0), (0, 0, 0)]], dtype=float)
    tube = swept.tube(smooth, 0.05, closed)
    meshed = mass_of_corners(exact(tube, "loop", tolerance=2e-4).triangles)
    assert meshed.volume == pytest.approx(tube.mass.volume, rel=2e-2)
    assert meshed.center == pytest.approx(tube.mass.center, abs=2e-3)


def test_a_piece_of_no_length_is_refused_by_name() -> None:
    pieces = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0)] * 4]
    with pytest.raises(SurfaceError, match="path: has a piece of no length"):
        swept.tube(pieces, 0.2)
