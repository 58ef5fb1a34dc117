"""One step of a surface after its control points (Witkin and Heckbert 1994, sections 3.4 and 5).

The parameters take the least change by which the surface follows the moved points to first order (`plan`);
then the same equations answer what is left, F at the new places, until it is what the first order said.  The
paper's feedback phi is 1 / dt: a step takes back all that is amiss, at most a stride of it.

A point on its way that the pinned hold back is put where the surface came to.  A step that does not bring the
pinned to the surface is cut in two, and in two again; if that does not help, nothing moves.  Of a radius a
step leaves half at least, and one that is small does not shrink: an element that is gone would not come back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .control_points import ControlPoints
from .equations import FARTHEST, Equations, Mobility, Pace, Plan, Sight, plan
from .feet import feet, on_surface
from .function import ImplicitFunction

_SPRING = 0.3  # of the way to the cursor in a step
_CUTS = 5
_FREEZES = 4  # rounds in which parameters at their least are left out
_CORRECTIONS = 6
_AFRESH = 3  # corrections after which the equations are set up again
_LEAST_PART = 0.5  # of a radius: what a step leaves of it
_PINNED = 0.3  # of what is near enough: where a pinned point must be, for the next step's sake
_ENOUGH = 0.3  # of what is near enough: where corrections end
_UNSEEN = 0.1  # of what is near enough: what may be left by a correction that is not looked at
_SURE = 0.3  # of what was left before: then the next correction does as much, unseen
_FLATTER = 0.05  # of what |F_x| was when the equations were set up: it is not taken for less
_FLAT = 1e-12  # where |F| is no more, and F_x is zero, too, a point is on the surface


@dataclass(frozen=True, eq=False)
class Followed:
    """The function and the control points after a step; off (n,): how far off the surface each point is, as
    far as it was looked at, in scene units.
    """

    function: ImplicitFunction
    controls: ControlPoints
    off: Floats


def follow(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
    known: Floats,
) -> Followed:
    """Make a step.  desired (m,) is the change of the parameters wished for it, Q dt; mobility gives B for
    the parameters that may change; known (r, 3) are places on the surface, for feet of points far off it.
    """
    sight, controls = _sight(function, controls, pace, known)
    planned = _feasible(function, sight, controls, desired, mobility, pace)
    if np.isfinite(planned.change).all():
        share = _allowed(function, planned.change, pace)
        for cut in range(_CUTS):
            made = _made(function, controls, planned, share * 0.5**cut, pace)
            if made is not None:
                return made
    return Followed(function, controls, np.abs(planned.equations.off))


def _sight(
    function: ImplicitFunction, controls: ControlPoints, pace: Pace, known: Floats
) -> tuple[Sight, ControlPoints]:
    """Look at the control points; set those that are farther off the surface than a stride on feet on it."""
    sight = Sight.of(function, controls, pace)
    off = np.abs(sight.value)
    apart = (off > pace.stride * sight.slope) & (off > _FLAT)
    if not apart.any():
        return sight, controls
    controls = controls.on_feet(apart, feet(function, controls.target[apart], pace.size, known))
    return Sight.of(function, controls, pace), controls


def _feasible(
    function: ImplicitFunction,
    sight: Sight,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
) -> Plan:
    """Plan a step that leaves a part of every radius, and all of a small one: others do the rest."""
    way = controls.way(_SPRING, pace.stride)
    parameters, free = function.parameters, np.ones(len(desired), dtype=bool)
    lowest = np.where(parameters > pace.least * pace.scales, -_LEAST_PART * parameters, 0.0)
    lowest = np.where(pace.positive, lowest, -np.inf)
    for _ in range(_FREEZES):
        planned = plan(sight, controls, way, desired, mobility(free), pace)
        bound = free & (planned.change < lowest)
        if not bound.any():
            break
        free &= ~bound
        desired = np.where(bound, lowest, desired)
    return planned


def _allowed(function: ImplicitFunction, change: Floats, pace: Pace) -> float:
    """Return how much of a change may be made at once: the surface must not leap, nor a radius vanish."""
    longest = float((np.abs(change) / pace.scales).max(initial=1e-300))
    share = min(1.0, FARTHEST * pace.stride / longest)
    room = _LEAST_PART * function.parameters
    shrinks = pace.positive & (share * change < -room)
    return float(np.min(room[shrinks] / -change[shrinks])) if shrinks.any() else share


def _made(
    function: ImplicitFunction, controls: ControlPoints, planned: Plan, part: float, pace: Pace
) -> Followed | None:
    """Make a part of a planned step; None if it leaves the pinned farther off than they were."""
    moved = controls.at(controls.position + part * planned.way)
    trial = _changed(function, part * planned.change, pace)
    goal = planned.equations.off + part * (planned.left - planned.equations.off)
    made = None if trial is None else _corrected(trial, moved, planned.equations, goal, pace)
    if made is None:
        return None
    function, off = made
    pinned = ~controls.free
    before = float(np.abs(planned.equations.off[pinned]).max(initial=0.0))
    if np.abs(off[pinned]).max(initial=0.0) > max(_PINNED * pace.near, 1.01 * before):
        return None
    return _put_back(function, moved, ~pinned, off, planned.equations, pace)


def _changed(function: ImplicitFunction, change: Floats, pace: Pace) -> ImplicitFunction | None:
    """Return the function with changed parameters; None if they are no numbers, or a size is not above 0."""
    parameters = function.parameters + change
    return function.with_parameters(parameters) if pace.allows(parameters) else None


def _corrected(
    function: ImplicitFunction, controls: ControlPoints, equations: Equations, goal: Floats, pace: Pace
) -> tuple[ImplicitFunction, Floats] | None:
    """Bring the surface to the points that by the first order it reaches: goal (n,) is how far off it says.

    Return how far off they are (n,).
    """
    near, before = np.abs(goal) <= pace.near, 0.0
    for correction in range(_CORRECTIONS + 1):
        off = _off(function, controls, equations)
        left = np.where(near, off - goal, 0.0)
        worst = float(np.abs(left).max(initial=0.0))
        if correction == _CORRECTIONS or worst <= _ENOUGH * pace.near:
            break
        if not np.isfinite(worst):
            return None
        if correction == _AFRESH:
            equations = Equations.of(Sight.of(function, controls, pace), controls, equations.mobility)
        change = equations.mobility @ equations.answer(-left, pace.stride)
        changed = _changed(function, change, pace)
        if changed is None:
            return None
        if worst < _SURE * before and worst * worst <= _UNSEEN * pace.near * before:
            return changed, np.where(near, goal, off)
        function, before = changed, worst
    return function, off


def _off(function: ImplicitFunction, controls: ControlPoints, equations: Equations) -> Floats:
    """Return how far off the surface points are (n,), signed, by F_x as it is now."""
    value, gradient = function.gradient(controls.position)
    slope = np.sqrt(np.einsum("ni,ni->n", gradient, gradient))
    weight = equations.weight
    return np.asarray(value * weight / np.maximum(slope * weight, _FLATTER))


def _put_back(
    function: ImplicitFunction,
    moved: ControlPoints,
    free: Bools,
    off: Floats,
    equations: Equations,
    pace: Pace,
) -> Followed:
    """Put points that were on their way (n,) and are off the surface back on it: those are not there yet."""
    stray = free & (np.abs(off) > pace.near)
    if stray.any():
        placed = on_surface(function, moved.position[stray], pace.stride)
        moved = moved.on_feet(stray, placed)
        off = _off(function, moved, equations)
    return Followed(function, moved, np.abs(off))
