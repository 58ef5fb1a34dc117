"""Proven bounds on patches of formulas: on their distance to triangles, and by hulls on how they may wave.

*Cells.*  The bound is that of `cell_bounds`, with the largest |S_ss| and |S_tt| over a cell from ranges.
Ranges over a large cell are wide, so each cell is taken in parts.  Where they prove nothing they are infinite
or NaN, and the body's whole size stands in.

*Hulls.*  Waves finer than the triangles show in these.  The polynomial of a part is Taylor's about its
middle, to second order.  How much the second derivatives differ from that polynomial's follows, coordinate by
coordinate, from their ranges over the part; so the `twists` of the hulls are the three axes, and a fourth
that is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...formulas import Range
from ...vectors import cross, unit
from ..cell_bounds import bilinear_bounds
from ..geometry import Hulls
from .evaluation import FormulaSquares

# Least number of parts along a patch over which ranges are taken: with fewer, whole periods of a sine fall
# into one part and its range is as wide as the wave is high.
_LEAST_PARTS = 16
_ROUNDING = 2.0**-50  # largest rounding of a point, over the largest coordinate
_MOST_WORK = 20_000_000  # cells times operations of their formulas: a few seconds
_FROM_MIDDLE = np.array([-0.5, -1.0 / 6.0, 1.0 / 6.0, 0.5])  # cubic control points of u - 1/2
_SQUARED = np.array([0.25, -1.0 / 12.0, -1.0 / 12.0, 0.25])  # and of (u - 1/2)^2
_LITTLE = 0.5  # largest change of a second derivative, over itself, at which corners show all waves
_UNKNOWN = 1e100  # what ranges leave unbounded; infinity would make NaN when multiplied by zero
_SECOND = ((0, 0, 1), (0, 1, 1))  # rows and columns of S_ss, S_st, S_tt


@np.errstate(all="ignore")
def largest_lengths(ranges: Sequence[Range | None], count: int) -> Floats:
    """Return the largest lengths (k,) of vectors whose coordinates lie in ranges (k,); infinite if unknown.

    Args:
        ranges: of each coordinate; None for zero.
        count: k.
    """
    squares = np.zeros(count)
    for own in ranges:
        if own is not None:
            squares = squares + own.magnitude**2
    most: Floats = np.sqrt(squares)
    return np.where(np.isnan(most), np.inf, most)


def grid_boxes(count_u: int, count_v: int) -> tuple[Floats, Floats]:
    """Return lower and upper corners (count_u count_v, 2) of equal boxes of the unit square, u outermost."""
    u, v = np.arange(count_u + 1) / count_u, np.arange(count_v + 1) / count_v
    ends = (u[:-1], v[:-1]), (u[1:], v[1:])
    lower, upper = (np.column_stack([np.repeat(a, count_v), np.tile(b, count_u)]) for a, b in ends)
    return lower, upper


@np.errstate(all="ignore")
def cell_bounds(
    squares: FormulaSquares, patch: int, cells: tuple[int, int], reach: float, seam: float
) -> tuple[Floats, Floats, Floats]:
    """Return proven bounds on the distance of one patch to the triangles of equal cells.

    Args:
        squares: the patches.
        patch: which of them.
        cells: how many along s and along t.
        reach: the largest coordinate of the patches, scene units.
        seam: how far apart points may be that count as one, scene units.

    Returns:
        the bounds (cells,), s outermost, and their parts ds^2 max|S_ss| and dt^2 max|S_tt|, scene units.

    Raises:
        SurfaceError: for more cells than can be bounded in a few seconds.
    """
    parts = [max(1, -(-_LEAST_PARTS // count)) for count in cells]
    _check_work(squares, patch, cells)
    lower, upper = grid_boxes(cells[0] * parts[0], cells[1] * parts[1])
    ranges = squares.ranges(patch, lower, upper)

    def gathered(values: Floats) -> Floats:
        """Return the values of the parts of each cell (cells, parts)."""
        grid = np.broadcast_to(values, len(lower)).reshape(cells[0], parts[0], cells[1], parts[1])
        return grid.transpose(0, 2, 1, 3).reshape(cells[0] * cells[1], -1)

    bends = [
        gathered(largest_lengths([six[which] for six in ranges], len(lower))).max(axis=1) / count**2
        for which, count in ((3, cells[0]), (5, cells[1]))
    ]
    points = [six[0] for six in ranges]
    extent = [
        gathered(own.upper).max(axis=1) - gathered(own.lower).min(axis=1) for own in points if own is not None
    ]
    box = np.sqrt(np.sum([np.square(own) for own in extent], axis=0))
    bounds = np.fmin(bilinear_bounds(_corners(squares, patch, cells), *bends), box)
    whole = 2.0 * 3.0**0.5 * reach
    bounds = np.where(np.isfinite(bounds), bounds, whole)
    return bounds + seam + _ROUNDING * reach, bends[0], bends[1]


def _check_work(squares: FormulaSquares, patch: int, cells: tuple[int, int]) -> None:
    """Raise SurfaceError for more cells than can be bounded in a few seconds."""
    operations = len(squares.sources[int(squares.source[patch])].nodes)
    if operations * cells[0] * cells[1] > _MOST_WORK:
        found = f"needs more than {cells[0] * cells[1]} cells for formulas of {operations} operations"
        raise SurfaceError(
            "formula", "tolerance", found, "use a larger tolerance, or formulas with fewer waves"
        )


def _corners(squares: FormulaSquares, patch: int, cells: tuple[int, int]) -> Floats:
    """Return the corners (cells, 4, 3) of the cells of one patch, numbered as in `cell_bounds`."""
    u, v = (np.arange(count + 1) / count for count in cells)
    at = np.column_stack([np.repeat(u, len(v)), np.tile(v, len(u))])
    points = squares.points(np.full(len(at), patch), at).reshape(len(u), len(v), 3)
    four = points[:-1, :-1], points[1:, :-1], points[:-1, 1:], points[1:, 1:]
    return np.stack([corner.reshape(-1, 3) for corner in four], axis=1)


def hulls_of(squares: FormulaSquares, patch: Ints, lower: Floats, upper: Floats) -> Hulls:
    """Return the hulls of patches (k,) over rectangles [lower, upper] (k, 2) of (s, t)."""
    part = _Part.of(squares, patch, lower, upper)
    axes = np.broadcast_to(np.eye(4, 3), (len(patch), 4, 3))
    bends = np.concatenate([part.bends, np.zeros((len(patch), 3, 1))], axis=2)
    return Hulls(_taylor(part.point, part.first, part.second), axes, bends)


def may_wave(squares: FormulaSquares, patch: Ints, lower: Floats, upper: Floats) -> Bools:
    """Return which parts (k,) of patches may bend back within.

    Those are the parts whose second derivatives along the normal vary by half of their size in the middle, or
    more.
    """
    part = _Part.of(squares, patch, lower, upper)
    normal = unit(cross(part.first[:, 0], part.first[:, 1]))
    bend, more = part.second @ normal[:, :, None], part.bends @ np.abs(normal)[:, :, None]
    waves: Bools = np.linalg.norm(more[..., 0], axis=1) > _LITTLE * np.linalg.norm(bend[..., 0], axis=1)
    return waves


@dataclass(frozen=True)
class _Part:
    """Parts as functions of the unit square.

    point (k, 3), first (k, 2, 3) and second derivatives (k, 3, 3) at the middles; bends (k, 3, 3): how much
    each coordinate of the second ones may differ from these over the part.
    """

    point: Floats
    first: Floats
    second: Floats
    bends: Floats

    @classmethod
    def of(cls, squares: FormulaSquares, patch: Ints, lower: Floats, upper: Floats) -> _Part:
        """Return patches (k,) over rectangles [lower, upper] (k, 2) of (s, t)."""
        size = upper - lower
        products = np.stack([size[:, 0] ** 2, size[:, 0] * size[:, 1], size[:, 1] ** 2], axis=1)[..., None]
        jets = squares.jets(patch, 0.5 * (lower + upper))
        second = jets.second[:, _SECOND[0], _SECOND[1]]
        bends = np.empty_like(second)
        for number in np.unique(patch).tolist():
            rows = np.nonzero(patch == number)[0]
            bends[rows] = _differences(squares.ranges(number, lower[rows], upper[rows]), second[rows])
        return cls(jets.point, size[..., None] * jets.first, products * second, products * bends)


@np.errstate(all="ignore")
def _differences(ranges: Sequence[Sequence[Range | None]], second: Floats) -> Floats:
    """Return how much each coordinate of second derivatives in ranges may differ from those at the middles
    (k, 3, 3).
    """
    most = np.zeros_like(second)
    for x, six in enumerate(ranges):
        for which, own in enumerate(six[3:]):
            if own is not None:
                here = second[:, which, x]
                most[:, which, x] = np.maximum(own.upper - here, here - own.lower)
    return np.where(np.isfinite(most), most, _UNKNOWN)


def _taylor(point: Floats, first: Floats, second: Floats) -> Floats:
    """Return control points (k, 4, 4, 3) of polynomials from their derivatives at the middle of the unit
    square.
    """
    by_u, by_v = _FROM_MIDDLE[:, None], _FROM_MIDDLE[None]
    by_uu, by_vv = 0.5 * _SQUARED[:, None], 0.5 * _SQUARED[None]
    terms = np.broadcast_arrays(by_u, by_v, by_uu, by_u * by_v, by_vv)
    parts = np.concatenate([first, second], axis=1)
    control: Floats = point[:, None, None] + np.einsum("nij,knx->kijx", np.stack(terms), parts)
    return control
