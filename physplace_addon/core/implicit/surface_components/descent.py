"""Descent and ascent: whereto a place flows along proven directions in which F falls, or rises.

In a graph F rises along the box's direction, up to its side. Where the direction d of the next box b leads
back there, F rises along both on the side that they share, with the normal n. So it does along it in the
direction |d_b . n| d_a + |d_a . n| d_b (as in Filippov's sliding modes). Where neither leads on, a step of
length s is taken along a direction in which F is proven to rise all over the box of half side s about the
place. In each way F falls, or rises, all along the step. So a descent that begins inside, F < 0, stays inside
of one part of space, and where it ends belongs to the same part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import length, length_and_unit
from ..functions.base import ImplicitFunction
from .box_tree import FACES, BoxTree
from .rising_directions import rising_directions
from .subdivision import BoxClass, ClassifiedBoxes

STEPS = 80  # most steps
# steps in which most places arrive: few need more, which take as long as all others together
FEW_STEPS = 30
_TRIES = 12  # halvings of a step that is not proven
_PARTS = np.array([0.25, 0.5, 0.75, 1.0])  # shares of a step at which F is evaluated where nothing is proven
_STRIDE = 0.5  # sides of its box: the longest step
_SHORT = 0.02  # sides of its box: a shorter way to the side of the box is not taken
_BEYOND = 1e-6  # sides: how far beyond the side of a box a step ends
_INTO = 1e-3  # sides: how far beyond the side of a box flows begin
# of a unit vector: where two boxes' directions lead on together along one so short, they face each other
_STILL = 0.3
_LONGER = 2.0  # factor by which the step may grow again


@dataclass(frozen=True, eq=False)
class Flow:
    """Where places ended.

    Attributes:
        box: the number of the box (k,) in which each ended, of the class it was to reach unless no step led
            on; -1 beyond the cube.
        inner: where F < 0 (k, 3), at one end of the step that crosses the surface; NaN if none does.
        outer: where F >= 0 (k, 3), at the other end of that step.
    """

    box: Ints
    inner: Floats
    outer: Floats


def flowed(
    function: ImplicitFunction, boxes: ClassifiedBoxes, places: Floats, goal: BoxClass, steps: int = STEPS
) -> Flow:
    """Return where places (k, 3) end, descending to boxes inside or ascending to boxes outside.

    Args:
        function: F.
        boxes: the classified boxes.
        places: where they begin, inside of the cube.
        goal: INSIDE or OUTSIDE.
        steps: most steps; a place that needs more ends on its way.
    """
    at, end = places.copy(), np.full(len(places), -1, dtype=np.intp)
    inner, outer = np.full(places.shape, np.nan), np.full(places.shape, np.nan)
    before, step = places.copy(), np.full(len(places), np.inf)
    started_inside, rows = function.value(places) < 0.0, np.arange(len(places))
    for _ in range(steps):
        box = boxes.tree.box_at(at[rows])
        end[rows] = box
        arrived = np.where(box >= 0, boxes.kind[box], goal) == goal
        negative = function.value(at[rows]) < 0.0
        crosses = rows[(negative != started_inside[rows]) & np.isnan(inner[rows, 0])]
        ends = (before[crosses], at[crosses])
        inner[crosses], outer[crosses] = ends if goal == BoxClass.OUTSIDE else ends[::-1]
        rows, box = rows[~arrived], box[~arrived]
        if not len(rows):
            break
        moves, step[rows] = _moves(function, boxes, box, at[rows], step[rows], goal)
        before[rows] = at[rows]
        at[rows] += moves
        rows = rows[(moves != 0.0).any(axis=1)]
    return Flow(end, inner, outer)


def _moves(
    function: ImplicitFunction, boxes: ClassifiedBoxes, box: Ints, at: Floats, step: Floats, goal: BoxClass
) -> tuple[Floats, Floats]:
    """Return the next moves (k, 3) of places (k, 3) in some boxes (k,), and how long they are (k,).

    In an undecided box, where nothing is proven, F is evaluated instead.
    """
    moves, step, sides = goal * boxes.direction[box], step.copy(), boxes.tree.sides[box]
    moves *= _to_side(boxes.tree, box, at, moves)[:, None]
    longest = np.minimum(_STRIDE * sides, _LONGER * step)
    short = np.flatnonzero(length(moves) < _SHORT * sides)
    moves[short], leading = _over_sides(boxes, box[short], at[short], moves[short], goal)
    short = short[~leading]
    for undecided, steps in ((False, _proven_steps), (True, _evaluated_steps)):
        own = short[(boxes.kind[box[short]] == BoxClass.UNDECIDED) == undecided]
        if len(own):
            direction, step[own] = steps(function, at[own], longest[own], goal)
            moves[own] = goal * step[own, None] * direction
    return moves, step


def _over_sides(
    boxes: ClassifiedBoxes, box: Ints, at: Floats, moves: Floats, goal: BoxClass
) -> tuple[Floats, Bools]:
    """Return moves (k, 3) of places (k, 3) next to sides of their boxes (k,), and of which (k,) they lead on.

    To where the direction of the box beyond leads on, or back, and then on along the side.

    Args:
        boxes: the classified boxes.
        box: those that the places are in.
        at: the places.
        moves: the ways (k, 3) to the sides along the boxes' own directions, and just over them.
        goal: INSIDE or OUTSIDE.
    """
    tree, rows = boxes.tree, np.arange(len(box))
    beyond = at + moves
    other = tree.box_at(beyond)
    axis = np.argmax(np.abs(beyond - tree.middles[box]), axis=1)
    normal = np.sign(beyond - tree.middles[box])[rows, axis]
    first, second = goal * boxes.direction[box], goal * boxes.direction[other]
    out, back = first[rows, axis] * normal, second[rows, axis] * normal
    size, along = length_and_unit(second * out[:, None] - first * back[:, None])
    along[rows, axis] = 0.0
    least = _SHORT * np.minimum(tree.sides[box], tree.sides[other])
    on = _to_side(tree, other, beyond, second)
    slide = np.minimum(_to_side(tree, other, beyond, along), _to_side(tree, box, beyond, along))
    graphs = (out > 0.0) & (other >= 0) & (boxes.kind[other] == BoxClass.GRAPH)
    ahead = (boxes.kind[other] == goal) | (other < 0) | (graphs & (back > 0.0) & (on >= least))
    sliding = graphs & (back < 0.0) & (size > _STILL * (out - back)) & (slide >= least)
    beyond[sliding, axis[sliding]] -= _BEYOND * (normal * tree.sides[box])[sliding]
    found = beyond - at + np.where(sliding[:, None], slide[:, None] * along, 0.0)
    leading = (ahead | sliding) & (moves != 0.0).any(axis=1)
    return np.where(leading[:, None], found, moves), leading


def _evaluated_steps(
    function: ImplicitFunction, at: Floats, step: Floats, goal: BoxClass
) -> tuple[Floats, Floats]:
    """Return directions of F_x (k, 3) and steps (k,), `step` (k,) at most, along which F falls, or rises,
    where it is evaluated; 0 where it does not.
    """
    value, gradient = function.gradient(at)
    direction, step = length_and_unit(gradient)[1], step.copy()
    for _ in range(_TRIES):
        places = at[:, None] + goal * step[:, None, None] * _PARTS[:, None] * direction[:, None]
        values = function.value(places.reshape(-1, 3)).reshape(-1, len(_PARTS))
        rises = np.diff(np.concatenate([value[:, None], values], axis=1), axis=1) * goal > 0.0
        worse = ~rises.all(axis=1)
        if not worse.any():
            return direction, step
        step[worse] *= 0.5
    step[worse] = 0.0
    return direction, step


def _to_side(tree: BoxTree, box: Ints, at: Floats, direction: Floats) -> Floats:
    """Return how far (k,) places (k, 3) may go along unit directions (k, 3) until they have left their box.

    It is 0 for a direction of length 0.
    """
    half = (0.5 + _BEYOND) * tree.sides[box, None]
    away = np.where(direction > 0.0, half, -half) + tree.middles[box] - at
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.where(direction != 0.0, away / direction, np.inf).min(axis=1)
    return np.where(np.isfinite(far), np.maximum(far, 0.0), 0.0)


def _proven_steps(
    function: ImplicitFunction, at: Floats, step: Floats, _goal: BoxClass
) -> tuple[Floats, Floats]:
    """Return directions (k, 3) and steps (k,), `step` (k,) at most, along which F is proven to rise all about
    places (k, 3); 0 where none is.
    """
    step, direction, open_ = step.copy(), np.zeros(at.shape), np.arange(len(step))
    for _ in range(_TRIES):
        found, proven = rising_directions(function, at[open_] - step[open_, None], 2.0 * step[open_])
        direction[open_] = found
        open_ = open_[~proven]
        if not len(open_):
            return direction, step
        step[open_] *= 0.5
    step[open_] = 0.0
    return direction, step


def starts_of_flows(boxes: ClassifiedBoxes, own: BoxClass) -> tuple[Ints, Floats]:
    """Return boxes (m,) of a class that share a side with a graph, and a place (m, 3) in it near there."""
    tree = boxes.tree
    mine, graph = boxes.which(own), boxes.which(BoxClass.GRAPH, BoxClass.UNDECIDED)
    border = np.flatnonzero(mine | graph)
    first, second = tree.neighbours(border, FACES)  # the first is no larger
    outwards, inwards = mine[first] & graph[second], graph[first] & mine[second]
    pairs = np.concatenate([np.stack([first, second], 1)[outwards], np.stack([first, second], 1)[inwards]])
    small, large = pairs.T
    half = 0.5 * tree.sides
    gap = tree.middles[large] - tree.middles[small]
    axis = np.argmax(np.abs(gap) - half[large, None], axis=1)
    rows = np.arange(len(pairs))
    to_graph = np.where(graph[large], 1.0, -1.0)
    places = tree.middles[small].copy()
    reach = half[small] + _INTO * to_graph * tree.sides[small]
    places[rows, axis] += np.sign(gap[rows, axis]) * reach
    return np.where(mine[small], small, large), places
