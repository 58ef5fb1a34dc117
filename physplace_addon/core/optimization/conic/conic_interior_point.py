"""Coulomb's law of friction by a primal-dual interior-point method over cones of Lorentz.

With v = J x - c and slacks s the conditions are (De Saxce and Feng 1998; `coulomb_law` has the symbols)

    B x - w - E' l - J' z = 0,    E x = e,    v + phi (1, 0, 0) = s,    s . z = 0,    s and z in the cone

{(a, b): a >= |b|} with phi = |v_t|.  For a given phi this is a convex quadratic problem with second-order
cones; its derivative by x makes the matrix unsymmetric, and the method a Newton method for the true law
(Acary, Armand, Nguyen and Shpakovych 2024).  The problem is not convex, and steps may become short before the
end.  Every point of the search is safe all the same, as far as r, which only shrinks, is 0:

    v_n = s_0 - |v_t| >= 0,    z is in the cone,    z . v = s . z - |v_t| z_n <= s . z,

nothing is penetrated, and contacts at rest give no energy but s . z, which the search makes small.  For |v_t|
is convex, so after a step it is above its linearization: s_0 is raised by what v_n + |v_t| exceeds it, which
leaves s in the cone.

The scaling of Nesterov and Todd, W z = W^-1 s = lambda, has the form W = beta [[w_0, w'], [w, 1 + w w' / (1 +
w_0)]], w_0^2 - |w|^2 = 1.  A step solves (delta a proximal regularization, T = [[1, v_t' / |v_t|], [0, 1]])

    (B + E'E / delta + J' M T J) dx = right,    M = (W^2 + delta)^-1,
    dz = -M (T J dx + r + W q),    ds = T J dx + r + delta dz,    r = v + phi (1, 0, 0) - s,

q = lambda \\ (lambda o lambda + second order - sigma mu (1, 0, 0)) as Mehrotra's corrector has it.  That ds
is -W (q + W dz), but W is known too badly near the end to compute it so: s would drift away from v.  W^2 has
the eigenvectors (1, +-w / |w|) and (0, p), with eigenvalues beta^2 (w_0 +- |w|)^2 and beta^2, so M is in
closed form.  Steps to the boundary: Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import TINY, Floats
from .cone_system import DELTA
from .coulomb_law import Point, Residuals, ScaledProblem

_TO_BOUNDARY = 0.99  # part of the largest step that keeps s and z in their cones
_STALLED = 0.7  # mu, over the one before, above which the second-order term has done harm
_SHORT = 0.5  # part of a step after which the same holds
_CENTRED = 0.3  # least sigma then
_PENALTY = 10.0  # of violations where the search begins
_REACHED = -1.0  # least bound, over the expected size of x, of rows that say where the search begins
_SURELY = 1e-9  # of both sides of the proof that rows contradict one another: above rounding
_UNBOUNDED = 1e6  # |x_i|, over the scale, beyond which a point that obeys the rows is not looked for


class _Scaling(NamedTuple):
    """The scaling W of Nesterov and Todd for K cones."""

    beta: Floats
    w0: Floats
    w: Floats
    """(2, K)."""

    def times(self, u: Floats) -> Floats:
        """Return W u (3, K)."""
        along = self.w[0] * u[1]
        along += self.w[1] * u[2]
        out = np.empty_like(u)
        np.multiply(self.w0, u[0], out=out[0])
        out[0] += along
        along /= 1.0 + self.w0
        along += u[0]
        np.multiply(along, self.w, out=out[1:])
        out[1:] += u[1:]
        out *= self.beta
        return out

    def weights(self) -> Floats:
        """Return M = (W^2 + delta)^-1 (3, 3, K)."""
        length = np.hypot(self.w[0], self.w[1])
        e = self.w / np.maximum(length, TINY)
        square, stretch = self.beta * self.beta, self.w0 + length
        stretch *= stretch
        soft, stiff = 1.0 / (square * stretch + DELTA), 1.0 / (square / stretch + DELTA)
        across = 1.0 / (square + DELTA)
        even = 0.5 * (soft + stiff)
        blocks = np.empty((3, 3, len(length)))
        blocks[0, 0] = even
        blocks[0, 1:] = blocks[1:, 0] = (0.5 * (soft - stiff)) * e
        np.multiply(e[:, None], (even - across) * e, out=blocks[1:, 1:])
        blocks[1, 1] += across
        blocks[2, 2] += across
        return blocks


def _determinant(u: Floats) -> Floats:
    """Return u_0^2 - |u_t|^2 (K,), positive inside of the cone."""
    length = np.hypot(u[1], u[2])
    return np.asarray((u[0] - length) * (u[0] + length))


class _Inside(NamedTuple):
    """s and z, one after the other, as u = root (unit), of which unit has a determinant of 1."""

    root: Floats
    """(2 K,)."""
    unit: Floats
    """(3, 2 K)."""

    @classmethod
    def of(cls, s: Floats, z: Floats) -> _Inside | None:
        """Return s and z (3, K); None if one is not inside of its cone."""
        both = np.concatenate([s, z], axis=1)
        determinant = _determinant(both)
        if not determinant.min(initial=np.inf) > 0.0:
            return None
        root = np.sqrt(determinant)
        return cls(root, both / root)

    def scaling(self) -> _Scaling:
        """Return the scaling W."""
        count = len(self.root) // 2
        s, z = self.unit[:, :count], self.unit[:, count:]
        half = 0.5 / np.sqrt(0.5 * (1.0 + np.einsum("ik,ik->k", s, z)))
        beta = np.sqrt(self.root[:count] / self.root[count:])
        return _Scaling(beta, (s[0] + z[0]) * half, (s[1:] - z[1:]) * half)

    def reach(self, change_of_s: Floats, change_of_z: Floats) -> float:
        """Return the largest t for which s and z with t times their changes (3, K) are in the cones."""
        change, unit = np.concatenate([change_of_s, change_of_z], axis=1), self.unit
        inner = unit[0] * change[0] - unit[1] * change[1] - unit[2] * change[2]
        turned = change[1:] - (inner + change[0]) / (1.0 + unit[0]) * unit[1:]
        most = float(((np.hypot(turned[0], turned[1]) - inner) / self.root).max(initial=0.0))
        return 1.0 / most if most > 0.0 else np.inf


def _product(a: Floats, b: Floats) -> Floats:
    """Return Jordan's product a o b (3, K)."""
    out = np.empty_like(a)
    np.einsum("ik,ik->k", a, b, out=out[0])
    np.multiply(a[0], b[1:], out=out[1:])
    out[1:] += b[0] * a[1:]
    return out


def _quotient(a: Floats, b: Floats) -> Floats:
    """Return u (3, K) with a o u = b."""
    out = np.empty_like(a)
    out[0] = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / _determinant(a)
    out[1:] = (b[1:] - out[0] * a[1:]) / a[0]
    return out


class _Linearization(NamedTuple):
    """What the steps from one point share: s and z, W, lambda (3, K), M and M T (3, 3, K), v_t / |v_t|
    (2, K), v + phi (1, 0, 0) and r (3, K), and what the other conditions lack.
    """

    inside: _Inside
    scaling: _Scaling
    middle: Floats
    weights: Floats
    coupled: Floats
    along: Floats
    reached: Floats
    rest: Floats
    dual: Floats
    equations: Floats


class _Step(NamedTuple):
    """A step dx (d,), dl (q,), dz (3, K), and dv and ds (3, K)."""

    change: Point
    velocity: Floats
    slacks: Floats


def near_forces(problem: ScaledProblem, like: Floats, least: float) -> Point:
    """Return the point at which forces push that are within the cones by a given size, and near others
    (3, K).
    """
    z = like.copy()
    z[0] = np.maximum(z[0], np.hypot(z[1], z[2])) + least
    return problem.balanced(Point(np.zeros_like(problem.linear), np.zeros_like(problem.values), z))


class InteriorPoint:
    """The search: x, l, s and z, led towards the solution by `iterate`."""

    point: Point
    """x, l and z."""
    mu: float
    """The mean of s . z where the last step began; what the path is followed by."""
    part: float
    """The part of the last step that was taken."""
    residual: float
    """The largest residual of Coulomb's law and the equations at the point."""

    def __init__(self, problem: ScaledProblem, least: float, like: Floats | None = None) -> None:
        """Begin with s and z of at least a given size.

        Args:
            problem: the scaled problem.
            least: that size.
            like: forces (3, K) of a similar problem, that give z and x; soft normal rows do unless they are
                given.

        Raises:
            SingularMatrixError: the matrix B is singular.
        """
        self._problem = problem
        self.mu, self.part = np.inf, 1.0
        self._last = (np.zeros(0), np.zeros_like(problem.offsets))
        if like is None:
            x, z = self._with_soft_rows(least)
        else:
            x, _, z = near_forces(problem, like, least)
        v = self._velocity = problem.relative_velocity(x)
        self._speed = np.hypot(v[1], v[2])
        s = v.copy()
        s[0] = np.maximum(v[0], 0.0) + self._speed + least
        self.point, self._slacks = Point(x, np.zeros(len(problem.values)), z), s
        self._look()

    def _with_soft_rows(self, least: float) -> tuple[Floats, Floats]:
        """Return x (d,) where soft normal rows push, and how they do (3, K)."""
        problem, system = self._problem, self._problem.system
        blocks = np.zeros((3, *problem.offsets.shape))
        blocks[0, 0] = np.where(problem.offsets[0] > _REACHED, _PENALTY, 0.0)
        system.factor(blocks)
        pull = np.zeros_like(problem.offsets)
        pull[0] = blocks[0, 0] * problem.offsets[0]
        x = system.solve(problem.linear + system.transposed(problem.values / DELTA, pull))
        z = np.zeros_like(pull)
        z[0] = np.maximum(-_PENALTY * problem.relative_velocity(x)[0], least)
        return x, z

    def _look(self) -> None:
        """Find what the point lacks."""
        problem, point = self._problem, self.point
        lacks = problem.dual_residual(point), problem.equation_residual(point.x)
        self._lacks = Residuals.at(point.forces, self._velocity, *lacks)
        self.residual = self._lacks.largest(point.forces)

    @property
    def lack(self) -> float:
        """By how much something is penetrated or an equation does not hold."""
        equations = float(np.abs(self._lacks.equations).max(initial=0.0))
        return max(equations, -float(self._velocity[0].min(initial=0.0)))

    def iterate(self) -> bool:
        """Take a step; return whether there was one, for rounding can leave none.

        Raises:
            SingularMatrixError: the matrix of the step is singular.
        """
        s, z = self._slacks, self.point.forces
        inside = _Inside.of(s, z)
        if inside is None:
            return False
        before, self.mu = self.mu, float(np.vdot(s, z)) / max(s.shape[1], 1)
        at = self._linearized(inside)
        target = self._target(at, stalled=self.mu > _STALLED * before or self.part < _SHORT)
        step = self._step(at, at.rest + at.scaling.times(_quotient(at.middle, target)))
        self.part = min(1.0, _TO_BOUNDARY * inside.reach(step.slacks, step.change.forces))
        self.point = self.point.moved(step.change, self.part)
        self._slacks = s + self.part * step.slacks
        v = self._velocity = self._velocity + self.part * step.velocity
        self._speed = np.hypot(v[1], v[2])
        np.maximum(self._slacks[0], v[0] + self._speed, out=self._slacks[0])
        self._last = (step.change.multipliers, step.change.forces)
        self._look()
        return True

    def _linearized(self, inside: _Inside) -> _Linearization:
        """Factor the matrix of the steps from here."""
        v, speed, scaling = self._velocity, self._speed, inside.scaling()
        weights, middle = scaling.weights(), scaling.times(self.point.forces)
        along = v[1:] / np.maximum(speed, TINY)
        coupled = weights.copy()
        coupled[:, 1:] += weights[:, :1] * along
        reached = v.copy()
        reached[0] += speed
        rest = reached - self._slacks
        self._problem.system.factor(coupled)
        lacks = self._lacks.dual, self._lacks.equations
        return _Linearization(inside, scaling, middle, weights, coupled, along, reached, rest, *lacks)

    def _step(self, at: _Linearization, wanted: Floats) -> _Step:
        """Return the step for r + W q = `wanted` (3, K)."""
        system = self._problem.system
        shift = np.einsum("ijk,jk->ik", at.weights, wanted)
        dx = system.solve(-at.dual - system.transposed(at.equations / DELTA, shift))
        dl = -at.equations
        if len(dl):
            dl = (dl - system.equations_times(dx)) / DELTA
        dv = system.rows_times(dx)
        dz = -shift - np.einsum("ijk,jk->ik", at.coupled, dv)
        ds = DELTA * dz
        ds += dv
        ds += at.rest
        ds[0] += at.along[0] * dv[1]
        ds[0] += at.along[1] * dv[2]
        return _Step(Point(dx, dl, dz), dv, ds)

    def _target(self, at: _Linearization, stalled: bool) -> Floats:
        """Return what lambda o q (3, K) is to be, by Mehrotra's predictor.

        That has q = lambda, and W lambda = s.  So W^-1 ds = -(lambda + W dz).
        """
        ahead = self._step(at, at.reached)
        s, z = self._slacks, self.point.forces
        part = min(1.0, at.inside.reach(ahead.slacks, ahead.change.forces))
        product = float(np.vdot(s + part * ahead.slacks, z + part * ahead.change.forces))
        mu = max(product / max(s.shape[1], 1), 0.0)
        sigma = (mu / self.mu) ** 3 if self.mu > 0.0 else 0.0
        target = _product(at.middle, at.middle)
        if stalled:
            sigma = max(sigma, _CENTRED)
        else:
            by_force = at.scaling.times(ahead.change.forces)
            target -= _product(at.middle + by_force, by_force)
        target[0] -= sigma * self.mu
        return target

    def is_infeasible(self) -> bool:
        """Return whether multipliers prove that no |x_i| <= X obeys the rows: c . z > X |J' z|_1.

        Only normal forces count, for the tangential rows of a contact exclude no x.
        """
        last, forces = self._last
        return self._excludes(self.point.multipliers, self.point.forces) or (
            len(last) == len(self._problem.values) and self._excludes(last, forces)
        )

    def _excludes(self, multipliers: Floats, forces: Floats) -> bool:
        problem = self._problem
        pushes = np.maximum(forces[0], 0.0)
        gains = problem.offsets[0] * pushes
        if len(multipliers):
            gains = np.concatenate([gains, problem.values * multipliers])
        gained = float(gains.sum())
        if gained <= 0.0:
            return False
        normal = np.zeros_like(forces)
        normal[0] = pushes
        reached = _UNBOUNDED * float(np.abs(problem.system.transposed(multipliers, normal)).sum())
        return gained > (1.0 + _SURELY) * reached + _SURELY * float(np.abs(gains).sum())
