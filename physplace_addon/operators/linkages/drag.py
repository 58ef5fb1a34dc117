# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag a jointed figure: any point of a part follows the mouse, joints hold, and nothing is passed through.

Pressed, the left mouse grabs what is under it; released, the pose is confirmed. Without a window, a point of
a part is dragged along a straight line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from bpy.types import Context, Event

from ...core.arrays import Floats
from ...core.jobs import Job, finished
from ...overlay.linkages import linkage_layers
from ...scene.access import active_object, present
from ...scene.differences import changed_meanwhile
from ...scene.linkages.reading import reading_linkage
from ...scene.references import by_full_name
from ..common import Conclusion, cursor_progress, location_property
from ..input_events import MOVES, EventResult, InputEvent
from ..keys.key_hints import KeyHint
from ..keys.keymaps import POSING
from ..modal import ModalOperator
from ..sliced import shown_at_cursor
from ..view import View, object_under
from .goal_run import GoalOfPart, dragging, posing
from .session import LinkageSession
from .solve import PART, POINT, TARGET, given_point
from .targets import PosesFigures

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class PHYSPLACE_OT_linkage_drag(PosesFigures, ModalOperator):
    """Drag a jointed figure at any point."""

    session: LinkageSession
    watches_scene = True
    keymap = POSING

    bl_idname = "physplace.linkage_drag"
    bl_label = "Drag Figure"
    bl_description = (
        "Drag any point of a jointed figure: its joints hold, and it passes through nothing, nor itself. "
        "Figures are objects joined by rigid body constraints, and armatures whose bones carry meshes"
    )

    if TYPE_CHECKING:
        part: str
        point: tuple[float, float, float]
        target: tuple[float, float, float]
    else:
        part: StringProperty(**PART)
        point: FloatVectorProperty(**POINT)
        target: FloatVectorProperty(**TARGET)

    def work(self, context: Context) -> Conclusion:
        """Drag a point of a part along a straight line."""
        target = location_property(self, context, "target")
        asked = GoalOfPart(self.part, given_point(self, self.point), target[None])
        with cursor_progress() as progress:
            return finished(shown_at_cursor(posing(context, asked, dragging), progress))

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Begin in the 3D view; with a target given, drag to it at once."""
        if self.properties.is_property_set("target"):
            return self.execute(context)
        return super().invoke(context, event)

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Read the figure under the mouse if it was pressed there, else that of the active object."""
        is_pressed = event.value in ("PRESS", "CLICK_DRAG") and event.type == "LEFTMOUSE"
        pressed = view.pressed(event) if event.value == "CLICK_DRAG" else view.mouse(event)
        self._is_grabbed, self._is_pressed = False, is_pressed
        self._mouse = view.mouse(event)
        active = present(active_object(context))
        seen = object_under(context, view, pressed) if is_pressed else None
        under = None if seen is None else by_full_name(present(context.view_layer).objects).get(seen[0])
        chosen = active if under is None else under
        scenario = yield from reading_linkage(context, chosen)
        self.session = yield from LinkageSession.beginning(context, scenario)
        if is_pressed and seen is not None:
            view = present(View.of(context))
            self._grab(context, view, pressed)
            self._lead(view)
        return None

    def _grab(self, context: Context, view: View, mouse: Floats) -> None:
        found = self.session.part_under(context, view, mouse)
        if found is not None:
            self.session.grab(*found)
            self._is_grabbed = True

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Follow the mouse, and show the pose; read what it comes near, and what else has changed."""
        if self.session.tick(seconds):
            self._show(context)
        differing = present(self.watch).differing(context)
        if differing & self.session.names:
            self.end(context, changed_meanwhile(differing & self.session.names))
        elif differing or self.session.has_to_read():
            self.run_job(self.session.reading(context))

    def job_ended(self, context: Context, view: View) -> None:
        """Show what was read."""
        self._show(context)

    def captures(self, event: InputEvent) -> bool:
        """Return whether something is dragged: the mouse may then go anywhere."""
        return self._is_grabbed

    def captures_while_beginning(self, event: InputEvent) -> bool:
        """Return whether the mouse was pressed on something: it may then be let go anywhere."""
        return self._is_pressed

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the mouse and the keys."""
        if event.type in MOVES:
            self._follow(view, event)
            return EventResult.HANDLED
        if self._is_grabbed and (event.type, event.value) == ("LEFTMOUSE", "RELEASE"):
            self.run_job(self._letting_go(context))
            return EventResult.HANDLED
        return self._handle_key(context, view, event)

    def _follow(self, view: View, event: InputEvent) -> None:
        self._mouse = view.mouse(event)
        self._lead(view)

    def _lead(self, view: View) -> None:
        """Lead what is grabbed to where the mouse is."""
        if self.session.grabbed is not None:
            self.session.follow(view.under_mouse(self._mouse, self.session.grabbed.taken))

    def _handle_key(self, context: Context, view: View, event: InputEvent) -> EventResult:
        action, session = POSING.action_of(context, event), self.session
        self._mouse = view.mouse(event)
        if action == "CONFIRM":
            self.run_job(self._letting_go(context))
            return EventResult.HANDLED
        if action == "CANCEL":
            return EventResult.CANCEL
        if action == "GRAB" and not self._is_grabbed:
            self._grab(context, view, self._mouse)
        elif action == "PIN":
            self._pin(context, view)
        elif action == "CYCLE":
            session.cycle_pin(session.pin_under(view, self._mouse))
        elif action == "WHOLE":
            session.toggle_whole()
        else:
            return EventResult.HANDLED
        self._show(context)
        return EventResult.HANDLED

    def _pin(self, context: Context, view: View) -> None:
        """Release the pin under the mouse, or pin what is there."""
        pinned = self.session.pin_under(view, self._mouse)
        if pinned is not None:
            self.session.release_pin(pinned)
            return
        found = self.session.part_under(context, view, self._mouse)
        if found is not None:
            self.session.toggle_pin(*found)

    def _letting_go(self, context: Context) -> Job[Conclusion]:
        """Leave the figure in its pose, in slices, at the place where the mouse is."""
        yield from self.session.settling(context)
        return self.session.write(context)

    def header(self) -> str:
        """Return how the drag stands."""
        return self.session.figures()

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys, as the artist has set them."""
        return POSING.hints(bpy.context)

    def _show(self, context: Context) -> None:
        self.session.show(context)
        self.drawing.show_layers(linkage_layers(self.session.marks()))
