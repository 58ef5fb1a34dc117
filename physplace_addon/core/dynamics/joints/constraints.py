"""Joints as rows of a velocity problem: equations and limits at the end of a drift, and of rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...mechanics.inertia import Inertia
from ...optimization.conic_qp import LinearRows
from ..motion import Motion
from .equations import JointRows, Joints, anchor_frames, equation_rows, limit_rows, motor_rows

_AT_LIMIT = 1e-9  # gap of a limit, over R or radians, that is reached


@dataclass(frozen=True, eq=False)
class JointConstraints:
    """The rows of all joints where bodies are.

    held: locked axes.  limits: gaps to limits.  motors: driven coordinates, their values target rates.
    coordinates (n, 6): of the joints, which limits count turns from.
    """

    held: JointRows
    limits: JointRows
    motors: JointRows
    coordinates: Floats
    joints: Joints
    inertia: Inertia

    @classmethod
    def at(cls, joints: Joints, inertia: Inertia, motion: Motion, coordinates: Floats) -> Self:
        """Return the rows of joints at a motion."""
        frames = anchor_frames(joints, inertia, motion)
        motors, _ = motor_rows(frames)
        return cls(
            equation_rows(frames), limit_rows(frames, coordinates), motors, coordinates, joints, inertia
        )

    @property
    def nothing_missed(self) -> Floats:
        """Zeros for the held axes and the limits."""
        return np.zeros(len(self.held) + len(self.limits))

    def for_drift(self, missed: Floats, h: float) -> tuple[LinearRows, LinearRows]:
        """Return equations and limits by which h seconds with equal rates end where joints hold.

        missed: by how much residuals and gaps end beside what the rates say.
        """
        held, limits = np.split(missed, [len(self.held)])
        targets = np.concatenate([-(self.held.value + held) / h, self.motors.value])
        return self._equations(targets), LinearRows(
            self.limits.sparse(len(self.inertia)), -(self.limits.value + limits) / h
        )

    def for_rates(self) -> tuple[LinearRows, LinearRows]:
        """Return equations and limits of rates with which joints hold on."""
        targets = np.concatenate([np.zeros(len(self.held)), self.motors.value])
        reached = self.limits.take(self.limits.value <= _AT_LIMIT)
        return self._equations(targets), LinearRows(reached.sparse(len(self.inertia)), np.zeros(len(reached)))

    def missed(self, end: Motion, rates: Floats, h: float) -> Floats:
        """Return by how much residuals and gaps end beside what rates (m, 6) say after h seconds."""
        frames = anchor_frames(self.joints, self.inertia, end)
        held, limits = equation_rows(frames), limit_rows(frames, self.coordinates)
        return np.concatenate(
            [
                held.value - self.held.value - h * self.held.rates(rates),
                limits.value - self.limits.value - h * self.limits.rates(rates),
            ]
        )

    def _equations(self, targets: Floats) -> LinearRows:
        both = [self.held.sparse(len(self.inertia)), self.motors.sparse(len(self.inertia))]
        return LinearRows(sparse.csr_array(sparse.vstack(both)), targets)
