# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects shown at the poses of their bodies while a placement runs, until they are put back or written.

Only location and rotation are set, so restoring is exact. Objects are held by reference: undo replaces them,
and artists rename them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.rigid import Pose
from ..access import view_layer_of
from ..changes import AGAIN, own_changes
from ..errors import SceneError
from ..reading.subjects.subject import Subject
from .as_one import moved_as_one
from .read_back import check_world_matrix
from .transform import Channels, channels, set_channels

SEE_THROUGH: Final = "WIRE"
TRIAL = 0.1  # the trial motion on each axis: over R, and in radians


class Preview:
    """The objects that move: their transforms as shown, and as they were before."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        """Begin where objects stand. Raises SceneError for one that was moved since it was read."""
        self._subjects = tuple(subjects)
        self._before = [subject.space.channels for subject in subjects]
        self._shown = [channels(obj) for obj in self._objects()]
        for subject, shown in zip(self._subjects, self._shown, strict=True):
            if not _alike(shown, subject.space.channels):
                raise SceneError(subject.name, "it was moved while it was read", AGAIN)
        self._poses = self._poses_before = [subject.pose for subject in subjects]
        self._looks = [obj.display_type for obj in self._objects()]

    def going_on_with(self, subjects: Sequence[Subject]) -> Preview:
        """Return the preview of objects read again, and of more: `restore` puts all back to where they were.

        Raises SceneError for one that was moved since it was read.
        """
        made = Preview(subjects)
        known = {subject.reference.uid: i for i, subject in enumerate(self._subjects)}
        before = list(made._poses_before)
        for i, subject in enumerate(subjects):
            if subject.reference.uid in known:
                old = known[subject.reference.uid]
                made._before[i], made._looks[i] = self._before[old], self._looks[old]
                before[i] = self._poses_before[old]
        made._poses_before = before
        return made

    def show(self, context: Context, poses: Sequence[Pose], *, see_through: bool = False) -> None:
        """Put the objects at the poses of their bodies."""
        with own_changes(context):
            self._poses = list(poses)
            self._show(poses, see_through)
            view_layer_of(context).update()

    def _show(self, poses: Sequence[Pose], see_through: bool) -> None:
        for i, (subject, pose) in enumerate(zip(self._subjects, poses, strict=True)):
            obj = subject.object
            set_channels(obj, subject.space.channels_for(subject.world_matrix(pose), self._shown[i]))
            self._shown[i] = channels(obj)
            look = SEE_THROUGH if see_through else self._looks[i]
            if obj.display_type != look:
                obj.display_type = look

    def check_writable(self, context: Context) -> None:
        """Raise SceneError for an object whose transform something else owns, or that does not move as one
        rigid body; put all back after it.
        """
        try:
            with moved_as_one(context, self._subjects):
                self.show(context, [subject.pose.displaced(*_trial(subject)) for subject in self._subjects])
                self.check_shown(context)
        finally:
            self.restore(context)

    def check_shown(self, context: Context) -> None:
        """Raise SceneError for an object that does not stand where it was last shown."""
        for subject, pose in zip(self._subjects, self._poses, strict=True):
            check_world_matrix(context, subject.object, subject.space, subject.world_matrix(pose))

    def accept(self) -> None:
        """Make the present transforms those that `restore` goes back to."""
        self._shown = [channels(obj) for obj in self._objects()]
        self._before, self._poses_before = list(self._shown), self._poses

    def restore(self, context: Context) -> None:
        """Put the objects that still exist back to where they were."""
        with own_changes(context):
            self._poses = self._poses_before
            self._restore()
            view_layer_of(context).update()

    def _restore(self) -> None:
        for i, subject in enumerate(self._subjects):
            obj = subject.reference.found()
            if obj is not None:
                set_channels(obj, self._before[i])
                self._shown[i] = channels(obj)
                obj.display_type = self._looks[i]

    @property
    def is_undisturbed(self) -> bool:
        """Whether all objects exist, and their location, rotation and its mode are as last shown."""
        return self.is_there and not any(self.moved())

    @property
    def is_there(self) -> bool:
        """Whether all objects exist."""
        return all(subject.reference.found() is not None for subject in self._subjects)

    def moved(self) -> list[bool]:
        """Return which objects are not as last shown. Raises SceneError if one does not exist any more."""
        return [
            not _alike(channels(obj), shown) for obj, shown in zip(self._objects(), self._shown, strict=True)
        ]

    def _objects(self) -> list[Object]:
        return [subject.object for subject in self._subjects]


def _trial(subject: Subject) -> tuple[Floats, Floats, Floats]:
    """Return a motion that changes all channels: translation (3,), rotation vector (3,), its centre (3,)."""
    return np.full(3, TRIAL * subject.body.radius), np.full(3, TRIAL), subject.pose.translation


def _alike(first: Channels, second: Channels) -> bool:
    return (
        first.mode == second.mode
        and np.array_equal(first.location, second.location)
        and np.array_equal(first.rotation, second.rotation)
    )
