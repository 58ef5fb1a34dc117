# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides where a bone is, besides its own channels: constraints, drivers, inverse kinematics.

    limits      Limit Rotation and Limit Location, at full influence: they become limits of the joint
    carried     Child Of of a bone without a parent, at full influence, on what does not move with the
                armature: it carries the bone
    harmless    what moves no bone, or only scales it
    owned       all others, and drivers of location or rotation: the bone stays where these put it

An owned bone does not take part, nor what hangs on it: it follows, as Blender evaluates it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import bpy
from bpy.types import (
    ChildOfConstraint,
    Constraint,
    KinematicConstraint,
    LimitLocationConstraint,
    LimitRotationConstraint,
    Object,
    PoseBone,
    SplineIKConstraint,
)

from ..access import present
from ..writing.transform import TRANSFORM

LIMITS: Final = (LimitRotationConstraint, LimitLocationConstraint)
_HARMLESS: Final = frozenset({"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})
_DRIVEN: Final = re.compile(r'pose\.bones\["(?P<bone>.*)"\]\.(?P<channel>\w+)$')


def owners_of_bones(armature: Object) -> dict[str, str]:
    """Return what owns a bone, as a phrase, for each bone that something owns but its own channels."""
    owners = dict[str, str]()
    for bone, phrase in (*_driven(armature), *_constrained(armature)):
        owners.setdefault(bone, phrase)
    return owners


def limits_of(bone: PoseBone) -> Iterator[LimitRotationConstraint | LimitLocationConstraint]:
    """Yield the constraints that limit a bone's rotation or location."""
    for constraint in bone.constraints:
        if is_acting(constraint) and isinstance(constraint, LIMITS) and constraint.influence == 1.0:
            yield constraint


def is_acting(constraint: Constraint) -> bool:
    """Return whether a constraint changes anything."""
    return constraint.is_valid and not constraint.mute and constraint.influence > 0.0


def is_carried(bone: PoseBone) -> bool:
    """Return whether a Child Of constraint carries a bone."""
    return any(is_acting(each) and isinstance(each, ChildOfConstraint) for each in bone.constraints)


def _driven(armature: Object) -> Iterator[tuple[str, str]]:
    drivers = armature.animation_data.drivers if armature.animation_data else ()
    for driver in drivers:
        found = None if driver.mute else _DRIVEN.match(driver.data_path)
        if found is not None and found["channel"] in TRANSFORM:
            name = bpy.utils.unescape_identifier(found["bone"])
            yield name, f"a driver owns its {found['channel']}"


def _constrained(armature: Object) -> Iterator[tuple[str, str]]:
    for bone in present(armature.pose).bones:
        for constraint in bone.constraints:
            if not is_acting(constraint) or _leaves_alone(armature, bone, constraint):
                continue
            phrase = f'its constraint "{constraint.name}" owns its pose'
            yield bone.name, phrase
            if isinstance(constraint, KinematicConstraint | SplineIKConstraint):
                yield from ((above.name, phrase) for above in _chain(bone, constraint))


def _leaves_alone(armature: Object, bone: PoseBone, constraint: Constraint) -> bool:
    """Return whether a constraint leaves a bone to its own channels."""
    if constraint.type in _HARMLESS:
        return True
    if constraint.influence < 1.0:
        return False
    if isinstance(constraint, ChildOfConstraint):
        # with a parent it would hang on two things, of which the parent moves
        target = constraint.target
        return bone.parent is None and target is not None and not _moves_with(target, armature)
    return isinstance(constraint, LIMITS)


def _moves_with(obj: Object, armature: Object) -> bool:
    return obj == armature or obj in armature.children_recursive


def _chain(bone: PoseBone, constraint: KinematicConstraint | SplineIKConstraint) -> Iterator[PoseBone]:
    """Yield the bones above one that an IK constraint moves; 0 stands for all of them."""
    without_tail = isinstance(constraint, KinematicConstraint) and not constraint.use_tail
    count = constraint.chain_count
    above, left = bone.parent, -1 if count == 0 else count - (0 if without_tail else 1)
    while above is not None and left != 0:
        yield above
        above, left = above.parent, left - 1
