"""Spline surfaces, rational or not, as the Bezier patches they are made of.

A B-spline of degree d over knots x_0 <= x_1 <= ... is one polynomial between two of them, x_r < x_(r + 1).
The control points it has there as a Bezier piece are its blossom at (x_r, ..., x_r, x_(r + 1), ..., x_(r +
1)), which de Boor's algorithm gives from the control points r - d to r (what inserting each knot until it
comes d times would leave): at level l, for the parameter t,

    P_i <- (1 - a) P_(i - 1) + a P_i,    a = (t - x_i) / (x_(i + d + 1 - l) - x_i).

All points enter with their weights, as (w x, w y, w z, w), so rational splines are cut no differently.

Where rows of points coincide, as artists put them for a sharp edge, a piece may stand still at its end: all
its rows but the first are one, S = B_0 A + (1 - B_0) B.  That is the straight line from A to B, which is run
through evenly instead.

Source: L. Piegl and W. Tiller, The NURBS Book, 2nd ed., sections 2.2 and 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ..bernstein import raising_matrix
from ..rational import dehomogenized, homogeneous
from .bodies import bezier_boundary
from .complex import PatchComplex
from .nets import COINCIDENT

KIND = "spline"  # the name of this kind of surface in errors
_LEAST_DEGREE = 2  # the least degree of patches: forms need second differences
# Largest distance, over half the diagonal of all points, between control points that are one: some ten steps
# of single precision.
_WELDED = 1e-6
_LIGHT = 1e-4  # least weight over greatest weight of a piece: below it equal cells cannot follow the patch
# Largest distance, over the largest coordinate, between rows of a patch that are one: rounding.
_STILL = 1e-13


@dataclass(frozen=True, eq=False)
class SplineSheet:
    """A tensor product spline: points (nu, nv, 3), weights (nu, nv), and knots along u and along v.

    There are `degree + 1` more knots than points; of a cyclic direction the first points come once more at
    the end.
    """

    points: Floats
    weights: Floats
    knots: tuple[Floats, Floats]

    @property
    def degrees(self) -> tuple[int, int]:
        """The degrees along u and along v."""
        nu, nv = self.weights.shape
        return len(self.knots[0]) - nu - 1, len(self.knots[1]) - nv - 1


def spline_surface(sheets: Sequence[SplineSheet]) -> PatchComplex:
    """Return the body of spline surfaces, joined where sides of their patches coincide, outside as for
    `bezier`.

    Control points within a millionth of the size are one: single precision may part them.

    Raises:
        SurfaceError: for numbers that are not finite, weights that are not positive, nothing to bound, and a
            surface that has no tangent plane somewhere or cannot be joined.
    """
    for sheet in sheets:
        if not (np.isfinite(sheet.points).all() and np.isfinite(sheet.weights).all()):
            raise SurfaceError(KIND, "points", "found a number that is not finite", "move them back")
    control = spline_nets(_welded(sheets))
    kept = control[~_without_area(dehomogenized(control))]
    if not len(kept):
        raise SurfaceError(KIND, "points", "enclose no area", "spread them out")
    return replace(bezier_boundary(KIND, kept), loose=True)


def _welded(sheets: Sequence[SplineSheet]) -> list[SplineSheet]:
    """Return the sheets with control points that nearly coincide put in one place."""
    counts = [sheet.weights.size for sheet in sheets]
    points = np.concatenate([sheet.points.reshape(-1, 3) for sheet in sheets])
    near = _WELDED * 0.5 * float(np.linalg.norm(np.ptp(points, axis=0)))
    pairs = cKDTree(points).query_pairs(near, output_type="ndarray")
    pairs = pairs[(points[pairs[:, 0]] != points[pairs[:, 1]]).any(axis=1)]
    number = component_labels(pairs, len(points))
    first = np.unique(number, return_index=True)[1]
    parts = np.split(points[first[number]], np.cumsum(counts)[:-1])
    return [
        replace(sheet, points=part.reshape(sheet.points.shape))
        for sheet, part in zip(sheets, parts, strict=True)
    ]


def spline_nets(sheets: Sequence[SplineSheet]) -> Floats:
    """Return the control points of all patches (n, d + 1, d + 1, 3), or homogeneous ones (n, d + 1, d + 1,
    4).

    They are raised to the highest degree d among them; those along v of one sheet come one after another.
    """
    degree = max(_LEAST_DEGREE, *(d for sheet in sheets for d in sheet.degrees))
    rational = any(np.ptp(sheet.weights) != 0.0 for sheet in sheets)
    parts = [_raised(_pieces(sheet, rational), degree) for sheet in sheets]
    return np.concatenate([part.reshape(-1, *part.shape[2:]) for part in parts])


def _pieces(sheet: SplineSheet, rational: bool) -> Floats:
    """Return the patches (su, sv, p + 1, q + 1, 3 or 4) of one sheet, weights at most 1."""
    control = homogeneous(sheet.points, sheet.weights) if rational else sheet.points
    by_u, by_v = (piece_matrices(*each) for each in zip(sheet.knots, sheet.degrees, strict=True))
    pieces: Floats = np.einsum("sai,tbj,ijx->stabx", by_u, by_v, control, optimize=True)
    pieces = _kept_going(pieces)
    if not rational:
        return pieces
    least, most = pieces[..., 3].min(axis=(2, 3)), pieces[..., 3].max(axis=(2, 3))
    if not (least > _LIGHT * most).all():
        found = f"reach from {sheet.weights.min():g} to {sheet.weights.max():g}"
        raise SurfaceError(KIND, "weights", found, "make them positive, and more alike")
    scaled: Floats = pieces / most[:, :, None, None, None]
    return scaled


def _kept_going(pieces: Floats) -> Floats:
    """Return the patches (su, sv, p + 1, q + 1, c), those that stand still at an end run through evenly."""
    near = _STILL * float(np.abs(pieces).max())
    for axis in (2, 3):
        rows = np.moveaxis(pieces, axis, 2)
        first, last = rows[:, :, :1], rows[:, :, -1:]
        still = np.minimum(
            np.abs(rows[:, :, 1:] - last).max(axis=(2, 3, 4)),
            np.abs(rows[:, :, :-1] - first).max(axis=(2, 3, 4)),
        )
        share = np.linspace(0.0, 1.0, rows.shape[2])[:, None, None]
        even = (1.0 - share) * first + share * last
        pieces = np.moveaxis(np.where((still <= near)[:, :, None, None, None], even, rows), 2, axis)
    return pieces


def _raised(pieces: Floats, degree: int) -> Floats:
    """Return patches (su, sv, d + 1, d + 1, c) of one degree in both directions."""
    by_u, by_v = (raising_matrix(size - 1, degree) for size in pieces.shape[2:4])
    raised: Floats = np.einsum("ai,bj,stijx->stabx", by_u, by_v, pieces, optimize=True)
    return raised


def piece_matrices(knots: Floats, degree: int) -> Floats:
    """Return matrices (s, d + 1, n) from the n control points of a spline to those of its s Bezier pieces.

    The spline is defined from the knot x_d to the last but d.
    """
    count = len(knots) - degree - 1
    starts = np.arange(degree, count)
    starts = starts[knots[starts] < knots[starts + 1]]
    every = np.arange(degree + 1)
    points = np.zeros((len(starts), degree + 1, count))
    points[np.arange(len(starts))[:, None], every, starts[:, None] - degree + every] = 1.0
    ends = knots[starts], knots[starts + 1]
    return np.stack(
        [_blossom(points, knots, starts, [ends[0]] * (degree - i) + [ends[1]] * i) for i in every], axis=1
    )


def _blossom(points: Floats, knots: Floats, starts: Ints, parameters: Sequence[Floats]) -> Floats:
    """Return de Boor's algorithm on points (s, d + 1, n), with a parameter (s,) at each level."""
    degree = len(parameters)
    for done, t in enumerate(parameters):
        i = starts[:, None] + np.arange(done + 1 - degree, 1)
        low, high = knots[i], knots[i + degree - done]
        share = ((t[:, None] - low) / (high - low))[..., None]
        points = (1.0 - share) * points[:, :-1] + share * points[:, 1:]
    return points[:, 0]


def _without_area(points: Floats) -> Bools:
    """Return which patches (n, d + 1, d + 1, 3) do not change along u, or along v: points that coincide."""
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max(initial=0.0))
    extents = [np.ptp(points, axis=axis).max(axis=(1, 2)) for axis in (1, 2)]
    flat: Bools = np.minimum(*extents) <= COINCIDENT * size
    return flat
