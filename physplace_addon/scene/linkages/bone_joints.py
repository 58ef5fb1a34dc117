# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint of a bone at its head: what its locks, limits and inverse kinematics settings allow.

A bone that hangs on another one turns about its head and does not shift, connected or not, as in Blender's
inverse kinematics; a Limit Location constraint alone lets it. A bone without a parent moves freely, but for
its locks. A locked channel keeps the value that it has.

    locked rotation      the Euler angle in the order of the rotation mode; XYZ for a quaternion
    Limit Rotation       the Euler angles in the order of the constraint
    inverse kinematics   the Euler angles in the order YXZ: the twist about the bone, then the swing

The angles are those of the bone's own basis (`bone_frames`), for a constraint in pose or world space those of
the bone in the armature or the world. Ranges in different orders hold beside each other; of a hinge all
orders have the same angle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from bpy.types import LimitLocationConstraint, LimitRotationConstraint, Object, PoseBone

from ...core.arrays import Bools, Floats
from ...core.contact.system import FIXED
from ...core.mechanics.joints import FREE, LOCKED, Anchors, Axis, Joint, generic
from ...core.rigid import Pose, quaternion_from_matrix
from .. import rotations
from ..affine import split
from ..dynamics.rigid_bodies import LeftOut
from .bone_constraints import limits_of
from .bone_frames import BoneFrame, matrix_of
from .linkages import ReadJoint
from .turn_ranges import Axes, TurnRange, merged, settled, turning_axes

IK_ORDER: Final = "YXZ"
_OUTSIDE: Final = 1e-4  # radians that a pose may be outside of a limit by single precision
_ALL: Final[Axes] = (FREE, FREE, FREE)


@dataclass(frozen=True, eq=False)
class _Turning:
    """Ranges of a bone's angles, and the frame (in the world) that they are seen from."""

    turns: TurnRange
    base: int
    frame: Pose


@dataclass(frozen=True, eq=False)
class BoneJoints:
    """What reads the joints of an armature's bones.

    Attributes:
        armature: the evaluated object.
        numbers: of the parts, by the names of the bones.
        poses: of all parts.
        left_out: what is left out of account.
    """

    armature: Object
    numbers: dict[str, int]
    poses: tuple[Pose, ...]
    left_out: LeftOut

    def of(self, bone: PoseBone, frame: BoneFrame) -> list[ReadJoint]:
        """Return the joints of a bone: to its parent, to the world, or both."""
        own, parent = self.numbers[bone.name], self._parent(frame)
        shifts, origin = _shifts(bone, frame, has_parent=parent != FIXED)
        turnings = list(self._turnings(bone, frame, parent))
        stiffness = _stiffness(bone)
        head = Pose(frame.unposed.pose.rotation, origin)
        inherits = parent == FIXED or bone.bone.use_inherit_rotation
        turnings.sort(key=lambda each: -int(each.turns.locked.sum()))
        first = next((each for each in turnings if each.base == parent and inherits), None)
        free = _free_turns(bone, frame.unposed.pose.matrix.T @ frame.placed.pose.matrix)
        joints = [self._joint(bone.name, parent, own, head, (*shifts, *free), first, stiffness, frame)]
        for each in turnings:
            if each is not first:
                none = (0.0,) * 6
                joints.append(
                    self._joint(bone.name, each.base, own, each.frame, (*_ALL, *_ALL), each, none, frame)
                )
        return [each for each in joints if _says_something(each)]

    def _parent(self, frame: BoneFrame) -> int:
        return FIXED if frame.parent is None else self.numbers[frame.parent]

    def _joint(
        self,
        name: str,
        first: int,
        second: int,
        head: Pose,
        free: tuple[Axis, Axis, Axis, Axis, Axis, Axis],
        turning: _Turning | None,
        stiffness: tuple[float, ...],
        frame: BoneFrame,
    ) -> ReadJoint:
        """Return a joint whose frames are the one at the head, and the bone's own there."""
        own = Pose(frame.placed.pose.rotation, frame.placed.pose.translation)
        anchors = Anchors(name, first, second, self._seen(first, head), self._seen(second, own))
        if turning is None:
            return ReadJoint(Joint(anchors, free), stiffness=stiffness)
        axes = turning_axes(turning.turns)
        if axes is None:
            return ReadJoint(Joint(anchors, free), turning.turns, anchors, stiffness)
        return ReadJoint(generic(settled(anchors, turning.turns), free[:3], axes), stiffness=stiffness)

    def _seen(self, number: int, frame: Pose) -> Pose:
        return frame if number == FIXED else self.poses[number].inverse().compose(frame)

    def _held(self, bone: PoseBone, turns: TurnRange, turn: Floats) -> TurnRange:
        """Return ranges that hold the turn as it is; a pose that lies outside is named."""
        held, excess = turns.holding(turn)
        if excess > _OUTSIDE:
            self.left_out.add("a limit that its pose exceeds already", bone.name)
        return held

    def _turnings(self, bone: PoseBone, frame: BoneFrame, parent: int) -> Iterator[_Turning]:
        """Yield the ranges of a bone's angles."""
        base = parent if parent == FIXED or bone.bone.use_inherit_rotation else FIXED
        unposed = frame.unposed.pose
        turn = unposed.matrix.T @ frame.placed.pose.matrix
        by_order = dict[str, TurnRange]()

        def narrow(order: str, change: Callable[[TurnRange], TurnRange]) -> None:
            by_order[order] = change(by_order.get(order, TurnRange.free(order)))

        order = _order(bone)
        locked = _locked(bone, turn)
        if locked.any():
            narrow(order, lambda turns: turns.with_locked(locked, _angles(order, turn)))
        for limit in limits_of(bone):
            if not isinstance(limit, LimitRotationConstraint):
                continue
            if limit.owner_space == "LOCAL":
                narrow(_limit_order(bone, limit), partial(_limited, limit=limit))
            elif limit.owner_space in ("POSE", "WORLD"):
                yield _Turning(limit_range(bone, limit), FIXED, self._space(limit.owner_space, frame))
            else:
                self.left_out.add(f'the constraint "{limit.name}", whose space does not count,', bone.name)
        if bone.parent is not None:
            narrow(IK_ORDER, lambda turns: _ik_limited(turns, bone, _angles(IK_ORDER, turn)))
        held = [self._held(bone, turns, turn) for turns in by_order.values() if turns.says_something]
        for turns in merged(held):
            yield _Turning(turns, base, unposed)

    def _space(self, space: str, frame: BoneFrame) -> Pose:
        """Return the frame of a space at a bone's head."""
        whole = np.eye(4) if space == "WORLD" else matrix_of(self.armature.matrix_world)
        return Pose(split(whole).pose.rotation, frame.placed.pose.translation)


def _says_something(read: ReadJoint) -> bool:
    return read.turns is not None or any(axis != FREE for axis in read.joint.axes)


def _order(bone: PoseBone) -> str:
    mode = str(bone.rotation_mode)
    return mode if mode in rotations.EULER_ORDERS else "XYZ"


def _angles(order: str, turn: Floats) -> Floats:
    return rotations.values_of(order, turn, np.zeros(3))


def _locked(bone: PoseBone, turn: Floats) -> Bools:
    """Return which Euler angles (3,) are locked for a bone whose own turn is a rotation (3, 3).

    Locked parts of a quaternion that are zero leave a hinge, or one axis less (`_free_turns`); with others,
    or of an axis and angle, the whole turn is locked.
    """
    locked = np.array(bone.lock_rotation, dtype=bool)
    if not _locks_numbers(bone):
        return locked
    parts = np.abs(quaternion_from_matrix(turn)[1:])
    whole = bone.lock_rotation_w or bone.rotation_mode != rotations.QUATERNION
    if whole or (parts[locked] > _OUTSIDE).any() or locked.all():
        return np.full(3, bool(locked.any() or bone.lock_rotation_w))
    return locked if locked.sum() == 2 else np.zeros(3, dtype=bool)


def _free_turns(bone: PoseBone, turn: Floats) -> Axes:
    """Return the axes of the turns of a bone, one locked where a part of a quaternion is, at zero."""
    locked = np.array(bone.lock_rotation, dtype=bool)
    if not _locks_numbers(bone) or locked.sum() != 1 or _locked(bone, turn).any():
        return _ALL
    axes = [LOCKED if each else FREE for each in locked]
    return axes[0], axes[1], axes[2]


def _locks_numbers(bone: PoseBone) -> bool:
    """Return whether the locks are of the four numbers of a rotation, not of angles."""
    return bone.rotation_mode not in rotations.EULER_ORDERS and bone.lock_rotations_4d


def limit_range(bone: PoseBone, limit: LimitRotationConstraint) -> TurnRange:
    """Return the ranges that a constraint of a bone sets to the angles in its space."""
    return _limited(TurnRange.free(_limit_order(bone, limit)), limit)


def _limit_order(bone: PoseBone, limit: LimitRotationConstraint) -> str:
    return _order(bone) if limit.euler_order == "AUTO" else str(limit.euler_order)


def _limited(turns: TurnRange, limit: LimitRotationConstraint) -> TurnRange:
    for axis, letter in enumerate("xyz"):
        if getattr(limit, f"use_limit_{letter}"):
            lower, upper = (float(getattr(limit, f"{end}_{letter}")) for end in ("min", "max"))
            if getattr(limit, "use_legacy_behavior", True):  # angles then count from -pi to pi
                lower, upper = (float(np.clip(each, -np.pi, np.pi)) for each in (lower, upper))
            turns = turns.within(axis, lower, max(lower, upper))
    return turns


def _ik_limited(turns: TurnRange, bone: PoseBone, angles: Floats) -> TurnRange:
    locked = np.array([getattr(bone, f"lock_ik_{letter}") for letter in "xyz"], dtype=bool)
    for axis, letter in enumerate("xyz"):
        if getattr(bone, f"use_ik_limit_{letter}") and not locked[axis]:
            lower, upper = (float(getattr(bone, f"ik_{end}_{letter}")) for end in ("min", "max"))
            turns = turns.within(axis, lower, upper)
    return turns.with_locked(locked, angles)


def _stiffness(bone: PoseBone) -> tuple[float, ...]:
    """Return how stiff the axes of a joint are: k / (1 - k) for a bone's stiffness k from 0 to below 1."""
    shares = [float(getattr(bone, f"ik_stiffness_{letter}")) for letter in "xyz"]
    return (0.0, 0.0, 0.0, *(share / (1.0 - share) for share in shares))


def _shifts(bone: PoseBone, frame: BoneFrame, *, has_parent: bool) -> tuple[Axes, Floats]:
    """Return the axes of the shifts, and the origin (3,) of the frame in which they are measured."""
    axes: list[Axis] = [LOCKED if has_parent or lock else FREE for lock in bone.lock_location]
    zero = frame.location.copy()  # what is locked stays where it is
    connected = has_parent and bone.bone.use_connect
    for limit in limits_of(bone):
        if isinstance(limit, LimitLocationConstraint) and limit.owner_space == "LOCAL" and not connected:
            for axis, letter in enumerate("xyz"):
                found = _shift(limit, letter, frame.unit)
                if found is not None and not bone.lock_location[axis]:
                    axes[axis], zero[axis] = found, 0.0
    unposed = frame.unposed
    origin = unposed.pose.points(unposed.stretch @ zero)
    return (axes[0], axes[1], axes[2]), origin


def _shift(limit: LimitLocationConstraint, letter: str, unit: float) -> Axis | None:
    """Return the axis of a limited shift, in lengths of the world; None where it is not limited."""
    lower = float(getattr(limit, f"min_{letter}")) if getattr(limit, f"use_min_{letter}") else -np.inf
    upper = float(getattr(limit, f"max_{letter}")) if getattr(limit, f"use_max_{letter}") else np.inf
    if not np.isfinite([lower, upper]).any():
        return None
    ends = sorted((unit * lower, unit * upper))
    return Axis(lower=ends[0], upper=ends[1])
