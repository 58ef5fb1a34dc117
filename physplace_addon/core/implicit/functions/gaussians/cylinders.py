"""Gaussians of the distance to line segments: g = exp(-|d|^2 / s^2), with the parameters a, b and s.

These are the blobby cylinders of Witkin and Heckbert (1994, section 5). With e = b - a the nearest place of
the segment is a + t e, t = (x - a) . e / |e|^2 cut to 0..1. There |d|^2 = |x - a - t e|^2 is least, so t need
not be differentiated:

    g_a = 2 w (1 - t) d g,   g_b = 2 w t d g,   g_s = -2 g / s times the exponent,   w = 1 / s^2.

As for spheres, products of matrices give all of these. Second derivatives jump where t is cut, which is where
the sides of the cylinder meet its round ends. A segment without length is a sphere.

The nearest place of a segment moves by no more than the point does, and so does d. So over a box d is what it
is at the centre, but for half the box's diagonal.
"""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Floats
from ....vectors import dot, length
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


def _divided(a: Floats, b: Floats) -> Floats:
    """Return a / b, 0 where b is 0; both have one shape."""
    return np.divide(a, b, out=np.zeros(a.shape), where=b != 0.0)


_ROUNDING = 2.0**-48  # relative rounding of a distance
_LEAST_LENGTH = 1e-150  # scene units: a shorter segment is a sphere; its square is still a number


class CylinderField(Field):
    """The sum of k Gaussians about segments; rows (k, 7) of start, end and radius, in scene units."""

    kind = "cylinder"
    columns = ("start x", "start y", "start z", "end x", "end y", "end z", "radius")

    @classmethod
    def of(cls, starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> Self:
        """Return the field of segments from starts to ends, each (k, 3), with radii s (k,) or one for all.

        Raises:
            ImplicitError: for other shapes and for what is not finite.
        """
        rows = columns_of(cls.kind, (("starts", 3, starts), ("ends", 3, ends), ("radii", 1, radii)))
        return cls(np.column_stack((rows[:, :6], np.abs(rows[:, 6]))))

    @property
    def spans(self) -> Floats:
        """The boxes (k, 2, 3) about the segments."""
        a, b = self.rows[:, :3], self.rows[:, 3:6]
        return np.stack((np.minimum(a, b), np.maximum(a, b)), axis=1)

    def elements(self, rows: Floats, origin: Floats) -> PreparedElements:
        """Return elements (..., k, 7), ready to be evaluated about an origin (..., 3)."""
        return _Cylinders(rows, origin)

    def exponents(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds of |d|^2 / s^2 (n, k) over boxes with corners (n, 3).

        |d| is that at a box's centre, but for half its diagonal at most; and it is no less than the distance
        to the segment's own box.
        """
        spans, s = self.spans, np.maximum(self.radii, LEAST_RADIUS)
        least = np.zeros((len(lower), len(s)))
        for i in range(3):
            gap = np.maximum(lower[:, i, None] - spans[:, 1, i], spans[:, 0, i] - upper[:, i, None])
            least += np.maximum(gap, 0.0) ** 2
        finite = np.isfinite(lower).all(axis=1) & np.isfinite(upper).all(axis=1)
        most = np.full(least.shape, np.inf)
        half = 0.5 * length(upper[finite] - lower[finite])[:, None]
        far = self._distances(0.5 * (lower[finite] + upper[finite]))
        rounding = _ROUNDING * (far + np.abs(spans).max(initial=0.0))
        least[finite] = np.maximum(least[finite], np.maximum(far - half - rounding, 0.0) ** 2)
        most[finite] = (far + half + rounding) ** 2
        return least / (s * s), most / (s * s)

    def _along(self, x: Floats) -> Floats:
        """Return t (n, k) of the nearest places of the segments to points (n, 3)."""
        along, e = np.zeros((len(x), len(self.rows))), self.rows[:, 3:6] - self.rows[:, :3]
        for i in range(3):
            along += (x[:, i, None] - self.rows[:, i]) * e[:, i]
        return np.clip(_divided(along, np.broadcast_to(dot(e, e), along.shape)), 0.0, 1.0)

    def _distances(self, x: Floats) -> Floats:
        """Return |x - a - t e| (n, k) at points (n, 3)."""
        t, square = self._along(x), np.zeros((len(x), len(self.rows)))
        for i in range(3):
            a = self.rows[:, i]
            square += (x[:, i, None] - a - t * (self.rows[:, 3 + i] - a)) ** 2
        return np.sqrt(square)

    def distances_along(self, x: Floats, directions: Floats) -> Floats:
        """Return (x - a - t e) . direction (n, k)."""
        a = self.rows[:, :3]
        e = self.rows[:, 3:6] - a
        steps = self._along(x) * (directions @ e.T)
        distances: Floats = dot(x, directions)[:, None] - directions @ a.T - steps
        return distances


class _Cylinders(PreparedElements):
    """Cylinders as the matrices that give t, exponents and sums; a and b are measured from the origin."""

    def __init__(self, rows: Floats, origin: Floats) -> None:
        self.origin = origin
        self.a = rows[..., :3] - origin[..., None, :]
        self.e = rows[..., 3:6] - rows[..., :3]
        self.s = np.maximum(np.abs(rows[..., 6]), LEAST_RADIUS)
        self.w = 1.0 / (self.s * self.s)
        self.length2 = dot(self.e, self.e)
        both = coefficients(self.a, self.w)
        self.powers, self.sums = both[..., :5], both[..., 1:].swapaxes(-1, -2)
        lost = self.w * self.length2 - self.powers[..., 0]
        self.careful = lost.max(initial=0.0) > WELL_CONDITIONED

    @cached_property
    def along(self) -> Floats:
        """The coefficients (..., k, 5) by which the monomials make t before it is cut to 0..1."""
        whole = self.length2 >= _LEAST_LENGTH**2
        along = np.zeros(self.powers.shape)
        along[..., 2:] = self.e * (whole / np.where(whole, self.length2, 1.0))[..., None]
        along[..., 0] = -dot(self.a, along[..., 2:])
        return along

    @cached_property
    def sums_of_t(self) -> Floats:
        """The weights 2 w e (..., 3, k) with which sums of t g enter the gradient."""
        return np.swapaxes((2.0 * self.w)[..., None] * self.e, -1, -2)

    def values_at(self, x: Floats) -> GaussianValues:
        """Return the Gaussians at points (..., 3, n)."""
        return _AtCylinders(self, x)


class _AtCylinders(GaussianValues):
    """The Gaussians of cylinders at points."""

    def __init__(self, cylinders: _Cylinders, x: Floats) -> None:
        self.of = cylinders
        self.monomials = monomials(x, cylinders.origin)
        self.x = self.monomials[..., 2:, :]
        along = cylinders.along @ self.monomials
        self.t = np.clip(along, 0.0, 1.0)
        self.exponents = self._by_differences() if cylinders.careful else self._by_products(along)
        self.g = np.exp(self.exponents)

    def _by_products(self, along: Floats) -> Floats:
        """Return the exponents -w (|x - a|^2 - t (2 along - t) |e|^2) (..., k, n), from t
        before it is cut.
        """
        along *= 2.0
        along -= self.t
        along *= self.t
        along *= (self.of.w * self.of.length2)[..., None]
        along += self.of.powers @ self.monomials
        return along

    def _by_differences(self) -> Floats:
        d = self._d
        exponents: Floats = -self.of.w[..., None] * np.einsum("...ikn,...ikn->...kn", d, d)
        return exponents

    @cached_property
    def _d(self) -> Floats:
        """The vectors d (..., 3, k, n) from the nearest places of the segments."""
        a, e = (np.swapaxes(own, -1, -2)[..., None] for own in (self.of.a, self.of.e))
        d: Floats = self.x[..., :, None, :] - a - self.t[..., None, :, :] * e
        return d

    def gradient_and_sum(self) -> Floats:
        """Return the sum of -2 w d g, and that of g (..., 4, n)."""
        sums: Floats = self.of.sums @ self.g
        sums[..., 1:4, :] += self.x * (2.0 * sums[..., :1, :])
        sums[..., 1:4, :] += self.of.sums_of_t @ (self.t * self.g)
        return sums[..., 1:, :]

    def hessian(self) -> Floats:
        """Return the sum of (4 w^2 d d' - 2 w (1 - e e' / |e|^2)) g (..., 3, 3, n); beyond the ends without e
        e'.
        """
        w, d = self.of.w[..., None], self._d
        wg = w * self.g
        second = outer_sums(4.0 * w * wg, d)
        beside = (self.t > 0.0) & (self.t < 1.0)
        squares = self.of.e[..., :, None] * self.of.along[..., None, 2:]
        second += np.einsum("...kij,...kn->...ijn", squares, 2.0 * wg * beside)
        second -= np.eye(3)[:, :, None] * (2.0 * wg.sum(axis=-2))[..., None, None, :]
        return second

    def parameter_derivatives(self, out: Floats | None = None) -> Floats:
        """Return 2 w (1 - t) d g by a, 2 w t d g by b, and -2 g / s times the exponent by s
        (..., k, 7, n).
        """
        shares = np.empty((*self.g.shape[:-1], 7, self.g.shape[-1])) if out is None else out
        pull = ((2.0 * self.of.w)[..., None] * self.g)[..., None, :] * np.swapaxes(self._d, -3, -2)
        np.multiply(self.t[..., None, :], pull, out=shares[..., 3:6, :])
        np.subtract(pull, shares[..., 3:6, :], out=shares[..., :3, :])
        np.multiply((-2.0 / self.of.s)[..., None] * self.exponents, self.g, out=shares[..., 6, :])
        return shares

    def parameter_rate(self, rates: Floats) -> Floats:
        """Return the sum of g (2 w d . (a' + t e') - 2 s' / s exponent) (..., n).

        With d = x - a - t e the products d . a' and d . e' are formed from x . a', x . e' and constants.
        """
        own, of_a, of_s = self.of, rates[..., :3], rates[..., 6]
        of_e = rates[..., 3:6] - of_a
        w = (2.0 * own.w)[..., None]
        steady = of_a @ self.x - dot(own.a, of_a)[..., None]
        change = of_e @ self.x - (dot(own.a, of_e) + dot(own.e, of_a))[..., None]
        change -= self.t * dot(own.e, of_e)[..., None]
        change *= self.t
        change += steady
        change *= w
        change -= (2.0 * of_s / own.s)[..., None] * self.exponents
        change *= self.g
        rate: Floats = change.sum(axis=-2)
        return rate
