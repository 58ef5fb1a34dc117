# SPDX-License-Identifier: GPL-3.0-or-later
"""An object's list of rests, `object.physplace.rests`, and their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ...core.rigid import Pose
from ..access import extended, scene_of, view_layer_of
from ..errors import SceneError
from ..reading.subjects.subject import Subject
from ..rotations import location_and_rotation, pose_of
from ..writing.animated_values import AnimatedValues
from ..writing.keys import (
    Key,
    Keying,
    channels_before,
    insert_keys,
    last_set_key_before,
    path_keys,
    remove_key,
    remove_path_keys,
    transform_curves,
)
from ..writing.outcome import Outcome, measure_of
from ..writing.read_back import check_world_matrix
from ..writing.report import write_report
from ..writing.transform import TRANSFORM, channels, set_channels
from .start import is_same_place, write_start

if TYPE_CHECKING:
    from ...rest_properties import PhysPlaceObject, PhysPlaceRest


@dataclass(frozen=True)
class PathOptions:
    """How the path to a rest is keyed: frames a step, and the largest error (see `KeyOptions`)."""

    frame_step: int
    error: float


@dataclass(frozen=True, eq=False)
class PlacedRest:
    """A rest's frame and outcome; keyed_frame: the frame of its present keys, None without any."""

    frame: int
    outcome: Outcome
    keyed_frame: int | None


def rests_of(obj: Object) -> PhysPlaceObject:
    """Return an object's property group `object.physplace`."""
    kept: PhysPlaceObject = extended(obj).physplace
    return kept


def rest_on(obj: Object, frame: int) -> PhysPlaceRest | None:
    """Return an object's rest on a frame; None if there is none."""
    return next((rest for rest in rests_of(obj).rests if rest.frame == frame), None)


def rests_by_frame(obj: Object) -> list[PhysPlaceRest]:
    """Return an object's rests by frame. Raises SceneError for two on one frame."""
    rests = sorted(rests_of(obj).rests, key=lambda rest: rest.frame)
    for rest, following in pairwise(rests):
        if rest.frame == following.frame:
            raise SceneError(
                obj.name,
                f'"{rest.name}" and "{following.name}" are both on frame {rest.frame}',
                "give one of them another frame, or remove it",
            )
    return rests


def active_rest(obj: Object) -> PhysPlaceRest | None:
    """Return the rest chosen in the list; None if there is none."""
    kept = rests_of(obj)
    return kept.rests[kept.active_rest] if 0 <= kept.active_rest < len(kept.rests) else None


def start_of(rest: PhysPlaceRest) -> Pose:
    """Return the pose from which the object falls to a rest."""
    return pose_of([*rest.start_location, *rest.start_rotation])


def manual_start(obj: Object, subject: Subject) -> Pose:
    """Return the start of the rest at which an object is, or its own start if it is at none."""
    for rest in rests_of(obj).rests:
        pose = pose_of([*rest.rest_location, *rest.rest_rotation])
        if is_same_place(subject.body, pose, subject.pose, subject.rounding):
            return start_of(rest)
    return subject.start


@contextmanager
def frame_restored(context: Context, keyed: Sequence[Object] = (), *, always: bool = False) -> Iterator[None]:
    """Return to the scene's frame after the block, with all that was changed there without a key.

    keyed: objects that keep the location and rotation that their new keys give them; not so if the block
    fails, or always.
    """
    scene = scene_of(context)
    frame, values, done = (scene.frame_current, scene.frame_subframe), AnimatedValues.of_all(), False
    before = [(obj, channels(obj)) for obj in keyed]
    try:
        yield
        done = not always
    finally:
        if (scene.frame_current, scene.frame_subframe) != frame:
            scene.frame_set(frame[0], subframe=frame[1])
            values.put_back({obj.session_uid: TRANSFORM for obj in keyed} if done else None)
        for obj, own in () if done else before:
            set_channels(obj, own)
        view_layer_of(context).update()


def show_frame(context: Context, frame: int) -> None:
    """Change to a frame, unless it is the present one: that keeps transforms that are not keyed."""
    scene = scene_of(context)
    if scene.frame_current != frame:
        scene.frame_set(frame)


def key_rests(context: Context, obj: Object, placed: Sequence[PlacedRest], way: PathOptions | None) -> int:
    """Key rests in the order of their frames, and their paths if asked; return the number of keyed frames.

    To be called within `keys_restored_on_error`. Raises SceneError if Blender then shows an object elsewhere.
    """
    keying, count = Keying.of(context), 0
    for rest in placed:
        if rest.keyed_frame is not None and rest.keyed_frame != rest.frame:
            remove_key(obj, rest.keyed_frame)
    for rest in placed:
        show_frame(context, rest.frame)
        keys = _keys(obj, rest, way)
        insert_keys(obj, keys, keying)
        count += len(keys)
    for rest in placed:
        _check_shown(context, obj, rest)
    return count


def _keys(obj: Object, placed: PlacedRest, way: PathOptions | None) -> list[Key]:
    """Return the keys of a rest and of its path, which takes at most half the frames since the key before."""
    subject, poses = placed.outcome.subject, placed.outcome.poses
    remove_path_keys(obj, placed.frame)
    before = last_set_key_before(obj, placed.frame)
    length = way.frame_step * (len(poses) - 1) if way else 0
    room = length if before is None else int(placed.frame - before) // 2
    first = placed.frame - min(length, room)
    space = replace(subject.space, channels=channels_before(obj, first))
    path = space.path([subject.world_matrix(pose) for pose in poses])
    return path_keys(path, first, placed.frame, measure_of(subject), way.error if way else 0.0)


def _check_shown(context: Context, obj: Object, placed: PlacedRest) -> None:
    show_frame(context, placed.frame)
    obj.update_tag(refresh={"TIME"})
    view_layer_of(context).update()
    if any(curve.mute for curve in transform_curves(obj)):
        found = "curves of its location or rotation are muted, so keys do not move it"
        raise SceneError(obj.name, found, "unmute them in the Graph Editor")
    subject = placed.outcome.subject
    check_world_matrix(context, obj, subject.space, subject.world_matrix(placed.outcome.poses[-1]))


def store_rest(obj: Object, placed: PlacedRest) -> PhysPlaceRest:
    """Store a keyed rest in the object's list, and return it."""
    kept = rests_of(obj)
    rest = rest_on(obj, placed.frame)
    if rest is None:
        rest = kept.rests.add()
        rest.name, rest.frame = _free_name({known.name for known in kept.rests}), placed.frame
    rest.keyed_frame = placed.frame
    rest.start_location, rest.start_rotation = location_and_rotation(placed.outcome.subject.start)
    rest.rest_location, rest.rest_rotation = location_and_rotation(placed.outcome.poses[-1])
    return rest


def select_rest(obj: Object, frame: int) -> None:
    """Choose the rest on a frame in the list."""
    rests_of(obj).active_rest = [rest.frame for rest in rests_of(obj).rests].index(frame)


def store_shown_rest(context: Context, obj: Object, placed: Sequence[PlacedRest]) -> None:
    """Store the report and the start of the rest that is shown: the last one up to the present frame."""
    now = scene_of(context).frame_current
    shown = ([rest for rest in placed if rest.frame <= now] or [placed[0]])[-1]
    write_report(obj, shown.outcome.certificate)
    write_start(obj, shown.outcome.subject.start, shown.outcome.poses[-1])


def remove_rest(obj: Object, number: int) -> None:
    """Remove a rest from the list, with its keys."""
    kept = rests_of(obj)
    remove_key(obj, kept.rests[number].keyed_frame)
    kept.rests.remove(number)
    kept.active_rest = min(number, len(kept.rests) - 1)


def _free_name(taken: set[str]) -> str:
    numbers = range(1, len(taken) + 2)
    return next(name for name in (f"Rest {number}" for number in numbers) if name not in taken)
