"""A quadratic problem with contacts, limits and equations, and the same in its own scale.

Rows are scaled: x by the root of B's diagonal, each row to unit length, tangential rows by mu, which
makes every cone that of Lorentz, all by the size that x is expected to have.  A limit becomes a contact
without tangential rows.  `conic_qp` has the symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats
from .cone_rows import ConeRows
from .cone_system import ConeSystem, Entries
from .coulomb_law import Point, ScaledProblem


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
class ConeQP:
    """The same with the rows of k contacts, and after them of limits, as those of K cones.

    matrix: B (d, d), sparse.  linear: w (d,).  equations: E x = e.
    rows: of the cones.  bounds (K,): c.
    slip (k, 2): at which contacts stick.  friction (k,): their coefficients.
    """

    matrix: sparse.csr_array
    linear: Floats
    equations: LinearRows
    rows: ConeRows
    bounds: Floats
    slip: Floats
    friction: Floats

    @classmethod
    def of(cls, given: ConicQP) -> ConeQP:
        """Return a problem's."""
        contacts, limits = given.contacts, given.limits
        rows = ConeRows.of(contacts.rows, limits.rows)
        bounds = np.concatenate([contacts.bounds, limits.values])
        return cls(
            given.matrix, given.linear, given.equations, rows, bounds, contacts.slip, contacts.friction
        )

    def of_contacts(self, kept: Bools) -> ConeQP:
        """Return the problem with some of its contacts (k,)."""
        if kept.all():
            return self
        cones = np.flatnonzero(np.append(kept, np.ones(len(self.rows) - len(kept), np.bool_)))
        return replace(
            self,
            rows=self.rows.take(cones),
            bounds=self.bounds[cones],
            slip=self.slip[kept],
            friction=self.friction[kept],
        )


class Forces(NamedTuple):
    """Forces of limits (g,), and of contacts (k, 3), normal and tangential."""

    limits: Floats
    contacts: Floats


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

    @property
    def forces(self) -> Forces:
        """The forces of limits and contacts."""
        return Forces(self.limit_forces, self.contact_forces)


class ScaledConicQP:
    """A problem in its own scale, and the map from its points to solutions."""

    problem: ScaledProblem

    def __init__(self, given: ConeQP) -> None:
        rows, count = given.rows, len(given.friction)
        self._contacts = count
        matrix, equations = Entries.of(given.matrix), Entries.of(given.equations.rows)
        self._root = 1.0 / np.sqrt(given.matrix.diagonal())
        ones = np.ones(equations.shape[0])
        self._equation_size = 1.0 / equations.scaled(ones, self._root).lengths()
        size = np.zeros((3, len(rows)))
        size[0] = 1.0 / rows.normal_lengths(self._root)
        size[1:, :count] = size[0, :count] * given.friction
        offsets = np.zeros_like(size)
        offsets[0] = given.bounds
        offsets[1:, :count] = given.slip.T
        offsets *= size
        linear, values = self._root * given.linear, self._equation_size * given.equations.values
        lacks = (np.abs(linear), offsets[0], np.abs(offsets[1:]), np.abs(values))
        self._scale = max(float(part.max(initial=0.0)) for part in lacks) or 1.0
        system = ConeSystem(
            matrix.scaled(self._root, self._root),
            equations.scaled(self._equation_size, self._root),
            rows.scaled(size, self._root),
        )
        self.problem = ScaledProblem(
            system, linear / self._scale, values / self._scale, offsets / self._scale
        )
        self._force = self._scale * size

    def start(self, like: Forces | None) -> Point:
        """Return the point at which similar forces (none for None) give the equation of motion."""
        problem = self.problem
        forces = np.zeros_like(problem.offsets)
        if like is not None:
            forces[:, : self._contacts] = like.contacts.T
            forces[0, self._contacts :] = like.limits
            forces = np.divide(forces, self._force, out=np.zeros_like(forces), where=self._force > 0.0)
        nothing = Point(np.zeros_like(problem.linear), np.zeros_like(problem.values), forces)
        return problem.balanced(nothing)

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
