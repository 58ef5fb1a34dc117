"""Handing over: a simulation that has almost come to rest is ended by placement, at a proven rest.

What still hardly moves is first slowed to rest on its own way: the simulation goes on for a time T, and is
shown in twice that time, at a rate that falls evenly from 1 to 0; after u seconds its time has gone on by
u - u^2 / (4 T).  Then placement takes each island from where it is to a rest: the gaps that contacts kept
are closed, and the way through its states is gone so slowly that it is not seen.  So speeds have no jump,
and nothing overlaps on the way.  Islands that placement finds no rest for near enough stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import Final

import numpy as np

from ..arrays import Ints
from ..dynamics.events import Touching
from ..dynamics.motion import Motion
from ..dynamics.simulation import Simulation
from ..dynamics.state import SimulationState
from ..mechanics.inertia import Inertia
from ..vectors import length
from .placed_islands import IslandPlacement, ProvenRest, islands_of
from .readiness import Readiness

SLOWED: Final = 0.25  # T, s
NO_ROOM: Final = "too little time is left for the way to it"
MOVES_ON: Final = "it does not slow down"
NO_WEIGHT: Final = "nothing pulls it to a rest: there is no gravity"


class HandoverStatus(Enum):
    """How a handover stands."""

    RUNNING = "placement looks for a rest"
    PROVEN = "at rest, proven"
    PARTLY_PROVEN = "at rest, proven of some"
    REFUSED = "no rest is proven"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        return self is HandoverStatus.RUNNING


@dataclass(frozen=True)
class Refused:
    """Bodies, by number, without a proven rest, and why."""

    bodies: tuple[int, ...]
    reason: str


class Handover:
    """Ends a simulation at a proven rest, in steps.

    Attributes:
        status: RUNNING, or how it ended.
        states: those that follow the simulation's last one at equal times, the proven rest last; none where
            it is refused.  The simulation itself is then as it was before.
        rests: what was proven.
        refused: what was not.
    """

    def __init__(self, simulation: Simulation, interval: float, most: int) -> None:
        """Begin to end a simulation where it is.

        Args:
            simulation: it has come to rest, or almost (`Readiness`).
            interval: the time from one state to the next, s.
            most: how many states there is room for.
        """
        self.status = HandoverStatus.RUNNING
        self.states: list[SimulationState] = []
        self.rests: tuple[ProvenRest, ...] = ()
        self.refused: tuple[Refused, ...] = ()
        self._simulation, self._interval, self._most = simulation, interval, most
        self._start = simulation.state
        self._gravity = float(length(simulation.scene.gravity[None])[0])
        moves = not (self._start.sleep.asleep | simulation.scene.given).all()
        self._slowed = int(np.ceil(2.0 * SLOWED / interval)) if moves else 0
        self._placements: list[IslandPlacement] | None = None
        if self._gravity == 0.0:
            self._refuse_all(NO_WEIGHT)
        elif self._slowed + 1 > most:
            self._refuse_all(NO_ROOM)

    @property
    def state(self) -> SimulationState:
        """The last state."""
        return self.states[-1] if self.states else self._start

    def step(self) -> SimulationState:
        """Slow down to the next state, or make a step of a placement; at last, put their ways together."""
        if self.status is not HandoverStatus.RUNNING:
            return self.state
        if len(self.states) < self._slowed:
            self._slow_down()
            return self.state
        if self._placements is None:
            self._placements = self._begun()
        running = next((each for each in self._placements if each.is_running), None)
        if running is not None:
            running.step()
        else:
            self._finish(self._placements)
        return self.state

    def run(self) -> HandoverStatus:
        """Step to the end."""
        while self.status is HandoverStatus.RUNNING:
            self.step()
        return self.status

    def _slow_down(self) -> None:
        simulation, start = self._simulation, self._start
        after = (len(self.states) + 1) * self._interval
        whole = self._slowed * self._interval
        state = simulation.run(start.time + after - 0.5 * after**2 / whole)
        if not Readiness(simulation.scene).hardly_moves(state):
            self._refuse_all(MOVES_ON)
            return
        rate = 1.0 - after / whole
        motion = replace(state.motion, rates=rate * state.motion.rates)
        self.states.append(replace(state, time=start.time + after, motion=motion, history=None))

    def _begun(self) -> list[IslandPlacement]:
        scene, motion = self._simulation.scene, self.state.motion
        asleep = self._start.sleep.asleep
        return [
            IslandPlacement(scene, motion, bodies, at_rest=bool(asleep[bodies].all()))
            for bodies in islands_of(scene, motion)
        ]

    def _finish(self, placements: Sequence[IslandPlacement]) -> None:
        found = [each.rest() for each in placements]
        rests = tuple(rest for rest in found if rest is not None)
        seconds = max((rest.path.seconds(self._gravity) for rest in rests), default=0.0)
        count = max(int(np.ceil(seconds / self._interval)), 1)
        if len(self.states) + count > self._most:
            self._refuse_all(NO_ROOM)
            return
        refused = [each for each in placements if each.refusal is not None]
        if not rests or (self._slowed and refused):
            self._refuse(refused)
            return
        self.rests = rests
        self.refused = tuple(_refused(each.bodies, each.refusal) for each in refused)
        self.states += self._way(rests, count)
        self.status = HandoverStatus.PARTLY_PROVEN if refused else HandoverStatus.PROVEN

    def _way(self, rests: Sequence[ProvenRest], count: int) -> list[SimulationState]:
        """Return so many states on the way of all islands at once, the rest last."""
        before, scene = self.state, self._simulation.scene
        still = replace(before.motion, rates=np.zeros_like(before.motion.rates))
        motions = [still]
        for number in range(1, count + 1):
            motion = still.copy()
            for rest in rests:
                motion.put(rest.bodies, rest.path.at(number / count))
            motions.append(motion)
        touching = self._touching(before, rests)
        return [
            replace(
                before,
                time=before.time + number * self._interval,
                motion=moving,
                touching=touching if number == count else before.touching,
                events=(),
                energy=scene.energy(moving, before.coordinates),
                history=None,
            )
            for number, moving in enumerate(_with_rates(scene.inertia, motions, self._interval), 1)
        ]

    def _touching(self, before: SimulationState, rests: Sequence[ProvenRest]) -> Touching:
        """Return the contacts at the end: those of the rests, and of other bodies those before."""
        bodies = np.concatenate([rest.bodies for rest in rests])
        others = np.flatnonzero(~np.isin(before.touching.keys[:, :2], bodies).any(axis=1))
        return Touching.join([before.touching.take(others), *(rest.touching for rest in rests)])

    def _refuse(self, placements: Sequence[IslandPlacement]) -> None:
        self.refused = tuple(_refused(each.bodies, each.refusal) for each in placements)
        self._put_back()

    def _refuse_all(self, reason: str) -> None:
        free = np.flatnonzero(~self._simulation.scene.given)
        self.refused = (_refused(free, reason),)
        self._put_back()

    def _put_back(self) -> None:
        self.status = HandoverStatus.REFUSED
        self.states.clear()
        if self._simulation.state is not self._start:
            self._simulation.go_on_from(self._start)


def _with_rates(inertia: Inertia, motions: Sequence[Motion], interval: float) -> list[Motion]:
    """Return all but the first of motions, with the rates of central differences; the last one is at rest."""
    between = [one.twists_to(inertia, two) / interval for one, two in pairwise(motions)]
    after = [*between[1:], -between[-1]]
    return [
        replace(motion, rates=0.5 * (one + two))
        for motion, one, two in zip(motions[1:], between, after, strict=True)
    ]


def _refused(bodies: Ints, reason: str | None) -> Refused:
    assert reason is not None
    return Refused(tuple(bodies.tolist()), reason)
