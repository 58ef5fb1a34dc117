"""Quadrics: f = L Q(xi), xi = (x - o) / L, Q of ten coefficients, in the order of MONOMIALS.

The place o and the size L are the artist's: there Q's monomials are about 1, so the coefficients are numbers
that compare, and f is a length.  A change of one by delta moves the surface by about L delta / |Q_xi|, whose
mean square over the unit sphere is 4/3 |A|^2 + |b|^2 for Q = xi'A xi + b.xi + c: that gives their scales.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats
from ..errors import ImplicitError
from .extents import EMPTY
from .solids import Solids, Which, columns_of

MONOMIALS = ("xx", "yy", "zz", "xy", "yz", "zx", "x", "y", "z", "1")
_FIRST, _SECOND = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])
_ROUNDING = 2.0**-47
_FLAT = 1e-12  # of the greatest eigenvalue, that another counts as 0


@dataclass(frozen=True, eq=False)
class Quadrics(Solids):
    """k quadrics, united; rows (k, 10) of coefficients, about `origin` (3,), in units of `size`."""

    origin: Floats
    size: float
    kind = "quadric"
    columns = MONOMIALS

    @classmethod
    def of(cls, coefficients: ArrayLike, origin: ArrayLike = (0.0, 0.0, 0.0), size: float = 1.0) -> Self:
        """Return the quadrics of coefficients (k, 10). Raises ImplicitError for a size not above 0."""
        if not size > 0.0:
            raise ImplicitError("quadric", "size", f"{size:g}", "set it above 0, as the size of the surface")
        rows = columns_of("quadric", None, (("coefficients", 10, coefficients),))
        return cls(rows, np.asarray(origin, dtype=np.float64), float(size))

    @property
    def scales(self) -> Floats:
        """The change of each coefficient (k 10,) that moves the surface about a unit."""
        a, b = self._parts(slice(None))
        steep = np.sqrt(4.0 / 3.0 * (a * a).sum(axis=(1, 2)) + (b * b).sum(axis=1)) / self.size
        return np.repeat(np.where(steep > 0.0, steep, 1.0 / self.size), 10)

    def _parts(self, which: Which) -> tuple[Floats, Floats]:
        """A (..., 3, 3) and b (..., 3)."""
        rows = self.rows[which]
        a = np.zeros((*rows.shape[:-1], 3, 3))
        a[..., _FIRST, _SECOND] += 0.5 * rows[..., :6]
        a[..., _SECOND, _FIRST] += 0.5 * rows[..., :6]
        return a, rows[..., 6:9]

    def _monomials(self, x: Floats) -> Floats:
        xi = (x - self.origin) / self.size
        return np.concatenate((xi[..., _FIRST] * xi[..., _SECOND], xi, np.ones((*xi.shape[:-1], 1))), axis=-1)

    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...)."""
        value: Floats = self.size * np.einsum("...i,...i->...", self._monomials(x), self.rows[which])
        return value

    def firsts(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and 2 A xi + b (..., 3)."""
        a, b = self._parts(which)
        slope = 2.0 * np.einsum("...ij,...j->...i", a, (x - self.origin) / self.size) + b
        return self.values(x, which), slope

    def seconds(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3) and 2 A / L (..., 3, 3)."""
        return *self.firsts(x, which), 2.0 / self.size * self._parts(which)[0]

    def shares(self, x: Floats, which: Which) -> Floats:
        """Return L times the monomials (..., 10)."""
        shares: Floats = self.size * self._monomials(x)
        return shares

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k): the better of those term by term, and about the middles."""
        low, high = (lower - self.origin) / self.size, (upper - self.origin) / self.size
        with np.errstate(invalid="ignore", over="ignore"):
            one, other = self._by_terms(low, high), self._about_middles(low, high)
        least, most = np.fmax(one[0], other[0]), np.fmin(one[1], other[1])
        return (
            self.size * np.where(np.isnan(least), -np.inf, least),
            self.size * np.where(np.isnan(most), np.inf, most),
        )

    def _by_terms(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        ends = [x * y for x in (low[:, _FIRST], high[:, _FIRST]) for y in (low[:, _SECOND], high[:, _SECOND])]
        least, most = np.min(ends, axis=0), np.max(ends, axis=0)
        least[:, :3] = np.maximum(np.maximum(low, -high), 0.0) ** 2
        ones = np.ones((len(low), 1))
        lows, highs = np.hstack((least, low, ones))[:, None], np.hstack((most, high, ones))[:, None]
        rows, used = self.rows, self.rows != 0.0
        one, other = np.where(used, rows * lows, 0.0), np.where(used, rows * highs, 0.0)
        slack = _ROUNDING * np.maximum(np.abs(one), np.abs(other)).sum(axis=-1)
        slack = np.where(np.isfinite(slack), slack, 0.0)
        return np.minimum(one, other).sum(axis=-1) - slack, np.maximum(one, other).sum(axis=-1) + slack

    def _about_middles(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        middle, half = 0.5 * (low + high)[:, None], 0.5 * (high - low)[:, None]
        a, b = self._parts(slice(None))
        terms = self._monomials(middle * self.size + self.origin) * self.rows
        slope = np.abs(2.0 * np.einsum("kij,nkj->nki", a, np.broadcast_to(middle, (len(low), *b.shape))) + b)
        sway = (slope * half).sum(axis=-1)
        own = self.rows[:, :3] * half**2
        mixed = (np.abs(self.rows[:, 3:6]) * half[..., _FIRST[3:]] * half[..., _SECOND[3:]]).sum(axis=-1)
        size = np.abs(terms).sum(axis=-1) + sway + np.abs(own).sum(axis=-1) + mixed
        value = terms.sum(axis=-1)
        least = value - sway - mixed + np.minimum(own, 0.0).sum(axis=-1) - _ROUNDING * size
        return least, value + sway + mixed + np.maximum(own, 0.0).sum(axis=-1) + _ROUNDING * size

    @property
    def boxes(self) -> Floats:
        """The boxes (k, 2, 3) about where f = 0: finite along an axis only where that is an ellipsoid, or a
        cylinder along other axes; without any surface, empty.
        """
        return np.stack([self._box(i) for i in range(len(self.rows))])

    def _box(self, which: int) -> Floats:
        a, b = (part[0] for part in self._parts(slice(which, which + 1)))
        values, axes = np.linalg.eigh(a)
        flat: Bools = np.abs(values) <= _FLAT * np.abs(values).max()
        along = b @ axes
        bent = values[~flat]
        slanted = (np.abs(along[flat]) > _FLAT * np.abs(b).max()).any()
        if not len(bent) or bent.min() < 0.0 < bent.max() or slanted:
            return np.array([[-np.inf] * 3, [np.inf] * 3])
        middle = axes[:, ~flat] @ (-0.5 * along[~flat] / bent)
        level = 0.25 * (along[~flat] ** 2 / bent).sum() - self.rows[which, 9]
        if level * bent[0] < 0.0:
            return EMPTY.copy()
        widths = np.sqrt(level * (axes[:, ~flat] ** 2 / bent).sum(axis=1))
        reaches = (np.abs(axes[:, flat]) > _FLAT).any(axis=1)
        widths = np.where(reaches, np.inf, widths * (1.0 + _ROUNDING))
        return self.origin + self.size * np.stack((middle - widths, middle + widths))
