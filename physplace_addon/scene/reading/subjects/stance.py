# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects turned before they fall: their own z axes up, or along the normal of the ground below them.

They turn about their centres of mass, by the least rotation: so they keep their heading.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import Floats
from ....core.bodies import Body
from ....core.mesh.rays import RayHit, first_hit
from ....core.rigid import Pose
from .options import Stance
from .subject import Subject


def stood(subjects: Sequence[Subject], world: Sequence[Body], down: Floats, stance: Stance) -> list[Pose]:
    """Return the poses that objects begin to fall from.

    Args:
        subjects: the objects.
        world: the fixed bodies; an object that has none of them below it is turned upright.
        down: (3,), the unit direction in which they fall.
        stance: how they are turned.
    """
    if stance is Stance.AS_IT_IS:
        return [subject.pose for subject in subjects]
    return [_turned(subject, _up(subject, world, down, stance)) for subject in subjects]


def _up(subject: Subject, world: Sequence[Body], down: Floats, stance: Stance) -> Floats:
    """Return where an object's z axis shall point (3,)."""
    if stance is Stance.UPRIGHT:
        return -down
    centre = subject.pose.points(subject.body.mass.center)
    hits = [first_hit(body.triangles, centre, down) for body in world]
    nearest: RayHit | None = min((hit for hit in hits if hit), key=lambda hit: hit.distance, default=None)
    return -down if nearest is None else nearest.normal


def _turned(subject: Subject, up: Floats) -> Pose:
    """Return the pose of an object whose z axis points along a unit vector (3,)."""
    pose = subject.pose
    axis = pose.vectors(subject.stretch[:, 2])
    turn = least_turn(axis / np.linalg.norm(axis), up)
    return pose.displaced(np.zeros(3), turn, pose.points(subject.body.mass.center))


def least_turn(start: Floats, end: Floats) -> Floats:
    """Return the rotation vector (3,), in radians, of the least turn from one unit vector (3,) to another.

    Opposite ones are half a turn apart, about any axis across them.
    """
    across, cosine = np.cross(start, end), float(start @ end)
    angle = float(np.arctan2(np.linalg.norm(across), cosine))
    across -= (across @ start) * start  # of nearly opposite ones, rounding alone may be left
    if not across.any():
        across = np.cross(start, np.eye(3)[np.abs(start).argmin()])
    turn: Floats = angle * across / np.linalg.norm(across)
    return turn
