"""The small quadratic programme (QP) of a step: min 1/2 x' B x - w . x with J x >= c, |x| in a trust region.

With B = L L' and z = L' x - L^-1 w it is a least-distance programme, min |z| with G z >= h, G = J L'^-1, h =
c - G L^-1 w, which Lawson and Hanson (1974, chapter 23) solve by one non-negative least-squares problem: with
u minimizing |[G'; h'] u - e_last| and rho = 1 - h . u, the multipliers are u / rho.  It takes redundant rows
as they come.  Rows that the free step violates set the scale, and each row's column has length 1: a lack of
1e-10 is not lost beside rows with room to spare.

The trust region.  sigma 1 is added to B, sigma such that the step is short enough.  Where there is one block
of coordinates (a body's, for bodies that move freely), its length falls with sigma about as a power does, so
that sigma is found between two others on the logarithms of both.  Of several blocks each has a sigma of its
own, which grows until all are short.

Many bodies.  From some size on the programme is sparse, and solved by an interior-point method instead
(`interior_point`).  There the trust region is a bound of each coordinate, and B is not searched for downward
curvature: it is to be positive definite as it is given.

The multipliers f_i of rows g_i(x) >= 0 that curve enter the next matrix by the Lagrangian's Hessian,
-sum f_i H_i, on the motions Z that the pressing rows Ja leave free (Ja Z = 0): a reduced-Hessian method.  The
whole Hessian may be indefinite where the reduced one is not: made positive as a whole, it would be a wall
in free directions.  Leaving the pressing rows costs 5 |Ja x - ca|^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular

from ..arrays import Floats, Ints
from .interior_point import Solution, SparseQP, solve_sparse_qp
from .non_negative import non_negative_least_squares

_PENALTY = 10.0  # of leaving a pressing row, over its squared change: stiff beside curvatures of about 1
_PRESSES = 1e-9  # size of the multiplier of a row that presses or pulls; smaller ones are rounding
_CONTRADICTION = 1e-12  # rho below which no point obeys all rows
_RANK = 1e-6  # singular values of the pressing rows, over the largest, that count as zero
_FIRM = 3e-3  # singular values, likewise, of motions held firmly; nearly level facets hold less sideways
_ROUNDS = 30  # in which sigma may grow: 1.5^30 of what it began with, at least
_NARROWED = 8  # rounds after which a step that is short enough will do, however short
_NEARLY = (0.9, 0.97)  # length, over the radius, of a step as long as it may be: the least, and the aim
_GROWTH = 1e3  # factor by which sigma may grow at once
_SHORT = 2.5  # radius over the length of a step that is so short that no sigma may be needed
_ALONE = 8  # rounds in which each block's sigma grows by itself
MANY = 36  # coordinates above which the interior-point method is the faster one: of free bodies
MANY_DENSE = 200  # the same where all rows depend on all coordinates
_ROUNDING = 1e-9  # part of the radius that rounding may add to a bound
_INSIDE = 0.98  # radius, over that of the trust region, that the bounds of a block which is too long aim at
_STRAIGHT = 1e-4  # least eigenvalue that B is given, and the sigma that the search begins with

NO_ROWS: Ints = np.zeros(0, np.intp)


@dataclass(frozen=True, eq=False)
class Step:
    """The solution x (d,) of a step's QP, and the multipliers (k,) of its rows: for contacts, their forces in
    units of the external one.  Those of equations have any sign.

    viscosity: the sigma that its trust region needed, where it has one block: a start for a similar QP.
    """

    x: Floats
    forces: Floats
    viscosity: float | None = None


@dataclass(frozen=True, eq=False)
class TrustRegion:
    """The region in which a step is trusted: no block of its coordinates x (d,) is longer than the radius.

    Attributes:
        radius: the greatest length, in the unit of `lengths`: one for all blocks or (b,).
        blocks: the block (d,) of each coordinate, numbered from 0 to b - 1.
        lengths: the function that returns the lengths (b,) of the blocks of x (d,).
    """

    radius: float | Floats
    blocks: Ints
    lengths: Callable[[Floats], Floats]

    @property
    def count(self) -> int:
        """The number of blocks; one that nothing of moves has no coordinates."""
        return len(self.lengths(np.zeros(len(self.blocks))))

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


def solve_qp(
    matrix: Floats,
    linear: Floats,
    rows: Floats,
    bounds: Floats,
    equations: Ints = NO_ROWS,
    many: int = MANY,
) -> Step | None:
    """Return the x that minimizes 1/2 x' matrix x - linear . x with rows @ x >= bounds, and its multipliers.

    Args:
        matrix: B (d, d), symmetric and positive definite.
        linear: w (d,).
        rows: J (k, d).
        bounds: c (k,).
        equations: the numbers of the rows that hold with equality.
        many: the number of coordinates above which the interior-point method is used.

    Returns:
        The step, or None if the rows contradict one another.

    Raises:
        numpy.linalg.LinAlgError: if the matrix is not positive definite.
    """
    if len(linear) > many:
        free = np.full(len(linear), np.inf)
        return _step_of(solve_sparse_qp(_programme(matrix, linear, rows, bounds, equations, free)))
    step = _solve(_lower(matrix), linear, *_as_inequalities(rows, bounds, equations))
    return _with_equations(step, len(rows), equations)


def _as_inequalities(rows: Floats, bounds: Floats, equations: Ints) -> tuple[Floats, Floats]:
    """Return rows and bounds with those of equations again, of opposite sign, at the end."""
    return np.concatenate([rows, -rows[equations]]), np.concatenate([bounds, -bounds[equations]])


def _with_equations(step: Step | None, count: int, equations: Ints) -> Step | None:
    """Return a step with one multiplier for each of `count` rows, undoing `_as_inequalities`."""
    if step is None:
        return None
    forces = step.forces[:count].copy()
    forces[equations] -= step.forces[count:]
    return Step(step.x, forces, step.viscosity)


def _programme(
    matrix: Floats, linear: Floats, rows: Floats, bounds: Floats, equations: Ints, limits: Floats
) -> SparseQP:
    equal = np.zeros(len(rows), bool)
    equal[equations] = True
    return SparseQP(sparse.csr_array(matrix), linear, sparse.csr_array(rows), bounds, equal, limits)


def _step_of(solution: Solution | None) -> Step | None:
    return None if solution is None else Step(solution.x, solution.multipliers)


def lagrangian_curvature(
    forces: Floats, rows: Floats, bounds: Floats, hessians: Floats
) -> tuple[Floats, Floats]:
    """Return what the rows that press, or pull as equations may, those with |f_i| > 1e-9, add to the matrix
    (d, d) and to w (d,).

    With Z the motions that they leave free, Ja Z = 0, Y those that they hold firmly, and H = -sum f_i H_i,
    that is Z Z' H Z Z' + (Y Y' H Y Y')+ + 10 Ja' Ja, and 10 Ja' ca.  ( )+ keeps the positive eigenvalues:
    rows that press now may leave in the step, and then what they held curves, too.

    Args:
        forces: the multipliers f (k,).
        rows: the gradients J (k, d).
        bounds: c (k,).
        hessians: H (k, d, d).
    """
    mine = np.abs(forces) > _PRESSES
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


def convex_curvature(forces: Floats, blocks: Floats, columns: Ints, size: int) -> Floats:
    """Return what rows that curve add to the matrix (d, d) of many bodies: the positive part of each -f H.

    Args:
        forces: the multipliers f (k,).
        blocks: H (k, n, n), each by the n coordinates that its row depends on.
        columns: these coordinates (k, n); -1 for none.
        size: d.
    """
    values, vectors = np.linalg.eigh(-forces[:, None, None] * blocks)
    bends = np.einsum("kia,ka,kja->kij", vectors, np.maximum(values, 0.0), vectors)
    out = np.zeros((size + 1, size + 1))  # the last takes what depends on no coordinate
    np.add.at(out, (columns[:, :, None], columns[:, None, :]), bends)
    return out[:size, :size]


def trust_region_step(
    matrix: Floats,
    linear: Floats,
    rows: Floats,
    bounds: Floats,
    region: TrustRegion,
    viscosity: Floats | float = _STRAIGHT,
    equations: Ints = NO_ROWS,
    start: float | None = None,
    many: int = MANY,
) -> Step | None:
    """Return the step of the QP with matrix + sigma 1 in a trust region.

    Directions in which the energy curves down, or not at all, are taken as straight (eigenvalue 1e-4): there
    the step goes as far as it may, and leaves a metastable balance instead of creeping off it.

    Args:
        matrix: B (d, d), symmetric; it may be indefinite where d is small.
        linear: w (d,).
        rows: J (k, d).
        bounds: c (k,).
        region: how long the step may be.
        viscosity: the sigma that each block begins with, one for all or (b,).
        equations: the numbers of the rows that hold with equality.
        start: `Step.viscosity` of a similar QP.
        many: the number of coordinates above which the interior-point method is used.

    Returns:
        The step, or None if the rows contradict one another, or only a longer step obeys them.
    """
    sigma = np.full(region.count, 1.0) * viscosity
    if len(linear) > many:
        matrix = matrix + np.diag(sigma[region.blocks])
        return _within_bounds(matrix, linear, rows, bounds, region, equations)
    values, vectors = np.linalg.eigh(matrix)
    matrix = (vectors * np.maximum(values, _STRAIGHT)) @ vectors.T
    inequalities = _as_inequalities(rows, bounds, equations)
    if len(sigma) == 1:
        step = _as_long_as_trusted(matrix, linear, *inequalities, region, float(sigma[0]), start)
    else:
        step = _viscous(matrix, linear, *inequalities, region, sigma)
    return _with_equations(step, len(rows), equations)


def _as_long_as_trusted(
    matrix: Floats,
    linear: Floats,
    rows: Floats,
    bounds: Floats,
    region: TrustRegion,
    least: float,
    start: float | None,
) -> Step | None:
    """Return a step of one block about as long as the trust region allows, or that of the least sigma.

    Without a start, sigma is first what would make the step of `linear` alone that long.
    """
    radius = float(np.min(region.radius))
    sigma = 1.2 * float(region.lengths(linear)[0]) / radius if start is None else start
    like, tried = None, _Tried()
    for attempt in range(_ROUNDS):
        sigma = max(sigma, least)
        step = _solve(_lower(matrix + sigma * np.eye(len(linear))), linear, rows, bounds, like)
        if step is None:
            return None
        like, excess = step.forces, float(region.excess(step.x)[0])
        if excess <= 1.0 and (sigma == least or excess >= _NEARLY[0] or attempt >= _NARROWED):
            return Step(step.x, step.forces, sigma)
        tried = tried.and_(sigma, excess)
        sigma = tried.next_sigma(least)
    return None


class _Tried(NamedTuple):
    """The last sigmas, two at most, the last one first, that made steps too long, and those that made them
    short, each with 1 / the step's length over the radius: nearly a linear function of sigma.
    """

    long: tuple[tuple[float, float], ...] = ()
    short: tuple[tuple[float, float], ...] = ()

    def and_(self, sigma: float, excess: float) -> _Tried:
        """Return these and one more."""
        one = (sigma, 1.0 / max(excess, 1e-6))
        if excess > 1.0:
            return self._replace(long=(one, *self.long[:1]))
        return self._replace(short=(one, *self.short[:1]))

    def next_sigma(self, least: float) -> float:
        """Return the sigma to try next: on the line through two of these, as far as that leads on."""
        aim = 1.0 / _NEARLY[1]
        if not self.long:
            far = len(self.short) > 1 or self.short[0][1] > _SHORT
            return least if far else self.short[0][0] * aim / self.short[0][1]
        sigma, inverse = self.long[0]
        if self.short:
            share = (aim - inverse) / (self.short[0][1] - inverse)
            return sigma + min(max(share, 0.01), 0.9) * (self.short[0][0] - sigma)
        wanted = sigma * aim / inverse
        if len(self.long) > 1 and inverse > self.long[1][1]:
            before, other = self.long[1]
            wanted = sigma + (aim - inverse) / (inverse - other) * (sigma - before)
        return sigma * min(max(wanted / sigma, 1.5), _GROWTH)


def _viscous(
    matrix: Floats, linear: Floats, rows: Floats, bounds: Floats, region: TrustRegion, sigma: Floats
) -> Step | None:
    """Return a step in the trust region: sigma (b,) is raised until it is short enough.

    Each block has a sigma of its own: a body that falls does not slow down those at rest.
    """
    like = None
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


def _within_bounds(
    matrix: Floats, linear: Floats, rows: Floats, bounds: Floats, region: TrustRegion, equations: Ints
) -> Step | None:
    """Return a step in the trust region: each coordinate is bounded, and the bounds of blocks that are too
    long shrink.
    """
    limits = np.full(region.count, 1.0 - _ROUNDING) * region.radius

    def narrower(x: Floats) -> Floats | None:
        nonlocal limits
        excess = region.excess(x)
        if (excess <= 1.0).all():
            return None
        farthest = np.zeros(len(limits))
        np.maximum.at(farthest, region.blocks, np.abs(x))
        limits = np.where(excess > 1.0, _INSIDE / excess * np.minimum(farthest, limits), limits)
        return limits[region.blocks]

    programme = _programme(matrix, linear, rows, bounds, equations, limits[region.blocks])
    return _step_of(solve_sparse_qp(programme, narrowing=narrower))
