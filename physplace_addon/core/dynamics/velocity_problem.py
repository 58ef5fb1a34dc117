"""The velocity problem: what contacts and joints make of the rates at which bodies would move without them.

    min 1/2 |u - u^|_M^2,    contacts open or slip by Coulomb's law,    joints' equations and limits hold.

Springs add their slopes to the matrix and their forces to the right-hand side.  A motor is an equation while
its impulse l is at most its greatest one, L, and that impulse otherwise.  An active set finds out which: what
needs more than L pushes with L, and what L drives beyond its target is an equation again.

Bodies whose motion is given take part with rates that nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..mechanics.joints.equations import JointRows
from ..optimization.conic.conic_problem import ConicQP, ContactRows, Forces, LinearRows
from ..optimization.conic.conic_qp import solve_conic_qp
from ..optimization.sparse_rows import columns_of, rows_of
from .contacts import Contacts
from .joints.constraints import JointImpulses, JointTerms, compliance

_MOST_CHOICES = 12  # of motors that are equations
_RETURNS = 6  # choices after which none becomes an equation again
_SLIGHT = 1e-9  # of a motor's target rate, by which it may be driven beyond


_FAIR = 1e-4  # residual, over the greatest speed, with which a slow search of impulses ends


@dataclass(frozen=True, eq=False)
class Solved:
    """Rates u (m, 6), and the impulses that led to them.

    impulses (k, 3): of contacts, along their normals and tangents.
    joints: of joints.
    sides (n,): -1 and 1 for motors that push with their greatest impulse, that way, 0 for others.
    """

    rates: Floats
    impulses: Floats
    joints: JointImpulses
    sides: Floats


@dataclass(frozen=True, eq=False)
class VelocityProblem:
    """The velocity problem of m bodies at one configuration.

    blocks: the mass matrices (m, 6, 6) of the rates of twists.
    given: whose motion (m,) is given.
    contacts: all of them (k,).
    joints: equations, limits, motors and springs.
    """

    blocks: Floats
    given: Bools
    contacts: Contacts
    joints: JointTerms

    def solve(
        self,
        rates: Floats,
        bounds: Floats,
        slip: Floats,
        like: Solved | None = None,
        impulses: Floats | None = None,
    ) -> Solved | None:
        """Return the rates nearest to `rates` (m, 6) that contacts and joints allow; None if there are none.

        Args:
            rates: of the bodies without contacts and joints.
            bounds: how fast each gap opens at least (k,), lengths a second.
            slip: at which tangential velocity (k, 2) each contact sticks, lengths a second.
            like: the solution of a similar problem with the same rows, to begin with.
            impulses: (k, 3) of contacts, along their normals and tangents, to begin with where no such
                solution is known.
        """
        most = self.joints.most
        sides = self._likely_sides(rates) if like is None else like.sides
        limited = np.zeros(len(self.joints.limits)) if like is None else like.joints.limits
        pushed = impulses if like is None else like.impulses
        start = None if pushed is None else Forces(limited, pushed)
        for number in range(_MOST_CHOICES):
            found = self._with_motors(rates, bounds, slip, sides, start)
            if found is None:
                bounded = (sides == 0.0) & np.isfinite(most)
                if not bounded.any():
                    return None
                sides = np.where(bounded, self._ways(rates), sides)
                continue
            weak = (sides == 0.0) & (np.abs(found.joints.motors) > most)
            beyond = (sides != 0.0) & (sides * self._ways(found.rates) < 0.0) & (number < _RETURNS)
            if not weak.any() and not beyond.any():
                break
            sides = np.where(beyond, 0.0, np.where(weak, np.sign(found.joints.motors), sides))
        return found

    def work_on_given(self, solved: Solved) -> float:
        """Return the work that the impulses of a solution do on bodies whose motion is given."""
        terms, by_joint = self.joints, solved.joints
        wrench = (self.contacts.rows.T @ solved.impulses.ravel()).reshape(solved.rates.shape)
        for rows, impulses in zip(
            (terms.held, terms.limits, terms.motors, terms.springs), by_joint, strict=True
        ):
            wrench = wrench + rows.wrench(impulses, len(self.given))
        return float((wrench[self.given] * solved.rates[self.given]).sum())

    def _ways(self, rates: Floats) -> Floats:
        """Return the ways (n,), -1 or 1, from rates (m, 6) to those of motors, 0 where these are reached."""
        motors = self.joints.motors
        lack = motors.value - motors.rates(rates)
        return np.where(np.abs(lack) > _SLIGHT * np.abs(motors.value), np.sign(lack), 0.0)

    def _likely_sides(self, rates: Floats) -> Floats:
        """Return which motors (n,) are too weak even to drive two bodies that nothing else hinders."""
        motors = self.joints.motors
        if not len(motors):
            return np.zeros(0)
        alone = compliance(motors, self.blocks, self.given)
        lack = motors.value - motors.rates(rates)
        with np.errstate(invalid="ignore"):
            weak = np.abs(lack) > np.where(np.isinf(self.joints.most), np.inf, self.joints.most * alone)
        return np.where(weak, np.sign(lack), 0.0)

    def _with_motors(
        self, rates: Floats, bounds: Floats, slip: Floats, sides: Floats, like: Forces | None
    ) -> Solved | None:
        """Return the solution in which motors (n,) push to given sides, or are equations where they are 0."""
        terms = self.joints
        driven = sides == 0.0
        pushes = np.where(driven, 0.0, sides * np.where(driven, 0.0, terms.most))
        moves = np.flatnonzero(np.repeat(~self.given, 6))
        held = np.where(self.given[:, None], rates, 0.0).ravel()
        equations, limits, springs = (
            _FreeRows.of(rows, moves, held)
            for rows in (JointRows.join([terms.held, terms.motors.take(driven)]), terms.limits, terms.springs)
        )
        used = np.flatnonzero(self._moved_contacts())
        found, impulses = rates.copy(), np.zeros((len(self.contacts), 3))
        by_equation, by_limit = np.zeros(equations.count), np.zeros(limits.count)
        acts = len(used) + sum(len(rows.used) for rows in (equations, limits, springs)) + np.any(pushes)
        if len(moves) and acts:
            wrench = terms.motors.wrench(pushes, len(rates))
            matrix, linear = self._free_motion(rates, wrench, springs)
            contacts = self._free_contacts(used, (bounds, slip), moves, held)
            problem = ConicQP(matrix, linear, contacts, limits.linear, equations.linear)
            likely = None if like is None else Forces(like.limits[limits.used], like.contacts[used])
            solution = solve_conic_qp(problem, likely, fair=_FAIR)
            if solution is None:
                return None
            found[~self.given] = solution.x.reshape(-1, 6)
            impulses[used] = solution.contact_forces
            by_equation = equations.spread(solution.equation_forces)
            by_limit = limits.spread(solution.limit_forces)
        pushes[driven] = by_equation[len(terms.held) :]
        by_spring = terms.springs.value - terms.slope * terms.springs.rates(found)
        joints = JointImpulses(by_equation[: len(terms.held)], by_limit, pushes, by_spring)
        return Solved(found, impulses, joints, sides)

    def _free_motion(
        self, rates: Floats, wrench: Floats, springs: _FreeRows
    ) -> tuple[sparse.csr_array, Floats]:
        """Return the matrix and the right-hand side by the rates of free bodies, with springs, for rates
        (m, 6) and a wrench (m, 6) of impulses.
        """
        own = self.blocks[~self.given]
        columns = np.broadcast_to(6 * np.arange(len(own))[:, None, None] + np.arange(6), own.shape)
        matrix = sparse.csr_array((own.ravel(), columns.ravel(), 6 * np.arange(6 * len(own) + 1)))
        linear = (np.einsum("bij,bj->bi", own, rates[~self.given]) + wrench[~self.given]).ravel()
        if len(springs.used) == 0:
            return matrix, linear
        slope, rows = self.joints.slope[springs.used], springs.rows
        linear += rows.T @ (springs.values - slope * springs.of_given)
        return sparse.csr_array(matrix + rows.T @ (sparse.diags_array(slope) @ rows)), linear

    def _free_contacts(
        self, used: Ints, wanted: tuple[Floats, Floats], moves: Ints, held: Floats
    ) -> ContactRows:
        """Return the contacts that are used (n,) by the rates of free bodies, for bounds and slips (k, 2)."""
        contacts, (bounds, slip) = self.contacts.take(used), wanted
        by_given = (contacts.rows @ held).reshape(-1, 3)
        return ContactRows(
            columns_of(contacts.rows, moves),
            bounds[used] - by_given[:, 0],
            slip[used] - by_given[:, 1:],
            contacts.friction,
        )

    def _moved_contacts(self) -> Bools:
        """Return which contacts (k,) are of a body whose motion is not given."""
        free = np.append(~self.given, False)  # the last is the fixed world
        points = self.contacts.points
        moved: Bools = free[points.body1] | free[points.body2]
        return moved


@dataclass(frozen=True, eq=False)
class _FreeRows:
    """Rows of joints by the rates of free bodies alone.

    rows: those (n, d) that say something of them.  used (n,): which of all (count) they are.
    values (n,): theirs.  of_given (n,): what the given bodies' rates make of them.
    """

    rows: sparse.csr_array
    used: Ints
    count: int
    values: Floats
    of_given: Floats

    @classmethod
    def of(cls, rows: JointRows, moves: Ints, held: Floats) -> _FreeRows:
        """Return rows by the columns `moves` (d,), for the rates `held` (6 m,) of given bodies."""
        if not len(rows):
            return _no_rows(len(moves))
        every = rows.sparse(len(held) // 6)
        by_free = columns_of(every, moves)
        used = np.flatnonzero(np.diff(by_free.indptr))
        return cls(rows_of(by_free, used), used, len(rows), rows.value[used], (every @ held)[used])

    @property
    def linear(self) -> LinearRows:
        """The rows, with bounds or values of what free bodies do."""
        return LinearRows(self.rows, self.values - self.of_given)

    def spread(self, multipliers: Floats) -> Floats:
        """Return the multipliers of all rows, zero for those that are not used."""
        every = np.zeros(self.count)
        every[self.used] = multipliers
        return every


@cache
def _no_rows(size: int) -> _FreeRows:
    """Return no rows by `size` rates."""
    return _FreeRows(sparse.csr_array((0, size)), np.zeros(0, np.intp), 0, np.zeros(0), np.zeros(0))
