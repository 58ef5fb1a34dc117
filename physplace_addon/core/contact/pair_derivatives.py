"""Derivatives of a pair's gaps by the motions of both its bodies, in the units of the whole system.

A gap does not change when both bodies move together, so it is a function of E = D_b^-1 D_a, with D_a and D_b
the displacements x = (dX / R, dTheta), each about its own centre of mass: turned by Theta, then moved by dX.
Let J and H be its gradient and Hessian by x_a (`points.linearization`), and s = X_a - X_b over R.  With
T x_b = (dX_b + dTheta_b x s, dTheta_b), E moves X_a, to second order, by

    y = x_a - T x_b + q,
    q = (Theta_b x d_b - Theta_b x d_a + 1/2 Theta_b x (Theta_b x s), -1/2 Theta_b x Theta_a),

so that g = g0 + J . y + 1/2 y' H y gives

    J_b = -J T,    H_ab = -H T + C_ab,    H_bb = T' H T + C_bb,

where C holds the second derivatives of J . q.  The formulas agree with finite differences (tests).

A pair divides lengths by its own R, the lesser of its two radii.  The system divides gaps by the least radius
of all moving bodies, and the shift of each body by that body's radius: `PairScale` converts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..rigid import skew


def transport(separation: Floats) -> Floats:
    """Return T (6, 6): the motion of a point at `separation` (3,), over R, from a moving centre."""
    out = np.eye(6)
    out[:3, 3:] = -skew(separation)
    return out


def gradient_by_second(gradient: Floats, separation: Floats) -> Floats:
    """Return J_b (k, 6) of gaps with gradients J (k, 6) by the first body."""
    return -gradient @ transport(separation)


def hessian_by_both(gradient: Floats, hessian: Floats, separation: Floats) -> tuple[Floats, Floats]:
    """Return H_ab and H_bb (k, 6, 6) of gaps with gradients J (k, 6) and Hessians H (k, 6, 6)."""
    move = transport(separation)
    mixed = -hessian @ move
    second = move.T @ hessian @ move
    normal, torque = gradient[:, :3], gradient[:, 3:]
    # n . (e_i x e_j) = -skew(n)_ij, for the turn i and the shift j
    mixed[:, :3, 3:] += -skew(normal)
    mixed[:, 3:, 3:] += -0.5 * skew(torque)
    second[:, 3:, :3] += -skew(normal)
    second[:, :3, 3:] += skew(normal)
    outer = normal[:, :, None] * separation
    second[:, 3:, 3:] += 0.5 * (outer + outer.transpose(0, 2, 1))
    second[:, 3:, 3:] -= (normal @ separation)[:, None, None] * np.eye(3)
    return mixed, second


@dataclass(frozen=True, eq=False)
class PairScale:
    """Converts a pair's derivatives to the units of the system.

    radius: the pair's R, a length; separation (3,): s, the first centre from the second, over R.
    row: the pair's R over the system's.
    first_columns, second_columns (6,): each body's radius over R for shifts, 1 for turns.
    """

    radius: float
    separation: Floats
    row: float
    first_columns: Floats
    second_columns: Floats

    @classmethod
    def of(
        cls, radius: float, separation: Floats, system_radius: float, first: float, second: float
    ) -> PairScale:
        """Return the scale of a pair whose bodies have radii `first` and `second`, all lengths."""
        return cls(
            float(radius),
            separation / radius,
            float(radius) / system_radius,
            _shift_columns(first / radius),
            _shift_columns(second / radius),
        )

    @property
    def first(self) -> Floats:
        """The factors (6,) of a gradient by the first body."""
        return self.row * self.first_columns

    @property
    def second(self) -> Floats:
        """The factors (6,) of a gradient by the second body."""
        return self.row * self.second_columns


def _shift_columns(factor: float) -> Floats:
    return np.array([factor, factor, factor, 1.0, 1.0, 1.0])
