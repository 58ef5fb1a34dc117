"""A quadratic programme of many bodies by an interior-point method: min 1/2 x' B x - w . x, J x >= c.

Some rows may be equations, J x = c, all may give way by gamma l, J x + gamma l >= c, and each x_i may be
bounded, |x_i| <= u_i.  With slacks s = J x - c and multipliers l the conditions are

    B x - w - J' l = 0,    J x - s = c,    s_i l_i = 0,    s, l >= 0,

and Newton's method is led to them along s_i l_i = sigma mu (Mehrotra 1992: a predictor with sigma = 0 shows
how far mu can fall, and what it leaves of second order is put right, unless mu does not fall).  Without s and
l, a step solves

    (B + J' D J) dx = right,    D = 1 / (s / l + delta),

delta a proximal regularization: it is centred on the present l, so it changes nothing at the end, keeps
redundant rows from making the matrix singular, and is what an equation has in place of s / l.  The rows of a
contact have entries for one or two bodies, so the matrix is sparse (`normal_equations`).

A region that is not a box is found on the way: as soon as x is nearly known, those of the limits are made
narrower between which it is too long, and the search goes on from there.

Rows that no x of the expected size can reach are left out, and added if they are broken after all.  Forces
that redundant rows leave undetermined come out even: the path ends in the middle of their set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from .normal_equations import NormalEquations

_ITERATIONS = 80  # 10 to 30 are usual
# Largest violation of a condition, in the problem's own scale, that ends the search; of s l it is the root:
# of a row that neither presses nor has room s = l is left, and bodies at rest would move by that much.
_ENOUGH = 1e-11
_ROUNDED = 1e-8  # the same where rounding lets it get no smaller
_SLOWLY = 3  # iterations without a smaller violation after which it is rounding
# The same where it no longer gets smaller: rows of opposite sign may contradict each other by the clearance
# of contacts, and a compromise is as good.
_COMPROMISE = 1e-5
_NO_LONGER = 15  # iterations without a smaller violation after which that is so
_TO_BOUNDARY = 0.995  # part of the way to the nearest s = 0 or l = 0 that a step takes
_STIFF = 1e8  # 1 / delta, over the size of B or w
_PENALTY = 10.0  # of violations where the search begins, over the same
_REACHED = -1.0  # least bound, over the expected size of x, of rows that say where the search begins
_STALLED = 0.7  # mu, over the one before, above which the second-order term has done harm: it can cycle
_CENTRED = 0.3  # least sigma then
_WITHIN = 0.9  # of the limits that x may have where the search begins
_LEAST_SLACK = 1e-2  # of s where the search begins
_LEAST_FORCE = 1e-1  # of l where the search begins
_NEARLY = 1e-2  # largest violation of a condition at which x shows which limits are to be narrower
_NARROWINGS = 12  # of the limits: sqrt(12) is the most by which those of six numbers have to be
_AGAIN = 1e-2  # least s and l where the search goes on with narrower limits
_LIKE = 1e-3  # least s and l where it begins at the solution of a similar problem
_SURELY = 1e-9  # of both sides of the proof that rows contradict one another: above rounding
_NEAR = 100.0  # size of x, over the one expected, for which rows are kept from the beginning
_ADDITIONS = 20  # rounds in which rows are added that are broken
_IDLE = 1e-9  # multiplier of a loose row, over the largest, that is rounding
_UNBOUNDED = 1e6  # |x_i|, over the scale, beyond which a point that obeys the rows is not looked for


@dataclass(frozen=True, eq=False)
class SparseQP:
    """min 1/2 x' B x - w . x with J x >= c, equations J x = c, and |x_i| <= u_i.

    Attributes:
        matrix: B (d, d), sparse, symmetric and positive definite.
        linear: w (d,).
        rows: J (k, d), sparse.
        bounds: c (k,).
        equations: which rows (k,) are equations.
        limits: u (d,), inf where there is none.
        compliance: gamma, by which a row gives way to a multiplier of 1.
        size: how large x is expected to be; found from the rest if it is None.
    """

    matrix: sparse.csr_array
    linear: Floats
    rows: sparse.csr_array
    bounds: Floats
    equations: Bools
    limits: Floats
    compliance: float = 0.0
    size: float | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution x (d,) of a programme, the multipliers l (k,) of its rows, those (2 n,) of the n limits,
    and how many iterations it took.
    """

    x: Floats
    multipliers: Floats
    at_limits: Floats
    iterations: int


Narrowing = Callable[[Floats], Floats | None]
"""From x (d,) narrower limits u (d,), all of which are finite; None where x needs none."""


def solve_sparse_qp(
    programme: SparseQP, like: Solution | None = None, narrowing: Narrowing | None = None
) -> Solution | None:
    """Return the solution of a programme; None if no x obeys its rows.

    Args:
        programme: the programme.
        like: the solution of a similar one with the same rows, to begin with.
        narrowing: what the limits become while x is found; the solution needs no narrower ones.
    """
    scale = _scale(programme)
    kept = programme.equations | (programme.bounds > -_reach(programme, _NEAR * scale))
    for _ in range(_ADDITIONS):
        search = _Search(_of_rows(programme, kept), scale)
        search.begin(None if like is None else replace(like, multipliers=like.multipliers[kept]))
        found = search.run(narrowing)
        if found is None:
            return None
        programme = replace(programme, limits=search.limits)
        broken = ~kept & (programme.rows @ found.x < programme.bounds)
        multipliers = np.zeros(len(kept))
        multipliers[kept] = found.multipliers
        like = replace(found, multipliers=multipliers)
        if not broken.any():
            return like
        kept = kept | broken
    return None


def _reach(programme: SparseQP, farthest: float) -> Floats:
    """Return how much each row's J x (k,) can change, for x within the limits and of a size `farthest`."""
    most = np.minimum(programme.limits, farthest)
    reach: Floats = abs(programme.rows) @ most
    return reach


def _of_rows(programme: SparseQP, kept: Bools) -> SparseQP:
    if kept.all():
        return programme
    chosen: Ints = np.flatnonzero(kept)
    shape, each = (len(chosen), len(kept)), np.arange(len(chosen))
    choice = sparse.csr_array((np.ones(len(chosen)), (each, chosen)), shape)
    return replace(
        programme,
        rows=sparse.csr_array(choice @ programme.rows),
        bounds=programme.bounds[kept],
        equations=programme.equations[kept],
    )


def _scale(programme: SparseQP) -> float:
    """Return the size that x is expected to have, by which lengths are divided."""
    if programme.size is not None:
        return programme.size
    lack = float(programme.bounds.max(initial=0.0))
    free = float((np.abs(programme.linear) / programme.matrix.diagonal()).max(initial=0.0))
    limited = np.minimum(free, programme.limits).max(initial=0.0) if free > 0.0 else 0.0
    return max(lack, float(limited)) or 1.0


class _Search:
    """The search: rows of J, then the limits x >= -u and -x >= -u of those x that have one."""

    limits: Floats
    """u (d,), as narrow as they have become."""

    def __init__(self, programme: SparseQP, scale: float) -> None:
        self._given, self._scale, self.limits = programme, scale, programme.limits
        limited: Ints = np.nonzero(np.isfinite(programme.limits))[0]
        self._limited = limited
        stiffness = float(np.median(programme.matrix.diagonal()))
        self._gain = max(stiffness, float(np.abs(programme.linear).max(initial=0.0)) / scale)
        self._w = programme.linear / (scale * self._gain)
        self._b = sparse.csr_array(programme.matrix / self._gain)
        self._rows, self._columns = programme.rows, sparse.csr_array(programme.rows.T)
        upper = -programme.limits[limited] / scale
        self._c = np.concatenate([programme.bounds / scale, upper, upper])
        self._equation = np.concatenate([programme.equations, np.zeros(2 * len(limited), bool)])
        self._system = NormalEquations(self._b, programme.rows)
        yielding = np.arange(len(self._c)) < len(programme.bounds)
        self._compliance: Floats = np.where(yielding, programme.compliance * self._gain, 0.0)
        self._iterations, self._mu = 0, np.inf

    def _times(self, x: Floats) -> Floats:
        """Return J x (k,), those of the limits last."""
        own = x[self._limited]
        product: Floats = np.concatenate([self._rows @ x, own, -own])
        return product

    def _back(self, forces: Floats) -> Floats:
        """Return J' l (d,) of forces l (k,)."""
        k, n = self._rows.shape[0], len(self._limited)
        product: Floats = self._columns @ forces[:k]
        product[self._limited] += forces[k : k + n] - forces[k + n :]
        return product

    def _factor(self, weights: Floats) -> None:
        k, n = self._rows.shape[0], len(self._limited)
        diagonal = np.zeros(len(self._w))
        diagonal[self._limited] = weights[k : k + n] + weights[k + n :]
        self._system.factor(weights[:k], diagonal)

    def begin(self, like: Solution | None) -> None:
        """Set x, s and l: near a similar solution, or from one with soft rows."""
        if like is None:
            # a row whose bound is far below what it can reach at the expected size would draw x there
            soft = np.where(self._equation | (self._c > _REACHED), _PENALTY, 0.0)
            self._factor(soft)
            most = _WITHIN * self._given.limits / self._scale
            self._x = np.clip(self._system.solve(self._w + self._back(soft * self._c)), -most, most)
            room = self._times(self._x) - self._c
            s = np.maximum(room, _LEAST_SLACK)
            forces = np.maximum(_LEAST_FORCE / np.maximum(1.0, s), -_PENALTY * room)
        else:
            self._x = like.x / self._scale
            s = np.maximum(self._times(self._x) - self._c, _LIKE)
            known = np.concatenate([like.multipliers, like.at_limits]) / (self._scale * self._gain)
            forces = np.maximum(known, _LIKE / np.maximum(1.0, s))
        self._s, self._l = np.where(self._equation, 0.0, s), np.where(self._equation, 0.0, forces)
        self._last: Floats = self._l

    def run(self, narrowing: Narrowing | None) -> Solution | None:
        """Iterate to the end; limits become narrower as soon as x is nearly known."""
        if narrowing is None:
            return self._iterated(_ENOUGH)
        for _ in range(_NARROWINGS):
            for enough in (_NEARLY, _ENOUGH):
                found = self._iterated(enough)
                limits = None if found is None else narrowing(found.x)
                if limits is not None:
                    break
            else:
                return found
            self._narrow(limits)
        return None

    def _narrow(self, limits: Floats) -> None:
        """Go on with narrower limits (d,)."""
        self.limits = limits
        upper = -limits[self._limited] / self._scale
        self._c[self._rows.shape[0] :] = np.concatenate([upper, upper])
        s = np.maximum(self._times(self._x) - self._c, _AGAIN)
        forces = np.maximum(self._l, _AGAIN / np.maximum(1.0, s))
        self._s, self._l = np.where(self._equation, 0.0, s), np.where(self._equation, self._l, forces)

    def _iterated(self, enough: float) -> Solution | None:
        """Iterate until no condition is violated by more than `enough`, or as far as rounding allows."""
        least, since, best = np.inf, 0, (self._x, self._l)
        for _ in range(_ITERATIONS):
            dual = self._b @ self._x - self._w - self._back(self._l)
            primal = self._times(self._x) + self._compliance * self._l - self._s - self._c
            product = self._s * self._l
            apart = np.sqrt(np.abs(product).max(initial=0.0))
            worst = max(float(np.abs(v).max(initial=0.0)) for v in (dual, primal, apart))
            since = 0 if worst < 0.5 * least else since + 1
            if worst < least:
                least, best = worst, (self._x, self._l)
            if worst <= enough or (since >= _SLOWLY and worst <= _ROUNDED):
                return self._solution()
            if since >= _NO_LONGER and least <= _COMPROMISE:
                break
            if self._iterations >= 2 and self._is_infeasible():
                return None
            self._iterate(dual, primal, product)
            self._iterations += 1
        self._x, self._l = best
        return self._solution() if least <= _COMPROMISE else None

    def _solution(self) -> Solution:
        k = self._rows.shape[0]
        idle = ~self._equation & (self._l < self._s) & (self._l < _IDLE * np.abs(self._l).max(initial=0.0))
        forces = np.where(idle, 0.0, self._l) * (self._scale * self._gain)
        return Solution(self._x * self._scale, forces[:k], forces[k:], self._iterations)

    def _is_infeasible(self) -> bool:
        """Return whether the multipliers prove that no |x_i| <= X obeys the rows: c . z > X |J' z|_1."""
        k = self._rows.shape[0]
        c, equation = self._c[:k], self._equation[:k]
        for z in (self._l[:k], self._last[:k]):
            z = np.where(equation, z, np.maximum(z, 0.0))
            gained = float(c @ z)
            if gained <= 0.0:
                continue
            farthest = np.minimum(self.limits / self._scale, _UNBOUNDED)
            reached = float(farthest @ np.abs(self._columns @ z))
            if gained > (1.0 + _SURELY) * reached + _SURELY * float(np.abs(c) @ np.abs(z)):
                return True
        return False

    def _iterate(self, dual: Floats, primal: Floats, product: Floats) -> None:
        delta = 1.0 / _STIFF
        free = ~self._equation
        ratio = np.divide(self._s, self._l, out=np.zeros_like(self._s), where=free)
        weights = 1.0 / (ratio + self._compliance + delta)
        self._factor(weights)

        def direction(centring: Floats) -> tuple[Floats, Floats, Floats]:
            shift = np.divide(centring, self._l, out=np.zeros_like(centring), where=free)
            dx = self._system.solve(-dual - self._back(weights * (primal + shift)))
            dl = -weights * (primal + shift + self._times(dx))
            ds = np.divide(-centring - self._s * dl, self._l, out=np.zeros_like(dl), where=free)
            return dx, ds, dl

        count = max(int(free.sum()), 1)
        mu = float(product.sum()) / count
        dx, ds, dl = direction(product)
        reach = self._reach(ds, dl, 1.0)
        ahead = float((self._s + reach * ds) @ (self._l + reach * dl)) / count
        sigma = (ahead / mu) ** 3 if mu > 0.0 else 0.0
        second = ds * dl
        if mu > _STALLED * self._mu:
            sigma, second = max(sigma, _CENTRED), np.zeros_like(product)
        self._mu = mu
        dx, ds, dl = direction(np.where(free, product + second - sigma * mu, 0.0))
        reach = self._reach(ds, dl, _TO_BOUNDARY)
        self._x = self._x + reach * dx
        self._s, self._l, self._last = self._s + reach * ds, self._l + reach * dl, dl

    def _reach(self, ds: Floats, dl: Floats, part: float) -> float:
        """Return how much of a step, at most 1, keeps s and l positive."""
        free = ~self._equation
        most = 1.0
        for value, change in ((self._s, ds), (self._l, dl)):
            falls = free & (change < 0.0)
            if falls.any():
                most = min(most, part * float((-value[falls] / change[falls]).min()))
        return most
