# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joint of a rigid body constraint holds its two objects: kept on its object between two poses.

Blender measures the limits of a constraint from where its objects are when a simulation begins. A figure is
posed again and again, so the anchor frames of the first time are kept in the custom property
`physplace_joint`: fourteen numbers, the frame in each object's own frame as location and quaternion. They
hold as long as the constraint's object stays where it was on the first one, or in the world, where one of
them is of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from bpy.types import Object, RigidBodyConstraint, Scene

from ...core.contact.system import FIXED
from ...core.mechanics.joints import Anchors, Joint
from ...core.rigid import Pose, rotation_vector
from .. import rotations
from ..access import custom_properties
from ..affine import split
from ..dynamics.rigid_constraints import AnchoredJoint
from .bone_frames import matrix_of

KEY: Final = "physplace_joint"
_MOVED: Final = 1e-4  # gap over the distance of the anchor from the objects, and turn, that is no rounding


def kept_anchors(scene: Scene, numbers: dict[str, int], poses: Sequence[Pose]) -> dict[str, AnchoredJoint]:
    """Return the anchors that are kept of a scene's constraints, and still hold, by the full names of their
    objects.

    Args:
        scene: the scene.
        numbers: of the parts, by the full names of the objects that show them.
        poses: of the parts.
    """
    found = {}
    for holder in scene.objects:
        constraint = holder.rigid_body_constraint
        floats = custom_properties(holder).get(KEY)
        if constraint is None or floats is None or len(floats) != 2 * rotations.FLOATS:
            continue
        anchored = _anchored(holder, constraint, [float(each) for each in floats], numbers)
        if _holds(holder, anchored.anchors, poses):
            found[holder.name_full] = anchored
    return found


def keep_anchors(holder: Object, joint: Joint) -> None:
    """Keep the anchors of a constraint's joint on its object."""
    anchors = joint.anchors
    floats = [*rotations.floats_of(anchors.frame1), *rotations.floats_of(anchors.frame2)]
    holder[KEY] = floats


def stands_in_the_world(holder: Object, anchors: Anchors) -> bool:
    """Return whether the object of a joint is where that holds its bodies in the world.

    It is not where the joint is none to the world, nor where the object went along with a part that is held.
    """
    frames = [
        frame
        for number, frame in ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2))
        if number == FIXED
    ]
    here = split(matrix_of(holder.matrix_world)).pose
    return any(_are_one(here, frame) for frame in frames)


def _anchored(
    holder: Object, constraint: RigidBodyConstraint, floats: list[float], numbers: dict[str, int]
) -> AnchoredJoint:
    ends = [constraint.object1, constraint.object2]
    names = ["" if end is None else end.name_full for end in ends]
    first, second = (numbers.get(name, FIXED) for name in names)
    frames = rotations.pose_of(floats[: rotations.FLOATS]), rotations.pose_of(floats[rotations.FLOATS :])
    return AnchoredJoint((names[0], names[1]), Anchors(holder.name, first, second, *frames))


def _holds(holder: Object, anchors: Anchors, poses: Sequence[Pose]) -> bool:
    """Return whether the constraint's object is where the first anchor is.

    Where the joint holds a part to the world, it may be at either anchor: the part may have been moved by
    hand, and the object with it or not.
    """
    frames = (anchors.first, anchors.frame1), (anchors.second, anchors.frame2)
    places = [frame if number == FIXED else poses[number].compose(frame) for number, frame in frames]
    is_of_world = FIXED in (anchors.first, anchors.second)
    here = split(matrix_of(holder.matrix_world)).pose
    return any(_are_one(here, place) for place in (places if is_of_world else places[:1]))


def _are_one(here: Pose, there: Pose) -> bool:
    """Return whether two frames in the scene are the same one but for rounding."""
    apart = there.inverse().compose(here)
    arm = float(np.linalg.norm(there.translation)) + float(np.linalg.norm(here.translation))
    shift, turn = apart.translation, rotation_vector(apart.rotation)
    return bool(np.linalg.norm(shift) <= _MOVED * max(arm, 1e-9) and np.linalg.norm(turn) <= _MOVED)
