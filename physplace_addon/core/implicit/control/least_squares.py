"""Pinned points that no surface of the kind passes through all at once: the least sum of squared distances.

Where control points ask for more than the parameters can give (Witkin and Heckbert 1994, section 6:
"excellent results can be obtained using least-squares techniques"), the surface ends where the sum of the
squares of r = F / |F_x| at the pinned points is least. Levenberg's and Marquardt's steps lead there, with the
parameters in units of the metric, q' = B y: of all steps that do as well to first order, the one of least
change. With the unit normal n = F_x / |F_x|, the rows of a step are

    r_q = (F_q - r n . F_xq) / |F_x|,

where n . F_xq is a difference of F_q at two places beside the point, along n. A radius or a bias is bounded
as in any other step; where more is asked of it, it goes as far as it may and the others do the rest.

The least is reached where the gradient of the sum is zero: to first order, no step lessens it by a share that
counts for how far it moves the surface. There may be no least sum.
With its bias free a blob can grow its radii for ever: its Gaussians become polynomials, among which there is
often a better one farther out. So a step is made only while it gains a share, and the surface ends where a
larger change would gain next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Floats
from ...vectors import length
from ..functions.base import ImplicitFunction
from .constraint_equations import Mobility, StepLimits

_ITERATIONS = 40  # steps of Levenberg and Marquardt in one step of the surface
_DIFFERENCE = 1e-4  # strides: the distance of the places beside a point, for differences along its normal
_DAMPING, _LESS, _MORE = 1e-6, 0.2, 8.0  # of the greatest curvature, at first; factors after a step
LEAST_GAIN = 1e-4  # share by which the sum has to fall in a step that is made
_LEAST_FALL = 5e-4  # the same for each stride by which a step moves the surface
_LEAST_ROOM = 0.05  # share of the way that may be gone: where less is left, the next step goes on
_GREATEST = 1e60  # r_q from which on |F_x| is too small to say anything
_LEAST_SLOPE = 1e-200  # least |F_x| that is divided by


def fitted(
    function: ImplicitFunction, places: Floats, mobility: Mobility, limits: StepLimits, farthest: float
) -> ImplicitFunction:
    """Return the function after a step towards the least sum of squares; the same if it is reached, or if no
    parameter may change.

    Args:
        function: F.
        places: the pinned points (n, 3).
        mobility: gives B (m, f) for the parameters (m,) that may change.
        limits: what bounds a step.
        farthest: how far the change may move the surface, in scene units.
    """
    found = _Descent.at(function, places, _DIFFERENCE * limits.stride)
    first, start, damping = found.total, function.parameters, _DAMPING
    if not np.isfinite(first):  # F is not defined at one of them
        return function
    for _ in range(_ITERATIONS):
        room = farthest - limits.motion(found.function.parameters - start)
        if room < _LEAST_ROOM * farthest or found.total == 0.0:
            break
        change = found.change(mobility, damping, limits)
        if not (far := limits.motion(change)) <= room:
            damping *= _MORE
            continue
        gain, strides = 1.0 - found.predicted(change) / found.total, far / limits.stride
        if gain <= max(LEAST_GAIN / _ITERATIONS, _LEAST_FALL * strides):
            break
        tried = found.changed(change)
        if tried.total < found.total:
            found, damping = tried, _LESS * damping
        else:
            damping *= _MORE
    return found.function if found.total < (1.0 - LEAST_GAIN) * first else function


@dataclass(frozen=True, eq=False)
class _Descent:
    """A place on the way to the least sum.

    Attributes:
        function: F.
        places: the pinned points (n, 3).
        off: r (n,), in scene units.
        h: the distance of differences, in scene units.
    """

    function: ImplicitFunction
    places: Floats
    off: Floats
    h: float

    @classmethod
    def at(cls, function: ImplicitFunction, places: Floats, h: float) -> _Descent:
        """Return the place of a function."""
        return cls(function, places, _distances(function, places), h)

    @cached_property
    def total(self) -> float:
        """The sum of squares; infinite where r is not finite."""
        return _sum(self.off)

    @cached_property
    def rows(self) -> Floats:
        """r_q (n, m); zero for points beside which F or its slope is next to not defined."""
        rows = rates(self.function, self.places, self.h)
        defined = (np.abs(rows) < _GREATEST).all(axis=1, keepdims=True)
        return np.where(defined, rows, 0.0)

    def predicted(self, change: Floats) -> float:
        """Return the sum of squares after a change of the parameters (m,), to first order."""
        return _sum(self.off + self.rows @ change)

    def change(self, mobility: Mobility, damping: float, limits: StepLimits) -> Floats:
        """Return the damped change of the parameters (m,) towards the least sum.

        Each round binds the parameters that would come below their least value; the others do the rest.
        """
        count, sizes = len(limits.scales), limits.sizes
        lowest = limits.lowest_changes(self.function.parameters)
        free, bound = np.ones(count, dtype=np.bool_), np.zeros(count)
        while True:
            basis = mobility(free)
            change = bound + basis @ _damped(self.rows @ basis, self.off + self.rows @ bound, damping)
            below = (change[sizes] < lowest) & free[sizes]
            if not below.any():
                return np.asarray(change)
            free[sizes[below]], bound[sizes[below]] = False, lowest[below]

    def changed(self, change: Floats) -> _Descent:
        """Return the place after a change of the parameters (m,)."""
        function = self.function.with_parameters(self.function.parameters + change)
        return _Descent.at(function, self.places, self.h)


def _damped(rows: Floats, off: Floats, damping: float) -> Floats:
    """Return the y (f,) of which |off + rows y|^2 is least, with a ridge of a share of its greatest
    curvature.
    """
    longest = float(length(rows.T).max(initial=0.0))
    if longest == 0.0:
        return np.zeros(rows.shape[1])
    rows = rows / longest  # the greatest curvature is 1 then, and squares are numbers
    square = rows.T @ rows
    square.ravel()[:: len(square) + 1] += damping
    return np.asarray(np.linalg.solve(square, -(off @ rows)) / longest)


def sum_of_squares(function: ImplicitFunction, places: Floats) -> float:
    """Return the sum of the squared distances of places (n, 3) from the surface, to first order."""
    return _sum(_distances(function, places))


def _sum(off: Floats) -> float:
    """Return the sum of the squares of distances (n,); infinite where it is no number."""
    with np.errstate(over="ignore"):
        total = float(off @ off)
    return total if np.isfinite(total) else np.inf


def _distances(function: ImplicitFunction, places: Floats) -> Floats:
    """Return F / |F_x| (n,) at places (n, 3), in scene units."""
    value, gradient = function.gradient(places)
    return np.asarray(value / np.maximum(length(gradient), _LEAST_SLOPE))


def rates(function: ImplicitFunction, places: Floats, h: float) -> Floats:
    """Return by how much each parameter changes r (n, m), by differences of F_q over h on both sides."""
    count = len(places)
    _, gradient = function.gradient(places)
    slope = np.maximum(length(gradient), _LEAST_SLOPE)[:, None]
    normal = gradient / slope
    every = np.concatenate([places, places + h * normal, places - h * normal])
    value, _, by = function.derivatives(every)
    along = (by[count : 2 * count] - by[2 * count :]) / (2.0 * h)
    return np.asarray((by[:count] - (value[:count, None] / slope) * along) / slope)
