"""One state of a placement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ..arrays import Floats
from ..contact.system import BilateralContacts, ContactSystem, InterfacePoints
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..rigid import Pose


@dataclass(frozen=True, eq=False)
class State:
    """One valid state: where the bodies stand, their interface points, the contacts that stick, the energy,
    and eps for the next step.

    The solver works about an origin (3,) near the bodies, so that coordinates do not lose digits far from
    that of the world, and keeps points in the frames of the second bodies; `poses` and `points` are in the
    world.
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
