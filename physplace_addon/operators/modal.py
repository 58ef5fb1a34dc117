# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that go on while the artist looks and steers: one timer, one drawing, one exit.

A modal operator ends in one of three ways: confirmed, cancelled, or because the scene it works on is no
longer there - undone, another file, another mode, another workspace. Unless it is confirmed all is put back,
and before Blender undoes or loads, while all is still there. Whichever it is, `_close` takes away everything
that it opened. What is open is kept in one list, so that it can be told.

A file that is saved meanwhile has the scene as it was before, unless the operator's work is what the artist
sees and saves; then the operator goes on. An operator may also outlive an undo, and let events pass to
Blender.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, ClassVar, Protocol

import bpy
from bpy.types import Context, Event

from ..core.errors import PhysPlaceError
from ..overlay.drawing import Drawing
from ..scene.access import persistent, window_manager_of
from .common import Conclusion, ObjectOperator, waiting, why_not
from .event_filter import is_meant
from .preferences import tick_seconds
from .status_bar import Bars
from .view import View

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

BETWEEN_TICKS = 0.001  # seconds that Blender gets at least, to draw and to listen


class Verdict(Enum):
    """What an event means to a modal operator."""

    TAKEN = auto()
    PASSED = auto()  # to Blender
    CONFIRMED = auto()
    CANCELLED = auto()


class Shown(Protocol):
    """What an operator shows in the scene before any of it is written."""

    @property
    def is_undisturbed(self) -> bool:
        """Whether all is still as it was shown."""

    @property
    def part_done(self) -> float | None:
        """How much of the steps at most is done, where one takes so long that it must be told; else None."""

    def show_again(self, context: Context) -> None:
        """Show it after it was put back."""

    def put_back(self, context: Context) -> None:
        """Have the scene, as far as it is still there, as it was before."""


class ModalOperator(ObjectOperator):
    """An operator that works in the ticks of a timer until the artist has done with it.

    hides_from_files: a file that is saved meanwhile has the scene as it was before.
    """

    steering: Shown
    hides_from_files = True
    if TYPE_CHECKING:
        _open: ClassVar[list[ModalOperator]]
    else:
        # Blender has `typing` read a class's annotations, and `typing` remembers what stands in brackets:
        # this class, and with it bpy, would outlive Python, which then never ends.
        _open = []

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Begin in the 3D view; without one, run to the end at once."""
        view = View.of(context)
        if view is None:
            return self.execute(context)
        if self._open:
            self.report({"WARNING"}, f"{self._open[0].bl_label} is under way: confirm or cancel it first")
            return {"CANCELLED"}
        try:
            with waiting(context.window):
                self.begin(context, view, event)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self._open_all(context)
        self._bars.tell(context, self.header(), self.hints())
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Take an event, or a tick of the timer."""
        if self not in self._open:
            return {"CANCELLED"}
        try:
            return self._answer(context, event)
        except BaseException:
            self._give_up(context)
            raise

    def cancel(self, context: Context) -> None:
        """Blender gives the operator up."""
        self._give_up(context)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the scene, into `steering`. Raises PhysPlaceError, with nothing changed."""
        raise NotImplementedError

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Work for so long, and show it."""
        raise NotImplementedError

    def heed(self, context: Context, view: View, event: Event) -> Verdict:
        """Take an event that happens in the view."""
        raise NotImplementedError

    def confirm(self, context: Context) -> Conclusion:
        """Write what is shown. Raises PhysPlaceError, with everything put back."""
        raise NotImplementedError

    def restore(self, context: Context) -> None:
        """Put everything back that is still there."""
        self.steering.put_back(context)

    def header(self) -> str:
        """Figures, for the view's header."""
        return ""

    def hints(self) -> str:
        """Keys, for the status bar."""
        return ""

    def _answer(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        view = View.of(context) if _where(context) == self._where else None
        reason = self._why_it_ends(context) or ("its view is not shown" if view is None else None)
        if reason is not None or view is None:
            self._give_up(context)
            self.report({"WARNING"}, f"{self.bl_label} has ended: {reason}")
            return {"CANCELLED"}
        if event.type == "TIMER":
            self.tick(context, view, tick_seconds(context))
            self._bars.tell(context, self.header(), self.hints())
            self._tell_progress(context)
            return {"PASS_THROUGH"}
        if not self.wants(event) and not is_meant(view, event):
            return {"PASS_THROUGH"}
        verdict = self.heed(context, view, event)
        if verdict is Verdict.CONFIRMED:
            return self._confirmed(context)
        if verdict is Verdict.CANCELLED:
            self._give_up(context)
            return {"CANCELLED"}
        self._bars.tell(context, self.header(), self.hints())
        return {"PASS_THROUGH"} if verdict is Verdict.PASSED else {"RUNNING_MODAL"}

    def _why_it_ends(self, context: Context) -> str | None:
        """What has happened to the scene meanwhile that makes it pointless to go on; None for nothing."""
        return self._ended_by or self.why_over(context)

    def why_over(self, context: Context) -> str | None:
        """What makes it pointless to go on; None for nothing."""
        disturbed = None if self.steering.is_undisturbed else "something else has changed the scene"
        return why_not(context) or disturbed

    def wants(self, event: Event) -> bool:
        """Whether an event is meant for it wherever the mouse is, as while something is held."""
        return False

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

    @property
    def leaves_undo(self) -> bool:
        """Whether what is confirmed makes an undo step."""
        return True

    def _open_all(self, context: Context) -> None:
        self._ended_by: str | None = None
        self._where = _where(context)
        self._bars = Bars(context)
        self._is_slow = False
        self.drawing = Drawing()
        manager = window_manager_of(context)
        self._timer = manager.event_timer_add(BETWEEN_TICKS, window=context.window)
        manager.modal_handler_add(self)
        self._open.append(self)

    def _give_up(self, context: Context) -> None:
        """Put everything back, unless that is done, and close, whatever comes of it."""
        if self not in self._open:
            return
        try:
            if self._ended_by is None:
                self.restore(context)
        finally:
            self._close(context)

    def _close(self, context: Context) -> None:
        self._open.remove(self)
        window_manager_of(context).event_timer_remove(self._timer)
        self.drawing.close()
        if self._is_slow:
            window_manager_of(context).progress_end()
        self._bars.clear(context)

    def _tell_progress(self, context: Context) -> None:
        """Where steps take long the cursor shows how far it is."""
        part, manager = self.steering.part_done, window_manager_of(context)
        if part is not None and not self._is_slow:
            manager.progress_begin(0.0, 1.0)
        elif part is None and self._is_slow:
            manager.progress_end()
        self._is_slow = part is not None
        if part is not None:
            manager.progress_update(part)

    def before_undo(self, context: Context) -> None:
        """Blender is about to undo or redo, while all is still there."""
        self.end(context, "it was undone")

    def after_undo(self, context: Context) -> None:
        """Blender has undone or redone: all objects may be others."""

    def end(self, context: Context, reason: str) -> None:
        """Put everything back now, and end at the next event."""
        if self._ended_by is None:
            self.restore(context)
            self._ended_by = reason


def _where(context: Context) -> tuple[int, str, str]:
    """The area, and the names of the scene and view layer, that an operator works in; 0 and "" for none."""
    area, scene, layer = context.area, context.scene, context.view_layer
    return (
        0 if area is None else area.as_pointer(),
        "" if scene is None else scene.name_full,
        "" if layer is None else layer.name,
    )


def open_sessions() -> list[str]:
    """The names of the modal operators that are under way."""
    return [operator.bl_idname for operator in ModalOperator._open]


def close_all() -> None:
    """End what is under way at once, with everything put back."""
    for operator in list(ModalOperator._open):
        operator._give_up(bpy.context)


@persistent
def _before_undo(*_: object) -> None:
    for operator in ModalOperator._open:
        operator.before_undo(bpy.context)


@persistent
def _after_undo(*_: object) -> None:
    for operator in ModalOperator._open:
        operator.after_undo(bpy.context)


@persistent
def _before_load(*_: object) -> None:
    close_all()


@persistent
def _before_save(*_: object) -> None:
    for operator in _going_on():
        operator.steering.put_back(bpy.context)


@persistent
def _after_save(*_: object) -> None:
    for operator in _going_on():
        operator.steering.show_again(bpy.context)


def _going_on() -> list[ModalOperator]:
    """Those that hide from files and whose next event does not end them, as far as can be told."""
    going = [operator for operator in ModalOperator._open if operator._ended_by is None]
    return [each for each in going if each.hides_from_files and each.steering.is_undisturbed]


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
