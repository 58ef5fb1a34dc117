# SPDX-License-Identifier: GPL-3.0-or-later
"""Place: the active object, or all that are selected at once, come to rest on everything else visible.

In a 3D view the artist watches and steers it; without one, or from Adjust Last Operation, it runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event

from ...core.errors import PhysPlaceError
from ...scene.reading.scenario import read, selected_movers
from ...scene.writing import duplicate
from ..common import Conclusion, conclude
from ..keymap import PLACING
from ..modal import ModalOperator, Verdict
from ..view import View
from .point_handle import Kind
from .record import Way, read_ways, write_ways
from .run import scenario_of, session_of, settings_for
from .steering import Steering

ACCEPTS, REJECTS = ("RET", "NUMPAD_ENTER", "LEFTMOUSE"), ("ESC", "RIGHTMOUSE")


class PHYSPLACE_OT_place(ModalOperator):
    """Let the active object, with its children, fall until it rests on what else is visible.

    Exact surfaces touch exactly, nothing passes through anything.
    """

    steering: Steering

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
            description="From where, and tied to what, the artist's hand let the objects go",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    def work(self, context: Context) -> Conclusion:
        """Run the solver to its end and write where the objects came to rest."""
        ways = read_ways(self.ways)
        if not ways:
            scenario = scenario_of(context, together=self.together)
            session = session_of(scenario, settings_for(context, scenario))
            session.run(context)
            return conclude(session.write(context))
        outcomes = []
        for way in ways:
            scenario = read(context, way.movers())
            session = session_of(scenario, settings_for(context, scenario), way.ties, way.poses)
            if way.goes_on:
                session.run(context)
            outcomes.extend(session.write(context))
        return conclude(outcomes)

    def begin(self, context: Context, view: View, event: Event) -> None:
        """Read the scene and begin."""
        self.steering = Steering(context, selected_movers(context), together=self.together)
        self._said = ""
        self._copies: dict[str, str] = {}

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Step, and show where it is."""
        if self.steering.tick(context, view, seconds):
            self._show(context, view)

    def wants(self, event: Event) -> bool:
        """Whatever is held is held wherever the mouse goes."""
        return self.steering.hand is not None or self.steering.grip is not None

    def heed(self, context: Context, view: View, event: Event) -> Verdict:
        """Keys, and the mouse."""
        if event.value == "PRESS":
            self._said = ""
        if event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            self.steering.follow(view, event)
            return Verdict.TAKEN
        try:
            if self.steering.hand is not None:
                return self._heed_hand(context, view, event)
            if self.steering.grip is not None:
                return self._heed_grip(context, view, event)
            return self._heed_keys(context, view, event)
        except PhysPlaceError as error:
            self._said = str(error)
            self.steering.show_again(context)
            return Verdict.TAKEN

    def _heed_hand(self, context: Context, view: View, event: Event) -> Verdict:
        steering = self.steering
        assert steering.hand is not None
        action = PLACING.action_of(context, event)
        if steering.hand.heeds(event):
            steering.hand = steering.hand.told(event)
        elif event.value == "PRESS" and event.type in ACCEPTS:
            steering.let_go(keep=True)
        elif event.value == "PRESS" and event.type in REJECTS:
            steering.let_go(keep=False)
        elif action in ("MOVE", "TURN"):
            steering.take_in_hand(view, event, turns=action == "TURN")
        elif action == "THROUGH":
            steering.toggle_through()
        self._show(context, view)
        return Verdict.TAKEN

    def _heed_grip(self, context: Context, view: View, event: Event) -> Verdict:
        steering = self.steering
        assert steering.grip is not None
        if event.value == "PRESS" and event.type in REJECTS:
            steering.release(context)
        elif steering.grip.kind is Kind.TIE:
            if event.type == "LEFTMOUSE" and event.value == "PRESS":
                steering.tie_to(context, view, event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            steering.release(context)
        return Verdict.TAKEN

    def _heed_keys(self, context: Context, view: View, event: Event) -> Verdict:
        action = PLACING.action_of(context, event)
        steering, placing = self.steering, self.steering.placing
        if action == "CANCEL":
            return Verdict.CANCELLED
        kind = Kind.__members__.get(action or "")
        if kind is not None and steering.grip_at(context, view, event, kind):
            return Verdict.TAKEN
        if action == "CONFIRM" or kind is not None:
            return self._asked_to_confirm()
        does: dict[str, Callable[[], object]] = {
            "PAUSE": placing.toggle_pause,
            "BACK": lambda: placing.scrub(-1),
            "FORTH": lambda: placing.scrub(1),
            "FAR_BACK": lambda: placing.scrub(-10),
            "FAR_FORTH": lambda: placing.scrub(10),
            "MOVE": lambda: steering.take_in_hand(view, event, turns=False),
            "TURN": lambda: steering.take_in_hand(view, event, turns=True),
            "THROUGH": steering.toggle_through,
            "ENERGY": placing.toggle_energy,
            "FRICTION": lambda: steering.toggle_friction(context),
            "LEAVE": placing.leave_metastable,
            "COPY": lambda: self._go_on_with_copy(context),
            "KEY": lambda: steering.key_here(context),
            "NEXT": lambda: steering.next(context),
        }
        if action in does:
            does[action]()
            self._show(context, view)
        return Verdict.TAKEN

    def _asked_to_confirm(self) -> Verdict:
        if self.steering.interferes:
            self._said = "It overlaps something: move it clear first, or put it back"
            return Verdict.TAKEN
        return Verdict.CONFIRMED

    def _go_on_with_copy(self, context: Context) -> None:
        if self._asked_to_confirm() is not Verdict.CONFIRMED:
            return
        starts = self.steering.starts
        self.steering.write(context)
        self._copies = {}
        bpy.ops.ed.undo_push(message=self.bl_label)
        originals = [bpy.data.objects[name] for name in starts]
        copies = [duplicate.duplicate(context, original) for original in originals]
        self._copies = {copy.name: name for copy, name in zip(copies, starts, strict=True)}
        duplicate.select_only(context, copies[::-1])
        try:
            self.steering = Steering(context, copies, together=self.together, poses=list(starts.values()))
        except PhysPlaceError:
            self._remove_copies(context)
            raise

    def confirm(self, context: Context) -> Conclusion:
        """Write where the objects are shown, and keep from where that can be done again."""
        self.ways = write_ways([Way.of(go) for go in self.steering.goes])
        return conclude(self.steering.write(context))

    def restore(self, context: Context) -> None:
        """Put the objects back; a copy that was not confirmed goes."""
        super().restore(context)
        self._remove_copies(context)

    def _remove_copies(self, context: Context) -> None:
        copies, self._copies = self._copies, {}
        originals = [bpy.data.objects[name] for name in copies.values() if name in bpy.data.objects]
        if originals:
            duplicate.select_only(context, originals[::-1])
        for name in copies:
            if name in bpy.data.objects:
                duplicate.remove(bpy.data.objects[name])

    def header(self) -> str:
        """How far it is."""
        return self._said or self.steering.figures()

    def hints(self) -> str:
        """The keys, as the artist has them."""
        if self.steering.hand is not None:
            return "X Y Z: axis   Shift: plane   0-9: amount   Enter: leave it there   Esc: put it back"
        return PLACING.shown(bpy.context)

    def _show(self, context: Context, view: View) -> None:
        self.steering.show(context)
        self.drawing.show(self.steering.marks(view))
