"""The least shift that keeps a margin between shadows, held against a search over many shifts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.bodies import Body
from physplace_addon.core.placement.depenetration.footprints import least_shift
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, sphere

DOWN = (0.0, 0.0, -2.0)
HERE = Pose.identity()


def at(body: Body, x: float, y: float, angle: float = 0.0) -> Body:
    """A body somewhere in the plane, turned about z."""
    matrix = np.eye(4)
    cos, sin = np.cos(angle), np.sin(angle)
    matrix[:2, :2] = [[cos, -sin], [sin, cos]]
    matrix[:3, 3] = x, y, -3.0
    return body.transformed(matrix)


def shadow(body: Body, shift: np.ndarray) -> np.ndarray:
    """The corners (n, 2) of the hull of a body's shadow along z, shifted."""
    points = body.triangles.reshape(-1, 3)[:, :2] + shift[:2]
    corners: np.ndarray = points[ConvexHull(points).vertices]
    return corners


def distance(one: np.ndarray, two: np.ndarray) -> float:
    """The distance of two convex polygons, 0 if they overlap: the best of many separating directions."""
    angles = np.linspace(0.0, 2.0 * np.pi, 3600, endpoint=False)
    along = np.array([np.cos(angles), np.sin(angles)])
    return max(float(((two @ along).min(axis=0) - (one @ along).max(axis=0)).max()), 0.0)


def test_alone_and_where_there_is_room_it_stays() -> None:
    cube = box((0.5, 0.5, 0.5)).body
    assert not least_shift(cube, HERE, [], 1.0, DOWN).any()
    assert not least_shift(cube, HERE, [at(cube, 1.31, 0.0)], 0.3, DOWN).any()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_a_box_goes_just_as_far_as_it_must(scale: float) -> None:
    plate = box((0.5 * scale, 0.2 * scale, 0.1 * scale)).body
    shift = least_shift(plate, HERE, [at(plate, 0.0, 0.1 * scale)], 0.05 * scale, DOWN)
    np.testing.assert_allclose(shift, (0.0, -0.35 * scale, 0.0), atol=1e-9 * scale)


def test_a_turned_plate_beside_its_twin_wastes_no_room() -> None:
    plate = box((0.5, 0.05, 0.1)).body
    turn = Pose(np.array([np.cos(0.2), 0.0, 0.0, np.sin(0.2)]), np.zeros(3))
    shift = least_shift(plate, turn, [at(plate, 0.0, 0.0, 0.4)], 0.02, DOWN)
    assert np.linalg.norm(shift) == pytest.approx(0.12, rel=0.01)


def test_gravity_may_point_anywhere() -> None:
    cube = box((0.5, 0.5, 0.5)).body
    for gravity in np.random.default_rng(3).normal(size=(5, 3)):
        shift = least_shift(cube, HERE, [cube], 0.1, tuple(gravity))
        assert abs(float(shift @ gravity)) < 1e-12
        assert np.linalg.norm(shift) > 1.0


@pytest.mark.parametrize("seed", range(4))
def test_it_keeps_the_margin_and_no_much_shorter_shift_would(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [box((0.4, 0.15, 0.1)).body, sphere(0.25, resolution=(24, 12)).body]
    others = [
        at(shapes[i % 2], rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8), rng.uniform(0.0, 6.0))
        for i in range(6)
    ]
    margin = 0.07
    shift = least_shift(shapes[0], HERE, others, margin, DOWN)
    shadows = [shadow(other, np.zeros(3)) for other in others]
    assert min(distance(shadow(shapes[0], shift), each) for each in shadows) >= margin - 1e-6
    size = float(np.linalg.norm(shift))
    for length in np.linspace(0.0, 0.9 * size, 12):
        for angle in np.linspace(0.0, 2.0 * np.pi, 24):
            tried = length * np.array([np.cos(angle), np.sin(angle), 0.0])
            near = [distance(shadow(shapes[0], tried), each) for each in shadows]
            assert min(near) < margin + 0.03, "a clearly shorter shift is free"


def test_forty_copies_all_find_a_place() -> None:
    coin = sphere(0.1, resolution=(12, 6)).body
    placed: list[Body] = []
    for _ in range(40):
        shift = least_shift(coin, HERE, placed, 0.01, DOWN)
        placed.append(coin.transformed(np.vstack([np.column_stack([np.eye(3), shift]), [0, 0, 0, 1]])))
    centres = np.array([body.mass.center for body in placed])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(40, 1)]
    assert apart.min() >= 0.21 - 1e-3
    assert np.linalg.norm(centres, axis=1).max() < 0.21 * 5.0, "they lie close together"
