"""One step of a body that is moved by hand with contact live: it slides along what it touches, and passes
through nothing.

With q* the whole motion that remains to the target (`coordinates`), the motion of a step is the one that ends
nearest to it among those that obey the contact and near pairs,

    min 1/2 |q - q*|^2    with    g / R + J q >= c,    |q| <= eps,

which slides along a wall with the part of q* along it, and is never longer than q*.  Where contacts press
with forces f, the matrix of the QP is 1 - sum f_i H_i instead of 1: along the inside of a bowl it takes
Newton's step, not one straight on.  The step is then taken as any other (`core.contact.adjustment`), in the
coordinates of the one body.

Where nothing is near, no steps of eps are needed: a shift goes on to just before what comes first, a turn as
far as the clearance reaches.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision.distance import ACCURACY
from ...contact.system import (
    CONTACT_CLEARANCE,
    OVERLAP,
    Adjusted,
    BilateralContacts,
    ContactSystem,
    InterfacePoints,
    advanced,
    free_distance,
    least_distance,
)
from ...mechanics.coordinates import FREE_BODIES
from ...optimization.step_qp import Step, solve_qp, trust_region_step
from ..problem import Problem
from ..state import State
from ..stepping import forces_on_minima
from .coordinates import ManipulatedBody

_ARRIVED = 1e-14  # motion left, over R, that is rounding
_NO_STEP = 1e-9  # length / R of a step that contacts have stopped
_ATTEMPTS, _SHORTER = 4, 0.25  # steps that are tried, and how much shorter each next one is
_NEAR = 0.2  # distance, over the longest step, at which free travel ends
_TOUCHES = 1e-6  # gap / R up to which rounding may hide the clearance
_CHANGES = 1e-9  # change of a gap / R by a unit motion, below which the motion does not change it
_ROUNDS = 6  # in which what remains is shortened
_CURVES_UP = 1e-3  # least eigenvalue of a matrix whose QP has one solution
_SAFE = 0.9  # part of a clearance that is moved at once


def has_arrived(state: State, coordinates: ManipulatedBody) -> bool:
    """Return whether the body is where it is moved to, as far as it is free to go there."""
    return _distance_left(coordinates, state.system) <= _ARRIVED


def dragged(problem: Problem, state: State, coordinates: ManipulatedBody) -> State | None:
    """Return the state one step nearer to the target, or None where nothing moves any more: the body has
    arrived, or contacts stop it.

    Args:
        problem: the settings and the external forces, which only give the energy here.
        state: where all bodies stand, in free coordinates; so is the state that is returned.
        coordinates: the body, its target, its pivot and axes.
    """
    left = _distance_left(coordinates, state.system)
    if left <= _ARRIVED:
        return None
    state = _with_all_points(problem, state, problem.settings.eps_max)
    longest = min(problem.settings.eps_max, _room(problem, state, coordinates))
    mine = _of_body(state.local_points, coordinates.body)
    start = replace(
        state,
        system=replace(state.system, moving=coordinates.moving),
        local_points=state.local_points.take(mine),
        bilateral=BilateralContacts.none(),
        coordinates=coordinates,
    )
    for attempt in range(_ATTEMPTS):
        trial = replace(start, eps=longest * _SHORTER**attempt)
        step = _solve_step(trial, coordinates)
        if step is None or coordinates.length(start.system, step.x) < min(_NO_STEP, left):
            return None
        flown = _flown(problem, trial, coordinates) if attempt == 0 and not step.forces.any() else None
        there = flown or _taken(problem, trial, coordinates, step)
        if there is not None and _distance_left(coordinates, there.system) < left:
            return _with_all_bodies(problem, state, there, state.local_points.take(~mine))
    return None


def _distance_left(coordinates: ManipulatedBody, system: ContactSystem) -> float:
    return coordinates.length(system, coordinates.remaining(system))


def _taken(problem: Problem, start: State, coordinates: ManipulatedBody, step: Step) -> Adjusted | None:
    def solve_again(extra: InterfacePoints) -> Step | None:
        return _solve_step(start, coordinates, extra)

    def correction(system: ContactSystem, points: InterfacePoints, _: Ints) -> Floats | None:
        return _correction(coordinates, system, points)

    reach = problem.reach(problem.settings.eps_max)
    taken = advanced(start, step, solve_again, reach, start.eps, correction)
    return taken if isinstance(taken, Adjusted) else None


def _of_body(points: InterfacePoints, body: int) -> Bools:
    mine: Bools = (points.body1 == body) | (points.body2 == body)
    return mine


def _room(problem: Problem, state: State, coordinates: ManipulatedBody) -> float:
    """Return how far, over R, the body may be moved so that it meets nothing that has no interface point;
    np.inf if the nearest thing has a point, or is out of reach.

    The tessellations' clearance is known whatever the points are; nearer than their bounds it says nothing.
    """
    system, body = state.system, coordinates.body
    radius, reach = float(system.radii[body]), problem.reach(problem.settings.eps_max).flat
    bounds = 2.0 * max(each.farthest_bound for each in (*system.bodies, system.fixed) if each is not None)
    nearest = float(state.local_points.take(_of_body(state.local_points, body)).gap.min(initial=np.inf))
    most = min(nearest, reach * radius) - bounds
    if nearest <= 2.0 * bounds + _TOUCHES * radius or most <= 0.0:
        return np.inf
    room = least_distance(system, body, most)
    return np.inf if room >= (1.0 - ACCURACY) * most else _SAFE * room / radius


def _with_all_points(problem: Problem, state: State, eps: float) -> State:
    """Return the state with the points that a step of eps may meet, where its own eps is shorter."""
    if state.eps >= eps:
        return state
    points = state.system.generate(problem.reach(eps), state.local_points, state.system)
    return replace(state, local_points=points, eps=eps)


def _with_all_bodies(problem: Problem, state: State, there: Adjusted, others: InterfacePoints) -> State:
    """Return the state in which all bodies move freely again, with the points of the other bodies, too."""
    system, points = state.system.at(there.system.poses), InterfacePoints.join([there.points, others])
    return replace(
        state,
        system=system,
        local_points=points,
        bilateral=state.bilateral.followed(points),
        energy=problem.external.energy(system),
        coordinates=FREE_BODIES,
    )


def _solve_step(
    start: State, coordinates: ManipulatedBody, extra: InterfacePoints | None = None
) -> Step | None:
    """Return the step nearest to what remains, x (k,), no longer than the start's eps."""
    system, points, eps = start.system, start.local_points, start.eps
    remaining = coordinates.remaining(system)
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    gradients, rows = _rows(coordinates, system, points)
    points = points.take(rows)
    room = np.minimum(CONTACT_CLEARANCE - points.gap / system.radius, 0.0)
    if coordinates.length(system, remaining) <= eps and (gradients @ remaining >= room).all():
        return Step(remaining, np.zeros(len(points)))
    predictor = _nearest(start, coordinates, gradients, room)
    if predictor is None or not predictor.forces.any():
        return predictor
    forces = forces_on_minima(system, points, predictor.forces)
    presses = forces > 0.0
    hessians = coordinates.hessians(system, points.take(presses))
    bend = np.einsum("i,iab->ab", forces[presses], hessians)
    if not bend.any():
        return predictor
    return _bent(start, coordinates, np.eye(len(remaining)) - bend, gradients, room) or predictor


def _rows(
    coordinates: ManipulatedBody, system: ContactSystem, points: InterfacePoints
) -> tuple[Floats, Bools]:
    """Return the gradients (n, k) of the points whose gaps the motion changes, and which these are."""
    gradients = coordinates.gradients(system, points)
    rows: Bools = np.einsum("ij,ij->i", gradients, gradients) > _CHANGES**2
    return gradients[rows], rows


def _correction(
    coordinates: ManipulatedBody, system: ContactSystem, points: InterfacePoints
) -> Floats | None:
    """Return the least motion (k,) that gives every overlap the clearance and takes it from no other point,
    to first order; None if none does.  Clearance for every point would be more than one hand can do.
    """
    gradients, rows = _rows(coordinates, system, points)
    gaps, size = points.gap[rows] / system.radius, coordinates.size(system)
    room = CONTACT_CLEARANCE - gaps
    least = np.where(gaps < 0.0, room, np.minimum(room, 0.0))
    step = solve_qp(np.eye(size), np.zeros(size), gradients, least)
    return None if step is None else step.x


def _nearest(start: State, coordinates: ManipulatedBody, gradients: Floats, room: Floats) -> Step | None:
    """Return the step with the matrix 1: what remains is shortened, for the rows to cut it, until the step is
    short.
    """
    remaining, part = coordinates.remaining(start.system), 1.0
    unit = np.eye(len(remaining))
    step = solve_qp(unit, remaining, gradients, room)
    for _ in range(_ROUNDS - 1):
        if step is None or (size := coordinates.length(start.system, step.x)) <= start.eps:
            return step
        part *= start.eps / size
        step = solve_qp(unit, part * remaining, gradients, room)
    if step is None or (size := coordinates.length(start.system, step.x)) <= start.eps:
        return step
    # no motion obeys the rows, and so does a part of one that does
    return Step(step.x * (start.eps / size), step.forces)


def _bent(
    start: State, coordinates: ManipulatedBody, matrix: Floats, gradients: Floats, room: Floats
) -> Step | None:
    """Return the step with any matrix: the QP's own solution, if that is no longer than eps."""
    remaining = coordinates.remaining(start.system)
    if float(np.linalg.eigvalsh(matrix)[0]) > _CURVES_UP:
        step = solve_qp(matrix, remaining, gradients, room)
        if step is None or coordinates.length(start.system, step.x) <= start.eps:
            return step
    region = coordinates.trust_region(start.system, start.eps)
    return trust_region_step(matrix, remaining, gradients, room, region)


def _flown(problem: Problem, start: State, coordinates: ManipulatedBody) -> Adjusted | None:
    """Go in one step as far as surely nothing is in the way; None if that is no farther than steps go."""
    system, remaining = start.system, coordinates.remaining(start.system)
    far, near = coordinates.length(system, remaining), _NEAR * start.eps
    gaps = start.local_points.gap / system.radius
    change = coordinates.gradients(system, start.local_points) @ remaining
    if far <= start.eps or (np.maximum(gaps, gaps + change) < near).any():  # near from beginning to end
        return None
    part = min(1.0, _free(system, coordinates, near) / far)
    if part * far <= start.eps or (gaps + part * change < near).any():
        return None
    there = coordinates.displaced(system, part * remaining)
    points = there.generate(problem.reach(problem.settings.eps_max), InterfacePoints.none(), None)
    if points.gap.min(initial=np.inf) < 0.0 or there.misses_collision(points, OVERLAP):
        return None
    return Adjusted(there, points)


def _free(system: ContactSystem, coordinates: ManipulatedBody, near: float) -> float:
    """Return how far, over R, the body may be moved before it may come within `near`, over R, of anything."""
    body, radius = coordinates.body, float(system.radii[coordinates.body])
    if coordinates.pivot is None:
        shift = coordinates.basis @ coordinates.remaining(system)
        return free_distance(system, body, shift / np.sqrt(shift @ shift), near * radius) / radius
    return _SAFE * least_distance(system, body) / radius
