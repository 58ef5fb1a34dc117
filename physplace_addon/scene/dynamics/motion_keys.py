# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a simulated motion, in the objects' actions.

They are keys of location and rotation on whole frames, of Blender's type for generated keys, and linear.  All
keys of these channels in the simulated frames are replaced, but for the one on the first frame, and so are
generated keys of an earlier simulation beyond them.  An object that Blender's own rigid bodies would move is
made one that they leave to its keys (*Animated*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Context, Object

from ...core.rigid import Pose
from ..access import scene_of, view_layer_of
from ..errors import SceneError
from ..reading.subjects.subject import Subject
from ..writing.actions import curves_of, keys_restored_on_error, slot_of
from ..writing.key_reduction import needed_keys
from ..writing.keys import GENERATED, Key, Keying, insert_keys, transform_curves
from ..writing.outcome import measure_of
from ..writing.read_back import check_world_matrix
from ..writing.transform import rotation_property, set_channels
from .rigid_bodies import ACTIVE
from .sampling import other_frames_shown, show_frame


@dataclass(frozen=True, eq=False)
class SimulatedPath:
    """An object, and its poses frame by frame, from its first frame on.

    On that one it has the location and the rotation with which it was read.
    """

    subject: Subject
    first_frame: int
    poses: Sequence[Pose]

    @property
    def last_frame(self) -> int:
        """The frame of the last pose."""
        return self.first_frame + len(self.poses) - 1


def write_motion(context: Context, paths: Sequence[SimulatedPath], error: float) -> int:
    """Key the paths of objects that stand where they begin; return the number of keys of all of them.

    Args:
        context: Blender's context, on the first frame.
        paths: one for each object, all with one last frame.
        error: the largest error over R of a pose that has no key; 0 keys every frame.

    Raises:
        SceneError: an object that its keys do not move; all objects and keys are then as they were.
    """
    with _keyed(context, paths, error) as count:
        view_layer_of(context).update()
    return count


def check_motion(context: Context, paths: Sequence[SimulatedPath], error: float) -> None:
    """Raise SceneError as `write_motion` would; objects and keys are as they were in either case."""
    with suppress(_TriedOut), _keyed(context, paths, error):
        raise _TriedOut


class _TriedOut(Exception):
    """Keys were written only to see whether they move their objects, and are to be put back."""


@contextmanager
def _keyed(context: Context, paths: Sequence[SimulatedPath], error: float) -> Iterator[int]:
    """Key the paths, and yield the number of keys; put all back where that, or the block, fails."""
    objects = [path.subject.object for path in paths]
    _check_actions(objects)
    keying, count, keyed = Keying.of(context), 0, list[frozenset[int]]()
    with ExitStack() as undo:
        for obj, path in zip(objects, paths, strict=True):
            undo.enter_context(keys_restored_on_error(obj))
            undo.enter_context(_left_to_its_keys(obj))
            keys = _keys(path, error)
            _keep_motion_before(obj, path.first_frame)
            _remove_keys(obj, path.first_frame, path.last_frame)
            insert_keys(obj, keys, keying)
            set_channels(obj, path.subject.space.channels)
            count += len(keys)
            keyed.append(frozenset(key.frame for key in keys[1:]))
        _check_shown(context, paths, keyed)
        yield count


def _keys(path: SimulatedPath, error: float) -> list[Key]:
    """Return the keys of a path; on the first frame the object keeps its own values."""
    subject = path.subject
    worlds = [subject.world_matrix(pose) for pose in path.poses[1:]]
    values = [subject.space.channels, *subject.space.path(worlds)]
    frames = range(path.first_frame, path.first_frame + len(values))
    chosen = needed_keys(values, frames, measure_of(subject), error)
    return [Key(frames[i], values[i], on_path=True) for i in chosen]


def _keep_motion_before(obj: Object, frame: int) -> None:
    """Hold the automatic handles of keys up to a frame: Blender would fit them to the keys that follow."""
    points = [point for curve in transform_curves(obj) for point in curve.keyframe_points]
    for point in points:
        if point.co[0] <= frame and point.type != GENERATED:
            for side in ("handle_left_type", "handle_right_type"):
                if getattr(point, side) in ("AUTO", "AUTO_CLAMPED"):
                    setattr(point, side, "FREE")


def _remove_keys(obj: Object, first: int, last: int) -> None:
    """Remove the keys of location and rotation between two frames, and generated ones that follow them."""
    names = ("location", rotation_property(obj.rotation_mode))
    for curve in [curve for curve in curves_of(obj) if curve.data_path in names]:
        points = curve.keyframe_points
        later = [point.co[0] for point in points if point.type != GENERATED and point.co[0] > last]
        end = min(later, default=np.inf)
        for point in reversed(list(points)):
            frame = point.co[0]
            if first < frame and (frame <= last or (point.type == GENERATED and frame < end)):
                points.remove(point, fast=True)
        curve.update()


def _check_actions(objects: Sequence[Object]) -> None:
    """Raise SceneError for one of some objects that has the same curves as any other object."""
    users: dict[tuple[str, str], list[Object]] = {}
    for each in bpy.data.objects:
        if each.animation_data and each.animation_data.action is not None:
            users.setdefault((each.animation_data.action.name_full, slot_of(each)), []).append(each)
    for obj in reversed(objects):
        action = obj.animation_data.action if obj.animation_data else None
        if action is None:
            continue
        others = [user for user in users[action.name_full, slot_of(obj)] if user != obj]
        if others:
            raise SceneError(
                obj.name,
                f'it shares its action "{action.name}" with "{others[0].name}"',
                "make the action single-user (the number beside its name)",
            )


@contextmanager
def _left_to_its_keys(obj: Object) -> Iterator[None]:
    """Make Blender's own rigid bodies leave an object to its keys; not so if the block fails."""
    body = obj.rigid_body
    if body is None or body.type != ACTIVE or body.kinematic:
        yield
        return
    body.kinematic = True
    try:
        yield
    except BaseException:
        present_body = obj.rigid_body
        if present_body is not None:
            present_body.kinematic = False
        raise


def _check_shown(context: Context, paths: Sequence[SimulatedPath], keyed: Sequence[frozenset[int]]) -> None:
    """Raise SceneError for an object that is not where its pose is, on one of the frames with its keys."""
    with other_frames_shown(context):
        for frame in sorted(frozenset[int]().union(*keyed)):
            show_frame(scene_of(context), frame)
            for path, frames in zip(paths, keyed, strict=True):
                if frame in frames:
                    subject, pose = path.subject, path.poses[frame - path.first_frame]
                    check_world_matrix(context, subject.object, subject.space, subject.world_matrix(pose))
