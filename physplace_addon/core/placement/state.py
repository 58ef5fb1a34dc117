"""One state of a placement: a frozen value, free of overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import BilateralContacts, ContactSystem, InterfacePoints
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..rigid import Pose

_SHARE = 0.1  # of the longest step that failed: least length that counts for the others that failed


@dataclass(frozen=True, eq=False)
class State:
    """One valid state.

    The solver works about an origin near the bodies, so that coordinates do not lose digits far from that of
    the world; `pose`, `poses` and `points` are in the world.

    Attributes:
        system: the bodies where they stand, seen from the origin.
        local_points: their interface points, each in the frame of its second body.
        bilateral: the contacts that may not separate.
        origin: the place (3,), in the world, of the system's origin.
        energy: the external forces' pseudo potential energy, in units of one body's weight times R.
        eps: the longest next step, over R.
        coordinates: what may move.
        pace: the longest next step of each body (m,), over eps: less than 1 for those that have failed.
    """

    system: ContactSystem
    local_points: InterfacePoints
    bilateral: BilateralContacts
    origin: Floats
    energy: float
    eps: float
    coordinates: Coordinates = FREE_BODIES
    pace: Floats | None = None

    @property
    def longest(self) -> float | Floats:
        """The longest next step, over R: one for all bodies or (m,)."""
        return self.eps if self.pace is None else self.eps * self.pace

    def slowed(self, bodies: Ints, lengths: Floats) -> State:
        """Return the state with shorter next steps of some bodies, less than half of those that failed.

        Args:
            bodies: their numbers.
            lengths: of the steps (m,) that failed, over R.
        """
        pace = np.ones(len(self.system)) if self.pace is None else self.pace.copy()
        taken = np.maximum(lengths, _SHARE * lengths[bodies].max())[bodies] / self.eps
        pace[bodies] = 0.5 * np.minimum(pace[bodies], taken)
        return replace(self, pace=pace)

    def recovered(self, factor: float) -> Floats | None:
        """Return the pace (m,) after a step that succeeded, greater by a factor; None where all are 1."""
        if self.pace is None or (factor * self.pace >= 1.0).all():
            return None
        pace: Floats = np.minimum(factor * self.pace, 1.0)
        return pace

    @property
    def pose(self) -> Pose:
        """Where the body's frame stands in the world; of several, the first one's."""
        return self.poses[0]

    @cached_property
    def poses(self) -> tuple[Pose, ...]:
        """Where each body's frame stands in the world."""
        return tuple(Pose(pose.rotation, pose.translation + self.origin) for pose in self.system.poses)

    @cached_property
    def points(self) -> InterfacePoints:
        """The interface points, in the world."""
        local = self.system.in_world(self.local_points)
        return replace(local, point1=local.point1 + self.origin, point2=local.point2 + self.origin)
