# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a run: what has almost come to rest is handed over to placement, which proves a rest."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from ...core.dynamics.simulation import Simulation
from ...core.dynamics.state import SimulationState
from ...core.handover.handover import NO_ROOM, Handover, HandoverStatus, Refused
from ...core.handover.readiness import Readiness
from ...core.placement import Status
from ...core.wording import in_words
from ...scene.dynamics.reading import DynamicScenario


class Ending:
    """Watches a run for its end, and makes its last frames.

    is_on: whether there is something to do or to take before the simulation goes on.
    """

    def __init__(self, scenario: DynamicScenario, simulation: Simulation) -> None:
        self._scenario, self._simulation = scenario, simulation
        self._readiness = Readiness(scenario.scene)
        self._handover: Handover | None = None
        self._refused: tuple[Refused, ...] = ()
        self._began, self._taken, self._is_ready = 0, 0, False
        self._watched: dict[int, Readiness] = {}  # as they were after frames

    @property
    def is_on(self) -> bool:
        """Whether there is something to do or to take before the simulation goes on."""
        return self._handover is not None and (
            self._handover.status.is_running or self._taken < len(self._handover.states)
        )

    @property
    def is_proven(self) -> bool:
        """Whether the last frame is a rest that is proven, at least of some."""
        return self._handover is not None and len(self._handover.rests) > 0 and not self.is_on

    def watch(self, state: SimulationState) -> None:
        """Take note of a state of the simulation: of each one, in their order."""
        self._readiness.scene = self._simulation.scene
        is_left_alone = self._simulation.pulling is None
        self._is_ready = (
            self._scenario.ends_at_proven_rest and is_left_alone and self._readiness.is_ready(state)
        )

    def begin_if_ready(self, number: int, room: int) -> None:
        """Begin on the frame with a number, the simulation's last state, if all has almost come to rest.

        room: how many frames may follow it.
        """
        self._watched[number] = copy(self._readiness)
        came_to_rest = self._scenario.ends_at_proven_rest and not self._simulation.status.is_running
        if came_to_rest or self._is_ready:
            self._handover = Handover(self._simulation, self._scenario.seconds_a_frame, room)
            self._began, self._taken = number, 0
            self._conclude(self._handover)

    def step(self) -> SimulationState | None:
        """Make a step of the handover, or return the next of its frames."""
        handover = self._handover
        if handover is None:
            return None
        if handover.status.is_running:
            handover.step()
            self._conclude(handover)
            return None
        self._taken += 1
        return handover.states[self._taken - 1]

    def _conclude(self, handover: Handover) -> None:
        if handover.status is HandoverStatus.REFUSED:
            self._refused, self._handover = handover.refused, None
            self._readiness.wait_longer()
            self._watched[self._began] = copy(self._readiness)
            self._is_ready = False

    def go_back_to(self, number: int) -> bool:
        """Give up what comes after the frame with a number; return whether that frame is of this end."""
        if self._handover is not None and not self._handover.status.is_running and number >= self._began:
            self._taken = number - self._began
            return True
        known = self._watched.get(number)
        self.give_up()
        self._readiness = self._readiness if known is None else copy(known)
        return False

    def give_up(self) -> bool:
        """Give up this end, as if the simulation had not come to it; return whether it had begun."""
        had_begun = self._handover is not None
        self._handover, self._refused = None, ()
        self._readiness, self._is_ready = Readiness(self._scenario.scene), False
        return had_begun

    def words(self) -> list[str]:
        """Return how it ended, or why no rest is proven; nothing where neither can be said."""
        if not self._scenario.ends_at_proven_rest:
            return []
        if self.is_proven and self._handover is not None:
            return [_proven(self._handover), *self._reasons(self._handover.refused)]
        if self._refused:
            reasons = self._reasons(self._refused)
            return [f"{HandoverStatus.REFUSED.message}: {'; '.join(reasons)}"]
        at_rest = not self._simulation.status.is_running and self._handover is None
        return [f"{HandoverStatus.REFUSED.message}: {NO_ROOM}"] if at_rest else []

    def _reasons(self, refused: Sequence[Refused]) -> list[str]:
        subjects = self._scenario.subjects
        return [f"{in_words([subjects[i].name for i in each.bodies])}: {each.reason}" for each in refused]


def _proven(handover: Handover) -> str:
    """Return what holds the bodies, and whether it does so firmly."""
    found = [certificate for rest in handover.rests for certificate in rest.certificates]
    by_friction = any(certificate.status is Status.BALANCED_BY_FRICTION for certificate in found)
    forces = "contact forces and friction" if by_friction else "contact forces"
    nudge = "" if all(certificate.stable for certificate in found) else ", but the least nudge would end it"
    return f"{handover.status.message}: {forces} balance it{nudge}"
