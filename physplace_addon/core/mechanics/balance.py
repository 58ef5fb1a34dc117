"""The balance of contact pseudo-forces against external ones (Snyder 1995, section 5.2).

A wrench is w = (F, T / R): forces have no unit, external ones length 1, and both forces and torques,
external ones and those of contacts, are divided by R alike, so that they compare.  A contact i pushes the
active body by f_i n_i at the arm r_i from the centre of mass: its wrench is f_i J_i, with J_i = (n_i, r_i x
n_i / R), the gradient of its gap.  Balance is F_e + sum f_i J_i = 0 with f_i >= 0: a contact cannot pull,
except a bilateral one (section 4.2), whose f_i has any sign.  Several bodies are balanced together: their
wrenches follow one another, d = 6 m numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..arrays import Floats, Ints
from ..errors import PlacementError
from ..optimization.interior_point import SparseQP, solve_sparse_qp
from ..optimization.non_negative import non_negative_least_squares
from ..optimization.step_qp import MANY, solve_qp

_FAINT = 1e-6  # weight of the forces beside the residual: small enough not to change what can be balanced
_SOFT = 1e-9  # weight of the residual beside the forces, whose evenness it leaves alone
_AGAIN = 3  # rounds in which what it leaves unbalanced is given to the forces
_BALANCED = 1e-9  # of the wrench's largest component, that counts as balanced by brakes
_HEAVY = 1e3  # weight of the bounds of brakes beside the balance
_RANK = 1e-9  # of the largest singular value: smaller ones count as zero


def balance(wrench: Floats, gradients: Floats, method: str = "non_negative") -> tuple[Floats, Floats]:
    """Return contact forces f (k,) and the residual wrench F_e + sum f_i J_i (d,).

    Args:
        wrench: the external wrench F_e (d,).
        gradients: J (k, d).
        method: "non_negative" minimizes the residual with f >= 0.  The residual is zero exactly at rest;
            elsewhere it is the steepest descent that no contact forbids.  "svd" is the paper's solution of
            least squares and least norm, whose contacts may pull.
    """
    if len(gradients) == 0:
        return np.zeros(0), wrench.copy()
    if method == "svd":
        forces: Floats = np.linalg.lstsq(gradients.T, -wrench, rcond=_RANK)[0].astype(np.float64)
    else:
        forces = non_negative_least_squares(gradients.T, -wrench)
    return forces, wrench + gradients.T @ forces


def even_forces(wrench: Floats, gradients: Floats) -> Floats:
    """Return balancing forces f >= 0 (k,) of least norm among those of least residual.

    Redundant contacts (a table's fourth leg) have no unique forces; the least-norm set is even and does not
    depend on their order.  It is found by least squares of the residual with a faint weight on f, which the
    exact residual then outweighs.

    Args:
        wrench: the external wrench F_e (d,).
        gradients: J (k, d).
    """
    if len(gradients) == 0:
        return np.zeros(0)
    if len(wrench) > MANY:
        return _even_forces_of_many(wrench, gradients)
    least, _ = balance(wrench, gradients, "svd")
    if (least >= 0.0).all():  # what has the least norm of all has it among those that push, too
        return least
    matrix = np.vstack([gradients.T, _FAINT * np.eye(len(gradients))])
    target = np.concatenate([-wrench, np.zeros(len(gradients))])
    forces = non_negative_least_squares(matrix, target)
    pressing = np.nonzero(forces > 0.0)[0]
    residual = wrench + gradients.T @ forces
    forces[pressing] += np.linalg.lstsq(gradients[pressing].T, -residual, rcond=_RANK)[0]
    return forces if (forces >= 0.0).all() else balance(wrench, gradients)[0]


def _even_forces_of_many(wrench: Floats, gradients: Floats) -> Floats:
    """Return the same for many bodies by the interior point: the multipliers of min 1/2 |x|^2 - w . x with
    J x >= 0, whose x is the residual; then of min 1/2 b |x|^2 - w' . x with J x + f >= 0, w' without it and b
    faint, which are of least norm.  What b x is not balanced is given to w' again.
    """
    zeros, size = np.zeros(len(gradients)), len(wrench)
    residual = solve_qp(np.eye(size), wrench, gradients, zeros)
    if residual is None:  # 0 obeys all rows
        raise PlacementError("the contact forces of a heap were not found")
    given = SparseQP(
        sparse.csr_array(_SOFT * np.eye(size)),
        wrench - residual.x,
        sparse.csr_array(gradients),
        zeros,
        np.zeros(len(gradients), bool),
        np.full(size, np.inf),
        compliance=1.0,
        size=1.0,
    )
    even = None
    for _ in range(_AGAIN):
        found = solve_sparse_qp(given, even)
        if found is None:
            return residual.forces
        even = found
        given = replace(given, linear=given.linear + wrench - residual.x + gradients.T @ found.multipliers)
    return residual.forces if even is None else even.multipliers


def forces_with_brakes(
    wrench: Floats, gradients: Floats, bilateral: Ints, brakes: Floats, greatest: Floats
) -> tuple[Floats, Floats]:
    """Return the contact forces (k,) of `certified_forces`, and the forces (b,) of brakes, |t| <= greatest.

    A brake that would have to hold with more than it can gives all that it can.  Where that leaves something
    unbalanced, the forces of least residual are looked for among all.

    Args:
        wrench: the external generalized force F_e (d,).
        gradients: J (k, d).
        bilateral: the rows of the bilateral contacts.
        brakes: what brakes hold, S (b, d): their generalized forces are S' t.
        greatest: (b,).
    """
    count, held, braking = len(gradients), np.ones(len(brakes), bool), np.zeros(len(brakes))
    while True:
        given = wrench + brakes[~held].T @ braking[~held] if len(brakes) else wrench
        rows = np.concatenate([gradients, brakes[held]]) if len(brakes) else gradients
        either = np.concatenate([bilateral, count + np.arange(int(held.sum()))]).astype(np.intp)
        found = certified_forces(given, rows, either)
        braking[held] = found[count:]
        over = held & (np.abs(braking) > greatest)
        if not over.any():
            break
        braking[over] = np.clip(braking, -greatest, greatest)[over]
        held &= ~over
    left = given + rows.T @ found
    if held.all() or np.abs(left).max() <= _BALANCED * np.abs(wrench).max():
        return found[:count], braking
    return _bounded_forces(wrench, gradients, bilateral, brakes, greatest)


def _bounded_forces(
    wrench: Floats, gradients: Floats, bilateral: Ints, brakes: Floats, greatest: Floats
) -> tuple[Floats, Floats]:
    """Return the forces of least residual, those of brakes within their bounds.

    u = greatest + t >= 0, and v = greatest - t >= 0 by rows u + v = 2 greatest of a large weight.
    """
    k, b = len(gradients), len(brakes)
    unit, heavy = _HEAVY * np.eye(b), np.zeros((b, k + len(bilateral)))
    columns = np.concatenate([gradients, -gradients[bilateral], brakes, np.zeros_like(brakes)]).T
    matrix = np.concatenate([columns, np.concatenate([heavy, unit, unit], axis=1)])
    target = np.concatenate([brakes.T @ greatest - wrench, 2.0 * _HEAVY * greatest])
    found = non_negative_least_squares(matrix, target)
    forces = found[:k].copy()
    forces[bilateral] -= found[k : k + len(bilateral)]
    braking = np.clip(found[k + len(bilateral) :][:b] - greatest, -greatest, greatest)
    return forces, braking


def certified_forces(wrench: Floats, gradients: Floats, bilateral: Ints) -> Floats:
    """Return the contact forces (k,) that certificates report: even ones, >= 0 but for bilateral contacts.

    Args:
        wrench: the external wrench F_e (d,).
        gradients: J (k, d).
        bilateral: the rows (b,) of the bilateral contacts, whose force may be negative: it pulls.
    """
    forces = even_forces(wrench, np.concatenate([gradients, -gradients[bilateral]]))
    out = forces[: len(gradients)].copy()
    out[bilateral] -= forces[len(gradients) :]
    return out
