# SPDX-License-Identifier: GPL-3.0-or-later
"""A new control point of a blob, where a click meets its surface, or at the surface near a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import FloatVectorProperty
from bpy.types import Context, Event

from ...core.arrays import Floats
from ...scene.access import scene_of
from ...scene.blobs.making import add_control
from ...scene.blobs.objects import active_blob
from ...scene.errors import SceneError
from ...scene.reading.scenario import check_editable
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, why_no_blob
from ..modal import ModalOperator, Verdict
from ..view import View
from .playback import playback
from .sculpt import PHYSPLACE_OT_blob_sculpt
from .session import BlobSession

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_blob_control_add(ModalOperator):
    """Pin a blob's surface at a point of it."""

    steering: BlobSession
    hides_from_files = False

    bl_idname = "physplace.blob_control_add"
    bl_label = "Add Control Point"
    bl_description = (
        "Add a control point to the active blob: click on its surface. The surface stays at its control "
        "points, and follows those that are moved, while the blob is sculpted"
    )

    if TYPE_CHECKING:
        location: tuple[float, float, float]
    else:
        location: FloatVectorProperty(
            name="Location",
            description="A place near the surface, of the world; at the 3D cursor unless told",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    @classmethod
    def why_grey(cls, context: Context) -> str | None:
        """It needs a blob, in Object Mode."""
        return why_no_blob(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Wait for a click; while the blob is being sculpted, that waits for it."""
        sculpting = next((each for each in self._open if isinstance(each, PHYSPLACE_OT_blob_sculpt)), None)
        if sculpting is not None:
            sculpting.adds = True
            return {"FINISHED"}
        return super().invoke(context, event)

    def work(self, context: Context) -> Conclusion:
        """Put it at the surface next to a place."""
        if not self.properties.is_property_set("location"):
            self.location = scene_of(context).cursor.location.to_tuple()
        session = BlobSession(context, active_blob(context))
        place = session.nearest(np.array(self.location, dtype=np.float64))
        if place is None:
            raise SceneError(
                session.model.name, "no surface was found there", "give a place that is nearer to it"
            )
        return self._make(context, session, place)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the blob."""
        check_editable(active_blob(context))
        self.steering = BlobSession(context, active_blob(context))
        playback.forget()
        self._place: Floats | None = self.steering.hit(view, view.mouse(event))

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Show the surface, and where a click would meet it."""
        if self.steering.look(context) or self.steering.step(seconds) or not self.drawing.layers:
            self._show()

    def heed(self, context: Context, view: View, event: Event) -> Verdict:
        """A click puts it there."""
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            self._place = self.steering.hit(view, view.mouse(event))
            self._show()
            return Verdict.PASSED
        if event.value == "PRESS" and event.type in ("ESC", "RIGHTMOUSE"):
            return Verdict.CANCELLED
        if event.value == "PRESS" and event.type == "LEFTMOUSE":
            self._place = self.steering.hit(view, view.mouse(event))
            return Verdict.TAKEN if self._place is None else Verdict.CONFIRMED
        return Verdict.TAKEN

    def why_over(self, context: Context) -> str | None:
        """It needs its blob, and Object Mode."""
        if context.mode != "OBJECT":
            return "another mode was entered"
        return None if self.steering.is_undisturbed else "the blob is no longer there"

    def restore(self, context: Context) -> None:
        """Nothing was changed."""

    def confirm(self, context: Context) -> Conclusion:
        """Make it."""
        if self._place is None:
            raise SceneError(self.steering.model.name, "the surface is not under the mouse", "click on it")
        return self._make(context, self.steering, self._place)

    def _make(self, context: Context, session: BlobSession, place: Floats) -> Conclusion:
        blob = bpy.data.objects[session.empties.blob]
        check_editable(blob)
        made = add_control(context, blob, place)
        select_only(context, [made])
        return Conclusion(True, f'"{blob.name}": control point "{made.name}" added')

    def _show(self) -> None:
        self.drawing.show_layers(self.steering.marks(self._place).layers())

    def header(self) -> str:
        """Whether a click would meet the surface."""
        if self.steering.problem is not None:
            return self.steering.problem
        where = "the surface is not under the mouse" if self._place is None else "click to put it here"
        return f"{self.steering.model.name}: {where}"

    def hints(self) -> str:
        """The keys."""
        return "Click on the surface: new control point   Esc: none"
