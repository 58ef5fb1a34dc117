# SPDX-License-Identifier: GPL-3.0-or-later
"""Sit down: a jointed figure settles where it is put, balanced under gravity, and passes through nothing.

In a 3D view the artist watches it; without one, or from Adjust Last Operation, it runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatProperty
from bpy.types import Context, Event

from ...core.errors import PhysPlaceError
from ...core.jobs import Job, finished
from ...scene.access import active_object, present
from ...scene.differences import changed_meanwhile
from ...scene.linkages.posing import LinkagePose
from ..common import Conclusion, cursor_progress
from ..input_events import EventResult, InputEvent
from ..keys.key_hints import KeyHint
from ..keys.keymaps import SITTING
from ..modal import ModalOperator
from ..sliced import shown_at_cursor
from ..view import View
from .sitting import SittingSession, sitting_figure
from .targets import PosesFigures


class PHYSPLACE_OT_linkage_sit(PosesFigures, ModalOperator):
    """Let a jointed figure settle until it is balanced."""

    session: SittingSession
    watches_scene = True
    keymap = SITTING

    bl_idname = "physplace.linkage_sit"
    bl_label = "Sit Down"
    bl_description = (
        "Let a jointed figure settle under gravity until it rests on what is below it. Its joints are free, "
        "stiff or locked, it passes through nothing, and the rest is a true balance"
    )

    if TYPE_CHECKING:
        stiffness: float
        friction: float
    else:
        stiffness: FloatProperty(
            name="Stiffness",
            description=(
                "How stiff the joints are: 0 for limp, 1 for locked. A joint with the custom "
                'property "physplace_stiffness" uses its own value'
            ),
            default=0.1,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
        )
        friction: FloatProperty(
            name="Friction",
            description="Coefficient of friction of the figure with all that it touches",
            default=0.5,
            min=0.0,
            soft_max=1.0,
        )

    def work(self, context: Context) -> Conclusion:
        """Run the solver to its end and leave the figure where it came to rest."""
        with cursor_progress() as progress:
            return finished(shown_at_cursor(self._job_to_the_end(context), progress))

    def _job_to_the_end(self, context: Context) -> Job[Conclusion]:
        active = present(active_object(context))
        figure = yield from sitting_figure(context, active, self.stiffness, self.friction)
        yield from figure.running(context)
        return figure.write(context, LinkagePose(figure.found), figure.solver.state)

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Read the figure and begin."""
        self._message = ""
        active = present(active_object(context))
        figure = yield from sitting_figure(context, active, self.stiffness, self.friction)
        self.session = SittingSession(figure)
        return None

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Step, and show where the figure is; read what it comes near, and what else has changed."""
        if self.session.tick(seconds):
            self._show(context)
        differing = present(self.watch).differing(context)
        if differing & self.session.names:
            self.end(context, changed_meanwhile(differing & self.session.names))
            return
        if differing:
            self.session.note_difference()
        if self.session.has_to_read():
            self.run_job(self.session.reading(context))

    def job_ended(self, context: Context, view: View) -> None:
        """Show what was read."""
        self._show(context)

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the keys; any that is pressed clears the last message."""
        if event.value == "PRESS":
            self._message = ""
        action, session = SITTING.action_of(context, event), self.session
        if action == "CONFIRM":
            return EventResult.CONFIRM
        if action == "CANCEL":
            return EventResult.CANCEL
        does: dict[str, Callable[[], object]] = {
            "PAUSE": session.toggle_pause,
            "BACK": lambda: session.scrub(-1),
            "FORTH": lambda: session.scrub(1),
            "FAR_BACK": lambda: session.scrub(-10),
            "FAR_FORTH": lambda: session.scrub(10),
        }
        if action in does:
            does[action]()
            self._show(context)
        return EventResult.HANDLED

    def confirm(self, context: Context) -> Conclusion:
        """Leave the figure as it is shown, and write the reports."""
        return self.session.write(context)

    def confirm_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Say why it cannot be left there; it waits."""
        self.session.paused = True
        self._message = str(error)
        self._show(context)

    def header(self) -> str:
        """Return the last message, or else how far it is."""
        return self._message or self.session.figures()

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys, as the artist has set them."""
        return SITTING.hints(bpy.context)

    def _show(self, context: Context) -> None:
        self.session.show(context)
        self.drawing.show(self.session.marks())
