"""Least motion of bodies that must not overlap: back towards their starts, and out of shallow overlaps.

Moving back.  With x_b = (dX / R_b, dTheta) the displacement of body b from its start, what is to be least is

    E = 1/2 sum_b s_b |x_b|^2,    s_b = (R_b / R)^2,

so that lengths count the same, whichever body is moved.  From poses free of overlap the bodies descend E by
steps like those of a placement (`stepping`): near pairs are rows g + J dx >= c of a quadratic programme with
the wrench -s x and the matrix s - sum f_i H_i; nothing is passed through, and overlaps are corrected.  At the
end contact forces f >= 0 balance the pull, sum f_i J_i = s x: the conditions of Karush, Kuhn and Tucker for
the least |x|.

Shallow overlaps.  While an overlap is so shallow that interface points give its depth and direction, the
least displacement x from the start solves

    min 1/2 x' s x    with    g + J (x - x_now) >= c

for the points of the poses x_now that the last solution led to; it ends where nothing overlaps there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats
from ...contact.system import (
    RETURN_CLEARANCE,
    Adjusted,
    BilateralContacts,
    ContactSystem,
    InterfacePoints,
    Reach,
    adjusted,
    advanced,
)
from ...jobs import Job, Progress, finished
from ...mechanics.coordinates import FREE_BODIES
from ...mechanics.start import clear_start, overlaps_and_gaps
from ...optimization.non_negative import non_negative_least_squares
from ...optimization.step_qp import Step, solve_qp, trust_region_step
from ...rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector
from ..state import State
from ..stepping import forces_on_minima

# Length over R of the first step, and the least reach: above the bounds of tessellations.
FIRST = 0.05
# Length over R of the longest step.
_FARTHEST = 0.1
# Reach over R for flat pairs, of which there are many.
_FLAT = 0.05
# Steps of one body; m bodies take fewer by m^2, as the cost of a step grows.
_STEPS = 100
# Growth of the longest next step over the one before, and over the step taken.
_GROWTH, _FASTER = 1.5, 4.0
# Longest step over R at which the descent ends, and the one that short steps lead to.
_SMALLEST, _SMALL = 4.0 * RETURN_CLEARANCE, 1e-3
# Share of the promised gain below which contacts may be missing among the tracked ones.
_POOR = 0.1
# Cost of missing clearance, in units of the pull.
_DEAR = 4.0
# Number of states over which a gain is measured, and how often it may still be repeated.
_LATELY, _HOPE = 4, 5.0
# Length over R of a step after which the bodies count as arrived.
_STANDS = 1e-8


def reach_of(step: float) -> Reach:
    """Return how far pairs are searched, over the radii, before a step of a length over R."""
    return Reach(curved=1.5 * max(step, FIRST), flat=_FLAT, samples=2.0 * step)


@dataclass(frozen=True, eq=False)
class LeastMotion:
    """The objective E of m bodies: least motion from where they started.

    Attributes:
        starts: the poses (m) where they started.
        clearance: c / R that they keep.
    """

    starts: tuple[Pose, ...]
    clearance: float = RETURN_CLEARANCE

    def displacement(self, system: ContactSystem) -> Floats:
        """Return x (6 m,): how far each body is from its start, (dX / R_b, dTheta) of its centre of mass."""
        out = np.zeros((len(system), 6))
        out[:, :3] = (system.centres - system.at(self.starts).centres) / system.radii[:, None]
        for row, pose, start in zip(out, system.poses, self.starts, strict=True):
            if pose is not start:  # rounding would turn even what stands still
                turn = quaternion_product(pose.rotation, quaternion_conjugate(start.rotation))
                row[3:] = rotation_vector(turn)
        return out.ravel()

    def scales(self, system: ContactSystem) -> Floats:
        """Return the scale s (6 m,) of each coordinate, without unit."""
        return np.repeat((system.radii / system.radius) ** 2, 6)

    def energy(self, system: ContactSystem) -> float:
        """Return E."""
        return 0.5 * float(self.scales(system) @ self.displacement(system) ** 2)

    @staticmethod
    def size(state: State) -> float:
        """Return (2 E)^1/2."""
        return float(np.sqrt(2.0 * state.energy))

    def pull(self, system: ContactSystem) -> Floats:
        """Return the pull -s x (6 m,), minus the gradient of E.

        The gradient of half the squared angle of a rotation is its rotation vector.
        """
        wrench: Floats = -self.scales(system) * self.displacement(system)
        return wrench

    def rows(self, system: ContactSystem, points: InterfacePoints) -> tuple[Floats, Floats]:
        """Return J (k, 6 m) and c - g (k,), over R.

        c - g is at most twice `RETURN_CLEARANCE`, or a tenth of the clearance where that is more.
        """
        room = self.clearance - points.gap / system.radius
        return system.gradients(points), np.minimum(room, max(2.0 * RETURN_CLEARANCE, 0.1 * self.clearance))

    def shortfall(self, system: ContactSystem, points: InterfacePoints) -> float:
        """Return how much of the clearance is missing, over R."""
        return max(0.0, self.clearance - float(points.gap.min(initial=np.inf)) / system.radius)

    def merit(self, state: State) -> float:
        """Return E plus the cost of the clearance that is missing."""
        wrench = self.pull(state.system)
        missing = self.shortfall(state.system, state.local_points)
        return state.energy + _DEAR * missing * float(np.sqrt(wrench @ wrench))

    def unbalanced(self, state: State) -> float:
        """Return the part of the pull that contact forces do not balance: zero at a least displacement."""
        wrench = self.pull(state.system)
        near = state.local_points.gap < 2.0 * self.clearance * state.system.radius
        gradients = state.system.gradients(state.local_points.take(near))
        residual = wrench + gradients.T @ non_negative_least_squares(gradients.T, -wrench)
        size = float(wrench @ wrench)
        return float(np.sqrt(residual @ residual / size)) if size > 0.0 else 0.0


def state_of(moved: Adjusted, objective: LeastMotion, eps: float = FIRST) -> State:
    """Return the state of bodies on their way back; eps: the longest next step, over R."""
    return State(*moved, BilateralContacts.none(), np.zeros(3), objective.energy(moved[0]), eps)


def least_motion_from(clear: Adjusted, objective: LeastMotion, best: float = np.inf) -> State:
    """Return the state in which nothing lowers E any more, from bodies that overlap nothing.

    The descent ends early if (2 E)^1/2 will hardly become less than `best`.

    Args:
        clear: the bodies free of overlap, and their interface points.
        objective: where they started, and the clearance to keep.
        best: the size of the best motion that is known.
    """
    return finished(moving_least(clear, objective, best))


def moving_least(clear: Adjusted, objective: LeastMotion, best: float = np.inf) -> Job[State]:
    """Lower E as `least_motion_from`, in slices: one a step."""
    state = state_of(clear, objective)
    energies = [state.energy]
    while len(energies) <= _STEPS // len(objective.starts) ** 2 and state.eps > _SMALLEST:
        yield Progress(f"Moving back: step {len(energies)}")
        step = _solve_step(state, objective)
        if step is not None and FREE_BODIES.length(state.system, step.x) < _STANDS:
            break
        found = None if step is None else _moved(state, step, objective)
        if found is not None and objective.merit(found) < objective.merit(state):
            state = found
        else:
            taken = state.eps if step is None else FREE_BODIES.length(state.system, step.x)
            state = replace(state, eps=0.5 * min(state.eps, taken))
        energies.append(state.energy)
        if _hopeless(energies, 0.5 * best**2):
            break
    return state


def _hopeless(energies: list[float], best: float) -> bool:
    """Return whether a few more gains like that of the last states would not reach `best`."""
    gain = energies[-min(_LATELY, len(energies))] - energies[-1]
    return len(energies) > 2 * _LATELY and energies[-1] - _HOPE * gain > best


def _moved(state: State, step: Step, objective: LeastMotion) -> State | None:
    """Return the state after a step, corrected to the clearance that is kept; None if the step fails."""
    following = min(
        max(_FASTER * FREE_BODIES.length(state.system, step.x), _SMALL), _GROWTH * state.eps, _FARTHEST
    )
    reach = reach_of(following)
    taken = advanced(state, step, lambda extra: _solve_step(state, objective, extra), reach, state.eps)
    found = taken if isinstance(taken, Adjusted) else None
    if found is not None and objective.shortfall(*found) > 0.5 * objective.clearance:
        size = len(step.x)
        lift = solve_qp(np.eye(size), np.zeros(size), *objective.rows(*found))
        if lift is None:
            return None
        settled_there = adjusted(state, found[0].displaced(lift.x), found[1], reach, state.eps)
        found = settled_there if isinstance(settled_there, Adjusted) else None
    if found is None:
        return None
    promised = 0.5 * float(objective.pull(state.system) @ step.x)
    if state.energy - objective.energy(found[0]) < _POOR * promised:
        found = Adjusted(found[0], found[0].generate(reach, InterfacePoints.none(), state.system))
    return state_of(found, objective, following)


def _solve_step(state: State, objective: LeastMotion, extra: InterfacePoints | None = None) -> Step | None:
    system, points = state.system, state.local_points
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    gradients, room = objective.rows(system, points)
    matrix, wrench = np.diag(objective.scales(system)), objective.pull(system)
    region = FREE_BODIES.trust_region(system, state.eps)
    predictor = trust_region_step(matrix, wrench, gradients, room, region)
    if predictor is None or not predictor.forces.any():
        return predictor
    forces = forces_on_minima(system, points, predictor.forces)
    rows = forces > 0.0
    bend = np.einsum("i,iab->ab", forces[rows], system.hessians(points.take(rows)))
    return trust_region_step(matrix - bend, wrench, gradients, room, region) or predictor


# Depth over R that is no overlap, by rounding.
_ROUNDING = 1e-9
# Most programmes that are solved for a shallow overlap; most take two or three.
_ROUNDS = 12


def cleared(system: ContactSystem, tolerance: float) -> Adjusted | None:
    """Return bodies corrected from overlaps no deeper than a tolerance (scene units); None if they are
    deeper.

    Their interface points are returned with them.
    """
    return clear_start(system, reach_of(FIRST), tolerance)


def least_displacement(system: ContactSystem, objective: LeastMotion, depth: float) -> Adjusted | None:
    """Return bodies cleared of overlaps no deeper than `depth` (over R) by the least displacement.

    Return None if there are deeper ones.
    """
    reach = Reach(curved=depth, flat=depth, samples=depth)
    matrix, moved = np.diag(objective.scales(system)), replace(system, sign_tolerance=2.0 * depth)
    for _ in range(_ROUNDS):
        points = overlaps_and_gaps(moved, reach, _ROUNDING * moved.radius)
        if objective.shortfall(moved, points) <= 0.5 * objective.clearance:
            return cleared(system.at(moved.poses), _ROUNDING * system.radius)
        room = objective.clearance - points.gap / moved.radius
        step = solve_qp(matrix, objective.pull(moved), moved.gradients(points), room)
        if step is None or FREE_BODIES.length(moved, step.x) > 2.0 * depth:
            return None
        moved = moved.displaced(step.x)
    return None
