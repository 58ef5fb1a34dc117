"""Derivatives of pairs' gaps by the motions of both their bodies.

A gap does not change when both bodies move together, so it is a function of E = D_b^-1 D_a, with D_a and D_b
the displacements x = (dX, dTheta), each about its own centre of mass: turned by Theta, then moved by dX.
Let J and H be its gradient and Hessian by x_a (`points.linearization`), and s = X_a - X_b.  With
T x_b = (dX_b + dTheta_b x s, dTheta_b), E moves X_a, to second order, by

    y = x_a - T x_b + q,
    q = (Theta_b x d_b - Theta_b x d_a + 1/2 Theta_b x (Theta_b x s), -1/2 Theta_b x Theta_a),

so that g = g0 + J . y + 1/2 y' H y gives

    J_b = -J T,    H_ab = -H T + C_ab,    H_bb = T' H T + C_bb,

where C holds the second derivatives of J . q.  The formulas agree with finite differences (tests).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..rigid import skew
from ..vectors import cross, dot


def gradient_by_second(gradient: Floats, separation: Floats) -> Floats:
    """Return J_b (k, 6) of gaps with gradients J (k, 6) by the first bodies, s (k, 3) from the second."""
    force, torque = gradient[:, :3], gradient[:, 3:]
    return -np.concatenate([force, torque + cross(separation, force)], axis=1)


def hessian_by_both(gradient: Floats, hessian: Floats, separation: Floats) -> tuple[Floats, Floats]:
    """Return H_ab and H_bb (k, 6, 6) of gaps with gradients J (k, 6) and Hessians H (k, 6, 6); s (k, 3)."""
    move = np.zeros_like(hessian)
    move[:] = np.eye(6)
    move[:, :3, 3:] = -skew(separation)
    mixed = -hessian @ move
    second = move.transpose(0, 2, 1) @ hessian @ move
    normal, torque = gradient[:, :3], gradient[:, 3:]
    # n . (e_i x e_j) = -skew(n)_ij, for the turn i and the shift j
    mixed[:, :3, 3:] += -skew(normal)
    mixed[:, 3:, 3:] += -0.5 * skew(torque)
    second[:, 3:, :3] += -skew(normal)
    second[:, :3, 3:] += skew(normal)
    outer = normal[:, :, None] * separation[:, None, :]
    second[:, 3:, 3:] += 0.5 * (outer + outer.transpose(0, 2, 1))
    second[:, 3:, 3:] -= dot(normal, separation)[:, None, None] * np.eye(3)
    return mixed, second
