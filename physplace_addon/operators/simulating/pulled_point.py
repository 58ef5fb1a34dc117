# SPDX-License-Identifier: GPL-3.0-or-later
"""The point of a simulated object that the mouse holds and pulls, in the plane of view through it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ...core.arrays import Floats
from ...core.contact.system import InterfacePoints
from ...core.dynamics.driving.pulls import RATE, Pull
from ...core.dynamics.scene import Scene
from ...core.dynamics.sleeping import islands
from ...core.rigid import Pose

STRONGEST: Final = 10.0  # force, in weights of the body and of what is joined to it
_WEIGHTLESS: Final = 0.1  # stretch over R at which the force is the strongest where there is little gravity


@dataclass(frozen=True, eq=False)
class PulledPoint:
    """A point that is held.

    pull: what it does to the body. taken (3,): where the point was, in the world, when it was taken; frame:
    the number of the frame then. since: the time then, s.
    """

    pull: Pull
    taken: Floats
    frame: int
    since: float

    @classmethod
    def of(cls, scene: Scene, body: int, pose: Pose, place: Floats, frame: int, since: float) -> PulledPoint:
        """Take a body that stands in a pose by its point at a place (3,), in the world."""
        pull = Pull(body, pose.inverse().points(place), place, strongest(scene, body))
        return cls(pull, place, frame, since)

    def towards(self, goal: Floats) -> PulledPoint:
        """Return the point as it is pulled to a place (3,) of the world."""
        return replace(self, pull=replace(self.pull, goal=goal))

    def line(self, pose: Pose) -> Floats:
        """Return the ends (2, 3), in the world, of the line from the point to the mouse."""
        return np.array([pose.points(self.pull.point), self.pull.goal])


def strongest(scene: Scene, body: int) -> float:
    """Return the greatest acceleration that a pull gives a body, lengths over s^2: what lifts all that is
    joined to it, several times over.
    """
    inertia = scene.inertia
    linkage = islands(len(scene), scene.given, InterfacePoints.none(), scene.joints.body)
    share = float(inertia.mass[linkage == linkage[body]].sum() / inertia.mass[body])
    weight = STRONGEST * float(np.sqrt(scene.gravity @ scene.gravity))
    return share * max(weight, _WEIGHTLESS * RATE**2 * float(inertia.radius[body]))
