"""Surface sampling and point thinning: points all over an implicit surface, none of its components left out.

The surface's box is halved into ever smaller cells; those over which the proven range of F does not hold 0
are left out. From each eighth of the remaining cells a point is projected onto the surface, and what is too
near to another point is dropped (thinning). A cell that no point comes near may hold something much smaller,
so it is halved further. Since only cells that are proven empty are left out, every component is found that
does not end in a cell this refinement gives up.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats
from ...errors import PhysPlaceError
from ...vectors import length
from ..functions.base import ImplicitFunction
from ..neighbours import thinned_rows
from ..occupied_cells import occupied_cells, occupied_eighths
from ..projection import projected
from ..sizing_field import greatest_curvature
from ..uniform_grid import OCTANTS

_PLASTIC = 1.2207440846057596  # the real root of x^4 = x + 1, from which the low-discrepancy numbers are made


def thinned(points: Floats, least: Floats) -> Floats:
    """Return those of points (n, 3) that stay when each one near an earlier one that stays is dropped.

    Args:
        points: the points; those that are not finite are dropped.
        least: the distance (n,) in scene units that each claims; of two points the greater one counts.
    """
    finite = np.isfinite(points).all(axis=1)
    points, least = points[finite], least[finite]
    return points[thinned_rows(points, least)]


def low_discrepancy(count: int) -> Floats:
    """Return numbers (count, 3) from -1/2 to 1/2, evenly distributed and always the same (additive
    recurrence).
    """
    steps = _PLASTIC ** -np.arange(1.0, 4.0)
    numbers: Floats = (np.arange(1.0, count + 1.0)[:, None] * steps) % 1.0 - 0.5
    return numbers


def shuffled(points: Floats) -> Floats:
    """Return points (n, 3) in an order that has nothing to do with where they are, and is always the same."""
    return points[np.argsort(low_discrepancy(len(points))[:, 0], kind="stable")]


_CELL = 1.5  # spacings: cells are halved until they are no larger, and then once more
_MOST_CELLS = 1_000_000  # eighths of cells, after which the surface is refused
_APART = 0.8  # spacings: the least distance of points
# radians that the normal turns from point to point, where the surface bends so sharply that these come nearer
_TURN = 0.7
_ROUNDS = 12  # Newton steps with which points are projected
_DEEPER = 6  # further halvings of cells that no point comes near
_MOST_LONELY = 20_000  # such cells, after which these are no longer halved


def surface_samples(function: ImplicitFunction, spacing: float) -> Floats:
    """Return points (n, 3) of the surface, from 0.8 to about 1.5 `spacing` apart, in scene units.

    Raises:
        PhysPlaceError: for a surface that is infinite, or that needs too many points.
    """
    if function.is_endless():
        raise PhysPlaceError("blob: its surface is infinite; intersect it with something that is not")
    low, size = occupied_cells(function, np.array(function.box()), _CELL * spacing, _MOST_CELLS)
    if 8 * len(low) > _MOST_CELLS:
        found = f"points {spacing:.3g} apart would be too many"
        raise PhysPlaceError(f"blob: {found}; leave out what is very small beside the rest")
    size *= 0.5
    cells = (low[:, None] + size * (OCTANTS + 0.5)).reshape(-1, 3)
    points = _landed(function, cells, size)
    for _ in range(_DEEPER):
        cells = cells[_far_from_points(cells, points, 3.0 * size)]
        if not len(cells) or len(cells) > _MOST_LONELY:
            break
        low, size = occupied_eighths(function, cells - 0.5 * size, size)
        cells = low + 0.5 * size
        points = np.concatenate([points, _landed(function, cells, size)])
    points = shuffled(points)
    bend = np.maximum(greatest_curvature(function, points), _TURN / (_APART * spacing))
    return thinned(points, _TURN / bend)


def _landed(function: ImplicitFunction, cells: Floats, size: float) -> Floats:
    """Return points (k', 3) of the surface near the centres (k, 3) of cells, where there are some."""
    points = projected(function, cells, size, _ROUNDS)
    value, gradient = function.gradient(points)
    slope = length(gradient)
    arrived = np.abs(value) <= 1e-6 * size * slope
    near = np.all(np.abs(points - cells) <= 2.0 * size, axis=1)
    landed: Floats = points[arrived & near]
    return landed


def _far_from_points(cells: Floats, points: Floats, reach: float) -> Bools:
    """Return which centres (k,) of cells have no point within reach: they may hold something small."""
    if not len(points):
        return np.ones(len(cells), dtype=np.bool_)
    lonely: Bools = np.asarray(cKDTree(points).query(cells)[0]) > reach
    return lonely
