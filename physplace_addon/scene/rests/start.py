# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose an object had before it came to rest: its copies start from there.

It is stored on the object as `physplace_start`, fourteen floats: location (3,) and quaternion (4,) of the
start, then of the rest, in the world. It counts while the object is still at that rest; an object that was
moved since has its present pose as its start.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Object

from ...core.bodies import Body
from ...core.rigid import Pose
from ..access import custom_properties
from ..rotations import FLOATS, floats_of, pose_of

START = "physplace_start"
BY_HAND = 1e-4  # largest motion over R that counts as Blender's rounding, and not as a motion by hand


def write_start(obj: Object, start: Pose, rest: Pose) -> None:
    """Store the first and the last pose of a placement."""
    obj[START] = [*floats_of(start), *floats_of(rest)]


def stored_start(obj: Object, body: Body, pose: Pose, rounding: float) -> Pose | None:
    """Return the stored start of an object that is still at its rest; None for any other."""
    stored = custom_properties(obj).get(START)
    if not hasattr(stored, "to_list") or len(stored) != 2 * FLOATS:
        return None
    floats = stored.to_list()
    start, rest = pose_of(floats[:FLOATS]), pose_of(floats[FLOATS:])
    return start if is_same_place(body, rest, pose, rounding) else None


def is_same_place(body: Body, rest: Pose, pose: Pose, rounding: float) -> bool:
    """Return whether no point of a body differs between two poses by more than a motion by hand."""
    some = body.mass.center + body.radius * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    moved = float(np.abs(rest.points(some) - pose.points(some)).max())
    return moved <= BY_HAND * body.radius + rounding
