"""An interfering start is left by the least motion: held against depths known in closed form, against a
search through all small turns, and against the oracles' own measure of overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.jobs import finished
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.placement.depenetration.extrication import (
    Extricated,
    extricate,
    extricate_several,
    extricating,
)
from physplace_addon.core.rigid import Pose, quaternion_from_matrix, rotation_matrix
from tests.bodies_of_the_paper import BOWL, cone, floor, sphere, torus, turned
from tests.core.contact.body_pairs import body, pose
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES
from tests.core.placement.household import lathe, single
from tests.oracles.frames import rotation_of
from tests.oracles.overlap import separation
from tests.oracles.triangles import crossings

AIR = 1e-6  # over R: what is left between
CLOSE = 3.0 * AIR
UPRIGHT = (0.0, 0.0, 0.0)
BALL = sphere(1.0, resolution=(24, 13))
RING = torus(1.0, 0.3, resolution=(33, 17))
CONE = cone(1.0, 2.0, resolution=(17, 13))
MUG = ((0.0, 0.0), (0.38, 0.0), (0.4, 0.9), (0.36, 0.9), (0.34, 0.06), (0.0, 0.06))
DISH = turned("dish", BOWL, resolution=(25, 29))


def cleared(active: Body, start: Pose, world: Sequence[Body], settings: Settings | None = None) -> Extricated:
    """The least motion of a body that can be cleared."""
    found = extricate(active, start, world, settings)
    assert found is not None
    return found


def all_cleared(
    actives: Sequence[Body], starts: Sequence[Pose], world: Sequence[Body], air: float = 0.0
) -> Extricated:
    """The least motion of bodies that can be cleared."""
    found = extricate_several(actives, starts, world, air=air)
    assert found is not None
    return found


def cuboid(half: ArrayLike) -> Body:
    """A box about the origin, by its half sides."""
    return polyhedron(2.0 * np.asarray(half) * CUBE_POINTS, CUBE_TRIANGLES, "cuboid")


def shift(found: Extricated) -> np.ndarray:
    """How far one body's centre of mass was moved, over R."""
    return found.motion[:3]


def depth_of_boxes(turn: Floats, half: Floats, centre: Floats, other: Floats) -> float:
    """How far a turned box must be shifted off an upright one at the origin: the least over all axes that can
    separate two boxes; negative for a gap.
    """
    axes = np.vstack([np.eye(3), turn.T, np.cross(np.eye(3)[:, None], turn.T[None]).reshape(-1, 3)])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-9] / length[length > 1e-9, None]
    reach = np.abs(axes) @ other + np.abs(axes @ turn) @ half
    return float((reach - np.abs(axes @ centre)).min())


def test_a_body_that_overlaps_nothing_is_not_moved() -> None:
    start = pose((0.3, 0.2, 0.1), (0.0, 0.0, 1.6))
    found = cleared(body("cube"), start, [body("slab")])
    assert found.pose is start
    assert found.size == 0.0
    assert found.unbalanced == 0.0


def test_with_nothing_around_it_a_body_is_not_moved() -> None:
    start = pose()
    assert cleared(body("cube"), start, []).pose is start


@pytest.mark.slow
@pytest.mark.parametrize("at", [(1.95, 0.0, 0.0), (0.9, -0.6, 0.3), (0.2, 0.1, -0.1)])
def test_balls_part_along_the_line_of_their_centres(at: ArrayLike) -> None:
    at = np.array(at)
    apart = np.linalg.norm(at)
    found = cleared(BALL.body, pose(at=at), [BALL.body])
    assert np.abs(shift(found) - (2.0 - apart) * at / apart).max() < CLOSE
    assert np.abs(found.motion[3:]).max() < CLOSE
    assert found.unbalanced < 1e-6


def test_balls_at_one_place_part_by_twice_their_radius_whichever_way() -> None:
    assert abs(cleared(BALL.body, pose(), [BALL.body]).size - 2.0) < CLOSE


@pytest.mark.parametrize("world", ["slab", "plane"])
@pytest.mark.parametrize("depth", [1e-4, 0.03, 0.4])
def test_a_ball_rises_from_a_floor_by_its_depth(world: str, depth: float) -> None:
    found = cleared(BALL.body, pose(at=(0.3, 0.2, 1.0 - depth)), [body(world)])
    assert np.abs(found.motion - [0.0, 0.0, depth, 0.0, 0.0, 0.0]).max() < CLOSE


@pytest.mark.parametrize("depth", [1e-4, 0.03, 0.3])
def test_a_cube_sunk_flat_into_a_floor_rises_without_turning(depth: float) -> None:
    found = cleared(body("cube"), pose(at=(0.1, 0.2, 0.5 - depth)), [body("slab")])
    assert np.abs(found.motion - np.array([0, 0, depth, 0, 0, 0]) / body("cube").radius).max() < CLOSE


@pytest.mark.parametrize("turn", [UPRIGHT, (0.0, 0.0, 0.25 * np.pi)])
def test_a_cube_in_the_middle_of_a_cube_leaves_by_a_face(turn: tuple[float, float, float]) -> None:
    found = cleared(body("cube"), pose(turn), [body("cube")])
    assert abs(found.size - 1.0 / body("cube").radius) < CLOSE
    assert found.unbalanced < 1e-6


@pytest.mark.slow
def test_a_ball_wholly_inside_a_solid_leaves_by_the_nearest_face() -> None:
    found = cleared(BALL.body, pose(at=(0.3, 0.4, -0.5)), [cuboid((5.0, 6.0, 7.0))])
    assert np.abs(shift(found) - [5.7, 0.0, 0.0]).max() < CLOSE


def test_a_solid_around_a_small_one_is_moved_off_it() -> None:
    found = cleared(cuboid((2.0, 3.0, 4.0)), pose(at=(0.5, 0.2, 0.1)), [body("cube")])
    radius = np.linalg.norm([2.0, 3.0, 4.0])
    assert np.abs(shift(found) - np.array([2.0, 0.0, 0.0]) / radius).max() < CLOSE


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_boxes_part_by_no_more_than_a_search_through_all_turns_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    half, other = rng.uniform(0.2, 1.0, 3), rng.uniform(0.2, 1.5, 3)
    radius, turn = np.linalg.norm(half), rotation_matrix(rng.normal(size=3))
    centre = 0.6 * rng.uniform(-1.0, 1.0, 3) * (other + 0.5 * radius)
    found = cleared(cuboid(half), Pose(quaternion_from_matrix(turn), centre), [cuboid(other)])
    ends = rotation_of(found.pose.rotation)
    assert abs(depth_of_boxes(ends, half, found.pose.translation, other)) < CLOSE * radius

    def motion(theta: Floats) -> float:
        depth = depth_of_boxes(rotation_matrix(theta) @ turn, half, centre, other)
        return float(np.hypot(np.linalg.norm(theta), max(depth, 0.0) / radius))

    best, spread = np.zeros(3), 0.5
    for _ in range(10):
        best = min([best, *(best + spread * rng.normal(size=(80, 3)))], key=motion)
        spread *= 0.6
    assert motion(np.zeros(3)) > 1e-3
    assert found.size <= motion(best) + 1e-3
    assert found.unbalanced < 1e-6


PAIRS = {
    "ring on cone": (RING, CONE, (0.7, 0.3, 0.2)),
    "ball in dish": (sphere(0.5, resolution=(24, 13)), DISH, (1.7, 0.0, 0.9)),
    "cone in dish": (CONE, DISH, (1.2, 0.2, 0.8)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_curved_bodies_end_just_clear_and_any_smaller_motion_of_that_kind_overlaps(
    name: str, rng: np.random.Generator
) -> None:
    active, other, at = PAIRS[name]
    start = pose((0.5, 0.8, -0.3), at)
    found = cleared(active.body, start, [other.body])
    radius, centre = active.body.radius, start.points(active.body.mass.center)

    def apart(motion: Floats) -> float:
        placed = start.displaced(radius * motion[:3], motion[3:], centre)
        turn = rotation_of(placed.rotation)
        return separation(active.shape, turn, placed.translation, other.shape, below=0.0) / radius

    assert found.size > 0.05
    assert found.unbalanced < 1e-5
    assert 0.0 < apart(found.motion) < CLOSE
    for _ in range(8):
        smaller = 0.97 * (found.motion + 0.1 * found.size * rng.normal(size=6) / np.sqrt(6.0))
        smaller *= min(1.0, 0.97 * found.size / np.linalg.norm(smaller))
        assert apart(smaller) < 0.0


@pytest.mark.parametrize("radially", [1.5, 2.1])
def test_a_ball_in_a_dishs_wall_leaves_to_the_side_that_it_is_more_on(radially: float) -> None:
    ball = sphere(0.3, resolution=(24, 13))
    found = cleared(ball.body, pose(at=(radially, 0.0, 0.8)), [DISH.body])
    moved = shift(found)[0]
    assert (moved < 0.0) == (radially < 1.8)
    assert 0.0 < separation(ball.shape, np.eye(3), found.pose.translation, DISH.shape) < CLOSE


def test_linked_rings_that_do_not_overlap_are_left_linked() -> None:
    start = pose((0.5 * np.pi, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert cleared(RING.body, start, [RING.body]).pose is start


def test_linked_rings_that_overlap_are_parted_without_unlinking_them() -> None:
    start = pose((0.5 * np.pi, 0.0, 0.0), (0.5, 0.0, 0.0))
    found = cleared(RING.body, start, [RING.body])
    assert np.abs(found.motion - [0.1 / 1.3, 0.0, 0.0, 0.0, 0.0, 0.0]).max() < CLOSE


def sheet(points: ArrayLike, triangles: ArrayLike) -> Body:
    return polyhedron(np.asarray(points, dtype=float), np.asarray(triangles), "sheet")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_body_cut_by_a_thin_sheet_leaves_to_the_side_that_most_of_it_is_on(side: float) -> None:
    square = sheet([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]], [[0, 1, 2], [0, 2, 3]])
    found = cleared(body("cube"), pose((0.3, 0.2, 0.1), (0.4, 0.3, 0.2 * side)), [square])
    assert shift(found)[2] * side > 0.0
    corners = found.pose.points(CUBE_POINTS)[:, 2] * side
    assert 0.0 < corners.min() < CLOSE


def test_a_body_that_cuts_an_open_box_ends_clear_of_its_walls() -> None:
    open_box = sheet(CUBE_POINTS * 2.0, CUBE_TRIANGLES[:-2])
    assert not open_box.closed
    found = cleared(body("cube"), pose((0.4, 0.9, 0.1), (0.7, 0.6, 0.3)), [open_box])
    moved = found.pose.points(CUBE_POINTS)[CUBE_TRIANGLES]
    assert len(crossings(moved, open_box.triangles, 0.0)) == 0
    assert 0.1 < found.size < 1.2
    assert found.unbalanced < 1e-6


def test_a_sheet_pushed_through_a_solid_comes_out_of_it() -> None:
    square = sheet([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    found = cleared(square, pose((0.1, 0.0, 0.0), (0.0, 0.0, 0.35)), [body("cube")])
    moved = found.pose.points(square.triangles)
    assert len(crossings(moved, body("cube").triangles, 0.0)) == 0
    assert moved[:, :, 2].min() > 0.4
    assert found.size < 0.2 / square.radius + 0.1


@pytest.mark.slow
def test_what_stands_over_a_floor_is_not_cleared_to_below_it_unless_nothing_pulls_it_down() -> None:
    pear = turned(
        "pear",
        np.array(
            [[[0, -1], [0.5, -1], [0.5, -0.4], [0.2, -0.2]], [[0.2, -0.2], [0.1, 0.3], [0.1, 1], [0, 1]]]
        ),
    )
    upside_down = pose((np.pi, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert upside_down.points(pear.body.mass.center)[2] > 0.05
    plate = cuboid((3.0, 3.0, 0.02))
    for place in (0.0, -0.25):
        start = Pose(upside_down.rotation, np.array([0.0, 0.0, place]))
        height = start.points(pear.body.mass.center)[2]
        found = cleared(pear.body, start, [plate])
        assert (shift(found)[2] > 0.0) == (height > 0.0)


EVERYWHERE = {"bead": (1e-3, 0.0), "hall": (1e3, 0.0), "far away": (1.0, 1e4)}


@pytest.mark.slow
@pytest.mark.parametrize("world", [body("slab"), DISH.body], ids=["slab", "dish"])
def test_the_motion_does_not_depend_on_units_or_origin(world: Body) -> None:
    turn, at = (0.3, 0.2, 0.1), np.array([1.7, 0.2, 0.3])
    here = cleared(body("cube"), pose(turn, at), [world])
    for where, (scale, origin) in EVERYWHERE.items():
        move = np.diag([scale, scale, scale, 1.0])
        active = body("cube").transformed(move)
        move[:3, 3] = origin * np.array([1.0, -2.0, 0.5])
        there = cleared(active, pose(turn, scale * at + move[:3, 3]), [world.transformed(move)])
        assert np.abs(here.motion - there.motion).max() < 1e-6, where


@pytest.mark.slow
def test_the_same_start_gives_the_same_motion_bit_for_bit() -> None:
    start = pose((0.3, 0.2, 0.1), (0.4, 0.2, 0.1))
    first, second = (cleared(CONE.body, start, [RING.body]) for _ in range(2))
    assert (first.motion == second.motion).all()


def test_an_overlap_within_the_tolerance_is_only_lifted_away() -> None:
    start = pose(at=(0.0, 0.0, 1.0 - 1e-5))
    found = cleared(BALL.body, start, [body("slab")], Settings(start_tolerance=1e-4))
    assert abs(found.size - 1e-5) < 1e-8


def test_what_was_cleared_can_be_placed() -> None:
    start = pose((0.3, 0.2, 0.1), (0.4, 0.2, 0.3))
    assert Placement(body("cube"), start, [body("slab")]).status is Status.INTERFERING_START
    found = cleared(body("cube"), start, [body("slab")])
    placement = Placement(body("cube"), found.pose, [body("slab")])
    assert placement.run().status is Status.BALANCED
    assert abs(placement.state.pose.translation[2] - 0.5) < 1e-8


@pytest.mark.parametrize(("along", "around"), [(1, 64), (2, 24), (8, 12)])
def test_a_mug_cleared_of_its_copy_can_be_placed_however_far_single_precision_puts_it_off(
    along: int, around: int
) -> None:
    """Edges of the two tapered walls are all but parallel there."""
    places = np.linspace(0.0, len(MUG) - 1.0, along * (len(MUG) - 1) + 1)
    x, z = (np.interp(places, range(len(MUG)), column) for column in np.transpose(MUG))
    mug = single(lathe(list(zip(x.tolist(), z.tolist(), strict=True)), around), "mug")
    for height in (0.0, 0.03):
        found = cleared(mug, pose(at=(0.0, 0.0, height + 1e-6)), [mug])
        for rounding in (0.0, 1e-6, 1e-5):
            begun = Placement(mug, found.pose, [mug], Settings(start_tolerance=rounding))
            assert begun.status is Status.RUNNING


def test_two_bodies_share_the_motion_of_their_overlap() -> None:
    ends = all_cleared([body("cube")] * 2, [pose(at=(0.0, 0.0, z)) for z in (0.0, 0.7)], [])
    assert np.abs(ends.motion.reshape(2, 6)[:, 2] * body("cube").radius - [-0.15, 0.15]).max() < CLOSE
    assert ends.unbalanced < 1e-6


@pytest.mark.slow
def test_two_bodies_at_one_pose_share_the_motion_too() -> None:
    ends = all_cleared([body("cube")] * 2, [pose((0.3, 0.2, 0.1))] * 2, [])
    moved = ends.motion.reshape(2, 6)
    assert np.abs(moved[0] + moved[1]).max() < 1e-4
    assert abs(np.linalg.norm(moved[0, :3]) * body("cube").radius - 0.5) < 1e-4


@pytest.mark.slow
def test_lengths_count_the_same_whichever_body_is_moved() -> None:
    small, large = sphere(0.3, resolution=(24, 13)).body, BALL.body
    ends = all_cleared([small, large], [pose(at=(1.0, 0.0, 0.0)), pose()], [])
    lengths = ends.motion.reshape(2, 6)[:, 0] * [0.3, 1.0]
    assert np.abs(lengths - [0.15, -0.15]).max() < CLOSE


@pytest.mark.slow
def test_bodies_that_overlap_nothing_stay_while_others_part() -> None:
    starts = [pose(at=(0.0, 0.0, 0.0)), pose(at=(5.0, 0.0, 0.0)), pose(at=(0.0, 0.2, 0.1))]
    ends = all_cleared([body("cube")] * 3, starts, [])
    moved = ends.motion.reshape(3, 6)
    assert np.abs(moved[1]).max() < 1e-9
    assert abs(np.linalg.norm(ends.poses[0].translation - ends.poses[2].translation)) >= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("count", "air"), [(6, 0.0), (12, 0.04)])
def test_cubes_dumped_at_one_pose_are_all_parted_above_the_floor(count: int, air: float) -> None:
    cube, half, start = body("cube"), np.full(3, 0.5), pose((0.3, 0.2, 0.1), (0.0, 0.0, 1.0))
    ends = all_cleared([cube] * count, [start] * count, [floor()], air=air)
    turns = [rotation_of(end.rotation) for end in ends.poses]
    places = [end.translation for end in ends.poses]
    room = air * cube.radius
    for i in range(count):
        assert (places[i] + CUBE_POINTS @ turns[i].T)[:, 2].min() > 0.9 * room
        for j in range(i):
            between = turns[j].T @ (places[i] - places[j])
            assert depth_of_boxes(turns[j].T @ turns[i], half, between, half) < -0.5 * room
    assert np.linalg.norm(places - np.array([0.0, 0.0, 1.0]), axis=1).max() < 2.6


SHEET = polyhedron(
    np.array([[-3.0, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]]), np.array([[0, 1, 2], [0, 2, 3]]), "sheet"
)


def lifted(gravity: tuple[float, float, float] | None) -> Extricated | None:
    """A cube that has sunk a little through a sheet, cleared of what is shallow."""
    start, settings = pose(at=(0.1, 0.2, 0.48)), Settings(gravity=gravity)
    return finished(extricating([body("cube")], [start], [SHEET], settings, depth=0.05))


@pytest.mark.parametrize("length", [1e-2, 9.81, 1e3])
def test_what_has_sunk_through_a_sheet_is_lifted_whatever_the_length_of_gravity(length: float) -> None:
    found = lifted((0.0, 0.0, -length))
    assert found is not None
    assert abs(found.poses[0].translation[2] - 0.5) < CLOSE


def test_without_gravity_no_side_of_a_sheet_is_above() -> None:
    assert lifted((0.0, 0.0, 0.0)) is lifted(None) is None
