"""A step's linear equations at the control points, and the change of parameters that answers them.

Pinned points come first, then those on their way, then the wish that what is dragged does not slip (`grip`).
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

FARTHEST = 4.0  # strides that a parameter may move the surface by in a step
_SLACK = 0.1  # how weakly a normal may answer to parameters and still be held, over how a point does
_BESIDE = 1e-3  # strides: the distance of the differences


@dataclass(frozen=True, eq=False)
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
        on_their_way = controls.free
        order, firm = np.argsort(on_their_way, kind="stable"), int((~on_their_way).sum())
        inverse = Inverse.of([rows[order[:firm]], rows[order[firm:]]])
        return cls(mobility, weight, weight * value, rows, weight[:, None] * gradient, inverse, order)

    def answer(self, ask: Floats, stride: float) -> Floats:
        """Return the least y (m,) by which the surface moves at the points as asked (n,)."""
        return self.inverse.answer(ask[self.order], FARTHEST * stride)


@dataclass(frozen=True, eq=False)
class Plan:
    """A step to first order: change (m,) of the parameters, way (n, 3) of the points, and left (n,), how
    far off the surface they are after it, 0 where they can be followed; lengths in scene units.
    """

    equations: Equations
    change: Floats
    way: Floats
    left: Floats


def plan(
    function: ImplicitFunction,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Floats,
    pace: Pace,
) -> Plan:
    """Return the least change by which the surface follows points that move by `way` (n, 3), to first order.

    desired (m,) is the change that is wished, Q dt.  What a point is off is taken back, a stride at most.
    """
    equations = Equations.of(function, controls, mobility)
    after = equations.off + np.einsum("ni,ni->n", equations.normal, way)
    if desired.any():
        after = after + equations.weight * function.parameter_rate(controls.position, desired)
    keeps = equations.off - np.clip(equations.off, -pace.stride, pace.stride)
    y = equations.answer(keeps - after, pace.stride)
    held = controls.dragged & (keeps == 0.0) & (way != 0.0).any(axis=1)
    if pace.hold and held.any():
        rows, wished = grip(function, controls.position[held], way[held], _BESIDE * pace.stride)
        turns = 0.25 * pace.size
        y = y + _wish(equations, turns * rows @ mobility, turns * wished, y, held)
    return Plan(equations, desired + mobility @ y, way, after + equations.rows @ y)


def _wish(equations: Equations, rows: Floats, wished: Floats, y: Floats, held: Bools) -> Floats:
    """Return what a wish adds to y, rows . y = wished, in what the control points leave free."""
    kept = equations.inverse.kept
    left, values, right = np.linalg.svd(rows - (rows @ kept.T) @ kept, full_matrices=False)
    at_points = np.einsum("nm,nm->n", equations.rows[held], equations.rows[held])
    firm = max(_SLACK * float(np.sqrt(at_points.max())), 1e-200)
    damped = values / np.maximum(values, firm) ** 2
    return np.asarray(right.T @ (damped * (left.T @ (wished - rows @ y))))
