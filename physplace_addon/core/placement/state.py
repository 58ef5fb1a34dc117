"""One state of a placement."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..arrays import Floats
from ..contact.points import InterfacePoints
from ..rigid import Pose


@dataclass(frozen=True, eq=False)
class State:
    """One valid state: where the body stands, its interface points, the energy, and eps for the next step.

    The solver works about an origin (3,) near the body, so that coordinates do not lose digits far from that
    of the world; `pose` and `points` are in the world.
    """

    local_pose: Pose
    local_points: InterfacePoints
    origin: Floats
    energy: float
    eps: float

    @property
    def pose(self) -> Pose:
        """Where the body's frame stands in the world."""
        return Pose(self.local_pose.rotation, self.local_pose.translation + self.origin)

    @property
    def points(self) -> InterfacePoints:
        """The interface points, in the world."""
        local = self.local_points
        return replace(local, point1=local.point1 + self.origin, point2=local.point2 + self.origin)
