"""Tubes as bodies: their reference direction, and the paths they follow."""

import numpy as np

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
