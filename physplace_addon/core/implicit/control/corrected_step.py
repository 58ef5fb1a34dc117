"""A single step of a surface after its control points (Witkin and Heckbert 1994, section 3.4).

The parameters take the least change by which the surface follows the moved points to first order (`plan`);
then the same equations answer what is left, F at the new places, until it is what the first order said.
What the first order missed in the last step is answered beforehand: a point that goes on as it went is then
followed at the first look.  The paper's feedback phi is 1 / dt: a step takes back all that is amiss, at most
a stride of it.

A point on its way that the pinned hold back is put where the surface came to.  A step that takes a pinned
point off the surface is cut in two, and in two again; if that does not help, nothing moves.  Of a radius a
step leaves half at least, and one that is small does not shrink: an element that is gone would not come back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats
from ..functions.base import ImplicitFunction
from ..projection import projected
from .constraint_equations import (
    ConstraintEquations,
    DesiredStep,
    FirstOrderStep,
    Mobility,
    PointEvaluation,
    StepLimits,
    first_order_step,
)
from .control_points import ControlPoints

_CUTS = 5
_CORRECTIONS = 6
_AFRESH = 3  # corrections after which the equations are set up again
_LEAST_PART = 0.5  # of a radius: what a step leaves of it
_PINNED = 0.3  # of what is near enough: where a pinned point must be, for the next step's sake
_ENOUGH = 0.3  # of what is near enough: where corrections end
_ALIKE = 2.0  # last changes, along them: a longer change is not compared


@dataclass(frozen=True, eq=False)
class SecondOrderError:
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
class SurfaceStep:
    """The function and the control points after a step, what is seen there, and what the first order missed;
    off (n,): how far off the surface each point is, in scene units; idle: nothing was done.
    """

    function: ImplicitFunction
    controls: ControlPoints
    sight: PointEvaluation
    off: Floats
    missed: SecondOrderError
    idle: bool = False


NO_ERROR = SecondOrderError(np.zeros(0), np.zeros(0))


def corrected_step(
    function: ImplicitFunction,
    sight: PointEvaluation,
    controls: ControlPoints,
    wish: DesiredStep,
    mobility: Mobility,
    missed: SecondOrderError,
    pace: StepLimits,
    farthest: float,
) -> SurfaceStep:
    """Make a step from what is seen, or as much of it as the pinned allow, and farthest, in scene units."""
    planned = _feasible(function, sight, controls, wish, mobility, pace)
    length = surface_motion(planned.change, pace)
    if math.isfinite(length):
        share = min(1.0, farthest / length)
        for cut in range(_CUTS):
            made = _made(function, controls, planned, share * 0.5**cut, missed, pace)
            if made is not None:
                return made
    return SurfaceStep(function, controls, sight, np.abs(planned.equations.off), NO_ERROR)


def _feasible(
    function: ImplicitFunction,
    sight: PointEvaluation,
    controls: ControlPoints,
    wish: DesiredStep,
    mobility: Mobility,
    pace: StepLimits,
) -> FirstOrderStep:
    """Plan a step that leaves a part of every radius, and all of a small one: others do the rest.

    Each round leaves out more parameters, those that would come below their least.
    """
    size, free = function.parameters.take(pace.sizes), np.ones(len(wish.desired), dtype=bool)
    lowest = np.where(size > pace.smallest, -_LEAST_PART * size, 0.0)
    while True:
        planned = first_order_step(sight, controls, wish, mobility(free), pace)
        below = (planned.change.take(pace.sizes) < lowest) & free.take(pace.sizes)
        if not np.count_nonzero(below):
            return planned
        bound, desired = pace.sizes[below], wish.desired.copy()
        free[bound], desired[bound] = False, lowest[below]
        wish = replace(wish, desired=desired)


def surface_motion(change: Floats, pace: StepLimits) -> float:
    """Return about how far a change of parameters moves the surface at most, in scene units, above 0."""
    return float((np.abs(change) / pace.scales).max(initial=1e-300))


def _made(
    function: ImplicitFunction,
    controls: ControlPoints,
    planned: FirstOrderStep,
    part: float,
    missed: SecondOrderError,
    pace: StepLimits,
) -> SurfaceStep | None:
    """Make a part of a planned step; None if it leaves the pinned farther off than they were."""
    moved = controls.at(controls.position + part * planned.way)
    made = _corrected(function, moved, planned, part, missed, pace)
    if made is None:
        return None
    least = np.maximum(1.01 * np.abs(planned.equations.off), _PINNED * pace.near)
    if np.count_nonzero((made.off <= least) | controls.free) < len(controls):
        return None
    stray = controls.free & (made.off > pace.near)
    return _put_back(made, stray, planned.equations, pace) if np.count_nonzero(stray) else made


def _corrected(
    function: ImplicitFunction,
    moved: ControlPoints,
    planned: FirstOrderStep,
    part: float,
    missed: SecondOrderError,
    pace: StepLimits,
) -> SurfaceStep | None:
    """Change the function by a part of a plan, and bring it to the points that it reaches by first order."""
    equations, change = planned.equations, part * planned.change
    goal = equations.off + part * (planned.left - equations.off)
    near, lengths = np.abs(goal) <= pace.near, change / pace.scales
    ask = np.where(near, -missed.by(lengths, len(moved)), 0.0)
    for correction in range(_CORRECTIONS + 1):
        changed = _changed(function, change + equations.mobility @ equations.answer(ask, pace.stride), pace)
        if changed is None:
            return None
        function, sight = changed, PointEvaluation.of(changed, moved, pace)
        off = equations.off_in(sight)
        left = np.where(near, off - goal, 0.0)
        if correction == 0:
            missed = SecondOrderError(lengths, left - ask)
        worst = float(np.abs(left).max(initial=0.0))
        if not math.isfinite(worst):
            return None
        if worst <= _ENOUGH * pace.near:
            break
        if correction == _AFRESH:
            equations = ConstraintEquations.of(sight, moved, equations.mobility, pace.near)
        change, ask = np.zeros_like(change), -left
    return SurfaceStep(function, moved, sight, np.abs(off), missed)


def _changed(function: ImplicitFunction, change: Floats, pace: StepLimits) -> ImplicitFunction | None:
    """Return the function with changed parameters; None if they are no numbers, or a size is not above 0."""
    parameters = function.parameters + change
    return function.with_parameters(parameters) if pace.allows(parameters) else None


def _put_back(
    made: SurfaceStep, stray: Bools, equations: ConstraintEquations, pace: StepLimits
) -> SurfaceStep:
    """Put points (n,) that were on their way and are off the surface back on it: those are not there yet."""
    function, moved = made.function, points_on_surface(made.function, made.controls, stray, pace)
    sight = PointEvaluation.of(function, moved, pace)
    return SurfaceStep(function, moved, sight, np.abs(equations.off_in(sight)), made.missed)


def points_on_surface(
    function: ImplicitFunction, controls: ControlPoints, stray: Bools, pace: StepLimits
) -> ControlPoints:
    """Return the points with some (n,) brought onto the surface."""
    if not stray.any():
        return controls
    return controls.moved_to_surface(stray, projected(function, controls.position[stray], pace.stride))
