"""Coulomb's law of friction with scaled rows, and a damped Newton method for it.

Rows are scaled so that every friction coefficient is 1 (`conic_qp`).  With v = J x - c, (v_n, v_t) for each
of K contacts, and forces z = (z_n, z_t), the law is (Alart and Curnier 1991)

    z = P(z - v),    P(q) = (max(q_n, 0), q_t cut to a length of at most max(q_n, 0)),

for it says v_n >= 0, z_n >= 0, v_n z_n = 0, |z_t| <= z_n, and
that z_t = -z_n v_t / |v_t| where it slides.  It is the same as s . z = 0 for s = v + |v_t| (1, 0, 0) and z in
the cone of Lorentz, which is the form of De Saxce and Feng (1998) and of the interior-point method.  A plain
inequality is a contact whose tangential rows are zero.

P is piecewise smooth.  With A = P' a step of Newton's method solves, eps a proximal regularization,

    B dx - E' dl - J' dz = -dual,    E dx + delta dl = e - E x,    (1 - A + eps) dz + A J dx = P - z,

so dz = C (P - z) - M J dx, C = (1 - A + eps)^-1, M = C A, in closed form (e = q_t / |q_t|, p across it,
kappa = q_n / |q_t|):

    open,   q_n <= 0:       C = 1 / (1 + eps),   M = 0
    stick,  |q_t| <= q_n:   C = M = 1 / eps
    slide:  C = [[1 / eps, 0], [e / (eps (1 + eps)), e e' / (1 + eps) + p p' / (1 + eps - kappa)]]
            M = [[1 / eps, 0], [e / eps, kappa p p' / (1 + eps - kappa)]]

Contacts change between these states by dozens in a wall, so a part of a step is taken that lowers the
residual; eps falls with the residual, which keeps forces that redundant contacts leave open from jumping.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import TINY, Floats
from .cone_system import DELTA, ConeSystem, SingularMatrixError

_ROUNDED = 1e-13  # residual below which another iteration seldom makes it smaller
_PATIENCE = 2  # iterations without progress after which Newton's method is given up
_PROGRESS = 0.8  # of the residual before, of few contacts, or of the least one before, that is progress
PARTS = (1.0, 0.5, 0.25, 0.1, 0.03)  # of a step that are tried
DECREASE = 0.1  # of the residual, times the part of a step, that accepts it (Armijo)
_LOCAL = 1e-8  # residual below which all of a step is taken: contacts change state by rounding there
_FEW = 32  # contacts that may change between their states before Newton's method fails
_REGULARIZED = 1e-2  # eps, over the residual


class Point(NamedTuple):
    """The unknowns: x (d,), the multipliers l (q,) of the equations and the forces z (3, K)."""

    x: Floats
    multipliers: Floats
    forces: Floats

    def moved(self, change: Point, part: float) -> Point:
        """Return the point after a part of a change."""
        return Point(*[here + part * by for here, by in zip(self, change, strict=True)])


class Residuals(NamedTuple):
    """What the conditions lack: B x - w - E' l - J' z (d,), E x - e (q,) and P(z - v) - z (3, K)."""

    dual: Floats
    equations: Floats
    law: Floats
    trial: Floats
    """q = z - v (3, K)."""

    @classmethod
    def at(cls, forces: Floats, velocity: Floats, dual: Floats, equations: Floats) -> Residuals:
        """Return what the conditions lack at forces z (3, K) and a relative velocity v (3, K)."""
        trial = forces - velocity
        return cls(dual, equations, _projected(trial) - forces, trial)

    @property
    def norm(self) -> float:
        """The Euclidean length of all."""
        return float(np.sqrt(sum(float(np.vdot(part, part)) for part in self[:3])))

    def largest(self, forces: Floats) -> float:
        """Return the largest; that of the equation of motion over the largest force, if that is above 1."""
        dual, equations, law = (float(np.abs(part).max(initial=0.0)) for part in self[:3])
        return max(dual / max(1.0, float(np.abs(forces).max(initial=0.0))), equations, law)


def has_few_contacts(count: int) -> bool:
    """Return whether Newton's method is worth an attempt with so many contacts and limits from a point that
    is not near the solution.
    """
    return count <= _FEW


@dataclass(frozen=True, eq=False)
class ScaledProblem:
    """B x = w + E' l + J' z, E x = e, and Coulomb's law for v = J x - c and z with a coefficient of 1.

    Attributes:
        system: products and solutions with B, E and J; B has a diagonal of ones.
        linear: w (d,).
        values: e (q,).
        offsets: c (3, K).
    """

    system: ConeSystem
    linear: Floats
    values: Floats
    offsets: Floats

    def dual_residual(self, point: Point) -> Floats:
        """Return B x - w - E' l - J' z (d,)."""
        back = self.system.transposed(point.multipliers, point.forces)
        return self.system.matrix_times(point.x) - self.linear - back

    @property
    def has_few_contacts(self) -> bool:
        """Whether Newton's method is worth an attempt from a point that is not near the solution."""
        return has_few_contacts(len(self.offsets[0]))

    def balanced(self, point: Point) -> Point:
        """Return a point with the same forces of contacts for which the equation of motion holds."""
        change = self.system.solve_without_cones(
            -self.dual_residual(point)
            - self.system.transposed(self.equation_residual(point.x) / DELTA, 0.0 * point.forces)
        )
        lacking = self.equation_residual(point.x + change)
        multipliers = point.multipliers - lacking / DELTA if len(lacking) else point.multipliers
        return Point(point.x + change, multipliers, point.forces)

    def sticking(self) -> Point:
        """Return the point at which all contacts stick, whatever forces that takes.

        Raises:
            SingularMatrixError: the matrix is singular.
        """
        blocks = np.broadcast_to(np.eye(3)[:, :, None] / DELTA, (3, *self.offsets.shape))
        self.system.factor(blocks)
        x = self.system.solve(self.linear + self.system.transposed(self.values / DELTA, self.offsets / DELTA))
        forces = -self.relative_velocity(x) / DELTA
        return Point(x, -self.equation_residual(x) / DELTA, forces)

    def equation_residual(self, x: Floats) -> Floats:
        """Return E x - e (q,)."""
        return self.system.equations_times(x) - self.values if len(self.values) else self.values

    def relative_velocity(self, x: Floats) -> Floats:
        """Return v = J x - c (3, K)."""
        return self.system.rows_times(x) - self.offsets

    def lack(self, x: Floats) -> float:
        """Return by how much something is penetrated or an equation does not hold."""
        equations = float(np.abs(self.equation_residual(x)).max(initial=0.0))
        return max(equations, -float(self.relative_velocity(x)[0].min(initial=0.0)))

    def residuals(self, point: Point) -> Residuals:
        """Return what the conditions lack at a point."""
        lacks = self.dual_residual(point), self.equation_residual(point.x)
        return Residuals.at(point.forces, self.relative_velocity(point.x), *lacks)


def _projected(trial: Floats) -> Floats:
    """Return P(q) (3, K)."""
    radius = np.maximum(trial[0], 0.0)
    length = np.hypot(trial[1], trial[2])
    out = np.empty_like(trial)
    out[0] = radius
    out[1:] = trial[1:] * (radius / np.maximum(np.maximum(length, radius), TINY))
    return out


def newton(problem: ScaledProblem, point: Point, most: int, enough: float = 0.0) -> tuple[Point, float, int]:
    """Return the best point that Newton's method finds, its residual, and the iterations taken.

    Where a contact begins to slide the first step may lead far away, as the way it slides is not known yet;
    the next ones come back from there.

    Args:
        problem: the scaled problem.
        point: where to begin.
        most: iterations at most.
        enough: residual that ends it; else it goes on as far as rounding lets it.
    """
    residuals = problem.residuals(point)
    best, least, since = point, residuals.largest(point.forces), 0
    lowest = residuals.norm
    for iteration in range(most):
        if least <= max(_ROUNDED, enough) or since >= _PATIENCE or not np.isfinite(residuals.norm):
            return best, least, iteration
        try:
            change = newton_change(problem, point, residuals)
        except SingularMatrixError:
            return best, least, iteration
        last = residuals.norm if problem.has_few_contacts else lowest
        point, residuals = damped(problem, point, residuals, change)
        since = 0 if residuals.norm < _PROGRESS * last else since + 1
        lowest = min(lowest, residuals.norm)
        worst = residuals.largest(point.forces)
        if worst < least:
            best, least = point, worst
    return best, least, most


def damped(problem: ScaledProblem, point: Point, before: Residuals, change: Point) -> tuple[Point, Residuals]:
    """Return the point after the longest part of a change that lowers the residual, or after the best."""
    norm, moved = before.norm, point.moved(change, 1.0)
    residuals = problem.residuals(moved)
    if norm < _LOCAL or residuals.norm < (1.0 - DECREASE) * norm:
        return moved, residuals
    part = _best_part(before, residuals, (point.forces, moved.forces), norm)
    if part == 1.0:
        return moved, residuals
    moved = point.moved(change, part)
    return moved, problem.residuals(moved)


def _best_part(before: Residuals, after: Residuals, forces: tuple[Floats, Floats], norm: float) -> float:
    """Return the longest part of a change that lowers the residual, or the best.

    All but Coulomb's law is linear, so parts need no products with matrices.

    Args:
        before, after: what conditions lack without the change, and after all of it.
        forces: z (3, K) there.
        norm: the residual before.
    """
    parts = np.array(PARTS)
    share = parts[:, None]
    linear = [one + share * (two - one) for one, two in zip(before[:2], after[:2], strict=True)]
    trial, z = (one + share[:, :, None] * (two - one) for one, two in ((before.trial, after.trial), forces))
    law = _projected(trial.transpose(1, 0, 2)) - z.transpose(1, 0, 2)
    norms = np.sqrt(sum((each**2).sum(axis=1) for each in linear) + (law**2).sum(axis=(0, 2)))
    lower = np.flatnonzero(norms < (1.0 - DECREASE * parts) * norm)
    return float(parts[lower[0] if len(lower) else norms.argmin()])


def newton_change(problem: ScaledProblem, point: Point, residuals: Residuals) -> Point:
    """Return the step of Newton's method."""
    system = problem.system
    eps = min(max(DELTA, _REGULARIZED * residuals.largest(point.forces)), _REGULARIZED)
    blocks, change = _law_blocks(residuals.trial, residuals.law, eps)
    system.factor(blocks)
    dx = system.solve(system.transposed(-residuals.equations / DELTA, change) - residuals.dual)
    dl = -residuals.equations
    if len(dl):
        dl = (dl - system.equations_times(dx)) / DELTA
    return Point(dx, dl, change - np.einsum("ijk,jk->ik", blocks, system.rows_times(dx)))


def _law_blocks(trial: Floats, law: Floats, eps: float) -> tuple[Floats, Floats]:
    """Return M (3, 3, K) and C (P - z) (3, K) for q = trial and P - z = law, both (3, K)."""
    length = np.hypot(trial[1], trial[2])
    is_open = trial[0] <= 0.0
    slides = ~is_open & (length > trial[0])
    safe = np.where(slides, length, 1.0)
    e1, e2 = trial[1] / safe, trial[2] / safe
    kappa = np.where(slides, trial[0] / safe, 0.0)
    across, stiff = 1.0 / (1.0 + eps - kappa), 1.0 / eps
    sticking = np.where(is_open, 0.0, stiff)
    blocks = np.zeros((3, 3, trial.shape[1]))
    blocks[0, 0] = sticking
    blocks[1, 0], blocks[2, 0] = np.where(slides, stiff * e1, 0.0), np.where(slides, stiff * e2, 0.0)
    blocks[1, 1] = np.where(slides, kappa * across * e2 * e2, sticking)
    blocks[2, 2] = np.where(slides, kappa * across * e1 * e1, sticking)
    blocks[1, 2] = blocks[2, 1] = np.where(slides, -kappa * across * e1 * e2, 0.0)
    along = (e1 * law[1] + e2 * law[2] + stiff * law[0]) / (1.0 + eps)
    lateral = (e1 * law[2] - e2 * law[1]) * across
    change = law * np.where(is_open, 1.0 / (1.0 + eps), stiff)
    change[1] = np.where(slides, along * e1 - lateral * e2, change[1])
    change[2] = np.where(slides, along * e2 + lateral * e1, change[2])
    return blocks, change
