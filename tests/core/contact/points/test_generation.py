"""The points of a pose cover what touches: rings all around, one point in a bowl, none through a wall."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.features import EDGE, FeaturePoints
from physplace_addon.core.contact.points.extremal_pairs import solve_extremal_pairs
from physplace_addon.core.contact.points.generation import (
    Reach,
    generate_interface_points,
    track_interface_points,
)
from physplace_addon.core.contact.points.interface_points import (
    FIXED,
    InterfacePoints,
    lowest_spread,
    spread_out,
    without_duplicates,
)
from physplace_addon.core.contact.points.pair_roles import PairRoles
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import BOWL, floor
from tests.core.contact.body_pairs import everything_within, meet, pose, prepared
from tests.core.dirty_meshes import dirty
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.core.surfaces.smooth.smooth_meshes import all_over, body_of
from tests.oracles.frames import quaternion_of, random_rotation

INNER, WALL = 1.0, 0.03


def largest_hole(points):
    """The widest angle about the z axis without a point."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return np.diff(np.concatenate([angles, [angles[0] + 2.0 * np.pi]])).max()


@pytest.mark.parametrize(
    ("world", "gap"), [("plane", 1e-3), ("plane", 0.0), ("slab", 1e-3), ("slab", 0.0), ("slab", -1e-6)]
)
@pytest.mark.parametrize(("name", "height", "ring"), [("torus", 0.3, 1.0), ("cylinder", 1.0, 0.5)])
def test_a_ring_flat_on_a_plane_is_covered_all_around(name, height, ring, world, gap):
    body_pair = meet(name, world, at=(0.0, 0.0, height + gap))
    points = everything_within(body_pair, 0.05 * body_pair.radius)
    near = points.take(np.abs(points.gap - gap) < 1e-9)
    assert np.abs(np.hypot(near.point1[:, 0], near.point1[:, 1]) - ring).max() < 1e-6
    assert np.abs(near.normal - [0.0, 0.0, 1.0]).max() < 1e-9
    assert largest_hole(near.point1) <= 2.0 * np.pi / 12.0
    assert len(points) <= 64


def test_a_cylinder_on_its_side_is_held_at_both_ends():
    body_pair = meet("cylinder", "plane", turn=(0.5 * np.pi, 0.0, 0.0), at=(0.0, 0.0, 0.5))
    points = everything_within(body_pair, 0.02)
    near = points.take(np.abs(points.gap) < 1e-9)
    assert np.abs(near.point1[:, 0]).max() < 1e-4
    assert near.point1[:, 1].max() > 0.95
    assert near.point1[:, 1].min() < -0.95


HOLLOW = np.array([[1.88, 1.24], [1.68, 0.64], [1.0, 0.15], [0.0, 0.15]])  # (r, z), the inside of the bowl


def bezier(control, t):
    a, b, c, d = control
    s = 1.0 - t[:, None]
    t = t[:, None]
    return s**3 * a + 3.0 * s**2 * t * b + 3.0 * s * t**2 * c + t**3 * d


@pytest.mark.parametrize("aside", [0.0, 0.2, 0.8, 1.3])
def test_a_ball_in_a_bowl_is_found_where_it_is_nearest(aside):
    bowl = exact(kinds.revolution(BOWL), "bowl", resolution=(32, 12))
    body_pair = meet("small ball", bowl, turn=(0.3, 0.5, 0.1), at=(aside, 0.0, 0.7))
    points = everything_within(body_pair, 0.4)
    inside = bezier(HOLLOW, np.linspace(0.0, 1.0, 200_001))
    distance = np.hypot(inside[:, 0] - aside, inside[:, 1] - 0.7)
    nearest = np.argmin(distance)
    lowest = points.take(slice(int(np.argmin(points.gap)), int(np.argmin(points.gap)) + 1))
    assert abs(lowest.gap[0] - (distance[nearest] - 0.3)) < 1e-9
    assert np.abs(lowest.point2[0] - [inside[nearest, 0], 0.0, inside[nearest, 1]]).max() < 1e-4


def hemispherical_bowl():
    """A thin bowl open upwards between two spheres about the origin."""
    angles = np.linspace(-0.5 * np.pi, -0.05, 13)
    arc = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    arc[0, 0] = 0.0
    profile = np.concatenate([(INNER + WALL) * arc, INNER * arc[::-1]])
    sharp = np.zeros(len(profile), bool)
    sharp[12:14] = True
    return exact(kinds.revolution(profile, sharp=sharp), "thin bowl", resolution=(32, 12))


def test_a_ball_in_a_thin_bowl_knows_nothing_of_the_outer_wall():
    active, world = prepared("small ball"), ContactBody.of([hemispherical_bowl()])
    before = BodyPair.of(active, world, pose(at=(0.1, 0.0, -0.6)))
    here = before.at(pose(at=(0.1, 0.0, -0.66)))
    assert len(everything_within(before, 0.2, before))
    points = everything_within(here, 0.2, before)
    from_centre = np.linalg.norm(here.centre)
    assert abs(points.gap.min() - (INNER - 0.3 - from_centre)) < 2e-3
    assert points.gap.min() > 0.0
    assert (points.normal @ here.centre < 0.0).all()


def test_tracked_points_follow_the_body(rng):
    body_pair = meet("ellipsoid", "torus", turn=rng.normal(size=3), at=(1.0, 0.2, 1.15))
    points = everything_within(body_pair, 0.2)
    assert len(points)
    moved = body_pair.displaced(0.01 * rng.normal(size=6))
    tracked = track_interface_points(moved, points.take(~points.on_curve))
    fresh = everything_within(moved, 0.2)
    assert abs(tracked.gap.min() - fresh.gap.min()) < 1e-12


def test_tracking_and_creation_do_not_report_a_pair_twice(rng):
    body_pair = meet("ellipsoid", "torus", turn=rng.normal(size=3), at=(1.0, 0.2, 1.15))
    points = everything_within(body_pair, 0.2)
    again = generate_interface_points(body_pair, Reach(0.2, 0.2, 0.2), points, body_pair)
    assert len(again) == len(points)
    assert len(without_duplicates(again, 1e-6)) == len(again)


def test_points_beyond_reach_are_not_reported():
    body_pair = meet("ball", "plane", at=(0.0, 0.0, 1.1))
    assert len(everything_within(body_pair, 0.05)) == 0
    assert abs(everything_within(body_pair, 0.15).gap.min() - 0.1) < 1e-12


def test_points_spread_out_leave_no_hole(rng):
    angles = rng.uniform(0.0, 2.0 * np.pi, 400)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(400)], axis=1)
    chosen = spread_out(ring, 16)
    assert len(np.unique(chosen)) == 16
    assert largest_hole(ring[chosen]) < np.radians(50.0)


def test_what_carries_is_kept_among_many_that_are_nearly_as_low(rng):
    count = 3000
    places = np.column_stack([rng.uniform(-1.0, 1.0, (count, 2)), np.zeros(count)])
    gap = rng.uniform(1e-6, 1e-5, count)
    carrying = np.argsort(np.linalg.norm(places - places[7], axis=1))[:5]
    gap[carrying] = [0.0, 1e-10, -1e-10, 3e-10, -2e-7]
    number, none = np.arange(count), np.full(count, FIXED)
    up, zeros = np.tile([0.0, 0.0, 1.0], (count, 1)), np.zeros((count, 2))
    vertices, faces = np.zeros(count, int), np.full(count, 2)
    held, ones = np.zeros(count, bool), np.ones(count)
    points = InterfacePoints(
        vertices, number, zeros, faces, number, zeros, ones, held, ones, places, places, up, gap, none, none
    )
    chosen = lowest_spread(points, 128, 1e-9)
    assert len(np.unique(chosen.index1)) == 128
    assert np.isin(carrying, chosen.index1).all()
    assert np.ptp(chosen.point1[:, :2], axis=0).min() > 1.5


def test_a_ball_on_a_thin_plate_knows_nothing_of_its_far_side():
    plate = polyhedron((CUBE_POINTS - [0.0, 0.0, 0.5]) * [6.0, 6.0, 0.03], CUBE_TRIANGLES, "plate")
    before = meet("small ball", plate, at=(0.1, 0.2, 0.32))
    here = before.displaced(np.array([0.0, 0.0, -0.02 / before.radius, 0.0, 0.0, 0.0]))
    points = everything_within(here, 0.8, before)
    assert abs(points.gap.min()) < 1e-12
    assert np.abs(points.normal - [0.0, 0.0, 1.0]).max() < 1e-12


def test_a_point_that_would_walk_farther_than_the_threshold_is_no_point():
    coarse = exact(kinds.sphere(1.0), "coarse", resolution=(8, 5))
    body_pair = BodyPair.of(
        ContactBody.of([coarse]), prepared("plane"), pose((0.3, 0.2, 0.0), (0.0, 0.0, 1.0 + 1e-3))
    )

    def found(threshold):
        return generate_interface_points(
            body_pair, Reach(0.2, 0.2, 0.2, threshold), InterfacePoints.none(), None
        )

    assert abs(found(np.inf).gap.min() - 1e-3) < 1e-9
    assert abs(found(0.7).gap.min() - 1e-3) < 1e-9
    assert len(found(0.05)) == 0


def rims(roll):
    """A tilted cylinder whose lower rim is above the upper rim of another, and rolled."""
    return meet("cylinder", "cylinder", (roll, 0.2, 0.0), (0.3, 0.0, 2.2))


def pair_of_rims(body_pair):
    """The point of a lower and an upper rim."""
    solid = prepared("cylinder").body
    heights = solid.edge_geometry(np.arange(2), np.zeros(2)).point[:, 2]
    lower, upper = (
        FeaturePoints(solid, placed_at, np.array([EDGE]), np.array([edge]), np.zeros((1, 2)))
        for placed_at, edge in ((body_pair.pose, np.argmin(heights)), (None, np.argmax(heights)))
    )
    return PairRoles(body_pair, True).points(lower, upper)


def test_two_rims_that_pass_through_being_parallel_stay_on_their_sides():
    rolls = np.linspace(-0.1, 0.1, 20)
    points, valid = solve_extremal_pairs(rims(rolls[0]), pair_of_rims(rims(rolls[0])), known_sides=False)
    assert valid.all()
    turned = set()
    for roll in rolls:
        points = track_interface_points(rims(roll), points)
        assert abs(points.gap[0] - np.linalg.norm(points.point1 - points.point2)) < 1e-12
        assert points.normal[0, 2] > 0.5
        turned.add(float(points.side[0]))
    assert turned == {-1.0, 1.0}


def test_a_valley_of_a_wavy_face_is_seen_between_its_samples():
    mesh = dirty(74)
    body, _ = body_of(mesh.points, mesh.triangles.tolist())
    turned = quaternion_of(random_rotation(np.random.default_rng(0)))
    lowest = Pose(turned, np.zeros(3)).points(all_over(body, 9))[:, 2].min()
    stands = Pose(turned, np.array([0.0, 0.0, -lowest]))
    body_pair = BodyPair.of(ContactBody.of([body]), ContactBody.of([floor()]), stands)
    points = everything_within(body_pair, 0.1 * body.radius)
    assert points.gap.min() < 1e-6 * body.radius
