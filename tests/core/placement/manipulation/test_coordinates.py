"""One body in a hand: its coordinates lead to the target, along free axes, and gaps obey the chain rule."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.placement.manipulation.coordinates import ManipulatedBody
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.core.mechanics.derivatives import assert_derivatives, near_ellipsoids

PIVOT = np.array([0.4, -0.5, 1.9])
AXES = np.array([[0.3, 0.5, -0.2]])
PLANE = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 3.0, 0.0]])


def target(seed: int) -> Pose:
    rng = np.random.default_rng(100 + seed)
    return Pose(quaternion_exponential(rng.normal(size=3)), rng.normal(size=3))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("pivot", [None, PIVOT], ids=["shift", "turn"])
@pytest.mark.parametrize(("axes", "size"), [(None, 3), (AXES, 1), (PLANE, 2)])
def test_gradients_and_curvatures_of_gaps_are_those_of_differences(
    seed: int, pivot: Floats | None, axes: Floats | None, size: int
) -> None:
    coordinates = ManipulatedBody.of(0, target(seed), pivot, axes)
    assert coordinates.size(near_ellipsoids(seed)) == size
    assert_derivatives(coordinates, near_ellipsoids(seed))


def test_all_that_remains_leads_exactly_to_the_target() -> None:
    system, there = near_ellipsoids(0), target(0)
    shift = ManipulatedBody.of(0, there, None, None)
    moved = shift.displaced(system, shift.remaining(system)).poses[0]
    assert np.array_equal(moved.translation, there.translation)
    assert np.array_equal(moved.rotation, system.poses[0].rotation)
    turn = ManipulatedBody.of(0, there, PIVOT, None)
    moved = turn.displaced(system, turn.remaining(system)).poses[0]
    assert np.array_equal(moved.rotation, there.rotation)
    own = system.poses[0].inverse().points(PIVOT)
    assert np.abs(moved.points(own) - PIVOT).max() < 1e-14


def test_a_shift_keeps_to_its_free_axes() -> None:
    system = near_ellipsoids(1)
    coordinates = ManipulatedBody.of(0, target(1), None, PLANE)
    moved = coordinates.displaced(system, coordinates.remaining(system))
    way = moved.poses[0].translation - system.poses[0].translation
    wanted = target(1).translation - system.poses[0].translation
    assert np.abs(way - wanted * [1.0, 1.0, 0.0]).max() < 1e-14


@pytest.mark.parametrize("pivot", [None, PIVOT], ids=["shift", "turn"])
def test_the_length_is_the_farthest_that_a_point_of_the_body_moves(pivot: Floats | None) -> None:
    system, rng = near_ellipsoids(2), np.random.default_rng(7)
    coordinates, points = ManipulatedBody.of(0, target(2), pivot, None), system.bodies[0].body.points
    for _ in range(5):
        x = 0.05 * rng.normal(size=3)
        moved = coordinates.displaced(system, x)
        away = moved.poses[0].points(points) - system.poses[0].points(points)
        far = np.linalg.norm(away, axis=1).max() / system.radii[0]
        assert 0.5 * far <= coordinates.length(system, x)
        assert far <= coordinates.length(system, x) * (1.0 + 1e-12)


def test_only_the_body_in_the_hand_moves() -> None:
    system = near_ellipsoids(3)
    coordinates = ManipulatedBody.of(1, target(3), PIVOT, None)
    assert coordinates.moving == (1,)
    moved = coordinates.displaced(system, np.array([0.1, 0.2, 0.3]))
    assert moved.poses[0] is system.poses[0]
    assert np.abs(coordinates.twists(system)[:6]).max() == 0.0
