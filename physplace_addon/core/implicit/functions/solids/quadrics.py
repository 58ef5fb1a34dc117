"""Quadrics: f = L Q(xi), xi = (x - o) / L, Q of ten coefficients, in the order of MONOMIALS.

The place o and the size L are the artist's: there Q's monomials are about 1, so the coefficients are numbers
that compare, and f is a length. A change of a coefficient by delta moves the surface by about L delta /
|Q_xi|, whose mean square over the unit sphere is 4/3 |A|^2 + |b|^2 for Q = xi'A xi + b . xi + c: that gives
the scales.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import Bools, Floats
from ....errors import ImplicitError
from ..bounding_boxes import EMPTY
from ..element_rows import columns_of
from .solids import SLOPE_ROUNDING, Solids, Which

MONOMIALS = ("xx", "yy", "zz", "xy", "yz", "zx", "x", "y", "z", "1")
_FIRST, _SECOND = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])
_ROUNDING = 2.0**-47  # relative rounding of a sum of ten terms
_FLAT = 1e-12  # share of the largest eigenvalue below which another one counts as 0


@dataclass(frozen=True, eq=False)
class Quadrics(Solids):
    """The union of k quadrics; rows (k, 10) of coefficients, without unit.

    Attributes:
        origin: o (3,), in scene units.
        size: L, in scene units.
    """

    origin: Floats
    size: float
    kind = "quadric"
    columns = MONOMIALS

    @classmethod
    def of(cls, coefficients: ArrayLike, origin: ArrayLike = (0.0, 0.0, 0.0), size: float = 1.0) -> Self:
        """Return the quadrics of coefficients (k, 10).

        Raises:
            ImplicitError: for a size that is not above 0, other shapes, and what is not finite.
        """
        if not size > 0.0:
            raise ImplicitError("quadric", "size", f"{size:g}", "set it above 0, as the size of the surface")
        rows = columns_of("quadric", (("coefficients", 10, coefficients),))
        return cls(rows, np.asarray(origin, dtype=np.float64), float(size))

    @property
    def scales(self) -> Floats:
        """The change of each coefficient (10 k,) that moves the surface by about a scene unit."""
        a, b = self._parts(slice(None))
        steep = np.sqrt(4.0 / 3.0 * (a * a).sum(axis=(1, 2)) + (b * b).sum(axis=1)) / self.size
        return np.repeat(np.where(steep > 0.0, steep, 1.0 / self.size), 10)

    def _parts(self, which: Which) -> tuple[Floats, Floats]:
        """Return A (..., 3, 3) and b (..., 3) of some quadrics."""
        rows = self.rows[which]
        a = np.zeros((*rows.shape[:-1], 3, 3))
        a[..., _FIRST, _SECOND] += 0.5 * rows[..., :6]
        a[..., _SECOND, _FIRST] += 0.5 * rows[..., :6]
        return a, rows[..., 6:9]

    def _monomials(self, x: Floats) -> Floats:
        """Return the ten monomials (..., 10) at points x (..., 3)."""
        xi = (x - self.origin) / self.size
        return np.concatenate((xi[..., _FIRST] * xi[..., _SECOND], xi, np.ones((*xi.shape[:-1], 1))), axis=-1)

    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...), in scene units."""
        value: Floats = self.size * np.einsum("...i,...i->...", self._monomials(x), self.rows[which])
        return value

    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and 2 A xi + b (..., 3)."""
        a, b = self._parts(which)
        slope = 2.0 * np.einsum("...ij,...j->...i", a, (x - self.origin) / self.size) + b
        return self.values(x, which), slope

    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3) and 2 A / L (..., 3, 3)."""
        return *self.gradients(x, which), 2.0 / self.size * self._parts(which)[0]

    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return L times the monomials (..., 10)."""
        shares: Floats = self.size * self._monomials(x)
        return shares

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of f, the best of three: by terms, about the boxes' centres, and about Q's own
        centre.
        """
        low, high = (lower - self.origin) / self.size, (upper - self.origin) / self.size
        with np.errstate(invalid="ignore", over="ignore"):
            bounds = self._by_terms(low, high), self._about_middles(low, high), self._beyond(low, high)
        least = np.fmax.reduce([own[0] for own in bounds])
        most = np.fmin.reduce([own[1] for own in bounds])
        return (
            self.size * np.where(np.isnan(least), -np.inf, least),
            self.size * np.where(np.isnan(most), np.inf, most),
        )

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return the least (2 A xi + b) . direction (n, k) over boxes (n, 3), which is linear in xi."""
        a, b = self._parts(slice(None))
        middle, half = (0.5 * (lower + upper) - self.origin) / self.size, 0.5 * (upper - lower) / self.size
        turned = 2.0 * np.einsum("kij,nj->nki", a, directions)
        across = np.einsum("nki,ni->nk", turned, middle) + directions @ b.T
        sway = np.einsum("nki,ni->nk", np.abs(turned), half)
        size = np.einsum("nki,ni->nk", np.abs(turned), np.abs(middle)) + np.abs(directions) @ np.abs(b).T
        return np.asarray(across - sway - SLOPE_ROUNDING * (size + sway), dtype=np.float64)

    def _by_terms(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of Q over boxes of xi (n, 3), the sum of each term's bounds."""
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
        """Return bounds (n, k) of Q over boxes of xi (n, 3), from Q, its slope and its curvature at the
        centres.
        """
        middle, half = 0.5 * (low + high)[:, None], 0.5 * (high - low)[:, None]
        a, b = self._parts(slice(None))
        terms = self._monomials(middle * self.size + self.origin) * self.rows
        slope = np.abs(2.0 * np.einsum("kij,nkj->nki", a, np.broadcast_to(middle, (len(low), *b.shape))) + b)
        sway = (slope * half).sum(axis=-1)
        own = self.rows[:, :3] * half**2
        mixed = (np.abs(self.rows[:, 3:6]) * half[..., _FIRST[3:]] * half[..., _SECOND[3:]]).sum(axis=-1)
        sway_of_middles = (slope * np.abs(middle)).sum(axis=-1)
        size = np.abs(terms).sum(axis=-1) + sway_of_middles + sway + np.abs(own).sum(axis=-1) + mixed
        value = terms.sum(axis=-1)
        least = value - sway - mixed + np.minimum(own, 0.0).sum(axis=-1) - _ROUNDING * size
        return least, value + sway + mixed + np.maximum(own, 0.0).sum(axis=-1) + _ROUNDING * size

    @cached_property
    def _centred(self) -> tuple[_Centred | None, ...]:
        """Each quadric with its squares completed; None where that is not possible."""
        return tuple(
            _centred(a, b, c) for a, b, c in zip(*self._parts(slice(None)), self.rows[:, 9], strict=True)
        )

    def _beyond(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of Q from how far boxes of xi (n, 3) lie beyond its centre, if it has one."""
        least, most = (
            np.full((len(low), len(self.rows)), -np.inf),
            np.full((len(low), len(self.rows)), np.inf),
        )
        for column, own in enumerate(self._centred):
            if own is not None:
                apart = np.maximum(np.maximum(low - own.middle, own.middle - high), 0.0)
                rise = (apart**2 / own.spreads).max(axis=1) * (1.0 - _FLAT) - own.rounding
                (least if own.sign > 0.0 else most)[:, column] = own.sign * rise - own.level
        return least, most

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface; EMPTY if there is none.

        It is finite along an axis only if every quadric is an ellipsoid, or a cylinder along other axes.
        """
        boxes = np.stack([self._box(own, 0.0) for own in self._centred])
        return np.stack((boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)))

    def boxes(self, level: float) -> Floats:
        """Return the boxes (k, 2, 3) about where f <= level: infinite where f has a greatest value."""
        own = [None if one is None or one.sign < 0.0 else one for one in self._centred]
        return np.stack([self._box(one, level / self.size) for one in own])

    def _box(self, own: _Centred | None, level: float) -> Floats:
        """Return the box (2, 3), in scene units, about where Q is a level."""
        if own is None:
            return -EMPTY
        size = own.sign * (own.level + level)
        if size + own.rounding < 0.0:
            return EMPTY.copy()
        widths = np.sqrt(max(size, 0.0) + own.rounding) * np.sqrt(own.spreads)
        return self.origin + self.size * np.stack((own.middle - widths, own.middle + widths))


@dataclass(frozen=True)
class _Centred:
    """A quadric with completed squares, Q(xi) = sign |xi - middle|_A^2 - level.

    Attributes:
        sign: 1 or -1.
        middle: the centre (3,), in xi.
        level: without unit.
        spreads: |xi - middle|_A^2 is at least (xi_i - middle_i)^2 / spreads_i (3,).
        rounding: absolute rounding of Q.
    """

    sign: float
    middle: Floats
    level: float
    spreads: Floats
    rounding: float


def _centred(a: Floats, b: Floats, c: float) -> _Centred | None:
    """Return xi'A xi + b . xi + c with completed squares.

    It is None where A has eigenvalues of both signs, or b a part in which A is 0.
    """
    values, axes = np.linalg.eigh(a)
    flat: Bools = np.abs(values) <= _FLAT * np.abs(values).max()
    along, bent = b @ axes, values[~flat]
    slanted = (np.abs(along[flat]) > _FLAT * np.abs(b).max()).any()
    if not len(bent) or bent.min() < 0.0 < bent.max() or slanted:
        return None
    sign = float(np.sign(bent[0]))
    squares = 0.25 * along[~flat] ** 2 / bent
    spreads = (axes[:, ~flat] ** 2 / np.abs(bent)).sum(axis=1)
    spreads[(np.abs(axes[:, flat]) > _FLAT).any(axis=1)] = np.inf
    rounding = _FLAT * float(np.abs(squares).sum() + abs(c))
    middle = axes[:, ~flat] @ (-0.5 * along[~flat] / bent)
    return _Centred(sign, middle, float(squares.sum()) - c, spreads, rounding)
