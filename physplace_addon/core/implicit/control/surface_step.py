"""How a surface follows its control points, one step (Witkin and Heckbert 1994, sections 3.4 and 5).

Where pinned points are on their way, or off the surface because an element was taken from under them, they
are served first, by one step of their own or several: points that are dragged far would leave little of a
step to them. Where the surface cannot pass through all pinned points it ends where the sum of the squares of
their distances is least (`least_squares`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import length
from ..functions.base import ImplicitFunction
from ..projection import closest_points
from .constraint_equations import FARTHEST_STRIDES, DesiredStep, Mobility, PointEvaluation, StepLimits
from .control_points import ControlPoints
from .corrected_step import NO_ERROR, SurfaceStep, corrected_step, points_on_surface
from .least_squares import LEAST_GAIN, fitted, sum_of_squares

_SPRING = 0.3  # share of the way to the cursor that a dragged point goes in a step, the paper's spring
_APPROACHES = 6  # steps made at once towards pinned points that are off the surface
# share of its distance: a point that comes nearer by less is not worth a change of the surface
_NEARER = 0.02
# share for each stride by which a step moves the surface: where the sum falls by less, it counts as level
_LEVEL = 5e-3
# share of the surface's size: pins farther away do not count among those that contradict each other
_FAR = 0.25
_MOST_DISTORTED = 2.0  # F / |F_x| of a pin that counts, over its distance, where that is more than a step


def surface_step(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    limits: StepLimits,
    known: Floats,
    last: SurfaceStep | None = None,
) -> SurfaceStep:
    """Make one step of the surface.

    Args:
        function: F before the step.
        controls: the control points, with their targets.
        desired: the desired change of the parameters (m,), Q dt.
        mobility: gives B (m, f) for the parameters (m,) that may change.
        limits: how far a step may go.
        known: places (r, 3) on the surface, for points that are far off it.
        last: the step before, which saves work, or None.
    """
    same = last is not None and last.function is function and last.controls is controls
    if last is not None and same and last.idle and not np.count_nonzero(desired):
        return last
    made = _pinned_then_dragged(function, controls, desired, mobility, limits, known, last)
    idle = made.function is function and np.array_equal(made.controls.position, controls.position)
    return replace(made, idle=True) if idle else made


def _with_least_squares(
    before: SurfaceStep, made: SurfaceStep, mobility: Mobility, limits: StepLimits
) -> SurfaceStep:
    """Return the step towards pinned points that was made, or one that goes on to the least sum of squares.

    The latter is made where the former lessens the sum by next to nothing for how far it moves the surface,
    because the surface cannot pass through all of them.

    Args:
        before: the surface and the pinned points before the step.
        made: the step.
        mobility: gives B (m, f) for the parameters (m,) that may change.
        limits: how far a step may go.
    """
    away = np.maximum(made.off, made.controls.distance_left)
    off = away > limits.near
    if not off.any():
        return made
    counted = _counted(made.function, before.controls.target, away, limits)
    if not (counted & off).any():
        return made
    places = before.controls.target[counted]
    first, left = (sum_of_squares(own, places) for own in (before.function, made.function))
    far = limits.motion(made.function.parameters - before.function.parameters) / limits.stride
    if left < (1.0 - max(LEAST_GAIN, _LEVEL * far)) * first:
        return made
    if left >= first:
        made, far = before, 0.0
    found = fitted(made.function, places, mobility, limits, (FARTHEST_STRIDES - far) * limits.stride)
    if found is not made.function:
        moved = points_on_surface(found, before.controls, before.controls.free, limits)
        made = SurfaceStep.standing(found, moved, limits)
    return replace(made, out_of_reach=counted)


def _counted(function: ImplicitFunction, places: Floats, away: Floats, limits: StepLimits) -> Bools:
    """Return which pins (n,) count in the sum of squares.

    Those to which a step may go, and those farther away up to a share of the surface's size, do where their
    distance to first order, F / |F_x|, is about their distance: where F is flat, beyond a blob and in the
    middle of it, that grows without bound, and one pin would outweigh all others.

    Args:
        function: F.
        places: where the pins are (n, 3).
        away: their distances (n,) from the surface, in scene units.
        limits: how far a step may go, and the size of the surface.
    """
    value, gradient = function.gradient(places)
    close = away <= FARTHEST_STRIDES * limits.stride
    honest = np.abs(value) <= _MOST_DISTORTED * away * length(gradient)
    defined = np.isfinite(gradient).all(axis=1)
    return np.asarray(honest & (close | (away <= _FAR * limits.size)) & defined)


def _pinned_then_dragged(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    limits: StepLimits,
    known: Floats,
    last: SurfaceStep | None,
) -> SurfaceStep:
    """Serve the pinned points, where that is needed, and then the dragged ones."""
    start = _started(function, controls, limits, known, last)
    controls, farthest = start.controls, FARTHEST_STRIDES * limits.stride
    way, dragged = controls.moves(_SPRING, limits.stride), controls.dragged
    late = controls.free & ~dragged  # pinned, and on their way or off the surface
    if start.evaluated.farthest > limits.near:
        late |= start.evaluated.farther(limits.near) & ~dragged
    if not np.count_nonzero(late):
        desired_step = DesiredStep(way, desired, return_to_surface=False)
        return corrected_step(start, desired_step, mobility, limits, farthest)
    if not np.count_nonzero(dragged):
        return _pinned_met(start, DesiredStep(way, desired, return_to_surface=True), mobility, limits)
    first = _pinned_first(start, way, mobility, limits)
    desired_step = DesiredStep(dragged[:, None] * way, desired, return_to_surface=False)
    made = corrected_step(replace(first, error=start.error), desired_step, mobility, limits, farthest)
    return replace(made, out_of_reach=first.out_of_reach)


def _pinned_first(start: SurfaceStep, way: Floats, mobility: Mobility, limits: StepLimits) -> SurfaceStep:
    """Have the surface come to the points that are not dragged, as if there were no others."""
    controls, others = start.controls, ~start.controls.dragged
    desired_step = DesiredStep(way[others], np.zeros(len(limits.scales)), return_to_surface=True)
    own = SurfaceStep.standing(start.function, controls.take(others), limits)
    made = _pinned_met(own, desired_step, mobility, limits)
    positions, out_of_reach = controls.position.copy(), None
    positions[others] = made.controls.position
    if made.out_of_reach is not None:
        out_of_reach = np.zeros(len(controls), dtype=np.bool_)
        out_of_reach[others] = made.out_of_reach
    controls = points_on_surface(made.function, controls.at(positions), controls.dragged, limits)
    return replace(SurfaceStep.standing(made.function, controls, limits), out_of_reach=out_of_reach)


def _pinned_met(
    start: SurfaceStep, desired_step: DesiredStep, mobility: Mobility, limits: StepLimits
) -> SurfaceStep:
    """Make a step to the pinned points, or to the least sum of squares where nothing else is desired."""
    made = _approach_pinned(start, desired_step, mobility, limits)
    if np.count_nonzero(desired_step.desired):
        return made
    return _with_least_squares(start, made, mobility, limits)


def _approach_pinned(
    start: SurfaceStep, desired_step: DesiredStep, mobility: Mobility, limits: StepLimits
) -> SurfaceStep:
    """Make a step, and more where it does not reach the pinned points, no farther in all than one may go.

    Nothing is changed if that would bring neither the pinned points nor those on their way nearer.
    """
    left, done = FARTHEST_STRIDES * limits.stride, start
    for _ in range(_APPROACHES):
        made = corrected_step(done, desired_step, mobility, limits, left)
        away = _pinned_off(done, limits)
        if away.any() and not desired_step.desired.any() and not _nearer(done, away, made, limits):
            return done
        left -= limits.motion(made.function.parameters - done.function.parameters)
        done = made
        if left <= 0.0 or not _pinned_off(done, limits).any():
            break
        desired_step = DesiredStep(
            np.zeros_like(desired_step.moves), np.zeros_like(desired_step.desired), return_to_surface=True
        )
    return done


def _pinned_off(done: SurfaceStep, limits: StepLimits) -> Bools:
    """Return which pinned points (n,) are off the surface."""
    return np.asarray(done.evaluated.farther(limits.near) & ~done.controls.free)


def _nearer(start: SurfaceStep, away: Bools, made: SurfaceStep, limits: StepLimits) -> bool:
    """Return whether a step brings nearer any pinned point that is off the surface (n,), or on its way."""
    controls = start.controls
    came = controls.distance_left - made.controls.distance_left
    return bool(
        (made.off < (1.0 - _NEARER) * start.evaluated.off)[away].any()
        or (came > _NEARER * np.minimum(controls.distance_left, limits.stride))[controls.free].any()
    )


def _started(
    function: ImplicitFunction,
    controls: ControlPoints,
    limits: StepLimits,
    known: Floats,
    last: SurfaceStep | None,
) -> SurfaceStep:
    """Return where a step starts; points farther off than a stride are put at closest points."""
    if last is not None and last.evaluated.shows(function, controls, limits):
        evaluated = last.evaluated
    else:
        evaluated = PointEvaluation.of(function, controls, limits)
    if evaluated.farthest > limits.stride and np.count_nonzero(apart := evaluated.farther(limits.stride)):
        closest = closest_points(function, controls.target[apart], limits.size, known)
        controls = controls.moved_to_surface(apart, closest)
        evaluated = PointEvaluation.of(function, controls, limits)
    error = NO_ERROR if last is None else last.error
    return SurfaceStep(function, controls, evaluated, evaluated.off, error)
