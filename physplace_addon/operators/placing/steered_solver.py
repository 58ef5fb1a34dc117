# SPDX-License-Identifier: GPL-3.0-or-later
"""A placement's solver that an artist steers: it steps, pauses, goes back, is pulled and moved by hand.

Nothing here knows of events, timers or views, so it runs the same without a window. Every change goes on from
the state that is shown; later states are given up only when something new begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ...core.arrays import Floats
from ...core.contact.system import BilateralContacts
from ...core.placement import Force, Manipulation, Placement, Settings, State, Status
from ...core.rigid import Pose
from ...scene.reading.scenario import Scenario
from ..session import History, Pacing
from .run import PlacementRun

SLOW: Final = 0.5  # seconds of a step from which on the header shows how long a step takes
DEFAULT_FRICTION: Final = 0.4  # wood on wood: the coefficient that F switches on where the settings have 0


class SteeredSolver:
    """A placement run under the artist's hands: paced, paused, and branched from any of its states."""

    def __init__(self, run: PlacementRun) -> None:
        self.run = run
        self.paused = False
        self.pacing = Pacing()
        self.history: History[State] = History(run.solver.states)

    @property
    def solver(self) -> Placement:
        """The solver of the run."""
        return self.run.solver

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self.history.state

    @property
    def is_running(self) -> bool:
        """Whether it steps as time passes."""
        return not self.paused and self.solver.status is Status.RUNNING

    @property
    def is_slow(self) -> bool:
        """Whether it is running in steps that each take long."""
        return self.is_running and self.pacing.step_seconds > SLOW

    def advance(self, seconds: float) -> bool:
        """Step for so many seconds, on the average; return whether anything changed."""
        if not self.pacing.work(self._step, seconds):
            return False
        self.history.show_latest()
        return True

    def _step(self) -> bool:
        runs = self.is_running and not self.run.is_near_unread
        if runs:
            self.solver.step()
        return runs

    def toggle_pause(self) -> None:
        """Pause, or go on from the state that is shown."""
        if self.paused:
            self.drop_later_states()
        self.paused = not self.paused

    def scrub(self, by: int) -> None:
        """Pause and show an earlier or later state, as far as there is one."""
        self.paused = True
        self.history.scrub(by)

    def toggle_energy(self) -> None:
        """Check energies from here on, or no more."""
        settings = self.solver.settings
        self._go_on(replace(settings, check_energy=not settings.check_energy))

    def toggle_friction(self, usual: float) -> None:
        """Let friction act from here on, with the usual coefficient or else the default; or no more."""
        settings = self.solver.settings
        friction = 0.0 if settings.friction > 0.0 else usual or DEFAULT_FRICTION
        self._go_on(replace(settings, friction=friction))

    def leave_metastable(self) -> None:
        """Leave an unstable rest by a nudge."""
        self._go_on(replace(self.solver.settings, leave_metastable=True))

    def apply_forces(self, forces: Sequence[Force], check_energy: bool) -> None:
        """Let forces, and no others but gravity, act from the state that is shown on."""
        self._go_on(replace(self.solver.settings, check_energy=check_energy), forces)

    def set_bilateral(self, contacts: BilateralContacts) -> None:
        """Let contacts, and no others, stick from the state that is shown on; a pause stays."""
        self._branch(bilateral=contacts)

    def drag(
        self, target: Pose, body: int, pivot: Floats | None, axes: Floats | None, seconds: float
    ) -> bool:
        """Move a body by hand towards a pose for so many seconds, sliding along what it touches.

        Args:
            target: the pose, in the world.
            body: the number of the body.
            pivot: the point (3,) that it is turned about; None to move it.
            axes: the only directions (k, 3) that it may move along, or turn about; None for all.
            seconds: the time budget of a tick.

        Returns:
            Whether it is still on its way there.
        """

        def step() -> bool:
            self.drop_later_states()
            manipulation = Manipulation(self.solver, target, body, pivot, axes)
            manipulation.step()
            self.history.show_latest(begins=True)
            return manipulation.status.is_running

        return self.pacing.work(step, seconds, overruns=False) != 0

    def start_again(self, begin: Callable[[], PlacementRun]) -> None:
        """Begin anew, from poses that the solver did not reach by itself."""
        earlier_steps = self.run.earlier_steps + self.solver.steps
        self._replace_run(replace(begin(), earlier_steps=earlier_steps))

    def go_on_in(self, scenario: Scenario) -> None:
        """Go on, from the state that is shown, among what was read anew."""
        self.drop_later_states()
        began = self.history.began
        self.run.go_on_in(scenario)
        self.history = History(self.solver.states)
        self.history.began = began

    def drop_later_states(self) -> None:
        """Give up the states later than that shown, if there are any."""
        if not self.history.is_latest:
            self._branch()

    def _go_on(self, settings: Settings, forces: Sequence[Force] | None = None) -> None:
        """Go on from the state that is shown with other settings or forces."""
        self._branch(settings, forces)
        self.paused = False

    def _branch(
        self,
        settings: Settings | None = None,
        forces: Sequence[Force] | None = None,
        bilateral: BilateralContacts | None = None,
    ) -> None:
        self._replace_run(self.run.branched(self.history.shown, settings, forces, bilateral))

    def _replace_run(self, run: PlacementRun) -> None:
        self.run = run
        self.history = History(run.solver.states)
