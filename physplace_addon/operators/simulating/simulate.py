# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate: the selected objects move in time as their weight and contacts make them, and are keyed.

In a 3D view the artist watches, pauses and goes back; without one, or from Adjust Last Operation, it runs to
its last frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import bpy
from bpy.props import IntProperty
from bpy.types import Context, Event

from ...core.errors import PhysPlaceError
from ...core.jobs import Job, finished
from ...scene.access import scene_of
from ...scene.dynamics.preview import MotionPreview
from ...scene.dynamics.reading import read_dynamics
from ..common import Conclusion, cursor_progress
from ..driven_job import in_a_line
from ..input_events import MOVES, EventResult, InputEvent, is_escape
from ..keys.key_hints import KeyHint
from ..keys.keymaps import SIMULATING
from ..modal import ModalOperator
from ..placing.manipulation.transform_input import ACCEPTS, TRANSFORM_HINTS, TransformInput
from ..sliced import shown_at_cursor
from ..view import View
from .run import SimulationRun
from .session import SimulationSession

HOLDING: Final = frozenset({"PULL", "MOVE", "TURN"})  # the mouse may hold something then


class PHYSPLACE_OT_simulate(ModalOperator):
    """Let the selected objects move in time, and key their motion."""

    session: SimulationSession
    keymap = SIMULATING

    bl_idname = "physplace.simulate"
    bl_label = "Simulate"
    bl_description = (
        "Let the selected objects fall, collide, slide and roll from the present frame on, and key their "
        "motion. Rigid body settings and constraints count; what is animated pushes, all else stands still"
    )

    if TYPE_CHECKING:
        frames: int
    else:
        frames: IntProperty(
            name="Frames",
            description="How many frames are simulated after the present one; 0 for all to the scene's end",
            default=0,
            min=0,
            soft_max=1000,
        )

    def work(self, context: Context) -> Conclusion:
        """Run to the last frame, and key the motion."""
        with cursor_progress() as progress:
            return finished(shown_at_cursor(self._job_to_the_end(context), progress))

    def _job_to_the_end(self, context: Context) -> Job[Conclusion]:
        scenario = yield from read_dynamics(context, self._frames_left(context))
        MotionPreview(context, scenario.subjects).check_writable(context)
        run = SimulationRun(scenario)
        yield from run.running()
        return run.write(context)

    def _frames_left(self, context: Context) -> int:
        """Return how many frames are simulated. Raises PhysPlaceError for none."""
        scene = scene_of(context)
        frames = self.frames or scene.frame_end - scene.frame_current
        if frames <= 0:
            raise PhysPlaceError(
                f"the present frame {scene.frame_current} is not before the scene's last frame "
                f"{scene.frame_end}: go to an earlier frame, or set a number of frames"
            )
        return frames

    def beginning(self, context: Context, view: View, event: Event) -> Job[Conclusion | None]:
        """Read the scene and begin."""
        self._message = ""
        self._button = ""
        self.session = yield from SimulationSession.beginning(context, self._frames_left(context))
        return None

    def tick(self, context: Context, view: View, seconds: float) -> None:
        """Step, and show the last frame; wait once something else has changed the scene."""
        steps = self.session.tick(seconds)
        difference = self.session.difference(context, is_next=steps)
        if difference is not None:
            self.session.pause()
            self._message = f"{difference}; paused: going on takes it into account"
        if steps:
            self.session.show_next(context)
            self.drawing.show(self.session.marks())

    def job_ended(self, context: Context, view: View) -> None:
        """Show what it goes on with."""
        self._show(context)

    def job_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Say why it cannot go on; it waits, for the artist to put that right."""
        self.session.pause()
        self._message = str(error)

    def confirm_failed(self, context: Context, error: PhysPlaceError) -> None:
        """Say why it cannot be keyed; it waits, so that no frame is lost."""
        self.job_failed(context, error)
        self._show(context)

    @property
    def holds(self) -> bool:
        """Whether the mouse pulls or moves something: it may then go anywhere."""
        held = self.session.pulled, self.session.transform
        return any(each is not None for each in held)

    def begins_to_hold(self, context: Context, event: InputEvent) -> bool:
        """Return whether an event takes an object or a point of it with the mouse."""
        return SIMULATING.action_of(context, event) in HOLDING

    def handle_event(self, context: Context, view: View, event: InputEvent) -> EventResult:
        """Handle the keys and the mouse."""
        if event.value == "PRESS":
            self._message = ""
        if event.type in MOVES:
            self.session.follow(view, view.mouse(event))
            if self.holds:
                self._show(context)
            return EventResult.HANDLED
        try:
            if self.session.transform is not None:
                return self._handle_transform(context, view, event, self.session.transform)
            if self.session.pulled is not None and self._lets_go(event):
                self.session.release()
                self._show(context)
                return EventResult.HANDLED
            return self._handle_key(context, view, event)
        except PhysPlaceError as error:
            self._message = str(error)
            return EventResult.HANDLED

    def _lets_go(self, event: InputEvent) -> bool:
        released: bool = event.type == self._button and event.value == "RELEASE"
        return released or is_escape(event)

    def _handle_transform(
        self, context: Context, view: View, event: InputEvent, transform: TransformInput
    ) -> EventResult:
        if transform.accepts(event):
            self.session.type(view, event)
        elif event.value == "PRESS" and event.type in ACCEPTS:
            self.session.end_transform(keep=True)
        elif is_escape(event):
            self.session.end_transform(keep=False)
        self._show(context)
        return EventResult.HANDLED

    def _handle_key(self, context: Context, view: View, event: InputEvent) -> EventResult:
        action, session = SIMULATING.action_of(context, event), self.session
        if action == "CONFIRM":
            return EventResult.CONFIRM
        if action == "CANCEL":
            return EventResult.CANCEL
        does: dict[str, Callable[[], object]] = {
            "PAUSE": lambda: self._pause_or_go_on(context),
            "BACK": lambda: session.scrub(-1),
            "FORTH": lambda: session.scrub(1),
            "FAR_BACK": lambda: session.scrub(-10),
            "FAR_FORTH": lambda: session.scrub(10),
            "PULL": lambda: self._pull(context, view, event),
            "MOVE": lambda: session.begin_transform(context, view, view.mouse(event), turns=False),
            "TURN": lambda: session.begin_transform(context, view, view.mouse(event), turns=True),
        }
        if action in does:
            does[action]()
            if not self.is_busy:
                self._show(context)
        return EventResult.HANDLED

    def _pause_or_go_on(self, context: Context) -> None:
        if self.session.paused:
            self.run_job(self.session.going_on(context))
        else:
            self.session.pause()

    def _pull(self, context: Context, view: View, event: InputEvent) -> None:
        """Pull what is under the mouse; if it waits, it goes on for as long as that is held."""
        if self.session.take_point(context, view, event):
            self._button = event.type
            if self.session.paused:
                self.run_job(self.session.going_on(context))

    def confirm(self, context: Context) -> Conclusion:
        """Key all frames that were simulated; repeated, it simulates as many.

        Where the scene was changed meanwhile, undo leaves it as it was changed, without the keys: that is an
        undo step of its own, which is made only where nothing fails after it.
        """
        if self.session.has_changed:
            self.session.check_keyable(context)
            bpy.ops.ed.undo_push(message="Change Scene")
        conclusion = self.session.write(context)
        self.frames = max(len(self.session.run.frames) - 1, 1)
        return conclusion

    def end_reason(self, context: Context) -> str | None:
        """Return why it is pointless to go on; None if it is not."""
        is_on_its_frame = not self._is_ready or self.session.is_on_its_frame(context)
        return super().end_reason(context) or (None if is_on_its_frame else "the frame was changed")

    def header(self) -> str:
        """Return the last message, or else the figures of the frame that is shown, with a bar."""
        return self._message or in_a_line(self.bl_label, self.session.progress())

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys, as the artist has set them."""
        if self.session.transform is not None:
            return TRANSFORM_HINTS
        if self.session.pulled is not None:
            return (KeyHint("let go", "Release"),)
        return SIMULATING.hints(bpy.context)

    def _show(self, context: Context) -> None:
        self.session.show(context)
        self.drawing.show(self.session.marks())
