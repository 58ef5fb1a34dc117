# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rigid body constraints as joints of core.

The anchor frame is that of the object that carries the constraint.  A constraint counts if one of its objects
moves.  Blender measures some turns and speeds from the second object to the first, core from the first to the
second; `_BACKWARDS` has these, found by trials with Blender's own simulation:

    hinge, generic        turns the other way round
    piston                shift and turn the same way
    slider, generic       shifts the same way
    motor                 shift and turn the other way round

*Breakable*: Blender disables a constraint where, in a substep of its solver, the impulse along or about one
of its axes reaches the threshold, those of impacts included.  An impulse T in a substep of h seconds is a
mean force, or torque, T / h.  So a joint breaks here by a force of T / h, by a torque of the same number, and
by the impulse T of an impact; forces and torques count as a whole, not by their parts along axes.  A weight m
that hangs breaks both at T = m g h; Blender's own simulation does so within a thousandth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from bpy.types import Object, RigidBodyConstraint, Scene

from ...core.contact.system import FIXED
from ...core.mechanics.joints import (
    FREE,
    LOCKED,
    UNBREAKABLE,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    Strength,
    ball,
    fixed,
    generic,
    hinge,
    motor,
    piston,
    slider,
)
from ...core.rigid import Pose
from ..affine import is_singular, split
from ..errors import SceneError
from .rigid_bodies import RESTITUTION, LeftOut, coefficient, leave_out_keys

SHIFT: Final = "lin"
TURN: Final = "ang"
_BACKWARDS: Final = frozenset({("HINGE", TURN), ("GENERIC", TURN), ("GENERIC_SPRING", TURN)})
Axes = tuple[Axis, Axis, Axis]


@dataclass(frozen=True, eq=False)
class AnchoredJoint:
    """Where a joint holds its bodies since it was read first.

    ends: the full names of its objects.  anchors: its frames in the bodies.
    """

    ends: tuple[str, str]
    anchors: Anchors

    def between(self, ends: tuple[str, str], first: int, second: int) -> Anchors | None:
        """Return the anchors in the same bodies by their numbers now; None where it joins others."""
        fixed = self.anchors.first == FIXED, self.anchors.second == FIXED
        if ends != self.ends or fixed != (first == FIXED, second == FIXED):
            return None
        return replace(self.anchors, first=first, second=second)


@dataclass(frozen=True, eq=False)
class Joinable:
    """What constraints can join.

    numbers: the numbers of moving bodies, by the full names of the objects that they are made of.
    free: how many of them, the first ones, move by themselves; the others follow their animation.
    poses: of the bodies in the scene.
    visible: the full names of the objects that are visible.
    impulse_seconds: the time in which a motor may give its greatest impulse, and in which the threshold of
        a joint that can break counts, s.
    anchored: joints that hold already, by the full names of their objects.
    shapeless: the full names of objects that are animated, and have no body to be joined to.
    """

    numbers: Mapping[str, int]
    free: int
    poses: Sequence[Pose]
    visible: frozenset[str]
    impulse_seconds: float
    anchored: Mapping[str, AnchoredJoint] = field(default_factory=dict)
    shapeless: frozenset[str] = frozenset()

    def number(self, obj: Object) -> int:
        """Return the number of the body that an object is part of; FIXED for the world."""
        return self.numbers.get(obj.name_full, FIXED)

    def moves(self, obj: Object | None) -> bool:
        """Return whether an object moves by itself."""
        return obj is not None and 0 <= self.numbers.get(obj.name_full, self.free) < self.free


def joints_of(scene: Scene, joinable: Joinable, left_out: LeftOut) -> list[Joint]:
    """Return the joints of all constraints of a scene that hold something that moves.

    Raises SceneError for a constraint without two different objects that can be joined.
    """
    joints = []
    for holder, constraint in _joining(scene, joinable):
        joints.append(_joint(holder, constraint, joinable))
        leave_out_keys(left_out, holder)
        for setting in _not_counted(constraint):
            left_out.add(setting, holder.name)
    return joints


def holders_of(scene: Scene, joinable: Joinable) -> list[Object]:
    """Return the objects that have the constraints of `joints_of`, in the same order."""
    return [holder for holder, _ in _joining(scene, joinable)]


def anchored_joints(scene: Scene, joinable: Joinable, joints: Sequence[Joint]) -> dict[str, AnchoredJoint]:
    """Return where the joints of a scene's constraints hold their bodies, by the full names of their
    objects.
    """
    pairs = zip(_joining(scene, joinable), joints, strict=True)
    return {
        holder.name_full: AnchoredJoint(_ends(constraint), joint.anchors)
        for (holder, constraint), joint in pairs
    }


def _joining(scene: Scene, joinable: Joinable) -> Iterator[tuple[Object, RigidBodyConstraint]]:
    """Yield the constraints of a scene that hold something that moves, with their objects."""
    for holder in scene.objects:
        constraint = holder.rigid_body_constraint
        if constraint is None or not constraint.enabled:
            continue
        if joinable.moves(constraint.object1) or joinable.moves(constraint.object2):
            yield holder, constraint


def _ends(constraint: RigidBodyConstraint) -> tuple[str, str]:
    first, second = constraint.object1, constraint.object2
    return ("" if first is None else first.name_full, "" if second is None else second.name_full)


def joined_to(scene: Scene, free: Sequence[Object]) -> list[Object]:
    """Return the other objects that constraints join to free ones and their children."""
    moving, found = [each for obj in free for each in (obj, *obj.children_recursive)], list[Object]()
    for holder in scene.objects:
        constraint = holder.rigid_body_constraint
        if constraint is not None and constraint.enabled:
            ends = [end for end in (constraint.object1, constraint.object2) if end is not None]
            if any(end in moving for end in ends):
                found += [end for end in ends if end not in moving]
    return found


def passed_through(scene: Scene, free: Sequence[Object]) -> frozenset[str]:
    """Return the full names of objects that constraints join to free ones, which may go through them."""
    moving = {each.name_full for obj in free for each in (obj, *obj.children_recursive)}
    found = set[str]()
    for holder in scene.objects:
        constraint = holder.rigid_body_constraint
        if constraint is None or not constraint.enabled or not constraint.disable_collisions:
            continue
        ends = {obj.name_full for obj in (constraint.object1, constraint.object2) if obj is not None}
        if ends & moving:
            found |= ends - moving
    return frozenset(found)


def _not_counted(constraint: RigidBodyConstraint) -> list[str]:
    damps = any(getattr(constraint, f"use_spring_{name}") for name in _SPRINGS)
    changed = {
        "the old springs": (
            constraint.type == "GENERIC_SPRING" and damps and constraint.spring_type == "SPRING1"
        ),
    }
    return [setting for setting, is_changed in changed.items() if is_changed]


_SPRINGS: Final = ("x", "y", "z", "ang_x", "ang_y", "ang_z")


def _joint(holder: Object, constraint: RigidBodyConstraint, joinable: Joinable) -> Joint:
    first, second = _numbers(holder, constraint, joinable)
    matrix = np.array(holder.matrix_world, dtype=np.float64)
    if not np.all(np.isfinite(matrix)) or is_singular(matrix):
        raise SceneError(holder.name, "its rigid body constraint has no axes", "give it a scale other than 0")
    known = joinable.anchored.get(holder.name_full)
    anchors = None if known is None else known.between(_ends(constraint), first, second)
    if anchors is None:
        anchors = Anchors.at(holder.name, first, second, split(matrix).pose, joinable.poses)
    made = _KINDS[constraint.type](anchors, _Axes(holder, constraint, joinable.impulse_seconds))
    strength = _strength(holder, constraint, joinable.impulse_seconds)
    return replace(made, collide=not constraint.disable_collisions, strength=strength)


def _strength(holder: Object, constraint: RigidBodyConstraint, seconds: float) -> Strength:
    """Return what a constraint bears. Raises SceneError for a threshold of zero."""
    if not constraint.use_breaking:
        return UNBREAKABLE
    threshold = float(constraint.breaking_threshold)
    if not threshold > 0.0:
        raise SceneError(
            holder.name,
            f"the breaking threshold of its rigid body constraint is {threshold:g}",
            "set it above 0, or disable the constraint",
        )
    return Strength(threshold / seconds, threshold / seconds, seconds)


def _numbers(holder: Object, constraint: RigidBodyConstraint, joinable: Joinable) -> tuple[int, int]:
    """Return the numbers of the two bodies that a constraint joins. Raises SceneError."""

    def refusal(found: str, remedy: str) -> SceneError:
        return SceneError(holder.name, f"its rigid body constraint {found}", remedy)

    first, second = constraint.object1, constraint.object2
    if first is None or second is None:
        missing = "First" if first is None else "Second"
        raise refusal(f"has no {missing} object", "choose one in the Physics properties, or disable it")
    for other in (first, second):
        if other.name_full not in joinable.numbers and other.name_full not in joinable.visible:
            raise refusal(f'joins "{other.name}", which is hidden', "show that object, or disable it")
        if other.name_full not in joinable.numbers and other.name_full in joinable.shapeless:
            found = f'joins "{other.name}", which is animated and has no faces'
            raise refusal(found, "join an object with faces")
    numbers = joinable.number(first), joinable.number(second)
    if first == second:
        raise refusal(f'joins "{first.name}" to itself', "choose two different objects")
    if numbers[0] == numbers[1]:
        raise refusal(
            f'joins "{first.name}" and "{second.name}", which move as one', "clear the parent of one of them"
        )
    return numbers


class _Axes:
    """The axes of a constraint, as it has them set."""

    def __init__(self, holder: Object, constraint: RigidBodyConstraint, impulse_seconds: float) -> None:
        self._holder, self._constraint = holder, constraint
        self._impulse_seconds = impulse_seconds

    def one(self, way: str, letter: str) -> Axis:
        """Return an axis, a shift along or a turn about x, y or z."""
        constraint, name = self._constraint, f"{way}_{letter}"
        spring = self._spring(way, letter)
        if not getattr(constraint, f"use_limit_{name}"):
            return FREE if spring is None else Axis(spring=spring)
        restitution = coefficient(self._holder, RESTITUTION, 0.0, 1.0)
        lower = float(getattr(constraint, f"limit_{name}_lower"))
        upper = float(getattr(constraint, f"limit_{name}_upper"))
        if not lower <= upper:
            title = f"{'shift along' if way == SHIFT else 'turn about'} {letter}"
            raise SceneError(
                self._holder.name,
                f"the limits of its rigid body constraint for the {title} are {lower:g} and {upper:g}",
                "make the lower one the smaller one",
            )
        if lower == upper == 0.0:
            return LOCKED
        if (constraint.type, way) in _BACKWARDS:
            lower, upper = -upper, -lower
        return Axis(lower=lower, upper=upper, spring=spring, restitution=restitution)

    def all(self, way: str) -> Axes:
        """Return the shifts along, or the turns about, x, y and z."""
        return self.one(way, "x"), self.one(way, "y"), self.one(way, "z")

    def _spring(self, way: str, letter: str) -> Spring | None:
        name = letter if way == SHIFT else f"{way}_{letter}"
        constraint = self._constraint
        if constraint.type != "GENERIC_SPRING" or not getattr(constraint, f"use_spring_{name}"):
            return None
        stiffness, damping = (
            getattr(constraint, f"spring_{each}_{name}") for each in ("stiffness", "damping")
        )
        return Spring(float(stiffness), float(damping))

    def motor(self, way: str) -> Motor | None:
        """Return what drives the shift along, or the turn about, x; None if nothing does."""
        constraint = self._constraint
        if not getattr(constraint, f"use_motor_{way}"):
            return None
        speed = -float(getattr(constraint, f"motor_{way}_target_velocity"))
        impulse = float(getattr(constraint, f"motor_{way}_max_impulse"))
        return Motor(speed, impulse / self._impulse_seconds)


_KINDS: Mapping[str, Callable[[Anchors, _Axes], Joint]] = {
    "FIXED": lambda anchors, axes: fixed(anchors),
    "POINT": lambda anchors, axes: ball(anchors),
    "HINGE": lambda anchors, axes: hinge(anchors, axes.one(TURN, "z")),
    "SLIDER": lambda anchors, axes: slider(anchors, axes.one(SHIFT, "x")),
    "PISTON": lambda anchors, axes: piston(anchors, axes.one(SHIFT, "x"), axes.one(TURN, "x")),
    "GENERIC": lambda anchors, axes: generic(anchors, axes.all(SHIFT), axes.all(TURN)),
    "GENERIC_SPRING": lambda anchors, axes: generic(anchors, axes.all(SHIFT), axes.all(TURN)),
    "MOTOR": lambda anchors, axes: motor(anchors, axes.motor(SHIFT), axes.motor(TURN)),
}
