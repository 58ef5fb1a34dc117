"""On which side of a sheet or a thin wall something is: where it was at a pose free of overlap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.features import FACE, VERTEX
from physplace_addon.core.contact.points.creation import Reach
from physplace_addon.core.contact.points.generation import (
    generate_interface_points,
    track_interface_points,
)
from physplace_addon.core.contact.points.interface_points import (
    InterfacePoints,
)
from physplace_addon.core.contact.sidedness import (
    on_their_sides,
    outside_before,
    sides_of_base,
    with_known_sides,
    without_far_sides,
)
from physplace_addon.core.surfaces.analytic import swept
from tests.core.contact.body_pairs import (
    everything_within,
    meet,
    pose,
    prepared,
)
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_TRIANGLES

INNER, WALL = 1.0, 0.03


def hemispherical_bowl() -> Body:
    """A thin bowl open upwards between two spheres about the origin."""
    angles = np.linspace(-0.5 * np.pi, -0.05, 13)
    arc = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    arc[0, 0] = 0.0
    profile = np.concatenate([(INNER + WALL) * arc, INNER * arc[::-1]])
    sharp = np.zeros(len(profile), bool)
    sharp[12:14] = True
    return exact(swept.revolution(profile, sharp=sharp), "thin bowl", resolution=(32, 12))


@pytest.mark.slow
def test_a_ball_in_a_thin_bowl_knows_nothing_of_the_outer_wall() -> None:
    active, world = prepared("small ball"), ContactBody.of([hemispherical_bowl()])
    before = BodyPair.of(active, world, pose(at=(0.1, 0.0, -0.6)))
    here = before.at(pose(at=(0.1, 0.0, -0.66)))
    assert len(everything_within(before, 0.2, before))
    points = everything_within(here, 0.2, before)
    from_centre = np.linalg.norm(here.centre)
    assert abs(points.gap.min() - (INNER - 0.3 - from_centre)) < 2e-3
    assert points.gap.min() > 0.0
    assert (points.normal @ here.centre < 0.0).all()


def test_a_ball_on_a_thin_plate_knows_nothing_of_its_far_side() -> None:
    plate = polyhedron((CUBE_POINTS - [0.0, 0.0, 0.5]) * [6.0, 6.0, 0.03], CUBE_TRIANGLES, "plate")
    before = meet("small ball", plate, at=(0.1, 0.2, 0.32))
    here = before.displaced(np.array([0.0, 0.0, -0.02 / before.radius, 0.0, 0.0, 0.0]))
    points = everything_within(here, 0.8, before)
    assert abs(points.gap.min()) < 1e-12
    assert np.abs(points.normal - [0.0, 0.0, 1.0]).max() < 1e-12


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_has_run_into_a_sheet_is_on_the_side_it_came_from(side: float) -> None:
    before = meet("small ball", "plane", at=(0.1, 0.2, side * 0.31))
    now = before.at(pose(at=(0.1, 0.2, side * 0.1)))
    points = everything_within(now, 0.35, before)
    assert points.gap.min() == pytest.approx(-0.2, abs=1e-12)
    assert (points.normal[:, 2] * side > 0.0).all()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_sides_of_unsolved_points_are_those_of_the_pose_before(side: float) -> None:
    before = meet("small ball", "plane", at=(0.1, 0.2, side * 0.5))
    points = everything_within(before, 0.3).take(slice(0, 1))
    forgotten = replace(points, side=np.full(1, -side))
    assert on_their_sides(before, forgotten, InterfacePoints.none()).side.tolist() == [side]
    assert sides_of_base(before, forgotten, True, InterfacePoints.none()).tolist() == [side]


def test_a_tracked_point_shows_the_side_where_the_gap_does_not() -> None:
    sheet = meet(
        "cube", polyhedron([[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], SQUARE_TRIANGLES, "sheet")
    )
    here = sheet.at(pose(at=(0.0, 0.0, 0.5 + 1e-9)))
    tracked = everything_within(here, 0.1)
    tracked = tracked.take(np.abs(tracked.gap) < 1e-8)
    sunk = replace(tracked, normal=-tracked.normal, gap=-tracked.gap, side=-tracked.side)
    turned = with_known_sides(here, sunk, tracked, here)
    np.testing.assert_array_equal(turned.normal, tracked.normal)
    np.testing.assert_array_equal(turned.gap, tracked.gap)


def test_a_new_point_of_bodies_known_to_be_apart_is_outside() -> None:
    sheet = meet(
        "cube", polyhedron([[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], SQUARE_TRIANGLES, "sheet")
    )
    here = sheet.at(pose(at=(0.0, 0.0, 0.5 + 1e-9)))
    points = everything_within(here, 0.1)
    points = points.take(np.abs(points.gap) < 1e-8)
    inside = replace(points, normal=-points.normal, gap=-np.abs(points.gap) - 1e-10, side=-points.side)
    assert (with_known_sides(here, inside, InterfacePoints.none(), here).gap > 0.0).all()
    assert (with_known_sides(here, inside, InterfacePoints.none(), None).gap < 0.0).all()


def ridge(fall: float) -> Body:
    """A sheet that is level where x < 0, and falls by an angle, radians, where x > 0."""
    line = np.array([[-2.0, -2.0, 0.0], [0.0, -2.0, 0.0], [2.0 * np.cos(fall), -2.0, -2.0 * np.sin(fall)]])
    points = np.concatenate([line, line + np.array([0.0, 4.0, 0.0])])
    return polyhedron(points, [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]], "ridge")


def tip() -> Body:
    """A pyramid that stands on its apex, the origin."""
    points = [[0.0, 0.0, 0.0], [0.3, 0.0, 1.0], [-0.2, 0.3, 1.0], [-0.2, -0.3, 1.0]]
    return polyhedron(points, [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]], "tip")


@pytest.mark.parametrize("degrees", [10.0, 50.0, 80.0])
def test_a_corner_that_slid_over_a_ridge_of_a_sheet_is_behind_its_second_face(degrees: float) -> None:
    """It began over the first face, and ends below the second one, which shows it the wrong side."""
    fall = np.radians(degrees)
    before = meet(tip(), ridge(fall), at=(-0.01, 0.1, 1e-9))
    known = everything_within(before, 0.05)
    now = before.at(pose(at=(0.02, 0.1, -0.02 * np.tan(fall) - 1e-3)))
    reach = Reach(0.05, 0.05, 0.05)
    found = generate_interface_points(now, reach, known, before)
    depth = 1e-3 * np.cos(fall)
    assert found.gap.min() == pytest.approx(-depth, rel=1e-9)
    unknown = generate_interface_points(now, reach, InterfacePoints.none(), before)
    assert unknown.gap.min() > 0.0


@pytest.mark.parametrize("degrees", [150.0, 175.0])
def test_what_is_over_a_sheet_folded_back_is_on_the_far_side_of_its_lower_part(degrees: float) -> None:
    before = meet(tip(), ridge(np.radians(degrees)), at=(-0.2, 0.1, 0.05))
    known = everything_within(before, 0.3)
    now = before.at(pose(at=(-0.01, 0.1, 1e-3)))
    found = generate_interface_points(now, Reach(0.3, 0.3, 0.3), known, before)
    lowest = found.take((found.dim1 == VERTEX) & (found.dim2 == FACE) & (found.gap < 0.05))
    assert len(set(lowest.index2.tolist())) == 2
    assert (lowest.gap > 0.0).all()


@pytest.mark.parametrize("degrees", [130.0, 150.0, 175.0])
def test_a_corner_that_slides_on_a_face_to_its_fold_keeps_the_side_that_is_known(degrees: float) -> None:
    """The gap to the face under it is too small to tell, and behind the face folded back it is far off."""
    before = meet(tip(), ridge(np.radians(degrees)), at=(-0.05, 0.1, 1e-10))
    known = everything_within(before, 0.3)
    now = before.at(pose(at=(-0.01, 0.1, 1e-10)))
    found = generate_interface_points(now, Reach(0.3, 0.3, 0.3), track_interface_points(now, known), before)
    corner = found.take((found.dim1 == VERTEX) & (found.dim2 == FACE) & (np.abs(found.gap) < 1e-9))
    assert len(corner) == 1
    assert corner.gap[0] == pytest.approx(1e-10, rel=1e-3)


def test_in_a_hollow_the_sides_of_one_face_are_those_of_the_next() -> None:
    """The corner is over both faces of a valley, known over one of them alone, and behind the other."""
    fall = np.radians(-70.0)
    before = meet(tip(), ridge(fall), at=(-0.3, 0.1, 0.01))
    known = everything_within(before, 0.02)
    now = before.at(pose(at=(0.02 * np.cos(fall) + 1e-3, 0.1, 0.01)))
    found = generate_interface_points(now, Reach(0.05, 0.05, 0.05), known, before)
    behind = found.take((found.dim1 == VERTEX) & (found.dim2 == FACE) & (found.gap < 0.0))
    assert len(behind) == 1


def test_only_points_that_were_outside_before_are_real() -> None:
    before, now = meet("ball", "slab", at=(0.0, 0.0, 1.01)), meet("ball", "slab", at=(0.0, 0.0, 0.95))
    touching = everything_within(now, 0.2)
    deepest = touching.take(slice(int(touching.gap.argmin()), int(touching.gap.argmin()) + 1))
    assert deepest.gap[0] == pytest.approx(-0.05, abs=1e-12)
    assert outside_before(before, now, deepest)[0].all()
    deeper = meet("ball", "slab", at=(0.0, 0.0, 0.96))
    assert not outside_before(deeper, now, deepest)[0].any()
    assert len(without_far_sides(deeper, now, deepest)) == 0
    assert len(without_far_sides(None, now, deepest)) == 1
