"""What joints bear where bodies are held by more than they need: the least forces.

A block that is welded to the world and stands on the floor does not say which of both carries it, nor two
hinges of a door which of them does.  Rates are the same for all such forces.  A joint breaks by the least of
them, of joints and contacts together, each force in its own unit, a torque over R: so all are taken to be
equally stiff, and none is under a tension that nothing asks for.

Contacts push within their cones where they stick, against the slip where they slip.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...mechanics.joints.equations import JointRows
from ...optimization.conic.least_forces import ForceRows, RowForces
from ...optimization.sparse_rows import columns_of, rows_of
from ...vectors import length
from ..velocity_problem import Solved, VelocityProblem
from .constraints import JointConstraints, JointImpulses
from .loads import JointForces, can_break

_STILL = 1e-4  # speed, over that of an approach that does not bounce, of contacts that stay closed or stick


def least_loads(
    joints: JointConstraints,
    problem: VelocityProblem,
    solved: Solved,
    bounds: Floats,
    slip: Floats,
    slow: float,
) -> JointForces:
    """Return the impulses of joints on their second bodies: of all that lead to a solution's rates the least;
    none where no joint can break.

    Args:
        joints: where the bodies are.
        problem: the velocity problem.
        solved: its solution.
        bounds, slip: that it was solved for.
        slow: `Scene.slow`.
    """
    if not can_break(joints.joints):
        return JointForces.none(len(joints.joints))
    terms, found, still = problem.joints, solved.joints, _STILL * slow
    size, moves = joints.joints.length, np.flatnonzero(np.repeat(~problem.given, 6))
    driven = np.flatnonzero(solved.sides == 0.0)
    approach = size * (terms.limits.rates(solved.rates) - terms.limits.value)
    reached = np.flatnonzero((found.limits > 0.0) | (approach <= still))
    closed, slides, rays = _states(problem, solved, bounds, slip, still)
    sliding, sticking = np.flatnonzero(closed & slides), np.flatnonzero(closed & ~slides)
    by_contact = columns_of(problem.contacts.rows, moves)

    def of_joints(rows: JointRows) -> sparse.csr_array:
        return sparse.csr_array(size * columns_of(rows.sparse(len(problem.given)), moves))

    rows = ForceRows(
        of_joints(JointRows.join([terms.held, terms.motors.take(driven)])),
        _stacked(of_joints(terms.limits.take(reached)), _along(by_contact, sliding, rays)),
        rows_of(by_contact, _three(sticking)),
        problem.contacts.friction[sticking],
    )
    like = RowForces(
        np.concatenate([found.held, found.motors[driven]]) / size,
        np.concatenate([found.limits[reached] / size, (solved.impulses * rays)[sliding].sum(axis=1)]),
        solved.impulses[sticking],
    )
    least = rows.least(like)
    motors, limits = found.motors.copy(), np.zeros_like(found.limits)
    held, motors[driven] = np.split(size * least.equations, [len(found.held)])
    limits[reached] = size * least.limits[: len(reached)]
    return joints.impulses_of(terms, JointImpulses(held, limits, motors, found.springs))


def _states(
    problem: VelocityProblem, solved: Solved, bounds: Floats, slip: Floats, still: float
) -> tuple[Bools, Bools, Floats]:
    """Return which contacts (k,) may press, which of them slip, and the unit rays (k, 3), by their own rows,
    along which these push.
    """
    opening, tangential = problem.contacts.speeds(solved.rates)
    closed = (solved.impulses[:, 0] > 0.0) | (opening <= bounds + still)
    past, friction = tangential - slip, problem.contacts.friction
    speed = length(past)
    against = -(friction / np.maximum(speed, np.finfo(float).tiny))[:, None] * past
    rays = np.concatenate([np.ones((len(speed), 1)), against], axis=1)
    return closed, (speed > still) & (friction > 0.0), rays / length(rays)[:, None]


def _three(contacts: Ints) -> Ints:
    """Return the numbers (3 n,) of the rows of contacts (n,)."""
    return np.asarray((3 * contacts[:, None] + np.arange(3)).ravel(), np.intp)


def _along(rows: sparse.csr_array, contacts: Ints, rays: Floats) -> sparse.csr_array:
    """Return the rows (n, d) of pushes of contacts (n,) along their rays (k, 3), for rows (3 k, d) of all."""
    entries = rays[contacts].ravel(), _three(contacts), 3 * np.arange(len(contacts) + 1)
    return sparse.csr_array(sparse.csr_array(entries, shape=(len(contacts), rows.shape[0])) @ rows)


def _stacked(one: sparse.csr_array, other: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(sparse.vstack([one, other], format="csr"))
