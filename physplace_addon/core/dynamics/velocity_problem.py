"""The velocity problem: what contacts and joints make of the rates at which bodies would move without them.

    min 1/2 |u - u^|_M^2,    contacts open or slip by Coulomb's law,    joints' equations and limits hold.

Bodies whose motion is given take part with rates that nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..optimization.conic_qp import (
    ConicQP,
    ConicSolution,
    ContactRows,
    LinearRows,
    solve_conic_qp,
)
from ..optimization.sparse_rows import columns_of, rows_of
from .contacts import Contacts

_FAIR = 1e-4  # residual, over the greatest speed, with which a slow search of impulses ends


@dataclass(frozen=True, eq=False)
class Solved:
    """Rates u (m, 6), the impulses (k, 3) of contacts along their normals and tangents, and the solution."""

    rates: Floats
    impulses: Floats
    solution: ConicSolution | None


@dataclass(frozen=True, eq=False)
class VelocityProblem:
    """The velocity problem of m bodies at one configuration.

    blocks: the mass matrices (m, 6, 6) of the rates of twists.
    given: whose motion (m,) is given.
    contacts: all of them (k,).
    equations, limits: rows by the rates (6 m,) that joints hold at values, and keep above them.
    """

    blocks: Floats
    given: Bools
    contacts: Contacts
    equations: LinearRows
    limits: LinearRows

    def solve(
        self, rates: Floats, bounds: Floats, slip: Floats, like: ConicSolution | None = None
    ) -> Solved | None:
        """Return the rates nearest to `rates` (m, 6) that contacts and joints allow; None if there are none.

        Args:
            rates: of the bodies without contacts and joints.
            bounds: how fast each gap opens at least (k,), lengths a second.
            slip: at which tangential velocity (k, 2) each contact sticks, lengths a second.
            like: the solution of a similar problem with the same rows.
        """
        moves = np.flatnonzero(np.repeat(~self.given, 6))
        impulses = np.zeros((len(self.contacts), 3))
        used = np.flatnonzero(self._moved_contacts())
        held = np.where(self.given[:, None], rates, 0.0).ravel()
        limits, equations = (_by_free(rows, moves, held) for rows in (self.limits, self.equations))
        if len(used) + len(limits.values) + len(equations.values) == 0:
            return Solved(rates, impulses, None)
        contacts = self.contacts.take(used)
        by_given = (contacts.rows @ held).reshape(-1, 3)
        own = self.blocks[~self.given]
        problem = ConicQP(
            sparse.bsr_array((own, np.arange(len(own)), np.arange(len(own) + 1))).tocsr(),
            np.einsum("bij,bj->bi", own, rates[~self.given]).ravel(),
            ContactRows(
                columns_of(contacts.rows, moves),
                bounds[used] - by_given[:, 0],
                slip[used] - by_given[:, 1:],
                contacts.friction,
            ),
            limits,
            equations,
        )
        solution = solve_conic_qp(problem, like, fair=_FAIR)
        if solution is None:
            return None
        found = rates.copy()
        found[~self.given] = solution.x.reshape(-1, 6)
        impulses[used] = solution.contact_forces
        return Solved(found, impulses, solution)

    def _moved_contacts(self) -> Bools:
        """Return which contacts (k,) are of a body whose motion is not given."""
        free = np.append(~self.given, False)  # the last is the fixed world
        points = self.contacts.points
        moved: Bools = free[points.body1] | free[points.body2]
        return moved


def _by_free(rows: LinearRows, moves: Ints, held: Floats) -> LinearRows:
    """Return rows by the rates of free bodies alone, those of the given ones (6 m,) on the other side; what
    is between given bodies says nothing.
    """
    by_free = columns_of(rows.rows, moves)
    used = np.flatnonzero(np.diff(by_free.indptr))
    return LinearRows(rows_of(by_free, used), (rows.values - rows.rows @ held)[used])
