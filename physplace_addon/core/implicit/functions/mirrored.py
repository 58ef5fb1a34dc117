"""A function and its mirror image united, with the parameters of one: F(x) = min(f(x), f(S x)).

S turns x over. The minimum is sharp, or blended over a radius (`minima.smooth_minimum`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Floats
from .minima import Minimum, least_mean, sharp_minimum, smooth_minimum
from .solids.solids import least_of_active
from .transformed import Derived

_TURN = np.array([-1.0, 1.0, 1.0])
_BLEND = 1.0 - 2.0 ** (-1.0 / 3.0)  # radii by which the blend of two equal values is less than each
_ROUNDING = 2.0**-46  # relative rounding of a blended value, in radii


@dataclass(frozen=True, eq=False)
class Mirrored(Derived):
    """A function united with its mirror image in the plane x = 0.

    Attributes:
        radius: of the blend, in scene units; 0 for a sharp crease. It is no parameter.
    """

    radius: float = 0.0

    @property
    def scales(self) -> Floats:
        """The function's scales (m,)."""
        return self.function.scales

    def _blended(self, x: Floats) -> Minimum:
        """Return the minimum of both at points (k, 3)."""
        return self._minimum(np.stack([self.function.value(x), self.function.value(x * _TURN)], axis=1))

    def _minimum(self, both: Floats) -> Minimum:
        return smooth_minimum(both, self.radius) if self.radius > 0.0 else sharp_minimum(both)

    def value(self, x: Floats) -> Floats:
        """Return F (k,)."""
        return self._blended(x).value

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3)."""
        blended = self._blended(x)
        one, other = self.function.gradient(x)[1], self.function.gradient(x * _TURN)[1] * _TURN
        return blended.value, blended.weights[:, :1] * one + blended.weights[:, 1:] * other

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3)."""
        _, one, bend = self.function.hessian(x)
        _, other, turned = self.function.hessian(x * _TURN)
        blended, slopes = self._blended(x), np.stack([one, other * _TURN], axis=1)
        bends = np.stack([bend, turned * _TURN * _TURN[:, None]], axis=1)
        slope = np.einsum("nj,nji->ni", blended.weights, slopes)
        d = slopes - slope[:, None]
        whole = np.einsum("nj,njik->nik", blended.weights, bends)
        whole -= np.einsum("nj,nji,njk->nik", blended.bends, d, d)
        return blended.value, slope, whole

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m)."""
        weights = self._blended(x).weights
        one = self.function.parameter_gradient(x).multiply(weights[:, :1])
        other = self.function.parameter_gradient(x * _TURN).multiply(weights[:, 1:])
        return csr_array(one + other)

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,)."""
        weights = self._blended(x).weights
        one, other = (self.function.parameter_rate(place, rate) for place in (x, x * _TURN))
        change: Floats = weights[:, 0] * one + weights[:, 1] * other
        return change

    def box(self) -> Floats:
        """Return a box (2, 3) about the function's box and its mirror image."""
        return self.box_inside(0.0) if self.radius > 0.0 else _with_image(self.function.box())

    @property
    def middles(self) -> Floats:
        """The middles (2 k, 3) of the function's elements and of their mirror images."""
        own = self.function.middles
        return np.concatenate([own, own * _TURN])

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about where F <= level."""
        return _with_image(self.function.box_inside(level + self.radius * (_BLEND + _ROUNDING)))

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F over boxes (k, 3): it grows with both."""
        one, other = self.function.range(lower, upper), self.function.range(*_turned(lower, upper))
        return self._bounds(one, other)

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of what rises on beyond a level."""
        return self._bounds(*self._rising(lower, upper, level + self.radius))

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (k,) of F_x . direction over boxes (k, 3), as of a union."""
        own = level + self.radius
        slopes = np.stack(
            [
                self.function.least_slope(lower, upper, directions, own),
                self.function.least_slope(*_turned(lower, upper), directions * _TURN, own),
            ],
            axis=1,
        )
        least, most = (np.stack(ends, axis=1) for ends in zip(*self._rising(lower, upper, own), strict=True))
        if self.radius == 0.0:
            return least_of_active(slopes, least, most)
        return least_mean(slopes, least, most, self.radius)

    def _rising(
        self, lower: Floats, upper: Floats, level: float
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return the bounds (k,), (k,) of the function and of its image over boxes (k, 3)."""
        turned = _turned(lower, upper)
        return (
            self.function.rising_range(lower, upper, level),
            self.function.rising_range(*turned, level),
        )

    def _bounds(self, one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return bounds (k,) of F from those of the function and of its image."""
        slack = _ROUNDING * self.radius
        least, most = (self._bound(np.stack(ends, axis=1)) for ends in zip(one, other, strict=True))
        return least - slack, most + slack

    def _bound(self, both: Floats) -> Floats:
        """Return F (k,) of bounds (k, 2), which may be infinite."""
        bound: Floats = both.min(axis=1)
        known = np.isfinite(bound)
        bound[known] = self._minimum(both[known]).value
        return bound


def _turned(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the corners (k, 3) of the mirror images of boxes (k, 3)."""
    turned = lower.copy(), upper.copy()
    turned[0][:, 0], turned[1][:, 0] = -upper[:, 0], -lower[:, 0]
    return turned


def _with_image(box: Floats) -> Floats:
    """Return a box (2, 3) about a box and its mirror image; an empty one stays so."""
    if (box[0] > box[1]).any():
        return box
    reach = max(-float(box[0, 0]), float(box[1, 0]))
    whole = box.copy()
    whole[:, 0] = -reach, reach
    return whole
