"""The small quadratic programme (QP) of a step: min 1/2 x' B x - w . x with J x >= c, |x| in a trust region.

With B = L L' and z = L' x - L^-1 w it is a least-distance programme, min |z| with G z >= h, G = J L'^-1, h =
c - G L^-1 w, which Lawson and Hanson (1974, chapter 23) solve by one non-negative least-squares problem: with
u minimizing |[G'; h'] u - e_last| and rho = 1 - h . u, the multipliers are u / rho.  It takes redundant rows
as they come.  Rows that the free step violates set the scale, and each row's column has length 1: a lack of
1e-10 is not lost beside rows with room to spare.

The trust region.  sigma 1 is added to B, and sigma grows until the step is short enough; each block of
coordinates (a body's, for bodies that move freely) has a sigma of its own.

The multipliers f_i of rows g_i(x) >= 0 that curve enter the next matrix by the Lagrangian's Hessian,
-sum f_i H_i, on the motions Z that the pressing rows Ja leave free (Ja Z = 0): a reduced-Hessian method.  The
whole Hessian may be indefinite where the reduced one is not: made positive as a whole, it would be a wall
in free directions.  Leaving the pressing rows costs 5 |Ja x - ca|^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from ..arrays import Floats, Ints
from .non_negative import non_negative_least_squares

_PENALTY = 10.0  # of leaving a pressing row, over its squared change: stiff beside curvatures of about 1
_PRESSES = 1e-9  # multiplier above which a row presses; smaller ones are rounding
_CONTRADICTION = 1e-12  # rho below which no point obeys all rows
_RANK = 1e-6  # singular values of the pressing rows, over the largest, that count as zero
_FIRM = 3e-3  # singular values, likewise, of motions held firmly; nearly level facets hold less sideways
_ROUNDS = 30  # in which sigma may grow: 1.5^30 of what it began with, at least
_ALONE = 8  # rounds in which each block's sigma grows by itself
_STRAIGHT = 1e-4  # least eigenvalue that B is given, and the sigma that the search begins with


@dataclass(frozen=True, eq=False)
class Step:
    """The solution x (d,) of a step's QP, and the multipliers (k,) of its rows: for contacts, their forces in
    units of the external one.
    """

    x: Floats
    forces: Floats


@dataclass(frozen=True, eq=False)
class TrustRegion:
    """The region in which a step is trusted: no block of its coordinates x (d,) is longer than the radius.

    Attributes:
        radius: the greatest length, in the unit of `lengths`.
        blocks: the block (d,) of each coordinate, numbered from 0 to b - 1.
        lengths: the function that returns the lengths (b,) of the blocks of x (d,).
    """

    radius: float
    blocks: Ints
    lengths: Callable[[Floats], Floats]

    def excess(self, x: Floats) -> Floats:
        """Return the lengths of the blocks of x, over the radius (b,): above 1 where x is too long."""
        over: Floats = self.lengths(x) / self.radius
        return over


def _lower(matrix: Floats) -> Floats:
    lower: Floats = cholesky(matrix, lower=True).astype(np.float64)
    return lower


def _back(lower: Floats, right: Floats) -> Floats:
    solution: Floats = solve_triangular(lower.T, right).astype(np.float64)
    return solution


def _solve(
    lower: Floats, linear: Floats, rows: Floats, bounds: Floats, like: Floats | None = None
) -> Step | None:
    """Minimize with B = lower lower'; None if the rows contradict one another.

    like (k,): the multipliers of a QP much like this one, a good start.
    """
    free: Floats = solve_triangular(lower, linear, lower=True).astype(np.float64)
    if len(rows) == 0:
        return Step(_back(lower, free), np.zeros(0))
    g = solve_triangular(lower, rows.T, lower=True).T
    h = bounds - g @ free
    scale = float(h.max())
    if scale <= 0.0:
        return Step(_back(lower, free), np.zeros(len(h)))
    columns = np.vstack([g.T, h[None] / scale])
    sizes = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    sizes[sizes == 0.0] = 1.0  # a row that always holds, 0 x >= 0
    target = np.zeros(len(columns))
    target[-1] = 1.0
    start = None if like is None else like * sizes
    u = non_negative_least_squares(columns / sizes, target, start) / sizes
    rho = 1.0 - float(h @ u) / scale
    if rho < _CONTRADICTION:
        return None
    forces = scale / rho * u
    return Step(_back(lower, g.T @ forces + free), forces)


def solve_qp(matrix: Floats, linear: Floats, rows: Floats, bounds: Floats) -> Step | None:
    """Return the x that minimizes 1/2 x' matrix x - linear . x with rows @ x >= bounds, and its multipliers.

    Args:
        matrix: B (d, d), symmetric and positive definite.
        linear: w (d,).
        rows: J (k, d).
        bounds: c (k,).

    Returns:
        The step, or None if the rows contradict one another.

    Raises:
        numpy.linalg.LinAlgError: if the matrix is not positive definite.
    """
    return _solve(_lower(matrix), linear, rows, bounds)


def lagrangian_curvature(
    forces: Floats, rows: Floats, bounds: Floats, hessians: Floats
) -> tuple[Floats, Floats]:
    """Return what the rows that press, those with f_i > 1e-9, add to the matrix (d, d) and to w (d,).

    With Z the motions that they leave free, Ja Z = 0, Y those that they hold firmly, and H = -sum f_i H_i,
    that is Z Z' H Z Z' + (Y Y' H Y Y')+ + 10 Ja' Ja, and 10 Ja' ca.  ( )+ keeps the positive eigenvalues:
    rows that press now may leave in the step, and then what they held curves, too.

    Args:
        forces: the multipliers f (k,).
        rows: the gradients J (k, d).
        bounds: c (k,).
        hessians: H (k, d, d).
    """
    mine = forces > _PRESSES
    pressing = rows[mine]
    square = pressing.T @ pressing
    sizes, motions = np.linalg.eigh(square)
    largest = max(float(sizes[-1]), 0.0)
    free, held = motions[:, sizes <= _RANK**2 * largest], motions[:, sizes > _FIRM**2 * largest]
    curvature = -np.einsum("i,iab->ab", forces[mine], hessians[mine])
    matrix: Floats = free @ (free.T @ curvature @ free) @ free.T + _PENALTY * square
    curvatures, bending = np.linalg.eigh(held.T @ curvature @ held)
    bending = held @ bending
    matrix += (bending * np.maximum(curvatures, 0.0)) @ bending.T
    return matrix, _PENALTY * pressing.T @ bounds[mine]


def trust_region_step(
    matrix: Floats,
    linear: Floats,
    rows: Floats,
    bounds: Floats,
    region: TrustRegion,
    viscosity: Floats | float = _STRAIGHT,
) -> Step | None:
    """Return the step of the QP with matrix + sigma 1, sigma raised until the step is in the trust region.

    Each block has a sigma of its own: a body that falls does not slow down those at rest.  Directions in
    which the energy curves down, or not at all, are taken as straight (eigenvalue 1e-4): there the step goes
    as far as it may, and leaves a metastable balance instead of creeping off it.

    Args:
        matrix: B (d, d), symmetric; it may be indefinite.
        linear: w (d,).
        rows: J (k, d).
        bounds: c (k,).
        region: how long the step may be.
        viscosity: the sigma that each block begins with, one for all or (b,).

    Returns:
        The step, or None if the rows contradict one another, or only a longer step obeys them.
    """
    values, vectors = np.linalg.eigh(matrix)
    matrix = (vectors * np.maximum(values, _STRAIGHT)) @ vectors.T
    sigma, like = np.full(int(region.blocks.max()) + 1, 1.0) * viscosity, None
    for attempt in range(_ROUNDS):
        step = _solve(_lower(matrix + np.diag(sigma[region.blocks])), linear, rows, bounds, like)
        if step is None:
            return None
        like = step.forces
        excess = region.excess(step.x)
        if (excess <= 1.0).all():
            return step
        longer = excess > 1.0
        if attempt >= _ALONE:  # bodies that push one another in turn would never be short all at once
            excess, longer = np.full(len(sigma), excess.max()), np.full(len(sigma), True)
        sigma[longer] *= np.clip(1.2 * excess[longer], 1.5, 30.0)
    return None
