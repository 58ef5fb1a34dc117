"""Manipulation: a solver that brings one body of a placement to a target by hand, with contact live.

Its states join those of the placement, so that there is one history, and the placement runs on from them.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from ...arrays import Floats
from ...rigid import Pose
from ..certificate import Status
from ..placement import Placement
from ..state import State
from .coordinates import ManipulatedBody
from .dragging import dragged, has_arrived


class ManipulationStatus(Enum):
    """Running, or why a body that is moved by hand goes no farther; `message` says it to a person."""

    RUNNING = "on its way"
    ARRIVED = "it is where it was moved to"
    BLOCKED = "something is in the way"
    INTERFERING_START = "it overlaps something where it starts: move it clear first"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether a step may still bring the body nearer."""
        return self is ManipulationStatus.RUNNING


class Manipulation:
    """Moves one body of a placement towards a target, step by step, sliding along what it touches.

    The body is shifted to the target's translation and keeps its orientation; with a pivot, it is turned
    about that to the target's orientation, the shorter way.

    Args:
        placement: whose last state it goes on from; it runs again after each step that moved the body.
        target: the pose, in the world, of which the translation or the orientation counts.
        body: the number of the body among those that move.
        pivot: the point (3,), in the world, that a turn keeps; None for a shift.
        axes: the only directions (n, 3), of any length, in which, or about which, it may move; None: all.
    """

    def __init__(
        self,
        placement: Placement,
        target: Pose,
        body: int = 0,
        pivot: Floats | None = None,
        axes: Floats | None = None,
    ) -> None:
        origin = placement.state.origin
        local = Pose(target.rotation, target.translation - origin)
        about = None if pivot is None else np.asarray(pivot, dtype=np.float64) - origin
        self._placement = placement
        self._coordinates = ManipulatedBody.of(body, local, about, axes)
        overlaps = placement.status is Status.INTERFERING_START
        self.status = ManipulationStatus.INTERFERING_START if overlaps else ManipulationStatus.RUNNING

    @property
    def state(self) -> State:
        """The placement's last state."""
        return self._placement.state

    def step(self) -> State:
        """Move the body one step nearer and return the state; the status says if it comes no nearer."""
        if not self.status.is_running:
            return self.state
        found = dragged(self._placement.problem, self.state, self._coordinates)
        if found is not None:
            self._placement.go_on_from(found)
        elif has_arrived(self.state, self._coordinates):
            self.status = ManipulationStatus.ARRIVED
        else:
            self.status = ManipulationStatus.BLOCKED
        return self.state
