"""A step of a surface after its control points, corrected to higher order (Witkin and Heckbert 1994, section
3.4).

The parameters take the least change by which the surface follows the moved points to first order
(`first_order_step`). Then the same equations are solved for what is left, F at the new places, until it is
what the first order said. The error of the first order in the last step is corrected beforehand: a point that
goes on as it went is then met by the first solution. The paper's feedback phi is 1 / dt: a step takes back
all that points are off, at most a stride.

A point on its way that the pinned ones hold back is projected onto the surface. A step that takes a pinned
point off the surface is cut in two, and in two again; if that does not help, nothing moves. A step leaves at
least a half of every radius, and one that is small does not shrink: an element that is gone would not come
back.
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

_CUTS = 5  # times that a step is halved before it is given up
_CORRECTIONS = 6  # most corrections of a step
_AFRESH = 3  # corrections after which the equations are set up again, because the first ones no longer fit
_PINNED = 0.3  # share of `near` within which a pinned point must be, so that the next step starts well
_ENOUGH = 0.3  # share of `near` at which corrections end
_ALIKE = 2.0  # lengths of the last motion: one longer than this along it is not compared with it


@dataclass(frozen=True, eq=False)
class SecondOrderError:
    """How far off the surface a step left points that was right to first order.

    The error is of second order in the changes of the parameters and the moves of the points together:
    another step along the same line has it times the square of its length.

    Attributes:
        motion: the changes of the parameters, over their scales, and the moves of the points (m + 3 n,), in
            scene units.
        off: the error (n,) in scene units, signed.
    """

    motion: Floats
    off: Floats

    def by(self, motion: Floats, count: int) -> Floats:
        """Return the error to be expected (count,) of a motion (m + 3 count,), by its part along this one."""
        if (len(motion), count) == (len(self.motion), len(self.off)):
            share = float(motion @ self.motion) / max(float(self.motion @ self.motion), 1e-300)
            if abs(share) < _ALIKE:
                return share * share * self.off
        return np.zeros(count)


@dataclass(frozen=True, eq=False)
class SurfaceStep:
    """A surface and its control points after a step, where the next one starts.

    Attributes:
        function: F after the step.
        controls: the control points after the step.
        evaluated: F there.
        off: how far off the surface each point is (n,), in scene units.
        error: what the first order missed.
        idle: whether nothing was done.
        out_of_reach: which points (n,) no step of least change brings nearer, so that this one led to the
            least sum of squares; None where there are none.
    """

    function: ImplicitFunction
    controls: ControlPoints
    evaluated: PointEvaluation
    off: Floats
    error: SecondOrderError
    idle: bool = False
    out_of_reach: Bools | None = None

    @staticmethod
    def standing(function: ImplicitFunction, controls: ControlPoints, limits: StepLimits) -> SurfaceStep:
        """Return a surface and its control points as they are, before any step."""
        evaluated = PointEvaluation.of(function, controls, limits)
        return SurfaceStep(function, controls, evaluated, evaluated.off, NO_ERROR)


NO_ERROR = SecondOrderError(np.zeros(0), np.zeros(0))  # the error before the first step


def corrected_step(
    start: SurfaceStep, desired_step: DesiredStep, mobility: Mobility, limits: StepLimits, farthest: float
) -> SurfaceStep:
    """Make a step, or as much of it as the pinned points allow.

    Args:
        start: the surface and its control points before the step, with the error of the last one.
        desired_step: what the step is to do.
        mobility: gives B for the parameters (m,) that may change.
        limits: how far a step may go.
        farthest: how far the change of parameters may move the surface, in scene units.
    """
    planned = _feasible(start, desired_step, mobility, limits)
    length = limits.motion(planned.change)
    if math.isfinite(length):
        share = min(1.0, farthest / length)
        for cut in range(_CUTS):
            made = _made(start, planned.part(share * 0.5**cut), limits)
            if made is not None:
                return made
    return replace(start, off=np.abs(planned.equations.off), error=NO_ERROR)


def _feasible(
    start: SurfaceStep, desired_step: DesiredStep, mobility: Mobility, limits: StepLimits
) -> FirstOrderStep:
    """Return a step to first order that leaves a part of every radius, and all of a small one.

    Each round excludes the parameters that would come below their least value; the others do the rest.
    """
    lowest = limits.lowest_changes(start.function.parameters)
    free = limits.all_parameters
    while True:
        planned = first_order_step(start.evaluated, start.controls, desired_step, mobility(free), limits)
        below = planned.change.take(limits.sizes) < lowest
        if np.count_nonzero(below):
            below &= free.take(limits.sizes)
        if not np.count_nonzero(below):
            return planned
        bound, free, desired = limits.sizes[below], free.copy(), desired_step.desired.copy()
        free[bound], desired[bound] = False, lowest[below]
        desired_step = replace(desired_step, desired=desired)


def _made(start: SurfaceStep, planned: FirstOrderStep, limits: StepLimits) -> SurfaceStep | None:
    """Return a step that makes a planned one; None if it leaves the pinned farther off than they were."""
    controls = start.controls
    made = _corrected(start, controls.at(controls.position + planned.moves), planned, limits)
    if made is None:
        return None
    if np.maximum.reduce(made.off, initial=0.0) <= _PINNED * limits.near:
        return made
    least = np.maximum(1.01 * np.abs(planned.equations.off), _PINNED * limits.near)
    if np.count_nonzero((made.off <= least) | controls.free) < len(controls):
        return None
    stray = controls.free & (made.off > limits.near)
    return _with_projected(made, stray, planned.equations, limits) if np.count_nonzero(stray) else made


def _corrected(
    start: SurfaceStep, moved: ControlPoints, planned: FirstOrderStep, limits: StepLimits
) -> SurfaceStep | None:
    """Return the function changed by a planned step, corrected so that it meets the points.

    It is None if parameters come out of their bounds, or F is no number.
    """
    function, error = start.function, start.error
    equations, change, goal = planned.equations, planned.change, planned.left
    near = np.abs(goal) <= limits.near
    motion = np.concatenate([change / limits.scales, planned.moves.ravel()])
    ask = np.where(near, -error.by(motion, len(moved)), 0.0)
    for correction in range(_CORRECTIONS + 1):
        changed = _changed(
            function, change + equations.mobility @ equations.answer(ask, limits.stride), limits
        )
        if changed is None:
            return None
        function, evaluated = changed, PointEvaluation.of(changed, moved, limits)
        off = equations.off_in(evaluated)
        left = np.where(near, off - goal, 0.0)
        if correction == 0:
            error = SecondOrderError(motion, left - ask)
        worst = float(np.maximum.reduce(np.abs(left), initial=0.0))
        if not math.isfinite(worst):
            return None
        if worst <= _ENOUGH * limits.near:
            break
        if correction == _AFRESH:
            equations = ConstraintEquations.of(evaluated, moved, equations.mobility, limits.near)
        change, ask = np.zeros_like(change), -left
    return SurfaceStep(function, moved, evaluated, np.abs(off), error)


def _changed(function: ImplicitFunction, change: Floats, limits: StepLimits) -> ImplicitFunction | None:
    """Return the function with changed parameters; None if they are not finite, or a size is not above 0."""
    parameters = function.parameters + change
    return function.with_parameters(parameters) if limits.allows(parameters) else None


def _with_projected(
    made: SurfaceStep, stray: Bools, equations: ConstraintEquations, limits: StepLimits
) -> SurfaceStep:
    """Return a step with stray points (n,), which were on their way and are off the surface, projected onto
    it.
    """
    function, moved = made.function, points_on_surface(made.function, made.controls, stray, limits)
    evaluated = PointEvaluation.of(function, moved, limits)
    return SurfaceStep(function, moved, evaluated, np.abs(equations.off_in(evaluated)), made.error)


def points_on_surface(
    function: ImplicitFunction, controls: ControlPoints, stray: Bools, limits: StepLimits
) -> ControlPoints:
    """Return the control points with some of them (n,) projected onto the surface."""
    if not stray.any():
        return controls
    return controls.moved_to_surface(stray, projected(function, controls.position[stray], limits.stride))
