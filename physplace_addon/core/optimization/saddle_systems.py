"""The KKT system of a step, with curvature that only its free motions need to be positive.

    K x - J' l = r,    J x + C l = p,

is solved by the normal equations (`dual_equations`), which need the inverse of K, a matrix for each body.  So
its curvature is raised to be positive, to K'.  But a body that bends away need not be free to do so: joints
may leave no motion for it.  Then K' is too stiff, and Newton's method with it only linear.  And what bends by
two bodies at once has no place in K'.  Both are put right by a few directions U (6 m, u) with signs S: with
K = K' + U S U', and X the solution of K' for U,

    x = x' - X (S + U' X)^-1 U' x',    x' that of K'.

Free motions have positive curvature in K if and only if S + U' X has as many negative eigenvalues as S, as
they have it in K' (Haynsworth 1968, the inertia of Schur complements).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .dual_equations import DualEquations

_LEAST_CURVATURE = 0.1  # of K', over M: what bends away is no freer
_MOST_CHANGES = 24  # of what was raised, the least curvatures: each takes a solution of all rows
_FREE = 0.9  # of a raised curvature, that free motions need: less is taken back
_SINGULAR = 3e-3  # eigenvalue of S + U' X below which the system is all but singular
_FIRST = np.arange(3)


@dataclass(frozen=True, eq=False)
class SaddleSystem:
    """The KKT system of m bodies and n rows.

    Attributes:
        dual: the normal equations, factored with the inverse of K'.
        inverse: that inverse (m, 6, 6) of each body, or its diagonal (m, 6).
        changes (u, m, 6): U, turned so that S + U' X is diagonal.
        solutions (u, m, 6), multipliers (n, u): X with its multipliers.
        gain (u,): the negative inverse of that diagonal.
    """

    dual: DualEquations
    inverse: Floats
    changes: Floats
    solutions: Floats
    multipliers: Floats
    gain: Floats

    @classmethod
    def of(cls, dual: DualEquations, inverse: Floats, rows: int) -> SaddleSystem:
        """Return the system of K' alone, from normal equations that have been factored with its inverse."""
        none = np.zeros((0, len(inverse), 6))
        return cls(dual, inverse, none, none, np.zeros((rows, 0)), np.zeros(0))

    def lowered(self, raised: Floats, changes: Floats, signs: Floats) -> tuple[SaddleSystem, bool]:
        """Return the system without what was raised and with changes, and whether these are in it.

        If free motions are not positive then, it is without changes, and of what was raised as much stays as
        free motions need.

        Args:
            raised (u, m, 6): directions along which the curvature of K' was raised.
            changes (v, m, 6), signs (v,): other directions U, and S of these.
        """
        every, count = np.concatenate([raised, changes]), len(raised)
        if not len(every):
            return self, True
        signs = np.concatenate([np.full(count, -1.0), signs])
        x, multipliers = self.solved_for(every)
        matrix = np.diag(signs) + every.reshape(len(every), -1) @ x.reshape(len(x), -1).T
        values, turn = np.linalg.eigh(matrix)
        singular = (np.abs(values) < _SINGULAR).any()
        if len(changes) and not singular and (values < 0.0).sum() == (signs < 0.0).sum():
            return self._with(every, x, multipliers, values, turn), True
        values, turn = np.linalg.eigh(matrix[:count, :count])
        chosen = values < _FREE - 1.0
        values, turn = values[chosen], turn[:, chosen]
        return self._with(raised, x[:count], multipliers[:, :count], values, turn), not len(changes)

    def _with(
        self, changes: Floats, x: Floats, multipliers: Floats, values: Floats, turn: Floats
    ) -> SaddleSystem:
        """Return the system with changes U (u, m, 6), of which X and its multipliers are known, as far as
        they are combined by `turn` (u, v), to S + U' X of `values` (v,).
        """
        along, solutions = (np.einsum("uv,ukj->vkj", turn, each) for each in (changes, x))
        return SaddleSystem(self.dual, self.inverse, along, solutions, multipliers @ turn, -1.0 / values)

    def solved(self, right: Floats, below: Floats) -> tuple[Floats, Floats]:
        """Return x (m, 6) and l (n,) for r (m, 6) and p (n,)."""
        free = times(self.inverse, right)
        multipliers = self.dual.solve(below - self.dual.rates(free))
        x = free + self.dual.primal(multipliers)
        if not len(self.gain):
            return x, multipliers
        share = self.gain * np.einsum("ukj,kj->u", self.changes, x)
        return x + np.einsum("u,ukj->kj", share, self.solutions), multipliers + self.multipliers @ share

    def solved_for(self, right: Floats) -> tuple[Floats, Floats]:
        """Return x (k, m, 6) and l (n, k) for many r (k, m, 6), and p = 0."""
        each = self.inverse
        free = right * each if each.ndim == 2 else (right[:, :, None] @ each)[:, :, 0]
        multipliers = -self.dual.solve(self.dual.rates_of_many(free))
        x = free + self.dual.primal_of_many(multipliers)
        if not len(self.gain):
            return x, multipliers
        share = np.einsum("vkj,ukj->vu", self.changes, x) * self.gain[:, None]
        return x + np.einsum("vu,vkj->ukj", share, self.solutions), multipliers + self.multipliers @ share


def raised_inverse(metric: Floats, bend: Floats, exact: Bools) -> tuple[Floats, Floats]:
    """Return the inverses (k, 6, 6) of matrices M - B whose eigenvalues are raised to be positive, and the
    changes (u, k, 6) by that, of the bodies of which all of B is known: the sum of their squares was added.
    Where there are many of them they are those of the least curvatures.

    metric (k, 6): M.  bend (k, 3, 3): B of turns.  exact (k,): these bodies.
    """
    turning = metric[:, 3]
    sizes = np.sqrt(np.einsum("kij,kij->k", bend, bend))
    stiff = turning[:, None, None] * np.eye(3) - bend
    doubtful = np.flatnonzero(sizes > (1.0 - _LEAST_CURVATURE) * turning)
    changes = np.zeros((0, len(metric), 6))
    if len(doubtful):
        values, vectors = np.linalg.eigh(stiff[doubtful])
        raised = np.maximum(np.abs(values), _LEAST_CURVATURE * turning[doubtful, None])
        stiff[doubtful] = (vectors * raised[:, None]) @ vectors.transpose(0, 2, 1)
        group, axis = np.nonzero((raised > values) & exact[doubtful, None])
        most = np.sort(np.argsort(values[group, axis], kind="stable")[:_MOST_CHANGES])
        group, axis = group[most], axis[most]
        changes = np.zeros((len(group), len(metric), 6))
        root = np.sqrt((raised - values)[group, axis])
        changes[np.arange(len(group)), doubtful[group], 3:] = root[:, None] * vectors[group, :, axis]
    inverse = np.zeros((len(metric), 6, 6))
    inverse[:, _FIRST, _FIRST] = 1.0 / metric[:, :3]
    inverse[:, 3:, 3:] = np.linalg.inv(stiff)
    return inverse, changes


def times(inverse: Floats, right: Floats) -> Floats:
    """Return K^-1 (m, 6) or (m, 6, 6) times (m, 6)."""
    product: Floats = inverse * right if inverse.ndim == 2 else (inverse @ right[:, :, None])[:, :, 0]
    return product
