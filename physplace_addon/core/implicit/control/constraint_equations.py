"""The linear equations of a step at the control points, and the least change that solves them.

The surface follows n control points p to first order if F_x . p' + F_q . q' + phi F = 0 at each (Witkin and
Heckbert 1994, equation 3). Rows are divided by about |F_x|, so that they are lengths, and unknowns are y with
q' = Q + B y (`least_change`). Pinned points come first, then those that the surface still has to come to,
then dragged ones, and last the normal constraint.

The normal constraint. "Implicit surfaces are slippery" (section 5): equation 3 asks the surface to follow a
point only across itself, so a pull along the surface moves the point and leaves the surface behind. A person
who drags a piece of surface expects it to come along, and not to turn. So it is desired, though never at the
cost of a control point, that the normal n at a dragged point stays as it is. With P = 1 - n n',

    P (F_xq q' + F_xx p') / |F_x| = 0.

Both second derivatives are differences of F_q and F_x at six places beside the point. Where the surface is
flat the constraint is empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import column_dot, column_length
from ..functions.base import ImplicitFunction
from .control_points import ControlPoints
from .least_change import RankedInverse, length_weights, row_lengths

_AXES = np.concatenate([np.eye(3), -np.eye(3)])


def difference_places(places: Floats, h: float) -> Floats:
    """Return the places (6 k, 3) at a distance of h along the axes from places (k, 3): x, y,
    z, -x, -y, -z.
    """
    return np.asarray((places[:, None] + h * _AXES).reshape(-1, 3))


def normal_constraint(
    normal: Floats, per: Floats, gradients: Floats, rates: Floats, way: Floats
) -> tuple[Floats, Floats]:
    """Return how the normals at k points turn with the parameters, and with the points' moves.

    Args:
        normal: the unit normals (k, 3).
        per: 1 / (2 h |F_x|) (k,), or that times a lever in scene units, which makes lengths of turns.
        gradients: F_x (6 k, 3) at `difference_places` at a distance of h.
        rates: F_q (6 k, m) there, or what is linear in it.
        way: the moves of the points (k, 3).

    Returns:
        The turns by each parameter (3 k, m), and the turns by the moves (3 k,).
    """
    count, unknowns = len(normal), rates.shape[1]
    across = per[:, None, None] * (_AXES[:3] - normal[:, :, None] * normal[:, None, :])
    beside, bends = rates.reshape(count, 6, unknowns), gradients.reshape(count, 6, 3) @ way[:, :, None]
    turns = across @ (beside[:, :3] - beside[:, 3:])
    return turns.reshape(3 * count, unknowns), (across @ (bends[:, :3] - bends[:, 3:])).ravel()


Mobility = Callable[[Bools], Floats]

FARTHEST_STRIDES = 4.0  # strides by which a parameter may move the surface in a step
# share of the surface's size: a turn of a normal by an angle counts as a motion of this times the angle
_LEVER = 0.25
# how weakly a normal may respond to the parameters, over how a point does, before it is given up
_SLACK = 0.1
# share of the normals' response below which slack does not fall, where parameters move no point
_ROUNDING = 1e-10
_LEAST_SLACK = 1e-100  # the slack where normals respond to nothing: 1 over its square is finite, too
_BESIDE = 1e-3  # strides: the distance h of the differences
_NO_POINTS = np.zeros(0, dtype=np.intp)
_NOWHERE = 1e99  # F where it is not defined: such a point is off the surface
_FLAT = 1e-12  # a point where |F| is no greater counts as on the surface, even if F_x is zero
_LEAST_PART = 0.5  # share of a radius that a step leaves at least
_FLATTER = 0.05  # share of |F_x| at the start of a step below which it is not taken to fall within the step


@dataclass(frozen=True)
class StepLimits:
    """How far a step may go, and which parameters are bounded. Lengths are in scene units.

    Attributes:
        stride: the farthest that control points move in a step.
        near: how far off the surface a control point may be left.
        size: the size of the surface.
        least: a radius that does not get smaller.
        positive: which parameters (m,) must stay above 0.
        scales: the function's scales (m,).
        keep_normals: whether the normal constraint applies to dragged points.
    """

    stride: float
    near: float
    size: float
    least: float
    positive: Bools
    scales: Floats
    keep_normals: bool = False

    def allows(self, parameters: Floats) -> bool:
        """Return whether parameters (m,) are finite, and the sizes among them above 0."""
        allowed = (parameters > self._bound) & (parameters < np.inf)
        return bool(np.count_nonzero(allowed) == len(allowed))

    def normal_points(self, controls: ControlPoints) -> Ints:
        """Return the numbers (k,) of the control points to which the normal constraint applies."""
        return np.flatnonzero(controls.dragged) if self.keep_normals else _NO_POINTS

    @cached_property
    def all_parameters(self) -> Bools:
        """A mask (m,) of all parameters, not to be written to."""
        return np.ones(len(self.scales), dtype=np.bool_)

    @cached_property
    def sizes(self) -> Ints:
        """The numbers of the parameters that must stay above 0."""
        return np.flatnonzero(self.positive)

    @cached_property
    def smallest(self) -> Floats:
        """The value of each of the sizes that corresponds to a radius that does not get smaller."""
        return self.least * self.scales[self.sizes]

    def lowest_changes(self, parameters: Floats) -> Floats:
        """Return the lowest change of each of the `sizes` (k,) of parameters (m,) in a step.

        A part of every size is left, and all of a small one: an element that is gone would not come back.
        """
        size = parameters.take(self.sizes)
        return np.asarray(-_LEAST_PART * size * (size > self.smallest))

    def motion(self, change: Floats) -> float:
        """Return about how far a change of parameters (m,) moves the surface, in scene units, 1e-300 at
        least.
        """
        return max(float(np.maximum.reduce(np.abs(change) / self.scales, initial=0.0)), 1e-300)

    @cached_property
    def _bound(self) -> Floats:
        """The bound (m,) that parameters must stay above."""
        return np.where(self.positive, 0.0, -np.inf)


@dataclass(frozen=True, eq=False)
class PointEvaluation:
    """F and its derivatives at n control points.

    Attributes:
        function: F.
        places: the control points (n, 3).
        value: F (n,).
        gradient: F_x (n, 3).
        slope: |F_x| (n,).
        off: how far off the surface the points are (n,), to first order, in scene units.
        farthest: how far the farthest is; 0 without points.
        normal_points: the numbers (k,) of the points to which the normal constraint applies.
        beside: F_x (6 k, 3) at `difference_places` of these.
        rates: F_q (n + 6 k, m) at the points, then beside them.
        h: the distance of the differences, in scene units.
    """

    function: ImplicitFunction
    places: Floats
    value: Floats
    gradient: Floats
    slope: Floats
    off: Floats
    farthest: float
    normal_points: Ints
    beside: Floats
    rates: Floats
    h: float

    @classmethod
    def of(cls, function: ImplicitFunction, controls: ControlPoints, limits: StepLimits) -> PointEvaluation:
        """Return F and its derivatives at all places that a step needs, evaluated at once."""
        held, h = limits.normal_points(controls), _BESIDE * limits.stride
        places, count = controls.position, len(controls)
        if len(held):
            places = np.concatenate([places, difference_places(places.take(held, axis=0), h)])
        value, gradient, rates = _where_defined(*function.derivatives(places))
        gradient, beside = gradient[:count], gradient[count:]
        value, slope = value[:count], column_length(gradient)
        off = np.abs(value) / np.maximum(slope, 1e-200)
        farthest = float(np.maximum.reduce(off, initial=0.0))
        return cls(function, controls.position, value, gradient, slope, off, farthest, held, beside, rates, h)

    def farther(self, distance: float) -> Bools:
        """Return which points (n,) are farther off the surface than a distance, to first order."""
        if self.farthest <= distance:
            return np.zeros(len(self.off), dtype=np.bool_)
        return np.asarray((self.off > distance) & (np.abs(self.value) > _FLAT))

    def shows(self, function: ImplicitFunction, controls: ControlPoints, limits: StepLimits) -> bool:
        """Return whether an evaluation of the function at these control points would give the same."""
        same = self.function is function and self.places is controls.position
        return same and self.normal_points.tobytes() == limits.normal_points(controls).tobytes()


def _where_defined(value: Floats, gradient: Floats, rates: Floats) -> tuple[Floats, Floats, Floats]:
    """Return F (n,), F_x (n, 3) and F_q (n, m), far off and with zero rates where not finite."""
    slopes, by_each = gradient.ravel("K"), rates.ravel("K")
    if math.isfinite(np.vdot(value, value) + np.vdot(slopes, slopes) + np.vdot(by_each, by_each)):
        return value, gradient, rates  # a sum of squares is finite only where all are
    value = np.nan_to_num(value, nan=_NOWHERE, posinf=_NOWHERE, neginf=-_NOWHERE)
    gradient, rates = (
        np.where(np.isfinite(part).all(axis=1, keepdims=True), part, 0.0) for part in (gradient, rates)
    )
    return value, gradient, rates


@dataclass(frozen=True, eq=False)
class ConstraintEquations:
    """The equations of a step, with all rows in units of length.

    Attributes:
        mobility: B (m, f), f the number of parameters that may change.
        weight: 1 / |F_x| (n,), bounded where F_x is near zero.
        off: F times the weight (n,), the signed distance to first order.
        normal: F_x times the weight (n, 3).
        inverse: the damped inverse of the rows (n, f) that act on y.
        beside: F_q B (6 k, f) beside the points of the normal constraint.
    """

    mobility: Floats
    weight: Floats
    off: Floats
    normal: Floats
    inverse: RankedInverse
    beside: Floats

    @classmethod
    def of(
        cls, evaluated: PointEvaluation, controls: ControlPoints, mobility: Floats, near: float
    ) -> ConstraintEquations:
        """Return the equations.

        Args:
            evaluated: F at the control points.
            controls: the control points.
            mobility: B (m, f).
            near: the distance in scene units up to which a point counts as on the surface.
        """
        every = evaluated.rates @ mobility
        rows, beside = every[: len(controls)], every[len(controls) :]
        weight = length_weights(rows, evaluated.slope)
        rows *= weight[:, None]
        off, normal = weight * evaluated.value, weight[:, None] * evaluated.gradient

        def rank() -> Ints:
            return np.where(controls.dragged, 2, controls.free | (np.abs(off) > near))

        return cls(mobility, weight, off, normal, RankedInverse.of(rows, rank), beside)

    def off_in(self, evaluated: PointEvaluation) -> Floats:
        """Return how far off the surface the points are (n,), signed, by F_x as it is in a
        later evaluation.
        """
        weight = self.weight
        return np.asarray(evaluated.value * weight / np.maximum(evaluated.slope * weight, _FLATTER))

    def answer(self, ask: Floats, most: float = np.inf) -> Floats:
        """Return the least y (f,) by which the surface moves as asked (n,) at the points, in scene units."""
        return self.inverse.answer(ask, most)


@dataclass(frozen=True, eq=False)
class FirstOrderStep:
    """A step to first order.

    Attributes:
        equations: what it solves.
        change: the change of the parameters (m,), q' dt.
        moves: the moves of the points (n, 3), p' dt.
        left: how far off the surface the points are after it (n,), in scene units; 0 where all can be met.
    """

    equations: ConstraintEquations
    change: Floats
    moves: Floats
    left: Floats

    def part(self, share: float) -> FirstOrderStep:
        """Return the step that makes a share of this one, from 0 to 1."""
        if share == 1.0:
            return self
        off = self.equations.off
        left = off + share * (self.left - off)
        return FirstOrderStep(self.equations, share * self.change, share * self.moves, left)


@dataclass(frozen=True, eq=False)
class DesiredStep:
    """What a step is to do.

    Attributes:
        moves: the moves of the points (n, 3), P dt.
        desired: the change of the parameters that is desired (m,), Q dt.
        return_to_surface: whether the surface is to come to points that are off it; otherwise they stay so
            far off.
    """

    moves: Floats
    desired: Floats
    return_to_surface: bool


def first_order_step(
    evaluated: PointEvaluation,
    controls: ControlPoints,
    desired_step: DesiredStep,
    mobility: Floats,
    limits: StepLimits,
) -> FirstOrderStep:
    """Return the least change by which the surface does as desired, to first order (equations 7 and 8).

    How far a point is off is taken back, at most by a stride.
    """
    way, desired = desired_step.moves, desired_step.desired
    equations = ConstraintEquations.of(evaluated, controls, mobility, limits.near)
    after = equations.off + column_dot(equations.normal, way)
    wishes = np.count_nonzero(desired) > 0
    if wishes:
        after = after + equations.weight * (evaluated.rates[: len(way)] @ desired)
    ask = -after
    if not evaluated.farthest <= min(limits.near, limits.stride):
        keeps = equations.off - np.maximum(np.minimum(equations.off, limits.stride), -limits.stride)
        if not desired_step.return_to_surface:
            keeps = np.where(np.abs(equations.off) > limits.near, equations.off, keeps)
        ask += keeps
    y = equations.answer(ask, FARTHEST_STRIDES * limits.stride)
    if len(evaluated.normal_points):
        y = y + _normal_change(equations, evaluated, way, y, _LEVER * limits.size)
    change = mobility @ y
    return FirstOrderStep(
        equations, desired + change if wishes else change, way, after + equations.inverse.rows @ y
    )


def _normal_change(
    equations: ConstraintEquations, evaluated: PointEvaluation, way: Floats, y: Floats, lever: float
) -> Floats:
    """Return what the normal constraint adds to y (f,), within what the control points leave free.

    It solves the constraint in the sense of least squares with a ridge (slack), and refines the solution
    once.

    Args:
        equations: the equations of the step.
        evaluated: F at the control points and beside them.
        way: the moves of all points (n, 3).
        y: the solution without the constraint (f,).
        lever: the length at which turns count, in scene units.
    """
    held = evaluated.normal_points
    normal, per = (
        equations.normal.take(held, axis=0),
        (0.5 * lever / evaluated.h) * equations.weight.take(held),
    )
    turns, turned = normal_constraint(normal, per, evaluated.beside, equations.beside, way.take(held, axis=0))
    free = equations.inverse.beyond(turns)
    square = free @ free.T
    reach = float(row_lengths(equations.inverse.rows.take(held, axis=0)).max())
    slack = max((_SLACK * reach) ** 2, _ROUNDING * square.trace(), _LEAST_SLACK)
    square.ravel()[:: len(square) + 1] += slack
    inverse = np.linalg.inv(square)
    part = inverse @ (turned + turns @ y)
    return np.asarray((part + slack * (inverse @ part)) @ -free)  # what slack leaves is wished once more
