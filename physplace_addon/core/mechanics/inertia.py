"""The inertia of rigid bodies: masses, principal moments, and what momentum and energy motions have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import ArrayRecord, Floats
from ..bodies import Body
from ..rigid import quaternion_matrix


@dataclass(frozen=True, eq=False)
class Inertia(ArrayRecord):
    """The inertia of m bodies.

    mass (m,).  radius (m,): R_b, lengths.
    centre (m, 3): the centres of mass in the bodies' own frames, lengths.
    axes (m, 3, 3): right-handed principal axes in the bodies' own frames, as columns.
    moments (m, 3): about these axes, mass times length^2.
    """

    mass: Floats
    radius: Floats
    centre: Floats
    axes: Floats
    moments: Floats

    def __len__(self) -> int:
        return len(self.mass)

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> Inertia:
        """Return the inertia of bodies, one or more."""
        masses = np.array([body.mass.mass for body in bodies])
        moments, axes = np.linalg.eigh(np.array([body.mass.inertia for body in bodies]))
        axes[np.linalg.det(axes) < 0.0, :, 0] *= -1.0
        return cls(
            masses,
            np.array([body.radius for body in bodies]),
            np.array([body.mass.center for body in bodies]),
            axes,
            masses[:, None] * moments,
        )

    def tensors(self, rotation: Floats) -> Floats:
        """Return the inertia tensors (m, 3, 3) in the scene of bodies turned by unit quaternions (m, 4)."""
        axes = quaternion_matrix(rotation) @ self.axes
        tensors: Floats = (axes * self.moments[:, None]) @ axes.transpose(0, 2, 1)
        return tensors

    def blocks(self, rotation: Floats) -> Floats:
        """Return the mass matrices (m, 6, 6) of the rates of twists, (V / R_b, omega) of each body.

        The kinetic energy of rates u (m, 6) is 1/2 sum u' M u.
        """
        blocks = np.zeros((len(self), 6, 6))
        blocks[:, :3, :3] = (self.mass * self.radius**2)[:, None, None] * np.eye(3)
        blocks[:, 3:, 3:] = self.tensors(rotation)
        return blocks
