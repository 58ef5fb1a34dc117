# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag with contact: an object follows the mouse from press to release, and slides along what it meets.

It is placing with nothing but the hand: no weight acts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.props import EnumProperty
from bpy.types import Context, Event

from ...scene.access import active_object
from ...scene.reading.scenario import selected_movers
from ..common import Conclusion, why_no_object_mode
from ..modal import ModalOperator, Verdict
from ..view import View, pick_up
from .steering import Steering

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

FREE = "FREE"
CATCHES_UP = 0.005  # R a tick, of the pixels that the mouse went before it was a drag
LEFT = (("LEFTMOUSE", "RELEASE"), ("RET", "PRESS"), ("NUMPAD_ENTER", "PRESS"))


class PHYSPLACE_OT_drag(ModalOperator):
    """Move the active object by hand, with contact live."""

    steering: Steering

    bl_idname = "physplace.drag"
    bl_label = "Drag with Contact"
    bl_description = (
        "Drag the active object: it slides along what it touches and passes through nothing. "
        "X, Y, Z and numbers as in Blender's own Move; R turns it"
    )

    if TYPE_CHECKING:
        axis: str
    else:
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
    def why_grey(cls, context: Context) -> str | None:
        """It needs Object Mode only: the object may be chosen by dragging it."""
        return why_no_object_mode(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Drag what was pressed on; where that was nothing, the active object, if it is selected."""
        view = View.of(context)
        if view is not None and event.value == "CLICK_DRAG" and self.axis == FREE:
            pick_up(context, view, view.pressed(event))
            active = active_object(context)
            if active is None or not active.select_get():
                return {"PASS_THROUGH"}
        return super().invoke(context, event)

    def work(self, context: Context) -> Conclusion:
        """Nothing to do without a mouse."""
        return Conclusion(False, "Drag with Contact needs the mouse, in a 3D view")

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Take the active object in hand."""
        self.steering = Steering(context, selected_movers(context)[:1], together=False)
        self.steering.placing.paused = True
        self.steering.take_in_hand(view, event, turns=False, axis=None if self.axis == FREE else self.axis)
        hand = self.steering.hand
        if hand is not None and event.value == "CLICK_DRAG":
            self.steering.hand = replace(hand, pressed=view.pressed(event))

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Follow the mouse."""
        if self.steering.hand is not None:
            radius = self.steering.subject.body.radius
            self.steering.hand = self.steering.hand.catching_up(view, CATCHES_UP * radius)
        if self.steering.tick(context, view, seconds):
            self.steering.show(context)
            self.drawing.show(self.steering.marks(view))

    def wants(self, event: Event) -> bool:
        """It is held wherever the mouse goes."""
        return True

    def heed(self, context: Context, view: View, event: Event) -> Verdict:
        """The mouse, axes and numbers."""
        steering = self.steering
        assert steering.hand is not None
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            steering.follow(view, event)
        elif steering.hand.heeds(event):
            steering.hand = steering.hand.told(event)
        elif event.value == "PRESS" and event.type in ("G", "R"):
            steering.take_in_hand(view, event, turns=event.type == "R")
        elif event.value == "PRESS" and event.type in ("ESC", "RIGHTMOUSE"):
            return Verdict.CANCELLED
        elif (event.type, event.value) in LEFT:
            return Verdict.CONFIRMED
        return Verdict.TAKEN

    def confirm(self, context: Context) -> Conclusion:
        """Leave it where it is."""
        name, touches = self.steering.subject.name, ", ".join(self.steering.touches())
        clear = self.steering.go.free is None
        self.steering.leave(context)
        return Conclusion(clear, f'"{name}": moved by hand, {touches}')

    def header(self) -> str:
        """What is asked of it."""
        return self.steering.figures()

    def hints(self) -> str:
        """The keys."""
        return "Release: leave it   X Y Z: axis   Shift: plane   0-9: amount   R: turn   Esc: put it back"
