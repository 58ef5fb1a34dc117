# SPDX-License-Identifier: GPL-3.0-or-later
"""The interactive session of a simulation: shown as it goes, paused, scrubbed, taken up from any frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import Context

from ...core.dynamics.simulation import SimulationState
from ...core.jobs import Progress
from ...core.wording import counted
from ...overlay.marks import Marks
from ...scene.dynamics.preview import MotionPreview
from ...scene.dynamics.reading import DynamicScenario
from ..common import Conclusion
from ..session import History, InteractiveSession, Pacing
from .run import SimulationRun


class SimulationSession(InteractiveSession):
    """A simulation under the artist's eyes.

    run: what is simulated. history: its states on whole frames, and which one is shown. paused: whether it
    waits.
    """

    def __init__(self, context: Context, scenario: DynamicScenario) -> None:
        self._preview = MotionPreview(context, scenario.subjects)
        self._preview.check_writable(context)
        self.run = SimulationRun(scenario)
        self.history: History[SimulationState] = History(self.run.frames)
        self.paused = False
        self._pacing = Pacing()

    def tick(self, seconds: float) -> bool:
        """Work for so many seconds; return whether there is a new frame to show."""
        before = len(self.run.frames)
        if self._pacing.work(self._step, seconds) and len(self.run.frames) > before:
            self.history.show_latest()
            return True
        return False

    def _step(self) -> bool:
        runs = not self.paused and self.run.is_running
        if runs:
            self.run.step()
        return runs

    def toggle_pause(self) -> None:
        """Pause, or go on from the frame that is shown; later ones are given up then."""
        if self.paused:
            self.run.go_on_from(self.history.shown)
        self.paused = not self.paused

    def scrub(self, by: int) -> None:
        """Pause and show an earlier or later frame, as far as there is one."""
        self.paused = True
        self.history.scrub(by)

    @property
    def frame(self) -> int:
        """The frame that is shown."""
        return self.run.scenario.first_frame + self.history.shown

    def show(self, context: Context) -> None:
        """Show the objects on the frame."""
        poses = self.run.scenario.poses(self.history.state.motion)
        self._preview.show(context, self.frame, poses)

    def marks(self) -> Marks:
        """Return what is drawn: the contacts that press."""
        touching = self.history.state.touching
        places = touching.place[touching.active]
        return replace(
            Marks.none(),
            contacts=places,
            normals=np.zeros_like(places),
            forces=np.zeros(len(places)),
            bilateral=np.zeros(len(places), dtype=bool),
        )

    def is_on_its_frame(self, context: Context) -> bool:
        """Return whether nobody else has changed the frame."""
        return self._preview.is_on_its_frame(context)

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown."""
        return self._preview.is_undisturbed

    @property
    def part_done(self) -> float | None:
        """The part of the frames that is done, while it runs."""
        return self.run.part_done if self.run.is_running and not self.paused else None

    def show_again(self, context: Context) -> None:
        """Show the frame again, after it was put back."""
        self.show(context)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        self._preview.restore(context)

    def write(self, context: Context) -> Conclusion:
        """Key all frames so far. Raises SceneError, with everything put back."""
        self.put_back(context)
        return self.run.write(context)

    def progress(self) -> Progress:
        """Return the figures of the frame that is shown, and the part of the frames that is done."""
        run, state = self.run, self.history.state
        parts = [f"{'paused, ' if self.paused else ''}{self._status()}"]
        parts.append(f"frame {self.frame} of {run.scenario.last_frame}, {state.time:.2f} s")
        parts.append(counted(int(state.touching.active.sum()), "contact"))
        parts.append(f"energy {state.energy:.4g}")
        asleep, free = int(state.sleep.asleep.sum()), len(run.scenario.subjects)
        parts += [f"{asleep} of {free} asleep"] if asleep else []
        return Progress("   |   ".join(parts), run.part_done)

    def figures(self) -> str:
        """Return the figures of the frame that is shown, in one line."""
        return self.progress().words

    def _status(self) -> str:
        if self.run.is_running or not self.history.is_latest:
            return "it moves"
        return "all frames are done" if self.run.status.is_running else self.run.status.message
