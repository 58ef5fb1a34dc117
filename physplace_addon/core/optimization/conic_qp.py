"""Rigid bodies with joints, limits and Coulomb friction in one step of time: a quadratic problem with cones.

    B x = w + E' l + G' h + J' f,    E x = e,    G x >= c, h >= 0, h . (G x - c) = 0,

and for each contact with u = J_i x = (u_n, u_t), bound c, given slip s and coefficient mu, Coulomb's law:

    u_n >= c,    f_n >= 0,    f_n (u_n - c) = 0,    |f_t| <= mu f_n,
    f_t = -mu f_n (u_t - s) / |u_t - s|    where u_t differs from s.

That is the cone's complementarity of De Saxce and Feng (1998): (u_n - c + mu |u_t - s|, u_t - s) is in the
dual of the cone of friction, and orthogonal to f.

Here rows are scaled: x by the root of B's diagonal, each row to unit length, tangential rows by mu, which
makes every cone that of Lorentz, all by the size that x is expected to have.  A limit becomes a contact
without tangential rows.  Newton's method for the law comes first (`coulomb_law`), for it needs few iterations
from a similar solution or where few contacts change; where it fails, the interior-point method
(`conic_interior_point`) leads it to the solution, or to a point near it that is safe.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..arrays import Bools, Floats
from .cone_system import DELTA, ConeSystem, Entries, SingularMatrixError
from .conic_interior_point import InteriorPoint
from .coulomb_law import Point, ScaledProblem, newton

_NEWTON = 12  # iterations of Newton's method in one attempt; 1 to 5 are usual
_ITERATIONS = 40  # of the interior-point method; 10 to 15 are usual
_LAST = 3  # iterations after which it ends if they did not halve mu, and
_NEARLY = 1e-6  # mu was below this, or
_SHORT = 0.3  # all these parts of steps together were shorter
_LEAST = (0.1, 10.0)  # of s and z where the interior-point method begins, and begins again
_UNBALANCED = 1e-9  # lack of the equation of motion, over the largest force, with which it begins again
_PENETRATED = 1e-8  # lack of room or of an equation, over the size of x, with which it does so, or
_PENETRATED_FAIRLY = 1e-2  # the same over what is fair, if that is more
_NEAR = 0.1  # size of x, over that of the free motion, for which contacts are kept from the beginning


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows (m, d), sparse, with bounds or values (m,)."""

    rows: sparse.csr_array
    values: Floats

    @classmethod
    def empty(cls, size: int) -> LinearRows:
        """Return no rows for d = `size` unknowns."""
        return cls(sparse.csr_array((0, size)), np.zeros(0))


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Contacts with Coulomb friction.

    Attributes:
        rows: J (3 k, d), sparse: for each contact its normal row and two tangential ones.
        bounds: least normal velocity (k,).
        slip: tangential velocity (k, 2) at which a contact sticks, usually 0.
        friction: coefficient mu >= 0 (k,).
    """

    rows: sparse.csr_array
    bounds: Floats
    slip: Floats
    friction: Floats

    @classmethod
    def empty(cls, size: int) -> ContactRows:
        """Return no contacts for d = `size` unknowns."""
        return cls(sparse.csr_array((0, size)), np.zeros(0), np.zeros((0, 2)), np.zeros(0))


@dataclass(frozen=True, eq=False)
class ConicQP:
    """B x = w + forces of equations, limits (G x >= c) and contacts with friction.

    Attributes:
        matrix: B (d, d), sparse, symmetric and positive definite.
        linear: w (d,).
        contacts: contacts with Coulomb friction.
        limits: rows G (g, d) with their bounds (g,).
        equations: rows E (q, d) with their values (q,).
    """

    matrix: sparse.csr_array
    linear: Floats
    contacts: ContactRows
    limits: LinearRows
    equations: LinearRows


@dataclass(frozen=True, eq=False)
class ConicSolution:
    """A solution.

    Attributes:
        x: the unknowns (d,).
        equation_forces: multipliers l (q,).
        limit_forces: multipliers h (g,), not negative.
        contact_forces: f (k, 3), normal and tangential.
        iterations: factorizations that it took.
        residual: largest violation of a condition, in the problem's own scale; at most what was enough
            where the search converged.
    """

    x: Floats
    equation_forces: Floats
    limit_forces: Floats
    contact_forces: Floats
    iterations: int
    residual: float


def solve_conic_qp(
    problem: ConicQP, like: ConicSolution | None = None, enough: float = 1e-10, fair: float = 0.0
) -> ConicSolution | None:
    """Return the solution of a problem; None if it is proven that no x obeys its hard rows.

    Hard rows are equations, limits, and u_n >= c of contacts.  Where the search does not converge, the
    solution obeys hard rows and has forces within the cones all the same, but contacts may open, or friction
    point aside of sliding, by about the residual.

    Args:
        problem: the problem.
        like: the solution of a similar one with the same rows in the same order, to begin with.
        enough: residual that ends the search.
        fair: residual that ends it where there are many contacts and it has become slow, as it does where
            these touch without force.
    """
    kept, used = _within_reach(problem), 0
    ends = _Ends(enough, fair)
    while True:
        found = _solved(_of_contacts(problem, kept), _like_contacts(like, kept), ends)
        if found is None:
            return None
        used += found.iterations
        forces = np.zeros((len(kept), 3))
        forces[kept] = found.contact_forces
        like = replace(found, contact_forces=forces, iterations=used)
        broken = ~kept & ((problem.contacts.rows @ found.x)[::3] < problem.contacts.bounds)
        if not broken.any():
            return like
        kept = kept | broken


def _within_reach(problem: ConicQP) -> Bools:
    """Return the contacts (k,) that may press, for x of the size that the free motion has.

    Lengths of rows are those over the root of B's diagonal: a change of x by 1 changes u_n by at most that.
    """
    contacts, diagonal = problem.contacts, problem.matrix.diagonal()
    squares = contacts.rows.copy()
    squares.data = squares.data**2
    length = np.sqrt((squares @ (1.0 / diagonal))[::3])
    lack = np.divide(contacts.bounds, length, out=np.zeros_like(length), where=length > 0.0)
    free = float((np.abs(problem.linear) / np.sqrt(diagonal)).max(initial=0.0))
    approach = np.minimum((contacts.rows @ (problem.linear / diagonal))[::3], 0.0)
    near: Bools = contacts.bounds - approach > -_NEAR * length * max(free, float(lack.max(initial=0.0)))
    return near | (contacts.bounds >= 0.0)


def _of_contacts(problem: ConicQP, kept: Bools) -> ConicQP:
    """Return the problem with some of its contacts."""
    if kept.all():
        return problem
    given = problem.contacts
    rows: Any = given.rows
    chosen = ContactRows(rows[np.repeat(kept, 3)], given.bounds[kept], given.slip[kept], given.friction[kept])
    return replace(problem, contacts=chosen)


def _like_contacts(like: ConicSolution | None, kept: Bools) -> ConicSolution | None:
    return None if like is None else replace(like, contact_forces=like.contact_forces[kept])


class _Ends(NamedTuple):
    """The residual that ends a search, and the one that ends a slow search."""

    enough: float
    fair: float

    @property
    def room(self) -> float:
        """The lack of room, over the size of x, that is safe."""
        return max(_PENETRATED, _PENETRATED_FAIRLY * self.fair)


def _solved(problem: ConicQP, like: ConicSolution | None, ends: _Ends) -> ConicSolution | None:
    """Return the solution with all contacts of a problem; None if it is proven that there is none."""
    scaled, used = _Scaled(problem), 0
    if scaled.problem.has_few_contacts:
        ends = ends._replace(fair=0.0)
    if like.residual <= ends.enough if like is not None else scaled.problem.has_few_contacts:
        point, residual, used = newton(scaled.problem, scaled.start(like), _NEWTON)
        if residual <= ends.enough:
            return scaled.solution(point, residual, used)
    led = _led(scaled.problem, ends)
    if led is None:
        return None
    if led[1] > ends.enough and not _is_safe(scaled.problem, led[0], ends.room) and _has_no_point(problem):
        return None
    return scaled.solution(led[0], led[1], used + led[2])


_Found = tuple[Point, float, int]
"""A point, its residual, and the factorizations that it took."""


def _led(problem: ScaledProblem, ends: _Ends) -> _Found | None:
    """Return a point by the interior-point method, finished by Newton's; None if no x obeys the rows.

    Where forces are far larger than they were expected to be, steps are short from the beginning, and the
    equation of motion does not come to hold; the search then begins again with larger forces.
    """
    tried: list[_Found] = []
    used = 0
    for size in _LEAST:
        found = _searched(ends, InteriorPoint(problem, size))
        if found is None:
            return None
        point, residual, iterations = found
        used += iterations
        if residual > ends.fair:
            finished, least, more = newton(problem, point, _NEWTON)
            used += more
            if least <= ends.enough:
                return finished, least, used
        point = problem.balanced(point)
        if _is_safe(problem, point, ends.room):
            return point, problem.residuals(point).largest(point.forces), used
        tried.append((point, residual, used))
    point, residual, _ = min(tried, key=lambda found: found[1])
    return point, residual, used


def _is_safe(problem: ScaledProblem, point: Point, room: float) -> bool:
    """Return whether the equation of motion and equations hold, and nothing is penetrated."""
    forces = max(1.0, float(np.abs(point.forces).max(initial=0.0)))
    lack = max(
        float(np.abs(problem.equation_residual(point.x)).max(initial=0.0)),
        -float(problem.relative_velocity(point.x)[0].min(initial=0.0)),
    )
    balanced = np.abs(problem.dual_residual(point)).max() <= _UNBALANCED * forces
    return bool(balanced and lack <= room)


def _searched(ends: _Ends, search: InteriorPoint) -> _Found | None:
    """Return the best point of a search; None if it proves that no x obeys the rows."""
    path, best, least = _Path(), search.point, np.inf
    while least > ends.enough and not path.ends(ends.fair) and _iterated(search):
        if search.is_infeasible():
            return None
        path.add(search)
        if search.residual < least:
            best, least = search.point, search.residual
    return best, least, len(path.mu)


@dataclass
class _Path:
    """What tells how an interior-point search goes: mu, the parts of its steps that were taken, residuals."""

    mu: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)
    residuals: list[float] = field(default_factory=list)

    def add(self, search: InteriorPoint) -> None:
        self.mu.append(search.mu)
        self.parts.append(search.part)
        self.residuals.append(search.residual)

    def ends(self, fair: float) -> bool:
        """Return whether there were enough iterations, or the last ones changed little.

        fair: a residual that is small enough where the last iteration did not halve it.
        """
        if len(self.mu) <= _LAST:
            return False
        before, least = min(self.residuals[:-1]), min(self.residuals)
        if least <= fair and least > 0.5 * before:
            return True
        stalls = self.mu[-1] > 0.5 * self.mu[-1 - _LAST]
        short = self.mu[-1] < _NEARLY or sum(self.parts[-_LAST:]) < _SHORT
        return len(self.mu) >= _ITERATIONS or (stalls and short)


def _iterated(search: InteriorPoint) -> bool:
    try:
        return search.iterate()
    except SingularMatrixError:
        return False


def _has_no_point(problem: ConicQP) -> bool:
    """Return whether the problem without friction, which is convex, proves that no x obeys the rows."""
    smooth = replace(problem.contacts, friction=np.zeros(len(problem.contacts.bounds)))
    search = InteriorPoint(_Scaled(replace(problem, contacts=smooth)).problem, _LEAST[0])
    return any(_iterated(search) and search.is_infeasible() for _ in range(_ITERATIONS))


class _Scaled:
    """A problem in its own scale, and the map from its points to solutions."""

    problem: ScaledProblem

    def __init__(self, given: ConicQP) -> None:
        contacts, limits = given.contacts, given.limits
        self._contacts, frictionless = len(contacts.bounds), np.zeros(len(limits.values))
        friction = np.concatenate([contacts.friction, frictionless])
        matrix, equations = Entries.of(given.matrix), Entries.of(given.equations.rows)
        self._root = 1.0 / np.sqrt(given.matrix.diagonal())
        ones = np.ones(equations.shape[0])
        self._equation_size = 1.0 / equations.scaled(ones, self._root).lengths()
        rows = _stacked(contacts, limits)
        lengths = rows.scaled(np.ones(rows.shape[0]), self._root).lengths()
        size = 1.0 / lengths[: len(friction)]
        size = np.stack([size, size * friction, size * friction])
        offsets = np.zeros_like(size)
        offsets[0] = np.concatenate([contacts.bounds, limits.values])
        offsets[1:, : self._contacts] = contacts.slip.T
        offsets *= size
        linear, values = self._root * given.linear, self._equation_size * given.equations.values
        lacks = (np.abs(linear), offsets[0], np.abs(offsets[1:]), np.abs(values))
        self._scale = max(float(part.max(initial=0.0)) for part in lacks) or 1.0
        system = ConeSystem(
            matrix.scaled(self._root, self._root),
            equations.scaled(self._equation_size, self._root),
            rows.scaled(size.ravel(), self._root),
        )
        self.problem = ScaledProblem(
            system, linear / self._scale, values / self._scale, offsets / self._scale
        )
        self._force = self._scale * size

    def start(self, like: ConicSolution | None) -> Point:
        """Return the point of a similar solution, or the motion without contacts and limits."""
        problem = self.problem
        if like is not None:
            forces = np.zeros_like(problem.offsets)
            forces[:, : self._contacts] = like.contact_forces.T
            forces[0, self._contacts :] = like.limit_forces
            forces = np.divide(forces, self._force, out=np.zeros_like(forces), where=self._force > 0.0)
            multipliers = like.equation_forces / (self._equation_size * self._scale)
            return Point(like.x / (self._root * self._scale), multipliers, forces)
        problem.system.factor(np.zeros((3, *problem.offsets.shape)))
        nothing = np.zeros_like(problem.offsets)
        x = problem.system.solve(problem.linear + problem.system.transposed(problem.values / DELTA, nothing))
        return Point(x, np.zeros_like(problem.values), nothing)

    def solution(self, point: Point, residual: float, iterations: int) -> ConicSolution:
        """Return the solution that a point stands for."""
        forces, count = point.forces * self._force, self._contacts
        return ConicSolution(
            point.x * self._root * self._scale,
            point.multipliers * self._equation_size * self._scale,
            np.maximum(forces[0, count:], 0.0),
            np.ascontiguousarray(forces[:, :count].T),
            iterations,
            residual,
        )


def _stacked(contacts: ContactRows, limits: LinearRows) -> Entries:
    """Return the normal rows of contacts, then limits, and after them the rows of each tangent, (3 K, d)."""
    count = len(contacts.bounds) + len(limits.values)
    above, below = Entries.of(contacts.rows), Entries.of(limits.rows)
    contact, axis = np.divmod(above.row, 3)
    return Entries(
        np.concatenate([axis * count + contact, below.row + len(contacts.bounds)]),
        np.concatenate([above.column, below.column]),
        np.concatenate([above.value, below.value]),
        (3 * count, above.shape[1]),
    )
