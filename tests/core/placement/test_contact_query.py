"""What a body touches and overlaps, asked again and again, is what a check of each pose reports."""

from __future__ import annotations

import time

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, merge, polyhedron
from physplace_addon.core.placement import Settings, Status, check
from physplace_addon.core.placement.contact_query import ContactQuery
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor
from tests.core.contact.body_pairs import body, pose
from tests.core.dirty_meshes import dirty
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.core.surfaces.smooth.smooth_meshes import all_over, curved
from tests.oracles.frames import quaternion_of, random_rotation

UPRIGHT = (0.0, 0.0, 0.0)
ROUNDING = 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ball", "torus", "cylinder", "cone", "cube", "ellipsoid"])
def test_one_preparation_answers_as_a_check_of_every_pose(name: str) -> None:
    active, world = body(name), [body("slab")]
    standing = ContactQuery.of(active, pose(UPRIGHT, (0.1, 0.2, 3.0)), world)
    for height in (1.0, 0.3):
        for turn in (UPRIGHT, (0.3, -0.2, 0.1)):
            here = pose(turn, (0.1, 0.2, height))
            found = standing.at(here, ROUNDING)
            report = check(active, here, world, Settings(start_tolerance=ROUNDING))
            assert found.overlap == pytest.approx(report.overlap, abs=2.0 * found.touching)
            if found.overlap <= found.touching:
                np.testing.assert_allclose(
                    np.sort(found.contacts.point1, axis=0),
                    np.sort(report.contacts.position, axis=0),
                    atol=1e-9,
                )
                assert len(found.collisions) == 0


@pytest.mark.parametrize("name", ["ball", "cube", "torus"])
@pytest.mark.parametrize("depth", [0.01, 0.2])
def test_what_overlaps_is_told_where(name: str, depth: float) -> None:
    low = {"ball": 1.0, "cube": 0.5, "torus": 0.3}[name] - depth
    found = ContactQuery.of(body(name), pose(), [body("slab")]).at(pose(UPRIGHT, (0.1, 0.2, low)), ROUNDING)
    assert len(found.collisions) > 0
    assert (np.abs(found.collisions[:, 2]) <= depth + 1e-6).all()


def test_a_deep_overlap_of_curved_bodies_takes_not_much_longer_than_a_contact() -> None:
    ball, world = body("ball"), [body("ball")]
    standing = ContactQuery.of(ball, pose(), world)

    def seconds(apart: float) -> float:
        began = time.process_time()
        assert standing.at(pose(UPRIGHT, (0.0, 0.6 * apart, 0.8 * apart)), ROUNDING).overlaps == (apart < 2.0)
        return time.process_time() - began

    touching = seconds(2.0)
    assert seconds(0.3) < 20.0 * touching


def test_far_from_the_origin_the_collisions_are_where_the_body_is() -> None:
    far = np.array([1e4, -2e4, 3e4])
    wall = polyhedron(CUBE_POINTS + far, CUBE_TRIANGLES, "wall")
    here = pose(UPRIGHT, tuple(far + np.array([0.9, 0.1, 0.1])))
    found = ContactQuery.of(body("cube"), here, [wall]).at(here, 1e-3)
    assert found.overlap == pytest.approx(0.1, abs=1e-6)
    assert (np.abs(found.collisions - far).max(axis=1) < 2.0).all()


def test_a_body_around_another_or_inside_it_overlaps_without_measure() -> None:
    big = polyhedron(10.0 * CUBE_POINTS, CUBE_TRIANGLES, "big")
    for active, world in ((body("ball"), big), (big, body("ball"))):
        standing = ContactQuery.of(active, pose(), [world])
        assert standing.at(pose(), ROUNDING).overlap == np.inf
        assert standing.at(pose(UPRIGHT, (30.0, 0.0, 0.0)), ROUNDING).overlap == 0.0


def test_a_body_of_which_a_loose_part_is_inside_another_overlaps_it_either_way_round() -> None:
    big, cube = polyhedron(6.0 * CUBE_POINTS, CUBE_TRIANGLES, "big"), body("cube")
    for first, second in ((0.0, 5.0), (5.0, 0.0)):
        parts = [cube.transformed(pose(UPRIGHT, (x, 0.0, 0.0)).matrix4) for x in (first, second)]
        two = merge(parts, "two")
        for active, world in ((two, big), (big, two)):
            assert ContactQuery.of(active, pose(), [world]).at(pose(), ROUNDING).overlap > 0.0
            report = check(active, pose(), [world])
            assert report.status is Status.INTERFERING_START
            assert report.overlap > 0.0


@pytest.mark.parametrize("turn", [UPRIGHT, (0.3, 0.2, 0.1)])
def test_two_bodies_in_one_place_are_as_deep_as_their_middle(turn: tuple[float, float, float]) -> None:
    here = pose(turn, (0.2, 0.1, 0.3))
    other = body("cube").transformed(here.matrix4)
    assert ContactQuery.of(body("cube"), here, [other]).at(here, ROUNDING).overlap == pytest.approx(0.5)


@pytest.mark.parametrize(("shift", "depth"), [((0.3, 0.0, 0.0), 0.35), ((0.0, 0.0, 0.9), 0.05)])
@pytest.mark.parametrize("turn", [UPRIGHT, (0.3, 0.2, 0.1)])
def test_boxes_flush_inside_one_another_are_as_deep_as_what_they_have_in_common(
    turn: tuple[float, float, float], shift: tuple[float, float, float], depth: float
) -> None:
    """No corner, no edge and no face of either is inside the other, but for the middle of what both are."""
    block = polyhedron(CUBE_POINTS * [1.0, 1.0, 1.0 if shift[2] else 2.0], CUBE_TRIANGLES, "block")
    whole = pose(turn, (0.5, 0.6, 0.7))
    matrix = whole.matrix4 @ pose(UPRIGHT, shift).matrix4
    stands = Pose(quaternion_of(matrix[:3, :3]), matrix[:3, 3])
    found = ContactQuery.of(block, stands, [block.transformed(whole.matrix4)]).at(stands, ROUNDING)
    assert found.overlap == pytest.approx(depth, rel=1e-5)


def test_alone_in_the_world_it_touches_nothing() -> None:
    found = ContactQuery.of(body("cube"), pose(), []).at(pose(), ROUNDING)
    assert found.overlap == 0.0
    assert len(found.contacts) == 0


def test_an_edge_that_rounding_lays_into_a_face_is_no_overlap() -> None:
    slope = np.radians(40.0)
    start = 0.5 - 0.7 / np.tan(slope)
    along = np.array([np.cos(slope), 0.0, np.sin(slope)])
    across = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    book = polyhedron(CUBE_POINTS * (3.0, 2.2, 0.7) + np.array([2.0, 0.0, 0.35]), CUBE_TRIANGLES, "book")
    leaning = polyhedron(CUBE_POINTS * (2.4, 1.6, 0.16), CUBE_TRIANGLES, "leaning")
    middle = np.array([start, 0.0, 0.0]) + 1.2 * along + (0.08 - 2.6e-8) * across
    leaning = leaning.transformed(pose((0.0, -slope, 0.0), middle).matrix4)
    query = ContactQuery.of(book, pose(UPRIGHT, (0.0, 0.0, 0.0)), [leaning])
    at_rest = query.at(pose(UPRIGHT, (0.0, 0.0, 0.0)), 1e-6)
    assert not at_rest.overlaps
    assert len(at_rest.contacts) == 2
    assert at_rest.regions.dimension.tolist() == [1]
    deeper = query.at(pose(UPRIGHT, (0.0, 0.0, 0.01)), 1e-6)
    assert deeper.overlap == pytest.approx(0.01 * np.cos(slope), rel=0.01)


@pytest.fixture(scope="module")
def wavy() -> tuple[Body, Pose]:
    """A wavy body, and the turned pose at which its lowest point is on a floor."""
    mesh = dirty(74)
    body = curved(mesh.points, mesh.triangles.tolist())
    turned = quaternion_of(random_rotation(np.random.default_rng(0)))
    lowest = Pose(turned, np.zeros(3)).points(all_over(body, 33))[:, 2].min()
    return body, Pose(turned, np.array([0.0, 0.0, -lowest]))


@pytest.mark.parametrize("depth", [1e-5, 1e-4, 1e-2])
def test_a_wavy_body_in_a_floor_is_as_deep_as_it_was_lowered(wavy: tuple[Body, Pose], depth: float) -> None:
    """However little, where the corners of its triangles are still above the floor."""
    body, standing = wavy
    stands = standing.displaced((0.0, 0.0, -depth * body.radius), np.zeros(3), np.zeros(3))
    found = ContactQuery.of(body, stands, [floor()]).at(stands, 1e-7)
    assert found.overlaps
    assert found.overlap == pytest.approx(depth * body.radius, abs=1e-5 * body.radius)


def strip(along: tuple[float, float, float], beyond: tuple[float, float, float], name: str) -> Body:
    """An open triangle, whose border through its frame's origin goes along a direction."""
    side = np.array(along)
    return polyhedron(np.array([-side, side, beyond]), np.array([[0, 1, 2]]), name)


@pytest.mark.parametrize(("depth", "overlaps"), [(3e-9, False), (-3e-9, False), (0.05, True)])
def test_sheets_whose_borders_touch_do_not_overlap(depth: float, overlaps: bool) -> None:
    """Each goes far through the other's plane, but a short way along both edges' normal parts them."""
    active = strip((0.0, 0.6, 0.8), (1.0, 0.0, 0.0), "active")
    world = strip((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), "world")
    here = pose(UPRIGHT, (-depth, 0.0, 0.0))
    assert ContactQuery.of(active, here, [world]).at(here, ROUNDING).overlaps == overlaps
