# SPDX-License-Identifier: GPL-3.0-or-later
"""A placement that an artist watches and steers: it steps, pauses, goes back, is pulled and moved by hand.

Nothing here knows of events, timers or views, so it runs the same without a window. Every change goes on from
the state that is shown; later states are given up only when something new begins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...core.arrays import Floats
from ...core.placement import Force, Placement, Settings, State, Status
from ...core.rigid import Pose
from .run import Session

MOST_TICKS = 3.0  # of work that a step can owe the view, however long it took
PATIENCE = 1.0  # ticks of work that may be owed before the view is left alone
REST = 1.0 / 3.0  # of a tick, in which the view is left alone, that pays for one of work
SLOW = 0.5  # seconds of a step from which on the artist is told how long it takes
SOME_FRICTION = 0.4  # wood on wood: what switching friction on means where the settings have none


class Placing:
    """A session under way, and which of its states is shown."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.paused = False
        self.step_seconds = 0.0
        self._owed = 0.0  # ticks of work that the view has not had yet
        self._pays = False
        self._asked = time.perf_counter()
        self._shown = len(session.solver.states) - 1
        self._began = self._shown

    @property
    def solver(self) -> Placement:
        """What steps."""
        return self.session.solver

    @property
    def shown(self) -> int:
        """The number of the state that is shown."""
        return self._shown

    @property
    def began(self) -> int:
        """The number of the state from which it has run by itself, in the way it does now."""
        return self._began

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self.solver.states[self._shown]

    @property
    def is_last(self) -> bool:
        """Whether the newest state is shown."""
        return self._shown == len(self.solver.states) - 1

    @property
    def is_running(self) -> bool:
        """Whether time makes a difference."""
        return not self.paused and self.solver.status is Status.RUNNING

    @property
    def is_slow(self) -> bool:
        """Whether it runs in steps that each take long."""
        return self.is_running and self.step_seconds > SLOW

    def advance(self, seconds: float) -> bool:
        """Step for so long, on the whole; tell whether anything changed."""
        if not self._may_work(seconds) or not self.is_running:
            return False
        begin, now = time.thread_time(), time.perf_counter()
        end = now + seconds
        while self.is_running:
            self.solver.step()
            before, now = now, time.perf_counter()
            self.step_seconds = now - before
            if now >= end:
                break
        self._owe(time.thread_time() - begin, seconds)
        self._shown = len(self.solver.states) - 1
        return True

    def toggle_pause(self) -> None:
        """Pause, or go on from the state that is shown."""
        if self.paused and not self.is_last:
            self._branch()
        self.paused = not self.paused

    def scrub(self, by: int) -> None:
        """Pause and show an earlier or later state, as far as there is one."""
        self.paused = True
        self._shown = min(max(self._shown + by, 0), len(self.solver.states) - 1)

    def toggle_energy(self) -> None:
        """Check energies from here on, or no more."""
        settings = self.solver.settings
        self._go_on(replace(settings, check_energy=not settings.check_energy))

    def toggle_friction(self, usual: float) -> None:
        """Let friction act from here on, the usual one or some, or none."""
        settings = self.solver.settings
        self._go_on(replace(settings, friction=0.0 if settings.friction > 0.0 else usual or SOME_FRICTION))

    def leave_metastable(self) -> None:
        """Leave an unstable rest by a nudge."""
        self._go_on(replace(self.solver.settings, leave_metastable=True))

    def act(self, forces: Sequence[Force], check_energy: bool) -> None:
        """Let forces act from the state that is shown on, and no others but gravity."""
        self._go_on(replace(self.solver.settings, check_energy=check_energy), forces)

    def drag(
        self, target: Pose, body: int, pivot: Floats | None, axes: Floats | None, seconds: float
    ) -> bool:
        """Move a body by hand towards a pose for so long, sliding along what it touches; tell whether it is
        under way.

        No further step begins that would last longer than the tick: one in each is smoother than two in some.
        """
        if not self._may_work(seconds):
            return True
        self.cut()
        begin, now = time.thread_time(), time.perf_counter()
        end, moved = now + seconds, False
        while self.solver.drag(target, body, pivot, axes):
            moved, before, now = True, now, time.perf_counter()
            if now + (now - before) > end:
                break
        self._owe(time.thread_time() - begin, seconds)
        self._shown = self._began = len(self.solver.states) - 1
        return moved

    def start_again(self, begin: Callable[[], Session]) -> None:
        """Begin anew, from poses that the solver did not reach by itself."""
        earlier = self.session.earlier + self.solver.steps
        self.session = replace(begin(), earlier=earlier)
        self._shown = self._began = len(self.solver.states) - 1

    def cut(self) -> None:
        """Give up the states later than that shown, if there are any."""
        if not self.is_last:
            self._branch()

    def _may_work(self, seconds: float) -> bool:
        """Whether the view has had its part, where more than so many seconds a tick were worked.

        Each tick pays for one of work, if it took long enough for Blender to draw and listen; where nothing
        is drawn it is over at once. What is owed is paid all at once: in less time it would do neither.
        """
        now = time.perf_counter()
        passed, self._asked = now - self._asked, now
        self._owed = max(self._owed - min(passed / (REST * seconds), 1.0), 0.0)
        self._pays = self._owed > (0.0 if self._pays else PATIENCE)
        return not self._pays

    def _owe(self, worked: float, seconds: float) -> None:
        self._owed = min(self._owed + worked / seconds, MOST_TICKS)

    def _go_on(self, settings: Settings, forces: Sequence[Force] | None = None) -> None:
        """Go on from the state that is shown in another way."""
        self._branch(settings, forces)
        self.paused = False

    def _branch(self, settings: Settings | None = None, forces: Sequence[Force] | None = None) -> None:
        before = self.solver
        solver = before.branch(self._shown, settings, forces)
        self.session = replace(self.session, solver=solver, earlier=self.session.earlier + before.steps)
        self._shown = self._began = len(solver.states) - 1
