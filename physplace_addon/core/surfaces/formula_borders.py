"""The sides of patches of formulas as curves, exact to second order.

A side is run through by its own parameter at a constant rate, over as much of the curve's parameter as a
polygon along it is long: the speed is near 1 where that of the formula is even.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools, Floats, Ints
from .bezier_nets import side_parameters
from .formula_cells import magnitudes
from .patches import SideCurve

if TYPE_CHECKING:
    from .formula_patches import FormulaPatches


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
