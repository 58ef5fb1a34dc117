"""Rigid motions: rotation vectors, unit quaternions, poses.

A pose takes a body's own frame to the world: `x_world = R(q) x + t`, with `q = (w, x, y, z)` a unit
quaternion. A small displacement (Snyder 1995, section 5.3) turns the body about a given world point by a
rotation vector `theta` (axis times angle, radians) and then translates it; it is applied through the exact
exponential map and the quaternion is normalized again, so poses don't drift however many steps are taken.
(The paper prints the sine and cosine of its update quaternion the wrong way round; here `q' =
(cos(|theta|/2), sin(|theta|/2) axis) q`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .arrays import ArrayRecord, Floats
from .errors import PhysPlaceError

__all__ = [
    "Pose",
    "Poses",
    "poses_of",
    "quaternion_conjugate",
    "quaternion_exponential",
    "quaternion_from_matrix",
    "quaternion_matrix",
    "quaternion_product",
    "rotation_change",
    "rotation_matrix",
    "rotation_vector",
    "skew",
]

UNIT_TOLERANCE = 1e-15
"""Largest departure of a quaternion's length from 1 that rounding causes; it is then left as it is."""

RIGID_TOLERANCE = 1e-4
"""Largest departure of R' R from 1 for a rotation: Blender's matrices are float32 products of several
maps."""


def skew(vectors: ArrayLike) -> Floats:
    """Return the matrices (..., 3, 3) of vectors (..., 3) for which `skew(v) @ w == cross(v, w)`."""
    v = np.asarray(vectors, dtype=np.float64)
    matrices = np.zeros((*v.shape, 3))
    matrices[..., 0, 1], matrices[..., 0, 2], matrices[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    matrices[..., 1, 0], matrices[..., 2, 0], matrices[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return matrices


def rotation_matrix(rotation_vector: ArrayLike) -> Floats:
    """Return the rotations (..., 3, 3) about the axes of rotation vectors (..., 3) by their lengths in
    radians.

    Rodrigues: `R = 1 + sin(a)/a [v] + (1 - cos(a))/a^2 [v]^2`, both factors as sinc, exact down to angle
    zero.
    """
    matrix: Floats = np.eye(3) + rotation_change(rotation_vector)
    return matrix


def rotation_change(rotation_vector: ArrayLike) -> Floats:
    """Return R - 1 (..., 3, 3) of rotation vectors (..., 3) in radians, to full relative precision."""
    v = np.asarray(rotation_vector, dtype=np.float64)
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    cross = skew(v)
    sine_over_angle = np.sinc(angle / np.pi)
    versine_over_square = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    change: Floats = sine_over_angle * cross + versine_over_square * (cross @ cross)
    return change


def quaternion_exponential(rotation_vector: ArrayLike) -> Floats:
    """Return the unit quaternions (..., 4) of rotation vectors (..., 3) in radians."""
    v = np.asarray(rotation_vector, dtype=np.float64)
    half = 0.5 * np.linalg.norm(v, axis=-1)[..., None]
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def rotation_vector(quaternion: ArrayLike) -> Floats:
    """Return the rotation vectors (..., 3) in radians, of length at most pi, of unit quaternions (..., 4)."""
    q = np.asarray(quaternion, dtype=np.float64)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1)[..., None]
    half = np.arctan2(sine, q[..., :1])
    scale = 2.0 / np.sinc(half / np.pi)  # angle / sin(angle / 2); half is at most pi / 2
    vector: Floats = scale * q[..., 1:]
    return vector


# i q, j q and k q as permutations of q = (w, x, y, z) with signs; np.cross would take most of a pose's time
_TIMES_I, _SIGNS_I = [1, 0, 3, 2], np.array([-1.0, 1.0, -1.0, 1.0])
_TIMES_J, _SIGNS_J = [2, 3, 0, 1], np.array([-1.0, 1.0, 1.0, -1.0])
_TIMES_K, _SIGNS_K = [3, 2, 1, 0], np.array([-1.0, -1.0, 1.0, 1.0])


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Hamilton's product a b (..., 4): the rotation b followed by the rotation a."""
    p, q = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    w, x, y, z = (p[..., i : i + 1] for i in range(4))
    product: Floats = w * q
    product += x * (q[..., _TIMES_I] * _SIGNS_I)
    product += y * (q[..., _TIMES_J] * _SIGNS_J)
    product += z * (q[..., _TIMES_K] * _SIGNS_K)
    return product


def quaternion_conjugate(quaternion: ArrayLike) -> Floats:
    """Return the inverse rotations (..., 4) of unit quaternions (..., 4)."""
    inverse: Floats = np.asarray(quaternion, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0])
    return inverse


def quaternion_matrix(quaternion: ArrayLike) -> Floats:
    """Return the rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    q = np.asarray(quaternion, dtype=np.float64)
    cross = skew(q[..., 1:])
    matrix: Floats = np.eye(3) + 2.0 * (q[..., :1, None] * cross + cross @ cross)
    return matrix


def quaternion_from_matrix(matrix: ArrayLike) -> Floats:
    """Return the unit quaternion (4,), w >= 0, of the rotation nearest to a matrix (3, 3).

    Bar-Itzhack 2000: the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix, well conditioned at
    every angle and for matrices that are rotations only to single precision.
    """
    m = np.asarray(matrix, dtype=np.float64)
    antisymmetric = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    k = np.empty((4, 4))
    k[0, 0] = np.trace(m)
    k[0, 1:] = k[1:, 0] = antisymmetric
    k[1:, 1:] = m + m.T - np.trace(m) * np.eye(3)
    quaternion: Floats = np.linalg.eigh(k)[1][:, -1]
    upper: Floats = np.copysign(1.0, quaternion[0]) * quaternion
    return upper


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a body's frame stands in the world: unit quaternion (w, x, y, z) and translation (3,), scene
    units.

    The quaternion is normalized on construction, unless its length is 1 up to rounding: so a pose that is
    only translated keeps its orientation to the last bit.

    Raises:
        PhysPlaceError: wrong shapes, numbers that are not finite, or a zero quaternion.
    """

    rotation: Floats
    translation: Floats

    def __post_init__(self) -> None:
        rotation = np.array(self.rotation, dtype=np.float64)
        translation = np.array(self.translation, dtype=np.float64)
        if rotation.shape != (4,) or translation.shape != (3,):
            raise PhysPlaceError(
                f"pose: expected shapes (4,) and (3,), found {rotation.shape} and {translation.shape}"
            )
        length = np.linalg.norm(rotation)
        if not (np.isfinite(length) and length > 0.0 and np.all(np.isfinite(translation))):
            raise PhysPlaceError(f"pose: not a finite motion: rotation {rotation}, translation {translation}")
        if abs(length - 1.0) > UNIT_TOLERANCE:
            rotation = rotation / length
        rotation.flags.writeable = translation.flags.writeable = False
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", translation)

    @classmethod
    def identity(cls) -> Pose:
        """Return the pose that leaves every point where it is."""
        return cls(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """Return the pose of a rotation matrix (3, 3) or a rigid matrix (4, 4).

        Raises:
            PhysPlaceError: the matrix scales, shears or mirrors by more than single precision explains.
        """
        m = np.asarray(matrix, dtype=np.float64)
        if m.shape not in ((3, 3), (4, 4)) or not np.all(np.isfinite(m)):
            raise PhysPlaceError(f"pose: expected a finite (3, 3) or (4, 4) matrix, found {m.shape}:\n{m}")
        linear = m[:3, :3]
        error = float(np.abs(linear.T @ linear - np.eye(3)).max())
        if error > RIGID_TOLERANCE or np.linalg.det(linear) < 0.0:
            raise PhysPlaceError(
                f"pose: the matrix is not a rotation (it scales, shears or mirrors):\n{linear}"
            )
        return cls(quaternion_from_matrix(linear), m[:3, 3] if m.shape == (4, 4) else np.zeros(3))

    @cached_property
    def matrix(self) -> Floats:
        """The rotation matrix (3, 3)."""
        matrix = quaternion_matrix(self.rotation)
        matrix.flags.writeable = False
        return matrix

    @property
    def matrix4(self) -> Floats:
        """The rigid matrix (4, 4) that takes homogeneous body coordinates to world coordinates."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.matrix
        matrix[:3, 3] = self.translation
        return matrix

    def points(self, points: Floats) -> Floats:
        """Return the world positions (..., 3) of body points (..., 3)."""
        moved: Floats = points @ self.matrix.T + self.translation
        return moved

    def vectors(self, vectors: Floats) -> Floats:
        """Return the world vectors (..., 3) of body vectors (..., 3)."""
        turned: Floats = vectors @ self.matrix.T
        return turned

    def inverse(self) -> Pose:
        """Return the inverse pose."""
        return Pose(quaternion_conjugate(self.rotation), -(self.translation @ self.matrix))

    def compose(self, other: Pose) -> Pose:
        """Return this pose after the other: `self.compose(other).points(x) ==
        self.points(other.points(x))`.
        """
        rotation = quaternion_product(self.rotation, other.rotation)
        return Pose(rotation, self.points(other.translation))

    def displaced(self, translation: ArrayLike, rotation_vector: ArrayLike, center_world: ArrayLike) -> Pose:
        """Return this pose turned about a world point (3,) by a rotation vector (3,), then translated by
        (3,).

        The turn is the exact exponential map of the rotation vector (radians, world axes).
        """
        theta = np.asarray(rotation_vector, dtype=np.float64)
        center = np.asarray(center_world, dtype=np.float64)
        arm = self.translation - center
        # the change of the arm, not the turned arm: a small turn then keeps all digits of the translation
        swing = rotation_change(theta) @ arm
        rotation = quaternion_product(quaternion_exponential(theta), self.rotation)
        return Pose(rotation, self.translation + swing + np.asarray(translation, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class Poses(ArrayRecord):
    """k poses at once: rotation matrices (k, 3, 3) and translations (k, 3)."""

    matrix: Floats
    translation: Floats

    @classmethod
    def of(cls, poses: Sequence[Pose]) -> Poses:
        """Return one or more poses as arrays."""
        rotation = np.array([each.rotation for each in poses])
        return cls(quaternion_matrix(rotation), np.array([each.translation for each in poses]))

    def points(self, points: Floats) -> Floats:
        """Return the positions of points (k, 3) or (k, j, 3), each after its pose."""
        shift = self.translation[:, None] if points.ndim == 3 else self.translation
        moved: Floats = self.vectors(points) + shift
        return moved

    def vectors(self, vectors: Floats) -> Floats:
        """Return vectors (k, 3) or (k, j, 3), each turned by its pose."""
        turn = self.matrix.transpose(0, 2, 1)
        return vectors @ turn if vectors.ndim == 3 else (vectors[:, None] @ turn)[:, 0]

    def after(self, other: Poses) -> Poses:
        """Return these poses, each after one of k others."""
        return Poses(self.matrix @ other.matrix, self.points(other.translation))

    def inverse(self) -> Poses:
        """Return the inverse poses."""
        inverse = Poses(self.matrix.transpose(0, 2, 1), np.zeros_like(self.translation))
        return Poses(inverse.matrix, -inverse.vectors(self.translation))


def poses_of(rotation: Floats, translation: Floats) -> tuple[Pose, ...]:
    """Return the poses of k quaternions (k, 4) and translations (k, 3), at once.

    Raises:
        PhysPlaceError: numbers that are not finite, or a zero quaternion.
    """
    length = np.sqrt((rotation**2).sum(axis=1))
    if not ((np.abs(length - 1.0) <= UNIT_TOLERANCE).all() and np.isfinite(translation).all()):
        return tuple(Pose(*each) for each in zip(rotation, translation, strict=True))
    rotation, translation = rotation.copy(), translation.copy()
    matrix = quaternion_matrix(rotation)
    for values in (rotation, translation, matrix):
        values.flags.writeable = False
    made = []
    for names in zip(rotation, translation, matrix, strict=True):
        pose = object.__new__(Pose)
        pose.__dict__.update(zip(("rotation", "translation", "matrix"), names, strict=True))
        made.append(pose)
    return tuple(made)


def displaced(poses: Sequence[Pose], shift: Floats, turn: Floats, centre: Floats) -> tuple[Pose, ...]:
    """Return k poses, each after what `Pose.displaced` does, at once: shift, turn and centre are (k, 3)."""
    rotation = np.array([pose.rotation for pose in poses]).reshape(-1, 4)
    place = np.array([pose.translation for pose in poses]).reshape(-1, 3)
    swing = (rotation_change(turn) @ (place - centre)[:, :, None])[:, :, 0]
    turned = quaternion_product(quaternion_exponential(turn), rotation)
    return poses_of(turned, place + swing + shift)
