"""The KKT system of a step, with curvature that only its free motions need to be positive.

    K x - J' l = r,    J x + C l = p,

is solved by the normal equations (`dual_equations`), which need the inverse of K, a matrix for each body.  So
its curvature is raised to be positive, to K'.  But a body that bends away need not be free to do so: joints
may leave no motion for it.  Then K' is too stiff, and Newton's method with it only linear.  And what bends by
two bodies at once has no place in K'.  Both are put right by a few directions U (6 m, u) with signs S: with
K = K' + U S U', and X the solution of K' for U,

    x = x' - X (S + U' X)^-1 U' x',    x' that of K'.

Where K would not be positive along free motions, as much is put back as these need.  Let K+ be K' with the
directions of S = 1, X the solutions of K+ for the others, and w an eigenvector of -1 + U' X of these with the
eigenvalue v.  Along z = X w

    z' K+ z = 1 + v,    z' K z = -v (1 + v),

and motions of other w are orthogonal to z in both.  So each keeps the share r of z' K+ z that it needs:
K+ - t U w (U w)' with t = (1 - r) / (1 + v), where r = -v is all of K.  What bends away keeps the size of its
curvature, r = |v|, as steps to a minimum do.  And what is small is small beside the metric, z' M z: joints
that are all but at a dead point have multipliers, and bends, without bound, so that a share of K+ that looks
like nothing may be stiffer than M by far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import cross, dot
from .dual_equations import DualEquations

_LEAST_CURVATURE = 0.1  # of K' and along free motions, over M: what bends away is no freer
_MOST_CHANGES = 24  # of what was raised, the least curvatures: each takes a solution of all rows
_FLAT = 3e-3  # curvature of a free motion, over M, that bends away no more: there is no less of it
_ROUNDED = 1e-7  # share r that rounding errors of X may have made
_FIRST = np.arange(3)


@dataclass(frozen=True, eq=False)
class SaddleSystem:
    """The KKT system of m bodies and n rows.

    Attributes:
        dual: the normal equations, factored with the inverse of K'.
        inverse: that inverse (m, 6, 6) of each body, or its diagonal (m, 6).
        changes (u, m, 6): U, each times what stays of it, turned so that S + U' X is diagonal.
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

    def lowered(self, raised: Floats, changes: Floats, signs: Floats, metric: Floats) -> SaddleSystem:
        """Return the system without what was raised and with changes, as far as free motions stay positive.

        Args:
            raised (u, m, 6): directions along which the curvature of K' was raised.
            changes (v, m, 6), signs (v,): other directions U, and S of these.
            metric (m, 6): M.
        """
        more, less = changes[signs > 0.0], np.concatenate([raised, changes[signs < 0.0]])
        if not len(more) and not len(less):
            return self
        every = np.concatenate([more, less])
        x, multipliers = self.solved_for(every)
        along, moves = (each.reshape(len(x), metric.size) for each in (every, x))
        combined, values = _kept(along @ moves.T, (moves * metric.ravel()) @ moves.T, len(more))
        changed, solutions = ((combined.T @ each).reshape(-1, *metric.shape) for each in (along, moves))
        return SaddleSystem(
            self.dual, self.inverse, changed, solutions, multipliers @ combined, -1.0 / values
        )

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
        changes, solutions = (each.reshape(len(self.gain), -1) for each in (self.changes, self.solutions))
        share = changes @ x.reshape(len(x), -1).T * self.gain[:, None]
        return x + (share.T @ solutions).reshape(x.shape), multipliers + self.multipliers @ share


def _kept(gram: Floats, squares: Floats, count: int) -> tuple[Floats, Floats]:
    """Return combinations (u, v) of directions, and S + U' X (v,), of what is put back and added.

    Args:
        gram (u, u): U' X of all directions.
        squares (u, u): X' M X.
        count: the number of those of S = 1, the first ones.
    """
    of_more = np.linalg.solve(np.eye(count) + gram[:count, :count], gram[:count, count:])
    values, turn = np.linalg.eigh(gram[count:, count:] - gram[count:, :count] @ of_more)
    along = np.concatenate([-of_more, np.eye(len(values))]) @ turn
    taken, share = _taken(values, (along * (squares @ along)).sum(axis=0))
    combined = np.zeros((len(gram), count + len(taken)))
    combined[:count, :count], combined[count:, count:] = np.eye(count), turn[:, taken] * np.sqrt(share)
    signs = np.concatenate([np.ones(count), -np.ones(len(taken))])
    found, turn = np.linalg.eigh(combined.T @ gram @ combined + np.diag(signs))
    return combined @ turn, found


def _taken(energy: Floats, squares: Floats) -> tuple[Ints, Floats]:
    """Return which directions are put back, and their t.

    energy (u,): z' K+ z = 1 + v.  squares (u,): z' M z.
    """
    energy = np.maximum(energy, _ROUNDED)
    least = np.where(energy < 1.0, _FLAT, _LEAST_CURVATURE) * squares / energy
    rest = np.minimum(np.maximum(np.maximum(np.abs(1.0 - energy), _ROUNDED), least), 1.0)
    taken = np.flatnonzero((rest < 1.0) & (energy > _ROUNDED))
    return taken, (1.0 - rest[taken]) / energy[taken]


def raised_inverse(metric: Floats, bend: Floats, exact: Bools) -> tuple[Floats, Floats]:
    """Return the inverses (k, 6, 6) of matrices M - B whose eigenvalues are raised to be positive, and the
    changes (u, k, 6) by that, of the bodies of which all of B is known: the sum of their squares was added.
    Where there are many of them they are those of the least curvatures.

    metric (k, 6): M.  bend (k, 3, 3): B of turns.  exact (k,): these bodies.
    """
    turning = metric[:, 3]
    sizes = np.sqrt(np.einsum("kij,kij->k", bend, bend))
    stiff = turning[:, None, None] * np.eye(3) - bend
    is_sure = sizes <= (1.0 - _LEAST_CURVATURE) * turning
    doubtful = np.flatnonzero(~is_sure)
    inverse, changes = np.zeros((len(metric), 6, 6)), np.zeros((0, len(metric), 6))
    inverse[:, _FIRST, _FIRST] = 1.0 / metric[:, :3]
    inverse[is_sure, 3:, 3:] = _inverses(stiff[is_sure])
    if len(doubtful):
        values, vectors = np.linalg.eigh(stiff[doubtful])
        raised = np.maximum(np.abs(values), _LEAST_CURVATURE * turning[doubtful, None])
        inverse[doubtful, 3:, 3:] = (vectors / raised[:, None]) @ vectors.transpose(0, 2, 1)
        group, axis = np.nonzero((raised > values) & exact[doubtful, None])
        most = np.sort(np.argsort(values[group, axis], kind="stable")[:_MOST_CHANGES])
        group, axis = group[most], axis[most]
        changes = np.zeros((len(group), len(metric), 6))
        root = np.sqrt((raised - values)[group, axis])
        changes[np.arange(len(group)), doubtful[group], 3:] = root[:, None] * vectors[group, :, axis]
    return inverse, changes


def _inverses(matrices: Floats) -> Floats:
    """Return the inverses (k, 3, 3) of matrices near multiples of 1: LAPACK's take threads, which wait for
    each other.
    """
    first, second, third = (np.ascontiguousarray(matrices[:, row]) for row in range(3))
    columns = np.stack([cross(second, third), cross(third, first), cross(first, second)], axis=2)
    inverses: Floats = columns / dot(first, columns[:, :, 0])[:, None, None]
    return inverses


def times(inverse: Floats, right: Floats) -> Floats:
    """Return K^-1 (m, 6) or (m, 6, 6) times (m, 6)."""
    product: Floats = inverse * right if inverse.ndim == 2 else (inverse @ right[:, :, None])[:, :, 0]
    return product
