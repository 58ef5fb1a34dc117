"""Proven bounds on the distance from patches of formulas to their triangles.

The bound is that of `cell_bounds`, with the largest |S_ss| and |S_tt| over a cell from ranges.  Ranges over a
large cell are wide, so each cell is taken in parts.  Where they prove nothing they are infinite or NaN, and
the body's whole size stands in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats
from ...errors import SurfaceError
from ...formulas import Range
from ..cell_bounds import bilinear_bounds
from .evaluation import FormulaSquares

# Least number of parts along a patch over which ranges are taken: with fewer, whole periods of a sine fall
# into one part and its range is as wide as the wave is high.
_LEAST_PARTS = 16
_ROUNDING = 2.0**-50  # largest rounding of a point, over the largest coordinate
_MOST_WORK = 20_000_000  # cells times operations of their formulas: a few seconds


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
