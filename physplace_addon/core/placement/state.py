"""One state of a placement: a frozen value, free of overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ..arrays import Floats
from ..contact.system import BilateralContacts, ContactSystem, InterfacePoints
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..rigid import Pose


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
    """

    system: ContactSystem
    local_points: InterfacePoints
    bilateral: BilateralContacts
    origin: Floats
    energy: float
    eps: float
    coordinates: Coordinates = FREE_BODIES

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
