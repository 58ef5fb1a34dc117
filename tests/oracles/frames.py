"""Small geometry shared by the oracles: rotations from quaternions, tangents, directions on the sphere."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.arrays import Floats


def rotation_of(quaternion: ArrayLike) -> np.ndarray:
    """Rotation matrix (3, 3) of a quaternion (w, x, y, z), normalized here; by the product of two
    reflections.
    """
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    right = np.array([[w, x, y, z], [-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]])
    result: np.ndarray = (left @ right)[1:, 1:]
    return result


def random_rotation(random: np.random.Generator) -> np.ndarray:
    """A uniformly distributed rotation matrix (3, 3)."""
    return rotation_of(random.normal(size=4))


def quaternion_of(matrix: Floats) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation matrix: the leading eigenvector of Bar-Itzhack's
    symmetric form.
    """
    m = np.asarray(matrix, float)
    k = np.empty((4, 4))
    k[0, 0] = np.trace(m)
    k[0, 1:] = k[1:, 0] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    k[1:, 1:] = m + m.T - np.trace(m) * np.eye(3)
    q = np.linalg.eigh(k)[1][:, -1]
    return q if q[0] >= 0 else -q


def tangents(direction: Floats) -> np.ndarray:
    """Two orthonormal tangents (..., 3, 2) of unit directions (..., 3)."""
    direction = np.asarray(direction, float)
    helper = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
    first = np.cross(helper, direction)
    first /= np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.cross(direction, first)], axis=-1)


def unit(vectors: ArrayLike) -> np.ndarray:
    """Vectors (..., 3) scaled to length 1."""
    vectors = np.asarray(vectors, float)
    result: np.ndarray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return result


def sphere_directions(count: int) -> np.ndarray:
    """Nearly even unit directions (count, 3) on a golden-angle spiral."""
    i = np.arange(count) + 0.5
    z = 1 - 2 * i / count
    angle = np.pi * (1 + 5**0.5) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def angle_between(a: Floats, b: Floats) -> float:
    """Angle in radians between two directions, accurate for small angles."""
    a, b = unit(a), unit(b)
    return float(2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)))
