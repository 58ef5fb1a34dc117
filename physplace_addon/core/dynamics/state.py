"""The state of a simulation at one time, with all that the steps after it depend on.

A step knows more of contacts than where bodies are: the interface points that were tracked there, the gaps
that they keep, how paths bent in the step before, and with what forces contacts pressed.  Of these the last
two are the first guess of the same in the next step.
With these kept, going on from a state repeats what followed it to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from ..arrays import Floats
from ..contact.system import InterfacePoints
from .bending import Bending
from .contacts import Contacts
from .events import Event, Touching
from .joints.breaking import BrokenJoints
from .motion import Motion
from .scene import Scene
from .sleeping import Sleep
from .step import Moment


class SimulationStatus(Enum):
    """How a simulation stands."""

    RUNNING = "it moves"
    AT_REST = "everything has come to rest"
    INTERFERING_START = "bodies overlap at the start"
    JAMMED = "bodies are so near each other that none can move on"
    SQUEEZED = "bodies whose motion is given leave no room"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether a step may still change anything."""
        return self is SimulationStatus.RUNNING


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """What a step knows from those before it.

    points: the interface points (k,) within reach, in the frames of their pairs.
    kept (k,), bending, forces (k, 3): of `Moment`.
    travel (m,): how far from each body points were searched, lengths.
    searched: the bodies of which they were searched, None for all.
    isolated, since: how many steps in a row ended before their time, and when these began, s.
    hindering: the bodies that last came too near each other.
    fine: the last step, s, if it was shortened for what paths bend; infinite otherwise.
    """

    points: InterfacePoints
    kept: Floats
    bending: Bending
    forces: Floats
    travel: Floats | None
    searched: tuple[int, ...] | None
    isolated: int
    since: float
    hindering: tuple[int, ...]
    fine: float

    @classmethod
    def of(cls, moment: Moment, isolated: int, since: float, hindering: tuple[int, ...], fine: float) -> Self:
        """Return what is known at a moment."""
        system = moment.system
        known = moment.points, moment.kept, moment.bending, moment.forces
        return cls(*known, system.travel, system.moving, isolated, since, hindering, fine)

    def moment(self, scene: Scene, time: float, motion: Motion, coordinates: Floats) -> Moment:
        """Return the moment at a time, s, of bodies in motion whose joints have coordinates (n, 6)."""
        system = replace(scene.system(motion), travel=self.travel, moving=self.searched)
        contacts = Contacts.of(system, self.points, scene.laws)
        known = self.points, contacts, self.kept, self.bending, self.forces
        return Moment(time, motion, system, *known, coordinates)


@dataclass(frozen=True, eq=False)
class SimulationState:
    """Bodies at one time.

    time: seconds since the start.
    motion: where they are, and how they move.
    coordinates (n, 6): of the joints that hold, their turns unwrapped.
    broken: the others.
    sleep: who sleeps.  touching: the contacts.
    events: what happened since the state before.
    energy: kinetic, of gravity and of springs, of the bodies whose motion is not given.
    work: energy that pulls have put in since the start.
    history: what the steps after it depend on besides; None where no simulation led here.
    """

    time: float
    motion: Motion
    coordinates: Floats
    broken: BrokenJoints
    sleep: Sleep
    touching: Touching
    events: tuple[Event, ...]
    energy: float
    work: float
    history: ContactHistory | None
