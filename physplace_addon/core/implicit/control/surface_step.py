"""How a surface goes after its control points, step by step (Witkin and Heckbert 1994, sections 3.4 and 5).

Where pinned points are off the surface, as when an element was taken from under them, or on their way, they
are served first, by a step of their own, or several: what is dragged far would leave little of it to them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats
from ..functions.base import ImplicitFunction
from ..projection import closest_points
from .constraint_equations import FARTHEST_STRIDES, DesiredStep, Mobility, PointEvaluation, StepLimits
from .control_points import ControlPoints
from .corrected_step import (
    NO_ERROR,
    SecondOrderError,
    SurfaceStep,
    corrected_step,
    points_on_surface,
    surface_motion,
)

_SPRING = 0.3  # of the way to the cursor in a step
_APPROACHES = 6  # steps at once to pinned points that are off the surface
_NEARER = 0.02  # of its way: a point that comes by less is not worth a change


def surface_step(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: StepLimits,
    known: Floats,
    last: SurfaceStep | None = None,
) -> SurfaceStep:
    """Make a step.  desired (m,) is the change of the parameters wished for it, Q dt; mobility gives B for
    the parameters that may change; known (r, 3) are places on the surface, for feet of points far off it;
    the last step, if given, saves work.
    """
    same = last is not None and last.function is function and last.controls is controls
    if last is not None and same and last.idle and not np.count_nonzero(desired):
        return last
    made = _followed(function, controls, desired, mobility, pace, known, last)
    idle = made.function is function and np.array_equal(made.controls.position, controls.position)
    return replace(made, idle=True) if idle else made


def _followed(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: StepLimits,
    known: Floats,
    last: SurfaceStep | None,
) -> SurfaceStep:
    """Serve the pinned, where that is needed, and then the dragged."""
    seen, missed = (None, NO_ERROR) if last is None else (last.sight, last.missed)
    sight, controls = _sight(function, controls, pace, known, seen)
    way, dragged = controls.moves(_SPRING, pace.stride), controls.dragged
    if np.count_nonzero((controls.free | sight.farther(pace.near)) & ~dragged):
        if not np.count_nonzero(dragged):
            return _come_to(
                function, sight, controls, DesiredStep(way, desired, back=True), mobility, missed, pace
            )
        function, sight, controls = _pinned_first(function, controls, way, mobility, pace)
        way = dragged[:, None] * way
    wish = DesiredStep(way, desired, back=False)
    return corrected_step(
        function, sight, controls, wish, mobility, missed, pace, FARTHEST_STRIDES * pace.stride
    )


def _pinned_first(
    function: ImplicitFunction, controls: ControlPoints, way: Floats, mobility: Mobility, pace: StepLimits
) -> tuple[ImplicitFunction, PointEvaluation, ControlPoints]:
    """Have the surface come to the points that are not dragged, as if there were no others."""
    others = ~controls.dragged
    own, wish = controls.only(others), DesiredStep(way[others], np.zeros(len(pace.scales)), back=True)
    made = _come_to(function, PointEvaluation.of(function, own, pace), own, wish, mobility, NO_ERROR, pace)
    positions = controls.position.copy()
    positions[others] = made.controls.position
    controls = points_on_surface(made.function, controls.at(positions), controls.dragged, pace)
    return made.function, PointEvaluation.of(made.function, controls, pace), controls


def _come_to(
    function: ImplicitFunction,
    sight: PointEvaluation,
    controls: ControlPoints,
    wish: DesiredStep,
    mobility: Mobility,
    missed: SecondOrderError,
    pace: StepLimits,
) -> SurfaceStep:
    """Make a step, and more where the pinned are not reached by it, no farther than one may go.

    Nothing is done that brings neither the pinned nor those on their way nearer.
    """
    left = FARTHEST_STRIDES * pace.stride
    done = SurfaceStep(function, controls, sight, sight.off, NO_ERROR)
    for _ in range(_APPROACHES):
        made = corrected_step(function, sight, controls, wish, mobility, missed, pace, left)
        away = sight.farther(pace.near) & ~controls.free
        if away.any() and not wish.desired.any() and not _nearer(sight, controls, away, made, pace):
            return done
        left -= surface_motion(made.function.parameters - function.parameters, pace)
        function, sight, controls, missed, done = made.function, made.sight, made.controls, made.missed, made
        if left <= 0.0 or not (sight.farther(pace.near) & ~controls.free).any():
            break
        wish = DesiredStep(np.zeros_like(wish.way), np.zeros_like(wish.desired), back=True)
    return done


def _nearer(
    sight: PointEvaluation, controls: ControlPoints, away: Bools, made: SurfaceStep, pace: StepLimits
) -> bool:
    """Whether a step brings any of the pinned that are off the surface (n,), or on their way, nearer."""
    came = controls.distance_left - made.controls.distance_left
    return bool(
        (made.off < (1.0 - _NEARER) * sight.off)[away].any()
        or (came > _NEARER * np.minimum(controls.distance_left, pace.stride))[controls.free].any()
    )


def _sight(
    function: ImplicitFunction,
    controls: ControlPoints,
    pace: StepLimits,
    known: Floats,
    seen: PointEvaluation | None,
) -> tuple[PointEvaluation, ControlPoints]:
    """Look at the control points; set those that are farther off the surface than a stride on feet on it."""
    shown = seen if seen is not None and seen.shows(function, controls, pace) else None
    sight = shown or PointEvaluation.of(function, controls, pace)
    apart = sight.farther(pace.stride)
    if not np.count_nonzero(apart):
        return sight, controls
    controls = controls.moved_to_surface(
        apart, closest_points(function, controls.target[apart], pace.size, known)
    )
    return PointEvaluation.of(function, controls, pace), controls
