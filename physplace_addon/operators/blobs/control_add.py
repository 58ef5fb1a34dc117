# SPDX-License-Identifier: GPL-3.0-or-later
"""Add Control Point: where a click meets a blob's surface, or at the point of the surface near a place.

In the view Enter takes the point near the 3D cursor, for places that no mouse reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty
from bpy.types import Context, Event

from ...core.arrays import Floats
from ...scene.blobs.making import add_control
from ...scene.blobs.objects import active_blob
from ...scene.errors import SceneError
from ...scene.reading.subjects.movers import check_editable
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, location_property, no_blob_reason
from ..input_events import MOVES, EventResult, InputEvent, is_escape
from ..keys.key_hints import KeyHint
from ..modal import ModalOperator, open_operators
from ..view import View
from .playback import playback
from .sculpt import CLICK_HINTS, ENTERS, PHYSPLACE_OT_blob_sculpt
from .session import BlobSession

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_blob_control_add(ModalOperator):
    """Pin a blob's surface at a point of it."""

    session: BlobSession
    hides_from_files = False

    bl_idname = "physplace.blob_control_add"
    bl_label = "Add Control Point"
    bl_description = (
        "Add a control point to the active blob: click on its surface, or press Enter for its point nearest "
        "to the 3D cursor. The surface stays at its control points, and follows those that are moved, while "
        "the blob is sculpted"
    )

    if TYPE_CHECKING:
        location: tuple[float, float, float]
    else:
        location: FloatVectorProperty(
            name="Location",
            description="A place of the world near the surface. The 3D cursor, unless given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Wait for a click; while a blob is being sculpted, sculpting waits for it instead."""
        for operator in open_operators():
            if isinstance(operator, PHYSPLACE_OT_blob_sculpt):
                operator.adds = True
                return {"FINISHED"}
        return super().invoke(context, event)

    def work(self, context: Context) -> Conclusion:
        """Add a control point at the surface near a place."""
        return self._make_near(context, BlobSession(context, active_blob(context)))

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the blob."""
        check_editable(active_blob(context))
        self.session = BlobSession(context, active_blob(context))
        playback.forget()
        self._takes_cursor = False
        self._place: Floats | None = self.session.hit(view, view.mouse(event))

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Show the surface, and where a click would meet it."""
        if self.session.look(context) or self.session.step(seconds) or not self.drawing.layers:
            self._show()

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the mouse and Enter, which add the control point."""
        if event.type in MOVES:
            self._place = self.session.hit(view, view.mouse(event))
            self._show()
            return EventResult.PASS_THROUGH
        if is_escape(event):
            return EventResult.CANCEL
        if event.value == "PRESS" and event.type in ENTERS:
            self._takes_cursor = True
            return EventResult.CONFIRM
        if event.value == "PRESS" and event.type == "LEFTMOUSE":
            self._place = self.session.hit(view, view.mouse(event))
            return EventResult.HANDLED if self._place is None else EventResult.CONFIRM
        return EventResult.HANDLED

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on: it needs its blob, and Object Mode."""
        if context.mode != "OBJECT":
            return "another mode was entered"
        return None if self.session.is_undisturbed else "the blob is no longer there"

    def restore(self, context: Context) -> None:
        """Do nothing: nothing was changed."""

    def confirm(self, context: Context) -> Conclusion:
        """Add the control point."""
        if self._takes_cursor:
            return self._make_near(context, self.session)
        if self._place is None:
            raise SceneError(self.session.model.name, "the surface is not under the mouse", "click on it")
        return self._make(context, self.session, self._place)

    def _make_near(self, context: Context, session: BlobSession) -> Conclusion:
        return self._make(context, session, session.nearest(location_property(self, context, "location")))

    def _make(self, context: Context, session: BlobSession, place: Floats) -> Conclusion:
        blob = bpy.data.objects[session.empties.blob]
        check_editable(blob)
        made = add_control(context, blob, place)
        self.location = session.in_world(place[None])[0]
        select_only(context, [made])
        return Conclusion(True, f'"{blob.name}": control point "{made.name}" added')

    def _show(self) -> None:
        self.drawing.show_layers(self.session.marks(self._place).layers())

    def header(self) -> str:
        """Return whether a click would meet the surface."""
        if self.session.problem is not None:
            return self.session.problem
        where = "the surface is not under the mouse" if self._place is None else "click to put it here"
        return f'"{self.session.model.name}": {where}'

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys."""
        return CLICK_HINTS
