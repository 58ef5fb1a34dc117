"""The step of a placement: what bodies free of overlap do next (Snyder 1995, Figure 2).

Contact and near extremal pairs are rows g / R + J x >= c of a quadratic programme (`core.optimization`).  Its
solution x is the next move: the external forces' push, what contacts do not balance of it, no farther than
eps.  Rows of bilateral contacts are equations.  The QP is solved twice: the multipliers of the first are the
contact forces whose curvature enters the matrix of the second (`lagrangian_curvature`), beside K, the
stiffness of the external forces.

Limits of joints are rows like those of contacts.  A brake with the greatest generalized force t, on a motion
S x, costs t |S x|: with one unknown p more that is t (2 p - S x), p >= 0 and p >= S x, whose multipliers keep
the brake's force within [-t, t], and S x = 0 as long as that is enough.

Taking the step, and lifting what then overlaps, is the contact adjustment (`core.contact.adjustment`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

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
from ..mechanics.coordinates import Brakes
from ..mechanics.friction import friction_wrench
from ..optimization.step_qp import (
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
_FAINT = 1e-4  # curvature given to the unknown of a brake: next to its force, nothing
_BRAKED = 4.0  # unit of that unknown: a joint turns by more than its bodies do
_STRAIGHT = 1e-4  # least curvature of a programme of many coordinates that is to be positive


@dataclass(frozen=True, eq=False)
class PlacementStep(Step):
    """A step's move x (d,), the forces (k,) of its points, and those (n,) of the limits of joints."""

    limit_forces: Floats = field(default_factory=lambda: np.zeros(0))


def solve_step(problem: Problem, state: State, extra: InterfacePoints | None = None) -> PlacementStep | None:
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
    wrench = coordinates.wrench(system, on_bodies)
    if len(wrench) == 0:  # all is locked to the world
        return rows.still()
    if problem.settings.alpha > 0.0 and problem.settings.has_friction:
        wrench = wrench + problem.settings.alpha * _friction(problem, state, points, wrench)
    region = coordinates.trust_region(system, state.longest)
    if problem.settings.balance == "svd":
        touching = points.gap < problem.touching * system.radius
        return rows.placed(residual_step(wrench, rows.gradients, touching, region))
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
    known = replace(predictor, forces=forces)
    step = rows.curved_step(known, stiffness, wrench, region, viscosity)
    if step is not None and (step.forces[points.on_curve] > PRESSING_FORCE).any():
        # a true curve of support: it does not roll
        step = rows.curved_step(step, stiffness, wrench, region, viscosity)
    return step or predictor


def free_fall(problem: Problem, state: State, step: Step) -> tuple[Bools, Floats]:
    """Return which bodies (m,) nothing supports, no bilateral contact either, and the motion (6 m,) by which
    these fall under gravity to just above what comes first: zero for one that falls no farther than a step,
    infinite for one that meets nothing.

    Args:
        problem: the settings and the external forces, of which only gravity acts.
        state: where the bodies stand.
        step: the next step, whose forces tell what is supported.
    """
    system, gravity = state.system, problem.external.gravity
    assert gravity is not None
    supported = np.zeros(len(system) + 1, bool)  # the last is the fixed world's, and FIXED its number
    holding = step.forces > 0.0
    holding[state.bilateral.rows(state.local_points)] = True
    held = state.local_points.take(holding)
    supported[held.body1] = supported[held.body2] = True
    together = state.coordinates.falling_together(system)
    if together is not None:
        supported[:-1] = (together < 0) | np.isin(together, together[supported[:-1]])
    near = 0.2 * problem.settings.eps_max * system.radii
    least = state.eps * system.radii
    far = free_falls(system, ~supported[:-1], gravity.direction, near, least, together)
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
    fallen = state.coordinates.displaced(state.system, state.coordinates.of_motion(state.system, shift))
    fell = np.append(shift.reshape(-1, 6).any(axis=1), False)  # the last is the fixed world's
    points = state.local_points
    still = points.take(~fell[points.body1] & ~fell[points.body2])
    return Adjusted(fallen, fallen.generate(problem.reach(state.eps), still, fallen))


class _Rows:
    """The rows of a state's QP."""

    def __init__(self, problem: Problem, state: State, points: InterfacePoints) -> None:
        self._state, self._points = state, points
        self.gradients = state.coordinates.gradients(state.system, points)
        self._limits = state.coordinates.limits(state.system)
        self._brakes = state.coordinates.brakes(state.system)
        room = np.minimum(CONTACT_CLEARANCE - points.gap / state.system.radius, 2.0 * CONTACT_CLEARANCE)
        self._bilateral = state.bilateral.rows(points)
        self._all, self._room = self.gradients, room
        if len(self._limits):
            self._all = np.concatenate([self._all, self._limits.gradients])
            self._room = np.concatenate([self._room, np.minimum(-self._limits.gaps, 0.0)])
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
    ) -> PlacementStep | None:
        """Return the step of the QP, None if there is none; the force of a bilateral contact may pull.

        start: `Step.viscosity` of a similar QP.
        """
        coordinates = self._state.coordinates
        if len(wrench) > coordinates.many and coordinates.bend:
            values, vectors = np.linalg.eigh(matrix)
            matrix = (vectors * np.maximum(values, _STRAIGHT)) @ vectors.T
        rows, room = self._all, self._room
        given = region
        if len(self._brakes):
            matrix, wrench, rows, room, given = _with_brakes(self._brakes, matrix, wrench, rows, room, region)
        step = trust_region_step(
            matrix, wrench, rows, room, given, viscosity, self._bilateral, start, coordinates.many
        )
        if step is None:
            return None
        moved = step.x[: len(region.blocks)]
        asleep = region.lengths(moved) < _ASLEEP
        return self.placed(replace(step, x=np.where(asleep[region.blocks], 0.0, moved)))

    def still(self) -> PlacementStep:
        """Return the step of bodies that nothing can move."""
        return self.placed(Step(np.zeros(0), np.zeros(len(self._all))))

    def placed(self, step: Step) -> PlacementStep:
        """Return a step with the forces of its rows told apart."""
        count = len(self._points)
        limits = step.forces[count : count + len(self._limits)]
        return PlacementStep(step.x, step.forces[:count], step.viscosity, limits)

    def curved_step(
        self,
        known: PlacementStep,
        matrix: Floats,
        wrench: Floats,
        region: TrustRegion,
        viscosity: Floats,
    ) -> PlacementStep | None:
        """Return the step of the QP to whose matrix the forces of a step add the curvature of what presses;
        None if there is none, or nothing curves.
        """
        forces, start = known.forces, known.viscosity
        coordinates = self._state.coordinates
        if len(wrench) > coordinates.many and not coordinates.bend:
            curvature = self._convex_curvature(forces)
            return (
                None if curvature is None else self.step(matrix + curvature, wrench, region, viscosity, start)
            )
        rows = np.abs(forces) > 0.0
        hessians = coordinates.hessians(self._state.system, self._points.take(rows))
        if len(self._limits):
            forces = np.concatenate([forces, known.limit_forces])
            rows, hessians = np.abs(forces) > 0.0, np.concatenate([hessians, self._pressed(known)])
        count = len(forces)
        curvature, pull = lagrangian_curvature(
            forces[rows], self._all[:count][rows], self._room[:count][rows], hessians
        )
        return self.step(matrix + curvature, wrench + pull, region, viscosity, start)

    def _pressed(self, known: PlacementStep) -> Floats:
        """Return the second derivatives (n, d, d) of the limits that press."""
        pressed: Floats = self._limits.hessians[np.abs(known.limit_forces) > 0.0]
        return pressed

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


def _with_brakes(
    brakes: Brakes, matrix: Floats, wrench: Floats, rows: Floats, room: Floats, region: TrustRegion
) -> tuple[Floats, Floats, Floats, Floats, TrustRegion]:
    """Return a programme with one unknown for each of b brakes at its end.

    Args:
        brakes: S (b, d) and t (b,).
        matrix: (d, d).
        wrench: (d,).
        rows: (k, d).
        room: (k,).
        region: of x (d,).
    """
    b, d, unit = len(brakes), len(wrench), _BRAKED * np.eye(len(brakes))
    wide = np.block([[matrix, np.zeros((d, b))], [np.zeros((b, d)), _FAINT * np.eye(b)]])
    pushed = [wrench + brakes.gradients.T @ brakes.greatest, -2.0 * _BRAKED * brakes.greatest]
    every = np.block([[rows, np.zeros((len(rows), b))], [np.zeros((b, d)), unit], [-brakes.gradients, unit]])
    blocks = region.blocks[np.abs(brakes.gradients).argmax(axis=1)]
    wider = replace(
        region, blocks=np.concatenate([region.blocks, blocks]), lengths=lambda x: region.lengths(x[:d])
    )
    return wide, np.concatenate(pushed), every, np.concatenate([room, np.zeros(2 * b)]), wider


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


def _friction(problem: Problem, state: State, points: InterfacePoints, wrench: Floats) -> Floats:
    """Return what friction takes off the motion at contacts (5.2): F_f - F_r, a generalized force (d,)."""
    system = state.system
    touching = problem.contacts(system, points)
    normals = system.in_world(touching).normal
    friction = problem.friction(system, touching)
    return friction_wrench(wrench, state.coordinates.wrench_maps(system, touching), normals, friction)


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
