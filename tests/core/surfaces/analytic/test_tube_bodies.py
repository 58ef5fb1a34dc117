"""Tubes as bodies: their reference direction, and the paths they follow."""

import numpy as np

from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic.tube_bodies import reference_direction


def test_the_reference_direction_of_a_tube_keeps_clear_of_its_tangents(rng):
    path = rng.normal(size=(60, 3))
    tangents = path / np.linalg.norm(path, axis=1)[:, None]
    assert np.abs(tangents @ reference_direction(tangents)).max() < 0.999


def test_bezier_paths_and_splines_make_tubes():
    pieces = [[(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)], [(3, 0, 0), (4, 0, 0), (5, 1, 0), (5, 2, 0)]]
    tube = kinds.tube(pieces, 0.2)
    assert tube.closed
    ring = kinds.tube([(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], 0.1, closed=True)
    assert ring.surfaces[0].domain[0].periodic
