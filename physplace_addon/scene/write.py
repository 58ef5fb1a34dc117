# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished placements, written to the objects: transforms in their own spaces, keys of the path, reports.

Everything is computed first. The transforms are written and read back before keys and reports are; if
Blender makes another matrix of one of them, because a constraint or an animation owns the transform, all
objects are put back and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Context, Object

from ..core.arrays import Floats
from ..core.placement import Certificate
from ..core.rigid import Pose
from .access import scene_of, view_layer_of
from .errors import SceneError
from .keys import key_path
from .read import Subject
from .report import write_report
from .start import write_start
from .transform import Channels, channels, set_channels

READ_BACK = 1e-5  # of the largest coordinate: a few products of float32 matrices


@dataclass(frozen=True)
class KeyOptions:
    """On which frames a path is keyed: the first state's, and the distance to the next.

    Of several objects each follows the one before it, if `in_turn`; else they all go at once.
    """

    first_frame: int
    frame_step: int
    in_turn: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """How an object's placement ended: its poses on the way, the start first, and the certificate."""

    subject: Subject
    poses: Sequence[Pose]
    certificate: Certificate


def write_rests(context: Context, outcomes: Sequence[Outcome], keys: KeyOptions | None = None) -> None:
    """Move objects along their paths to the last poses, key the paths if asked, and keep the reports.

    With keys, the scene goes to the last key's frame, so that what is seen is the rest. Raises SceneError,
    with all objects as they were, if a transform cannot be written.
    """
    objects = [_object(outcome.subject) for outcome in outcomes]
    worlds = [[outcome.subject.world_matrix(pose) for pose in outcome.poses] for outcome in outcomes]
    paths = [outcome.subject.space.path(way) for outcome, way in zip(outcomes, worlds, strict=True)]
    ends = [path[-1] for path in paths]
    _move(context, objects, ends, [way[-1] for way in worlds])
    if keys is not None:
        scene_of(context).frame_set(_key_paths(objects, paths, keys))
    for obj, outcome in zip(objects, outcomes, strict=True):
        write_report(obj, outcome.certificate)
        write_start(obj, outcome.subject.start, outcome.poses[-1])


def _key_paths(objects: Sequence[Object], paths: Sequence[Sequence[Channels]], keys: KeyOptions) -> int:
    """Key each object's path; returns the last frame of all."""
    first = last = keys.first_frame
    for obj, path in zip(objects, paths, strict=True):
        last = max(last, key_path(obj, path, first, keys.frame_step))
        first = last if keys.in_turn else first
    return last


def write_reports_only(outcomes: Sequence[Outcome]) -> None:
    """Keep the reports on objects that were not moved."""
    for outcome in outcomes:
        write_report(_object(outcome.subject), outcome.certificate)


def _object(subject: Subject) -> Object:
    found: Object = bpy.data.objects[subject.name]
    return found


def _move(
    context: Context, objects: Sequence[Object], values: Sequence[Channels], expected: Sequence[Floats]
) -> None:
    before = [channels(obj) for obj in objects]
    _set_all(context, objects, values)
    for obj, matrix in zip(objects, expected, strict=True):
        written = obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world
        off = np.abs(np.array(written, dtype=np.float64) - matrix).max()
        if off <= READ_BACK * np.abs(matrix).max():
            continue
        _set_all(context, objects, before)
        raise SceneError(
            obj.name,
            "something else owns its transform: a constraint, a driver or a simulation",
            "mute its constraints, or apply them (Object > Apply > Visual Transform)",
        )


def _set_all(context: Context, objects: Sequence[Object], values: Sequence[Channels]) -> None:
    for obj, own in zip(objects, values, strict=True):
        set_channels(obj, own)
    view_layer_of(context).update()
