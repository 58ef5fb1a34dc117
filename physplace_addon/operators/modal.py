# SPDX-License-Identifier: GPL-3.0-or-later
"""Modal operators: Blender's events and ticks of a timer go to an interactive session until it ends.

A modal operator ends in one of three ways: it is confirmed, it is cancelled, or the scene it works on is no
longer there, because of an undo, another file, another mode or another workspace. Unless it is confirmed,
everything is put back, before Blender undoes or loads, while all objects are still there. In each case
`OpenSession.close` takes away everything that the operator opened.

A file that is saved meanwhile has the scene as it was before, unless the operator's work is what the artist
sees and saves. Then the operator goes on. An operator may also outlive an undo, and let events pass to
Blender.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.types import Context, Event

from ..core.errors import PhysPlaceError
from ..overlay.drawing import Drawing
from ..scene.access import persistent
from .common import Conclusion, ObjectOperator, no_active_object_reason, wait_cursor
from .preferences import tick_seconds
from .session import InteractiveSession, OpenSession
from .view import View

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

NAVIGATION = frozenset(
    {
        *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN"),
        *("TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "HOME", "NUMPAD_PERIOD"),
        *("NUMPAD_PLUS", "NUMPAD_MINUS", "NUMPAD_SLASH", "NUMPAD_ASTERIX"),
        *(f"NUMPAD_{digit}" for digit in range(10)),
    }
)
# with Ctrl these set the camera, or select more or less
NOT_WITH_CTRL = frozenset({"NUMPAD_0", "NUMPAD_PLUS", "NUMPAD_MINUS"})


class EventResult(Enum):
    """What a modal operator did with an event, or wants because of it."""

    HANDLED = auto()
    PASS_THROUGH = auto()  # to Blender
    CONFIRM = auto()
    CANCEL = auto()


class ModalOperator(ObjectOperator):
    """An operator that works in the ticks of a timer until the artist confirms or cancels it.

    session: what it works on. hides_from_files: a file that is saved meanwhile has the scene as it was
    before.
    """

    session: InteractiveSession
    hides_from_files = True
    if TYPE_CHECKING:
        _running: ClassVar[list[ModalOperator]]
    else:
        # Blender has `typing` read a class's annotations, and `typing` remembers what stands in brackets:
        # this class, and with it bpy, would outlive Python, which then never ends.
        _running = []

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Begin in the 3D view; without one, run to the end at once."""
        view = View.of(context)
        if view is None:
            return self.execute(context)
        if self._running:
            self.report({"WARNING"}, f"{self._running[0].bl_label} is running: confirm or cancel it first")
            return {"CANCELLED"}
        try:
            with wait_cursor(context.window):
                self.begin(context, view, event)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._opened = OpenSession(context, self)
        self._running.append(self)
        self._show_text(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Take an event, or a tick of the timer."""
        if self not in self._running:
            return {"CANCELLED"}
        try:
            return self._respond(context, event)
        except BaseException:
            self._give_up(context)
            raise

    def cancel(self, context: Context) -> None:
        """Put everything back when Blender itself ends the operator."""
        self._give_up(context)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the scene into `session`. Raises PhysPlaceError, with nothing changed."""
        raise NotImplementedError

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Work for so many seconds, and show the result."""
        raise NotImplementedError

    def handle_event(self, context: Context, view: View, event: Event) -> EventResult:
        """Handle an event that happens in the view."""
        raise NotImplementedError

    def confirm(self, context: Context) -> Conclusion:
        """Write what is shown. Raises PhysPlaceError, with everything put back."""
        raise NotImplementedError

    def restore(self, context: Context) -> None:
        """Put everything back that is still there."""
        self.session.put_back(context)

    def header(self) -> str:
        """Return figures for the view's header."""
        return self.session.figures()

    def hints(self) -> str:
        """Return the keys for the status bar."""
        return ""

    @property
    def drawing(self) -> Drawing:
        """What is drawn over the view."""
        return self._opened.drawing

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on; None if it is not."""
        disturbed = None if self.session.is_undisturbed else "something else has changed the scene"
        return no_active_object_reason(context) or disturbed

    def captures(self, event: Event) -> bool:
        """Return whether it takes an event wherever the mouse is, as while something is dragged."""
        return False

    @property
    def leaves_undo(self) -> bool:
        """Whether confirming it makes an undo step."""
        return True

    def before_undo(self, context: Context) -> None:
        """Called before Blender undoes or redoes, while all objects are still there."""
        self.end(context, "it was undone")

    def after_undo(self, context: Context) -> None:
        """Called after Blender has undone or redone: all objects may be others."""

    def end(self, context: Context, reason: str) -> None:
        """Put everything back now, and end at the next event."""
        if self._opened.ended_by is None:
            self.restore(context)
            self._opened.ended_by = reason

    @property
    def goes_on(self) -> bool:
        """Whether nothing that is known yet ends it at the next event."""
        return self._opened.ended_by is None and self.session.is_undisturbed

    def _respond(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        view = View.of(context) if self._opened.is_in(context) else None
        reason = self._opened.ended_by or self.end_reason(context)
        if view is None and reason is None:
            reason = "its view is not shown"
        if reason is not None or view is None:
            self._give_up(context)
            self.report({"WARNING"}, f"{self.bl_label} has ended: {reason}")
            return {"CANCELLED"}
        if event.type == "TIMER":
            self.tick(context, view, tick_seconds(context))
            self._show_text(context)
            self._opened.show_progress(self.session.part_done)
            return {"PASS_THROUGH"}
        if not self.captures(event) and not is_for_view(view, event):
            return {"PASS_THROUGH"}
        return self._conclude_event(context, self.handle_event(context, view, event))

    def _conclude_event(self, context: Context, result: EventResult) -> set[OperatorReturnItems]:
        if result is EventResult.CONFIRM:
            return self._confirmed(context)
        if result is EventResult.CANCEL:
            self._give_up(context)
            return {"CANCELLED"}
        self._show_text(context)
        return {"PASS_THROUGH"} if result is EventResult.PASS_THROUGH else {"RUNNING_MODAL"}

    def _confirmed(self, context: Context) -> set[OperatorReturnItems]:
        try:
            conclusion = self.confirm(context)
        except PhysPlaceError as error:
            self._give_up(context)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._close(context)
        self.report({"INFO"} if conclusion.well else {"WARNING"}, conclusion.text)
        return {"FINISHED"} if self.leaves_undo else {"CANCELLED"}

    def _show_text(self, context: Context) -> None:
        self._opened.show_text(context, self.header(), self.hints())

    def _give_up(self, context: Context) -> None:
        """Put everything back, unless that is done, and close, even if that fails."""
        if self not in self._running:
            return
        try:
            if self._opened.ended_by is None:
                self.restore(context)
        finally:
            self._close(context)

    def _close(self, context: Context) -> None:
        self._running.remove(self)
        self._opened.close(context)


def is_for_view(view: View, event: Event) -> bool:
    """Return whether an event is for the view and neither navigates nor is the mouse's on a bar or panel.

    Bars and panels keep the mouse but not the keys: else a G over the toolbar would start Blender's own Grab.
    """
    if event.type in NAVIGATION and not (event.ctrl and event.type in NOT_WITH_CTRL):
        return False
    area = view.area
    inside = 0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height
    return view.is_under(event) or (inside and "MOUSE" not in event.type)


def open_operators() -> tuple[ModalOperator, ...]:
    """Return the modal operators that are running."""
    return tuple(ModalOperator._running)


def open_sessions() -> list[str]:
    """Return the names of the modal operators that are running."""
    return [operator.bl_idname for operator in open_operators()]


def close_all() -> None:
    """End all modal operators at once, with everything put back."""
    for operator in open_operators():
        operator.cancel(bpy.context)


@persistent
def _before_undo(*_: object) -> None:
    for operator in open_operators():
        operator.before_undo(bpy.context)


@persistent
def _after_undo(*_: object) -> None:
    for operator in open_operators():
        operator.after_undo(bpy.context)


@persistent
def _before_load(*_: object) -> None:
    close_all()


@persistent
def _before_save(*_: object) -> None:
    for operator in _hidden_from_files():
        operator.session.put_back(bpy.context)


@persistent
def _after_save(*_: object) -> None:
    for operator in _hidden_from_files():
        operator.session.show_again(bpy.context)


def _hidden_from_files() -> list[ModalOperator]:
    """Return the operators that hide from files and that the next event does not end, as far as is known."""
    return [each for each in open_operators() if each.hides_from_files and each.goes_on]


HANDLERS = (
    ("undo_pre", _before_undo),
    ("redo_pre", _before_undo),
    ("undo_post", _after_undo),
    ("redo_post", _after_undo),
    ("load_pre", _before_load),
    ("save_pre", _before_save),
    ("save_post", _after_save),
    ("save_post_fail", _after_save),
)
