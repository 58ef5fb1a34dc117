"""The KKT system of a step, with curvature that only its free motions need to be positive.

    K x - J' l = r,    J x + C l = p,

is solved by the normal equations (`dual_equations`), which need the inverse of K, a matrix for each body.  So
its curvature is raised to be positive, to K'.  But a body that bends away need not be free to do so: joints
may leave no motion for it.  Then K' is too stiff, and Newton's method with it only linear.  And what bends by
two bodies at once has no place in K'.  Both are put right by a few directions: U (6 m, u) that are added and
V (6 m, v) that are taken away, K+ = K' + U U' and K = K+ - V V'.  With X and Y the solutions of K' for U and
V, and P = 1 + U' X,

    x+ = x' - X P^-1 U' x',    x' that of K',

and K+ has the solutions Y - X Q for V, Q = P^-1 U' Y.  Where K would not be positive along free motions, as
much is put back as these need.  Let w be an eigenvector of V' (Y - X Q) with the eigenvalue e.  Along
z = (Y - X Q) w

    z' K+ z = e,    z' K z = e (1 - e),

and motions of other w are orthogonal to z in both.  So each keeps the share r of z' K+ z that it needs:
K+ - t V w (V w)' with t = (1 - r) / e, where r = 1 - e is all of K.  That adds to x, as z is orthogonal to
others,

    (t / r) z (V w)' x+ = (t / r) z ((V - U Q) w)' x'.

What bends away keeps the size of its curvature, r = |1 - e|, as steps to a minimum do.  And what is small is
small beside the metric, z' M z: joints that are all but at a dead point have multipliers, and bends, without
bound, so that a share of K+ that looks like nothing may be stiffer than M by far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

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
        changes (u, m, 6): U, and (V - U Q) w of what is taken away.
        solutions (u, m, 6), multipliers (n, u): X and z with their multipliers.
        gain (u, u): -P^-1 and t / r.
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
        return cls(dual, inverse, none, none, np.zeros((rows, 0)), np.zeros((0, 0)))

    def lowered(self, raised: Floats, changes: Floats, signs: Floats, metric: Floats) -> SaddleSystem:
        """Return the system without what was raised and with changes, as far as free motions stay positive.

        Args:
            raised (u, m, 6): directions along which the curvature of K' was raised.
            changes (v, m, 6), signs (v,): other directions; 1 for those of U, -1 for those of V.
            metric (m, 6): M.
        """
        more, less = changes[signs > 0.0], np.concatenate([raised, changes[signs < 0.0]])
        if not len(more) and not len(less):
            return self
        every, count = np.concatenate([more, less]), len(more)
        x, multipliers = self.solved_for(every)
        along, moves = (each.reshape(len(x), metric.size) for each in (every, x))
        used = along.any(axis=0)  # of a few bodies each
        gram = along[:, used] @ moves[:, used].T
        added = np.linalg.inv(np.eye(count) + gram[:count, :count])
        of_more = added @ gram[:count, count:]
        energy, turn = np.linalg.eigh(gram[count:, count:] - gram[count:, :count] @ of_more)
        turned = np.concatenate([-of_more @ turn, turn]).T
        free = turned @ moves
        taken, gain = _taken(energy, (free * free) @ metric.ravel())
        changed = np.concatenate([along[:count], turned[taken] @ along]).reshape(-1, *metric.shape)
        solutions = np.concatenate([moves[:count], free[taken]]).reshape(-1, *metric.shape)
        back = np.concatenate([multipliers[:, :count], multipliers @ turned[taken].T], axis=1)
        gains = np.asarray(block_diag(-added, np.diag(gain)), dtype=np.float64)
        return SaddleSystem(self.dual, self.inverse, changed, solutions, back, gains)

    def solved(self, right: Floats, below: Floats) -> tuple[Floats, Floats]:
        """Return x (m, 6) and l (n,) for r (m, 6) and p (n,)."""
        free = times(self.inverse, right)
        multipliers = self.dual.solve(below - self.dual.rates(free))
        x = free + self.dual.primal(multipliers)
        if not len(self.gain):
            return x, multipliers
        changes, solutions = self._flat
        share = self.gain @ (changes @ x.ravel())
        return x + (share @ solutions).reshape(x.shape), multipliers + self.multipliers @ share

    def solved_for(self, right: Floats) -> tuple[Floats, Floats]:
        """Return x (k, m, 6) and l (n, k) for many r (k, m, 6), and p = 0."""
        each = self.inverse
        free = right * each if each.ndim == 2 else (right.transpose(1, 0, 2) @ each).transpose(1, 0, 2)
        multipliers = -self.dual.solve(self.dual.rates_of_many(free))
        x = free + self.dual.primal_of_many(multipliers)
        if not len(self.gain):
            return x, multipliers
        changes, solutions = self._flat
        share = self.gain @ (changes @ x.reshape(len(x), -1).T)
        return x + (share.T @ solutions).reshape(x.shape), multipliers + self.multipliers @ share

    @property
    def _flat(self) -> tuple[Floats, Floats]:
        """The changes and the solutions (u, 6 m)."""
        size = len(self.gain), self.changes[0].size
        return self.changes.reshape(size), self.solutions.reshape(size)


def _taken(energy: Floats, squares: Floats) -> tuple[Ints, Floats]:
    """Return which directions are taken away, and their t / r.

    energy (v,): e = z' K+ z.  squares (v,): z' M z.
    """
    energy = np.maximum(energy, _ROUNDED)
    least = np.where(energy < 1.0, _FLAT, _LEAST_CURVATURE) * squares / energy
    rest = np.minimum(np.maximum(np.maximum(np.abs(1.0 - energy), _ROUNDED), least), 1.0)
    taken = np.flatnonzero((rest < 1.0) & (energy > _ROUNDED))
    return taken, (1.0 - rest[taken]) / (energy[taken] * rest[taken])


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


def eigen(matrices: Floats) -> tuple[Floats, Floats]:
    """Return the eigenvalues (k, 12) and eigenvectors (k, 12, 12) of symmetric matrices of two bodies, of
    which most have entries for six coordinates alone: of turns, or of a body beside the world.
    """
    values, vectors = np.zeros(matrices.shape[:2]), np.zeros(matrices.shape)
    used = (matrices != 0.0).any(axis=2)
    small = np.flatnonzero(used.sum(axis=1) <= 6)
    large = np.flatnonzero(used.sum(axis=1) > 6)
    mine = np.sort(np.argsort(~used[small], axis=1, kind="stable")[:, :6], axis=1)
    each = small[:, None]
    rows, columns = mine[:, :, None], mine[:, None]
    values[each, np.arange(6)], within = np.linalg.eigh(matrices[each[:, None], rows, columns])
    vectors[each[:, None], rows, np.arange(6)] = within
    values[large], vectors[large] = np.linalg.eigh(matrices[large])
    return values, vectors


def times(inverse: Floats, right: Floats) -> Floats:
    """Return K^-1 (m, 6) or (m, 6, 6) times (m, 6)."""
    product: Floats = inverse * right if inverse.ndim == 2 else (inverse @ right[:, :, None])[:, :, 0]
    return product
