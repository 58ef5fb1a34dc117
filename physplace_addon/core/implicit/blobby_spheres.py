"""Gaussians of the distance to centres: g = exp(-|x - c|^2 / s^2), parameters c and s.

With w = 1/s^2 the exponent is 2w c.x - w |x|^2 - w |c|^2: linear in (x, |x|^2, 1).  So all exponents are one
matrix product, and so are the sums of g, w g and w c g that the gradient is made of.  Squares of places far
apart cancel in it, so x and c are taken from an origin in their midst; where they still would lose digits
(radii much smaller than the whole), the differences are taken themselves.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from .gaussians import LEAST_RADIUS, WELL_CONDITIONED, Elements, Field, Nearness


class SphereField(Field):
    """k Gaussians about centres; rows (k, 4) of centre and radius."""

    kind = "sphere"
    columns = ("centre x", "centre y", "centre z", "radius")

    @classmethod
    def of(cls, centres: ArrayLike, radii: ArrayLike) -> Self:
        """Return the field of centres (k, 3) and radii s (k,) or one for all."""
        places = np.asarray(centres, dtype=np.float64).reshape(-1, 3)
        sizes = np.broadcast_to(np.abs(np.asarray(radii, dtype=np.float64)), len(places))
        return cls(np.column_stack((places, sizes)))

    @property
    def spans(self) -> Floats:
        """The centres, as boxes (k, 2, 3)."""
        return np.repeat(self.rows[:, None, :3], 2, axis=1)

    def elements(self, rows: Floats, origin: Floats) -> Elements:
        """Return elements (..., k, 4) about an origin (..., 3)."""
        return _Spheres(rows, origin)

    def distances(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest distance (n, k) from boxes (n, 3) to the centres."""
        below = lower[:, None] - self.rows[:, :3]
        above = self.rows[:, :3] - upper[:, None]
        least = np.linalg.norm(np.maximum(np.maximum(below, above), 0.0), axis=-1)
        return least, np.linalg.norm(np.maximum(np.abs(below), np.abs(above)), axis=-1)


class _Spheres(Elements):
    """Spheres as the matrices that give exponents and sums; c from the origin."""

    def __init__(self, rows: Floats, origin: Floats) -> None:
        self.origin = origin[..., None, :]
        self.c = rows[..., :3] - self.origin
        self.s = np.maximum(np.abs(rows[..., 3]), LEAST_RADIUS)
        self.w = self.s**-2.0
        self.square = np.einsum("...i,...i->...", self.c, self.c)

    @cached_property
    def careful(self) -> bool:
        """Whether products would lose too many digits."""
        return bool((self.square * self.w).max(initial=0.0) > WELL_CONDITIONED)

    @cached_property
    def powers(self) -> Floats:
        """The exponents' coefficients (..., 5, k)."""
        weights = self.w[..., None, :]
        wc = weights * np.swapaxes(self.c, -1, -2)
        return np.concatenate((2.0 * wc, -weights, -weights * self.square[..., None, :]), axis=-2)

    @cached_property
    def sums(self) -> Floats:
        """What the gradient's sums weigh the Gaussians by: w c, w (..., k, 4)."""
        sums: Floats = self.w[..., None] * np.concatenate((self.c, np.ones_like(self.w)[..., None]), axis=-1)
        return sums

    def at(self, x: Floats) -> Nearness:
        """Return them at points (..., n, 3)."""
        return _AtSpheres(self, x)


class _AtSpheres(Nearness):
    def __init__(self, spheres: _Spheres, x: Floats) -> None:
        self.of = spheres
        self.monomials = np.empty((*x.shape[:-1], 5))
        self.x = self.monomials[..., :3]
        np.subtract(x, spheres.origin, out=self.x)
        np.einsum("...i,...i->...", self.x, self.x, out=self.monomials[..., 3])
        self.monomials[..., 4] = 1.0
        self.exponents = self._exponents()
        self.g = np.exp(self.exponents)

    def _exponents(self) -> Floats:
        if not self.of.careful:
            return self.monomials @ self.of.powers
        exponents: Floats = np.zeros(())
        for i in range(3):
            exponents = exponents - (self.x[..., None, i] - self.of.c[..., None, :, i]) ** 2
        return exponents * self.of.w[..., None, :]

    @property
    def _d(self) -> Floats:
        """The vectors (..., n, k, 3) from the centres."""
        return self.x[..., None, :] - self.of.c[..., None, :, :]

    def slopes(self) -> Floats:
        """Sum of -2 w (x - c) g."""
        sums = self.g @ self.of.sums
        slopes: Floats = 2.0 * (sums[..., :3] - self.x * sums[..., 3:])
        return slopes

    def bends(self) -> Floats:
        """Sum of (4 w^2 d d' - 2 w) g, d = x - c."""
        wg, d = self.of.w[..., None, :] * self.g, self._d
        weighted = (4.0 * self.of.w[..., None, :] * wg)[..., None] * d
        outer = np.swapaxes(weighted, -1, -2) @ d
        bends: Floats = outer - 2.0 * wg.sum(axis=-1)[..., None, None] * np.eye(3)
        return bends

    def shares(self) -> Floats:
        """2 w (x - c) g by c, and 2 |x - c|^2 / s^3 g by s, which is -2 g / s times the exponent."""
        shares = np.empty((*self.g.shape, 4))
        np.multiply((2.0 * self.of.w[..., None, :] * self.g)[..., None], self._d, out=shares[..., :3])
        shares[..., 3] = -2.0 / self.of.s[..., None, :] * self.exponents * self.g
        return shares

    def rate(self, rates: Floats) -> Floats:
        """Sum of g times the exponent's rate, which is linear in the same monomials."""
        c, w = self.of.c, self.of.w
        change = -2.0 * w * rates[..., 3] / self.of.s
        powers = np.empty((*rates.shape[:-1], 5))
        powers[..., :3] = 2.0 * (w[..., None] * rates[..., :3] + change[..., None] * c)
        powers[..., 3] = -change
        towards = np.einsum("...i,...i->...", c, rates[..., :3])
        powers[..., 4] = -2.0 * w * towards - change * self.of.square
        rate: Floats = np.einsum("...i,...i->...", self.g @ powers, self.monomials)
        return rate
