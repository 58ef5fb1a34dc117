# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses as Blender's properties and files keep them: a location (3,) and a unit quaternion (4,)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.rigid import Pose

FLOATS = 7


def location_and_rotation(pose: Pose) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """A pose as values for two properties."""
    x, y, z = pose.translation.tolist()
    a, b, c, d = pose.rotation.tolist()
    return (x, y, z), (a, b, c, d)


def floats_of(pose: Pose) -> list[float]:
    """A pose as one list of seven numbers: the location, then the quaternion."""
    location, rotation = location_and_rotation(pose)
    return [*location, *rotation]


def pose_of(floats: Sequence[float]) -> Pose:
    """The pose that seven numbers tell: a location, then a quaternion."""
    return Pose(np.array(floats[3:], dtype=np.float64), np.array(floats[:3], dtype=np.float64))
