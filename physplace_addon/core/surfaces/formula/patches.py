"""Patches whose points are formulas in two parameters, regular up to their poles, and their sides as curves.

A patch with a pole has it at t = 1, where S_s vanishes.  With w = 1 - t

    A = S_s / w = - mean of S_st(s, t') over t <= t' <= 1,

a mean that Gauss's rule takes without cancellation close to the pole; farther away the quotient is as good.
The second fundamental form in the basis (A, B = S_t) is n . S_ss / w^2, n . S_st / w, n . S_tt.  Within
`NEAR_POLE` of the pole the first two would lose their digits: they are continued there from three places
farther out on the same meridian, by a parabola.

A side is run through by its own parameter at a constant rate, over as much of the curve's parameter as a
polygon along it is long: the speed is near 1 where that of the formula is even.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, unit
from ..bezier.nets import side_parameters
from ..geometry import Derivatives
from ..patches import POLE_SIDE, SideCurve, SidedPatches, SideEnds, Slopes
from .bounds import cell_bounds, largest_lengths
from .evaluation import FormulaJets, FormulaSquares

# w below which a form is continued from the places w = 1, 2 and 3 times this one: n . S_ss / w^2 has lost 20
# of its 53 bits there.
NEAR_POLE = 2.0**-10
_MEAN_WITHIN = 2.0**-6  # w below which A is taken as a mean: three nodes err by less than rounding there
_GAUSS = np.array([0.5 - 0.15**0.5, 0.5, 0.5 + 0.15**0.5]), np.array([5.0, 8.0, 5.0]) / 18.0  # on [0, 1]
_SIDE_SAMPLES = 9  # points along a side, by which sides are compared and measured
_SAMPLES = 17  # points in each direction of a patch, by which its size is measured


@dataclass(frozen=True, eq=False)
class FormulaSides(SideCurve):
    """Sides (m,) of patches (m,) end to end, some of them (m,) run through backwards."""

    patches: FormulaPatches
    patch: Ints
    side: Ints
    backwards: Bools

    @cached_property
    def knots(self) -> Floats:
        """Sums (m + 1,) of the lengths of polygons along the sides, scene units."""
        polygon = np.diff(self.patches.side_points[self.patch, self.side], axis=1)
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(polygon, axis=2).sum(axis=1))])

    def _shares(self, piece: Ints, t: Floats) -> tuple[Floats, Floats]:
        """Return the side's own parameters (k,), and their rates (k,) by t."""
        width = np.diff(self.knots)[piece]
        share = np.clip((t - self.knots[piece]) / width, 0.0, 1.0)
        against = self.backwards[piece]
        return np.where(against, 1.0 - share, share), np.where(against, -1.0, 1.0) / width

    def jet(self, t: Floats) -> Floats:
        """Return the point and its first two derivatives by t, side by side (k, 9)."""
        piece = self.piece_of(t)
        share, rate = self._shares(piece, t)
        side = self.side[piece]
        found = self.patches.derivatives(self.patch[piece], side_parameters(side, share))
        by_t = (side < 2)[:, None]
        first = np.where(by_t, found.dv, found.du) * rate[:, None]
        second = np.where(by_t, found.dvv, found.duu) * (rate * rate)[:, None]
        return np.concatenate([found.point, first, second], axis=1)

    def chord_bounds(self, lower: Floats, upper: Floats) -> Floats:
        """Return an eighth of the largest second derivative over each arc, times its width squared, (k,)."""
        piece = self.piece_of(0.5 * (lower + upper))
        ends = np.stack([self._shares(piece, t)[0] for t in (lower, upper)])
        low, high = ends.min(axis=0), ends.max(axis=0)
        bounds = np.empty(len(lower))
        for number in np.unique(piece).tolist():
            rows, side = np.nonzero(piece == number)[0], int(self.side[number])
            sides = np.full(len(rows), side)
            boxes = side_parameters(sides, low[rows]), side_parameters(sides, high[rows])
            ranges = self.patches.ranges(int(self.patch[number]), *boxes)
            most = largest_lengths([six[5 if side < 2 else 3] for six in ranges], len(rows))
            bounds[rows] = 0.125 * (high - low)[rows] ** 2 * most + self.patches.seam
        return bounds


@dataclass(frozen=True, eq=False)
class FormulaPatches(FormulaSquares, SidedPatches):
    """Patches of formulas that can be joined by their sides.

    polar (n,): whether the side t = 1 is one point.  seam: how far apart points may be that count as one,
    scene units.
    """

    polar: Bools
    seam: float = 0.0

    def __len__(self) -> int:
        return len(self.source)

    def turned_over(self, rows: Bools) -> FormulaPatches:
        """Return the patches with some (n,) of them facing the other way: s runs backwards."""
        axis = np.stack([rows & ~self.swapped, rows & self.swapped], axis=1)
        return replace(
            self, low=np.where(axis, self.high, self.low), high=np.where(axis, self.low, self.high)
        )

    @cached_property
    def pole(self) -> Floats:
        """The mean of the side t = 1 of each polar patch, zero for the others (n, 3)."""
        mean = self.side_points[:, POLE_SIDE].mean(axis=1)
        pole: Floats = np.where(self.polar[:, None], mean, 0.0)
        return pole

    @cached_property
    def side_points(self) -> Floats:
        """Points (n, 4, 9, 3) along the sides."""
        t = np.linspace(0.0, 1.0, _SIDE_SAMPLES)
        ends = np.zeros_like(t), np.ones_like(t)
        at = np.stack(
            [np.column_stack([end, t]) for end in ends] + [np.column_stack([t, end]) for end in ends]
        )
        return self.points_on_every(at.reshape(-1, 2)).reshape(len(self), 4, _SIDE_SAMPLES, 3)

    @cached_property
    def sample_points(self) -> Floats:
        """Points (n, 289, 3) all over the patches."""
        t = np.linspace(0.0, 1.0, _SAMPLES)
        return self.points_on_every(np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1).reshape(-1, 2))

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of the sample points."""
        return float(np.abs(self.sample_points).max())

    @cached_property
    def ends(self) -> SideEnds:
        """Ends of the sides, and tangents there; zero along a pole."""
        patch = np.repeat(np.arange(len(self)), 4)
        corners = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (len(self), 1))
        jets = self.jets(patch, corners, 1)
        point, first = (part.reshape(len(self), 2, 2, *part.shape[1:]) for part in (jets.point, jets.first))
        size = np.linalg.norm(first, axis=-1, keepdims=True)
        first = np.where(size > 0.0, first / np.where(size > 0.0, size, 1.0), 0.0)
        by_s, by_t, sign = first[..., 0, :], first[..., 1, :], np.array([[1.0], [-1.0]])
        leaving = [by_t[:, 0] * sign, by_t[:, 1] * sign, by_s[:, :, 0] * sign, by_s[:, :, 1] * sign]
        places = [point[:, 0], point[:, 1], point[:, :, 0], point[:, :, 1]]
        return SideEnds(np.stack(places, axis=1), np.stack(leaving, axis=1))

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Return points and tangents of patches (k,) at parameters (k, 2)."""
        return self._slopes_of(self.jets(patch, at, 1), patch, at)

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
        """Return A (k, 3) close to the pole: minus the mean of S_st from t to 1."""
        nodes, weights = _GAUSS
        t = at[:, 1, None] + (1.0 - at[:, 1, None]) * nodes
        every = np.column_stack([np.repeat(at[:, 0], len(nodes)), t.ravel()])
        mixed = self.jets(np.repeat(patch, len(nodes)), every).second[:, 0, 1]
        mean: Floats = -np.einsum("g,kgi->ki", weights, mixed.reshape(len(at), -1, 3))
        return mean

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals A x B (k, 3), and n . d2S in the basis (A, B), (k, 2, 2)."""
        jets = self.jets(patch, at)
        slopes = self._slopes_of(jets, patch, at)
        normal = unit(cross(slopes.along, slopes.across))
        form = (jets.second @ normal[:, None, :, None])[..., 0]
        if self.has_poles:
            w = np.maximum(slopes.scale, 0.5 * NEAR_POLE)
            form = form / np.stack([w * w, w, w, np.ones_like(w)], axis=1).reshape(-1, 2, 2)
            close = np.nonzero(self.polar[patch] & (slopes.scale < NEAR_POLE))[0]
            if len(close):
                continued = self._continued(patch[close], at[close])
                form[close, 0, 0] = continued[:, 0, 0]
                form[close, 0, 1] = form[close, 1, 0] = continued[:, 0, 1]
        return slopes, normal, form

    def _continued(self, patch: Ints, at: Floats) -> Floats:
        """Return the form (k, 2, 2) close to a pole, by the parabola through those at three places of the
        same meridian.
        """
        x = (1.0 - at[:, 1]) / NEAR_POLE
        every = [np.column_stack([at[:, 0], np.full(len(at), 1.0 - m * NEAR_POLE)]) for m in (1.0, 2.0, 3.0)]
        found = self.forms(np.tile(patch, 3), np.concatenate(every))[2].reshape(3, -1, 2, 2)
        weights = 0.5 * (x - 2.0) * (x - 3.0), -(x - 1.0) * (x - 3.0), 0.5 * (x - 1.0) * (x - 2.0)
        form: Floats = np.einsum("mk,mkab->kab", np.stack(weights), found)
        return form

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the exact partial derivatives by s and t to second order of patches (k,) at (k, 2)."""
        jets = self.jets(patch, at)
        first, second = jets.first, jets.second
        return Derivatives(
            jets.point, first[:, 0], first[:, 1], second[:, 0, 0], second[:, 0, 1], second[:, 1, 1]
        )

    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return the bounds of `SidedPatches`, by ranges of the second derivatives over each cell."""
        return cell_bounds(self, patch, (cells_u, cells_v), self.reach, self.seam)

    def side_curve(self, patch: Ints, side: Ints, backwards: Bools) -> FormulaSides:
        """Return sides (m,) of patches (m,) as one curve, some of them run through backwards."""
        return FormulaSides(self, patch, side, backwards)
