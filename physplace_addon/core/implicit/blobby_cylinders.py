"""Gaussians of the distance to line segments: g = exp(-|d|^2 / s^2), parameters a, b and s.

With e = b - a, the nearest place of the segment is a + t e, t = (x - a).e / |e|^2 cut to 0..1.  t is the least
of a minimum, so it need not be differentiated: |d|^2 = |x - a - t e|^2 changes by -2 (1 - t) d with a and by
-2 t d with b.  As for spheres, products of matrices give all.  Second derivatives jump where t is cut, where
the sides of the cylinder meet its round ends.  A segment without length is a sphere.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from .gaussians import LEAST_RADIUS, WELL_CONDITIONED, Elements, Field, Nearness
from .segments_and_boxes import distances_to_segments

_LEAST_LENGTH = 1e-150  # whose square is still a number


class CylinderField(Field):
    """k Gaussians about segments; rows (k, 7) of start, end and radius."""

    kind = "cylinder"
    columns = ("start x", "start y", "start z", "end x", "end y", "end z", "radius")

    @classmethod
    def of(cls, starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> Self:
        """Return the field of segments from starts to ends, each (k, 3), with radii s (k,) or one for all."""
        a, b = (np.asarray(own, dtype=np.float64).reshape(-1, 3) for own in (starts, ends))
        return cls(np.column_stack((a, b, np.broadcast_to(np.abs(np.asarray(radii, dtype=float)), len(a)))))

    @property
    def spans(self) -> Floats:
        """The segments' boxes (k, 2, 3)."""
        a, b = self.rows[:, :3], self.rows[:, 3:6]
        return np.stack((np.minimum(a, b), np.maximum(a, b)), axis=1)

    def elements(self, rows: Floats, origin: Floats) -> Elements:
        """Return elements (..., k, 7) about an origin (..., 3)."""
        return _Cylinders(rows, origin)

    def distances(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest distance (n, k) from boxes (n, 3) to the segments."""
        return distances_to_segments(lower, upper, self.rows[:, :3], self.rows[:, 3:6])


class _Cylinders(Elements):
    """Cylinders as the matrices that give t, exponents and sums; a and b from the origin."""

    def __init__(self, rows: Floats, origin: Floats) -> None:
        self.origin = origin[..., None, :]
        self.a = rows[..., :3] - self.origin
        self.e = rows[..., 3:6] - rows[..., :3]
        self.s = np.maximum(np.abs(rows[..., 6]), LEAST_RADIUS)
        self.w = self.s**-2.0
        self.length2 = np.einsum("...i,...i->...", self.e, self.e)
        self.inverse = np.where(self.length2 > 0.0, 1.0, 0.0) / np.maximum(self.length2, _LEAST_LENGTH**2)

    @cached_property
    def careful(self) -> bool:
        """Whether products would lose too many digits."""
        reach = np.einsum("...i,...i->...", self.a, self.a) + self.length2
        return bool((reach * self.w).max(initial=0.0) > WELL_CONDITIONED)

    @cached_property
    def along(self) -> Floats:
        """The coefficients (..., 5, k) of t before it is cut."""
        way = self.e * self.inverse[..., None]
        start = -np.einsum("...i,...i->...", self.a, way)[..., None]
        return np.swapaxes(np.concatenate((way, np.zeros_like(start), start), axis=-1), -1, -2)

    @cached_property
    def powers(self) -> Floats:
        """The coefficients (..., 5, k) of -w |x - a|^2."""
        w = self.w[..., None]
        square = np.einsum("...i,...i->...", self.a, self.a)[..., None]
        return np.swapaxes(np.concatenate((2.0 * w * self.a, -w, -w * square), axis=-1), -1, -2)

    @cached_property
    def sums(self) -> tuple[Floats, Floats]:
        """What the gradient's sums weigh g and t g by: w a, w (..., k, 4); w e (..., k, 3)."""
        ones = np.ones_like(self.w)[..., None]
        w = self.w[..., None]
        return w * np.concatenate((self.a, ones), axis=-1), w * self.e

    def at(self, x: Floats) -> Nearness:
        """Return them at points (..., n, 3)."""
        return _AtCylinders(self, x)


class _AtCylinders(Nearness):
    def __init__(self, cylinders: _Cylinders, x: Floats) -> None:
        self.of = own = cylinders
        self.monomials = np.empty((*x.shape[:-1], 5))
        self.x = self.monomials[..., :3]
        np.subtract(x, own.origin, out=self.x)
        np.einsum("...i,...i->...", self.x, self.x, out=self.monomials[..., 3])
        self.monomials[..., 4] = 1.0
        along = self.monomials @ own.along
        self.t = np.minimum(np.maximum(along, 0.0), 1.0)
        if own.careful:
            self.exponents = -own.w[..., None, :] * np.sum([self._d_along(i) ** 2 for i in range(3)], axis=0)
        else:
            gain = self.t * (2.0 * along - self.t) * (own.w * own.length2)[..., None, :]
            self.exponents = self.monomials @ own.powers + gain
        self.g = np.exp(self.exponents)

    def _d_along(self, axis: int) -> Floats:
        a, e = self.of.a[..., None, :, axis], self.of.e[..., None, :, axis]
        d: Floats = self.x[..., None, axis] - a - self.t * e
        return d

    @property
    def _d(self) -> Floats:
        """The vectors (..., n, k, 3) from the nearest places of the segments."""
        return np.stack([self._d_along(axis) for axis in range(3)], axis=-1)

    def slopes(self) -> Floats:
        """Sum of -2 w d g."""
        of_start, of_way = self.of.sums
        sums = self.g @ of_start
        slopes: Floats = 2.0 * (sums[..., :3] + (self.t * self.g) @ of_way - self.x * sums[..., 3:])
        return slopes

    def bends(self) -> Floats:
        """Sum of (4 w^2 d d' - 2 w (1 - e e' / |e|^2)) g; beyond the ends without e."""
        w, d = self.of.w[..., None, :], self._d
        wg = w * self.g
        beside = (self.t > 0.0) & (self.t < 1.0)
        way = self.of.e * np.sqrt(self.of.inverse)[..., None]
        straight = (2.0 * wg * beside) @ (way[..., :, None] * way[..., None, :]).reshape(*way.shape[:-1], 9)
        outer = np.swapaxes((4.0 * w * wg)[..., None] * d, -1, -2) @ d
        round_ = 2.0 * wg.sum(axis=-1)[..., None, None] * np.eye(3)
        bends: Floats = outer + straight.reshape(outer.shape) - round_
        return bends

    def shares(self) -> Floats:
        """2 w (1 - t) d g by a, 2 w t d g by b, and -2 g / s times the exponent by s."""
        shares = np.empty((*self.g.shape, 7))
        pull = (2.0 * self.of.w[..., None, :] * self.g)[..., None] * self._d
        np.multiply(self.t[..., None], pull, out=shares[..., 3:6])
        np.subtract(pull, shares[..., 3:6], out=shares[..., :3])
        shares[..., 6] = -2.0 / self.of.s[..., None, :] * self.exponents * self.g
        return shares

    def rate(self, rates: Floats) -> Floats:
        """Sum of g times 2 w d.(a' + t e') - 2 s'/s exponent, d = x - a - t e; products give d.a', d.e'."""
        of_a, of_s = rates[..., :3], rates[..., 6]
        of_e = rates[..., 3:6] - of_a
        own = self.of
        steady = self._against(of_a, -np.einsum("...i,...i->...", own.a, of_a))
        turning = -np.einsum("...i,...i->...", own.a, of_e) - np.einsum("...i,...i->...", own.e, of_a)
        swaying = self._against(of_e, turning)
        stretch = np.einsum("...i,...i->...", own.e, of_e)[..., None, :]
        pull = steady + self.t * (swaying - self.t * stretch)
        growth = (-2.0 * of_s / own.s)[..., None, :] * self.exponents
        rate: Floats = np.einsum("...i,...i->...", self.g, 2.0 * own.w[..., None, :] * pull + growth)
        return rate

    def _against(self, vectors: Floats, constants: Floats) -> Floats:
        """x.v + constant (..., n, k)."""
        product: Floats = self.x @ np.swapaxes(vectors, -1, -2) + constants[..., None, :]
        return product
