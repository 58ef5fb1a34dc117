"""How far a surface is from itself along its normals, and how far apart its samples shall be."""

import numpy as np
import pytest

from physplace_addon.core.implicit import Ellipsoids, HalfSpaces, Spheres, union
from physplace_addon.core.implicit.local_thickness import in_slits, local_thickness, sizing_field
from physplace_addon.core.implicit.projection import projected


def test_a_plate_is_as_thick_as_its_least_axis() -> None:
    plate = Ellipsoids.of([[0.0, 0.0, 0.0]], [[1.0, 1.0, 0.03]], [np.eye(3)])
    poles = np.array([[0.0, 0.0, 0.03], [0.0, 0.0, -0.03]])
    assert local_thickness(plate, poles, 0.5) == pytest.approx([0.06, 0.06], rel=0.03)


def test_a_narrow_gap_counts_as_a_thin_body_does() -> None:
    balls = Spheres.of([[-0.52, 0.0, 0.0], [0.52, 0.0, 0.0]], [0.5, 0.5])
    places = np.array([[-0.02, 0.0, 0.0], [-0.52, 0.5, 0.0]])
    assert local_thickness(balls, places, 0.3) == pytest.approx([0.04, 0.3], rel=0.03)


@pytest.mark.parametrize("share", [1.0 / 300.0, 1.0 / 3000.0])
def test_gaps_and_bodies_of_a_small_share_of_the_farthest_distance_are_not_passed_over(share: float) -> None:
    farthest, half = 0.3, 0.15 * share
    balls = Spheres.of([[-0.5 - half, 0.0, 0.0], [0.5 + half, 0.0, 0.0]], [0.5, 0.5])
    assert local_thickness(balls, np.array([[-half, 0.0, 0.0]]), farthest)[0] < farthest / 200.0
    plate = Ellipsoids.of([[0.0, 0.0, 0.0]], [[1.0, 1.0, half]], [np.eye(3)])
    assert local_thickness(plate, np.array([[0.0, 0.0, half]]), farthest)[0] < farthest / 200.0


def test_samples_are_as_far_apart_as_asked_for_where_the_body_is_thick_and_flat_enough() -> None:
    ball = Spheres.of([[0.0, 0.0, 0.0]], [1.0])
    assert sizing_field(ball, np.eye(3), 0.2) == pytest.approx(0.2)
    assert (sizing_field(ball, np.eye(3), 3.0) < 1.0).all()


def test_slits_are_gaps_and_not_thin_bodies() -> None:
    plates = Ellipsoids.of([[0.0, 0.0, z] for z in (0.0, 0.1)], [[1.0, 1.0, 0.03]] * 2, [np.eye(3)] * 2)
    places = np.array([[0.0, 0.0, z] for z in (-0.03, 0.03, 0.07, 0.13)])
    assert in_slits(plates, places, 0.05).tolist() == [False, True, True, False]
    assert not in_slits(plates, places, 0.03).any()


@pytest.mark.parametrize(("degrees", "is_slit"), [(12.0, True), (30.0, True), (60.0, False), (90.0, False)])
def test_the_rounded_bottom_of_a_notch_is_in_a_slit_if_the_notch_is_narrow(
    degrees: float, is_slit: bool
) -> None:
    """Its normal leads out between the sides. There points came to lie that no triangles could join."""
    half = np.radians(0.5 * degrees)
    normals = [[way * np.cos(half), 0.0, np.sin(half)] for way in (-1.0, 1.0)]
    notch = union([HalfSpaces.of([normal], [[0.0, 0.0, 0.0]]) for normal in normals], 1e-4)
    bottom = projected(notch, np.array([[0.0, 0.0, 1e-3]]), 1.0)
    assert abs(bottom[0, 0]) < 1e-12
    assert in_slits(notch, bottom, 0.01).tolist() == [is_slit]
    assert not in_slits(notch, bottom, 1e-5).any()
