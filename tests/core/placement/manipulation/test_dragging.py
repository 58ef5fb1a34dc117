"""Bodies dragged by hand with contact live: exact where nothing is in the way, sliding where something is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import Paired, box, cone, floor, sphere, torus
from tests.core.placement.manipulation.drags import (
    TURNED,
    UPRIGHT,
    about,
    at,
    drag,
    drag_once,
    place_of,
    resting_box,
    wall,
)

EPS = Settings().eps_max


# free


@pytest.mark.parametrize("body", [torus, box, cone])
def test_in_free_space_a_body_goes_to_the_target_at_once_and_its_turn_keeps_every_bit(
    body: Callable[..., Paired],
) -> None:
    placement = Placement(body().body, at(0, 0, 3, TURNED), [floor()])
    target = at(4.1, -7.3, 2.9, about([1, 1, 0], 40.0))
    assert drag(placement, target) == 1
    assert (place_of(placement) == target.translation).all()
    assert (placement.state.pose.rotation == placement.states[0].pose.rotation).all()
    assert placement.status is Status.RUNNING


@pytest.mark.slow
def test_many_small_drags_turn_a_body_by_not_one_bit() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):  # a third of all quaternions change when they are normalized again
        placement = Placement(box().body, at(0, 0, 3, random.normal(size=4)), [floor()])
        before = placement.state.system.poses[0].rotation
        for target in random.normal(size=(3, 3)):
            drag(placement, at(*(target + np.array([0.0, 0.0, 8.0]))))
            assert (placement.state.system.poses[0].rotation == before).all()


def test_in_free_space_a_body_turns_about_the_pivot_exactly_to_the_target() -> None:
    placement = Placement(torus().body, at(0, 0, 5, TURNED), [floor()])
    pivot, target = np.array([0.5, -0.2, 4.7]), at(0, 0, 0, about([0, 1, 0.2], 170.0))
    fixed = placement.state.pose.inverse().points(pivot)
    drag(placement, target, pivot=pivot)
    assert (placement.state.pose.rotation == target.rotation).all()
    for state in placement.states:
        assert np.abs(state.pose.points(fixed) - pivot).max() < 1e-13


def test_a_turn_about_one_axis_leaves_that_axis_alone() -> None:
    placement = Placement(box().body, at(0, 0, 3), [floor()])
    drag(
        placement,
        at(0, 0, 0, about([1, 1, 0], 60.0)),
        pivot=np.array([0, 0, 3.0]),
        axes=np.array([[1.0, 0.0, 0.0]]),
    )
    assert np.abs(placement.state.pose.rotation[2:]).max() < 1e-12
    assert placement.state.pose.rotation[1] > 0.1


def test_a_drag_to_where_the_body_is_is_none() -> None:
    placement = resting_box()
    assert not drag_once(placement, at(0, 0, 0.5))
    assert len(placement.states) == 1


# walls


@pytest.mark.slow
@pytest.mark.parametrize("body", [sphere, torus, box])
def test_along_a_wall_a_body_follows_the_cursor_with_the_part_along_it(body: Callable[..., Paired]) -> None:
    shape = body(0.5) if body is sphere else body()
    normal = np.array([0.6, 0.0, 0.8])
    placement = Placement(shape.body, at(2.0, 0, 2.5), [wall(*normal, 0, 0, 0)])
    drag(placement, at(0, 0, 0))
    touch = place_of(placement)
    radius = shape.body.radius
    for k in range(1, 20):
        ask = np.array([0.03 * k, -0.02 * k, 0.01 * np.sin(k)]) * radius - 0.5 * normal
        before = place_of(placement)
        drag(placement, Pose(UPRIGHT, touch + ask))
        along = ask - normal * (normal @ ask)
        assert np.abs(place_of(placement) - touch - along).max() < 1e-9 * radius
        assert np.linalg.norm(place_of(placement) - before) <= 0.05 * radius


def test_a_far_cursor_behind_a_wall_does_not_slow_the_slide() -> None:
    placement = resting_box()
    steps = drag(placement, at(1.0, 0, -20.0))
    assert np.abs(place_of(placement) - [1.0, 0, 0.5]).max() < 1e-9
    assert steps <= 1.0 / (EPS * placement.state.system.radius) * 1.2 + 2


def test_a_body_moves_straight_to_the_wall_before_it_slides() -> None:
    placement = Placement(sphere(0.5).body, at(0, 0, 0.53), [floor()])
    drag(placement, at(0.3, 0, 0.23))
    for state in placement.states:
        x, _, z = state.pose.translation
        assert abs(z - max(0.53 - x, 0.5)) < 1e-3


def test_in_a_corner_a_body_stops() -> None:
    placement = Placement(sphere(0.5).body, at(0, 0, 2), [floor(), wall(-1, 0, 0, 1.5, 0, 0)])
    drag(placement, at(5.0, 0.0, -5.0))
    assert np.abs(place_of(placement) - [1.0, 0, 0.5]).max() < 1e-9
    states = len(placement.states)
    assert not drag_once(placement, at(5.0, 0.0, -5.0))
    assert len(placement.states) == states


def test_with_one_axis_free_a_slanted_wall_stops_it() -> None:
    placement = Placement(sphere(0.5).body, at(2, 0, 2), [wall(1, 0, 1, 0, 0, 0)])
    drag(placement, at(-5, 0, 0), axes=np.array([[1.0, 0.0, 0.0]]))
    x, y, z = place_of(placement)
    assert (y, z) == (0.0, 2.0)
    assert abs((x + z) / np.sqrt(2.0) - 0.5) < 1e-9


@pytest.mark.parametrize("blocked", [False, True])
def test_out_and_back_ends_where_it_began(blocked: bool) -> None:
    placement = Placement(torus().body, at(0, 0, 1.0, TURNED), [floor(), wall(-1, 0, 0, 3, 0, 0)])
    assert drag(placement, at(*((6, 1, -3) if blocked else (1, 1, 2)))) > 0
    assert np.abs(place_of(placement) - [0, 0, 1.0]).max() > 0.9
    drag(placement, at(0, 0, 1.0))
    assert (place_of(placement) == [0, 0, 1.0]).all()
    assert (placement.state.pose.rotation == placement.states[0].pose.rotation).all()


def test_from_a_contact_out_and_back_ends_within_its_clearance() -> None:
    placement = resting_box()
    drag(placement, at(3, 2, 1.5))
    drag(placement, at(0, 0, 0.5))
    assert np.abs(place_of(placement) - [0, 0, 0.5]).max() < 1e-9


# turning


def test_a_box_on_the_floor_turns_about_the_vertical_but_does_not_tilt() -> None:
    placement = resting_box()
    pivot = np.array([0, 0, 0.5])
    tilt = at(0, 0, 0, about([1, 0, 0], 30.0))
    drag(placement, tilt, pivot=pivot, axes=np.array([[1.0, 0, 0]]))
    assert np.abs(placement.state.pose.rotation - UPRIGHT).max() < 1e-9
    turn = at(0, 0, 0, about([0, 0, 1], 50.0))
    drag(placement, turn, pivot=pivot)
    assert np.abs(placement.state.pose.rotation - turn.rotation).max() < 1e-9
    assert np.abs(place_of(placement) - pivot).max() < 1e-9


def test_a_raised_box_tilts_until_its_edge_is_on_the_floor() -> None:
    placement = Placement(box().body, at(0, 0, 0.6), [floor()])
    drag(
        placement,
        at(0, 0, 0, about([1, 0, 0], 40.0)),
        pivot=np.array([0, 0, 0.6]),
        axes=np.array([[1.0, 0, 0]]),
    )
    angle = 2.0 * np.arcsin(placement.state.pose.rotation[1])
    assert abs(np.sin(angle + np.pi / 4) - 0.6 * np.sqrt(2.0)) < 1e-9


# scale, several bodies, and what comes after


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-3, 100.0])
def test_the_steps_are_the_same_at_a_millimetre_and_a_hundred_metres(scale: float) -> None:
    def run(size: float) -> tuple[int, Floats]:
        resize = np.diag([size, size, size, 1.0])
        placement = Placement(
            torus().body.transformed(resize), at(0, 0, size, TURNED), [floor().transformed(resize)]
        )
        steps = drag(placement, at(2 * size, size, -3 * size))
        return steps, place_of(placement) / size

    steps, end = run(scale)
    same_steps, same_end = run(1.0)
    assert steps == same_steps
    assert np.abs(end - same_end).max() < 1e-9


@pytest.mark.slow
def test_of_several_bodies_only_the_chosen_one_moves_and_the_others_are_in_its_way() -> None:
    actives, poses = [box().body] * 3, [at(0, 0, 0.5), at(2, 0, 0.5), at(2, 0, 1.5 + 1e-9)]
    placement = Placement.of_several(actives, poses, [floor()])
    stack = (placement.state.points.body1 == 1) & (placement.state.points.body2 == 2)
    drag(placement, at(9, 0, 0.1), body=0)
    points = placement.state.points
    assert ((points.body1 == 1) & (points.body2 == 2)).sum() == stack.sum() > 0
    assert np.abs(place_of(placement) - [1.0, 0, 0.5]).max() < 1e-8
    for body in (1, 2):
        first, last = placement.states[0].poses[body], placement.state.poses[body]
        assert (first.translation == last.translation).all()
        assert (first.rotation == last.rotation).all()
    drag(placement, at(2, 3, 1.5), body=2)
    assert placement.run().status is Status.BALANCED


@pytest.mark.slow
@pytest.mark.parametrize("body", [torus, cone, box])
def test_after_a_drag_a_body_comes_to_rest(body: Callable[..., Paired]) -> None:
    placement = Placement(body().body, at(0, 0, 3, TURNED), [floor()])
    placement.run()
    drag(placement, at(3, 1, 2.0))
    drag(placement, at(3, 2, -1.0))
    assert placement.run().status is Status.BALANCED
    assert np.hypot(*(place_of(placement) - [3, 2, 0])[:2]) < 2.0


def test_without_a_world_a_body_is_dragged_off_one_that_it_touches() -> None:
    placement = Placement.of_several([box((0.5, 0.5, 0.5)).body] * 2, [at(0, 0, 0), at(1.0, 0, 0)], [])
    drag(placement, at(2, 0, 0), body=1)
    assert np.abs(place_of(placement, 1) - [2, 0, 0]).max() < 1e-9
    drag(placement, at(0.5, 0, 0), body=1)
    assert np.abs(place_of(placement, 1) - [1, 0, 0]).max() < 1e-6


def test_a_body_that_overlaps_at_the_start_is_not_dragged() -> None:
    placement = Placement(box().body, at(0, 0, 0.2), [floor()])
    assert placement.status is Status.INTERFERING_START
    assert not drag_once(placement, at(0, 0, 3))
