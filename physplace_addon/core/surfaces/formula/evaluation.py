"""Formulas evaluated over the unit squares of patches: points, exact derivatives, proven ranges.

A patch is a rectangle of the parameters (u, v) of a *source*, three formulas (x, y, z)(u, v).  The unit
square (s, t) runs through it: each of u and v goes from `low` to `high` as one of s and t goes from 0 to 1,
and `low` may be the greater one.  With the rates d = high - low the chain rule is a product,

    S_s = d_u S_u,    S_ss = d_u^2 S_uu,    S_st = d_u d_v S_uv,

where u runs with s; where it runs with t instead (a *swapped* patch) s and t change places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...formulas import Formulas, Jet, Range

_PAIRS = ((0, 0), (0, 1), (1, 1))  # of parameters, in the order of a jet's second derivatives


@dataclass(frozen=True, eq=False)
class FormulaJets:
    """S (k, 3), its first derivatives (k, 2, 3) and second ones (k, 2, 2, 3) by s and t."""

    point: Floats
    first: Floats
    second: Floats

    def put(self, jets: Sequence[Jet], rows: Ints | slice) -> None:
        """Write the jets of x, y and z into some rows (in place)."""
        for x, jet in enumerate(jets):
            self.point[rows, x] = jet.value
            for i, slope in enumerate(jet.first):
                if slope is not None:
                    self.first[rows, i, x] = slope
            for (i, j), bend in zip(_PAIRS, jet.second, strict=False):
                if bend is not None:
                    self.second[rows, i, j, x] = bend
                    self.second[rows, j, i, x] = bend


@dataclass(frozen=True, eq=False)
class FormulaSquares:
    """n unit squares, each run through a rectangle of the parameters of its source.

    sources: formulas of x, y, z in (u, v).  source (n,): which of them.  low, high (n, 2): u and v at the
    ends of the square.  swapped (n,): u runs with t, not with s.
    """

    sources: tuple[Formulas, ...]
    source: Ints
    low: Floats
    high: Floats
    swapped: Bools

    def __len__(self) -> int:
        return len(self.source)

    def parameters(self, patch: Ints, at: Floats) -> Floats:
        """Return (u, v) (k, 2) at (s, t) (k, 2), exact at the ends of the ranges."""
        share = np.where(self.swapped[patch][:, None], at[:, ::-1], at) if self._any_swapped else at
        uv: Floats = self.low[patch] * (1.0 - share) + self.high[patch] * share
        return uv

    @cached_property
    def _any_swapped(self) -> bool:
        return bool(self.swapped.any())

    def points(self, patch: Ints, at: Floats) -> Floats:
        """Return the points (k, 3) of patches (k,) at parameters (k, 2)."""
        return self.jets(patch, at, 0).point

    def points_on_every(self, at: Floats) -> Floats:
        """Return the points (n, m, 3) of every patch at parameters (m, 2)."""
        every = np.repeat(np.arange(len(self)), len(at))
        return self.points(every, np.tile(at, (len(self), 1))).reshape(len(self), len(at), 3)

    def jets(self, patch: Ints, at: Floats, order: int = 2) -> FormulaJets:
        """Return points of patches (k,) at (s, t) (k, 2), and derivatives by s and t up to an order, 0 to 2.

        Derivatives of a higher order are zero.
        """
        uv = np.ascontiguousarray(self.parameters(patch, at).T)
        count, source = len(at), self.source[patch]
        jets = FormulaJets(np.empty((count, 3)), np.zeros((count, 2, 3)), np.zeros((count, 2, 2, 3)))
        if len(self.sources) == 1:
            jets.put(self.sources[0].numbers(uv, order), slice(None))
        else:
            for number in np.unique(source).tolist():
                rows = np.nonzero(source == number)[0]
                jets.put(self.sources[number].numbers(uv[:, rows], order), rows)
        return self._by_square(patch, jets, order)

    def _by_square(self, patch: Ints, jets: FormulaJets, order: int) -> FormulaJets:
        """Return derivatives by s and t from those by u and v."""
        first, second = jets.first, jets.second
        rate = (self.high - self.low)[patch] if order else np.ones((len(patch), 2))
        first *= rate[:, :, None]
        if order == 2:
            second *= (rate[:, :, None] * rate[:, None, :])[..., None]
        if self._any_swapped and order:
            swapped = self.swapped[patch][:, None, None]
            first = np.where(swapped, first[:, ::-1], first)
            second = np.where(swapped[..., None], second[:, ::-1, ::-1], second)
        return FormulaJets(jets.point, first, second)

    def boxes(self, patch: int, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the ends (2, k) of u and v over boxes [lower, upper] (k, 2) of s and t of one patch."""
        every = np.full(len(lower), patch)
        ends = self.parameters(every, lower), self.parameters(every, upper)
        return np.minimum(*ends).T, np.maximum(*ends).T

    @np.errstate(all="ignore")
    def ranges(self, patch: int, lower: Floats, upper: Floats) -> list[list[Range | None]]:
        """Return proven ranges over boxes [lower, upper] (k, 2) of (s, t) of one patch.

        Returns:
            for each of x, y, z, the ranges of S, S_s, S_t, S_ss, S_st, S_tt; None for zero, NaN where nothing
            could be proven.
        """
        rate_u, rate_v = (self.high - self.low)[patch].tolist()
        rates = 1.0, rate_u, rate_v, rate_u * rate_u, rate_u * rate_v, rate_v * rate_v
        order = (0, 2, 1, 5, 4, 3) if self.swapped[patch] else (0, 1, 2, 3, 4, 5)
        jets = self.sources[int(self.source[patch])].ranges(*self.boxes(patch, lower, upper))
        found = [(jet.value, *jet.first, *jet.second) for jet in jets]
        return [[None if six[i] is None else six[i] * rates[i] for i in order] for six in found]
