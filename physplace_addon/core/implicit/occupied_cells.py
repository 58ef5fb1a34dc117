"""Cells of space that an implicit surface may be in: those over which the proven range of F holds 0."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .functions.base import ImplicitFunction
from .uniform_grid import OCTANTS, cell_numbers

_FIRST = 4.0  # cells along the longest side of the box at first


def occupied_cells(
    function: ImplicitFunction, box: Floats, largest: float, most: int
) -> tuple[Floats, float]:
    """Return the lowest corners (k, 3) of cells that hold all of the surface in a box, and their size.

    They are halved until they are no larger than wanted; they stay larger where that might be too many.

    Args:
        function: F.
        box: the lowest and the highest corner (2, 3).
        largest: the size wanted, in scene units.
        most: cells at most.
    """
    if not (box[0] <= box[1]).all():
        return np.zeros((0, 3)), largest
    extent = box[1] - box[0]
    size = max(float(extent.max()), largest) / _FIRST
    counts = np.maximum(np.ceil(extent / size - 1e-9), 1.0)
    low = box.mean(axis=0) - 0.5 * size * counts + size * cell_numbers(counts)
    low = low[function.may_cross(low, low + size)]
    while size > largest and 8 * len(low) <= most and len(low):
        low, size = occupied_eighths(function, low, size)
    return low, size


def occupied_eighths(function: ImplicitFunction, low: Floats, size: float) -> tuple[Floats, float]:
    """Return the lowest corners (k, 3) of the eighths of cells that the surface may be in, and their size.

    Args:
        function: F.
        low: the lowest corners of the cells (c, 3).
        size: their size, in scene units.
    """
    size *= 0.5
    low = (low[:, None] + size * OCTANTS).reshape(-1, 3)
    return low[function.may_cross(low, low + size)], size
