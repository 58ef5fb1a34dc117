"""Positions sorted into the cells of a grid, to find those near a few places.

A tree is quicker where all are looked for, or reaches differ; for some places among many positions that are
spread alike, most of its time goes into making it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints

_MOST = 2**16 - 1  # cells: their numbers are sorted by digits
_COARSER = 1.2


class Cells:
    """Positions (r, 3) in cells whose edges are at least a reach."""

    def __init__(self, positions: Floats, reach: float) -> None:
        axes = np.ascontiguousarray(positions.T)
        self._low = axes.min(axis=1)
        across = axes.max(axis=1) - self._low
        edge = max(reach, 1e-12 * float(across.max()), 1e-300)
        while np.prod(np.floor(across / edge) + 3.0) > _MOST:
            edge *= _COARSER
        self._edge, self._last = edge, np.floor(across / edge).astype(np.intp)
        self._row, self._sheet = self._last[2] + 3, (self._last[2] + 3) * (self._last[1] + 3)
        cell = self._cells(positions)
        self._order = np.argsort(cell.astype(np.uint16), kind="stable")
        self._starts = np.zeros(self._sheet * (self._last[0] + 3) + 1, dtype=np.intp)
        np.cumsum(np.bincount(cell, minlength=len(self._starts) - 1), out=self._starts[1:])

    def _cells(self, places: Floats) -> Ints:
        """Return the number of each place's cell (k,); there is an empty one beyond each side of the box."""
        index = np.minimum(((places - self._low) / self._edge).astype(np.intp), self._last) + 1
        return np.asarray(index[:, 0] * self._sheet + index[:, 1] * self._row + index[:, 2])

    def around(self, places: Floats) -> tuple[Ints, Ints]:
        """Return pairs (m,), (m,) of places (k, 3), which are among the positions, with positions: all that
        are within the reach, and others.
        """
        sides = np.array([-1, 0, 1])
        columns = self._cells(places)[:, None] + (self._sheet * sides[:, None] + self._row * sides).ravel()
        starts = self._starts.take(columns - 1)
        counts = self._starts.take(columns + 2) - starts
        ends = np.cumsum(counts).reshape(counts.shape)
        found = np.arange(ends[-1, -1]) + np.repeat(starts - ends + counts, counts.ravel())
        return np.repeat(np.arange(len(places)), counts.sum(axis=1)), self._order.take(found)
