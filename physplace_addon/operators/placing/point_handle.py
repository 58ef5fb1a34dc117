# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of a body that the mouse holds: it is pulled towards it, pushed, or tied to somewhere else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ...core.arrays import Floats
from ...core.placement import Connection, Local
from ...core.rigid import Pose

_STRONGEST = 4.0  # weights
_WEIGHTS_A_RADIUS = 2.0  # weights, for each R that the mouse is away
_HELD = 1e-3  # distance / R below which nothing pulls


class Kind(Enum):
    """What the mouse does to the point."""

    PULL = "Pull"
    PUSH = "Push"
    TIE = "Tie"


@dataclass(frozen=True, eq=False)
class Grip:
    """A point (3,) of a body and the outward normal (3,) there, in the body's frame; radius is its R."""

    kind: Kind
    body: int
    point: Floats
    normal: Floats
    radius: float

    def held_at(self, pose: Pose) -> Floats:
        """Where the point is (3,), in the world."""
        return pose.points(self.point)

    def force(self, pose: Pose, mouse: Floats) -> Local | None:
        """The force at the point for a mouse at (3,): the farther, the stronger; None where it is there."""
        offset = mouse - self.held_at(pose)
        distance = float(np.sqrt(offset @ offset))
        if distance < _HELD * self.radius:
            return None
        strength = min(_WEIGHTS_A_RADIUS * distance / self.radius, _STRONGEST)
        along = -self.normal if self.kind is Kind.PUSH else pose.inverse().vectors(offset)
        return Local(self.point, along, strength, self.body)

    def tie(self, target: Floats) -> Connection:
        """What draws the point to a place (3,) of the world, as strongly as the weight."""
        return Connection(self.point, target, body=self.body)
