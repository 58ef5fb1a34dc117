# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished placements, written to the objects: transforms in their own spaces, keys of the path, reports.

Everything is computed first. Transforms are written and read back before keys and reports are written. If a
constraint or an animation owns one of the transforms, so that Blender gives another matrix, or a channel
cannot be keyed, all objects and keys are put back and SceneError names the owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.placement import Certificate
from ...core.rigid import Pose
from ..access import scene_of, view_layer_of
from ..errors import SceneError
from ..reading.subjects.subject import Subject
from ..rests.start import write_start
from .actions import keys_restored_on_error
from .as_one import moved_as_one
from .key_reduction import MotionScale
from .keys import Keying, KeyOptions, insert_automatically, insert_keys, path_keys
from .read_back import check_world_matrix
from .report import write_report
from .transform import Channels, channels, set_channels


@dataclass(frozen=True, eq=False)
class Outcome:
    """The end of an object's placement: its poses in order, the start first, and the certificate."""

    subject: Subject
    poses: Sequence[Pose]
    certificate: Certificate


def write_rests(context: Context, outcomes: Sequence[Outcome], keys: KeyOptions | None = None) -> None:
    """Move objects along their paths to the last poses, key the paths if asked, and store the reports.

    With keys, the scene goes to the frame of the last key, which shows the rest. Without, automatic keying
    keys the rest, if it is on.

    Raises:
        SceneError: if a transform cannot be written or keyed; all objects are then as they were.
    """
    objects = [outcome.subject.object for outcome in outcomes]
    worlds = [[outcome.subject.world_matrix(pose) for pose in outcome.poses] for outcome in outcomes]
    paths = [outcome.subject.space.path(way) for outcome, way in zip(outcomes, worlds, strict=True)]
    ends = [path[-1] for path in paths]
    with ExitStack() as undo:
        for obj in objects:
            undo.enter_context(keys_restored_on_error(obj))
        _move(context, [outcome.subject for outcome in outcomes], ends, [way[-1] for way in worlds])
        last = None if keys is None else _key_paths(context, outcomes, paths, keys)
        for obj in objects if keys is None else ():
            insert_automatically(context, obj, scene_of(context).frame_current)
    if last is not None:
        scene_of(context).frame_set(last)
    for obj, outcome in zip(objects, outcomes, strict=True):
        write_report(obj, outcome.certificate)
        write_start(obj, outcome.subject.start, outcome.poses[-1])


def _key_paths(
    context: Context, outcomes: Sequence[Outcome], paths: Sequence[Sequence[Channels]], keys: KeyOptions
) -> int:
    """Key each object's path; return the last frame of all."""
    keying = Keying.of(context)
    first = last = keys.first_frame
    for outcome, path in zip(outcomes, paths, strict=True):
        end = first + keys.frame_step * (len(path) - 1)
        insert_keys(
            outcome.subject.object,
            path_keys(path, first, end, measure_of(outcome.subject), keys.error),
            keying,
        )
        last = max(last, end)
        first = last if keys.in_turn else first
    return last


def measure_of(subject: Subject) -> MotionScale:
    """Return how far an object's location and rotation move the points of its body."""
    body, space = subject.body, subject.space
    farthest = float(np.linalg.norm(body.triangles.reshape(-1, 3), axis=1).max())
    scale = float(np.linalg.norm(space.outer[:3, 0]))
    return MotionScale(space.mode, scale / body.radius, farthest / body.radius)


def write_reports_only(outcomes: Sequence[Outcome]) -> None:
    """Store the reports on objects that were not moved."""
    for outcome in outcomes:
        write_report(outcome.subject.object, outcome.certificate)


def move(context: Context, subjects: Sequence[Subject], poses: Sequence[Pose]) -> None:
    """Move objects to the poses of their bodies, and key them if automatic keying is on.

    Raises SceneError if a transform cannot be written or keyed; all objects are then as they were.
    """
    objects = [subject.object for subject in subjects]
    worlds = [subject.world_matrix(pose) for subject, pose in zip(subjects, poses, strict=True)]
    ends = [
        subject.space.channels_for(world, subject.space.channels)
        for subject, world in zip(subjects, worlds, strict=True)
    ]
    with ExitStack() as undo:
        for obj in objects:
            undo.enter_context(keys_restored_on_error(obj))
        _move(context, subjects, ends, worlds)
        for obj in objects:
            insert_automatically(context, obj, scene_of(context).frame_current)


def _move(
    context: Context, subjects: Sequence[Subject], values: Sequence[Channels], expected: Sequence[Floats]
) -> None:
    objects = [subject.object for subject in subjects]
    before = [channels(obj) for obj in objects]
    try:
        with moved_as_one(context, subjects):
            _set_all(context, objects, values)
            for subject, matrix in zip(subjects, expected, strict=True):
                check_world_matrix(context, subject.object, subject.space, matrix)
    except SceneError:
        _set_all(context, objects, before)
        raise


def _set_all(context: Context, objects: Sequence[Object], values: Sequence[Channels]) -> None:
    for obj, own in zip(objects, values, strict=True):
        set_channels(obj, own)
    view_layer_of(context).update()
