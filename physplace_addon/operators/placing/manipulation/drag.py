# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag with contact: an object follows the mouse from press to release, and slides along what it meets.

It is placing by hand alone: no weight acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Event

from ....core.jobs import Job
from ....scene.access import active_object, present, scene_of
from ....scene.reading.settings import settings_of
from ....scene.reading.subjects.movers import selected_movers
from ...common import Conclusion, conclude, object_mode_reason
from ...input_events import MOVES, EventResult, InputEvent, is_escape
from ...keys.key_hints import KeyHint
from ...modal import ModalOperator
from ...view import View, pick_up
from ..run import LEFT_IN_PLACE
from ..session import PlacementSession
from .rest_ghost import RestGhost, run_from_here
from .transform_input import TRANSFORM_HINTS

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

FREE = "FREE"
CATCHES_UP = 0.005  # distance over R that it catches up in a tick of what the mouse went before the drag
PLACES = "P"  # the key that has it placed when it is released, or no more
GHOST_SHARE = 0.5  # of a tick's seconds: looking for the rest it would take must not slow the hand
CONFIRMS = (("LEFTMOUSE", "RELEASE"), ("RET", "PRESS"), ("NUMPAD_ENTER", "PRESS"))


class PHYSPLACE_OT_drag(ModalOperator):
    """Move the active object by hand, with contact live."""

    session: PlacementSession
    ghost: RestGhost

    bl_idname = "physplace.drag"
    bl_label = "Drag with Contact"
    bl_description = (
        "Drag the active object: it slides along what it touches and passes through nothing. "
        "X, Y, Z and numbers as in Blender's own Move; R turns it"
    )

    if TYPE_CHECKING:
        axis: str
        places: bool
    else:
        places: BoolProperty(
            name="Place on Release",
            description="Show the rest that the object would take from here, and let it go there",
            options={"SKIP_SAVE"},
        )
        axis: EnumProperty(
            name="Axis",
            description="The axis of the world that it moves along",
            items=(
                (FREE, "Free", "In the plane of the view"),
                ("X", "X", "Along the world's x"),
                ("Y", "Y", "Along the world's y"),
                ("Z", "Z", "Along the world's z"),
            ),
            default=FREE,
            options={"HIDDEN", "SKIP_SAVE"},
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs Object Mode only, for dragging an object also selects it."""
        return object_mode_reason(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Drag the object that was pressed on; where that was none, the active object, if it is selected."""
        view = View.of(context)
        if view is not None and event.value == "CLICK_DRAG" and self.axis == FREE:
            pick_up(context, view, view.pressed(event))
            active = active_object(context)
            if active is None or not active.select_get():
                return {"PASS_THROUGH"}
        return super().invoke(context, event)

    def work(self, context: Context) -> Conclusion:
        """Report that it needs a mouse."""
        return Conclusion(False, "Drag with Contact needs the mouse, in a 3D view")

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Begin to move the active object."""
        mouse = view.mouse(event)
        pressed = view.pressed(event) if event.value == "CLICK_DRAG" else None
        movers = selected_movers(context)[:1]
        session = yield from PlacementSession.beginning(context, movers, together=False)
        view = present(View.of(context))
        session.steered.paused = True
        session.begin_transform(view, mouse, turns=False, axis=None if self.axis == FREE else self.axis)
        if session.transform is not None and pressed is not None:
            session.transform = replace(session.transform, pressed=pressed)
        self.session = session
        self.ghost = RestGhost()
        if not self.properties.is_property_set("places"):
            self.places = settings_of(scene_of(context)).place_on_release
        return None

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Follow the mouse, and show where the object is; read what it comes near."""
        session = self.session
        if session.transform is not None:
            most = CATCHES_UP * session.subject.body.radius
            session.transform = session.transform.catching_up(view, most)
        if session.tick(context, view, seconds):
            session.show(context)
            self.drawing.show(session.marks(view))
        if self.places and self.ghost.advance(session.item, GHOST_SHARE * seconds):
            self.drawing.show_layers(self.ghost.layers())
        if session.has_to_read(context):
            self.run_job(session.reading(context))

    def _letting_go(self, context: Context) -> Job[Conclusion]:
        """Place the object from where it is held, in slices; it stays there if nothing is below it."""
        item = self.session.item
        run = self.ghost.run_of(item) or run_from_here(item)
        self.drawing.show_layers(())
        yield from run.running(context)
        if run.solver.status in LEFT_IN_PLACE:
            self.session.leave(context)
            return conclude(run.outcomes())
        self.session.put_back(context)
        return conclude(run.write(context))

    def ends_beginning(self, event: InputEvent) -> bool:
        """Return whether an event ends the drag before anything has moved."""
        return super().ends_beginning(event) or (event.type, event.value) in CONFIRMS

    def _lets_go(self, event: InputEvent) -> bool:
        """Return whether an event releases the object to come to rest; what overlaps cannot."""
        is_clear = self.session.item.overlapping is None
        return self.places and is_clear and (event.type, event.value) in CONFIRMS

    def captures(self, event: InputEvent) -> bool:
        """Take all events: the mouse may go anywhere."""
        return True

    def captures_while_beginning(self, event: InputEvent) -> bool:
        """Take all events: the mouse may go anywhere."""
        return True

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the mouse, axes, numbers and the keys that end it."""
        session = self.session
        assert session.transform is not None
        if event.type in MOVES:
            session.follow(view, view.mouse(event))
        elif session.transform.accepts(event):
            session.type(event)
        elif event.value == "PRESS" and event.type in ("G", "R"):
            session.begin_transform(view, view.mouse(event), turns=event.type == "R")
        elif event.value == "PRESS" and event.type == PLACES:
            self.places = not self.places
            self.ghost = RestGhost()
            self.drawing.show_layers(())
        elif is_escape(event):
            return EventResult.CANCEL
        elif self._lets_go(event):
            self.run_job(self._letting_go(context))
        elif (event.type, event.value) in CONFIRMS:
            return EventResult.CONFIRM
        return EventResult.HANDLED

    def confirm(self, context: Context) -> Conclusion:
        """Leave the object where it is."""
        name, contacts = self.session.subject.name, ", ".join(self.session.contact_figures())
        is_clear = self.session.item.overlapping is None
        self.session.leave(context)
        return Conclusion(is_clear, f'"{name}": moved by hand, {contacts}')

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys."""
        return (
            KeyHint("place it" if self.places else "leave it", "Release"),
            *TRANSFORM_HINTS[:3],
            KeyHint.of("turn", "R"),
            KeyHint.of("leave it where it is released" if self.places else "place it on release", PLACES),
            KeyHint.of("put it back", "ESC"),
        )
