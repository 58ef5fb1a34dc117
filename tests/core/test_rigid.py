"""Poses and rotations against their definitions."""

import numpy as np
import pytest
from scipy.linalg import expm

from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.rigid import (
    Pose,
    Poses,
    poses_of,
    quaternion_exponential,
    quaternion_from_matrix,
    quaternion_matrix,
    quaternion_product,
    rotation_matrix,
    rotation_vector,
    skew,
)


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose(rng.normal(size=4), rng.normal(size=3))


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 1e-4, 1.0, np.pi, 5.0])
def test_a_rotation_vector_turns_as_the_matrix_exponential_does(
    rng: np.random.Generator, angle: float
) -> None:
    axis = rng.normal(size=3)
    vector = angle * axis / np.linalg.norm(axis)
    assert np.allclose(rotation_matrix(vector), expm(skew(vector)), rtol=0.0, atol=1e-14)
    assert np.allclose(quaternion_matrix(quaternion_exponential(vector)), rotation_matrix(vector), atol=1e-15)


def test_batches_of_rotations_are_the_single_ones(rng: np.random.Generator) -> None:
    vectors = rng.normal(size=(2, 5, 3))
    batch = rotation_matrix(vectors)
    assert batch.shape == (2, 5, 3, 3)
    assert np.array_equal(batch[1, 3], rotation_matrix(vectors[1, 3]))
    assert np.allclose(rotation_vector(quaternion_exponential(vectors)), vectors, atol=1e-14)


def test_skew_is_the_cross_product(rng: np.random.Generator) -> None:
    v, w = rng.normal(size=(2, 7, 3))
    assert np.allclose(np.einsum("kij,kj->ki", skew(v), w), np.cross(v, w), atol=1e-15)


def test_a_product_of_quaternions_is_the_product_of_their_rotations(rng: np.random.Generator) -> None:
    a, b = random_pose(rng).rotation, random_pose(rng).rotation
    product = quaternion_matrix(quaternion_product(a, b))
    assert np.allclose(product, quaternion_matrix(a) @ quaternion_matrix(b), atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1.0, np.pi - 1e-9, np.pi])
def test_every_rotation_matrix_gives_its_quaternion_back(rng: np.random.Generator, angle: float) -> None:
    for axis in np.vstack([np.eye(3), rng.normal(size=(4, 3))]):
        matrix = rotation_matrix(angle * axis / np.linalg.norm(axis))
        assert np.allclose(quaternion_matrix(quaternion_from_matrix(matrix)), matrix, atol=1e-14)


def test_a_single_precision_matrix_becomes_a_rotation(rng: np.random.Generator) -> None:
    rough = random_pose(rng).matrix.astype(np.float32).astype(np.float64)
    pose = Pose.from_matrix(rough)
    assert np.allclose(pose.matrix @ pose.matrix.T, np.eye(3), rtol=0.0, atol=1e-15)
    assert np.allclose(pose.matrix, rough, atol=1e-7)


@pytest.mark.parametrize(
    "matrix", [np.diag([1.0, 1.0, -1.0]), 2.0 * np.eye(3), np.full((3, 3), np.nan), np.eye(2)]
)
def test_a_matrix_that_is_no_rotation_is_refused(matrix: Floats) -> None:
    with pytest.raises(PhysPlaceError, match="pose"):
        Pose.from_matrix(matrix)


@pytest.mark.parametrize("rotation", [np.zeros(4), np.full(4, np.nan), np.ones(3)])
def test_a_quaternion_that_is_no_rotation_is_refused(rotation: Floats) -> None:
    with pytest.raises(PhysPlaceError, match="pose"):
        Pose(rotation, np.zeros(3))


def test_inverse_and_composition_agree_with_the_matrices(rng: np.random.Generator) -> None:
    a, b, points = random_pose(rng), random_pose(rng), rng.normal(size=(6, 3))
    assert np.allclose(a.compose(b).matrix4, a.matrix4 @ b.matrix4, atol=1e-14)
    assert np.allclose(a.inverse().points(a.points(points)), points, atol=1e-14)
    assert np.allclose(a.vectors(points), a.points(points) - a.translation, atol=1e-14)


def test_a_displacement_turns_about_the_given_point_then_translates(rng: np.random.Generator) -> None:
    pose, points = random_pose(rng), rng.normal(size=(6, 3))
    theta, center, shift = rng.normal(size=(3, 3))
    expected = (pose.points(points) - center) @ rotation_matrix(theta).T + center + shift
    assert np.allclose(pose.displaced(shift, theta, center).points(points), expected, atol=1e-14)


def test_a_displacement_by_nothing_changes_no_digit(rng: np.random.Generator) -> None:
    pose = random_pose(rng)
    same = pose.displaced(np.zeros(3), np.zeros(3), 1e3 * rng.normal(size=3))
    assert np.array_equal(same.translation, pose.translation)
    assert np.allclose(same.rotation, pose.rotation, rtol=0.0, atol=2e-16)


def test_five_thousand_steps_leave_a_rotation(rng: np.random.Generator) -> None:
    pose = Pose.identity()
    for theta in 0.1 * rng.normal(size=(5_000, 3)):
        pose = pose.displaced(np.zeros(3), theta, np.zeros(3))
    assert np.allclose(pose.matrix @ pose.matrix.T, np.eye(3), rtol=0.0, atol=1e-14)
    assert np.linalg.norm(pose.translation) == 0.0


def test_a_pose_cannot_be_changed_in_place() -> None:
    pose = Pose.identity()
    with pytest.raises(ValueError, match="read-only"):
        pose.translation[0] = 1.0


@pytest.mark.parametrize("length", [1.0, 1.0 + 1e-9, 3.0])
def test_poses_made_at_once_are_those_made_one_by_one(rng: np.random.Generator, length: float) -> None:
    each = [random_pose(rng) for _ in range(5)]
    rotation = length * np.array([pose.rotation for pose in each])
    translation = np.array([pose.translation for pose in each])
    for made, turn, place in zip(poses_of(rotation, translation), rotation, translation, strict=True):
        alone = Pose(turn, place)
        assert (made.rotation == alone.rotation).all()
        assert (made.translation == place).all()
        assert (made.matrix == alone.matrix).all()
        assert not any(part.flags.writeable for part in (made.rotation, made.translation, made.matrix))
    with pytest.raises(PhysPlaceError):
        poses_of(rotation, np.full((5, 3), np.nan))
    with pytest.raises(PhysPlaceError):
        poses_of(0.0 * rotation, translation)


def test_poses_at_once_are_the_poses_one_by_one(rng: np.random.Generator) -> None:
    single = [Pose(rng.normal(size=4), rng.normal(size=3)) for _ in range(4)]
    every, at, tangents = Poses.of(single), rng.normal(size=(4, 3)), rng.normal(size=(4, 2, 3))
    np.testing.assert_allclose(every.points(at), [p.points(x) for p, x in zip(single, at, strict=True)])
    np.testing.assert_allclose(every.vectors(at), [p.vectors(x) for p, x in zip(single, at, strict=True)])
    turned = [p.vectors(x) for p, x in zip(single, tangents, strict=True)]
    np.testing.assert_allclose(every.vectors(tangents), turned)
    np.testing.assert_allclose(every.inverse().points(every.points(at)), at, atol=1e-14)
