"""The balance of contact pseudo-forces against external ones (Snyder 1995, section 5.2).

A wrench is w = (F, T / R): forces have no unit, external ones length 1, and both forces and torques,
external ones and those of contacts, are divided by R alike, so that they compare.  A contact i pushes the
active body by f_i n_i at the arm r_i from the centre of mass: its wrench is f_i J_i, with J_i = (n_i, r_i x
n_i / R), the gradient of its gap. Balance is F_e + sum f_i J_i = 0 with f_i >= 0: a contact cannot glue.
Several bodies are balanced together: their wrenches follow one another, d = 6 m numbers.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..optimization.non_negative import nonnegative_least_squares


def balance(wrench: Floats, gradients: Floats, method: str = "nonnegative") -> tuple[Floats, Floats]:
    """Return contact forces f (k,) and the residual wrench F_e + sum f_i J_i (6,).

    "nonnegative" minimizes the residual with f >= 0; it is zero exactly at rest, and else the steepest
    descent that no contact forbids.  "svd" is the paper's least-squares solution of least norm, which may
    glue.  gradients: (k, 6).
    """
    if len(gradients) == 0:
        return np.zeros(0), wrench.copy()
    if method == "svd":
        forces: Floats = np.linalg.lstsq(gradients.T, -wrench, rcond=1e-9)[0].astype(np.float64)
    else:
        forces = nonnegative_least_squares(gradients.T, -wrench)
    return forces, wrench + gradients.T @ forces


def even_forces(wrench: Floats, gradients: Floats) -> Floats:
    """Return balancing forces f >= 0 (k,) of least norm among those of least residual.

    Redundant contacts (a table's fourth foot) have no unique forces; the least-norm set is even and does not
    depend on their order: least squares of the residual with a faint weight on f, which the exact residual
    then outweighs.
    """
    if len(gradients) == 0:
        return np.zeros(0)
    faint = 1e-6
    matrix = np.vstack([gradients.T, faint * np.eye(len(gradients))])
    target = np.concatenate([-wrench, np.zeros(len(gradients))])
    forces = nonnegative_least_squares(matrix, target)
    pressing = np.nonzero(forces > 0.0)[0]
    residual = wrench + gradients.T @ forces
    forces[pressing] += np.linalg.lstsq(gradients[pressing].T, -residual, rcond=1e-9)[0]
    return forces if (forces >= 0.0).all() else balance(wrench, gradients)[0]
