"""Edges of Bezier patches: chains of sides that are open, or along which two faces meet at an angle.

A chain goes on over the corners of its patches as long as its tangent does.  It is one curve, run through at
a speed near 1, so that the parameter is nearly the arc length.  Where a chain turns sharply, or other than
two sides meet, there is a vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import dot, length
from ..base import Curve
from ..geometry import EdgeGeometry, Interval
from ..patches import Patches, SideCurve
from .nets import side_parameters

_NONE = -1  # stands for no patch


@dataclass(frozen=True, eq=False)
class PatchSides(ArrayRecord):
    """Sides (m,) of patches (m,), patch -1 where there is none; backwards (m,): followed against their
    parameter.
    """

    patch: Ints
    side: Ints
    backwards: Bools

    def reversed(self, which: Bools) -> PatchSides:
        """Return the sides, some of them (m,) followed the other way."""
        return PatchSides(self.patch, self.side, self.backwards ^ which)

    def at(self, rows: Ints, share: Floats) -> Floats:
        """Return the parameters (k, 2) on the patches of sides `rows` (k,), a share (k,) of the way along
        them.
        """
        return side_parameters(self.side[rows], np.where(self.backwards[rows], 1.0 - share, share))


@dataclass(frozen=True, eq=False)
class BorderChain(Curve):
    """One edge: sides `first` one after another, and the sides `second` of the faces across them, if any.

    nets: the patches.  closed: whether it ends where it starts.  curve: all its sides as one.
    """

    nets: Patches
    first: PatchSides
    second: PatchSides
    closed: bool
    curve: SideCurve

    @property
    def knots(self) -> Floats:
        """Parameters (m + 1,) of the corners between the sides, both ends included."""
        return self.curve.knots

    @cached_property
    def domain(self) -> Interval:
        """From 0 to about the length, scene units; periodic where the chain is closed."""
        return Interval(0.0, float(self.knots[-1]), periodic=self.closed)

    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return points, unit tangents and curvature vectors at t (k,)."""
        jet = self.curve.jet(t)
        first, second = jet[:, 3:6], jet[:, 6:9]
        square = dot(first, first)
        tangent = first / np.sqrt(square)[:, None]
        bend = (second - dot(second, tangent)[:, None] * tangent) / square[:, None]
        return EdgeGeometry(jet[:, :3], tangent, bend)

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return t (k,) moved by an arc length (k,): a step by the speed, then one by what it missed."""
        speed = self._speed(t)
        ahead = distance / speed
        moved = self.domain.contain(t + ahead)
        span = moved - t
        if self.closed:
            span = span + self.domain.length * np.round((ahead - span) / self.domain.length)
        middle = self.domain.contain(t + 0.5 * span)
        halfway, there = self._speed(np.concatenate([middle, moved])).reshape(2, -1)
        missed = distance - span / 6.0 * (speed + 4.0 * halfway + there)  # by Simpson's rule
        return self.domain.contain(moved + missed / there)

    def _speed(self, t: Floats) -> Floats:
        return length(self.curve.jet(t)[:, 3:6])

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the conormals (k, 2, 3): into the face of the first sides, and of the second, NaN where
        there is none.
        """
        tangent = self.geometry(edge, t).tangent
        piece, share = self._place(t)
        out = np.full((len(t), 2, 3), np.nan)
        for number, sides in enumerate((self.first, self.second)):
            rows = np.nonzero(sides.patch[piece] != _NONE)[0]
            if len(rows):
                out[rows, number] = self._inward(sides, piece[rows], share[rows], tangent[rows])
        return out

    def _inward(self, sides: PatchSides, piece: Ints, share: Floats, tangent: Floats) -> Floats:
        slopes = self.nets.slopes(sides.patch[piece], sides.at(piece, share))
        side = sides.side[piece]
        into = np.where((side < 2)[:, None], slopes.along, slopes.across)
        into = np.where((side % 2 == 1)[:, None], -into, into)
        into = into - dot(into, tangent)[:, None] * tangent
        inward: Floats = into / length(into)[:, None]
        return inward

    def _place(self, t: Floats) -> tuple[Ints, Floats]:
        piece = self.curve.piece_of(t)
        share = (t - self.knots[piece]) / (self.knots[piece + 1] - self.knots[piece])
        return piece, np.clip(share, 0.0, 1.0)

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return bounds (k,) on the distances of arcs to their chords."""
        return self.curve.chord_bounds(lower, upper)
