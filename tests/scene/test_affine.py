"""Single precision taken out of an object's matrix."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.rigid import rotation_matrix
from physplace_addon.scene.affine import is_similarity, is_singular, split


def _float32_matrix(rotation_vector: np.ndarray, scale: tuple[float, ...]) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_matrix(rotation_vector) * scale
    matrix[:3, 3] = (1.0, -2.0, 3.0)
    return matrix.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (1.2, 0.3, 2.0), (-1.0, 1.0, 1.0)])
def test_the_pose_is_rigid_and_the_stretch_is_what_the_artist_typed(scale: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        matrix = _float32_matrix(rng.normal(size=3), scale)
        placed = split(matrix)
        np.testing.assert_allclose(placed.affine, matrix, atol=2e-6)
        np.testing.assert_allclose(np.abs(np.diag(placed.stretch)), np.abs(scale), rtol=1e-15)
        np.testing.assert_array_equal(placed.stretch - np.diag(np.diag(placed.stretch)), 0.0)


def test_a_turned_cylinder_stays_round() -> None:
    placed = split(_float32_matrix(np.array([0.3, 0.0, 1.1]), (0.123456789, 0.123456789, 1.0)))
    assert placed.stretch[0, 0] == placed.stretch[1, 1]


def test_a_shear_is_kept() -> None:
    matrix = np.eye(4)
    matrix[0, 1] = 0.5
    placed = split(matrix)
    np.testing.assert_allclose(placed.affine, matrix, atol=1e-6)
    assert np.abs(placed.stretch[0, 1]) > 0.1


def test_flat_and_shape_keeping_maps_are_told_apart() -> None:
    flat = np.diag([1.0, 1.0, 0.0, 1.0])
    assert is_singular(flat)
    assert not is_singular(np.diag([1.0, 1e-3, 1.0, 1.0]))
    assert is_similarity(_float32_matrix(np.ones(3), (-2.0, 2.0, 2.0)))
    assert not is_similarity(np.diag([1.0, 1.0, 1.01, 1.0]))


def test_a_wall_stands_upright() -> None:
    matrix = _float32_matrix(np.array([0.0, 0.5 * np.pi, 0.0]), (1.0, 1.0, 1.0))
    np.testing.assert_allclose(np.abs(split(matrix).affine[:3, 2]), (1.0, 0.0, 0.0), atol=1e-15)
