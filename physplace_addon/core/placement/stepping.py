"""The step of a placement: what bodies free of overlap do next (Snyder 1995, Figure 2).

Contact and near extremal pairs are rows g / R + J x >= c of a quadratic programme (`core.optimization`).  Its
solution x is the next move: the external forces' push, what contacts do not balance of it, no farther than
eps.  Rows of bilateral contacts are equations.  The QP is solved twice: the multipliers of the first are the
contact forces whose curvature enters the matrix of the second (`lagrangian_curvature`), beside K, the
stiffness of the external forces.

Taking the step, and lifting what then overlaps, is the contact adjustment (`core.contact.adjustment`).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import (
    CONTACT_CLEARANCE,
    FIXED,
    Adjusted,
    ContactSystem,
    InterfacePoints,
    free_falls,
    grouped,
)
from ..mechanics.balance import balance
from ..mechanics.friction import friction_wrench
from ..optimization.step_qp import (
    MANY,
    Step,
    TrustRegion,
    convex_curvature,
    lagrangian_curvature,
    trust_region_step,
)
from .problem import Problem
from .state import State

_ASLEEP = 1e-10  # motion, over R_b, of a body that nothing pushes
PRESSING_FORCE = 1e-6  # least force, in weights, of a contact that takes part in a rest


def solve_step(problem: Problem, state: State, extra: InterfacePoints | None = None) -> Step | None:
    """Return the next move from a state; None if its rows contradict one another.

    Args:
        problem: the settings and the external forces.
        state: where the move begins.
        extra: points that the move obeys besides those of the state, in their pairs' frames.

    Returns:
        x (d,) in the state's coordinates, and the forces (k,) of all points.
    """
    system, points = state.system, state.local_points
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    rows = _Rows(problem, state, points)
    coordinates, on_bodies = state.coordinates, problem.external.wrench(system)
    if problem.settings.alpha > 0.0 and problem.settings.has_friction:
        on_bodies = on_bodies + problem.settings.alpha * _friction(problem, system, points, on_bodies)
    wrench = coordinates.wrench(system, on_bodies)
    region = coordinates.trust_region(system, state.longest)
    if problem.settings.balance == "svd":
        touching = points.gap < problem.touching * system.radius
        return residual_step(wrench, rows.gradients, touching, region)
    stiffness = coordinates.stiffness(system, problem.external.stiffness(system), on_bodies)
    ease = 1.0 if state.ease is None or not problem.has_lowest else state.ease
    viscosity = coordinates.of_blocks(ease * problem.viscosity(system))
    predictor = rows.step(stiffness, wrench, region, viscosity)
    if predictor is None:  # a contact seen from both sides is not to be lifted off
        rows.keep_gaps()
        predictor = rows.step(stiffness, wrench, region, viscosity)
    if predictor is None:
        return None
    forces = forces_on_minima(system, points, predictor.forces)
    step = rows.curved_step(forces, stiffness, wrench, region, viscosity, predictor.viscosity)
    if step is not None and (step.forces[points.on_curve] > PRESSING_FORCE).any():
        # a true curve of support: it does not roll
        step = rows.curved_step(step.forces, stiffness, wrench, region, viscosity, step.viscosity)
    return step or predictor


def free_fall(problem: Problem, state: State, step: Step) -> tuple[Bools, Floats]:
    """Return which bodies (m,) nothing supports, and the motion (6 m,) by which these fall under gravity to
    just above what comes first: zero for one that falls no farther than a step, infinite for one that meets
    nothing.

    Args:
        problem: the settings and the external forces, of which only gravity acts.
        state: where the bodies stand.
        step: the next step, whose forces tell what is supported.
    """
    system, gravity = state.system, problem.external.gravity
    assert gravity is not None
    supported = np.zeros(len(system) + 1, bool)  # the last is the fixed world's, and FIXED its number
    pressing = state.local_points.take(step.forces > 0.0)
    supported[pressing.body1] = supported[pressing.body2] = True
    near = 0.2 * problem.settings.eps_max * system.radii
    far = free_falls(system, ~supported[:-1], gravity.direction, near, state.eps * system.radii)
    shift = np.zeros((len(system), 6))
    ends = np.isfinite(far)
    shift[ends, :3] = (far / system.radii)[ends, None] * gravity.direction
    shift[~ends] = np.inf
    return ~supported[:-1], shift.ravel()


def fallen_freely(problem: Problem, state: State, shift: Floats) -> Adjusted:
    """Return where a free fall (6 m,) leads.

    Nothing is met on the way, so nothing need be lifted.  Whatever fell is seen from where it stands now: one
    body after the other fell, so that the way straight from the places before may well cross others.
    """
    fallen = state.coordinates.displaced(state.system, shift)
    fell = np.append(shift.reshape(-1, 6).any(axis=1), False)  # the last is the fixed world's
    points = state.local_points
    still = points.take(~fell[points.body1] & ~fell[points.body2])
    return Adjusted(fallen, fallen.generate(problem.reach(state.eps), still, fallen))


class _Rows:
    """The rows of a state's QP."""

    def __init__(self, problem: Problem, state: State, points: InterfacePoints) -> None:
        self._state, self._points = state, points
        self.gradients = state.coordinates.gradients(state.system, points)
        room = np.minimum(CONTACT_CLEARANCE - points.gap / state.system.radius, 2.0 * CONTACT_CLEARANCE)
        self._bilateral = state.bilateral.rows(points)
        self._all, self._room = self.gradients, room
        if problem.settings.check_energy and problem.external.pushes:  # a push does not lift
            descent = state.coordinates.wrench(state.system, problem.external.descent(state.system))
            self._all = np.concatenate([self._all, descent[None]])
            self._room = np.append(self._room, -4.0 * CONTACT_CLEARANCE)

    def keep_gaps(self) -> None:
        """Ask of contacts only that no gap gets less: where none overlap, not to move obeys all of these."""
        self._room = np.minimum(self._room, 0.0)

    def step(
        self,
        matrix: Floats,
        wrench: Floats,
        region: TrustRegion,
        viscosity: Floats,
        start: float | None = None,
    ) -> Step | None:
        """Return the step of the QP, None if there is none; the force of a bilateral contact may pull.

        start: `Step.viscosity` of a similar QP.
        """
        step = trust_region_step(
            matrix, wrench, self._all, self._room, region, viscosity, self._bilateral, start
        )
        if step is None:
            return None
        asleep = region.lengths(step.x) < _ASLEEP
        x = np.where(asleep[region.blocks], 0.0, step.x)
        return Step(x, step.forces[: len(self._points)], step.viscosity)

    def curved_step(
        self,
        forces: Floats,
        matrix: Floats,
        wrench: Floats,
        region: TrustRegion,
        viscosity: Floats,
        start: float | None,
    ) -> Step | None:
        """Return the step of the QP to whose matrix contact forces (k,) add the curvature of their gaps; None
        if there is none, or nothing curves.
        """
        if len(wrench) > MANY:
            curvature = self._convex_curvature(forces)
            return (
                None if curvature is None else self.step(matrix + curvature, wrench, region, viscosity, start)
            )
        rows = np.abs(forces) > 0.0
        hessians = self._state.coordinates.hessians(self._state.system, self._points.take(rows))
        count = len(self._points)
        curvature, pull = lagrangian_curvature(
            forces[rows], self.gradients[rows], self._room[:count][rows], hessians
        )
        return self.step(matrix + curvature, wrench + pull, region, viscosity, start)

    def _convex_curvature(self, forces: Floats) -> Floats | None:
        """Return the curvature of the pressing contacts of many free bodies, each made convex; None where all
        are between flat features.
        """
        system = self._state.system
        rows = np.nonzero(np.abs(forces) > PRESSING_FORCE)[0]
        rows = rows[~system.between_flat_features(self._points.take(rows))]
        if len(rows) == 0:
            return None
        points, each = self._points.take(rows), np.arange(6)
        bodies = np.stack([points.body1, points.body2], axis=1)
        columns = np.where((bodies == FIXED)[:, :, None], -1, 6 * bodies[:, :, None] + each)
        blocks = system.hessian_blocks(points).reshape(len(rows), 12, 12)
        return convex_curvature(forces[rows], blocks, columns.reshape(-1, 12), 6 * len(system))


def residual_step(wrench: Floats, gradients: Floats, touching: Bools, region: TrustRegion) -> Step:
    """Return the update of Snyder 1995 (sections 5.2 and 5.3), to compare with.

    It is the residual of the least-squares balance on the touching contacts, scaled into the trust region.
    Contacts that would pull are left out.

    Args:
        wrench: the external wrench (d,).
        gradients: J (k, d).
        touching: which of the points (k,) are contacts.
        region: how long the step may be.
    """
    forces = np.zeros(len(gradients))
    rows = np.nonzero(touching)[0]
    forces[rows], residual = balance(wrench, gradients[rows], "svd")
    size = float(region.lengths(residual).max())
    factor = min(1.0, region.radius / size) if size > 0.0 else 0.0
    return Step(residual * factor, np.maximum(forces, 0.0))


def _friction(problem: Problem, system: ContactSystem, points: InterfacePoints, wrench: Floats) -> Floats:
    """Return what friction takes off the motion at the contacts (5.2): F_f - F_r, a wrench (6 m,)."""
    touching = problem.contacts(system, points)
    normals = system.in_world(touching).normal
    friction = problem.friction(system, touching)
    return friction_wrench(wrench, system.wrench_maps(touching), normals, friction)


def forces_on_minima(system: ContactSystem, points: InterfacePoints, forces: Floats) -> Floats:
    """Return the forces (k,) with those of samples of a contact curve moved to its true minimum, the nearest
    if there are several: the samples guard the step, but only the minimum knows how the body rolls.
    """
    moved = forces.copy()
    if not points.on_curve.any() or not (moved[points.on_curve] > 0.0).any():
        return moved
    for pair, mine in grouped(points):
        rows = np.nonzero(mine)[0]
        part = points.take(rows)
        features = np.array(system.body_pair(pair).curve_feature(part))
        samples = np.nonzero(part.on_curve & (forces[rows] > 0.0))[0]
        minima = np.nonzero(~part.on_curve)[0]
        offset = part.point1[samples][:, None] - part.point1[minima]
        distance = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset))
        distance[features[samples][:, None] != features[minima]] = np.inf
        for row, away in zip(samples.tolist(), distance, strict=True):
            if np.isfinite(away).any():
                moved[rows[minima[np.argmin(away)]]] += moved[rows[row]]
                moved[rows[row]] = 0.0
    return moved
