"""The contact adjustment: overlaps are lifted by the least change, and nothing is passed through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.adjustment import (
    CONTACT_CLEARANCE,
    OVERLAP,
    Adjusted,
    Blocked,
    adjusted,
    advanced,
    is_clear,
    least_correction,
    mirrored,
    not_among,
)
from physplace_addon.core.contact.system import InterfacePoints
from physplace_addon.core.mechanics.coordinates import FREE_BODIES
from physplace_addon.core.optimization.step_qp import Step
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, floor, sphere

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def above(body: Body, height: float, world: Sequence[Body] | None = None) -> Placement:
    return Placement(body, Pose(UPRIGHT, np.array([0.0, 0.0, height])), world or [floor()])


def down(placement: Placement, by: float) -> Floats:
    """The trial of a body moved down, as x (6,)."""
    return np.array([0.0, 0.0, -by / placement.state.system.radius, 0.0, 0.0, 0.0])


def test_a_ball_that_was_moved_into_the_floor_is_lifted_to_the_clearance() -> None:
    placement = above(sphere(0.5).body, 0.51)
    state = placement.state
    trial = state.system.displaced(down(placement, 0.02))
    found = adjusted(state, trial, state.local_points, placement.problem.reach(0.05), 0.1)
    assert isinstance(found, Adjusted)
    height = found.system.poses[0].translation[2]
    assert abs(height - 0.5 - CONTACT_CLEARANCE * found.system.radius) < 1e-14
    assert np.abs(found.system.poses[0].translation[:2]).max() < 1e-15
    assert found.points.gap.min() >= 0.0


def test_a_lift_farther_than_allowed_fails() -> None:
    placement = above(sphere(0.5).body, 0.51)
    state = placement.state
    trial = state.system.displaced(down(placement, 0.04))
    found = adjusted(state, trial, state.local_points, placement.problem.reach(0.05), 0.01)
    assert isinstance(found, Blocked)
    assert found.bodies.tolist() == [0]


def test_edges_that_cross_by_less_than_the_allowed_depth_are_lifted_apart() -> None:
    """The gap of two crossed edges is 5e-12 R, but they lead their faces far through each other."""
    half = np.sin(0.125 * np.pi)
    upper = Pose(
        np.array([np.cos(0.125 * np.pi), half, 0.0, 0.0]), np.array([0.05, -0.03, 1.001 * np.sqrt(2.0)])
    )
    lower = Pose(np.array([np.cos(0.125 * np.pi), 0.0, half, 0.0]), np.zeros(3)).matrix4
    cube = box((0.5, 0.5, 0.5)).body
    placement = Placement(cube, upper, [cube.transformed(lower)])
    state = placement.state
    low = float(state.local_points.gap.min())
    trial = state.system.displaced(down(placement, low + 5e-12 * state.system.radius))
    assert trial.triangles_overlap(OVERLAP)
    found = adjusted(state, trial, state.local_points, placement.problem.reach(0.05), 0.1)
    assert isinstance(found, Adjusted)
    assert found.points.gap.min() >= 0.0
    assert not found.system.triangles_overlap(OVERLAP)


def test_the_least_correction_changes_no_point_that_has_room() -> None:
    placement = above(box((0.5, 0.5, 0.5)).body, 0.51)
    state = placement.state
    still = least_correction(state.system, FREE_BODIES, state.local_points)
    assert still is not None
    assert np.abs(still).max() == 0.0
    sunk = state.system.displaced(down(placement, 0.015))
    points = sunk.track(state.local_points)
    x = least_correction(sunk, FREE_BODIES, points)
    assert x is not None
    lifted = sunk.displaced(x).track(points)
    assert lifted.gap.min() >= -1e-12
    assert abs(x[2] * sunk.radius - 0.005) < 1e-9


def test_a_step_through_a_thin_plate_is_solved_again_with_what_it_would_cross() -> None:
    thin = np.diag([1.0, 1.0, 0.01, 1.0])
    plate = box((2.0, 2.0, 0.1)).body.transformed(thin)
    placement = above(box((0.5, 0.5, 0.5)).body, 0.6, [plate])
    start = replace(placement.state, local_points=InterfacePoints.none())
    asked = []

    def solve_again(points: InterfacePoints) -> Step:
        asked.append(len(points))
        return Step(np.zeros(6), np.zeros(len(points)))

    taken = advanced(
        start, Step(down(placement, 0.3), np.zeros(0)), solve_again, placement.problem.reach(0.05), 0.5
    )
    assert asked
    assert asked[0] > 0
    assert isinstance(taken, Adjusted)
    assert taken.system.poses[0].translation[2] == 0.6


def test_what_was_crossed_on_the_way_is_not_clear() -> None:
    thin = np.diag([1.0, 1.0, 0.01, 1.0])
    plate = box((2.0, 2.0, 0.1)).body.transformed(thin)
    placement = above(box((0.1, 0.1, 0.1)).body, 0.2, [plate])
    state = placement.state
    beyond = state.system.displaced(down(placement, 0.4))
    assert is_clear(state.system, state.system, state.local_points)
    assert not is_clear(state.system, beyond, InterfacePoints.none())


def test_points_are_new_if_their_pair_of_features_is() -> None:
    points = above(box((0.5, 0.5, 0.5)).body, 0.51).state.local_points
    assert len(points) > 1
    assert len(not_among(points, points.take(slice(1)))) == len(points) - 1
    assert len(not_among(points, points)) == 0


def test_a_contact_seen_from_the_wrong_side_mirrors_the_known_one() -> None:
    placement = above(box().body, 0.5 + 1e-10)
    system, points = placement.state.system, placement.state.local_points
    wrong = replace(points, normal=-points.normal, side=-points.side, gap=-points.gap)
    assert len(mirrored(system, wrong, points)) == len(points) > 0
    assert len(mirrored(system, points, points)) == 0
    deeper = replace(wrong, gap=wrong.gap - 1e-9)
    assert len(mirrored(system, deeper, points)) == 0
    assert len(mirrored(system, wrong, InterfacePoints.none())) == 0
