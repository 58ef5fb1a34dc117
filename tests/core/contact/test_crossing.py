"""Steps that pass through something are caught, and steps past it are not."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.contact.continuous_collision import (
    missed_collisions,
    swept_contacts,
    triangles_overlap,
)
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from tests.core.contact.meetings import everything_within, meet
from tests.core.meshes import SQUARE_TRIANGLES

CORNER_DOWN = (0.6, 0.5, 0.0)
EDGE_DOWN = (0.25 * np.pi, 0.0, 0.0)


def kinds_crossed(active, world, turn, start, end):
    way = meet(active, world, turn, start), meet(active, world, turn, end)
    (crossed,) = swept_contacts([way])
    return set(crossed.kinds()), crossed


def test_a_vertex_pushed_through_a_triangle_is_reported():
    kinds, crossed = kinds_crossed("cube", "plane", CORNER_DOWN, (0.1, 0.2, 1.0), (0.1, 0.2, 0.6))
    assert "vertex/face" in kinds
    assert (crossed.normal[:, 2] > 1.0 - 1e-12).all()
    assert (crossed.gap > 0.0).all()


def test_a_face_pushed_over_a_vertex_is_reported():
    kinds, crossed = kinds_crossed("cube", "cube", (0.0, 0.0, 0.0), (0.3, 0.4, 1.1), (0.3, 0.4, 0.9))
    assert "face/vertex" in kinds
    assert (crossed.gap > 0.0).all()


def test_an_edge_pushed_through_an_edge_is_reported():
    start, end = (0.0, 0.0, 1.5), (0.0, 0.0, 1.0)
    world = meet("cube", "cube").active.body.transformed(
        np.array(meet("cube", "cube", (0.0, 0.25 * np.pi, 0.0)).pose.matrix4)
    )
    kinds, crossed = kinds_crossed("cube", world, EDGE_DOWN, start, end)
    assert "edge/edge" in kinds
    lowest = crossed.take(np.array(crossed.kinds(), dtype=object) == "edge/edge")
    assert np.abs(lowest.normal - [0.0, 0.0, 1.0]).max(axis=1).min() < 1e-12


def test_a_step_all_the_way_through_a_sheet_is_reported():
    kinds, _ = kinds_crossed("cube", "plane", CORNER_DOWN, (0.0, 0.0, 1.2), (0.0, 0.0, -1.2))
    assert "vertex/face" in kinds
    assert not triangles_overlap(meet("cube", "plane", CORNER_DOWN, (0.0, 0.0, -1.2)), 1e-9)


def test_sliding_over_a_face_crosses_nothing():
    kinds, _ = kinds_crossed("cube", "plane", (0.0, 0.0, 0.2), (0.0, 0.0, 0.5001), (0.3, 0.2, 0.5001))
    assert kinds == set()


def test_sliding_past_a_corner_crosses_nothing():
    kinds, _ = kinds_crossed("cube", "cube", (0.0, 0.0, 0.0), (1.001, -0.4, 0.2), (1.001, 1.4, 0.2))
    assert kinds == set()


def test_boxes_that_overlap_without_their_triangles_are_apart():
    turn = (0.25 * np.pi, 0.0, 0.0)
    assert not triangles_overlap(meet("cube", "cube", turn, (0.0, 1.15, 1.15)), 1e-9)
    assert triangles_overlap(meet("cube", "cube", turn, (0.0, 0.75, 0.75)), 1e-9)


@pytest.mark.parametrize(
    ("height", "dip", "cuts"), [(2e-7, 0.0, False), (2e-7, 1e-6, True), (1e-4, 0.0, True)]
)
def test_an_edge_that_lies_on_a_face_may_dip_into_its_rounding_and_no_deeper(height, dip, cuts):
    """A square, in single precision two triangles with a ridge; a sheet stands across it on its ends."""
    corners = [[-4.0, -4.0, -height], [4.0, -4.0, 0.0], [4.0, 4.0, -height], [-4.0, 4.0, 0.0]]
    square = polyhedron(corners, [[0, 1, 3], [1, 2, 3]], "square")
    low = -height * 0.3 / 4.0
    sheet = [[-0.3, -0.3, low], [0.3, 0.3, low], [0.3, 0.3, 0.9], [-0.3, -0.3, 0.9]]
    body_pair = meet(polyhedron(sheet, SQUARE_TRIANGLES, "sheet"), square, at=(0.0, 0.0, -dip))
    assert triangles_overlap(body_pair, 1e-11 * body_pair.radius) is cuts


def test_a_corner_through_a_face_cuts_however_little_the_face_bends():
    corners = [[-4.0, -4.0, -2e-7], [4.0, -4.0, 0.0], [4.0, 4.0, -2e-7], [-4.0, 4.0, 0.0]]
    square = polyhedron(corners, [[0, 1, 3], [1, 2, 3]], "square")
    kite = [[0.0, 0.1, -1e-8], [0.5, 0.5, 1.0], [0.0, 0.5, 2.0], [-0.5, 0.5, 1.0]]
    body_pair = meet(polyhedron(kite, SQUARE_TRIANGLES, "kite"), square)
    assert triangles_overlap(body_pair, 1e-11 * body_pair.radius)


def test_an_overlap_of_curved_bodies_needs_an_interface_point():
    body_pair = meet("ball", "ball", at=(0.0, 0.0, 1.9))
    assert len(missed_collisions(body_pair, InterfacePoints.none())) > 0
    assert len(missed_collisions(body_pair, everything_within(body_pair, 0.2))) == 0


def test_touching_tessellations_are_explained_by_the_contact():
    body_pair = meet("ball", "plane", at=(0.0, 0.0, 1.0 - 1e-6))
    points = everything_within(body_pair, 0.05)
    assert len(points) >= 1
    assert len(missed_collisions(body_pair, points)) == 0
