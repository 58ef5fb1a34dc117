# SPDX-License-Identifier: GPL-3.0-or-later
"""Modal operators: Blender's events and ticks of a timer go to an interactive session until it ends.

A modal operator ends in one of three ways: it is confirmed, it is cancelled, or the scene it works on is no
longer there, because of an undo, another file, another mode or another workspace. Unless it is confirmed,
everything is put back, before Blender undoes or loads, while all objects are still there. In each case
`OpenSession.close` takes away everything that the operator opened.

Work that takes long, such as reading the scene, is a job (`core/jobs.py`): the operator drives it slice by
slice in its ticks, says in the header what it is doing, and Esc ends it. A job may be a part of a session, or
all that an operator does (`sliced.py`). One that is done within a fifth of a second needs no tick.

A file that is saved meanwhile has the scene as it was before, unless the operator's work is what the artist
sees and saves. Then the operator goes on. An operator may also outlive an undo, and let events pass to
Blender.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar, Final

import bpy
from bpy.types import Context, Event

from ..core.errors import PhysPlaceError
from ..core.jobs import Job, Progress
from ..overlay.drawing import Drawing
from ..scene.access import persistent
from ..scene.changes import own_changes
from .common import Conclusion, ObjectOperator, no_active_object_reason, wait_cursor
from .driven_job import DrivenJob, in_a_line
from .keys.action_keymap import LIST, ActionKeymap
from .keys.key_hints import KeyHint
from .preferences import tick_seconds
from .session import InteractiveSession, OpenSession
from .view import View, is_for_view

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

AT_ONCE: Final = 0.2  # seconds of a job that are worked off when a button is pressed, before the first tick


class EventResult(Enum):
    """What a modal operator did with an event, or wants because of it."""

    HANDLED = auto()
    PASS_THROUGH = auto()  # to Blender
    CONFIRM = auto()
    CANCEL = auto()


class ModalOperator(ObjectOperator):
    """An operator that works in the ticks of a timer until the artist confirms or cancels it.

    session: what it works on. hides_from_files: a file that is saved meanwhile has the scene as it was
    before. keymap: of its keys, which the artist may change; None if it has none of its own.
    """

    session: InteractiveSession
    hides_from_files = True
    if TYPE_CHECKING:
        _running: ClassVar[list[ModalOperator]]
        keymap: ClassVar[ActionKeymap | None]
    else:
        # Blender has `typing` read a class's annotations, and `typing` remembers what stands in brackets:
        # this class, and with it bpy, would outlive Python, which then never ends.
        _running = []
        keymap = None

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Begin in the 3D view; without one, run to the end at once."""
        view = View.of(context)
        if view is None:
            return self.execute(context)
        if self._running:
            self.report({"WARNING"}, f"{self._running[0].bl_label} is running: confirm or cancel it first")
            return {"CANCELLED"}
        self._is_ready = False
        self.run_job(self.beginning(context, view, event))
        try:
            with wait_cursor(context.window), own_changes(context):
                self._driven.advance(AT_ONCE)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if self._driven.result is not None:
            return self._reported(self._driven.result)
        self._is_ready = not self.is_busy
        self._opened = OpenSession(context, self)
        self._running.append(self)
        self._show_text(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Take an event, or a tick of the timer."""
        if self not in self._running:
            return {"CANCELLED"}
        try:
            with own_changes(context):
                return self._respond(context, event)
        except BaseException:
            self._give_up(context)
            raise
        finally:
            if self not in self._running:
                self._free()

    def cancel(self, context: Context) -> None:
        """Put everything back when Blender itself ends the operator."""
        self._give_up(context)
        self._free()

    def _free(self) -> None:
        """Free what the session held: Blender keeps operators that have ended."""
        if self._is_ready:
            self._is_ready = False
            del self.session
        gc.collect()  # states, bodies and what hangs on them refer to each other

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Read the scene into `session`, in slices. Raises PhysPlaceError, with nothing changed.

        Returns None, or a conclusion if there is nothing left to do. It must not use the view and the event
        after its first slice.
        """
        self.begin(context, view, event)
        yield Progress("")
        return None

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the scene into `session` at once. Raises PhysPlaceError, with nothing changed."""
        raise NotImplementedError

    def run_job(self, job: Job[Conclusion | None]) -> None:
        """Work on a job from now on, before anything else; a conclusion that it returns ends the operator."""
        self._driven = DrivenJob(job)

    def stop_job(self) -> None:
        """Work on the job no more."""
        self._driven.stop()

    @property
    def is_busy(self) -> bool:
        """Whether a job is running."""
        return self._driven.is_running

    def job_ended(self, context: Context, view: View) -> None:
        """Show what a job of the session has changed."""

    def job_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Go on with the session after a job of it has failed; raise the error if that is impossible."""
        raise error

    def handle_event_while_busy(self, context: Context, view: View, event: Event) -> EventResult:
        """Handle an event that happens in the view while a job is running: Esc ends the operator."""
        ends = event.value == "PRESS" and event.type in ("ESC", "RIGHTMOUSE")
        return EventResult.CANCEL if ends else EventResult.HANDLED

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
        if self._is_ready:
            self.session.put_back(context)

    def header(self) -> str:
        """Return figures for the view's header."""
        return self.session.figures()

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys for the status bar."""
        return ()

    @property
    def drawing(self) -> Drawing:
        """What is drawn over the view."""
        return self._opened.drawing

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on; None if it is not."""
        is_undisturbed = not self._is_ready or self.session.is_undisturbed
        disturbed = None if is_undisturbed else "something else has changed the scene"
        return no_active_object_reason(context) or disturbed

    def captures(self, event: Event) -> bool:
        """Return whether it takes an event wherever the mouse is, as while something is dragged."""
        return False

    def captures_while_beginning(self, event: Event) -> bool:
        """Return whether it takes an event wherever the mouse is before its session is there."""
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
        return self._is_ready and self._opened.ended_by is None and self.session.is_undisturbed

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
            return self._ticked(context, view)
        captures = self.captures(event) if self._is_ready else self.captures_while_beginning(event)
        if not captures and not is_for_view(view, event):
            return {"PASS_THROUGH"}
        if self.keymap is not None and self.keymap.action_of(context, event) == LIST:
            self._opened.toggle_keys(context, self.keymap.all_hints(context))
            return {"RUNNING_MODAL"}
        handle = self.handle_event_while_busy if self.is_busy else self.handle_event
        return self._conclude_event(context, handle(context, view, event))

    def _ticked(self, context: Context, view: View) -> set[OperatorReturnItems]:
        seconds = tick_seconds(context)
        if self.is_busy:
            ended = self._job_ticked(context, view, seconds)
            if ended is not None:
                return ended
        else:
            self.tick(context, view, seconds)
        self._show_text(context)
        part = self._driven.progress.part if self.is_busy else self.session.part_done
        self._opened.show_progress(part)
        return {"PASS_THROUGH"}

    def _job_ticked(self, context: Context, view: View, seconds: float) -> set[OperatorReturnItems] | None:
        """Work on the job for a tick; return how the operator ends, None if it goes on."""
        try:
            self._driven.tick(seconds)
        except PhysPlaceError as error:
            return self._job_refused(context, error)
        if self._driven.result is not None:
            self._close(context)
            return self._reported(self._driven.result)
        if not self.is_busy:
            self._is_ready = True
            self.job_ended(context, view)
        return None

    def _job_refused(self, context: Context, error: PhysPlaceError) -> set[OperatorReturnItems] | None:
        try:
            if not self._is_ready:
                raise error
            self.job_failed(context, error)
        except PhysPlaceError as final:
            self._give_up(context)
            self.report({"ERROR"}, str(final))
            return {"CANCELLED"}
        return None

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
        return self._reported(conclusion)

    def _reported(self, conclusion: Conclusion) -> set[OperatorReturnItems]:
        self.report({"INFO"} if conclusion.well else {"WARNING"}, conclusion.text)
        return {"FINISHED"} if self.leaves_undo else {"CANCELLED"}

    def _show_text(self, context: Context) -> None:
        hints = self.busy_hints() if self.is_busy else self.hints()
        self._opened.show_text(context, self.shown_header(), hints)

    def shown_header(self) -> str:
        """Return what the view's header says now: how far a job is, or else the session's figures."""
        return in_a_line(self.bl_label, self._driven.progress) if self.is_busy else self.header()

    def busy_hints(self) -> Sequence[KeyHint]:
        """Return the keys while a job is running."""
        return (KeyHint.of("stop", "ESC"),)

    def _give_up(self, context: Context) -> None:
        """Put everything back, unless that is done, and close, even if that fails."""
        if self not in self._running:
            return
        self.stop_job()
        try:
            if self._opened.ended_by is None:
                self.restore(context)
        finally:
            self._close(context)

    def _close(self, context: Context) -> None:
        self._running.remove(self)
        self._opened.close(context)


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
