"""Friction holds what textbooks say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from physplace_addon.core.placement.friction import required_friction
from physplace_addon.core.placement.friction_cones import tangents

WEIGHT = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
FEET = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
UP = np.array([0.0, 0.0, 1.0])


def contact_maps(arms):
    """The maps (k, 6, 3) of forces on one body at arms (k, 3) to their wrenches."""
    turning = np.cross(np.asarray(arms)[:, None], np.eye(3)).transpose(0, 2, 1)
    return np.concatenate([np.broadcast_to(np.eye(3), turning.shape), turning], axis=1)


@pytest.mark.parametrize("degrees", [1.0, 15.0, 40.0, 60.0])
@pytest.mark.parametrize("heading", [0.0, 0.4, 1.1])
def test_a_block_on_an_incline_needs_the_tangent_of_its_angle(degrees, heading):
    slope = np.radians(degrees)
    turn = Rotation.from_euler("zy", [heading, slope]).as_matrix()
    arms = FEET * [1.0, 1.0, 0.1] @ turn.T
    found = required_friction(WEIGHT, contact_maps(arms), np.tile(turn[:, 2], (4, 1)))
    assert abs(found - np.tan(slope)) < 1e-3 * max(1.0, np.tan(slope))


@pytest.mark.parametrize("degrees", [50.0, 65.0, 80.0])
def test_a_ladder_between_rough_floor_and_wall_needs_what_statics_says(degrees):
    lean = np.radians(degrees)
    along = np.array([np.cos(lean), 0.0, np.sin(lean)])
    aside = np.array([0.0, 0.1, 0.0])
    arms = np.array([-along + aside, -along - aside, along + aside, along - aside])
    normals = np.array([UP, UP, [-1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    expected = np.tan(0.5 * (0.5 * np.pi - lean))  # (1 - mu^2) / (2 mu) = tan(lean)
    assert abs(required_friction(WEIGHT, contact_maps(arms), normals) - expected) < 1e-3


@pytest.mark.parametrize("degrees", [50.0, 65.0, 80.0])
def test_a_ladder_that_leans_on_a_round_rail_needs_what_statics_says(degrees):
    lean = np.radians(degrees)
    along, across = np.array([np.cos(lean), 0.0, np.sin(lean)]), np.array([-np.sin(lean), 0.0, np.cos(lean)])
    aside = np.array([0.0, 0.1, 0.0])
    arms = np.array([-along + aside, -along - aside, along + aside, along - aside])
    normals = np.array([UP, UP, across, across])

    def held_by(mu):  # rail N2 = cos/2 by torques about the foot; it may rub along the ladder as well
        rail = 0.5 * np.cos(lean)
        floor_up = 1.0 - rail * np.cos(lean) - mu * rail * np.sin(lean)
        return rail * np.sin(lean) - mu * rail * np.cos(lean) <= mu * floor_up

    grid = np.linspace(0.0, 1.0, 10_001)
    expected = grid[np.argmax([held_by(mu) for mu in grid])]
    assert abs(required_friction(WEIGHT, contact_maps(arms), normals) - expected) < 1e-3


def test_a_box_pressed_by_nothing_against_a_wall_is_not_held():
    arms = np.array([[1.0, y, z] for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    assert required_friction(WEIGHT, contact_maps(arms), np.tile([-1.0, 0.0, 0.0], (4, 1))) == np.inf
    assert required_friction(WEIGHT, contact_maps(np.zeros((0, 3))), np.zeros((0, 3))) == np.inf


def test_a_box_flat_on_the_floor_needs_no_friction():
    assert required_friction(WEIGHT, contact_maps(FEET), np.tile(UP, (4, 1))) == 0.0


def test_a_ball_between_two_walls_that_close_downwards_needs_none():
    slopes = np.radians([30.0, 150.0, 90.0])
    normals = np.array([[np.cos(a), 0.0, np.sin(a)] for a in slopes[:2]])
    assert required_friction(WEIGHT, contact_maps(-normals), normals) == 0.0


def test_tangents_make_a_right_handed_frame(rng):
    n = rng.normal(size=(20, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    frame = np.stack([*tangents(n), n], axis=1)
    assert np.abs(frame @ frame.transpose(0, 2, 1) - np.eye(3)).max() < 1e-14
    assert np.abs(np.linalg.det(frame) - 1.0).max() < 1e-14
