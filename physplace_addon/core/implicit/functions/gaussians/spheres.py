"""Gaussians of the distance to centres: g = exp(-|x - c|^2 / s^2), with the parameters c and s.

These are the blobby spheres of Witkin and Heckbert (1994, section 5), where

    g_c = 2 w (x - c) g,   g_s = 2 |x - c|^2 / s^3 g,   w = 1 / s^2.

With the monomials (1, |x|^2, x) all exponents are one product of matrices, and so are the sums of -w g, 2 w c
g and g of which the gradient is made (see `gaussian_terms`). Squares of places far apart cancel in it: so x
and c are measured from an origin in their midst, and where they still would lose digits, because radii are
much smaller than the whole, the differences x - c are formed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Floats
from ....vectors import dot
from ..element_rows import columns_of
from .fields import Field
from .gaussian_terms import (
    LEAST_RADIUS,
    WELL_CONDITIONED,
    GaussianValues,
    PreparedElements,
    coefficients,
    monomials,
    outer_sums,
)


class SphereField(Field):
    """The sum of k Gaussians about centres; rows (k, 4) of centre and radius, in scene units."""

    kind = "sphere"
    columns = ("centre x", "centre y", "centre z", "radius")

    @classmethod
    def of(cls, centres: ArrayLike, radii: ArrayLike) -> Self:
        """Return the field of centres (k, 3) with radii s (k,), or one for all. Raises ImplicitError."""
        rows = columns_of(cls.kind, (("centres", 3, centres), ("radii", 1, radii)))
        return cls(np.column_stack((rows[:, :3], np.abs(rows[:, 3]))))

    @property
    def spans(self) -> Floats:
        """The centres, as boxes (k, 2, 3) without extent."""
        return np.repeat(self.rows[:, None, :3], 2, axis=1)

    def _middle(self) -> Floats:
        middle: Floats = np.add.reduce(self.rows[:, :3]) / max(len(self.rows), 1)
        return middle

    def elements(self, rows: Floats, origin: Floats) -> PreparedElements:
        """Return elements (..., k, 4), ready to be evaluated about an origin (..., 3)."""
        return _Spheres(rows, origin)

    def exponents(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest |x - c|^2 / s^2 (n, k) over boxes with corners (n, 3)."""
        s = np.maximum(self.radii, LEAST_RADIUS)[:, None]
        least, most = np.zeros((len(s), len(lower))), np.zeros((len(s), len(lower)))
        for i in range(3):
            below, above = (
                (lower[:, i] - self.rows[:, i, None]) / s,
                (self.rows[:, i, None] - upper[:, i]) / s,
            )
            least += np.maximum(np.maximum(below, above), 0.0) ** 2
            most += np.maximum(np.abs(below), np.abs(above)) ** 2
        return least.T, most.T

    def distances_along(self, x: Floats, directions: Floats) -> Floats:
        """Return (x - c) . direction (n, k)."""
        along: Floats = dot(x, directions)[:, None] - directions @ self.rows[:, :3].T
        return along

    def _sways(self, directions: Floats, half: Floats) -> Floats:
        return dot(np.abs(directions), half)[:, None]


class _Spheres(PreparedElements):
    """Spheres as the matrices that give exponents and sums; c is measured from the origin."""

    def __init__(self, rows: Floats, origin: Floats) -> None:
        self.origin = origin
        self.c = rows[..., :3] - origin[..., None, :]
        self.s = np.maximum(rows[..., 3], LEAST_RADIUS)
        self.w = 1.0 / (self.s * self.s)
        both = coefficients(self.c, self.w)
        self.powers, self.sums = both[..., :5], both[..., 1:].swapaxes(-1, -2)
        self.careful = bool(np.minimum.reduce(both[..., 0], axis=None, initial=0.0) < -WELL_CONDITIONED)

    def values_at(self, x: Floats) -> GaussianValues:
        """Return the Gaussians at points (..., 3, n)."""
        return _AtSpheres(self, x)


class _AtSpheres(GaussianValues):
    """The Gaussians of spheres at points."""

    def __init__(self, spheres: _Spheres, x: Floats) -> None:
        self.of = spheres
        self.monomials = monomials(x, spheres.origin)
        self.x = self.monomials[..., 2:, :]
        self.exponents = self._by_differences() if spheres.careful else spheres.powers @ self.monomials
        self.g = np.exp(self.exponents)

    def _by_differences(self) -> Floats:
        d = self._d
        exponents: Floats = -self.of.w[..., None] * np.einsum("...ikn,...ikn->...kn", d, d)
        return exponents

    @cached_property
    def _d(self) -> Floats:
        """The vectors x - c (..., 3, k, n) from the centres."""
        return self.x[..., :, None, :] - np.swapaxes(self.of.c, -1, -2)[..., None]

    def gradient_and_sum(self) -> Floats:
        """Return the sum of -2 w (x - c) g, and that of g (..., 4, n)."""
        sums: Floats = self.of.sums @ self.g
        sums[..., 1:4, :] += self.x * (2.0 * sums[..., :1, :])
        return sums[..., 1:, :]

    def hessian(self) -> Floats:
        """Return the sum of (4 w^2 d d' - 2 w 1) g (..., 3, 3, n), d = x - c."""
        w, d = self.of.w[..., None], self._d
        wg = w * self.g
        second = outer_sums(4.0 * w * wg, d)
        second -= np.eye(3)[:, :, None] * (2.0 * wg.sum(axis=-2))[..., None, None, :]
        return second

    def parameter_derivatives(self, out: Floats | None = None) -> Floats:
        """Return 2 w (x - c) g by the centre, and 2 |x - c|^2 / s^3 g by s, -2 g / s times the exponent."""
        shares = np.empty((*self.g.shape[:-1], 4, self.g.shape[-1])) if out is None else out
        np.subtract(self.x[..., None, :, :], self.of.c[..., None], out=shares[..., :3, :])
        np.multiply(self.exponents, -self.of.s[..., None], out=shares[..., 3, :])
        shares *= ((2.0 * self.of.w)[..., None] * self.g)[..., None, :]
        return shares

    def parameter_rate(self, rates: Floats) -> Floats:
        """Return the sum of g (2 w (x - c) . c' - 2 s' / s exponent) (..., n), linear in the
        same monomials.
        """
        of_c = (2.0 * self.of.w)[..., None] * rates[..., :3]
        powers = (-2.0 * rates[..., 3] / self.of.s)[..., None] * self.of.powers
        powers[..., 0] -= dot(self.of.c, of_c)
        powers[..., 2:] += of_c
        rate: Floats = np.einsum("...in,...in->...n", np.swapaxes(powers, -1, -2) @ self.g, self.monomials)
        return rate
