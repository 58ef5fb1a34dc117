# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object was put by hand before it came to rest: the place its copies start from.

It is kept on the object as `physplace_start`, fourteen floats: the start's location (3,) and quaternion (4,),
then the rest's, both in the world. It counts as long as the object still stands at that rest; an object that
was moved by hand since stands at a new start.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Object

from ...core.bodies import Body
from ...core.rigid import Pose
from ..access import custom_properties
from ..rotations import FLOATS, floats_of, pose_of

START = "physplace_start"
BY_HAND = 1e-4  # motion over R that is a hand's, and not Blender's rounding


def write_start(obj: Object, start: Pose, rest: Pose) -> None:
    """Keep where a placement began and ended."""
    obj[START] = [*floats_of(start), *floats_of(rest)]


def stored_start(obj: Object, body: Body, pose: Pose, rounding: float) -> Pose | None:
    """The start of an object whose body still stands at the rest it came to; None for any other."""
    stored = custom_properties(obj).get(START)
    if not hasattr(stored, "to_list") or len(stored) != 2 * FLOATS:
        return None
    floats = stored.to_list()
    start, rest = pose_of(floats[:FLOATS]), pose_of(floats[FLOATS:])
    return start if is_same_place(body, rest, pose, rounding) else None


def is_same_place(body: Body, rest: Pose, pose: Pose, rounding: float) -> bool:
    """Whether a body in two poses stands at one place, as far as it was not moved by hand."""
    some = body.mass.center + body.radius * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    moved = float(np.abs(rest.points(some) - pose.points(some)).max())
    return moved <= BY_HAND * body.radius + rounding
