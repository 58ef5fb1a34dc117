"""Solids that may be turned: rows begin with centre, half-axes and a rotation vector.

The rotation is R = exp([w]) R0 with a rotation vector w (radians) about a reference R0; it changes by
dR = [J dw] R, J the left Jacobian of the exponential map. w and w (1 - 2 pi / |w|) are the same rotation: the
shorter is kept, because J is singular at 2 pi.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....arrays import Floats
from ....rigid import skew
from .solids import Solids


@dataclass(frozen=True, eq=False)
class TurnedSolids(Solids):
    """k solids; rows (k, 9 or more) of centre and half-axes, in scene units, and rotation vector, in radians.

    Attributes:
        references: the rotations R0 (k, 3, 3) about which the rotation vectors turn.
    """

    references: Floats

    def _valid(self, rows: Floats) -> Floats:
        """Return the rows (k, p) with the shortest rotation vectors and positive half-axes, in place."""
        angles = np.linalg.norm(rows[:, 6:9], axis=1)
        turns = np.round(angles / math.tau)
        rows[:, 6:9] *= (1.0 - math.tau * turns / np.where(angles > 0.0, angles, 1.0))[:, None]
        return super()._valid(rows)

    @property
    def scales(self) -> Floats:
        """1 for lengths; for an angle 1 over the mean half-axis: such a turn moves the surface by about a
        unit.
        """
        scales = np.ones(self.rows.shape)
        scales[:, 6:9] = 1.0 / np.maximum(self.rows[:, 3:6].mean(axis=1), 1e-70)[:, None]
        return scales.ravel()

    @cached_property
    def rotations(self) -> Floats:
        """The rotations R (k, 3, 3)."""
        w = self.rows[:, 6:9]
        first, second = _sinc(w), _versed(w)
        turn = np.eye(3) + first * skew(w) + second * (skew(w) @ skew(w))
        return turn @ self.references

    @cached_property
    def jacobians(self) -> Floats:
        """J (k, 3, 3) = 1 + (1 - cos) / |w|^2 [w] + (|w| - sin) / |w|^3 [w]^2."""
        w = self.rows[:, 6:9]
        return np.eye(3) + _versed(w) * skew(w) + _lag(w) * (skew(w) @ skew(w))


def _angles(w: Floats) -> tuple[Floats, Floats]:
    """Return the angles |w| (k, 1, 1), and the same but 0.01 at least, for quotients."""
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    return angle, np.maximum(angle, 1e-2)


def _sinc(w: Floats) -> Floats:
    """Return sin / angle (k, 1, 1), by its series for small angles."""
    angle, safe = _angles(w)
    return np.where(angle < safe, 1.0 - angle**2 / 6.0 + angle**4 / 120.0, np.sin(safe) / safe)


def _versed(w: Floats) -> Floats:
    """Return (1 - cos) / angle^2 (k, 1, 1), by its series for small angles."""
    angle, safe = _angles(w)
    return np.where(
        angle < safe, 0.5 - angle**2 / 24.0 + angle**4 / 720.0, 2.0 * (np.sin(safe / 2) / safe) ** 2
    )


def _lag(w: Floats) -> Floats:
    """Return (angle - sin) / angle^3 (k, 1, 1), by its series for small angles."""
    angle, safe = _angles(w)
    return np.where(
        angle < safe, 1.0 / 6.0 - angle**2 / 120.0 + angle**4 / 5040.0, (safe - np.sin(safe)) / safe**3
    )
