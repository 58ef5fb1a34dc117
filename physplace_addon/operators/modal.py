# SPDX-License-Identifier: GPL-3.0-or-later
"""Modal operators: Blender's events and ticks of a timer go to an interactive session until it ends.

A modal operator ends in one of three ways: it is confirmed, it is cancelled, or the scene it works on is no
longer there, because of an undo, another file, another mode or another workspace. Unless it is confirmed,
everything is put back, before Blender undoes or loads, while all objects are still there. In each case
`OpenSession.close` takes away everything that the operator opened.

Work that takes long, such as reading the scene, is a job (`core/jobs.py`): the operator drives it slice by
slice in its ticks, says in the header what it is doing, and Esc ends it. A job may be a part of a session, or
all that an operator does (`sliced.py`). One that is done within a fifth of a second needs no tick.

Events that come while a job of a session works are kept (`input_events.py`), and handled in their order when
it has ended. After each move of the mouse the session has time to follow it. Esc ends the operator at once,
unless it would only let go of what is held.

A file that is saved meanwhile has the scene as it was before, unless the operator's work is what the artist
sees and saves. Then the operator goes on. An operator may also outlive an undo, and let events pass to
Blender.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

import bpy
from bpy.types import Context, Event

from ..core.errors import PhysPlaceError
from ..core.jobs import Job, Progress
from ..overlay.drawing import Drawing
from ..scene.changes import own_changes
from ..scene.differences import SceneWatch
from .common import Conclusion, ObjectOperator, no_active_object_reason, tell, wait_cursor
from .driven_job import DrivenJob, in_a_line
from .input_events import EventResult, InputEvent, KeptEvents, is_escape
from .keys.action_keymap import LIST, ActionKeymap
from .keys.key_hints import KeyHint
from .preferences import tick_seconds
from .session import InteractiveSession, OpenSession
from .view import View, is_for_view

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

AT_ONCE: Final = 0.2  # seconds of a job that are worked off when a button is pressed, before the first tick


class ModalOperator(ObjectOperator):
    """An operator that works in the ticks of a timer until the artist confirms or cancels it.

    session: what it works on. watch: over the scene, from before it is read until the operator ends, where
    `watches_scene`; with `poses_figures` armatures count there. hides_from_files: a file that is saved
    meanwhile has the scene as it was before. keymap: of its keys, which the artist may change; None if it
    has none of its own.
    """

    session: InteractiveSession
    watch: SceneWatch | None
    watches_scene = poses_figures = False
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
            tell(self, "WARNING", f"{self._running[0].bl_label} is running: confirm or cancel it first")
            return {"CANCELLED"}
        self._is_ready, self._kept = False, KeptEvents()
        watches, figures = self.watches_scene, self.poses_figures
        self.watch = SceneWatch(context, with_figures=figures) if watches else None
        self.run_job(self.beginning(context, view, event))
        try:
            return self._begun(context)
        finally:
            if self not in self._running:
                self._free_watch()

    def _begun(self, context: Context) -> set[OperatorReturnItems]:
        """Work on the beginning at once, and open what is needed if it goes on in ticks."""
        try:
            with wait_cursor(context.window), own_changes(context):
                self._driven.advance(AT_ONCE)
        except PhysPlaceError as error:
            tell(self, "ERROR", str(error))
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
        self._free_watch()
        if self._is_ready:
            self._is_ready = False
            del self.session
        gc.collect()  # states, bodies and what hangs on them refer to each other

    def _free_watch(self) -> None:
        if self.watch is not None:
            self.watch.close()
        self.watch = None

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

    @property
    def keeps_events(self) -> bool:
        """Whether an event that comes now is kept until later: a job is running, or others are kept."""
        return self.is_busy or bool(self._kept)

    def job_ended(self, context: Context, view: View) -> None:
        """Show what a job of the session has changed."""

    def job_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Go on with the session after a job of it has failed; raise the error if that is impossible."""
        raise error

    def confirm_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Go on after it could not be confirmed, with everything put back; raise the error if it ends."""
        raise error

    @property
    def holds(self) -> bool:
        """Whether Esc lets go of something that is held, rather than end the operator."""
        return False

    def begins_to_hold(self, context: Context, event: InputEvent) -> bool:
        """Return whether something may be held after an event."""
        return False

    def ends_beginning(self, event: InputEvent) -> bool:
        """Return whether an event ends the operator before its session is there."""
        return is_escape(event)

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Work for so many seconds, and show the result."""
        raise NotImplementedError

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle an event that happens in the view, or happened there while a job was running."""
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
        return self.place_reason(context) or disturbed

    @classmethod
    def place_reason(cls, context: Context) -> str | None:
        """Return why it cannot work in this mode, or with this active object; None if it can."""
        return no_active_object_reason(context)

    def captures(self, event: InputEvent) -> bool:
        """Return whether it takes an event wherever the mouse is, as while something is dragged."""
        return self.holds

    def captures_while_beginning(self, event: InputEvent) -> bool:
        """Return whether its session, once it is there, is to take an event, wherever the mouse is."""
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
        captures = self.captures(event) if self._is_ready else self.captures_while_beginning(event)
        view = self._opened.view(context, None if captures else event)
        reason = self._opened.ended_by or self.end_reason(context)
        if view is None and reason is None:
            reason = "its view is not shown"
        if reason is not None or view is None:
            self._give_up(context)
            tell(self, "WARNING", f"{self.bl_label} has ended: {reason}")
            return {"CANCELLED"}
        if event.type == "TIMER":
            return self._ticked(context, view)
        if not captures and not self._kept.awaits(event) and not is_for_view(view, event):
            return {"PASS_THROUGH"}
        if self.keymap is not None and self.keymap.action_of(context, event) == LIST:
            self._opened.toggle_keys(context, self.keymap.all_hints(context))
            return {"RUNNING_MODAL"}
        result = self._keep(context, event) if self.keeps_events else self.handle_event(context, view, event)
        return self._conclude_event(context, result)

    def _keep(self, context: Context, event: Event) -> EventResult:
        """Keep an event until the job has ended, unless it ends the operator."""
        ends = self._ends_session(context, event) if self._is_ready else self.ends_beginning(event)
        if ends:
            return EventResult.CANCEL
        if self._is_ready or self.captures_while_beginning(event):
            self._kept.keep(event)
        return EventResult.HANDLED

    def _ends_session(self, context: Context, event: InputEvent) -> bool:
        return is_escape(event) and not self._escape_lets_go(context)

    def _escape_lets_go(self, context: Context) -> bool:
        """Return whether Esc, after the events that are kept, may find something held."""
        is_held = self.holds and not self._kept.has_escape
        return is_held or any(self.begins_to_hold(context, each) for each in self._kept.since_escape())

    def _ticked(self, context: Context, view: View) -> set[OperatorReturnItems]:
        work = self._job_ticked if self.is_busy else self._session_ticked
        ended = work(context, view, tick_seconds(context))
        if ended is not None:
            return ended
        self._show_text(context)
        part = self._driven.progress.part if self.is_busy else self.session.part_done
        self._opened.show_progress(part)
        return {"PASS_THROUGH"}

    def _session_ticked(
        self, context: Context, view: View, seconds: float
    ) -> set[OperatorReturnItems] | None:
        """Handle what was kept, and work for a tick; return how the operator ends, None if it goes on."""
        for event in self._kept.taken(lambda: self.session.is_following):
            view = self._opened.view(context, None if self.captures(event) else event) or view
            ended = self._conclude_event(context, self.handle_event(context, view, event))
            if self not in self._running:
                return ended
            if self.is_busy:
                return None
        self.tick(context, view, seconds)
        return None

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
            self._kept.forget_presses()  # they were meant for what the job should have brought
        except PhysPlaceError as final:
            self._give_up(context)
            tell(self, "ERROR", str(final))
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
            conclusion = self._confirmation(context)
        except PhysPlaceError as error:
            self._give_up(context)
            tell(self, "ERROR", str(error))
            return {"CANCELLED"}
        if conclusion is None:
            self._show_text(context)
            return {"RUNNING_MODAL"}
        self._close(context)
        return self._reported(conclusion)

    def _confirmation(self, context: Context) -> Conclusion | None:
        """Confirm; return None if that failed and it goes on. Raises PhysPlaceError if it ends."""
        try:
            return self.confirm(context)
        except PhysPlaceError as error:
            self.confirm_failed(context, error)
            return None

    def _reported(self, conclusion: Conclusion) -> set[OperatorReturnItems]:
        tell(self, conclusion.kind, conclusion.text)
        return {"FINISHED"} if self.leaves_undo else {"CANCELLED"}

    def _show_text(self, context: Context) -> None:
        hints = self.busy_hints(context) if self.is_busy else self.hints()
        self._opened.show_text(context, self.shown_header(), hints)

    def shown_header(self) -> str:
        """Return what the view's header says now: how far a job is, or else the session's figures."""
        return in_a_line(self.bl_label, self._driven.progress) if self.is_busy else self.header()

    def busy_hints(self, context: Context) -> Sequence[KeyHint]:
        """Return the keys while a job is running."""
        lets_go = self._is_ready and self._escape_lets_go(context)
        return (KeyHint.of("let go" if lets_go else "stop", "ESC"),)

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


def close_all() -> None:
    """End all modal operators at once, with everything put back."""
    for operator in open_operators():
        operator.cancel(bpy.context)
