"""From near a rest, polishing ends at the rest itself, to rounding, and leaves alone what is free."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.spatial.transform import Rotation

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, exact
from physplace_addon.core.contact.features import FACE
from physplace_addon.core.contact.system import BodyPair, InterfacePoints
from physplace_addon.core.mechanics.external_wrench import ExternalWrench
from physplace_addon.core.mechanics.forces import Gravity
from physplace_addon.core.placement.newton_refinement import Refinement, refine
from physplace_addon.core.placement.refinement_system import least_squares_of_many
from physplace_addon.core.surfaces import kinds
from tests.core.contact.body_pairs import as_system, everything_within, meet, prepared

CLEARANCE = 1e-10
QUARTER = 0.5 * np.pi


def polished(
    active: str | Body,
    turn: ArrayLike,
    at: ArrayLike,
    displacement: Floats,
    wanted: Callable[[InterfacePoints], Ints],
    tolerance: float = 0.02,
) -> Refinement:
    """Polish `active` from beside a rest, on the points that `wanted` chooses where it rests."""
    rest = meet(active, "slab", turn, at)
    points = everything_within(rest, 0.02 * rest.radius)
    points = points.take(np.abs(points.gap) < 1e-8)
    points = points.take(wanted(points))
    found = balanced(rest.displaced(displacement), points)
    assert found is not None
    assert found.residual < 1e-12
    assert np.abs(found.moved).max() < tolerance
    return found


def balanced(
    start: BodyPair, points: InterfacePoints, direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
) -> Refinement | None:
    k = len(points)
    load = ExternalWrench(Gravity.along(direction))
    return refine(as_system(start), points, np.full(k, 1.0 / k), load, np.full(k, CLEARANCE))


def around(points: InterfacePoints, count: int = 6) -> Ints:
    """The point nearest to each of `count` directions about the z axis."""
    angles = np.arange(count) * 2.0 * np.pi / count
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    sharp = np.nonzero((points.dim1 != FACE) | (points.dim1 == FACE).all())[0]
    return np.unique(sharp[np.argmax(points.point1[sharp, :2] @ directions.T, axis=0)])


def lowest(points: InterfacePoints) -> Ints:
    return np.array([int(np.argmin(points.gap))])


def touching_force(found: Refinement) -> None:
    assert abs(found.forces.sum() - 1.0) < 1e-12
    height = found.points.point1[:, 2] / found.system.radius
    assert np.abs(height - CLEARANCE).max() < 1e-12


def test_a_ball_comes_to_stand_on_its_lowest_point() -> None:
    found = polished("ball", (0.0, 0.0, 0.0), (0.3, 0.2, 1.0), np.array([0, 0, 0.01, 0, 0, 0]), lowest)
    touching_force(found)
    assert np.abs(found.system.poses[0].translation - [0.3, 0.2, 1.0 + CLEARANCE]).max() < 1e-12


@pytest.mark.parametrize(
    ("active", "height"), [("torus", 0.3), ("cylinder", 1.0), ("cone", 1.0), ("cube", 0.5)]
)
def test_a_body_that_stands_a_little_tilted_comes_to_stand_upright(active: str, height: float) -> None:
    tilt = np.array([0.0, 0.0, 2e-3, 1e-3, -5e-4, 0.0])
    found = polished(active, (0.0, 0.0, 0.0), (0.1, 0.0, height), tilt, around)
    touching_force(found)
    assert found.forces.min() > -1e-9
    assert np.abs(found.system.poses[0].matrix[:, 2] - [0.0, 0.0, 1.0]).max() < 1e-12
    at = found.system.poses[0].translation[2] - CLEARANCE * found.system.radius
    assert abs(at - height) < 1e-12


def both_ends(points: InterfacePoints) -> Ints:
    rims = np.nonzero(points.dim1 != FACE)[0]
    along = points.point1[rims, 1]
    return rims[[int(np.argmin(along)), int(np.argmax(along))]]


@pytest.mark.parametrize("roll", [0.0, 0.4, 2.0])
def test_a_lying_cylinder_keeps_its_roll(roll: float) -> None:
    turned = Rotation.from_rotvec([0.0, roll, 0.0]) * Rotation.from_rotvec([QUARTER, 0.0, 0.0])
    tilt = np.array([0.0, 0.0, 2e-3, 1e-3, 0.0, 0.0])
    found = polished("cylinder", turned.as_rotvec(), (0.0, 0.0, 0.5), tilt, both_ends)
    touching_force(found)
    assert np.abs(found.forces - 0.5).max() < 1e-9
    assert abs(found.system.poses[0].matrix[2, 2]) < 1e-12
    assert abs(found.moved[4]) < 1e-9
    assert abs(found.system.centres[0][2] - 0.5 - CLEARANCE * found.system.radius) < 1e-12


@pytest.mark.parametrize("exponent", [0.5, 0.6])
def test_a_body_with_a_flat_pole_comes_to_stand_on_it(exponent: float) -> None:
    solid = exact(kinds.superquadric(1.2, 1.0, 0.8, exponent, exponent), "pillow", resolution=(48, 24))
    tilt = np.array([0.0, 0.0, 1e-3, 0.01, 0.006, 0.0])
    found = polished(solid, (0.0, 0.0, 0.0), (0.0, 0.0, 0.8), tilt, lowest, tolerance=0.1)
    touching_force(found)
    assert abs(found.system.poses[0].translation[2] - 0.8) < 1e-9
    assert abs(found.system.poses[0].matrix[2, 2] - 1.0) < 1e-3


def test_an_ellipsoid_comes_to_stand_on_its_shortest_axis() -> None:
    tilt = np.array([0.0, 0.0, 1e-3, 0.02, -0.03, 0.0])
    found = polished("ellipsoid", (0.0, 0.0, 0.0), (0.0, 0.0, 0.8), tilt, lowest, tolerance=0.1)
    touching_force(found)
    assert np.abs(found.system.poses[0].matrix[:, 2] - [0.0, 0.0, 1.0]).max() < 1e-12


def test_what_cannot_balance_is_not_polished() -> None:
    start = meet("cube", "slab", (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    points = everything_within(start, 0.05)
    corner = points.take(np.array([int(np.argmax(points.point1[:, 0]))]))
    assert balanced(start, corner, (0.6, 0.0, -0.8)) is None


def test_a_big_body_is_polished_like_a_small_one() -> None:
    scale = np.diag([1000.0, 1000.0, 1000.0, 1.0])
    big, floor = prepared("torus").body.transformed(scale), prepared("slab").body.transformed(scale)
    rest = meet(big, floor, (0.0, 0.0, 0.0), (0.0, 0.0, 300.0))
    points = everything_within(rest, 0.02 * rest.radius)
    start = rest.displaced(np.array([0.0, 0.0, 2e-3, 1e-3, 0.0, 0.0]))
    found = balanced(start, points.take(around(points)))
    assert found is not None
    assert abs(found.system.poses[0].translation[2] / 1000.0 - 0.3 - 1.3 * CLEARANCE) < 1e-12


def test_the_sparse_least_squares_of_many_bodies_are_those_of_least_norm(rng: np.random.Generator) -> None:
    matrix = rng.normal(size=(80, 30)) @ rng.normal(size=(30, 60))  # of rank 30
    right = rng.normal(size=80)
    expected = np.linalg.lstsq(matrix, right, rcond=1e-9)[0]
    found = least_squares_of_many(sparse.csc_array(matrix), right)
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()
