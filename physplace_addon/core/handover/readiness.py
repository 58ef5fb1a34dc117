"""When a simulation has almost come to rest.

A body hardly moves if its fastest point is slower than sqrt(g R_b) times a small number: then its kinetic
energy is about as much below its weight times R_b.  Those that hardly move for a while and press on something
have almost come to rest, all at once.  The while is not less than sqrt(R / g), in which a body that is out of
balance gathers way, so that what turns back at the top of a swing does not seem to rest.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import FIXED
from ..dynamics.scene import Scene
from ..dynamics.state import SimulationState
from ..vectors import length

HARDLY: Final = 5e-3  # speed of a body that hardly moves, over sqrt(g R_b)
WHILE: Final = 0.25  # the least time, s, for which it must


class Readiness:
    """Watches a simulation, state by state, for when all of it has almost come to rest.

    scene: what is simulated, without the joints that have broken.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._since: float | None = None
        self._factor = 1.0
        gravity = float(length(scene.gravity[None])[0])
        self._has_weight = gravity > 0.0
        if self._has_weight:
            radii = scene.inertia.radius
            self._most: Floats = HARDLY * np.sqrt(gravity * radii)
            self._while = max(WHILE, float(np.sqrt(radii.max() / gravity)))

    def is_ready(self, state: SimulationState) -> bool:
        """Return whether all bodies have almost come to rest, given each state after the one before."""
        if not self._has_weight or state.time < self.scene.last_given_time:
            return False
        if not self.hardly_moves(state):
            self._since = None
            return False
        if self._since is None or state.time < self._since:
            self._since = state.time
        return state.time - self._since >= self._factor * self._while

    def hardly_moves(self, state: SimulationState) -> bool:
        """Return whether each body sleeps, or hardly moves and presses on something without joints."""
        scene = self.scene
        free = ~(scene.given | state.sleep.asleep)
        speeds = scene.inertia.radius * (length(state.motion.rates[:, :3]) + length(state.motion.spin))
        return bool(((speeds <= self._most) & self._presses(state) & ~jointed(scene))[free].all())

    def _presses(self, state: SimulationState) -> Bools:
        presses = np.zeros(len(self.scene) + 1, bool)  # the last is the fixed world's, and FIXED its number
        presses[state.touching.keys[state.touching.active, :2].ravel()] = True
        return presses[:-1]

    def wait_longer(self) -> None:
        """Begin to wait anew, twice as long: no rest was found."""
        self._since, self._factor = None, 2.0 * self._factor


def jointed(scene: Scene) -> Bools:
    """Return which bodies (m,) have joints."""
    found = np.zeros(len(scene) + 1, bool)
    found[scene.joints.body.ravel()] = True
    found[FIXED] = False
    return found[:-1]
