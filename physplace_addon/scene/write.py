# SPDX-License-Identifier: GPL-3.0-or-later
"""A finished placement, written to the object: its transform in its own space, keys of the path, the report.

Everything is computed first. The rest is written and read back before keys and report are; if Blender makes
another matrix of it, because a constraint or an animation owns the transform, the object is put back and that
is said.
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
from .transform import Channels, channels, set_channels

READ_BACK = 1e-5  # of the largest coordinate: a few products of float32 matrices


@dataclass(frozen=True)
class KeyOptions:
    """On which frames a path is keyed: the first state's, and the distance to the next."""

    first_frame: int
    frame_step: int


def write_rest(
    context: Context,
    subject: Subject,
    poses: Sequence[Pose],
    certificate: Certificate,
    keys: KeyOptions | None = None,
) -> None:
    """Move the object along its path to the last pose, key the path if asked, and keep the report.

    With keys, the scene goes to the last key's frame, so that what is seen is the rest. Raises SceneError,
    with the object as it was, if the transform cannot be written.
    """
    obj = _object(subject)
    path = subject.space.path([subject.world_matrix(pose) for pose in poses])
    _move(context, obj, path[-1], subject.world_matrix(poses[-1]))
    if keys is not None:
        last = key_path(obj, path, keys.first_frame, keys.frame_step)
        scene_of(context).frame_set(last)
    write_report(obj, certificate)


def write_report_only(subject: Subject, certificate: Certificate) -> None:
    """Keep the report on an object that was not moved."""
    write_report(_object(subject), certificate)


def _object(subject: Subject) -> Object:
    found: Object = bpy.data.objects[subject.name]
    return found


def _move(context: Context, obj: Object, values: Channels, expected: Floats) -> None:
    before = channels(obj)
    set_channels(obj, values)
    view_layer_of(context).update()
    written = np.array(obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world, dtype=np.float64)
    largest = float(np.abs(expected).max())
    if np.abs(written - expected).max() <= READ_BACK * largest:
        return
    set_channels(obj, before)
    view_layer_of(context).update()
    raise SceneError(
        obj.name,
        "something else owns its transform: a constraint, a driver or a simulation",
        "mute its constraints, or apply them (Object > Apply > Visual Transform)",
    )
