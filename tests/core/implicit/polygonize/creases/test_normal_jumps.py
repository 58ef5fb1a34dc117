"""Creases are found where normals jump, and nowhere else."""

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Spheres, blobby_spheres, difference, intersection, union
from physplace_addon.core.implicit.polygonize.creases.normal_jumps import creases_between

LEFT, RIGHT = (Spheres.of([[x, 0.0, 0.0]], 1.0) for x in (-0.5, 0.5))
LUMP = blobby_spheres(0.5, [np.zeros(3)], np.array([0.5]))
RIM = np.sqrt(0.75)  # both spheres meet in the circle of this radius about x


def across(sign: int) -> Floats:
    """A point of either sphere beside the circle: of a union (sign 1) or an intersection (-1)."""
    angle = np.arccos(0.5) + sign * 0.1
    y = np.sin(angle)
    return np.array([[[-sign * abs(0.5 - np.cos(angle)), y, 0.0], [sign * abs(0.5 - np.cos(angle)), y, 0.0]]])


def test_where_two_spheres_are_united_there_is_a_concave_crease() -> None:
    places, convex = creases_between(union([LEFT, RIGHT]), across(1))
    assert np.allclose(places, [[0.0, RIM, 0.0]], rtol=0, atol=1e-3)
    assert convex.tolist() == [False]


def test_where_two_spheres_are_intersected_there_is_a_convex_edge() -> None:
    places, convex = creases_between(intersection([LEFT, RIGHT]), across(-1))
    assert np.allclose(places, [[0.0, RIM, 0.0]], rtol=0, atol=1e-3)
    assert convex.tolist() == [True]


def test_a_smooth_blend_has_no_crease_however_it_turns() -> None:
    for function in (union([LEFT, RIGHT], 0.2), difference(LEFT, [RIGHT], 0.2), LEFT):
        angle = np.linspace(0.0, 2.0 * np.pi, 40)
        ring = np.stack([-0.5 + np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
        places, _ = creases_between(function, np.stack([ring[:-1], ring[1:]], axis=1))
        assert len(places) == 0


def test_where_the_slope_is_next_to_nothing_there_is_no_crease() -> None:
    """Far from a Gaussian the squares of the slope are 0 before the slope is."""
    for distance in np.linspace(8.0, 16.0, 81):
        far = distance * np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        slopes = np.abs(LUMP.gradient(far.reshape(-1, 3))[1]).max()
        places, _ = creases_between(LUMP, far)
        assert len(places) == 0, slopes
