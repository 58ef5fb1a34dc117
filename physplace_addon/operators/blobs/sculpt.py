# SPDX-License-Identifier: GPL-3.0-or-later
"""Sculpt: a blob's surface follows its control points while the artist works with all of Blender's own tools.

The operator handles few events: a press on a control point drags it in the plane of the view, a click with
Ctrl on the surface makes another one, Enter confirms, Esc makes everything as it was. These keys may be
changed. All other events pass to Blender, so that G moves a control point, X deletes it, and Ctrl Z undoes:
the surface follows. If another mode or workspace ends the operator, the blob stays as it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import bpy
import numpy as np
from bpy.types import Context, Event, Object

from ...core.arrays import Floats
from ...core.implicit.control.state import SculptStatus
from ...core.wording import in_words
from ...scene.access import present, scene_of
from ...scene.blobs.objects import active_blob
from ...scene.errors import SceneError
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, no_blob_reason, tell
from ..input_events import MOVES, EventResult, InputEvent
from ..keys.key_hints import KeyHint
from ..keys.keymaps import SCULPTING
from ..modal import ModalOperator, open_operators
from ..view import View
from .playback import playback
from .session import BlobSession

NEAR = 14.0  # pixels between the mouse and a control point within which a press is on it
ENTERS: Final = frozenset({"RET", "NUMPAD_ENTER"})
STEPS = 400  # largest number of steps where it runs without a window


CLICK_HINTS: Final = (
    KeyHint("new control point", "Click on the surface", ("MOUSE_LMB",)),
    KeyHint.of("near the 3D cursor", "RET"),
    KeyHint.of("none", "ESC"),
)


class PHYSPLACE_OT_blob_sculpt(ModalOperator):
    """Let a blob's surface follow its control points.

    adds: whether the next click on the surface makes a control point.
    """

    session: BlobSession
    adds = False
    hides_from_files = False

    bl_idname = "physplace.blob_sculpt"
    bl_label = "Sculpt Blob"
    bl_description = (
        "Show the active blob's surface by particles, and have it follow its control points: move them with "
        "Blender's own tools, or drag them. Ctrl and a click on the surface makes another one"
    )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def work(self, context: Context) -> Conclusion:
        """Bring the surface to its control points, as far as it gets."""
        session = BlobSession(context, active_blob(context))
        session.settle(STEPS)
        session.write(context)
        return self._conclusion(session)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the blob."""
        self.session = BlobSession(context, active_blob(context))
        self._restores = False
        playback.forget()

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Follow what the artist does, and show the surface."""
        if self.session.tick(context, seconds) or not self.drawing.layers:
            self.drawing.show_layers(self.session.marks().layers())

    def captures(self, event: InputEvent) -> bool:
        """Return whether a control point is dragged: the mouse may then go anywhere."""
        return self.session.dragged is not None

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the keys of sculpting, and let all other events pass to Blender."""
        action = SCULPTING.action_of(context, event)
        if self.session.dragged is not None:
            return self._drag(context, view, event, action)
        if self.adds and event.value == "PRESS" and event.type in ENTERS:
            return self._add_near_cursor(context)
        if action == "CONFIRM":
            return EventResult.CONFIRM
        if action == "CANCEL" and self.adds:
            self.adds = False
            return EventResult.HANDLED
        if action == "CANCEL":
            self._restores = True
            return EventResult.CANCEL
        if action is not None and view.is_under(event):
            return self._press(context, view, event, self.adds or action == "ADD")
        return EventResult.PASS_THROUGH

    def _press(self, context: Context, view: View, event: InputEvent, adds: bool) -> EventResult:
        if adds:
            return self._add(context, self.session.hit(view, view.mouse(event)))
        name = self.session.control_near(view, view.mouse(event), NEAR)
        if name is None:
            return EventResult.PASS_THROUGH
        select_only(context, [bpy.data.objects[name]])
        self.session.begin_drag(name)
        self._button = event.type
        return EventResult.HANDLED

    def _drag(self, context: Context, view: View, event: InputEvent, action: str | None) -> EventResult:
        session, dragged = self.session, present(self.session.dragged)
        if event.type in MOVES:
            session.pull(dragged, session.under_mouse(view, view.mouse(event), dragged))
        elif action == "CANCEL" or (event.type == "RIGHTMOUSE" and event.value == "PRESS"):
            session.cancel_drag(context)
        elif event.type == self._button and event.value == "RELEASE":
            session.end_drag()
            session.write(context)
            session.empties.make_undo("Drag Control Point")
        return EventResult.HANDLED

    def _add_near_cursor(self, context: Context) -> EventResult:
        cursor = np.array(scene_of(context).cursor.location, dtype=np.float64)
        try:
            return self._add(context, self.session.nearest(cursor))
        except SceneError as error:
            tell(self, "ERROR", str(error))
            return EventResult.HANDLED

    def _add(self, context: Context, place: Floats | None) -> EventResult:
        """Add a control point at a place (3,) of the surface, in the blob's coordinates; none for None."""
        if place is None:
            return EventResult.HANDLED if self.adds else EventResult.PASS_THROUGH
        self.adds = False
        self.session.add_control(context, place)
        self.session.empties.make_undo("Add Control Point")
        return EventResult.HANDLED

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on: it needs its blob, and Object Mode."""
        if context.mode != "OBJECT":
            return "another mode was entered"
        return None if self.session.is_undisturbed else "the blob is no longer there"

    def before_undo(self, context: Context) -> None:
        """End dragging; sculpting goes on after an undo."""
        self.session.end_drag()

    def after_undo(self, context: Context) -> None:
        """Take what is there now as the last undo step."""
        if self.session.is_undisturbed:
            self.session.empties.mark_undo_step()

    @property
    def leaves_undo(self) -> bool:
        """Whether anything has changed since the last undo step; each drag makes one."""
        return self.session.empties.differ_from_undo

    def restore(self, context: Context) -> None:
        """Make everything as it was if the artist cancelled; otherwise the blob stays as it is shown."""
        if not self._restores or not self.session.empties.differ_from_start:
            return
        if self.session.empties.differ_from_undo:  # so that undo comes back to what is shown now
            self.session.empties.make_undo("Sculpt Blob")
        self.session.put_back(context)
        self.session.empties.make_undo("Cancel Sculpting")
        if self.session.lost:
            names = in_words(self.session.lost)
            tell(self, "WARNING", f"{names}: deleted, and out of reach of undo; all else is as it was")

    def confirm(self, context: Context) -> Conclusion:
        """Leave the blob as it is."""
        self.session.end_drag()
        self.session.write(context)
        return self._conclusion(self.session)

    def _conclusion(self, session: BlobSession) -> Conclusion:
        well = session.problem is None and session.state.status in (
            SculptStatus.SETTLED,
            SculptStatus.RUNNING,
        )
        return Conclusion(well, session.figures())

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys."""
        if self.adds:
            return CLICK_HINTS
        own = (KeyHint.of("move", "G"), KeyHint.of("delete", "X"))
        return (*SCULPTING.hints(bpy.context), *own)


def sculpted_blob() -> Object | None:
    """Return the blob that is being sculpted; None for none."""
    for operator in open_operators():
        if isinstance(operator, PHYSPLACE_OT_blob_sculpt) and operator.session.is_undisturbed:
            found: Object = bpy.data.objects[operator.session.empties.blob]
            return found
    return None
