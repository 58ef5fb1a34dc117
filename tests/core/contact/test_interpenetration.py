"""Overlaps at one pose: flat triangles that cut each other, curved faces without a contact."""

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.contact.interpenetration import (
    missed_collisions,
    triangle_overlaps,
    triangles_overlap,
    unexplained_contacts,
)
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from tests.core.contact.body_pairs import everything_within, meet
from tests.core.meshes import SQUARE_TRIANGLES


@pytest.mark.parametrize("depth", [1e-9, 1e-3, 0.2])
def test_a_corner_pushed_into_a_floor_is_as_deep_as_it_was_pushed(depth: float) -> None:
    turn = (0.6, 0.5, 0.0)
    low = meet("cube", "slab", turn)
    lowest = low.pose.points(low.active.body.vertices)[:, 2].min()
    body_pair = meet("cube", "slab", turn, (0.1, 0.2, -lowest - depth))
    assert triangle_overlaps(body_pair).depth.max() == pytest.approx(depth, rel=1e-6, abs=1e-12)
    assert triangles_overlap(body_pair, 0.9 * depth)
    assert not triangles_overlap(body_pair, 1.1 * depth)


def test_curved_triangles_overlap_by_less_than_they_may_be_off_their_surfaces() -> None:
    touching = meet("ball", "ball", at=(0.0, 0.0, 2.0))
    assert triangle_overlaps(touching, curved=True).depth.max(initial=0.0) == 0.0
    assert triangle_overlaps(meet("ball", "ball", at=(0.0, 0.0, 1.6)), curved=True).depth.max() > 0.01


def test_boxes_that_overlap_without_their_triangles_are_apart() -> None:
    turn = (0.25 * np.pi, 0.0, 0.0)
    assert not triangles_overlap(meet("cube", "cube", turn, (0.0, 1.15, 1.15)), 1e-9)
    assert triangles_overlap(meet("cube", "cube", turn, (0.0, 0.75, 0.75)), 1e-9)


@pytest.mark.parametrize(
    ("height", "dip", "cuts"), [(2e-7, 0.0, False), (2e-7, 1e-6, True), (1e-4, 0.0, True)]
)
def test_an_edge_that_lies_on_a_face_may_dip_into_its_rounding_and_no_deeper(
    height: float, dip: float, cuts: bool
) -> None:
    """A square, in single precision two triangles with a ridge; a sheet stands across it on its ends."""
    corners = [[-4.0, -4.0, -height], [4.0, -4.0, 0.0], [4.0, 4.0, -height], [-4.0, 4.0, 0.0]]
    square = polyhedron(corners, [[0, 1, 3], [1, 2, 3]], "square")
    low = -height * 0.3 / 4.0
    sheet = [[-0.3, -0.3, low], [0.3, 0.3, low], [0.3, 0.3, 0.9], [-0.3, -0.3, 0.9]]
    body_pair = meet(polyhedron(sheet, SQUARE_TRIANGLES, "sheet"), square, at=(0.0, 0.0, -dip))
    assert triangles_overlap(body_pair, 1e-11 * body_pair.radius) is cuts


def test_a_corner_through_a_face_cuts_however_little_the_face_bends() -> None:
    corners = [[-4.0, -4.0, -2e-7], [4.0, -4.0, 0.0], [4.0, 4.0, -2e-7], [-4.0, 4.0, 0.0]]
    square = polyhedron(corners, [[0, 1, 3], [1, 2, 3]], "square")
    kite = [[0.0, 0.1, -1e-8], [0.5, 0.5, 1.0], [0.0, 0.5, 2.0], [-0.5, 0.5, 1.0]]
    body_pair = meet(polyhedron(kite, SQUARE_TRIANGLES, "kite"), square)
    assert triangles_overlap(body_pair, 1e-11 * body_pair.radius)


def test_an_overlap_of_curved_bodies_needs_an_interface_point() -> None:
    body_pair = meet("ball", "ball", at=(0.0, 0.0, 1.9))
    assert len(missed_collisions(body_pair, InterfacePoints.none())) > 0
    assert len(missed_collisions(body_pair, everything_within(body_pair, 0.2))) == 0


def test_touching_tessellations_are_explained_by_the_contact() -> None:
    body_pair = meet("ball", "plane", at=(0.0, 0.0, 1.0 - 1e-6))
    points = everything_within(body_pair, 0.05)
    assert len(points) >= 1
    assert len(missed_collisions(body_pair, points)) == 0


def test_a_face_that_lies_on_a_ridge_of_rounding_is_not_through_it() -> None:
    """One corner is above one triangle; the others are above the next, but below the plane of the first."""
    ridge = 2e-7
    corners = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [4.0, 4.0, 0.0], [-4.0, 4.0, -ridge], [0.0, 0.0, -9.0]]
    sides = [[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]]
    low = 1e-10 - ridge / 4.0
    upper = [[1.0, -1.0, 1e-10], [-0.5, 1.5, low], [-1.5, 0.5, low], [0.0, 0.0, 5.0]]
    tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    body_pair = meet(polyhedron(upper, tetrahedron, "tip"), polyhedron(corners, sides, "square"))
    assert not triangles_overlap(body_pair, 1e-11 * body_pair.radius)


@pytest.mark.parametrize("name", ["ball", "torus", "cylinder", "cone"])
def test_a_body_sunk_in_a_plane_to_a_line_of_its_mesh_meets_it_unexplained(name: str) -> None:
    """Its triangles end in the plane on both sides, so that no side pierces it."""
    turn = (0.5 * np.pi, 0.0, 0.0) if name in ("cylinder", "cone") else (0.0, 0.0, 0.0)
    pair, nothing = meet(name, "plane", turn), InterfacePoints.none()
    assert len(missed_collisions(pair, nothing)) or len(unexplained_contacts(pair, nothing))


def test_a_point_that_touches_explains_where_surfaces_meet() -> None:
    pair = meet("ball", "plane", at=(0.1, 0.2, 1.0))
    assert len(unexplained_contacts(pair, InterfacePoints.none()))
    assert len(unexplained_contacts(pair, everything_within(pair, 0.05))) == 0
    assert len(unexplained_contacts(meet("ball", "plane", at=(0.1, 0.2, 1.001)), InterfacePoints.none())) == 0
