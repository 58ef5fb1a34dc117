"""The small quadratic programme of a step: min 1/2 x' B x - w . x with g + J x >= c, |x| within the trust
radius.

With B = L L' and z = L' x - L^-1 w it is a least-distance programme, min |z| with G z >= h, G = J L'^-1, h =
c - g - G L^-1 w, which Lawson and Hanson (1974, chapter 23) solve by one non-negative least-squares problem:
with u minimizing |[G'; h'] u - e_last| and rho = 1 - h . u, the multipliers are u / rho.  It takes redundant
rows as they come.  Rows that the free step violates set the scale, and each row's column has length 1: a lack
of 1e-10 is not lost beside rows with room to spare.

B holds the curvature of the pressing contacts (DESIGN section 3): B = -sum f_i H_i + 10 Ja' Ja + sigma 1,
where sigma grows until the step is short enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from ..arrays import Bools, Floats
from ..mechanics.balance import balance
from .non_negative import nonnegative_least_squares

_PENALTY = 10.0
_PRESSES = 1e-9
_CONTRADICTION = 1e-12  # rho below which no point obeys all rows
_ROUNDS = 30
_ALONE = 8  # rounds in which each body's sigma grows by itself
_STRAIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class Step:
    """x (6 m,), (dX / R, dTheta) of each body, and the multipliers (k,) of the rows: contact forces, in units
    of the external one.
    """

    x: Floats
    forces: Floats


def lengths(x: Floats) -> Floats:
    """The farthest that a point of each body (m,) can move by x (6 m,), over R: the shift plus the turn."""
    parts = x.reshape(-1, 2, 3)
    far: Floats = np.sqrt(np.einsum("bij,bij->bi", parts, parts)).sum(axis=1)
    return far


def length(x: Floats) -> float:
    """The farthest that a point of any body can move by x, over R."""
    return float(lengths(x).max())


def _lower(matrix: Floats) -> Floats:
    lower: Floats = cholesky(matrix, lower=True).astype(np.float64)
    return lower


def _back(lower: Floats, right: Floats) -> Floats:
    solution: Floats = solve_triangular(lower.T, right).astype(np.float64)
    return solution


def _solve(
    lower: Floats, wrench: Floats, gradients: Floats, room: Floats, like: Floats | None = None
) -> Step | None:
    """Minimize with B = lower lower'; None if the rows contradict one another.

    like (k,): the forces of a programme much like this one, a good start.
    """
    free: Floats = solve_triangular(lower, wrench, lower=True).astype(np.float64)
    if len(gradients) == 0:
        return Step(_back(lower, free), np.zeros(0))
    g = solve_triangular(lower, gradients.T, lower=True).T
    h = room - g @ free
    scale = float(h.max())
    if scale <= 0.0:
        return Step(_back(lower, free), np.zeros(len(h)))
    columns = np.vstack([g.T, h[None] / scale])
    sizes = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    sizes[sizes == 0.0] = 1.0  # a row that always holds, 0 x >= 0
    target = np.zeros(len(columns))
    target[-1] = 1.0
    start = None if like is None else like * sizes
    u = nonnegative_least_squares(columns / sizes, target, start) / sizes
    rho = 1.0 - float(h @ u) / scale
    if rho < _CONTRADICTION:
        return None
    forces = scale / rho * u
    return Step(_back(lower, g.T @ forces + free), forces)


def solve_programme(matrix: Floats, wrench: Floats, gradients: Floats, room: Floats) -> Step | None:
    """Minimize 1/2 x' matrix x - wrench . x subject to gradients @ x >= room (k,).

    matrix (6, 6) must be positive definite.  Return None if the rows contradict one another.
    """
    return _solve(_lower(matrix), wrench, gradients, room)


def curvature(forces: Floats, gradients: Floats, hessians: Floats) -> Floats:
    """Return -sum f_i H_i + 10 Ja' Ja (6, 6) over the pressing rows."""
    rows = forces > _PRESSES
    pressing = gradients[rows]
    result: Floats = _PENALTY * pressing.T @ pressing - np.einsum("i,iab->ab", forces[rows], hessians[rows])
    return result


def trust_step(
    matrix: Floats,
    wrench: Floats,
    gradients: Floats,
    room: Floats,
    trust: float,
    viscosity: Floats | float = _STRAIGHT,
) -> Step | None:
    """Raise sigma in matrix + sigma 1, from `viscosity` on, until the step is no longer than `trust`.

    Of several bodies each has a sigma of its own: one that falls does not slow down those at rest.
    Directions in which the energy curves down, or not at all, are taken as straight (eigenvalue _STRAIGHT):
    there the step goes as far as it may, and leaves a metastable balance instead of creeping off it.  Return
    None if the rows contradict one another, or only a longer step obeys them.
    """
    values, vectors = np.linalg.eigh(matrix)
    matrix = (vectors * np.maximum(values, _STRAIGHT)) @ vectors.T
    sigma, like = np.full(len(wrench) // 6, 1.0) * viscosity, None
    for attempt in range(_ROUNDS):
        step = _solve(_lower(matrix + np.diag(np.repeat(sigma, 6))), wrench, gradients, room, like)
        if step is None:
            return None
        like = step.forces
        excess = lengths(step.x) / trust
        if (excess <= 1.0).all():
            return step
        longer = excess > 1.0
        if attempt >= _ALONE:  # bodies that push one another in turn would never be short all at once
            excess, longer = np.full(len(sigma), excess.max()), np.full(len(sigma), True)
        sigma[longer] *= np.clip(1.2 * excess[longer], 1.5, 30.0)
    return None


def paper_step(wrench: Floats, gradients: Floats, touching: Bools, trust: float) -> Step:
    """The paper's own update (5.2, 5.3), to compare with: the residual of the least-squares balance on the
    touching contacts, scaled to the trust radius; contacts that would glue are let go.
    """
    forces = np.zeros(len(gradients))
    rows = np.nonzero(touching)[0]
    forces[rows], residual = balance(wrench, gradients[rows], "svd")
    size = length(residual)
    return Step(residual * (min(1.0, trust / size) if size > 0.0 else 0.0), np.maximum(forces, 0.0))
