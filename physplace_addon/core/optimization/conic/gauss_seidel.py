"""Coulomb's law contact by contact: nonsmooth Gauss-Seidel (Jourdan, Alart and Jean 1998).

With the compliance A = J (B + E'E / delta)^-1 J' of one contact and the velocity q that there is without its
own force z, v = A z + q.  That is solved exactly (symbols: `coulomb_law`):

    open    q_n >= 0:  z = 0,
    else    v_n = 0 and v_t = -alpha z_t, alpha >= 0: it sticks if alpha = 0 leaves |z_t| <= z_n, and slides
            with the alpha for which |z_t| = z_n.

From v_n = 0, with S = A_tt - A_tn A_nt / A_nn and b = q_t - A_tn q_n / A_nn,

    z_t = -(S + alpha)^-1 b,    z_n = -(q_n + A_nt z_t) / A_nn.

As alpha grows, z_t vanishes and z_n becomes -q_n / A_nn > 0.  So what does not stick has an alpha, and it is
bracketed however much friction there is.  The tangents of each contact are those for which S is diagonal.

Taken in turn, contacts come near the solution slowly, but from anywhere, where Newton's method loses its way
between those that stick, slide and open.  In one order, or with the whole of each change, they may go round
in circles: so orders are drawn, from the same seed each time, and later half of each change is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from typing import Final

import numpy as np
from scipy.optimize import brentq

from ...arrays import Floats
from .cone_system import DELTA
from .coulomb_law import Point, ScaledProblem

_SWEEPS: Final = 10  # over all contacts, in a block
_PARTS: Final = (1.0,) * 10 + (0.5,) * 10  # of each change that are taken, block by block
_SEED: Final = 0  # of the orders
_EXACT: Final = 1e-15  # of alpha / (S + alpha), which is searched for


@dataclass(frozen=True)
class OneContact:
    """A contact by itself, with tangents for which S is diagonal.

    normal: A_nn.  coupling: A_nt.  sizes: of S.
    """

    normal: float
    coupling: tuple[float, float]
    sizes: tuple[float, float]

    def force(self, velocity: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return z for q = `velocity`."""
        approach = velocity[0]
        if approach >= 0.0:
            return 0.0, 0.0, 0.0
        (a1, a2), (s1, s2), normal = self.coupling, self.sizes, self.normal
        b1, b2 = velocity[1] - a1 * approach / normal, velocity[2] - a2 * approach / normal
        largest = max(s1, s2)

        def at(share: float) -> tuple[float, float, float]:
            alpha = largest * share / (1.0 - share)
            z1, z2 = -b1 / (s1 + alpha), -b2 / (s2 + alpha)
            return -(approach + a1 * z1 + a2 * z2) / normal, z1, z2

        def beyond(share: float) -> float:
            along, z1, z2 = at(share)
            return hypot(z1, z2) - along

        last = 1.0 - _EXACT
        if beyond(0.0) <= 0.0:
            return at(0.0)
        return at(last if beyond(last) >= 0.0 else float(brentq(beyond, 0.0, last, xtol=_EXACT)))


def swept(problem: ScaledProblem) -> Iterator[Point]:
    """Yield points nearer and nearer to a solution, one after each block of sweeps.

    Raises:
        SingularMatrixError: the problem has no solution without contacts.
    """
    compliance, free = _between_contacts(problem)
    compliance, axes = _with_own_tangents(compliance)
    free = np.einsum("kji,kj->ki", axes, free)
    count, z = len(free), np.zeros_like(free)
    contacts = [_alone(compliance[k, :, k]) for k in range(count)]
    rng = np.random.default_rng(_SEED)
    flat = compliance.reshape(count, 3, -1)
    for part in _PARTS:
        for _ in range(_SWEEPS):
            for k in rng.permutation(count).tolist():
                velocity = flat[k] @ z.ravel() + free[k] - compliance[k, :, k] @ z[k]
                z[k] += part * (contacts[k].force(tuple(velocity.tolist())) - z[k])
        yield problem.balanced(_without_motion(problem, np.einsum("kij,kj->ik", axes, z)))


def _without_motion(problem: ScaledProblem, forces: Floats) -> Point:
    return Point(np.zeros_like(problem.linear), np.zeros_like(problem.values), forces)


def _between_contacts(problem: ScaledProblem) -> tuple[Floats, Floats]:
    """Return the compliance (K, 3, K, 3) between contacts, and their velocities (K, 3) without forces."""
    system, none = problem.system, np.zeros_like(problem.offsets)
    free = problem.relative_velocity(problem.balanced(_without_motion(problem, none)).x).T
    count = len(free)
    compliance = np.empty((count, 3, count, 3))
    for contact in range(count):
        for axis in range(3):
            unit = none.copy()
            unit[axis, contact] = 1.0
            answer = system.solve_without_cones(system.transposed(0.0 * problem.values, unit))
            compliance[:, :, contact, axis] = system.rows_times(answer).T
    return compliance, free


def _with_own_tangents(compliance: Floats) -> tuple[Floats, Floats]:
    """Return the compliance by axes for which the S of each contact are diagonal, and these (K, 3, 3), as
    columns.
    """
    each = np.arange(len(compliance))
    own = compliance[each, :, each]
    coupling = own[:, 1:, 0]
    schur = own[:, 1:, 1:] - coupling[:, :, None] * coupling[:, None] / (own[:, 0, 0] + DELTA)[:, None, None]
    axes = np.tile(np.eye(3), (len(each), 1, 1))
    axes[:, 1:, 1:] = np.linalg.eigh(schur)[1]
    return np.einsum("kab,kalc,lcd->kbld", axes, compliance, axes), axes


def _alone(own: Floats) -> OneContact:
    """Return a contact with a compliance (3, 3) whose tangents make S diagonal."""
    normal, (a1, a2) = float(own[0, 0]) + DELTA, own[0, 1:].tolist()
    s1, s2 = (max(float(own[i, i]) - a * a / normal, 0.0) + DELTA for i, a in ((1, a1), (2, a2)))
    return OneContact(normal, (a1, a2), (s1, s2))
