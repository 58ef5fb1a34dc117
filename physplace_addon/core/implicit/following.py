"""One step of a surface after its control points (Witkin and Heckbert 1994, sections 3.4 and 5).

The parameters take the least change (`least_change`) by which the surface follows the moved points to first
order; then the same change answers what is left, F at the new places, until the points lie on the surface.
The equations' feedback phi is 1 / dt: a step takes back all that is amiss, at most a stride of it.

Pinned points come first, then the dragged, then the wish that these do not slip (`grip`).  A dragged point
that the pinned hold back is put where the surface came to.  A step that does not bring the points to the
surface, or a radius to nothing, is cut in two, and in two again; if that does not help, nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from .control_points import ControlPoints
from .function import ImplicitFunction
from .grip import grip
from .least_change import Inverse, weights_of

Mobility = Callable[[Bools], Floats]

_SPRING = 0.3  # of the way to the cursor in a step
_CUTS = 5
_CORRECTIONS = 6
_AFRESH = 3  # corrections after which the equations are set up again
_FARTHEST = 4.0  # strides that a parameter may move the surface by in a step
_SLACK = 0.1  # how weakly a normal may answer to parameters and still be held, over how a point does
_BESIDE = 1e-3  # strides: the distance of the differences
_LEAST_PART = 0.5  # of a radius: what a step leaves of it
_ROUNDS = 8


@dataclass(frozen=True)
class Pace:
    """stride: the farthest that points move in a step; near: how far off the surface a point may be left;
    size: the surface's; least: a radius that does not get smaller; all lengths in scene units.  positive
    (m,): the parameters that must stay above 0.  hold: whether what is dragged must not slip.
    """

    stride: float
    near: float
    size: float
    least: float
    positive: Bools
    hold: bool = True


@dataclass(frozen=True, eq=False)
class Followed:
    """The function and the control points after a step; off (n,): how far off the surface each point is, and
    held (n,): how much of its way in this step each was held back; scene units.
    """

    function: ImplicitFunction
    controls: ControlPoints
    off: Floats
    held: Floats


@dataclass(frozen=True, eq=False)
class Equations:
    """What a step is made from, at the points as they are, in lengths.

    mobility (m, m) is B; weight (n,) makes lengths of F's values; off (n,) is F so; rows (n, m) act on y;
    normal (n, 3) is F_x so; inverse answers the points in `order`, the pinned first.
    """

    mobility: Floats
    weight: Floats
    off: Floats
    rows: Floats
    normal: Floats
    inverse: Inverse
    order: Ints

    @classmethod
    def of(cls, function: ImplicitFunction, controls: ControlPoints, mobility: Floats) -> Equations:
        """Set them up at the control points."""
        value, gradient = function.gradient(controls.position)
        rows = function.parameter_gradient(controls.position) @ mobility
        weight = weights_of(rows, gradient)
        rows = weight[:, None] * rows
        order = np.argsort(controls.dragged, kind="stable")
        pinned, dragged = order[: int((~controls.dragged).sum())], order[int((~controls.dragged).sum()) :]
        inverse = Inverse.of([rows[pinned], rows[dragged]])
        return cls(mobility, weight, weight * value, rows, weight[:, None] * gradient, inverse, order)

    def answer(self, ask: Floats) -> Floats:
        """Return the least y (m,) by which the surface moves at the points as asked (n,)."""
        return np.asarray(self.inverse.answer @ ask[self.order])

    def change(
        self, function: ImplicitFunction, controls: ControlPoints, way: Floats, desired: Floats, most: float
    ) -> Floats:
        """Return the least change of the parameters (m,) by which the surface follows points that move by
        `way` (n, 3), to first order; what is off is taken back, by `most` at most.
        """
        return np.asarray(desired + self.mobility @ self.motion(function, controls, way, desired, most))

    def motion(
        self, function: ImplicitFunction, controls: ControlPoints, way: Floats, desired: Floats, most: float
    ) -> Floats:
        """Return that change's y (m,)."""
        ask = -np.einsum("ni,ni->n", self.normal, way) - np.clip(self.off, -most, most)
        if desired.any():
            ask = ask - self.weight * function.parameter_rate(controls.position, desired)
        return self.answer(ask)


def follow(
    function: ImplicitFunction, controls: ControlPoints, desired: Floats, mobility: Mobility, pace: Pace
) -> Followed:
    """Make a step.  desired (m,) is the change of the parameters wished for it, Q dt; mobility gives B for
    the parameters that may change.
    """
    way = controls.way(_SPRING, pace.stride)
    for cut in range(_CUTS):
        made = _part_of_a_step(function, controls, way, desired, mobility, pace, 0.5**cut)
        if made is not None:
            return made
    off = Equations.of(function, controls, mobility(np.ones(len(desired), dtype=bool))).off
    return Followed(function, controls, np.abs(off), np.sqrt(np.einsum("ni,ni->n", way, way)))


def _part_of_a_step(
    function: ImplicitFunction,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
    part: float,
) -> Followed | None:
    free = np.ones(len(desired), dtype=bool)
    for _ in range(_CUTS):
        equations = Equations.of(function, controls, mobility(free))
        change = part * _change(function, controls, equations, way, desired, pace)
        bound = (change < 0.0) & pace.positive & (function.parameters <= pace.least * function.scales) & free
        if not bound.any():
            break
        free &= ~bound
    if not np.isfinite(change).all():
        return None
    share = _allowed(function, change, pace)
    moved = controls.at(controls.position + part * share * way)
    trial = _changed(function, share * change)
    trial = None if trial is None else _corrected(trial, moved, equations, share * part, pace)
    if trial is None:
        return None
    return _finished(trial, moved, controls.position + way, equations, pace)


def _change(
    function: ImplicitFunction,
    controls: ControlPoints,
    equations: Equations,
    way: Floats,
    desired: Floats,
    pace: Pace,
) -> Floats:
    """Return the change of the parameters (m,) for a whole step: the least, and the grip's wish."""
    y = equations.motion(function, controls, way, desired, pace.stride)
    held = controls.dragged & (np.abs(equations.off) <= pace.stride) & (way != 0.0).any(axis=1)
    if pace.hold and held.any():
        rows, wished = grip(function, controls.position[held], way[held], _BESIDE * pace.stride)
        y = y + _wish(equations, rows @ equations.mobility, wished, y, np.flatnonzero(held), pace)
    return np.asarray(desired + equations.mobility @ y)


def _wish(equations: Equations, rows: Floats, wished: Floats, y: Floats, held: Ints, pace: Pace) -> Floats:
    """Return what the wish that normals do not turn adds to y, in what the control points leave free."""
    kept = equations.inverse.kept
    turns = 0.25 * pace.size * rows
    free = turns - (turns @ kept.T) @ kept
    left, values, right = np.linalg.svd(free, full_matrices=False)
    firm = _SLACK * float(np.sqrt(np.einsum("nm,nm->n", equations.rows[held], equations.rows[held]).max()))
    damped = values / np.maximum(values, max(firm, 1e-200)) ** 2
    return np.asarray(right.T @ (damped * (left.T @ (0.25 * pace.size * wished - turns @ y))))


def _allowed(function: ImplicitFunction, change: Floats, pace: Pace) -> float:
    """Return how much of a change may be made at once: the surface must not leap, nor a radius vanish."""
    longest = float(np.max(np.abs(change) / function.scales, initial=1e-300))
    share = min(1.0, _FARTHEST * pace.stride / longest)
    room = _LEAST_PART * function.parameters
    shrinks = pace.positive & (share * change < -room)
    return float(np.min(room[shrinks] / -change[shrinks], initial=share))


def _changed(function: ImplicitFunction, change: Floats) -> ImplicitFunction | None:
    """Return the function with changed parameters; None if there is no such function."""
    parameters = function.parameters + change
    return function.with_parameters(parameters) if np.isfinite(parameters).all() else None


def _corrected(
    function: ImplicitFunction, controls: ControlPoints, equations: Equations, part: float, pace: Pace
) -> ImplicitFunction | None:
    """Bring the surface to the points, as near as it gets; None if the pinned are farther off than before."""
    back = np.clip(equations.off, -pace.stride, pace.stride)
    near = np.abs(equations.off) <= pace.stride
    goal = np.where(near, equations.off - part * back, 0.0)
    before = equations.off
    for correction in range(_CORRECTIONS):
        off = equations.weight * function.value(controls.position)
        left = np.where(near, off - goal, 0.0)
        if not np.isfinite(off).all():
            return None
        if np.all(np.abs(left) <= 0.01 * pace.near) or correction == _CORRECTIONS - 1:
            break
        if correction == _AFRESH:
            equations = Equations.of(function, controls, equations.mobility)
            left = np.where(near, equations.off - goal, 0.0)
        change = equations.mobility @ equations.answer(-left)
        changed = _changed(function, _allowed(function, change, pace) * change)
        if changed is None:
            return None
        function = changed
    counts = near & ~controls.dragged
    worst = max(pace.near, 1.01 * float(np.max(np.abs(before[counts]), initial=0.0)))
    return function if np.all(np.abs(off[counts]) <= worst) else None


def _finished(
    function: ImplicitFunction, moved: ControlPoints, wanted: Floats, equations: Equations, pace: Pace
) -> Followed:
    """Put dragged points that are off the surface back on it, and measure."""
    off = equations.weight * function.value(moved.position)
    stray = moved.dragged & (np.abs(off) > pace.near)
    if stray.any():
        placed = moved.position.copy()
        placed[stray] = on_surface(function, placed[stray], pace.stride)
        moved = moved.at(placed)
        off = equations.weight * function.value(moved.position)
    short = np.where(moved.dragged[:, None], wanted - moved.position, 0.0)
    return Followed(function, moved, np.abs(off), np.sqrt(np.einsum("ni,ni->n", short, short)))


def on_surface(function: ImplicitFunction, places: Floats, farthest: float) -> Floats:
    """Return places (k, 3) moved onto the surface along F_x, each by `farthest` at most in a round."""
    for _ in range(_ROUNDS):
        value, gradient = function.gradient(places)
        slope = np.sqrt(np.einsum("ki,ki->k", gradient, gradient))
        normal = gradient / np.maximum(slope, 1e-300)[:, None]
        distance = np.clip(value / np.maximum(slope, 1e-300), -farthest, farthest)
        places = places - distance[:, None] * normal
    return places
