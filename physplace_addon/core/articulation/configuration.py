"""Where groups of parts are, in full coordinates (Choi and Cremer 1999, section 4.1).

A group g has a frame at its centre of mass.  Its full coordinates are the position r_g of that centre and
four Euler parameters e_g, a unit quaternion.  They change by twists x_g = (dX / L, dTheta), L the figure's
size, and

    dTheta = 2 G(e) de,    G G' = 1,    G e = 0,

so that a row J_Theta by the rotation is 2 J_Theta G by the Euler parameters.  A twist is applied by the
exponential map, which keeps the unit rows e'e = 1 to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats
from ..quaternions import matrices, products
from ..rigid import Pose, quaternion_conjugate, rotation_vector

_UNTURNED = np.array([[1.0, 0.0, 0.0, 0.0]])


@dataclass(frozen=True, eq=False)
class Configuration:
    """Where k groups are: centres of mass (k, 3), and Euler parameters (k, 4), unit quaternions."""

    centre: Floats
    turn: Floats

    @cached_property
    def frames(self) -> tuple[Floats, Floats]:
        """The centres (k + 1, 3) and rotation matrices (k + 1, 3, 3), and last, for FIXED, those of the
        world.
        """
        matrix = np.empty((len(self.turn) + 1, 3, 3))
        matrix[:-1] = matrices(self.turn)
        matrix[-1] = np.eye(3)
        return np.concatenate([self.centre, np.zeros((1, 3))]), matrix

    @cached_property
    def turns(self) -> Floats:
        """The Euler parameters (k + 1, 4), and last, for FIXED, those of the world."""
        return np.concatenate([self.turn, _UNTURNED])

    def moved(self, twists: Floats, length: float) -> Configuration:
        """Return the configuration after twists (dX / L, dTheta) (k, 6), exactly, however large the turns
        are.
        """
        half = 0.5 * twists[:, 3:]
        angle = np.sqrt(np.einsum("ki,ki->k", half, half))
        turn = np.empty((len(half), 4))
        turn[:, 0] = np.cos(angle)
        turn[:, 1:] = half * np.sinc(angle / np.pi)[:, None]
        turned = products(turn, self.turn)
        turned /= np.sqrt(np.einsum("ki,ki->k", turned, turned))[:, None]
        return Configuration(self.centre + length * twists[:, :3], turned)


def twists_between(first: Configuration, second: Configuration, length: float) -> Floats:
    """Return the twists (dX / L, dTheta) (k, 6) that lead from one configuration to another, the shorter
    turn.
    """
    apart = products(second.turn, quaternion_conjugate(first.turn))
    return np.concatenate([(second.centre - first.centre) / length, rotation_vector(apart)], axis=1)


def carried(configuration: Configuration, motions: Sequence[Pose]) -> Configuration:
    """Return a configuration after rigid motions of the scene."""
    for motion in motions:
        turned = [motion.compose(Pose(turn, np.zeros(3))).rotation for turn in configuration.turn]
        configuration = Configuration(motion.points(configuration.centre), np.array(turned).reshape(-1, 4))
    return configuration
