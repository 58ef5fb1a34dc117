# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Blob: a blob that follows its keyed control points becomes keys of its elements; and Free Bake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Context, Event

from ...core.wording import listed
from ...scene.access import active_object, scene_of, window_manager_of
from ...scene.blobs.baking import bake, free
from ...scene.blobs.frames import is_baked
from ...scene.blobs.objects import active_blob, blob_of, family_of
from ...scene.errors import SceneError
from ...scene.reading.subjects.movers import check_editable
from ..common import Conclusion, ObjectOperator, no_blob_reason, wait_cursor
from .sculpt import sculpted_blob

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_blob_bake(ObjectOperator):
    """Bake a blob's keyed control points into keys of its elements."""

    bl_idname = "physplace.blob_bake"
    bl_label = "Bake Blob"
    bl_description = (
        "Solve the active blob frame by frame, so that its surface follows its keyed control points, and key "
        "its elements on every frame. What was baked before is freed first"
    )

    if TYPE_CHECKING:
        frame_start: int
        frame_end: int
    else:
        frame_start: IntProperty(name="Start", description="The first frame; the scene's, unless given")
        frame_end: IntProperty(name="End", description="The last frame; the scene's, unless given")

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob that is not being sculpted, in Object Mode."""
        return _disabled_reason(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Ask for the frames."""
        self._take_frames(context)
        window_manager_of(context).invoke_props_dialog(self)
        return {"RUNNING_MODAL"}

    def work(self, context: Context) -> Conclusion:
        """Bake the frames."""
        self._take_frames(context)
        blob = active_blob(context)
        for obj in family_of(blob):
            check_editable(obj)
        if self.frame_end < self.frame_start:
            found = f"the last frame is {self.frame_end}, the first {self.frame_start}"
            raise SceneError(blob.name, found, "let the last one come after the first")
        with wait_cursor(context.window):
            baked = bake(context, blob, self.frame_start, self.frame_end)
        text = f'"{blob.name}": {baked.frames} frames baked'
        if not baked.unreached:
            return Conclusion(True, text)
        frames = listed([str(frame) for frame in baked.unreached])
        return Conclusion(False, f"{text}; it cannot pass through all control points on {frames}")

    def _take_frames(self, context: Context) -> None:
        scene = scene_of(context)
        if not self.properties.is_property_set("frame_start"):
            self.frame_start = scene.frame_start
        if not self.properties.is_property_set("frame_end"):
            self.frame_end = scene.frame_end


class PHYSPLACE_OT_blob_free_bake(ObjectOperator):
    """Remove a blob's baked keys."""

    bl_idname = "physplace.blob_free_bake"
    bl_label = "Free Bake"
    bl_description = "Remove the active blob's baked keys: its elements have their own keys and places again"

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob that is baked, in Object Mode."""
        reason, blob = _disabled_reason(context), blob_of(active_object(context))
        if reason is None and blob is not None and not is_baked(blob):
            return "The active blob is not baked"
        return reason

    def work(self, context: Context) -> Conclusion:
        """Remove the baked keys."""
        blob = active_blob(context)
        for obj in family_of(blob):
            check_editable(obj)
        free(context, blob)
        return Conclusion(True, f'"{blob.name}": it has its own keys again')


def _disabled_reason(context: Context) -> str | None:
    if sculpted_blob() is not None:
        return "A blob is being sculpted: confirm or cancel that first"
    return no_blob_reason(context)
