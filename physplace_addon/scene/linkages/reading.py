# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage and the world around it, read from the scene: what is joined to the active object.

Nothing in the scene is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.contact.system import FIXED
from ...core.jobs import Job, Progress
from ...core.mechanics.joints import Anchors, Joint
from ...core.rigid import Pose
from ..access import evaluated_scene, scene_of
from ..affine import linear4
from ..dynamics.rigid_bodies import LeftOut, leave_out_lost_faces
from ..dynamics.rigid_constraints import Joinable, holders_of, joints_of
from ..errors import SceneError
from ..reading.nearness import MovingBall, Surroundings, Travel, World, reading_world
from ..reading.subjects.movers import check_editable
from ..reading.subjects.subject import Subject, reading_subjects, rounding_at
from ..reading.visible import Family, viewport_of, visible_objects
from ..references import ObjectReference
from ..writing.transform import locks_rotation, object_space
from .anchors import kept_anchors, stands_in_the_world
from .armatures import read_armature
from .bone_frames import matrix_of
from .jointed_objects import members_of, stands
from .linkages import FoundLinkage, ObjectPlace, Part, ReadJoint, ball_around

_STEP: Final = 0.05  # over the linkage's size, that it may move while more of the world is read
_STANDS: Final = Travel(np.zeros(3))


@dataclass(frozen=True, eq=False)
class LinkageScenario:
    """A linkage among what stands around it.

    Attributes:
        found: its parts and joints.
        world: the bodies that stand still.
        around: how far the linkage may get before more is read.
        middle: (3,), of the linkage, when the world was read.
    """

    found: FoundLinkage
    world: World
    around: Surroundings
    middle: Floats

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is left out of account of the linkage and of the world, a phrase each."""
        lost = LeftOut()
        leave_out_lost_faces(lost, self.world.bodies)
        return (*self.found.left_out, *lost.notes())

    @property
    def rounding(self) -> float:
        """The largest error of a point of a part by single precision, in scene units."""
        return rounding_at(float(np.abs(self.middle).max()) + self.around.balls[0].radius)

    def misses(self, poses: Sequence[Pose], travels: Sequence[Travel] = ()) -> bool:
        """Return whether the linkage may meet something that is not read, with its parts at some poses.

        travels: where it may go from there.
        """
        unread = self.world.unread
        if len(unread) == 0:
            return False
        parts = [replace(part, pose=pose) for part, pose in zip(self.found.parts, poses, strict=True)]
        middle, radius = ball_around(parts)
        around = replace(self.around, balls=(MovingBall(np.zeros(3), radius, radius),))
        return bool(around.reach(unread, [_at(middle)], travels).any())


def reading_linkage(context: Context, active: Object) -> Job[LinkageScenario]:
    """Read, in slices, the linkage that an object is of, and what stands around it.

    Raises:
        PhysPlaceError: a SceneError or another, that names the object, what is wrong and a remedy.
    """
    found = yield from reading_parts(context, active)
    return (yield from reading_around(context, found, found.poses))


def reading_around(
    context: Context,
    found: FoundLinkage,
    poses: Sequence[Pose],
    travels: Sequence[Travel] = (),
    always: frozenset[str] = frozenset(),
) -> Job[LinkageScenario]:
    """Read, in slices, what stands around a linkage with its parts at some poses.

    travels: where it may go from there. always: full names of objects that are read wherever they are.
    """
    parts = [replace(part, pose=pose) for part, pose in zip(found.parts, poses, strict=True)]
    middle, radius = ball_around(parts)
    around = Surroundings((MovingBall(np.zeros(3), radius, radius),), Travel(np.zeros(3)), _STEP)
    families = [Family(found.families)]
    world = yield from reading_world(
        context, families, around, [_at(middle)], [_STANDS, *travels], always=always, whole=False
    )
    return LinkageScenario(found, world, around, middle)


def reading_parts(context: Context, active: Object) -> Job[FoundLinkage]:
    """Read, in slices, the parts and joints of the linkage that an object is of. Raises PhysPlaceError."""
    scene = scene_of(context)
    members = members_of(scene, active)
    objects, armatures = (
        [ObjectReference.of(obj) for obj in some] for some in (members.objects, members.armatures)
    )
    subjects = yield from reading_subjects(context, members.objects)
    yield Progress("Reading the joints")
    rigs = [read_armature(context, armature.object) for armature in armatures]
    left_out, springs = LeftOut(), LeftOut()
    families = frozenset().union(*(Family.of(obj.object).names for obj in objects))
    parts = [_object_part(subject) for subject in subjects]
    leave_out_lost_faces(left_out, (part.body for part in parts))
    for subject in subjects:
        obj = subject.object
        if not stands(obj) and (any(obj.lock_location) or locks_rotation(obj)):
            left_out.add("the locked channels", obj.name)
    joints = list[ReadJoint]()
    notes = list[str]()
    for rig in rigs:
        joints += [_renumbered(joint, len(parts)) for joint in rig.joints]
        parts += rig.parts
        families |= rig.families
        notes += rig.left_out
    joints += _constraint_joints(context, parts, left_out, springs)
    if not joints and len(parts) == 1:
        raise SceneError(
            active.name,
            "nothing is joined to it",
            "give it rigid body constraints or an armature, or use Drag with Contact",
        )
    parts = _with_holders(context, parts, joints, families)
    every = (*notes, *left_out.notes(), *springs.notes())
    return FoundLinkage(tuple(parts), tuple(joints), families, every, springs.notes())


def _object_part(subject: Subject) -> Part:
    place = ObjectPlace(subject.reference, subject.space, linear4(subject.stretch))
    shown = Family.of(subject.object).names
    return Part(subject.name, subject.body, subject.pose, True, objects=(place,), shown=shown)


def _renumbered(joint: ReadJoint, by: int) -> ReadJoint:
    """Return a joint of parts whose numbers are greater by some."""

    def anchored(anchors: Anchors) -> Anchors:
        first, second = (n if n == FIXED else n + by for n in (anchors.first, anchors.second))
        return replace(anchors, first=first, second=second)

    frames = None if joint.frames is None else anchored(joint.frames)
    return replace(joint, joint=replace(joint.joint, anchors=anchored(joint.joint.anchors)), frames=frames)


def _constraint_joints(
    context: Context, parts: Sequence[Part], left_out: LeftOut, springs: LeftOut
) -> list[ReadJoint]:
    """Return the joints of the scene's constraints that hold one of some parts."""
    scene = scene_of(context)
    shown = dict[str, int]()
    for number, part in enumerate(parts):
        for name in part.shown:
            shown.setdefault(name, number)
    poses = [part.pose for part in parts]
    visible = visible_objects(context, viewport_of(context))
    joinable = Joinable(shown, len(parts), poses, visible, 1.0, kept_anchors(scene, shown, poses))
    joints = joints_of(scene, joinable, left_out)
    for joint in joints:
        _leave_out_drives(joint, left_out, springs)
    holders = [ObjectReference.of(holder) for holder in holders_of(scene, joinable)]
    return [
        ReadJoint(_undriven(joint), holder=holder, driven=joint)
        for joint, holder in zip(joints, holders, strict=True)
    ]


def _leave_out_drives(joint: Joint, left_out: LeftOut, springs: LeftOut) -> None:
    if any(axis.motor is not None for axis in joint.axes):
        left_out.add("the motor", joint.anchors.name)
    if any(axis.spring is not None for axis in joint.axes):
        springs.add("the springs", joint.anchors.name)


def _undriven(joint: Joint) -> Joint:
    """Return a joint without its springs and motors: a pose has no forces."""
    axes = [replace(axis, spring=None, motor=None) for axis in joint.axes]
    return replace(joint, axes=(axes[0], axes[1], axes[2], axes[3], axes[4], axes[5]))


def _with_holders(
    context: Context, parts: Sequence[Part], joints: Sequence[ReadJoint], families: frozenset[str]
) -> list[Part]:
    """Return the parts, each with the objects of the constraints that it carries along.

    What joins a part to the world stays where it holds that in the world. Where it has gone along with the
    part, it goes on doing so: elsewhere the joint would begin anew.
    """
    depsgraph = evaluated_scene(context)
    found = list(parts)
    for joint in joints:
        holder, anchors = None if joint.holder is None else joint.holder.object, joint.joint.anchors
        if holder is None or holder.name_full in families or stands_in_the_world(holder, anchors):
            continue
        number = anchors.second if anchors.first == FIXED else anchors.first
        check_editable(holder)
        evaluated = holder.evaluated_get(depsgraph)
        offset = found[number].pose.inverse().matrix4 @ matrix_of(evaluated.matrix_world)
        place = ObjectPlace(ObjectReference.of(holder), object_space(holder, evaluated), offset)
        found[number] = replace(found[number], objects=(*found[number].objects, place))
    return found


def _at(place: Floats) -> Pose:
    return Pose(np.array([1.0, 0.0, 0.0, 0.0]), place)
