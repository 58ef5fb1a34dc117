"""The grip of dragged points: what keeps the surface from slipping out of the hand.

"Implicit surfaces are slippery" (Witkin and Heckbert 1994, section 5): the surface must follow a point only
across itself, F_x . p' + F_q . q' = 0, so a pull along it moves the point and leaves the surface.  A hand
that holds a piece of surface takes that piece along, and does not turn it.  So it is wished, and never at
the cost of a control point, that the normal n at a dragged point stays as it is.  With P = 1 - n n^T,

    P (F_xq q' + F_xx p') / |F_x| = 0.

Both second derivatives are differences of F_q and F_x at places beside the point.  Where the surface is flat
there is nothing to hold on to, and the wish is empty.

A step's linear equations at the control points, and the change of parameters that answers them.

Pinned points come first, then those that the surface has to come to, then what is dragged, then the wish that
it does not slip (`grip`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from .control_points import ControlPoints
from .least_change import RankedInverse, length_weights

_AXES = np.concatenate([np.eye(3), -np.eye(3)])


def difference_places(places: Floats, h: float) -> Floats:
    """Return the places (6 k, 3) at a distance of h along the axes from places (k, 3)."""
    return np.asarray((places[:, None] + h * _AXES).reshape(-1, 3))


def normal_constraint(
    normal: Floats, per: Floats, gradients: Floats, rates: Floats, way: Floats
) -> tuple[Floats, Floats]:
    """Return how the normals at k points turn by the parameters (3 k, m), and by the points' ways (3 k,).

    normal (k, 3) are units; per (k,) is 1 / (2 h |F_x|), or that times a lever; gradients (6 k, 3) and rates
    (6 k, m) are F_x, and F_q or what is linear in it, at `places_beside` at a distance of h; way is (k, 3).
    """
    count, unknowns = len(normal), rates.shape[1]
    across = per[:, None, None] * (_AXES[:3] - normal[:, :, None] * normal[:, None, :])
    beside, bends = rates.reshape(count, 6, unknowns), gradients.reshape(count, 6, 3) @ way[:, :, None]
    turns = across @ (beside[:, :3] - beside[:, 3:])
    return turns.reshape(3 * count, unknowns), (across @ (bends[:, :3] - bends[:, 3:])).ravel()


Mobility = Callable[[Bools], Floats]

FARTHEST_STRIDES = 4.0  # strides that a parameter may move the surface by in a step
_LEVER = 0.25  # of the surface's size: where turns of a normal are measured
_SLACK = 0.1  # how weakly a normal may answer to parameters and still be held, over how a point does
_ROUNDING = 1e-10  # of how the normals answer: the least slack, where parameters move no point
_LEAST_SLACK = 1e-100  # where they answer to nothing: 1 over its square is finite, too
_BESIDE = 1e-3  # strides: the distance of the differences
_FLAT = 1e-12  # where |F| is no more, and F_x is zero, too, a point is on the surface
_FLATTER = 0.05  # of what |F_x| was when the equations were set up: it is not taken for less


@dataclass(frozen=True)
class StepLimits:
    """stride: the farthest that points move in a step; near: how far off the surface a point may be left;
    size: the surface's; least: a radius that does not get smaller; all lengths in scene units.  positive
    (m,): the parameters that must stay above 0; scales (m,): the function's.  hold: whether what is dragged
    must not slip.
    """

    stride: float
    near: float
    size: float
    least: float
    positive: Bools
    scales: Floats
    hold: bool = True

    def allows(self, parameters: Floats) -> bool:
        """Whether parameters (m,) are numbers, and the sizes among them above 0."""
        return bool(((parameters > self._bound) & (parameters < np.inf)).all())

    def held(self, controls: ControlPoints) -> Ints:
        """The numbers (k,) of the control points that must not slip."""
        return np.flatnonzero(controls.dragged) if self.hold else np.zeros(0, dtype=np.intp)

    @cached_property
    def sizes(self) -> Ints:
        """The numbers of the parameters that must stay above 0."""
        return np.flatnonzero(self.positive)

    @cached_property
    def smallest(self) -> Floats:
        """What is as little as a radius that does not get smaller, for each of the sizes."""
        return self.least * self.scales[self.sizes]

    @cached_property
    def _bound(self) -> Floats:
        return np.where(self.positive, 0.0, -np.inf)


@dataclass(frozen=True, eq=False)
class PointEvaluation:
    """What a function is at n control points: value (n,), gradient (n, 3), slope (n,), which is |F_x|.

    held (k,): the dragged points that must not slip; beside (6 k, 3): F_x at `places_beside` these, at a
    distance of h scene units.  rates (n + 6 k, m): F_q at the points, and beside them.
    """

    function: ImplicitFunction
    places: Floats
    value: Floats
    gradient: Floats
    slope: Floats
    held: Ints
    beside: Floats
    rates: Floats
    h: float

    @classmethod
    def of(cls, function: ImplicitFunction, controls: ControlPoints, pace: StepLimits) -> PointEvaluation:
        """Look once at all places that a step needs."""
        held, h = pace.held(controls), _BESIDE * pace.stride
        places, count = controls.position, len(controls)
        if len(held):
            places = np.concatenate([places, difference_places(places.take(held, axis=0), h)])
        value, gradient, rates = function.derivatives(places)
        gradient, beside = gradient[:count], gradient[count:]
        slope = np.sqrt(np.einsum("ni,ni->n", gradient, gradient))
        return cls(function, controls.position, value[:count], gradient, slope, held, beside, rates, h)

    @property
    def off(self) -> Floats:
        """How far off the surface the points are (n,), to first order."""
        return np.asarray(np.abs(self.value) / np.maximum(self.slope, 1e-200))

    def farther(self, distance: float) -> Bools:
        """Which points (n,) are farther off the surface, to first order."""
        off = np.abs(self.value)
        farther = off > distance * self.slope
        return np.asarray(farther & (off > _FLAT)) if np.count_nonzero(farther) else farther

    def shows(self, function: ImplicitFunction, controls: ControlPoints, pace: StepLimits) -> bool:
        """Whether it is what a look at the control points would give."""
        same = self.function is function and self.places is controls.position
        return same and self.held.tobytes() == pace.held(controls).tobytes()


@dataclass(frozen=True, eq=False)
class ConstraintEquations:
    """What a step is made from, at the points as they are, in lengths.

    mobility (m, m) is B; weight (n,) makes lengths of F's values; off (n,) is F so; normal (n, 3) is F_x so;
    reach (n,) is by how much y moves the surface; the inverse is of rows (n, m) that act on y, the pinned
    points first; beside (6 k, m) is F_q B beside k held points.
    """

    mobility: Floats
    weight: Floats
    off: Floats
    normal: Floats
    reach: Floats
    inverse: RankedInverse
    beside: Floats

    @classmethod
    def of(
        cls, sight: PointEvaluation, controls: ControlPoints, mobility: Floats, near: float
    ) -> ConstraintEquations:
        """Set them up."""
        every = sight.rates @ mobility
        rows, beside = every[: len(controls)], every[len(controls) :]
        reach = np.sqrt(np.einsum("nm,nm->n", rows, rows))
        weight = length_weights(reach, sight.slope)
        rows *= weight[:, None]
        off, normal = weight * sight.value, weight[:, None] * sight.gradient
        rank = np.where(controls.dragged, 2, controls.free | (np.abs(off) > near))
        return cls(mobility, weight, off, normal, weight * reach, RankedInverse(rows, rank), beside)

    def off_in(self, sight: PointEvaluation) -> Floats:
        """Return how far off the surface the points are (n,), signed, by F_x as it is now."""
        weight = self.weight
        return np.asarray(sight.value * weight / np.maximum(sight.slope * weight, _FLATTER))

    def answer(self, ask: Floats, most: float = np.inf) -> Floats:
        """Return the least y (m,) by which the surface moves at the points as asked (n,)."""
        return self.inverse.answer(ask, most)


@dataclass(frozen=True, eq=False)
class FirstOrderStep:
    """A step to first order: change (m,) of the parameters, way (n, 3) of the points, and left (n,), how far
    off the surface they are after it, 0 where they can be followed; lengths in scene units.
    """

    equations: ConstraintEquations
    change: Floats
    way: Floats
    left: Floats


@dataclass(frozen=True, eq=False)
class DesiredStep:
    """What a step is to do: way (n, 3) of the points and desired (m,), Q dt, the change of the parameters.

    back: whether it is to come back to points that are off the surface; else those stay so far off.
    """

    way: Floats
    desired: Floats
    back: bool


def first_order_step(
    sight: PointEvaluation, controls: ControlPoints, wish: DesiredStep, mobility: Floats, pace: StepLimits
) -> FirstOrderStep:
    """Return the least change by which the surface does as wished, to first order.

    What a point is off is taken back, a stride at most.
    """
    way, desired = wish.way, wish.desired
    equations = ConstraintEquations.of(sight, controls, mobility, pace.near)
    after = equations.off + np.einsum("ni,ni->n", equations.normal, way)
    if np.count_nonzero(desired):
        after = after + equations.weight * (sight.rates[: len(way)] @ desired)
    keeps = equations.off - np.maximum(np.minimum(equations.off, pace.stride), -pace.stride)
    if not wish.back:
        keeps = np.where(np.abs(equations.off) > pace.near, equations.off, keeps)
    y = equations.answer(keeps - after, FARTHEST_STRIDES * pace.stride)
    if len(sight.held):
        y = y + _held(equations, sight, way, y, _LEVER * pace.size)
    return FirstOrderStep(equations, desired + mobility @ y, way, after + equations.inverse.rows @ y)


def _held(
    equations: ConstraintEquations, sight: PointEvaluation, way: Floats, y: Floats, lever: float
) -> Floats:
    """Return what the grip adds to y, in what the points leave free; turns are measured at a lever."""
    held = sight.held
    normal, per = equations.normal.take(held, axis=0), (0.5 * lever / sight.h) * equations.weight.take(held)
    turns, turned = normal_constraint(normal, per, sight.beside, equations.beside, way.take(held, axis=0))
    free = equations.inverse.beyond(turns)
    square = free @ free.T
    slack = max(
        (_SLACK * float(equations.reach.take(held).max())) ** 2, _ROUNDING * square.trace(), _LEAST_SLACK
    )
    square.ravel()[:: len(square) + 1] += slack
    inverse = np.linalg.inv(square)
    part = inverse @ (turned + turns @ y)
    return np.asarray((part + slack * (inverse @ part)) @ -free)  # what slack leaves is wished once more
