"""Three ways to move a linkage (Choi and Cremer 1999, section 3): drag, pull along a path, solve for goals.

Each is a solver with the face of `core.solver`.  They differ in where their goals come from, and how far a
step may go:

    drag    goals follow the cursor; no point moves farther in a tick than three times what the goals have
            moved, or, while they stand still, than what brings the figure after them
    pull    goals of a path at evenly spaced places, one a frame, each reached before the next
    solve   goals far away, which steps of a tenth of the figure lead to

All of them end where Newton's method has nothing left to do: where the goals are met, or as near as joints,
their limits and what is in the way allow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Floats
from ..contact.system import ContactSystem
from .contact.clearances import ContactClearances, Sleepers, search_lengths
from .contact.local_world import with_room
from .contact.obstacles import NoClearances, ValidT
from .goals import AnyGoal
from .scene import LinkageScene
from .state import LinkageState, LinkageStatus, Tick, state_of
from .tracking import Tracking

_STEP = 0.1  # of a goal in a step, over L or radians
_FASTER = 3.0  # speed of any point, over that of the goals
_CATCHING_UP = 0.05  # length, over L, that a point may move in a tick while the goals stand still
_SOLVING = 0.3  # the same of a step to a goal far away
_PRECISELY = 1e-9  # length of the last step of Newton's method, over L, of a figure that comes to rest
_ROUGHLY, _SHARE = 1e-5, 0.01  # the same of a drag that goes on: at least, and over the tick's motion
_CREEPING = 2e-4  # motion of a tick, over L, that is slow
_SLOW_TICKS = 8  # slow ticks after which a figure that is squeezed has come to rest
_MET = 1e-6  # error of a goal, over L or in radians, that is met
_NEARLY_MET = 1e-5  # the same of one that is stopped
_STILL = 1e-8  # motion, over L, of a tick that has ended
_MOST_TICKS = 60  # of a place on a path
_IDLE_TICKS = 3  # that led nowhere, after which the figure is blocked


class _Posing:
    """What the three have in common: a state, its status, and the next tick."""

    def __init__(self, scene: LinkageScene, state: LinkageState, goals: Sequence[AnyGoal]) -> None:
        self._scene, self._state = scene, state
        near = scene.equations.coordinates(state.configuration, self._known(scene, state))
        self._tracking = Tracking(scene.equations, state.configuration, near)
        self._status = LinkageStatus.RUNNING
        self._idle = self._slow = 0
        system = scene.start.system
        never_meeting = frozenset() if system is None else system.never_meeting
        self._sleepers = Sleepers.of(len(scene.linkage), never_meeting)
        self._tick: Tick[Any] | None = None
        self._follow(goals)

    @staticmethod
    def _known(scene: LinkageScene, state: LinkageState) -> Floats:
        equations = scene.equations
        return state.joint_coordinates[equations.numbers] / equations.joints.units

    @property
    def status(self) -> LinkageStatus:
        """Running, or how it ended."""
        return self._status

    @property
    def state(self) -> LinkageState:
        """The last state."""
        return self._state

    def stop(self, *, moves: bool = False) -> None:
        """End where it is, if it is on its way, and say why.

        moves: whether it still moves so far that it can be seen; it has then ended only if its goals are met.
        """
        if self._status.is_running and self._tick is not None:
            verdict = self._verdict(self._tick, _NEARLY_MET)
            self._status = self._status if moves and verdict is not LinkageStatus.REACHED else verdict

    def _follow(self, goals: Sequence[AnyGoal]) -> float:
        """Take other goals, and return how far they lead, over L or in radians."""
        led = self._tracking.follow(goals)
        if led > 0.0:
            equations = self._tracking.equations
            values = equations.rows(self._state.configuration).value
            self._state = replace(self._state, goal_errors=equations.goal_errors(values))
        return led

    def _settle(self) -> None:
        """Make ticks until nothing moves any more."""
        self._status, self._idle, self._slow = LinkageStatus.RUNNING, 0, 0
        for _ in range(_MOST_TICKS):
            self._ticked(_STEP, _SOLVING)
            if not self._status.is_running:
                break

    def _ticked(self, step: float, speed: float, enough: float = _PRECISELY) -> None:
        tracking, scene, state = self._tracking, self._scene, self._state
        if state.system is None:
            self._take(tracking.tick(state.configuration, NoClearances(), step, speed, enough), None)
            return
        reach = max(speed * scene.groups.length, 4.0 * scene.kept)
        near = search_lengths(state.system, scene.kept)
        system = with_room(state.system, reach + float(near.max()))
        if system is not state.system:
            state = self._state = replace(state, system=system)
            self._sleepers = Sleepers.of(len(scene.linkage), system.never_meeting)
        clearances = ContactClearances(
            scene.groups, state.configuration, system, scene.kept, reach, self._sleepers
        )
        tick = tracking.tick(state.configuration, clearances, step, speed, enough)
        self._take(tick, tick.valid)

    def _take(self, tick: Tick[ValidT], system: ContactSystem | None) -> None:
        """Go on with what a tick led to."""
        tracking, self._tick = self._tracking, tick
        if tick.valid is None:
            self._idle += 1
            self._status = LinkageStatus.BLOCKED if self._idle >= _IDLE_TICKS else LinkageStatus.RUNNING
            return
        self._idle = 0
        self._state = state_of(
            tracking.equations,
            tick.solution.iterate.configuration,
            system,
            self._scene.kept,
            tick.solution.rows,
            tracking.coordinates,
        )
        self._status = self._judged(tick)

    def _judged(self, tick: Tick[ValidT]) -> LinkageStatus:
        self._slow = self._slow + 1 if tick.length <= _CREEPING else 0
        if self._slow < _SLOW_TICKS and (tick.share < 1.0 or tick.length > _STILL):
            return LinkageStatus.RUNNING
        return self._verdict(tick, _MET)

    def _verdict(self, tick: Tick[ValidT], met: float) -> LinkageStatus:
        """Return how it has ended with a tick.

        met: error of a goal, over L or in radians, that is met.
        """
        if (self._state.goal_errors <= met * self._units()).all():
            return LinkageStatus.REACHED
        if tick.valid is None or tick.solution.clearances:
            return LinkageStatus.BLOCKED
        return LinkageStatus.AT_LIMIT if tick.solution.limits else LinkageStatus.UNREACHABLE

    @property
    def explanation(self) -> str:
        """The status as a sentence, with the names of the goals' parts that are not met."""
        goals = self._tracking.equations.goals
        units = self._units()
        names = self._scene.linkage.names
        unmet = [
            f'"{names[goal.part]}"'
            for goal, error, unit in zip(goals, self._state.goal_errors, units, strict=True)
            if error > _MET * unit
        ]
        if self._status in {LinkageStatus.RUNNING, LinkageStatus.REACHED} or not unmet:
            return self._status.message
        return f"{self._status.message} ({', '.join(dict.fromkeys(unmet))})"

    def _units(self) -> Floats:
        length = self._scene.groups.length
        return np.array([1.0 if goal.is_turn else length for goal in self._tracking.equations.goals])


class LinkageDrag(_Posing):
    """Drags a linkage: its goals follow a cursor, tick by tick.

    The motion is the least one from the state that it begins with, so that a drag out and back returns.

    Args:
        scene: the linkage among fixed bodies.
        state: where the drag begins.
        goals: where what is grabbed is now, and what is pinned.
    """

    def __init__(self, scene: LinkageScene, state: LinkageState, goals: Sequence[AnyGoal]) -> None:
        super().__init__(scene, state, goals)
        self._moved = 0.0

    def move_to(self, goals: Sequence[AnyGoal]) -> None:
        """Take other goals, the same in other places, or others."""
        led = self._follow(goals)
        self._moved += led if np.isfinite(led) else 0.0
        if led > 0.0:
            self._status, self._idle, self._slow = LinkageStatus.RUNNING, 0, 0

    def regrab(self) -> None:
        """Make the present pose the one from which the motion is least."""
        self._tracking.regrab(self._state.configuration)
        self._status = LinkageStatus.RUNNING

    def step(self) -> LinkageState:
        """Make one tick towards the goals, and return where it led."""
        if self._status.is_running:
            speed = _FASTER * self._moved if self._moved > 0.0 else _CATCHING_UP
            enough = _PRECISELY if self._moved == 0.0 else max(_ROUGHLY, _SHARE * speed)
            self._ticked(_STEP, speed, enough)
            self._moved = 0.0
        return self._state


class LinkagePull(_Posing):
    """Pulls a linkage along a path: goals at evenly spaced places of it, each reached before the next.

    Args:
        scene: the linkage among fixed bodies.
        state: where the pull begins.
        path: the goals at tau in [0, 1].
        frames: the number of places; each is a step.
    """

    def __init__(
        self,
        scene: LinkageScene,
        state: LinkageState,
        path: Callable[[float], Sequence[AnyGoal]],
        frames: int,
    ) -> None:
        super().__init__(scene, state, path(0.0))
        self._path, self._frames, self._frame = path, max(frames, 1), 0

    @property
    def frame(self) -> int:
        """The number of places that have been reached."""
        return self._frame

    def step(self) -> LinkageState:
        """Go on to the next place, or as near as possible, and return the state there."""
        if self._status.is_running:
            self._frame += 1
            self._follow(self._path(self._frame / self._frames))
            self._settle()
            if self._frame < self._frames:
                self._status = LinkageStatus.RUNNING
        return self._state


class LinkageSolve(_Posing):
    """Solves for goals, however far away: each step goes a part of the way to them.

    Args:
        scene: the linkage among fixed bodies.
        state: where it begins.
        goals: that are to be met.
    """

    def step(self) -> LinkageState:
        """Make one step towards the goals, and return where it led."""
        if self._status.is_running:
            self._ticked(_STEP, _SOLVING)
        return self._state
