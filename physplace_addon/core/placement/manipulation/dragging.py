"""Dragging a body by hand with contact live: it slides along what it touches, and passes through nothing.

With y* the whole motion of the hand (`hand`) to its target, the motion of a step is the one that ends nearest
to it among those that obey the contact and near pairs,

    min 1/2 |y - y*|^2    with    g + J y >= c,    |y| <= eps,

which slides along a wall with the part of y* along it, and is never longer than y*.  Where contacts press
with f the matrix of the programme is 1 - sum f_i H_i instead of 1: along the inside of a bowl it takes
Newton's step, not one straight on.  The step is then taken as any other (`stepping`), in an assembly that
knows no other motions.

Where nothing is near, no steps of eps are needed: a shift goes on to just before what comes first, a turn as
far as the clearance reaches.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...collision import clearance, free_travel
from ...collision.distance import ACCURACY
from ...contact.bilateral import Sticky
from ...contact.points.interface_points import FIXED, InterfacePoints
from ...contact.system import Assembly, Pair
from ...optimization.step_qp import Step, length, solve_programme, trust_step
from ..problem import CLEARANCE, OVERLAP, Problem
from ..state import State
from ..stepping import Moved, moved, on_settled
from .hand import Hand, Held

_ARRIVED = 1e-14  # motion left, over R, that is rounding
_STANDS = 1e-9  # a step / R after which it stands
_TRIES, _SHORTER = 4, 0.25  # of a step, and how much shorter each next one is
_NEAR = 0.2  # distance over the longest step at which free travel ends
_TOUCHES = 1e-6  # gap / R up to which rounding may hide the clearance
_CHANGES = 1e-9  # of a gap, by the motion, that is not rounding
_ROUNDS = 6  # in which what is asked is shortened
_CURVES_UP = 1e-3  # least eigenvalue of a matrix that has a least point
_SAFE = 0.9  # part of a clearance that is moved at once


def dragged(problem: Problem, state: State, hand: Hand) -> State | None:
    """Return the state one step nearer to what the hand asks for, or None where nothing moves any more: it is
    there, or contacts hold it.

    The hand's target and pivot are in the solver's own frame.
    """
    held = Held.by(hand, state.assembly)
    if length(held.asked) <= _ARRIVED:
        return None
    longest = problem.settings.eps_max
    state = _with_all_points(problem, state, longest)
    longest = min(longest, _room(held, state.local_points, problem.reach(longest).flat))
    mine = _of_body(state.local_points, hand.body)
    start = replace(state, assembly=held, local_points=state.local_points.take(mine), sticky=Sticky.none())
    for attempt in range(_TRIES):
        trial = replace(start, eps=longest * _SHORTER**attempt)
        step = _programme(trial)
        if step is None or length(step.x) < min(_STANDS, length(held.asked)):
            return None
        flown = _flown(problem, trial) if attempt == 0 and not step.forces.any() else None
        there = flown or _taken(problem, trial, step)
        if there is not None and length(Held.by(hand, there[0]).asked) < length(held.asked):
            return _let_go(problem, state, there, state.local_points.take(~mine))
    return None


def _taken(problem: Problem, start: State, step: Step) -> Moved | None:
    def again(extra: InterfacePoints) -> Step | None:
        return _programme(start, extra)

    return moved(start, step, again, problem.reach(problem.settings.eps_max), _lift)


def _of_body(points: InterfacePoints, body: int) -> Bools:
    mine: Bools = (points.body1 == body) | (points.body2 == body)
    return mine


def _room(held: Held, points: InterfacePoints, reach: float) -> float:
    """How far, over R, the hand may move the body so that it meets nothing which no point tells of; np.inf if
    the nearest thing has a point, or is out of reach.

    The tessellations' clearance is known whatever the points are; nearer than their bounds it cannot tell.
    """
    bounds = 2.0 * max(body.farthest_bound for body in (*held.bodies, held.fixed) if body is not None)
    nearest = float(points.take(_of_body(points, held.hand.body)).gap.min(initial=np.inf))
    told = min(nearest, reach * held.scale) - bounds
    if nearest <= 2.0 * bounds + _TOUCHES * held.scale or told <= 0.0:
        return np.inf
    room = _clearance(held, told)
    return np.inf if room >= (1.0 - ACCURACY) * told else _SAFE * room / held.scale


def _clearance(held: Held, most: float = np.inf) -> float:
    """A lower bound of the distance, up to `most`, of the body that is held from everything else."""
    ways = [held.encounter(pair) for pair in _others(held, held.hand.body)]
    return min(
        (clearance(way.active.tree, way.pose, way.world.tree, most=most) for way in ways), default=most
    )


def _with_all_points(problem: Problem, state: State, eps: float) -> State:
    """The state with the points that a step of eps may meet, where it looked for those of shorter ones."""
    if state.eps >= eps:
        return state
    points = state.assembly.find(problem.reach(eps), state.local_points, state.assembly)
    return replace(state, local_points=points, eps=eps)


def _let_go(problem: Problem, state: State, there: Moved, others: InterfacePoints) -> State:
    assembly, points = state.assembly.at(there[0].poses), InterfacePoints.join([there[1], others])
    return replace(
        state,
        assembly=assembly,
        local_points=points,
        sticky=state.sticky.followed(points),
        energy=problem.load.energy(assembly),
    )


def _programme(start: State, extra: InterfacePoints | None = None) -> Step | None:
    """Solve for the step from a state that is held."""
    held, points = start.assembly, start.local_points
    assert isinstance(held, Held)
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    gradients, rows = _rows(held, points)
    points = points.take(rows)
    room = np.minimum(CLEARANCE - points.gap / held.radius, 0.0)
    if length(held.asked) <= start.eps and (gradients @ held.asked >= room).all():
        return Step(held.asked, np.zeros(len(points)))
    predictor = _nearest(held.asked, gradients, room, start.eps)
    if predictor is None or not predictor.forces.any():
        return predictor
    forces = on_settled(held, points, predictor.forces)
    presses = forces > 0.0
    bend = np.einsum("i,iab->ab", forces[presses], held.hessians(points.take(presses)))
    if not bend.any():
        return predictor
    return _bent(np.eye(6) - bend, held.asked, gradients, room, start.eps) or predictor


def _rows(held: Held, points: InterfacePoints) -> tuple[Floats, Bools]:
    """Return J_y of the points whose gaps the hand's motions change, and which these are."""
    gradients = held.gradients(points)
    rows: Bools = np.einsum("ij,ij->i", gradients, gradients) > _CHANGES**2
    return gradients[rows], rows


def _lift(assembly: Assembly, points: InterfacePoints, stuck: Ints) -> Floats | None:
    """Return the least motion of the hand that gives every overlap the clearance and takes it from no other
    point, to first order; None if none does.  `lift_clear` would want more than one hand can do.
    """
    assert isinstance(assembly, Held)
    gradients, rows = _rows(assembly, points)
    gaps = points.gap[rows] / assembly.radius
    room = CLEARANCE - gaps
    step = solve_programme(
        np.eye(6), np.zeros(6), gradients, np.where(gaps < 0.0, room, np.minimum(room, 0.0))
    )
    return None if step is None else step.x


def _nearest(asked: Floats, gradients: Floats, room: Floats, eps: float) -> Step | None:
    """The step with the matrix 1: what is asked is shortened, for the rows to cut it, until it is short."""
    part = 1.0
    for _ in range(_ROUNDS):
        step = solve_programme(np.eye(6), part * asked, gradients, room)
        if step is None or length(step.x) <= eps:
            break
        part *= eps / length(step.x)
    if step is None or length(step.x) <= eps:
        return step
    # no motion obeys the rows, and so does a part of one that does
    return Step(step.x * (eps / length(step.x)), step.forces)


def _bent(matrix: Floats, asked: Floats, gradients: Floats, room: Floats, eps: float) -> Step | None:
    """The step with any matrix: all the way of its programme, if that is no longer than eps."""
    if float(np.linalg.eigvalsh(matrix)[0]) > _CURVES_UP:
        step = solve_programme(matrix, asked, gradients, room)
        if step is None or length(step.x) <= eps:
            return step
    return trust_step(matrix, asked, gradients, room, eps)


def _flown(problem: Problem, start: State) -> Moved | None:
    """Go as far as surely nothing is in the way, in one step; None if that is no farther than steps go."""
    held = start.assembly
    assert isinstance(held, Held)
    far, near = length(held.asked), _NEAR * start.eps
    gaps, change = start.local_points.gap / held.radius, held.gradients(start.local_points) @ held.asked
    if far <= start.eps or (np.maximum(gaps, gaps + change) < near).any():  # near from beginning to end
        return None
    part = min(1.0, _free(held, near) / far)
    if part * far <= start.eps or (gaps + part * change < near).any():
        return None
    there = held.displaced(part * held.asked)
    points = there.find(problem.reach(problem.settings.eps_max), InterfacePoints.none(), None)
    if points.gap.min(initial=np.inf) < 0.0 or there.collides(points, OVERLAP):
        return None
    return there, points


def _free(held: Held, near: float) -> float:
    """How far, over R, the hand may move the body before it may come within `near` of anything."""
    body = held.hand.body
    if held.hand.pivot is None:
        way = held.asked[:3] / np.sqrt(held.asked[:3] @ held.asked[:3])
        return free_way(held, body, way, near * held.scale) / held.scale
    return _SAFE * _clearance(held) / held.scale


def free_way(assembly: Assembly, body: int, direction: Floats, near: float) -> float:
    """How far a body may be shifted along a unit direction (3,), everything else standing still, before it
    comes within `near`, both lengths; np.inf if it never does.
    """
    ways = [np.inf]
    for pair in _others(assembly, body):
        encounter, other = assembly.encounter(pair), pair[1]
        along = direction if other == FIXED else assembly.poses[other].inverse().vectors(direction)
        ways.append(free_travel(encounter.active.tree, encounter.pose, encounter.world.tree, along, near))
    return min(ways)


def _others(assembly: Assembly, body: int) -> list[Pair]:
    fixed = [FIXED] if assembly.fixed is not None else []
    return [(body, other) for other in fixed + [other for other in range(len(assembly)) if other != body]]
