# SPDX-License-Identifier: GPL-3.0-or-later
"""Sculpt: a blob's surface follows its control points while the artist works with all of Blender's own tools.

Only what the artist does not need elsewhere is taken: a press on a control point drags it in the plane of the
view, a click with Ctrl on the surface makes another one, Enter confirms, Esc has all as it was; these keys
may be changed. Everything else passes, so that G moves a control point, X deletes it, and Ctrl Z undoes: the
surface follows what it finds. What ends the operator from outside, as another mode or workspace, leaves the
blob as it is seen.
"""

from __future__ import annotations

import bpy
from bpy.types import Context, Event, Object

from ...core.arrays import Floats
from ...core.implicit.control.state import SculptStatus
from ...core.wording import in_words
from ...scene.access import present
from ...scene.blobs.objects import active_blob
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, no_blob_reason
from ..keymap import SCULPTING
from ..modal import EventResult, ModalOperator
from ..view import View
from .playback import playback
from .session import BlobSession

NEAR = 14.0  # pixels from a control point within which a press is on it
STEPS = 400  # without a window: at most
REACH = 1e6  # of the surface's size: how far a ray goes


class PHYSPLACE_OT_blob_sculpt(ModalOperator):
    """Have a blob's surface follow its control points."""

    steering: BlobSession
    adds = False  # whether the next click on the surface makes a control point
    hides_from_files = False

    bl_idname = "physplace.blob_sculpt"
    bl_label = "Sculpt Blob"
    bl_description = (
        "Show the active blob's surface by particles, and have it follow its control points: move them with "
        "Blender's own tools, or drag them. Ctrl and a click on the surface makes another one"
    )

    @classmethod
    def why_grey(cls, context: Context) -> str | None:
        """It needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def work(self, context: Context) -> Conclusion:
        """Have the surface come to its control points, as far as it can."""
        session = BlobSession(context, active_blob(context))
        session.settle(STEPS)
        session.write(context)
        return self._conclusion(session)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the blob."""
        self.steering = BlobSession(context, active_blob(context))
        self._restores = False
        playback.forget()

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Follow what the artist does."""
        if self.steering.tick(context, seconds) or not self.drawing.layers:
            self.drawing.show_layers(self.steering.marks().layers())

    def wants(self, event: Event) -> bool:
        """While a control point is held, the mouse may go anywhere."""
        return self.steering.held is not None

    def heed(self, context: Context, view: View, event: Event) -> EventResult:
        """Take what is meant for the surface, and let all else pass."""
        action = SCULPTING.action_of(context, event)
        if self.steering.held is not None:
            return self._drag(context, view, event, action)
        if action == "CONFIRM":
            return EventResult.CONFIRMED
        if action == "CANCEL" and self.adds:
            self.adds = False
            return EventResult.TAKEN
        if action == "CANCEL":
            self._restores = True
            return EventResult.CANCELLED
        if action is not None and view.is_under(event):
            return self._press(context, view, event, self.adds or action == "ADD")
        return EventResult.PASSED

    def _press(self, context: Context, view: View, event: Event, adds: bool) -> EventResult:
        if adds:
            return self._add(context, view, view.mouse(event))
        name = self.steering.control_near(view, view.mouse(event), NEAR)
        if name is None:
            return EventResult.PASSED
        select_only(context, [bpy.data.objects[name]])
        self.steering.take(name)
        self._button = event.type
        return EventResult.TAKEN

    def _drag(self, context: Context, view: View, event: Event, action: str | None) -> EventResult:
        session, held = self.steering, present(self.steering.held)
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            session.pull(held, session.under_mouse(view, view.mouse(event), held))
        elif action == "CANCEL" or (event.type == "RIGHTMOUSE" and event.value == "PRESS"):
            session.take_back()
        elif event.type == self._button and event.value == "RELEASE":
            session.let_go()
            session.write(context)
            session.empties.make_undo("Drag Control Point")
        return EventResult.TAKEN

    def _add(self, context: Context, view: View, mouse: Floats) -> EventResult:
        place = self.steering.hit(view, mouse)
        if place is None:
            return EventResult.TAKEN if self.adds else EventResult.PASSED
        self.adds = False
        self.steering.add_control(context, place)
        self.steering.empties.make_undo("Add Control Point")
        return EventResult.TAKEN

    def why_over(self, context: Context) -> str | None:
        """It needs its blob, and Object Mode."""
        if context.mode != "OBJECT":
            return "another mode was entered"
        return None if self.steering.is_undisturbed else "the blob is no longer there"

    def before_undo(self, context: Context) -> None:
        """It outlives an undo."""
        self.steering.let_go()

    def after_undo(self, context: Context) -> None:
        """What is there now is what undo has kept."""
        if self.steering.is_undisturbed:
            self.steering.empties.are_in_undo()

    @property
    def leaves_undo(self) -> bool:
        """Whether anything has changed since the last undo step, which a drag leaves, too."""
        return self.steering.empties.differ_from_undo

    def restore(self, context: Context) -> None:
        """Have all as it was, if that is wanted: what ends it otherwise leaves the blob as it is seen."""
        if not self._restores or not self.steering.empties.differ_from_start:
            return
        if self.steering.empties.differ_from_undo:  # so that undo has what is seen now
            self.steering.empties.make_undo("Sculpt Blob")
        self.steering.put_back(context)
        self.steering.empties.make_undo("Cancel Sculpting")
        if self.steering.lost:
            names = in_words(self.steering.lost)
            self.report({"WARNING"}, f"{names}: deleted, and out of reach of undo; all else is as it was")

    def confirm(self, context: Context) -> Conclusion:
        """Leave it as it is."""
        self.steering.let_go()
        self.steering.write(context)
        return self._conclusion(self.steering)

    def _conclusion(self, session: BlobSession) -> Conclusion:
        well = session.problem is None and session.state.status in (
            SculptStatus.SETTLED,
            SculptStatus.RUNNING,
        )
        return Conclusion(well, session.figures())

    def header(self) -> str:
        """Figures."""
        return self.steering.figures()

    def hints(self) -> str:
        """The keys."""
        if self.adds:
            return "Click on the surface: new control point   Esc: none"
        return f"{SCULPTING.shown(bpy.context)}   and all of Blender's own, as G: move   X: delete"


def sculpted_blob() -> Object | None:
    """The blob that is being sculpted; None for none."""
    for operator in ModalOperator._open:
        if isinstance(operator, PHYSPLACE_OT_blob_sculpt) and operator.steering.is_undisturbed:
            found: Object = bpy.data.objects[operator.steering.empties.blob]
            return found
    return None
