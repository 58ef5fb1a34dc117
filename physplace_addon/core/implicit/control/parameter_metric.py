"""The metric in which a change of parameters is measured, and how far a step may go.

Witkin and Heckbert (1994, footnote 1) suggest "a sensitivity matrix, analogous to the mass matrix in
mechanics, that compensates for scale differences". Here it is the mean square of the surface's motion, F_q q'
/ |F_x|, taken over the floaters. It is measured anew after some steps, if the surface has moved by as much as
it may in one step, or if the number of floaters has changed.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import column_length
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters, FloaterSettings
from .constraint_equations import FARTHEST_STRIDES, StepLimits
from .state import SculptSettings

_NEAR = 1e-3  # share of the floaters' radius up to which a control point counts as on the surface
_STRIDE = 0.02  # square of a step's longest move, over the floaters' radius times the surface's size
_LEAST_RADIUS = 0.5  # share of the floaters' radius: an element as small as that does not get smaller
_AGAIN = 10  # steps after which the metric may be measured anew
_MORE = 0.2  # share by which the number of floaters must have changed to show another surface
_OFF = 0.3  # share of its radius: a floater farther off the surface says nothing about it
_ENOUGH = 0.8  # share of the floaters: where fewer are on the surface, it is measured anew in the next step
_SAMPLES = 200  # floaters at which F_q is evaluated, at most
_MANY = 30  # floaters that show how large the surface is; fewer leave it to the box
_RIDGE = 0.02  # share of a parameter's own scale that its motion costs where it does not move the surface


class ParameterMetric:
    """The metric of a function as its floaters show it, and the limits of a step, kept until they are too
    old.

    Attributes:
        limits: how far a step may go.
    """

    def __init__(self, function: ImplicitFunction, floaters: Floaters, settings: SculptSettings) -> None:
        radius = settings.floaters.radius
        size = _size_of(function, floaters, settings.floaters)
        stride, least = float(np.sqrt(_STRIDE * radius * size)), _LEAST_RADIUS * radius
        positive, scales = function.positive, function.scales
        self.limits = StepLimits(stride, _NEAR * radius, size, least, positive, scales, settings.keep_normals)
        self._function, self._floaters = function, floaters
        self._mobility: dict[bytes, Floats] = {}
        self._steps, self._moved, self._vague = 0, 0.0, False

    def is_old(self, floaters: Floaters) -> bool:
        """Return whether they are to be measured anew."""
        if self._steps < _AGAIN:
            return self._vague
        shown = len(self._floaters)
        others = abs(len(floaters) - shown) > _MORE * shown
        return others or self._vague or self._moved >= FARTHEST_STRIDES * self.limits.stride

    def stepped(self, far: float) -> None:
        """Count a step by which the surface moved so far, in scene units."""
        self._steps += 1
        self._moved += far

    def mobility(self, free: Bools) -> Floats:
        """Return B (m, f) if only some parameters (m,) may change, f of them, by how far they move the
        surface.
        """
        key = free.tobytes()
        if key not in self._mobility:
            self._mobility[key] = self._measured(free)
        return self._mobility[key]

    def _measured(self, free: Bools) -> Floats:
        """Return B from the floaters that are on the surface; few are after the function was replaced."""
        every = max(1, -(-len(self._floaters) // _SAMPLES))
        places, radii = self._floaters.positions[::every], self._floaters.radii[::every]
        value, gradient, rates = self._function.derivatives(places)
        slope = column_length(gradient)
        on = (np.abs(value) <= _OFF * radii * slope) & (slope > 0.0)
        shown = np.count_nonzero(on)
        self._vague = bool(shown < _ENOUGH * len(on))
        if not shown:
            return mobility_by_scales(self.limits.scales, free)
        if shown < len(on):
            rates, slope, radii = rates[on], slope[on], radii[on]
        return mobility_by_motion(rates, slope, radii**2, self.limits.scales, free)


def _size_of(function: ImplicitFunction, floaters: Floaters, settings: FloaterSettings) -> float:
    """Return the size of the surface in scene units: the longest side of its floaters' box, or of its own."""
    if len(floaters) >= _MANY:
        return max(float(np.ptp(floaters.positions, axis=0).max()), settings.radius)
    box = function.box()
    side = float(np.max(box[1] - box[0]))
    return max(side, settings.radius) if np.isfinite(side) else settings.radius


def mobility_by_scales(scales: Floats, free: Bools) -> Floats:
    """Return B (m, m), diagonal: parameters are compared by their scales only.

    Args:
        scales: the changes (m,) that move the surface by about a unit of length.
        free: which parameters may change (m,).
    """
    return np.diag(np.where(free, scales, 0.0))


def mobility_by_motion(rates: Floats, slope: Floats, area: Floats, scales: Floats, free: Bools) -> Floats:
    """Return B (m, f) of the metric "mean square of the surface's motion".

    The surface moves by F_q / |F_x|, which does not depend on what the parameters are, nor on their units.
    With this metric a parameter that moves all of the surface, as a bias does, is left alone where one that
    moves a part will do. A parameter that moves nothing, as that of a blob buried in others, would cost
    nothing: so each also costs a little by its scale.

    Args:
        rates: F_q (k, m) at samples of the surface.
        slope: |F_x| (k,).
        area: the samples' share of the area (k,), in any unit.
        scales: the function's scales (m,).
        free: which parameters may change (m,), f of them.
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
