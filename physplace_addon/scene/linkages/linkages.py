# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage as it was read from the scene: its parts, its joints, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.mechanics.joints import Anchors, Joint
from ...core.rigid import Pose
from ..affine import linear4
from ..references import ObjectReference
from ..writing.transform import ObjectSpace
from .turn_ranges import TurnRange


@dataclass(frozen=True, eq=False)
class ObjectPlace:
    """An object that a part carries: its own, or the empty of a joint.

    Attributes:
        reference: the object.
        space: turns its world matrix into its location and rotation.
        offset: (4, 4), its world matrix seen from the part's pose.
    """

    reference: ObjectReference
    space: ObjectSpace
    offset: Floats

    def world_matrix(self, pose: Pose) -> Floats:
        """Return its world matrix (4, 4) for a pose of the part."""
        return pose.matrix4 @ self.offset


@dataclass(frozen=True, eq=False)
class BonePlace:
    """A bone that is a part.

    Attributes:
        armature: its object.
        bone: its name.
        whole: (4, 4), the armature's world matrix.
        stretch: (3, 3), the part of the bone's world matrix that is not rigid.
        carrier: (4, 4), what a constraint makes of its rest pose in the armature; None for most.
        scale: (3,), of the armature, times its delta scale.
        outer: (4, 4), what makes the armature's world matrix of its own transform: its parent.
    """

    armature: ObjectReference
    bone: str
    whole: Floats
    stretch: Floats
    carrier: Floats | None
    scale: Floats
    outer: Floats

    def pose_matrix(self, pose: Pose) -> Floats:
        """Return the bone's matrix (4, 4) in the armature for a pose of the part."""
        matrix: Floats = np.linalg.inv(self.whole) @ pose.matrix4 @ linear4(self.stretch)
        return matrix


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid part of a linkage.

    Attributes:
        name: of its object or bone.
        body: in its own frame.
        pose: in the world.
        is_solid: whether it has a surface; a bone without a mesh has a body that nothing touches.
        objects: what it carries of objects.
        bone: the bone that it is; None for an object.
        shown: the full names of the objects that show it.
    """

    name: str
    body: Body
    pose: Pose
    is_solid: bool
    objects: tuple[ObjectPlace, ...] = ()
    bone: BonePlace | None = None
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class ReadJoint:
    """A joint of a linkage.

    Attributes:
        joint: its equations and limits.
        turns: the ranges of the Euler angles between its anchor frames, where axes cannot say them.
        frames: the anchor frames whose angles these are.
        stiffness: (6,), of the axes, shifts first; 0 where it moves freely.
        holder: the object that has the constraint; None for a bone's.
        driven: the joint with its springs, for what has forces; None where there are none.
    """

    joint: Joint
    turns: TurnRange | None = None
    frames: Anchors | None = None
    stiffness: tuple[float, ...] = (0.0,) * 6
    holder: ObjectReference | None = None
    driven: Joint | None = None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.joint.anchors.name


@dataclass(frozen=True, eq=False)
class FoundLinkage:
    """The parts of a linkage and its joints, whose bodies are numbered as the parts.

    Attributes:
        parts: that move.
        joints: between them, and to the world.
        families: the full names of all objects that are of it, so that they are not of the world.
        left_out: what was left out of account, a phrase each.
        springs: those of these phrases that are about springs, which count where there are forces.
    """

    parts: tuple[Part, ...]
    joints: tuple[ReadJoint, ...]
    families: frozenset[str]
    left_out: tuple[str, ...] = ()
    springs: tuple[str, ...] = ()

    @property
    def poses(self) -> tuple[Pose, ...]:
        """The poses of the parts."""
        return tuple(part.pose for part in self.parts)

    @property
    def objects(self) -> list[Object]:
        """The objects that are written: armatures and what has a location of its own."""
        references = dict[int, ObjectReference]()
        for part in self.parts:
            for place in part.objects:
                references[place.reference.uid] = place.reference
            if part.bone is not None:
                references[part.bone.armature.uid] = part.bone.armature
        return [reference.object for reference in references.values()]

    def part_shown_by(self, owner: str) -> list[int]:
        """Return the numbers of the parts that an object of a full name shows."""
        return [number for number, part in enumerate(self.parts) if owner in part.shown]


def ball_around(parts: Sequence[Part]) -> tuple[Floats, float]:
    """Return the middle (3,) of all parts in the world, and the radius of a ball about it that holds them."""
    corners = [part.pose.points(part.body.triangles.reshape(-1, 3)) for part in parts]
    lower = np.min([each.min(axis=0) for each in corners], axis=0)
    upper = np.max([each.max(axis=0) for each in corners], axis=0)
    middle = 0.5 * (lower + upper)
    return middle, max(float(np.sqrt(((each - middle) ** 2).sum(axis=1).max())) for each in corners)
