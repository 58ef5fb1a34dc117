"""One step from a state free of overlap to another (Snyder 1995, Figure 2).

1. `programme`: contact and near extremal pairs are rows g + J x >= c of a quadratic programme, whose solution
   x is the next move: the external forces' push, what contacts do not hold of it, no farther than eps R; rows
   of contacts that stick are equations;
2. `moved`: flat features that would cross on the way join the rows, and the programme is solved again;
3. `settled`: at the new pose all points are found, and the least change of pose lifts what overlaps (the
   contact adjustment phase).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Ints
from ..contact.points.generation import Reach
from ..contact.points.interface_points import InterfacePoints
from ..contact.system import Assembly, grouped
from ..mechanics.friction import friction_wrench
from ..optimization.step_qp import Step, curvature, length, paper_step, solve_programme, trust_step
from .problem import CLEARANCE, OVERLAP, Problem
from .state import State

PRESSES = 1e-6  # force of a contact that takes part in a rest
_CORRECTIONS = 6
_TRIES = 5
_DEEP = 1e-6  # depth / R of an overlap that a step's rows should have prevented
_FAR = 0.1  # distance / R from known points at which it is another one
_CROSSED = 0.2  # distance over their span from which bodies may come to cross in a step


def programme(problem: Problem, state: State, extra: InterfacePoints | None = None) -> Step | None:
    """Solve for the next move from a state, whose points `extra` ones join."""
    assembly, points = state.assembly, state.local_points
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    rows = _Rows(problem, state, points)
    wrench = problem.load.wrench(assembly)
    if problem.settings.alpha > 0.0 and problem.settings.friction > 0.0:
        wrench = wrench + problem.settings.alpha * _dragging(problem, assembly, points, wrench)
    if problem.settings.balance == "svd":
        return paper_step(wrench, rows.gradients, points.gap < problem.touching * assembly.radius, state.eps)
    stiffness = problem.load.stiffness(assembly)
    trust = state.eps, problem.viscosity(assembly)
    predictor = rows.step(stiffness, wrench, *trust)
    if predictor is None:
        return None
    forces = on_settled(assembly, points, predictor.forces)
    step = rows.step(stiffness + rows.curvature(forces), wrench, *trust)
    if step is not None and (step.forces[points.held] > PRESSES).any():
        # a true curve of support: it does not roll
        step = rows.step(stiffness + rows.curvature(step.forces), wrench, *trust)
    return step or predictor


class _Rows:
    """The rows of a state's programme."""

    def __init__(self, problem: Problem, state: State, points: InterfacePoints) -> None:
        self._assembly, self._points = state.assembly, points
        self.gradients = state.assembly.gradients(points)
        room = np.minimum(CLEARANCE - points.gap / state.assembly.radius, 2.0 * CLEARANCE)
        self._stuck = state.sticky.rows(points)
        self._all = np.concatenate([self.gradients, -self.gradients[self._stuck]])
        self._room = np.concatenate([room, -room[self._stuck]])
        if problem.settings.check_energy and problem.load.pushes:  # a push does not lift
            self._all = np.concatenate([self._all, problem.load.descent(state.assembly)[None]])
            self._room = np.append(self._room, -4.0 * CLEARANCE)

    def step(self, matrix: Floats, wrench: Floats, trust: float, viscosity: Floats) -> Step | None:
        """Solve; a contact that sticks may have a force that pulls."""
        step = trust_step(matrix, wrench, self._all, self._room, trust, viscosity)
        if step is None:
            return None
        count = len(self._points)
        forces = step.forces[:count].copy()
        forces[self._stuck] -= step.forces[count : count + len(self._stuck)]
        return Step(step.x, forces)

    def curvature(self, forces: Floats) -> Floats:
        """`programme.curvature` of the contacts that have a force."""
        rows = np.abs(forces) > 0.0
        hessians = self._assembly.hessians(self._points.take(rows))
        return curvature(forces[rows], self.gradients[rows], hessians)


def _dragging(problem: Problem, assembly: Assembly, points: InterfacePoints, wrench: Floats) -> Floats:
    """What friction takes off the motion at the contacts (5.2): F_f - F_r."""
    touching = problem.contacts(assembly, points)

    normals = assembly.in_world(touching).normal
    return friction_wrench(wrench, assembly.maps(touching), normals, problem.settings.friction)


def on_settled(assembly: Assembly, points: InterfacePoints, forces: Floats) -> Floats:
    """Move the forces of samples of a contact curve to its true minimum, the nearest if there are several:
    the samples guard the step, but only the minimum knows how the body rolls.
    """
    moved = forces.copy()
    if not points.held.any() or not (moved[points.held] > 0.0).any():
        return moved
    for pair, mine in grouped(points):
        rows = np.nonzero(mine)[0]
        part = points.take(rows)
        features = np.array(assembly.encounter(pair).sampled_feature(part))
        samples = np.nonzero(part.held & (forces[rows] > 0.0))[0]
        minima = np.nonzero(~part.held)[0]
        offset = part.point1[samples][:, None] - part.point1[minima]
        distance = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset))
        distance[features[samples][:, None] != features[minima]] = np.inf
        for row, away in zip(samples.tolist(), distance, strict=True):
            if np.isfinite(away).any():
                moved[rows[minima[np.argmin(away)]]] += moved[rows[row]]
                moved[rows[row]] = 0.0
    return moved


Moved = tuple[Assembly, InterfacePoints]
Lift = Callable[[Assembly, InterfacePoints, Ints], Floats | None]
"""What change of poses lifts overlaps, given which points (rows) stick."""


@dataclass(frozen=True, eq=False)
class Obstructed:
    """A step runs into what its programme did not know of: points, as seen from the state."""

    points: InterfacePoints


def moved(
    state: State,
    step: Step,
    again: Callable[[InterfacePoints], Step | None],
    reach: Reach,
    lift: Lift | None = None,
) -> Moved | None:
    """Take a step, obeying what it would cross or run into, and lift what overlaps; None if it fails.

    again: what step to take instead when more points are to be obeyed; lift: `lift_clear`, if none is given.
    """
    known = state.local_points
    for _ in range(_TRIES):
        trial = state.assembly.displaced(step.x)
        fresh = not_among(state.assembly.crossing(trial, max(2.0 * state.eps, _CROSSED)), known)
        if len(fresh) == 0:
            taken = settled(state, trial, known, reach, 2.0 * state.eps, lift, is_free=True)
            if not isinstance(taken, Obstructed):
                return taken
            fresh = taken.points
        known = InterfacePoints.join([known, fresh])
        next_step = again(known.take(slice(len(state.local_points), None)))
        if next_step is None:
            return None
        step = next_step
    return None


def settled(
    state: State,
    trial: Assembly,
    known: InterfacePoints,
    reach: Reach,
    farthest: float,
    lift: Lift | None = None,
    is_free: bool = False,
) -> Moved | Obstructed | None:
    """The contact adjustment phase (4.1): the least change of pose that lifts every overlap, no farther than
    `farthest`, points solved again; is_free: nothing unknown crosses on the way to `trial`.
    """
    depth = OVERLAP * trial.radius
    for _ in range(_CORRECTIONS):
        tracked = trial.solve(known)
        if _deepest(tracked) >= -depth:
            left = not_among(known.take(trial.flat(known)), tracked)
            found = trial.find(reach, InterfacePoints.join([tracked, left]), state.assembly)
            if _deepest(found) >= -depth:
                crossed = InterfacePoints.none() if is_free else state.assembly.crossing(trial, _CROSSED)
                missed = not_among(crossed, known)
                if len(missed) == 0 and not _parted(state, trial, found):
                    return None if trial.collides(found, OVERLAP) else (trial, found)
                known = InterfacePoints.join([known, missed])
                found = InterfacePoints.join([found, trial.solve(missed)])
            else:
                obstacles = _elsewhere(state, trial, found, tracked)
                if len(obstacles):
                    return Obstructed(obstacles)
                known = InterfacePoints.join([known, found.take(found.gap < -depth)])
            tracked = InterfacePoints.join([tracked, found])
        change = (lift or lift_clear)(trial, tracked, state.sticky.rows(tracked))
        if change is None or length(change) > farthest:
            return None
        trial, is_free = trial.displaced(change), False
    return None


def _elsewhere(
    state: State, trial: Assembly, found: InterfacePoints, tracked: InterfacePoints
) -> InterfacePoints:
    """Return, as seen from the state and held where they are, the overlaps of a trial far from all tracked
    points: no minimum stood there yet, as at the far end of a rod that comes down level.
    """
    deep = found.take(found.gap < -_DEEP * trial.radius)
    offset = trial.in_world(deep).point1[:, None] - trial.in_world(tracked).point1
    away = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset)).min(axis=1, initial=np.inf)
    deep = deep.take(away > _FAR * trial.radius)
    return state.assembly.solve(replace(deep, held=np.ones(len(deep), bool)))


def _deepest(points: InterfacePoints) -> float:
    return float(points.gap.min(initial=np.inf))


def _parted(state: State, trial: Assembly, points: InterfacePoints) -> bool:
    """Whether contacts that stick have come apart."""
    gaps = points.gap[state.sticky.rows(points)]
    return bool((gaps > 2.0 * CLEARANCE * trial.radius).any())


def passes_nothing(before: Assembly, trial: Assembly, found: InterfacePoints) -> bool:
    """Whether, as the last check, nothing overlaps and nothing flat was crossed on the way from `before`: a
    corner that has come to touch, as that of a curved sheet at rest, is not through by rounding.
    """
    if trial.collides(found, OVERLAP):
        return False
    crossed = trial.solve(before.crossing(trial, _CROSSED))
    return _deepest(crossed) >= -OVERLAP * trial.radius


def lift_clear(assembly: Assembly, points: InterfacePoints, stuck: Ints | None = None) -> Floats | None:
    """Return the least change of poses (d,) that gives every point the clearance, to first order, and no
    more of it to those that stick (rows); None if none does.
    """
    gradients = assembly.gradients(points)
    room = CLEARANCE - points.gap / assembly.radius
    if stuck is not None:
        gradients = np.concatenate([gradients, -gradients[stuck]])
        room = np.concatenate([room, -room[stuck]])
    size = 6 * len(assembly)
    step = solve_programme(np.eye(size), np.zeros(size), gradients, room)
    return None if step is None else step.x


def not_among(points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Return the points whose pair of features none of `known` has."""
    if len(points) == 0 or len(known) == 0:
        return points
    mine, theirs = (
        np.stack([p.body1, p.body2, p.dim1, p.index1, p.dim2, p.index2], axis=1) for p in (points, known)
    )
    return points.take(~(mine[:, None] == theirs[None]).all(axis=2).any(axis=1))
