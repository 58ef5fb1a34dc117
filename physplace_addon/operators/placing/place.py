# SPDX-License-Identifier: GPL-3.0-or-later
"""Place: the active object, or all that are selected at once, come to rest on everything else visible.

In a 3D view the artist watches and steers it; without one, or from Adjust Last Operation, it runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event

from ...core.errors import PhysPlaceError
from ...core.jobs import Job, finished
from ...scene.access import present
from ...scene.references import ObjectReference
from ...scene.writing import duplicate
from ..common import Conclusion, NeedsShape, conclude, cursor_progress
from ..input_events import MOVES, EventResult, InputEvent, is_escape
from ..keys.key_hints import KeyHint
from ..keys.keymaps import PLACING
from ..modal import ModalOperator
from ..session import one_line
from ..sliced import shown_at_cursor
from ..view import View
from .manipulation.point_handle import PointAction, PointHandle
from .manipulation.transform_input import ACCEPTS, TRANSFORM_HINTS, TransformInput
from .options import PlacementProperties
from .record import PlacementRecord, read_records, records_for, write_records
from .run import beginning, reading_to_move, settings_for
from .session import PlacementSession

HOLDING = frozenset({"MOVE", "TURN", *PointAction.__members__})  # the mouse may hold something then


class PHYSPLACE_OT_place(NeedsShape, PlacementProperties, ModalOperator):
    """Let the active object, with its children, fall until it rests on what else is visible.

    Exact surfaces touch exactly, nothing passes through anything.
    """

    session: PlacementSession
    keymap = PLACING

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    bl_idname = "physplace.place"
    bl_label = "Place at Rest"
    bl_description = (
        "Let the active object, with its children, fall until it rests on whatever else is visible. "
        "It passes through nothing, and the rest is a true balance"
    )

    if TYPE_CHECKING:
        together: bool
        ways: str
    else:
        together: BoolProperty(
            name="Selected Together",
            description=(
                "Let all selected objects fall at once, pushing each other, until all of them rest. "
                "Otherwise only the active object moves"
            ),
            default=False,
        )
        ways: StringProperty(
            name="Ways",
            description="Records of where the artist released the objects, and what acted on them",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    def draw(self, context: Context) -> None:
        """Draw the options."""
        layout = present(self.layout)
        self.draw_options(layout)
        layout.prop(self, "together")

    def work(self, context: Context) -> Conclusion:
        """Run the solver to its end and write where the objects came to rest."""
        with cursor_progress() as progress:
            return finished(shown_at_cursor(self._job_to_the_end(context), progress))

    def _job_to_the_end(self, context: Context) -> Job[Conclusion]:
        movers = self.movers(context, together=self.together)
        records = records_for(movers, read_records(self.ways))
        if not records:
            options = self.chosen_options(context, movers)
            scenario = yield from reading_to_move(context, movers, options=options)
            run = yield from beginning(context, scenario, settings_for(context, scenario))
            yield from run.running(context)
            return conclude(run.write(context))
        outcomes = []
        for record in records:
            movers = record.movers()
            options = self.chosen_options(context, movers)
            scenario = yield from reading_to_move(context, movers, options=options)
            settings = settings_for(context, scenario)
            run = yield from beginning(context, scenario, settings, record.ties, record.poses or None)
            if len(record.bilateral):
                run = run.branched(0, bilateral=record.bilateral)
            if record.goes_on:
                yield from run.running(context)
            outcomes.extend(run.write(context))
        return conclude(outcomes)

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Read the scene and begin."""
        self._message = ""
        self._copies: dict[ObjectReference, ObjectReference] = {}
        movers = self.movers(context, together=True, with_active=not self.together)
        self._options = self.chosen_options(context, movers)
        self.session = yield from PlacementSession.beginning(
            context, movers, self._options, together=self.together
        )
        return None

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Step, and show where the objects are; read what has come near or into view, or out of it."""
        if self.session.tick(context, view, seconds):
            self._show(context, view)
        if self.session.has_to_read(context):
            self.run_job(self.session.reading(context))

    def job_ended(self, context: Context, view: View) -> None:
        """Show what was read or begun."""
        self._show(context, view)

    def job_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Say why the next object or a copy cannot be placed; without its world nothing can."""
        if self.session.is_reading:
            raise error
        self._message = str(error)
        self._remove_copies(context)
        self.session.show_again(context)

    @property
    def holds(self) -> bool:
        """Whether something is moved by the mouse, which may then go anywhere."""
        return self.session.transform is not None or self.session.handle is not None

    def begins_to_hold(self, context: Context, event: InputEvent) -> bool:
        """Return whether an event takes an object or a point of it with the mouse."""
        return PLACING.action_of(context, event) in HOLDING

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the keys and the mouse."""
        if event.value == "PRESS":
            self._message = ""
        if event.type in MOVES:
            self.session.follow(view, view.mouse(event))
            return EventResult.HANDLED
        try:
            if self.session.transform is not None:
                return self._handle_transform(context, view, event, self.session.transform)
            if self.session.handle is not None:
                return self._handle_point(context, view, event, self.session.handle)
            return self._handle_key(context, view, event)
        except PhysPlaceError as error:
            self._message = str(error)
            self.session.show_again(context)
            return EventResult.HANDLED

    def _handle_transform(
        self, context: Context, view: View, event: InputEvent, transform: TransformInput
    ) -> EventResult:
        session, action = self.session, PLACING.action_of(context, event)
        if transform.accepts(event):
            session.type(event)
        elif event.value == "PRESS" and event.type in ACCEPTS:
            session.end_transform(keep=True)
        elif is_escape(event):
            session.end_transform(keep=False)
        elif action in ("MOVE", "TURN"):
            session.begin_transform(view, view.mouse(event), turns=action == "TURN")
        elif action == "THROUGH":
            session.toggle_through()
        self._show(context, view)
        return EventResult.HANDLED

    def _handle_point(
        self, context: Context, view: View, event: InputEvent, handle: PointHandle
    ) -> EventResult:
        session = self.session
        if is_escape(event):
            session.release_point(context)
        elif handle.action is PointAction.TIE:
            if event.type == "LEFTMOUSE" and event.value == "PRESS":
                session.tie_to(context, view, event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            session.release_point(context)
        return EventResult.HANDLED

    def _handle_key(self, context: Context, view: View, event: InputEvent) -> EventResult:
        action = PLACING.action_of(context, event)
        session, steered = self.session, self.session.steered
        if action == "CANCEL":
            return EventResult.CANCEL
        point_action = PointAction.__members__.get(action or "")
        if point_action is not None and session.take_point(context, view, event, point_action):
            return EventResult.HANDLED
        if action == "CONFIRM" or point_action is not None:
            return self._confirmed_unless_it_overlaps()
        does: dict[str, Callable[[], object]] = {
            "PAUSE": steered.toggle_pause,
            "BACK": lambda: steered.scrub(-1),
            "FORTH": lambda: steered.scrub(1),
            "FAR_BACK": lambda: steered.scrub(-10),
            "FAR_FORTH": lambda: steered.scrub(10),
            "MOVE": lambda: session.begin_transform(view, view.mouse(event), turns=False),
            "TURN": lambda: session.begin_transform(view, view.mouse(event), turns=True),
            "THROUGH": session.toggle_through,
            "ENERGY": steered.toggle_energy,
            "FRICTION": lambda: session.toggle_friction(context),
            "BILATERAL": lambda: session.toggle_bilateral(view, event),
            "LEAVE": steered.leave_metastable,
            "COPY": lambda: self.run_job(self._going_on_with_copy(context)),
            "KEY": lambda: session.key_here(context),
            "EXTRICATE": lambda: self.run_job(session.extricating(context)),
            "NEXT": lambda: self.run_job(session.next(context)),
        }
        if action in does:
            does[action]()
            self._show(context, view)
        return EventResult.HANDLED

    def _confirmed_unless_it_overlaps(self) -> EventResult:
        if self.session.interferes:
            self._message = "It overlaps something: move it clear first, or put it back"
            return EventResult.HANDLED
        return EventResult.CONFIRM

    def _going_on_with_copy(self, context: Context) -> Job[None]:
        if self._confirmed_unless_it_overlaps() is not EventResult.CONFIRM:
            return
        starts = self.session.starts
        self.session.write(context)
        self._copies = {}
        bpy.ops.ed.undo_push(message=self.bl_label)
        originals = [reference.object for reference in starts]
        copies = [duplicate.duplicate(context, original) for original in originals]
        made = [ObjectReference.of(copy) for copy in copies]
        self._copies = dict(zip(made, starts, strict=True))
        duplicate.select_only(context, copies[::-1])
        self.session = yield from PlacementSession.beginning(
            context, copies, self._options, together=self.together, poses=list(starts.values())
        )

    def confirm(self, context: Context) -> Conclusion:
        """Write where the objects are shown, and keep records from which that can be repeated."""
        self.ways = write_records([PlacementRecord.of(item) for item in self.session.items])
        return conclude(self.session.write(context))

    def restore(self, context: Context) -> None:
        """Put the objects back, and remove copies that were not confirmed."""
        super().restore(context)
        self._remove_copies(context)

    def _remove_copies(self, context: Context) -> None:
        copies, self._copies = self._copies, {}
        originals = [original for each in copies.values() if (original := each.found()) is not None]
        if originals:
            duplicate.select_only(context, originals[::-1])
        for each in copies:
            copy = each.found()
            if copy is not None:
                duplicate.remove(copy)

    def header(self) -> str:
        """Return the last message, or else how far the placement is, and which keys apply now."""
        if self._message:
            return self._message
        keys, offers = PLACING.keys(bpy.context), self.session.offers(bpy.context)
        applying = [f"{keys[action]} {does}" for action, does in offers if action in keys]
        return one_line([self.session.figures(), *applying])

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys, as the artist has set them."""
        if self.session.transform is not None:
            return TRANSFORM_HINTS
        return PLACING.hints(bpy.context)

    def _show(self, context: Context, view: View) -> None:
        self.session.show(context)
        self.drawing.show(self.session.marks(view))
