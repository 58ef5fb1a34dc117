# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a linkage in the scene: transforms of objects, local channels of bones.

Only locations and rotations are set, in each one's rotation mode, near what they were before; locked channels
of bones stay. A channel that a pose leaves alone keeps its value to the last bit. A bone's channels follow
from its own pose and from that of its parent (`bone_frames`), so bones are written parents first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from bpy.types import Context, Object, PoseBone

from ...core.arrays import Floats
from ...core.contact.system import FIXED
from ...core.rigid import Pose
from ..access import present, scene_of, view_layer_of
from ..affine import linear4
from ..changes import own_changes
from ..errors import SceneError
from ..writing.actions import keys_restored_on_error
from ..writing.keys import Key, Keying, insert_automatically, insert_keys
from ..writing.read_back import READ_BACK, changed, check_world_matrix
from ..writing.transform import Channels, channels, set_channels
from .anchors import keep_anchors
from .bone_constraints import is_acting, limits_of
from .bone_frames import basis_channels, basis_matrix, matrix_of, refusal
from .linkages import BonePlace, FoundLinkage

UNCHANGED: Final = (
    2e-6  # change of a rotation, and of a location over R, that is rounding of single precision
)
LIMITED_BACK: Final = 1e-3  # error of a bone read back, over its largest entry, that a limit's rounding makes
TRIAL: Final = 0.1  # shift, over R, by which it is tried whether a linkage can be written

Posed = Object | PoseBone


@dataclass(frozen=True, eq=False)
class _Target:
    """One that is written: its part, and for an object which of the places of the part.

    unit: R of the part in units of its location.
    """

    part: int
    place: int | None
    unit: float


class LinkagePose:
    """The channels of all objects and bones of a linkage: as they are shown, and as they were before."""

    def __init__(self, found: FoundLinkage) -> None:
        self._found = found
        self._targets = list(_targets(found))
        self._before = [channels(self._posed(each)) for each in self._targets]
        self._shown = list(self._before)

    def show(self, context: Context, poses: Sequence[Pose]) -> None:
        """Put the parts at poses."""
        with own_changes(context):
            self._shown = self._channels(poses)
            self._set(self._shown)
            view_layer_of(context).update()
            self._shown = [channels(self._posed(each)) for each in self._targets]

    def restore(self, context: Context) -> None:
        """Put everything that still exists back to where it was."""
        with own_changes(context):
            for target, values in zip(self._targets, self._before, strict=True):
                posed = self._found_posed(target)
                if posed is not None:
                    set_channels(posed, values)
            self._shown = list(self._before)
            view_layer_of(context).update()

    def check_shown(self, context: Context, poses: Sequence[Pose]) -> None:
        """Raise SceneError for an object or a bone that does not stand at its pose."""
        for target in self._targets:
            part, pose = self._found.parts[target.part], poses[target.part]
            if target.place is None:
                _check_bone(context, present(part.bone), pose)
            else:
                place = part.objects[target.place]
                obj, matrix = place.reference.object, place.world_matrix(pose)
                check_world_matrix(context, obj, place.space, matrix)

    def check_writable(self, context: Context) -> None:
        """Raise SceneError for an object or a bone that something else owns; put all back after it.

        A linkage that nothing joins to the world is shifted a little.
        """
        found, shift = self._found, np.zeros(3)
        if all(FIXED not in (each.joint.anchors.first, each.joint.anchors.second) for each in found.joints):
            shift += TRIAL * max(part.body.radius for part in found.parts)
        tried = [Pose(pose.rotation, pose.translation + shift) for pose in found.poses]
        try:
            self.show(context, tried)
            self.check_shown(context, tried)
        finally:
            self.restore(context)

    def write(self, context: Context, poses: Sequence[Pose]) -> int:
        """Leave the parts at poses, and key what has moved if automatic keying is on; return how much has.

        Raises SceneError, with everything put back, if something else owns a transform, a channel cannot be
        keyed, or a joint's object is gone.
        """
        with self._put_back_on_error(context):
            count = self._leave(context, poses)
            self._keep_anchors()
        return count

    def write_path(self, context: Context, states: Sequence[Sequence[Pose]], first_frame: int) -> int:
        """Write the last of states, and key all that moves, from a frame on, at one state after another.

        Returns how much has moved. Raises SceneError, with everything put back, as `write` does.
        """
        with self._put_back_on_error(context):
            count = self._leave(context, states[-1])
            self._key_path(context, states, first_frame)
            self._keep_anchors()
        return count

    def _leave(self, context: Context, poses: Sequence[Pose]) -> int:
        self.show(context, poses)
        self.check_shown(context, poses)
        moved = self.moved()
        for posed in moved:
            insert_automatically(context, posed, scene_of(context).frame_current)
        return len(moved)

    def _keep_anchors(self) -> None:
        """Keep where the joints hold. Raises SceneError, before any is kept, if a joint's object is gone."""
        kept = [(read.holder.object, read.joint) for read in self._found.joints if read.holder is not None]
        for holder, joint in kept:
            keep_anchors(holder, joint)

    def _key_path(self, context: Context, states: Sequence[Sequence[Pose]], first_frame: int) -> None:
        keying, frames = Keying.of(context), len(states)
        path = []
        self._shown = list(self._before)
        for poses in states:
            self._shown = self._channels(poses)
            path.append(self._shown)
        for number, target in enumerate(self._targets):
            values = [state[number] for state in path]
            if any(not _alike(each, self._before[number]) for each in values):
                keys = [Key(first_frame + i, each, i < frames - 1) for i, each in enumerate(values)]
                insert_keys(self._posed(target), keys, keying)
        self.show(context, states[-1])

    @contextmanager
    def _put_back_on_error(self, context: Context) -> Iterator[None]:
        """Put back what has been moved and keyed if the block fails, in whatever way."""
        try:
            with ExitStack() as undo:
                for obj in self._found.objects:
                    undo.enter_context(keys_restored_on_error(obj))
                yield
        except BaseException:
            self.restore(context)
            raise

    @property
    def is_undisturbed(self) -> bool:
        """Whether all objects, of joints too, and bones exist, and are as they were last shown."""
        holders = [read.holder for read in self._found.joints if read.holder is not None]
        if any(holder.found() is None for holder in holders):
            return False
        for target, shown in zip(self._targets, self._shown, strict=True):
            posed = self._found_posed(target)
            if posed is None or not _alike(channels(posed), shown):
                return False
        return True

    def moved(self) -> list[Posed]:
        """Return the objects and bones whose channels are not as they were before."""
        pairs = zip(self._targets, self._before, self._shown, strict=True)
        return [self._posed(target) for target, before, shown in pairs if not _alike(before, shown)]

    def _channels(self, poses: Sequence[Pose]) -> list[Channels]:
        """Return the channels that put the parts at poses, near those that are shown."""
        matrices: dict[tuple[int, str], Floats] = {}
        found = []
        for target, before, shown in zip(self._targets, self._before, self._shown, strict=True):
            part, pose = self._found.parts[target.part], poses[target.part]
            if target.place is None:
                values = _bone_channels(present(part.bone), pose, matrices, shown)
            else:
                place = part.objects[target.place]
                values = place.space.channels_for(place.world_matrix(pose), shown)
            found.append(_settled(values, before, target.unit))
        return found

    def _set(self, values: Sequence[Channels]) -> None:
        for target, own in zip(self._targets, values, strict=True):
            set_channels(self._posed(target), own)

    def _posed(self, target: _Target) -> Posed:
        part = self._found.parts[target.part]
        if target.place is not None:
            return part.objects[target.place].reference.object
        return _bone(present(part.bone))

    def _found_posed(self, target: _Target) -> Posed | None:
        part = self._found.parts[target.part]
        if target.place is not None:
            return part.objects[target.place].reference.found()
        place = present(part.bone)
        armature = place.armature.found()
        if armature is None or armature.pose is None or place.bone not in armature.pose.bones:
            return None
        return armature.pose.bones[place.bone]


def _targets(found: FoundLinkage) -> Iterator[_Target]:
    for number, part in enumerate(found.parts):
        for i, place in enumerate(part.objects):
            yield _Target(number, i, part.body.radius / _scale(place.space.outer))
        if part.bone is not None:
            yield _Target(number, None, part.body.radius / _scale(part.bone.whole))


def _scale(matrix: Floats) -> float:
    return float(np.linalg.norm(matrix[:3, 0]))


def _bone(place: BonePlace) -> PoseBone:
    """Return the bone of a place. Raises SceneError if it does not exist any more."""
    armature = place.armature.object
    if armature.pose is None or place.bone not in armature.pose.bones:
        raise refusal(armature, place.bone, "is not there any more", "begin again")
    return armature.pose.bones[place.bone]


def _bone_channels(
    place: BonePlace, pose: Pose, matrices: dict[tuple[int, str], Floats], shown: Channels
) -> Channels:
    """Return the channels of a bone at a pose; its matrix in the armature is added to its parents'."""
    bone, matrix = _bone(place), place.pose_matrix(pose)
    matrices[place.armature.uid, place.bone] = matrix
    if place.carrier is not None:
        return basis_channels(bone, np.linalg.inv(place.carrier) @ matrix, shown)
    parent = None if bone.parent is None else matrices[place.armature.uid, bone.parent.name]
    return basis_channels(bone, basis_matrix(bone, matrix, parent), shown)


def _check_bone(context: Context, place: BonePlace, pose: Pose) -> None:
    """Raise SceneError, which names what owns it, for a bone that does not stand at a pose."""
    armature = place.armature.object
    evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
    matrix = matrix_of(evaluated.matrix_world) @ matrix_of(present(evaluated.pose).bones[place.bone].matrix)
    expected = pose.matrix4 @ linear4(place.stretch)
    bone = present(armature.pose).bones[place.bone]
    limited = any(next(limits_of(each), None) is not None for each in (bone, *bone.parent_recursive))
    off = LIMITED_BACK if limited else READ_BACK
    if np.abs(matrix - expected).max() > off * np.abs(expected).max():
        raise changed(armature, evaluated, place.scale, place.outer) or _owned(armature, place.bone)


def _owned(armature: Object, name: str) -> SceneError:
    """Return the error that names what owns the pose of a bone."""
    bone = present(armature.pose).bones[name]
    names = [each.name for each in bone.constraints if is_acting(each)]
    if names:
        found = f'does not stay where it is put: its constraint "{names[0]}" moves it'
        return refusal(armature, name, found, "mute that constraint")
    remedy = "mute what owns it: a driver, an NLA strip or an action constraint"
    return refusal(armature, name, "does not stay where it is put", remedy)


def _settled(values: Channels, before: Channels, unit: float) -> Channels:
    """Return channels, with the values from before where they differ by rounding alone."""
    if values.mode != before.mode:
        return values
    far = unit + float(np.abs(before.location).max())
    stays = np.abs(values.location - before.location).max() <= UNCHANGED * far
    unturned = np.abs(values.rotation - before.rotation).max() <= UNCHANGED
    return Channels(
        before.location if stays else values.location,
        before.rotation if unturned else values.rotation,
        values.mode,
    )


def _alike(first: Channels, second: Channels) -> bool:
    return (
        first.mode == second.mode
        and np.array_equal(first.location, second.location)
        and np.array_equal(first.rotation, second.rotation)
    )
