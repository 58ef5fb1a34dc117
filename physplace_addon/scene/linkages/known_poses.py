# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a figure that need no solver: at rest, and mirrored.

Bones. At rest their channels are those of no motion. Mirrored, a bone takes from the one of the other side,
by its name, what Blender's Paste Pose Flipped does: with M = diag(-1, 1, 1), the location M t and the
rotation M R M. Locked channels of bones stay.

Objects. At rest the two frames A1, A2 of each constraint meet as they did when the figure was first posed,
X1 A1 = X2 A2; one part stays where it is. With R_i these poses, `D_i = X_i R_i^-1` is how a part has moved,
and S the reflection in the plane between parts whose names end as left and right, the part of the other side
gets the pose `S D_i S R`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import bpy
import numpy as np
from bpy.types import Context, LimitLocationConstraint, LimitRotationConstraint, PoseBone

from ...core.arrays import Floats
from ...core.articulation import LinkageScene
from ...core.articulation.equations import Equations
from ...core.articulation.groups import RigidGroups
from ...core.contact.system import FIXED, NumberedPair
from ...core.errors import JointError
from ...core.jobs import Job
from ...core.placement.checking import overlapping
from ...core.rigid import Pose
from ...core.wording import in_words
from .. import rotations
from ..access import present
from ..affine import linear4, split
from ..errors import SceneError
from ..writing.transform import Channels, channels
from .bone_constraints import limits_of
from .bone_frames import unposed_matrix
from .bone_joints import limit_range
from .linkages import FoundLinkage, Part
from .preparation import core_linkage, moved
from .reading import LinkageScenario, reading_around

UNSEEN: Final = 1e-5  # depth of an overlap, over the figure's size, that nobody sees
_BEYOND: Final = 1e-4  # radians, or lengths over the figure's size or a bone's, beyond a limit that count
_FLIP: Final = np.array([-1.0, 1.0, 1.0])
_FLAT: Final = 1e-6  # distance of left from right, over the size of a part, that gives no plane


@dataclass(frozen=True, eq=False)
class KnownPose:
    """Poses of all parts of a linkage in the world.

    held: the names of bones that constraints would not let stay there. notes: what there is to say, a phrase
    each.
    """

    poses: tuple[Pose, ...]
    held: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def rest_pose(found: FoundLinkage, root: int) -> KnownPose:
    """Return the rest pose of a linkage; of objects that nothing joins to the world the root stays."""
    poses, held = _bone_poses(found, _rest_channels)
    return KnownPose(_completed(found, poses, root), held)


def rest_around(found: FoundLinkage) -> tuple[Pose, ...]:
    """Return the rest poses of the parts, with the first one where it is if nothing joins to the world."""
    rest = rest_pose(found, 0).poses
    if any(FIXED in (each.joint.anchors.first, each.joint.anchors.second) for each in found.joints):
        return rest
    motion = found.poses[0].compose(rest[0].inverse())
    return tuple(motion.compose(pose) for pose in rest)


def mirrored_pose(found: FoundLinkage, root: int) -> KnownPose:
    """Return the mirrored pose of a linkage. Raises SceneError if it has none: it names what is missing."""
    bones = [part.bone is not None for part in found.parts]
    if all(bones):
        return _mirrored_bones(found)
    if any(bones):
        raise SceneError(
            found.objects[0].name,
            "its figure is of bones and of objects on constraints",
            "disable the constraints between them, and mirror each alone",
        )
    return KnownPose(_mirrored_objects(found, root))


def checking(context: Context, scenario: LinkageScenario, asked: KnownPose, what: str) -> Job[KnownPose]:
    """Return, in slices, a pose with notes on parts that overlap in it; what: the name of the pose.

    Raises:
        SceneError: joints do not hold in it, a bone's constraints would not let it there, or a part would
            overlap something around that it does not now.
    """
    found = scenario.found
    _check_joints(found, asked.poses, what)
    limited = _limit_notes(found, asked, what)
    if scenario.misses(asked.poses):
        always = frozenset(scenario.world.owners)
        scenario = yield from reading_around(context, found, asked.poses, always=always)
    solid = [number for number, part in enumerate(found.parts) if part.is_solid]
    bodies = [found.parts[number].body for number in solid]
    through, depth = _joined(found, solid), scenario.rounding + UNSEEN * scenario.around.balls[0].radius
    pairs = []
    for poses in (found.poses, asked.poses):
        chosen = [poses[number] for number in solid]
        overlaps = yield from overlapping(bodies, chosen, scenario.world.bodies, depth, through)
        pairs.append({each.bodies: each.names for each in overlaps})
    anew = {pair: names for pair, names in pairs[1].items() if pair not in pairs[0]}
    outside = [names for pair, names in anew.items() if pair[1] >= len(bodies)]
    if outside:
        part, other = outside[0]
        raise SceneError(
            found.objects[0].name,
            f'in its {what} "{part}" would overlap "{other}"',
            f'move the figure, or "{other}", clear first',
        )
    notes = [f"{in_words(list(names))} overlap" for names in anew.values()]
    return replace(asked, notes=(*asked.notes, *limited, *notes))


def _joined(found: FoundLinkage, solid: Sequence[int]) -> set[NumberedPair]:
    """Return the pairs of solid parts, by their places among these, that joints connect."""
    at = {number: place for place, number in enumerate(solid)}
    ends = [(read.joint.anchors.first, read.joint.anchors.second) for read in found.joints]
    inner = [sorted((at[one], at[two])) for one, two in ends if one in at and two in at]
    return {(one, two) for one, two in inner}


def _check_joints(found: FoundLinkage, poses: Sequence[Pose], what: str) -> None:
    """Raise SceneError where the joints of constraints are open at some poses."""
    joints = tuple(read for read in found.joints if read.holder is not None)
    if not joints:
        return
    origin = poses[0].translation
    linkage = core_linkage(replace(found, joints=joints), origin)
    try:
        LinkageScene.of(linkage, [moved(pose, -origin) for pose in poses], clearances=False)
    except JointError as error:
        raise SceneError(
            found.objects[0].name,
            f"its joints do not hold in its {what} ({error})",
            "put the objects of its constraints back to where they were; to mirror, set both sides up alike",
        ) from error


def _limit_notes(found: FoundLinkage, asked: KnownPose, what: str) -> tuple[str, ...]:
    """Return a note on parts that are beyond limits of their joints in a pose. Raises SceneError for bones
    whose constraints would not let them stay there.
    """
    if asked.held:
        raise SceneError(
            found.objects[0].name,
            f"in its {what} {in_words(list(asked.held))} would be beyond the limits of a constraint",
            "set the limits of both sides alike, or mute them",
        )
    names = [part.name for part in _beyond_limits(found, asked.poses)]
    return (f"beyond limits: {in_words(names)}",) if names else ()


def _beyond_limits(found: FoundLinkage, poses: Sequence[Pose]) -> list[Part]:
    """Return the parts whose joints are beyond a limit at some poses."""
    origin = poses[0].translation
    groups, there = RigidGroups.of(core_linkage(found, origin), [moved(pose, -origin) for pose in poses])
    limits = Equations.of(groups, (), there).limits(there)
    beyond = limits.take(np.flatnonzero(limits.value < -_BEYOND))
    first, second = beyond.body.T
    exceeded = np.unique(np.where(second == FIXED, first, second)).tolist()
    firsts = [int(np.flatnonzero(groups.part_group == group)[0]) for group in exceeded if group != FIXED]
    return [found.parts[number] for number in firsts]


# bones


def _bone(part: Part) -> PoseBone:
    place = present(part.bone)
    return present(place.armature.object.pose).bones[place.bone]


def _bone_poses(
    found: FoundLinkage, wanted: Callable[[PoseBone], Channels]
) -> tuple[dict[int, Pose], tuple[str, ...]]:
    """Return the poses of the parts that are bones, by number, for the channels that each is to have, and the
    names of those bones that constraints would not let stay there.
    """
    matrices = dict[tuple[int, str], Floats]()
    poses, held = dict[int, Pose](), dict[str, None]()
    for number, part in enumerate(found.parts):
        if part.bone is None:
            continue
        place, bone = part.bone, _bone(part)
        parent = None if bone.parent is None else matrices[place.armature.uid, bone.parent.name]
        unposed = place.carrier if place.carrier is not None else unposed_matrix(bone, parent)
        basis = _basis(bone, wanted(bone))
        matrix = unposed @ basis
        if _is_held(bone, basis, matrix, place.whole):
            held[part.name] = None
        matrices[place.armature.uid, place.bone] = matrix
        poses[number] = split(place.whole @ matrix @ np.linalg.inv(linear4(place.stretch))).pose
    return poses, tuple(held)


def _is_held(bone: PoseBone, basis: Floats, matrix: Floats, whole: Floats) -> bool:
    """Return whether limits of constraints keep a bone from a basis (4, 4), at its matrix (4, 4) in the
    armature, which has a matrix (4, 4) in the world.
    """
    spaces = {"LOCAL": basis, "POSE": matrix, "WORLD": whole @ matrix}
    for limit in limits_of(bone):
        there = spaces.get(limit.owner_space)
        if there is None:
            continue
        if isinstance(limit, LimitRotationConstraint):
            excess = float(limit_range(bone, limit).excess(split(there).pose.matrix).max())
        else:
            excess = _shift_beyond(limit, there[:3, 3]) / bone.bone.length
        if excess > _BEYOND:
            return True
    return False


def _shift_beyond(limit: LimitLocationConstraint, location: Floats) -> float:
    """Return how far a location (3,) is beyond the limits of a constraint, 0 for not at all."""
    beyond = 0.0
    for value, letter in zip(location.tolist(), "xyz", strict=True):
        for sign, end in ((1.0, "max"), (-1.0, "min")):
            if getattr(limit, f"use_{end}_{letter}"):
                beyond = max(beyond, sign * (value - float(getattr(limit, f"{end}_{letter}"))))
    return beyond


def _basis(bone: PoseBone, own: Channels) -> Floats:
    basis = np.eye(4)
    basis[:3, :3] = rotations.matrix_of(own.mode, own.rotation) * np.array(bone.scale, dtype=np.float64)
    basis[:3, 3] = own.location
    return basis


def _rest_channels(bone: PoseBone) -> Channels:
    return _unlocked(bone, np.zeros(3), np.eye(3))


def _mirrored_bones(found: FoundLinkage) -> KnownPose:
    owned = [(present(part.bone).armature.object.name, part.name) for part in found.parts]
    alone = {(rig, name) for rig, name in owned if (rig, bpy.utils.flip_name(name)) not in owned}

    def mirrored(bone: PoseBone) -> Channels:
        rig = bone.id_data
        if (rig.name, bone.name) in alone:
            return channels(bone)
        other = channels(present(rig.pose).bones[bpy.utils.flip_name(bone.name)])
        turn = _FLIP[:, None] * rotations.matrix_of(other.mode, other.rotation) * _FLIP
        return _unlocked(bone, _FLIP * other.location, turn)

    poses, held = _bone_poses(found, mirrored)
    names = sorted(name for _, name in alone)
    notes = (f"of {in_words(names)} there is no other side: left as posed",) if names else ()
    return KnownPose(tuple(poses[number] for number in range(len(found.parts))), held, notes)


def _unlocked(bone: PoseBone, location: Floats, turn: Floats) -> Channels:
    """Return the channels of a location (3,) and a rotation (3, 3), but for those that are locked."""
    shown = channels(bone)
    keeps = np.array(bone.lock_location) | bone.bone.use_connect
    rotation = _unlocked_rotation(bone, turn, shown)
    return Channels(np.where(keeps, shown.location, location), rotation, shown.mode)


def _unlocked_rotation(bone: PoseBone, turn: Floats, shown: Channels) -> Floats:
    mode, locked = shown.mode, np.array(bone.lock_rotation, dtype=bool)
    wanted = rotations.values_of(mode, turn, shown.rotation)
    if mode in rotations.EULER_ORDERS:
        return np.where(locked, shown.rotation, wanted)
    if not bone.lock_rotations_4d:
        before = rotations.values_of("XYZ", rotations.matrix_of(mode, shown.rotation), np.zeros(3))
        angles = np.where(locked, before, rotations.values_of("XYZ", turn, before))
        return rotations.values_of(mode, rotations.matrix_of("XYZ", angles), shown.rotation)
    if bone.lock_rotation_w or (locked.any() and mode != rotations.QUATERNION):
        return shown.rotation
    kept = np.where(locked, shown.rotation[1:], 0.0)
    free = np.where(locked, 0.0, wanted[1:])
    room = max(1.0 - float(kept @ kept), 0.0)
    free *= min(1.0, np.sqrt(room / max(float(free @ free), 1e-30)))
    w = np.copysign(np.sqrt(max(room - float(free @ free), 0.0)), wanted[0])
    return np.array([w, *(kept + free)])


# objects on constraints


def _completed(found: FoundLinkage, known: dict[int, Pose], root: int) -> tuple[Pose, ...]:
    """Return the poses of all parts: some are known, the joints give the others as they first met."""
    poses = {FIXED: Pose.identity(), **known}
    joints = [read.joint.anchors for read in found.joints if read.holder is not None]
    for seed in (FIXED, root, *range(len(found.parts))):
        poses.setdefault(seed, found.poses[seed])
        reached = True
        while reached:
            reached = False
            for each in joints:
                ends = each.first, each.second
                if (ends[0] in poses) == (ends[1] in poses):
                    continue
                between = each.frame1.compose(each.frame2.inverse())
                if ends[0] in poses:
                    poses[ends[1]] = poses[ends[0]].compose(between)
                else:
                    poses[ends[0]] = poses[ends[1]].compose(between.inverse())
                reached = True
    return tuple(poses[number] for number in range(len(found.parts)))


def _mirrored_objects(found: FoundLinkage, root: int) -> tuple[Pose, ...]:
    others = _other_sides(found)
    middle = [number for number, other in enumerate(others) if number == other]
    stays = max(middle, key=lambda number: found.parts[number].body.radius, default=root)
    rest = _completed(found, {}, stays)
    reflection = _reflection(found, rest, others)
    poses = []
    for number, other in enumerate(others):
        motion = found.poses[other].compose(rest[other].inverse())
        poses.append(split(reflection @ motion.matrix4 @ reflection).pose.compose(rest[number]))
    return tuple(poses)


def _other_sides(found: FoundLinkage) -> list[int]:
    """Return for each part the number of the one on the other side; its own for one in the middle."""
    names = [part.name for part in found.parts]
    flipped = [bpy.utils.flip_name(name) for name in names]
    for name, other in zip(names, flipped, strict=True):
        if other not in names:
            raise SceneError(
                name, f'its figure has no "{other}" on the other side', f'name that part "{other}"'
            )
    if names == flipped:
        raise SceneError(
            found.objects[0].name,
            "no two parts of its figure are named as left and right, so it has no plane to mirror over",
            'name them alike but for ".L" and ".R" at the end',
        )
    return [names.index(other) for other in flipped]


def _reflection(found: FoundLinkage, rest: Sequence[Pose], others: Sequence[int]) -> Floats:
    """Return the reflection (4, 4) in the plane between the parts of the two sides at rest."""
    middles = np.array([pose.points(_middle(part)) for pose, part in zip(rest, found.parts, strict=True)])
    pairs = [(one, two) for one, two in enumerate(others) if one < two]
    across = np.array([middles[one] - middles[two] for one, two in pairs])
    across *= np.where(across @ across[np.argmax((across**2).sum(axis=1))] < 0.0, -1.0, 1.0)[:, None]
    normal, size = across.sum(axis=0), max(part.body.radius for part in found.parts)
    far = float(np.linalg.norm(normal))
    if far <= _FLAT * size:
        raise SceneError(
            found.objects[0].name,
            "its left and right parts are at the same place at rest",
            "set it up with one side beside the other",
        )
    normal /= far
    center = np.mean([middles[one] + middles[two] for one, two in pairs], axis=0) / 2.0
    reflection = np.eye(4)
    reflection[:3, :3] -= 2.0 * np.outer(normal, normal)
    reflection[:3, 3] = 2.0 * normal * float(normal @ center)
    return reflection


def _middle(part: Part) -> Floats:
    middle: Floats = part.body.triangles.reshape(-1, 3).mean(axis=0)
    return middle
