# SPDX-License-Identifier: GPL-3.0-or-later
"""An object's matrix, split into a rigid pose and a stretch, without the noise of single precision.

Blender gives `matrix_world` in float32. Taken literally, a rotated cylinder would be elliptic by 1e-7, and
would roll until that ellipse lies flat. So the linear part is split as `A = Q S` (polar decomposition: Q a
rotation, S symmetric, negative definite for a mirrored object). Q is made orthogonal in double precision;
its entries within float32's error of zero become zero. Entries of S off the diagonal within that error of
zero become zero. Entries on the diagonal within it of a short decimal number, or of each other, become equal
to that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats
from ..core.rigid import Pose

NOISE = 8.0 * float(np.finfo(np.float32).eps)  # relative error of a product of a few float32 matrices
SINGULAR = 1e-7  # smallest over largest stretch that float32 cannot distinguish from zero
DIGITS = 6  # significant digits of a number in a field of Blender


@dataclass(frozen=True, eq=False)
class PoseAndStretch:
    """An affine map `x -> pose(stretch x)`: a rigid pose and a symmetric stretch (3, 3)."""

    pose: Pose
    stretch: Floats

    @property
    def affine(self) -> Floats:
        """The whole map (4, 4)."""
        return self.pose.matrix4 @ linear4(self.stretch)


def linear4(linear: Floats) -> Floats:
    """Return a linear map (3, 3) as a homogeneous one (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = linear
    return matrix


def is_singular(affine: Floats) -> bool:
    """Return whether an affine map (4, 4) flattens space, as an object with a zero scale does."""
    singular_values = np.linalg.svd(affine[:3, :3], compute_uv=False)
    return bool(singular_values[2] <= SINGULAR * singular_values[0] or singular_values[0] == 0.0)


def is_invertible(affine: Floats) -> bool:
    """Return whether an affine map (4, 4) is finite and not singular."""
    return bool(np.all(np.isfinite(affine))) and not is_singular(affine)


def is_similarity(affine: Floats, tolerance: float = 1e-4) -> bool:
    """Return whether an affine map (4, 4) is a rotation or reflection, one scale and a translation.

    tolerance: the largest difference of two singular values, over the largest one.
    """
    singular_values = np.linalg.svd(affine[:3, :3], compute_uv=False)
    return bool(singular_values[0] - singular_values[2] <= tolerance * singular_values[0])


def split(affine: ArrayLike) -> PoseAndStretch:
    """Return the pose and the stretch of an affine map (4, 4) that is not singular, without float32 noise."""
    matrix = np.asarray(affine, dtype=np.float64)
    sign = 1.0 if np.linalg.det(matrix[:3, :3]) > 0.0 else -1.0
    left, singular_values, right = np.linalg.svd(sign * matrix[:3, :3])
    stretch = sign * _without_noise((right.T * singular_values) @ right)
    rotation = np.eye(4)
    rotation[:3, :3] = _upright(left @ right)
    rotation[:3, 3] = matrix[:3, 3]
    return PoseAndStretch(Pose.from_matrix(rotation), stretch)


def without_noise(matrix: Floats) -> Floats:
    """Return an affine map (4, 4) without the noise of single precision, if it can be split."""
    if not np.all(np.isfinite(matrix)) or is_singular(matrix):
        return matrix
    return split(matrix).affine


def _upright(rotation: Floats) -> Floats:
    """Return the rotation nearest to a rotation (3, 3); entries near zero in float32 are zero."""
    left, _, right = np.linalg.svd(np.where(np.abs(rotation) <= NOISE, 0.0, rotation))
    nearest: Floats = left @ right
    return nearest


def _without_noise(stretch: Floats) -> Floats:
    largest = float(np.abs(stretch).max())
    diagonal = np.diag(stretch).copy()
    for i in range(3):
        diagonal[i] = _nearby_decimal(diagonal[i], largest)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(diagonal[i] - diagonal[j]) <= NOISE * largest:
            diagonal[j] = diagonal[i]
    clean: Floats = np.where(np.abs(stretch) <= NOISE * largest, 0.0, stretch)
    clean = 0.5 * (clean + clean.T)
    np.fill_diagonal(clean, diagonal)
    return clean


def _nearby_decimal(value: float, largest: float) -> float:
    decimal = float(f"{value:.{DIGITS - 1}e}")
    return decimal if abs(decimal - value) <= NOISE * largest else value
