# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object was put by hand before it came to rest: the place its copies start from.

It is kept on the object as `physplace_start`, fourteen floats: the start's location (3,) and quaternion (4,),
then the rest's, both in the world. It counts as long as the object still stands at that rest; an object that
was moved by hand since stands at a new start.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Object

from ..core.arrays import Floats
from ..core.bodies import Body
from ..core.rigid import Pose
from .access import custom_properties

START = "physplace_start"
FLOATS_A_POSE = 7
BY_HAND = 1e-4  # motion over R that is a hand's, and not Blender's rounding


def write_start(obj: Object, start: Pose, rest: Pose) -> None:
    """Keep where a placement began and ended."""
    obj[START] = [*_floats(start), *_floats(rest)]


def kept_start(obj: Object, body: Body, pose: Pose, rounding: float) -> Pose | None:
    """The start of an object whose body still stands at the rest it came to; None for any other."""
    stored = custom_properties(obj).get(START)
    if not hasattr(stored, "to_list") or len(stored) != 2 * FLOATS_A_POSE:
        return None
    floats = np.array(stored.to_list(), dtype=np.float64)
    start, rest = _pose(floats[:FLOATS_A_POSE]), _pose(floats[FLOATS_A_POSE:])
    some = body.mass.center + body.radius * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    moved = float(np.abs(rest.points(some) - pose.points(some)).max())
    return start if moved <= BY_HAND * body.radius + rounding else None


def _floats(pose: Pose) -> list[float]:
    floats: list[float] = [*pose.translation.tolist(), *pose.rotation.tolist()]
    return floats


def _pose(floats: Floats) -> Pose:
    return Pose(floats[3:], floats[:3])
