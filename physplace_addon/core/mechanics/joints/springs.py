"""Springs of joints as external forces of placement: each has an energy, and holds its joint with it.

A spring of stiffness k on an axis with the coordinate c, a turn or a shift over R, relaxed at c0, has

    E = 1/2 k (c - c0)^2,    w = -k (c - c0) c',    dw/dx = -k c' c'^T - k (c - c0) c'' - 1/2 [t]x,

k times R^2 for a shift.  The last term, t its torque on each body, is what the derivative of a torque in the
scene has beside the energy's second derivative along rotation vectors (`placement.newton_refinement`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import Floats
from ...contact.system import ContactSystem
from ...rigid import skew
from .equations import JointRows, coordinate_rows
from .jointed_bodies import JointedBodies
from .second_derivatives import coordinate_hessians


@dataclass(frozen=True, eq=False)
class JointSprings:
    """The springs of the joints of bodies."""

    bodies: JointedBodies
    has_energy: ClassVar[bool] = True

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the wrenches (F, T / R) on all bodies (6 m,), in units of one body's weight."""
        rows = self._rows(system)
        return rows.wrench(-self._forces(rows), len(system)).ravel()

    def energy(self, system: ContactSystem) -> float:
        """Return the springs' energy, in units of one body's weight times R."""
        rows = self._rows(system)
        return 0.5 * float((self._stiffness(rows) * self._stretch(rows) ** 2).sum())

    def change(self, system: ContactSystem) -> Floats:
        """Return the derivative (6 m, 6 m) of the wrench by the bodies' twists."""
        change = -self.stiffness(system)
        for body, torque in enumerate(self.wrench(system).reshape(-1, 6)[:, 3:]):
            turns = slice(6 * body + 3, 6 * body + 6)
            change[turns, turns] -= 0.5 * skew(torque)
        return change

    def stiffness(self, system: ContactSystem) -> Floats:
        """Return the energy's second derivative (6 m, 6 m)."""
        rows, count = self._rows(system), len(system)
        dense = rows.dense(count)
        total: Floats = dense.T @ (self._stiffness(rows)[:, None] * dense)
        blocks = coordinate_hessians(self.bodies.frames(system), rows)
        out = np.zeros((count + 1, 6, count + 1, 6))
        for force, bodies, block in zip(self._forces(rows), rows.body, blocks, strict=True):
            own = force * block.reshape(2, 6, 2, 6)
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                out[bodies[i], :, bodies[j]] += own[i, :, j]
        return total + out[:count, :, :count].reshape(6 * count, 6 * count)

    def sizes(self, system: ContactSystem) -> Floats:
        """Return the size of the springs' torques over R on each body (m,), in units of one body's weight."""
        rows = self._rows(system)
        total = np.zeros(len(system) + 1)
        np.add.at(total, rows.body, np.abs(self._forces(rows))[:, None])
        return total[:-1]

    def seen_from(self, origin: Floats) -> JointSprings:
        """Return the same springs: their joints are given in the system's own frame."""
        return self

    def _rows(self, system: ContactSystem) -> JointRows:
        joints = self.bodies.joints
        return coordinate_rows(self.bodies.frames(system), joints.stiffness > 0.0, self.bodies.near)

    def _stiffness(self, rows: JointRows) -> Floats:
        joints = self.bodies.joints
        stiffness: Floats = (joints.stiffness * joints.units**2)[rows.joint, rows.axis] / self.bodies.energy
        return stiffness

    def _stretch(self, rows: JointRows) -> Floats:
        joints = self.bodies.joints
        stretch: Floats = rows.value - (joints.rest / joints.units)[rows.joint, rows.axis]
        return stretch

    def _forces(self, rows: JointRows) -> Floats:
        return self._stiffness(rows) * self._stretch(rows)
