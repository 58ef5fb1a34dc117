"""Motions that contacts at one place leave free: one row of them is enough."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import InterfacePoints
from physplace_addon.core.mechanics.free_motions import (
    falling_motions,
    firm_contacts,
    places,
    relaxed_sets,
)
from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import box

DOWN = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
NONE = np.zeros(0, np.intp)


def row(normal: tuple[float, float, float]) -> Floats:
    """The gradient of a contact under the centre of mass."""
    unit = np.array(normal) / np.linalg.norm(normal)
    return np.concatenate([unit, np.zeros(3)])


ROOF = np.stack([row((1.0, 0.0, 1.0)), row((-1.0, 0.0, 1.0))])


def test_a_corner_on_a_ridge_may_fall_to_either_side() -> None:
    motions = falling_motions(DOWN, ROOF, np.array([0, 0]), NONE, 1e-3)
    slides = [motion for motion in motions if abs(motion[0]) > 1e-6]
    assert {np.sign(motion[0]) for motion in slides} == {-1.0, 1.0}
    for motion in slides:
        assert (ROOF @ motion).max() > -1e-12
        assert DOWN @ motion > 0.7


def test_a_body_that_touches_nothing_falls_as_it_is_pulled() -> None:
    free = InterfacePoints.none()
    place = places(free, 1e-6)
    motions = falling_motions(DOWN, np.zeros((0, 6)), place, NONE, 1e-3)
    assert (motions == DOWN).all()
    assert len(falling_motions(np.zeros(6), np.zeros((0, 6)), place, NONE, 1e-3)) == 0
    assert len(falling_motions(1e-16 * DOWN, np.zeros((0, 6)), place, NONE, 1e-3)) == 0, "that is rounding"


def test_two_corners_in_two_places_are_let_go_one_at_a_time() -> None:
    motions = falling_motions(DOWN, ROOF, np.array([0, 1]), NONE, 1e-3)
    assert len(motions) == 2
    assert np.abs(np.abs(motions[:, 0]) - np.sqrt(0.5)).max() < 1e-12


def test_no_motion_falls_by_less_than_the_least_slope() -> None:
    flat = np.stack([row((1e-4, 0.0, 1.0)), row((-1e-4, 0.0, 1.0))])
    motions = falling_motions(DOWN, flat, np.array([0, 0]), NONE, 1e-3)
    assert len(motions) == 1
    assert motions[0] @ DOWN == 1.0


def test_a_bilateral_contact_is_in_every_set() -> None:
    motions = falling_motions(DOWN, ROOF, np.array([0, 0]), np.array([0]), 1e-3)
    assert len(motions)
    assert np.abs(motions @ ROOF[0]).max() < 1e-12


def test_contacts_that_bind_alike_are_let_go_together() -> None:
    twice = np.concatenate([ROOF, ROOF])
    sets = [tuple(kept.tolist()) for kept in relaxed_sets(twice, np.zeros(4, np.intp))]
    assert (True, False, True, False) in sets
    assert (True, False, False, False) not in sets


def test_corners_on_two_ridges_fall_off_both_at_once() -> None:
    left, right = ROOF.copy(), ROOF.copy()
    left[:, 4], right[:, 4] = 0.5, -0.5
    both = np.concatenate([left, right])
    kept = [tuple(kept.tolist()) for kept in relaxed_sets(both, np.array([0, 0, 2, 2]))]
    assert (True, False, True, False) in kept


def test_contacts_that_do_not_press_are_not_let_go() -> None:
    """Thousands of contacts of a flat body give one set for each that bears it, at most."""
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    inner = np.random.default_rng(2).uniform(-0.9, 0.9, (400, 2))
    at = np.concatenate([corners, inner])
    flat = np.zeros((len(at), 6))
    flat[:, 2], flat[:, 3], flat[:, 4] = 1.0, at[:, 1], -at[:, 0]
    assert len(falling_motions(DOWN, flat, np.arange(len(at)), NONE, 1e-3)) == 0


def test_a_place_of_a_firm_contact_is_left_as_it_is() -> None:
    firm = np.array([True, False])
    assert len(falling_motions(DOWN, ROOF, np.array([0, 0]), NONE, 1e-3, firm)) == 0
    motions = falling_motions(DOWN, ROOF, np.array([0, 1]), NONE, 1e-3, firm)
    assert len(motions) == 1
    assert abs(motions[0] @ ROOF[0]) < 1e-12  # it keeps the first


def firm_corners(shift: float, length: float) -> list[bool]:
    """Whether the corners of a cube on a slab of half width 2, shifted by a length, are firm."""
    slab, cube = box((2.0, 2.0, 0.5)).body, box().body
    pose = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([shift, 0.0, 1.0 + 1e-10]))
    state = Placement(cube, pose, [slab]).state
    points = state.local_points
    corners = points.take(points.gap < 1e-6)
    firm = firm_contacts(state.system, corners, length)
    return [bool(firm[row]) for row in np.argsort(corners.point1[:, 0], kind="stable")]


def test_corners_far_inside_a_face_are_firm_and_those_near_its_border_are_not() -> None:
    cube = box().body
    assert firm_corners(0.0, 1e-3) == [True] * 4
    assert firm_corners(1.49, 1e-3 / cube.radius) == [True] * 4  # .01 from the border, of three lengths .003
    assert firm_corners(1.49, 4e-3 / cube.radius) == [True, True, False, False]


def test_edges_that_cross_inside_both_are_firm() -> None:
    ridge, cube = box().body, box().body
    lying = Pose(quaternion_exponential(np.array([np.pi / 4, 0.0, 0.0])), np.zeros(3))
    across = Pose(quaternion_exponential(np.array([0.0, np.pi / 4, 0.0])), np.array([0.0, 0.0, np.sqrt(2.0)]))
    state = Placement(cube, across, [ridge.transformed(lying.matrix4)]).state
    touching = state.local_points.take(state.local_points.gap < 1e-6)
    assert touching.kinds() == ["edge/edge"]
    assert firm_contacts(state.system, touching, 1e-2).tolist() == [True]
    assert firm_contacts(state.system, touching, 0.5).tolist() == [False]
