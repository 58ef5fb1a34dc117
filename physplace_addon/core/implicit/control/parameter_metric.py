"""The metric of the parameters' change, and how far a step may go."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import column_length
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters, FloaterSettings
from .constraint_equations import FARTHEST_STRIDES, StepLimits
from .state import SculptSettings

_NEAR = 1e-3  # of the floaters' radius: how far off the surface a point is counted as on it
_STRIDE = 0.02  # the square of a step's longest way, over the radius times the size of the surface
_LEAST_RADIUS = 0.5  # of the floaters' radius: an element as small as that does not get smaller
_AGAIN = 10  # steps after which it may be measured anew
_MORE = 0.2  # of their number: so many more or fewer floaters show another surface
_OFF = 0.3  # of its radius: a floater farther off the surface tells nothing about it
_ENOUGH = 0.8  # of the floaters: where fewer are on the surface, it is measured anew in the next step
_SAMPLES = 200  # floaters that the metric is taken from at most
_MANY = 30  # floaters that show how large the surface is
_RIDGE = 0.02  # of a parameter's own length: what its motion costs where it does not move the surface


class ParameterMetric:
    """The pace and the metric of a function as its floaters show it, kept until they are too old."""

    def __init__(self, function: ImplicitFunction, floaters: Floaters, settings: SculptSettings) -> None:
        radius = settings.floaters.radius
        size = _size_of(function, floaters, settings.floaters)
        stride, least = float(np.sqrt(_STRIDE * radius * size)), _LEAST_RADIUS * radius
        positive, scales = function.positive, function.scales
        self.pace = StepLimits(stride, _NEAR * radius, size, least, positive, scales, settings.hold)
        self._function, self._floaters = function, floaters
        self._mobility: dict[bytes, Floats] = {}
        self._steps, self._moved, self._vague = 0, 0.0, False

    def are_old(self, floaters: Floaters) -> bool:
        """Whether they are to be taken anew."""
        if self._steps < _AGAIN:
            return self._vague
        shown = len(self._floaters)
        others = abs(len(floaters) - shown) > _MORE * shown
        return others or self._vague or self._moved >= FARTHEST_STRIDES * self.pace.stride

    def stepped(self, far: float) -> None:
        """Count a step by which the surface moved so far, in scene units."""
        self._steps += 1
        self._moved += far

    def mobility(self, free: Bools) -> Floats:
        """Return the metric's B with some parameters (m,) free, by how far they move the surface."""
        key = free.tobytes()
        if key not in self._mobility:
            self._mobility[key] = self._measured(free)
        return self._mobility[key]

    def _measured(self, free: Bools) -> Floats:
        """The metric's B by the floaters that are on the surface; after another function is set, few are."""
        every = max(1, -(-len(self._floaters) // _SAMPLES))
        places, radii = self._floaters.positions[::every], self._floaters.radii[::every]
        value, gradient, rates = self._function.derivatives(places)
        slope = column_length(gradient)
        on = (np.abs(value) <= _OFF * radii * slope) & (slope > 0.0)
        shown = np.count_nonzero(on)
        self._vague = bool(shown < _ENOUGH * len(on))
        if not shown:
            return mobility_by_scales(self.pace.scales, free)
        if shown < len(on):
            rates, slope, radii = rates[on], slope[on], radii[on]
        return mobility_by_motion(rates, slope, radii**2, self.pace.scales, free)


def _size_of(function: ImplicitFunction, floaters: Floaters, settings: FloaterSettings) -> float:
    """Return how large the surface is, in scene units: the longest side of what is shown, or its box."""
    if len(floaters) >= _MANY:
        return max(float(np.ptp(floaters.positions, axis=0).max()), settings.radius)
    box = function.box()
    side = float(np.max(box[1] - box[0]))
    return max(side, settings.radius) if np.isfinite(side) else settings.radius


def mobility_by_scales(scales: Floats, free: Bools) -> Floats:
    """Return B (m, m): each parameter's change is measured by how far it moves the surface, roughly.

    scales (m,): changes that move it by about a unit of length; free (m,): those that may change at all.
    """
    return np.diag(np.where(free, scales, 0.0))


def mobility_by_motion(rates: Floats, slope: Floats, area: Floats, scales: Floats, free: Bools) -> Floats:
    """Return B (m, f) of the metric "mean square of the surface's motion" (footnote 1's sensitivity matrix).

    f parameters are free.  rates (k, m) is F_q at samples of the surface, slope (k,) is |F_x|, area (k,) the
    samples' share of it: the surface moves by F_q / |F_x|.  That does not depend on what the parameters are,
    nor on their units; with it, one that moves all of the surface, as a bias does, is left alone where one
    that moves a part will do.  A parameter that moves none, as that of a blob buried in others, would cost
    nothing: so each costs a little by its scale, too.
    """
    weighted = rates * (np.sqrt(area / area.sum()) / slope)[:, None]
    metric = weighted.T @ weighted
    metric *= scales[:, None] * scales
    if not free.all():
        metric = metric[np.ix_(free, free)]
    metric.ravel()[:: len(metric) + 1] += _RIDGE
    mobility = np.zeros((len(scales), len(metric)))
    mobility[free] = scales[free, None] * np.linalg.inv(np.linalg.cholesky(metric)).T
    return mobility
