"""Bodies dragged by hand through bowls, rings, sheets and meshes: along them, and never through them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.bodies import exact, polyhedron
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.amounts import drawn
from tests.bodies_of_the_paper import BOWL, Paired, block_shape, box, cylinder, floor, sphere, torus, turned
from tests.core.placement.manipulation.drags import (
    UPRIGHT,
    How,
    about,
    at,
    drag,
    drag_once,
    grid,
    place_of,
    wall,
)
from tests.oracles.frames import rotation_of
from tests.oracles.overlap import separation
from tests.oracles.shapes import HalfSpace, Ring

EPS = Settings().eps_max


# nothing is passed through


SHEET = polyhedron(
    np.array([[1.0, -9, -9], [1, 9, -9], [1, 9, 9], [1, -9, 9]]), np.array([[0, 1, 2], [0, 2, 3]]), "sheet"
)
THIN = {
    "sheet": SHEET,
    "plane": wall(-1, 0, 0, 1, 0, 0),
    "plane seen from behind": wall(1, 0, 0, 1, 0, 0),
    "plate": box((0.001, 5.0, 5.0)).body.transformed(at(1.001, 0, 0).matrix4),
    "shell": exact(kinds.sphere(3.0), "shell").transformed(at(4, 0, 0).matrix4),
}


@pytest.mark.parametrize("obstacle", THIN)
@pytest.mark.parametrize("body", [sphere, box, torus])
def test_however_far_the_cursor_jumps_a_thin_thing_is_not_passed(
    body: Callable[..., Paired], obstacle: str
) -> None:
    shape = body(0.3) if body is sphere else body()
    half = {"sphere": 0.3, "box": 0.5, "torus": 1.3}[shape.name]
    placement = Placement(shape.body, at(-3, 0, 0), [THIN[obstacle]])
    drag(placement, at(50.0, 0, 0))
    assert abs(place_of(placement)[0] - (1.0 - half)) < 1e-8
    drag(placement, at(-900.0, 0, 0))
    assert place_of(placement)[0] == -900.0


# curved


def few_triangles(radius: float) -> Paired:
    """A ball of 528 triangles, a tenth of the usual: how it moves does not depend on them."""
    return sphere(radius, resolution=(25, 13))


@pytest.mark.slow
def test_in_a_bowl_a_ball_follows_the_inside_to_the_point_nearest_to_the_cursor() -> None:
    ball, bowl = few_triangles(0.3), turned("bowl", BOWL)
    placement = Placement(ball.body, at(0, 0, 1.2), [bowl.body])
    for x, y, z in ((0.2, 0.1, -3.0), (1.0, 0.9, -0.5), (-0.8, 0.4, -1.0)):
        drag(placement, at(x, y, z))
        here = place_of(placement)
        apart = separation(ball.shape, np.eye(3), here, bowl.shape)
        assert -1e-9 < apart < 1e-8
        normals = placement.state.points.normal[placement.state.points.gap < 1e-8]
        left = np.array([x, y, z]) - here
        assert (
            normals @ left / np.linalg.norm(left)
        ).min() < -1.0 + 1e-6  # it is pushed straight at the bowl


@pytest.mark.slow
def test_a_cursor_far_below_a_bowl_draws_a_ball_to_its_very_bottom() -> None:
    placement = Placement(few_triangles(0.3).body, at(0.8, 0.3, 1.2), [turned("bowl", BOWL).body])
    steps = drag(placement, at(0.0, 0.0, -300.0))
    assert np.abs(place_of(placement)[:2]).max() < 1e-7
    assert steps <= 0.9 / (EPS * 0.3) * 1.2 + 10


@pytest.mark.slow
def test_along_one_axis_a_contact_beside_does_not_keep_a_ball_from_the_inside_of_a_bowl() -> None:
    ball, bowl = few_triangles(0.3), turned("bowl", BOWL)
    beside = wall(0, 1, 0, 0, -0.3 - 1e-11, 0)
    placement = Placement(ball.body, at(0, 0, 0.8), [bowl.body, beside])
    drag(placement, at(5, 0, 0.8), axes=np.array([[1.0, 0, 0]]))
    assert -1e-9 < separation(ball.shape, np.eye(3), place_of(placement), bowl.shape) < 1e-8


@pytest.mark.slow
def test_round_a_ball_the_way_goes_as_far_as_it_gets_nearer() -> None:
    placement = Placement(few_triangles(0.5).body, at(-3, 0.2, 0), [few_triangles(1.0).body])
    drag(placement, at(3, 0, 0))
    assert (place_of(placement) == [3, 0, 0]).all()
    for state in placement.states:
        assert np.linalg.norm(state.pose.translation) >= 1.5 - 1e-9


def test_a_torus_threaded_by_a_ring_stays_threaded() -> None:
    link, ring = torus(1.0, 0.2), torus(1.0, 0.2)
    placement = Placement(link.body, at(1.0, 0, 0, about([1, 0, 0], 90.0)), [ring.body])
    drag(placement, at(8.0, 0.1, 0.3))
    here = placement.state.pose
    assert place_of(placement)[0] < 2.0
    assert separation(link.shape, rotation_of(here.rotation), here.translation, ring.shape) > -1e-9


@pytest.mark.slow
def test_what_interface_points_do_not_tell_of_stops_a_body_all_the_same() -> None:
    ball, bowl, stands = sphere(0.5), turned("bowl", BOWL), at(-2.6, -0.5, 0.001)
    direction = np.array([-0.9391, 0.1375, 0.3326])  # on this line the lip of the bowl is not found
    lip, turn = (
        np.array([-0.1172, -0.3407, 1.087]),
        np.array([-0.43564182, -0.60755997, 0.60569314, 0.27243882]),
    )
    placement = Placement(
        ball.body, Pose(turn, lip - 2.0 * direction), [bowl.body.transformed(stands.matrix4)]
    )
    for _ in range(20):
        drag_once(placement, Pose(turn, lip + 3.0 * direction))
        here = placement.state.pose
        apart = separation(ball.shape, np.eye(3), here.translation, bowl.shape, None, stands.translation)
        assert apart >= -1e-9


# meshes


@pytest.mark.slow
def test_over_a_floor_of_many_triangles_a_cube_does_not_catch_on_inner_edges() -> None:
    placement = Placement(box().body, at(0.013, 0.027, 0.5 + 1e-9, about([0, 0, 1], 17.0)), [grid(60, 6.0)])
    steps = drag(placement, at(2.3, 1.1, 0.2))
    assert np.abs(place_of(placement) - [2.3, 1.1, 0.5]).max() < 1e-8
    assert steps <= 1.2 * np.hypot(2.3, 1.1) / (EPS * box().body.radius) + 2


@pytest.mark.slow
def test_over_hills_of_triangles_a_ball_goes_up_and_down() -> None:
    hills = grid(60, 6.0, lambda x, y: 0.2 * np.sin(2.0 * x))
    placement = Placement(few_triangles(0.4).body, at(0, 0.02, 1.0), [hills])
    drag(placement, at(0, 0.02, 0.0))
    for x in np.linspace(0.0, 3.0, 31):
        drag(placement, at(x, 0.02, 0.0))
        assert abs(place_of(placement)[0] - x) < 0.4
    assert placement.state.points.gap.min() < 1e-8
    drag(placement, at(3.5, 0.02, 3.0))
    assert (place_of(placement) == [3.5, 0.02, 3.0]).all()


# anything


HALF = np.array([0.5, 1.0, 0.7])
MOVERS = {
    "sphere": lambda: sphere(0.5),
    "torus": lambda: torus(0.8, 0.25),
    "cylinder": lambda: cylinder(0.4, 1.2),
    "box": lambda: Paired("box", box((0.5, 0.4, 0.3)).make_body, lambda: block_shape((0.5, 0.4, 0.3))),
}
BLOCK, RING = at(1.6, 0, 0.7), at(0, 1.9, 1.1, about([1, 0, 0], 90.0))
SHAPES = ((HalfSpace(), at(0, 0, 0)), (block_shape(HALF), BLOCK), (Ring(0.8, 0.25), RING))


def least_separation(mover: Paired, pose: Pose) -> float:
    own = rotation_of(pose.rotation), pose.translation
    return min(
        separation(mover.shape, *own, shape, rotation_of(p.rotation), p.translation, below=0.0)
        for shape, p in SHAPES
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", MOVERS)
def test_however_it_is_dragged_a_body_overlaps_nothing_and_moves_no_farther_than_asked(name: str) -> None:
    mover, random = MOVERS[name](), np.random.default_rng(7)
    ring = torus(0.8, 0.25).body.transformed(RING.matrix4)
    block = box(tuple(HALF)).body.transformed(BLOCK.matrix4)
    placement = Placement(mover.body, at(0, 0, 2.5), [floor(), block, ring])
    radius = mover.body.radius
    for _ in range(drawn(12, thorough=30)):
        here = placement.state.pose
        if random.random() < 0.6:
            target = Pose(UPRIGHT, random.uniform([-2, -2, -0.5], [3, 3, 2.5]))
            how = How()
        else:
            target = at(0, 0, 0, random.normal(size=4))
            how = How(pivot=here.translation + 0.3 * radius * random.normal(size=3))
        for _ in range(3):
            before = placement.state.pose
            if not drag_once(placement, target, **how):
                break
            after = placement.state.pose
            assert least_separation(mover, after) >= -1e-9 * radius
            if not how:
                asked = np.linalg.norm(target.translation - before.translation)
                moved = np.linalg.norm(after.translation - before.translation)
                assert moved <= asked + 1e-9 * radius
                assert np.linalg.norm(target.translation - after.translation) < asked
