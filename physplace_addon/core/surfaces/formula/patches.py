"""The sides of patches of formulas as curves, exact to second order.

A side is run through by its own parameter at a constant rate, over as much of the curve's parameter as a
polygon along it is long: the speed is near 1 where that of the formula is even.

Patches whose points are formulas in two parameters, regular up to their poles.

A patch is a rectangle of the parameters of a *source*, three formulas (x, y, z)(u, v), run through by the
unit square (s, t): each of u and v goes from `low` to `high`, which may be the lesser, as one of s and t
goes from 0 to 1.  A patch with a pole has it at t = 1, where S_s vanishes.  With w = 1 - t

    A = S_s / w = - mean of S_st(s, t') over t <= t' <= 1,

a mean that Gauss's rule takes without cancellation close to the pole; farther away the quotient is as good.
The second fundamental form in the basis (A, B = S_t) is n . S_ss / w^2, n . S_st / w, n . S_tt.  Within NEAR
of the pole the first two would lose their digits: they are continued there from three places farther out on
the same meridian, by a parabola.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...formulas import Formulas, Jet, Range
from ...vectors import cross, unit
from ..base import Derivatives, Hulls
from ..bezier.nets import side_parameters
from ..patches import POLE_SIDE, SideCurve, SidedPatches, SideEnds, Slopes
from .bounds import cell_bounds, hulls_of, magnitudes, may_wave

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, eq=False)
class FormulaSides(SideCurve):
    """Sides (m,) of patches (m,), some of them (m,) run through backwards."""

    patches: FormulaPatches
    patch: Ints
    side: Ints
    backwards: Bools

    @cached_property
    def knots(self) -> Floats:
        """Sums of the lengths of polygons along the sides."""
        polygon = np.diff(self.patches.sides[self.patch, self.side], axis=1)
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(polygon, axis=2).sum(axis=1))])

    def _shares(self, piece: Ints, t: Floats) -> tuple[Floats, Floats]:
        """The side's own parameters (k,), and their rates (k,) by t."""
        width = np.diff(self.knots)[piece]
        share = np.clip((t - self.knots[piece]) / width, 0.0, 1.0)
        against = self.backwards[piece]
        return np.where(against, 1.0 - share, share), np.where(against, -1.0, 1.0) / width

    def jet(self, t: Floats) -> Floats:
        """Return the point and its derivatives."""
        piece = self.piece_of(t)
        share, rate = self._shares(piece, t)
        side = self.side[piece]
        found = self.patches.derivatives(self.patch[piece], side_parameters(side, share))
        by_t = (side < 2)[:, None]
        first = np.where(by_t, found.dv, found.du) * rate[:, None]
        second = np.where(by_t, found.dvv, found.duu) * (rate * rate)[:, None]
        return np.concatenate([found.point, first, second], axis=1)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return an eighth of the most of the second derivative over each arc, times its width squared."""
        piece = self.piece_of(0.5 * (lower + upper))
        ends = np.stack([self._shares(piece, t)[0] for t in (lower, upper)])
        low, high = ends.min(axis=0), ends.max(axis=0)
        bounds = np.empty(len(lower))
        for number in np.unique(piece).tolist():
            rows, side = np.nonzero(piece == number)[0], int(self.side[number])
            sides = np.full(len(rows), side)
            boxes = side_parameters(sides, low[rows]), side_parameters(sides, high[rows])
            ranges = self.patches.ranges(int(self.patch[number]), *boxes)
            most = magnitudes([six[5 if side < 2 else 3] for six in ranges], len(rows))
            bounds[rows] = 0.125 * (high - low)[rows] ** 2 * most + self.patches.seam
        return bounds


NEAR = 2.0**-10  # w within which a form is continued from NEAR, 2 NEAR and 3 NEAR
_MEAN_WITHIN = 2.0**-6  # w within which A is taken as a mean
_GAUSS = np.array([0.5 - 0.15**0.5, 0.5, 0.5 + 0.15**0.5]), np.array([5.0, 8.0, 5.0]) / 18.0
_SIDE_SAMPLES = 9
_SAMPLES = 17
_PAIRS = ((0, 0), (0, 1), (1, 1))


@dataclass(frozen=True, eq=False)
class FormulaJets:
    """S (k, 3), its first derivatives (k, 2, 3) and second ones (k, 2, 2, 3) by s and t."""

    point: Floats
    first: Floats
    second: Floats

    def put(self, jets: Sequence[Jet], rows: Ints | slice) -> None:
        """Put the jets of x, y and z into some rows (in place)."""
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
class FormulaPatches(SidedPatches):
    """sources: formulas of x, y, z.  For n patches source (n,), low and high (n, 2) of u and v; swapped (n,):
    u runs with t, not with s.  seam: how far apart points may be that count as one.
    """

    sources: tuple[Formulas, ...]
    source: Ints
    low: Floats
    high: Floats
    swapped: Bools
    polar: Bools
    seam: float = 0.0

    def __len__(self) -> int:
        return len(self.source)

    def taken(self, rows: Ints) -> FormulaPatches:
        """Return some of the patches."""
        return replace(
            self,
            source=self.source[rows],
            low=self.low[rows],
            high=self.high[rows],
            swapped=self.swapped[rows],
            polar=self.polar[rows],
        )

    def turned_over(self, rows: Bools) -> FormulaPatches:
        """Return the patches with some (n,) of them facing the other way: s runs backwards."""
        axis = np.stack([rows & ~self.swapped, rows & self.swapped], axis=1)
        return replace(
            self, low=np.where(axis, self.high, self.low), high=np.where(axis, self.low, self.high)
        )

    def parameters(self, patch: Ints, at: Floats) -> Floats:
        """Return (u, v) (k, 2) at (s, t) (k, 2), exact at the ends of the ranges."""
        share = np.where(self.swapped[patch][:, None], at[:, ::-1], at) if self._any_swapped else at
        uv: Floats = self.low[patch] * (1.0 - share) + self.high[patch] * share
        return uv

    @cached_property
    def _any_swapped(self) -> bool:
        return bool(self.swapped.any())

    def _jets(self, patch: Ints, at: Floats, order: int) -> FormulaJets:
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
        """Derivatives by u and v turned into those by s and t."""
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

    @cached_property
    def pole(self) -> Floats:
        """The mean of the side t = 1 of each polar patch."""
        mean = self.sides[:, POLE_SIDE].mean(axis=1)
        pole: Floats = np.where(self.polar[:, None], mean, 0.0)
        return pole

    @cached_property
    def sides(self) -> Floats:
        """Points (n, 4, m, 3) along the sides."""
        t = np.linspace(0.0, 1.0, _SIDE_SAMPLES)
        ends = np.zeros_like(t), np.ones_like(t)
        at = np.stack(
            [np.column_stack([end, t]) for end in ends] + [np.column_stack([t, end]) for end in ends]
        )
        return self._on_every(at.reshape(-1, 2)).reshape(len(self), 4, _SIDE_SAMPLES, 3)

    def points(self, patch: Ints, at: Floats) -> Floats:
        """Return the points (k, 3) of patches (k,) at parameters (k, 2)."""
        return self._jets(patch, at, 0).point

    def _on_every(self, at: Floats) -> Floats:
        """Points (n, m, 3) of every patch at parameters (m, 2)."""
        every = np.repeat(np.arange(len(self)), len(at))
        return self.points(every, np.tile(at, (len(self), 1))).reshape(len(self), len(at), 3)

    @cached_property
    def samples(self) -> Floats:
        """Points (n, m, 3) all over the patches."""
        t = np.linspace(0.0, 1.0, _SAMPLES)
        return self._on_every(np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2))

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of the samples."""
        return float(np.abs(self.samples).max())

    @cached_property
    def ends(self) -> SideEnds:
        """Ends of the sides, and tangents there; zero along a pole."""
        patch = np.repeat(np.arange(len(self)), 4)
        corners = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (len(self), 1))
        jets = self._jets(patch, corners, 1)
        point, first = (part.reshape(len(self), 2, 2, *part.shape[1:]) for part in (jets.point, jets.first))
        size = np.linalg.norm(first, axis=-1, keepdims=True)
        first = np.where(size > 0.0, first / np.where(size > 0.0, size, 1.0), 0.0)
        by_s, by_t, sign = first[..., 0, :], first[..., 1, :], np.array([[1.0], [-1.0]])
        leaving = [by_t[:, 0] * sign, by_t[:, 1] * sign, by_s[:, :, 0] * sign, by_s[:, :, 1] * sign]
        places = [point[:, 0], point[:, 1], point[:, :, 0], point[:, :, 1]]
        return SideEnds(np.stack(places, axis=1), np.stack(leaving, axis=1))

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Evaluate points and tangents of patches (k,) at parameters (k, 2)."""
        return self._slopes_of(self._jets(patch, at, 1), patch, at)

    def _slopes_of(self, jets: FormulaJets, patch: Ints, at: Floats) -> Slopes:
        along, across, scale = jets.first[:, 0], jets.first[:, 1], np.ones(len(at))
        if self.has_poles:
            polar = self.polar[patch]
            scale = np.where(polar, 1.0 - at[:, 1], 1.0)
            along = along / np.where(scale > 0.0, scale, 1.0)[:, None]
            close = np.nonzero(polar & (scale < _MEAN_WITHIN))[0]
            if len(close):
                along[close] = self._mean_along(patch[close], at[close])
        return Slopes(jets.point, along, across, scale)

    def _mean_along(self, patch: Ints, at: Floats) -> Floats:
        """A (k, 3) close to the pole: minus the mean of S_st from t to 1."""
        nodes, weights = _GAUSS
        t = at[:, 1, None] + (1.0 - at[:, 1, None]) * nodes
        every = np.column_stack([np.repeat(at[:, 0], len(nodes)), t.ravel()])
        mixed = self._jets(np.repeat(patch, len(nodes)), every, 2).second[:, 0, 1]
        mean: Floats = -np.einsum("g,kgi->ki", weights, mixed.reshape(len(at), -1, 3))
        return mean

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals A x B (k, 3), and n . d2S in the basis (A, B), (k, 2, 2)."""
        jets = self._jets(patch, at, 2)
        slopes = self._slopes_of(jets, patch, at)
        normal = unit(cross(slopes.along, slopes.across))
        form = (jets.second @ normal[:, None, :, None])[..., 0]
        if self.has_poles:
            w = np.maximum(slopes.scale, 0.5 * NEAR)
            form = form / np.stack([w * w, w, w, np.ones_like(w)], axis=1).reshape(-1, 2, 2)
            close = np.nonzero(self.polar[patch] & (slopes.scale < NEAR))[0]
            if len(close):
                continued = self._continued(patch[close], at[close])
                form[close, 0, 0] = continued[:, 0, 0]
                form[close, 0, 1] = form[close, 1, 0] = continued[:, 0, 1]
        return slopes, normal, form

    def _continued(self, patch: Ints, at: Floats) -> Floats:
        """The form close to a pole: the parabola through those at three places of the same meridian."""
        x = (1.0 - at[:, 1]) / NEAR
        every = [np.column_stack([at[:, 0], np.full(len(at), 1.0 - m * NEAR)]) for m in (1.0, 2.0, 3.0)]
        found = self.forms(np.tile(patch, 3), np.concatenate(every))[2].reshape(3, -1, 2, 2)
        weights = 0.5 * (x - 2.0) * (x - 3.0), -(x - 1.0) * (x - 3.0), 0.5 * (x - 1.0) * (x - 2.0)
        form: Floats = np.einsum("mk,mkab->kab", np.stack(weights), found)
        return form

    def jets(self, patch: Ints, at: Floats) -> FormulaJets:
        """Return points and derivatives by s and t to second order."""
        return self._jets(patch, at, 2)

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives by s and t to second order."""
        jets = self._jets(patch, at, 2)
        first, second = jets.first, jets.second
        return Derivatives(
            jets.point, first[:, 0], first[:, 1], second[:, 0, 0], second[:, 0, 1], second[:, 1, 1]
        )

    def boxes(self, patch: int, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the ranges (2, k) of u and v over boxes (k, 2) of s and t of one patch."""
        every = np.full(len(lower), patch)
        ends = self.parameters(every, lower), self.parameters(every, upper)
        return np.minimum(*ends).T, np.maximum(*ends).T

    @np.errstate(all="ignore")
    def ranges(self, patch: int, lower: Floats, upper: Floats) -> list[list[Range | None]]:
        """Return proven ranges over boxes (k, 2) of one patch, for each of x, y, z, of S, S_s, S_t, S_ss,
        S_st, S_tt; None for zero, NaN where nothing could be proven.
        """
        rate_u, rate_v = (self.high - self.low)[patch].tolist()
        rates = 1.0, rate_u, rate_v, rate_u * rate_u, rate_u * rate_v, rate_v * rate_v
        order = (0, 2, 1, 5, 4, 3) if self.swapped[patch] else (0, 1, 2, 3, 4, 5)
        jets = self.sources[int(self.source[patch])].ranges(*self.boxes(patch, lower, upper))
        found = [(jet.value, *jet.first, *jet.second) for jet in jets]
        return [[None if six[i] is None else six[i] * rates[i] for i in order] for six in found]

    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return the bounds of `SidedPatches`, by ranges of the second derivatives over each cell."""
        return cell_bounds(self, patch, (cells_u, cells_v))

    @property
    def has_hulls(self) -> bool:
        """They have."""
        return True

    def hulls(self, patch: Ints, lower: Floats, upper: Floats) -> Hulls:
        """Return the hulls of parts."""
        return hulls_of(self, patch, lower, upper)

    def may_wave(self, patch: Ints, lower: Floats, upper: Floats) -> Bools:
        """Tell which parts have second derivatives that vary much."""
        return may_wave(self, patch, lower, upper)

    def side_curve(self, patch: Ints, side: Ints, backwards: Bools) -> FormulaSides:
        """Return sides as one curve."""
        return FormulaSides(self, patch, side, backwards)
