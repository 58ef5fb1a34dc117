# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations in Blender's rotation modes and poses as lists of numbers, in double precision.

A pose is kept in properties and files as a location (3,) and a unit quaternion (4,), w first.

Blender's Euler order "XYZ" turns about the fixed axes x, then y, then z: `R = Rz Ry Rx`. For an order (i, j,
k), with s = +1 for the cyclic orders and -1 for the others, `R = R_k(c) R_j(b) R_i(a)` gives `sin b = -s R[k,
i]`, `tan a = s R[k, j] / R[k, k]`, `tan c = s R[j, i] / R[i, i]`. A rotation has two sets of Euler angles,
each up to whole turns. The one nearest to the object's present angles is taken, so that keyed curves do not
flip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats
from ..core.rigid import Pose, quaternion_from_matrix, quaternion_matrix, rotation_matrix, rotation_vector

FLOATS = 7  # of a pose: the location's three, the quaternion's four
GIMBAL = 1e-7  # cosine of the middle angle below which the outer two angles turn about one axis
QUATERNION = "QUATERNION"
AXIS_ANGLE = "AXIS_ANGLE"
OF_ZERO = np.array([0.0, 1.0, 0.0, 0.0])  # what Blender takes the quaternion (0, 0, 0, 0) for: a half turn
EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def location_and_rotation(pose: Pose) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """Return a pose as the values of two properties: location (3) and unit quaternion (4)."""
    x, y, z = pose.translation.tolist()
    a, b, c, d = pose.rotation.tolist()
    return (x, y, z), (a, b, c, d)


def floats_of(pose: Pose) -> list[float]:
    """Return a pose as one list of seven numbers: the location, then the quaternion."""
    location, rotation = location_and_rotation(pose)
    return [*location, *rotation]


def pose_of(floats: Sequence[float]) -> Pose:
    """Return the pose of seven numbers: a location, then a quaternion."""
    return Pose(np.array(floats[3:], dtype=np.float64), np.array(floats[:3], dtype=np.float64))


def matrix_of(mode: str, values: ArrayLike) -> Floats:
    """Return the rotation matrices (..., 3, 3) of values in a rotation mode.

    Args:
        mode: one of Blender's rotation modes.
        values: quaternions (..., 4) as (w, x, y, z), axis and angle (..., 4) as (angle, x, y, z), or Euler
            angles (..., 3) by axis; radians.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if mode == QUATERNION:
        length = np.linalg.norm(numbers, axis=-1, keepdims=True)
        return quaternion_matrix(
            np.where(length > 0.0, numbers, OF_ZERO) / np.where(length > 0.0, length, 1.0)
        )
    if mode == AXIS_ANGLE:
        length = np.linalg.norm(numbers[..., 1:], axis=-1, keepdims=True)
        return rotation_matrix(numbers[..., :1] * numbers[..., 1:] / np.where(length > 0.0, length, 1.0))
    first, second, third = ("XYZ".index(axis) for axis in mode)
    turns = rotation_matrix(numbers[..., None] * np.eye(3))
    matrix: Floats = turns[..., third, :, :] @ turns[..., second, :, :] @ turns[..., first, :, :]
    return matrix


def values_of(mode: str, rotation: Floats, previous: ArrayLike) -> Floats:
    """Return the values of a rotation (3, 3) in a rotation mode, nearest to the previous values.

    Quaternions keep the sign of the previous one. Axis and angle keep the direction of the axis and its whole
    turns. Of the two sets of Euler angles the nearest is taken, each angle up to whole turns.

    Args:
        mode: one of Blender's rotation modes.
        rotation: (3, 3), a rotation matrix.
        previous: values of the same mode, (4,) or (3,).
    """
    before = np.asarray(previous, dtype=np.float64)
    if mode == QUATERNION:
        quaternion = quaternion_from_matrix(rotation)
        return -quaternion if quaternion @ before < 0.0 else quaternion
    if mode == AXIS_ANGLE:
        return _axis_angle(rotation, before)
    return _euler(mode, rotation, before)


def _axis_angle(rotation: Floats, before: Floats) -> Floats:
    vector = rotation_vector(quaternion_from_matrix(rotation))
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0.0 else before[1:]
    if axis @ before[1:] < 0.0:
        axis, angle = -axis, -angle
    return np.concatenate([[_same_turn(angle, before[0])], axis])


def _euler(order: str, rotation: Floats, before: Floats) -> Floats:
    i, j, k = ("XYZ".index(axis) for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = float(np.hypot(rotation[i, i], rotation[j, i]))
    middle = np.arctan2(-sign * rotation[k, i], cosine)
    if cosine > GIMBAL:
        first = np.arctan2(sign * rotation[k, j], rotation[k, k])
        last = np.arctan2(sign * rotation[j, i], rotation[i, i])
    else:  # only first -/+ last is determined: keep the last angle
        last = before[k]
        unturned = matrix_of(order, _by_axis((i, j, k), (0.0, 0.0, last))).T @ rotation
        unbent = matrix_of(order, _by_axis((i, j, k), (0.0, middle, 0.0))).T @ unturned
        first = np.arctan2(sign * unbent[k, j], unbent[k, k])
    choices = [(first, middle, last), (first + np.pi, np.pi - middle, last + np.pi)]
    candidates = [_same_turn(_by_axis((i, j, k), angles), before) for angles in choices]
    return min(candidates, key=lambda angles: float(np.abs(angles - before).sum()))


def _by_axis(order: tuple[int, int, int], angles: tuple[float, float, float]) -> Floats:
    """Return three angles, given in an Euler order, by axis (3,)."""
    by_axis = np.empty(3)
    by_axis[list(order)] = angles
    return by_axis


def _same_turn(angle: ArrayLike, before: ArrayLike) -> Floats:
    """Return angles shifted by whole turns to within half a turn of earlier ones, radians."""
    turn: Floats = angle - 2.0 * np.pi * np.round((np.asarray(angle) - np.asarray(before)) / (2.0 * np.pi))
    return turn
