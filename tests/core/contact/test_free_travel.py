"""How far a body of a contact system may go: never too far, and exactly that between flat faces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import heaps
from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import free_travel
from physplace_addon.core.contact.free_travel import free_distance, free_falls, least_distance
from physplace_addon.core.contact.system import FIXED, ContactSystem
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import box, floor

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
DOWN = np.array([0.0, 0.0, -1.0])


def two_boxes(turn: Floats = UPRIGHT) -> ContactSystem:
    """One box over the other, which stands two over a floor."""
    body = box((0.5, 0.5, 0.5)).body
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, 5.5])), Pose(turn, np.array([0.0, 0.0, 2.5]))]
    return ContactSystem.of([body, body], poses, [floor()])


def test_a_body_falls_to_what_is_first_below_it() -> None:
    system = two_boxes()
    assert abs(free_distance(system, 0, DOWN, 0.1) - 1.9) < 1e-6
    assert abs(free_distance(system, 1, DOWN, 0.0) - 2.0) < 1e-6
    assert np.isinf(free_distance(system, 0, -DOWN, 0.1))


def test_the_way_is_the_same_to_a_turned_body() -> None:
    system = two_boxes(quaternion_exponential(np.array([0.0, 0.0, 0.7])))
    assert abs(free_distance(system, 0, DOWN, 0.0) - 2.0) < 1e-6


def test_the_distance_is_that_of_the_nearest_body_and_no_more_than_asked_for() -> None:
    system = two_boxes()
    assert 1.9 < least_distance(system, 0) <= 2.0
    assert least_distance(system, 0, most=0.5) == 0.5


def test_a_column_falls_at_once_each_body_onto_the_one_below() -> None:
    body = box((0.5, 0.5, 0.5)).body
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, z])) for z in (5.5, 1.5, 3.5)]
    system = ContactSystem.of([body] * 3, poses, [floor()])
    near, least = np.full(3, 0.1), np.full(3, 0.05)
    far = free_falls(system, np.ones(3, bool), DOWN, near, least)
    assert np.abs(5.5 - far[0] - (0.5 + 2.0 + 0.3)) < 1e-6
    assert np.abs(1.5 - far[1] - (0.5 + 0.1)) < 1e-6
    assert np.abs(3.5 - far[2] - (0.5 + 1.0 + 0.2)) < 1e-6
    held = free_falls(system, np.array([True, False, True]), DOWN, near, least)
    assert held[1] == 0.0
    assert np.abs(3.5 - held[2] - 2.6) < 1e-6
    assert (free_falls(system, np.ones(3, bool), DOWN, near, np.full(3, 10.0)) == 0.0).all()
    assert np.isinf(free_falls(system, np.ones(3, bool), -DOWN, near, least)).any()


@pytest.mark.parametrize("direction", [DOWN, np.array([0.6, 0.0, -0.8]), np.array([2.0, 1.0, -2.0]) / 3.0])
def test_many_bodies_fall_as_far_as_a_search_of_all_pairs_lets_each(direction: Floats) -> None:
    bodies, poses, world = heaps.heap(True, 15, 0)
    system = ContactSystem.of(bodies, poses, world)
    far = free_falls(system, np.ones(15, bool), direction, 0.1 * system.radii, np.zeros(15))
    fell = np.zeros(15, bool)
    for body in np.argsort(-system.centres @ direction).tolist():
        pairs = [system.body_pair((body, other)) for other in [FIXED, *range(15)] if other != body]
        along = [system.poses[other].inverse().vectors(direction) for other in range(15) if other != body]
        ways = [
            free_travel(pair.active.tree, pair.pose, pair.world.tree, way, 0.1 * float(system.radii[body]))
            for pair, way in zip(pairs, [direction, *along], strict=True)
        ]
        assert abs(far[body] - min(ways)) < 1e-9
        moved = list(system.poses)
        moved[body] = Pose(moved[body].rotation, moved[body].translation + far[body] * direction)
        system, fell[body] = system.at(moved), far[body] > 0.0
    assert fell.sum() > 10


def test_pairs_that_never_meet_are_not_in_each_others_way() -> None:
    system = replace(two_boxes(), never_meeting=frozenset({(0, 1), (1, FIXED)}))
    assert abs(free_distance(system, 0, DOWN, 0.0) - 5.0) < 1e-6
    assert np.isinf(free_distance(system, 1, DOWN, 0.0))
    assert 4.9 < least_distance(system, 0) <= 5.0
    assert np.isinf(least_distance(system, 1))
    near, least = np.full(2, 0.1), np.full(2, 0.05)
    far = free_falls(system, np.array([True, False]), DOWN, near, least)
    assert abs(far[0] - 4.9) < 1e-6
