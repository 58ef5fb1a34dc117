# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated motion shown in the scene, frame by frame, until it is put back.

What is animated is shown on its frame, too.  Blender's own rigid bodies are switched off meanwhile: they
would move the same objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import Context

from ...core.rigid import Pose
from ..access import scene_of
from ..reading.subjects.subject import Subject
from ..writing.animated_values import AnimatedValues
from ..writing.preview import Preview


class MotionPreview:
    """Objects that are shown as they move, and all that this changes in the scene."""

    def __init__(self, context: Context, subjects: Sequence[Subject]) -> None:
        scene = scene_of(context)
        self._preview = Preview(subjects)
        self._frame, self._subframe = scene.frame_current, scene.frame_subframe
        self._shown_frame = self._frame
        self._simulates = scene.rigidbody_world is not None and scene.rigidbody_world.enabled
        self._before = AnimatedValues.of_all()

    def check_writable(self, context: Context) -> None:
        """Raise SceneError for an object whose transform something else owns; put all back after it."""
        self._let_blender_simulate(context, simulates=False)
        try:
            self._preview.check_writable(context)
        finally:
            self._let_blender_simulate(context, simulates=True)

    def show(self, context: Context, frame: int, poses: Sequence[Pose]) -> None:
        """Show a frame, with the objects at the poses of their bodies."""
        self._let_blender_simulate(context, simulates=False)
        if scene_of(context).frame_current != frame:
            scene_of(context).frame_set(frame)
        self._preview.show(context, poses)
        self._shown_frame = frame

    def go_on_with(self, subjects: Sequence[Subject]) -> None:
        """Show objects that were read again, and perhaps more of them, from now on.

        Raises SceneError for one that was moved since it was read.
        """
        self._preview = self._preview.going_on_with(subjects)

    def restore(self, context: Context) -> None:
        """Put back the frame and all objects that still exist, and what was changed without a key before."""
        scene = scene_of(context)
        if (scene.frame_current, scene.frame_subframe) != (self._frame, self._subframe):
            scene.frame_set(self._frame, subframe=self._subframe)
        self._before.put_back()
        self._preview.restore(context)
        self._let_blender_simulate(context, simulates=True)
        self._shown_frame = self._frame

    @property
    def is_undisturbed(self) -> bool:
        """Whether all objects exist and are where they were last shown."""
        return self._preview.is_undisturbed

    @property
    def is_there(self) -> bool:
        """Whether all objects exist."""
        return self._preview.is_there

    def moved(self) -> list[bool]:
        """Return which objects are not where they were last shown."""
        return self._preview.moved()

    def is_on_its_frame(self, context: Context) -> bool:
        """Return whether the scene is on the frame that was shown last."""
        return scene_of(context).frame_current == self._shown_frame

    def _let_blender_simulate(self, context: Context, *, simulates: bool) -> None:
        world = scene_of(context).rigidbody_world
        if self._simulates and world is not None and world.enabled != simulates:
            world.enabled = simulates
