# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of a body that the mouse takes: it is pulled to the mouse, pushed, or tied to another place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ....core.arrays import Floats
from ....core.placement import Connection, Local
from ....core.rigid import Pose

_STRONGEST = 4.0  # the largest force, in weights of the body
_WEIGHTS_A_RADIUS = 2.0  # force, in weights of the body, for each R between the point and the mouse
_NO_DISTANCE = 1e-3  # distance over R below which there is no force: its direction would be noise


class PointAction(Enum):
    """What the mouse does to the point. The names are those of the actions in the keymap."""

    PULL = "Pull"
    PUSH = "Push"
    TIE = "Tie"


@dataclass(frozen=True, eq=False)
class PointHandle:
    """A point of a body's surface that the mouse has taken.

    body: the number of the body. point, normal (3,): the point and the outward normal there, in the body's
    frame. radius: the body's R, in scene units.
    """

    action: PointAction
    body: int
    point: Floats
    normal: Floats
    radius: float

    def in_world(self, pose: Pose) -> Floats:
        """Return where the point is (3,), in the world, when the body stands in a pose."""
        return pose.points(self.point)

    def force(self, pose: Pose, mouse: Floats) -> Local | None:
        """Return the force at the point; None where the mouse is at the point.

        Args:
            pose: where the body stands.
            mouse: the place (3,) of the mouse, in the world. The farther it is, the stronger is the force.
        """
        offset = mouse - self.in_world(pose)
        distance = float(np.sqrt(offset @ offset))
        if distance < _NO_DISTANCE * self.radius:
            return None
        strength = min(_WEIGHTS_A_RADIUS * distance / self.radius, _STRONGEST)
        along = -self.normal if self.action is PointAction.PUSH else pose.inverse().vectors(offset)
        return Local(self.point, along, strength, self.body)

    def tie(self, target: Floats) -> Connection:
        """Return what draws the point to a place (3,) of the world, as strongly as the weight."""
        return Connection(self.point, target, body=self.body)
