"""What steps of sculpting are measured by: how far they may go, and the metric of the parameters' change.

The metric is how far a change moves the surface, taken from the floaters (footnote 1 of Witkin and Heckbert
1994; see `least_change`).  All is taken anew after some steps if the surface has moved by as much as it may
in one, or the floaters are more or fewer by a share.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats
from .equations import FARTHEST, Pace
from .floaters import Floaters, FloaterSettings
from .function import ImplicitFunction
from .least_change import mobility_by_motion, mobility_by_scales
from .rows import lengths
from .sculpt_state import SculptSettings

_NEAR = 1e-3  # of the floaters' radius: how far off the surface a point is counted as on it
_STRIDE = 0.02  # the square of a step's longest way, over the radius times the size of the surface
_LEAST_RADIUS = 0.5  # of the floaters' radius: an element as small as that does not get smaller
_AGAIN = 10  # steps after which it may be measured anew
_MORE = 0.2  # of their number: so many more or fewer floaters show another surface
_OFF = 0.3  # of its radius: a floater farther off the surface tells nothing about it
_ENOUGH = 0.8  # of the floaters: where fewer are on the surface, it is measured anew in the next step
_SAMPLES = 200  # floaters that the metric is taken from at most
_MANY = 30  # floaters that show how large the surface is


class Measures:
    """The pace and the metric of a function as its floaters show it, kept until they are too old."""

    def __init__(self, function: ImplicitFunction, floaters: Floaters, settings: SculptSettings) -> None:
        radius = settings.floaters.radius
        size = _size_of(function, floaters, settings.floaters)
        stride, least = float(np.sqrt(_STRIDE * radius * size)), _LEAST_RADIUS * radius
        positive, scales = function.positive, function.scales
        self.pace = Pace(stride, _NEAR * radius, size, least, positive, scales, settings.hold)
        self._function, self._floaters = function, floaters
        self._mobility: dict[bytes, Floats] = {}
        self._steps, self._moved, self._vague = 0, 0.0, False

    def are_old(self, floaters: Floaters) -> bool:
        """Whether they are to be taken anew."""
        if self._steps < _AGAIN:
            return self._vague
        shown = len(self._floaters)
        others = abs(len(floaters) - shown) > _MORE * shown
        return others or self._vague or self._moved >= FARTHEST * self.pace.stride

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
        slope = lengths(gradient)
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
