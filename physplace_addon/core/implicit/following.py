"""One step of a surface after its control points (Witkin and Heckbert 1994, sections 3.4 and 5).

The parameters take the least change by which the surface follows the moved points to first order (`plan`);
then the same equations answer what is left, F at the new places, until it is what the first order said.
What the first order missed in the last step is answered beforehand: a point that goes on as it went is then
followed at the first look.  The paper's feedback phi is 1 / dt: a step takes back all that is amiss, at most
a stride of it.

A point on its way that the pinned hold back is put where the surface came to.  A step that takes a pinned
point off the surface is cut in two, and in two again; if that does not help, nothing moves.  Of a radius a
step leaves half at least, and one that is small does not shrink: an element that is gone would not come back.

Where pinned points are off the surface, as when an element was taken from under them, or on their way, they
are served first, by a step of their own, or several: what is dragged far would leave little of it to them.
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
_CORRECTIONS = 6
_AFRESH = 3  # corrections after which the equations are set up again
_LEAST_PART = 0.5  # of a radius: what a step leaves of it
_PINNED = 0.3  # of what is near enough: where a pinned point must be, for the next step's sake
_ENOUGH = 0.3  # of what is near enough: where corrections end
_ALIKE = 2.0  # last changes, along them: a longer change is not compared
_APPROACHES = 4  # steps at once to pinned points that are off the surface


@dataclass(frozen=True, eq=False)
class Missed:
    """How far off n points a change (m,) left the surface that was right to first order, off (n,); both in
    scene units.

    That is of second order: of another change on the same line it goes with the square of its length.
    """

    change: Floats
    off: Floats

    def by(self, change: Floats, count: int) -> Floats:
        """Return what to expect of a change (m,) at so many points, by its part along this one."""
        if (len(change), count) == (len(self.change), len(self.off)):
            share = float(change @ self.change) / max(float(self.change @ self.change), 1e-300)
            if abs(share) < _ALIKE:
                return share * share * self.off
        return np.zeros(count)


@dataclass(frozen=True, eq=False)
class Followed:
    """The function and the control points after a step, what is seen there, and what the first order missed;
    off (n,): how far off the surface each point is, in scene units.
    """

    function: ImplicitFunction
    controls: ControlPoints
    sight: Sight
    off: Floats
    missed: Missed


_NOTHING = Missed(np.zeros(0), np.zeros(0))


def follow(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
    known: Floats,
    last: Followed | None = None,
) -> Followed:
    """Make a step.  desired (m,) is the change of the parameters wished for it, Q dt; mobility gives B for
    the parameters that may change; known (r, 3) are places on the surface, for feet of points far off it;
    the last step, if given, saves work.
    """
    seen, missed = (None, _NOTHING) if last is None else (last.sight, last.missed)
    sight, controls = _sight(function, controls, pace, known, seen)
    way, dragged = controls.way(_SPRING, pace.stride), controls.dragged
    if (~dragged & (controls.free | sight.farther(pace.near))).any():
        if not dragged.any():
            return _come_to(function, sight, controls, way, desired, mobility, missed, pace)
        function, sight, controls = _pinned_first(function, controls, way, mobility, pace)
        way = dragged[:, None] * way
    return _step(function, sight, controls, way, desired, mobility, missed, pace, FARTHEST * pace.stride)


def _pinned_first(
    function: ImplicitFunction, controls: ControlPoints, way: Floats, mobility: Mobility, pace: Pace
) -> tuple[ImplicitFunction, Sight, ControlPoints]:
    """Have the surface come to the points that are not dragged, as if there were no others."""
    others, still = ~controls.dragged, np.zeros(len(pace.scales))
    own = controls.only(others)
    sight = Sight.of(function, own, pace)
    made = _come_to(function, sight, own, way[others], still, mobility, _NOTHING, pace)
    positions = controls.position.copy()
    positions[others] = made.controls.position
    controls = _on_it(made.function, controls.at(positions), controls.dragged, pace)
    return made.function, Sight.of(made.function, controls, pace), controls


def _come_to(
    function: ImplicitFunction,
    sight: Sight,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Mobility,
    missed: Missed,
    pace: Pace,
) -> Followed:
    """Make a step, and more where the pinned are not reached by it, no farther than one may go."""
    left = FARTHEST * pace.stride
    for _ in range(_APPROACHES):
        made = _step(function, sight, controls, way, desired, mobility, missed, pace, left)
        left -= _length(made.function.parameters - function.parameters, pace)
        reached = not (made.off > pace.near)[~controls.free].any()
        if reached or made.function is function or left <= 0.0:
            break
        function, sight, controls, missed = made.function, made.sight, made.controls, made.missed
        way, desired = np.zeros_like(way), np.zeros_like(desired)
    return made


def _step(
    function: ImplicitFunction,
    sight: Sight,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Mobility,
    missed: Missed,
    pace: Pace,
    farthest: float,
) -> Followed:
    """Make a step from what is seen, or as much of it as the pinned allow, and farthest, in scene units."""
    planned = _feasible(function, sight, controls, way, desired, mobility, pace)
    if np.isfinite(planned.change).all():
        share = min(1.0, farthest / _length(planned.change, pace))
        for cut in range(_CUTS):
            made = _made(function, controls, planned, share * 0.5**cut, missed, pace)
            if made is not None:
                return made
    return Followed(function, controls, sight, np.abs(planned.equations.off), _NOTHING)


def _sight(
    function: ImplicitFunction, controls: ControlPoints, pace: Pace, known: Floats, seen: Sight | None
) -> tuple[Sight, ControlPoints]:
    """Look at the control points; set those that are farther off the surface than a stride on feet on it."""
    shown = seen if seen is not None and seen.shows(function, controls, pace) else None
    sight = shown or Sight.of(function, controls, pace)
    apart = sight.farther(pace.stride)
    if not apart.any():
        return sight, controls
    controls = controls.on_feet(apart, feet(function, controls.target[apart], pace.size, known))
    return Sight.of(function, controls, pace), controls


def _feasible(
    function: ImplicitFunction,
    sight: Sight,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
) -> Plan:
    """Plan a step that leaves a part of every radius, and all of a small one: others do the rest.

    Each round leaves out more parameters, those that would come below their least.
    """
    parameters, free = function.parameters, np.ones(len(desired), dtype=bool)
    lowest = np.where(parameters > pace.least * pace.scales, -_LEAST_PART * parameters, 0.0)
    lowest = np.where(pace.positive, lowest, -np.inf)
    while True:
        planned = plan(sight, controls, way, desired, mobility(free), pace)
        bound = free & (planned.change < lowest)
        if not bound.any():
            return planned
        free &= ~bound
        desired = np.where(bound, lowest, desired)


def _length(change: Floats, pace: Pace) -> float:
    """Return about how far a change of parameters moves the surface at most, in scene units, above 0."""
    return float((np.abs(change) / pace.scales).max(initial=1e-300))


def _made(
    function: ImplicitFunction,
    controls: ControlPoints,
    planned: Plan,
    part: float,
    missed: Missed,
    pace: Pace,
) -> Followed | None:
    """Make a part of a planned step; None if it leaves the pinned farther off than they were."""
    moved = controls.at(controls.position + part * planned.way)
    made = _corrected(function, moved, planned, part, missed, pace)
    if made is None:
        return None
    least = np.maximum(1.01 * np.abs(planned.equations.off), _PINNED * pace.near)
    if not (made.off <= least)[~controls.free].all():
        return None
    stray = controls.free & (made.off > pace.near)
    return _put_back(made, stray, planned.equations, pace) if stray.any() else made


def _corrected(
    function: ImplicitFunction,
    moved: ControlPoints,
    planned: Plan,
    part: float,
    missed: Missed,
    pace: Pace,
) -> Followed | None:
    """Change the function by a part of a plan, and bring it to the points that it reaches by first order."""
    equations, change = planned.equations, part * planned.change
    goal = equations.off + part * (planned.left - equations.off)
    near, lengths = np.abs(goal) <= pace.near, change / pace.scales
    ask = np.where(near, -missed.by(lengths, len(moved)), 0.0)
    for correction in range(_CORRECTIONS + 1):
        changed = _changed(function, change + equations.mobility @ equations.answer(ask, pace.stride), pace)
        if changed is None:
            return None
        function, sight = changed, Sight.of(changed, moved, pace)
        off = equations.off_in(sight)
        left = np.where(near, off - goal, 0.0)
        if correction == 0:
            missed = Missed(lengths, left - ask)
        worst = float(np.abs(left).max(initial=0.0))
        if not np.isfinite(worst):
            return None
        if worst <= _ENOUGH * pace.near:
            break
        if correction == _AFRESH:
            equations = Equations.of(sight, moved, equations.mobility, pace.near)
        change, ask = np.zeros_like(change), -left
    return Followed(function, moved, sight, np.abs(off), missed)


def _changed(function: ImplicitFunction, change: Floats, pace: Pace) -> ImplicitFunction | None:
    """Return the function with changed parameters; None if they are no numbers, or a size is not above 0."""
    parameters = function.parameters + change
    return function.with_parameters(parameters) if pace.allows(parameters) else None


def _put_back(made: Followed, stray: Bools, equations: Equations, pace: Pace) -> Followed:
    """Put points (n,) that were on their way and are off the surface back on it: those are not there yet."""
    function, moved = made.function, _on_it(made.function, made.controls, stray, pace)
    sight = Sight.of(function, moved, pace)
    return Followed(function, moved, sight, np.abs(equations.off_in(sight)), made.missed)


def _on_it(function: ImplicitFunction, controls: ControlPoints, stray: Bools, pace: Pace) -> ControlPoints:
    """Return the points with some (n,) brought onto the surface."""
    if not stray.any():
        return controls
    return controls.on_feet(stray, on_surface(function, controls.position[stray], pace.stride))
