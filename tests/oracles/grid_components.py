"""The components of a surface F = 0, counted on a fine grid: every place inside, and the steps between them.

The grid's blocks in which F cannot vanish, by the greatest slope, get one sign; in the others F is evaluated
at every voxel's centre. Voxels that share a side are connected if F has one sign at places between them, too,
so that a gap a tenth of a voxel wide parts them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.oracles.arrays import Floats, Ints

BLOCK = 8  # voxels along the side of a block
BETWEEN = 9  # places between two voxels near the surface
LEAST = 8  # voxels of the least part that counts


class GridComponents:
    """Labels of a grid's voxels: the parts of what is inside, or of what is outside."""

    def __init__(
        self, value: Callable[[Floats], Floats], low: Floats, high: Floats, cells: int, steepest: float
    ):
        """Evaluate F in a box from low to high (3,), `cells` voxels along its longest side."""
        self.value, self.steepest = value, steepest
        self.step = float(np.max(high - low)) / cells
        blocks = np.ceil((high - low) / (self.step * BLOCK)).astype(int) + 2
        self.counts = blocks * BLOCK
        self.low = 0.5 * (low + high) - 0.5 * self.step * self.counts
        self.field = self._field(blocks)

    def _field(self, blocks: Ints) -> Floats:
        """F at the centres of voxels; in blocks that the surface does not cross, at the blocks' centres."""
        size = self.step * BLOCK
        number = np.stack(np.meshgrid(*[np.arange(n) for n in blocks], indexing="ij"), axis=-1).reshape(-1, 3)
        at_centres = self.value(self.low + size * (number + 0.5))
        field = np.repeat(np.repeat(np.repeat(at_centres.reshape(blocks), BLOCK, 0), BLOCK, 1), BLOCK, 2)
        near = np.flatnonzero(np.abs(at_centres) <= self.steepest * 0.9 * size)
        offsets = np.stack(np.meshgrid(*[np.arange(BLOCK)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        for start in range(0, len(near), 500):
            voxels = (BLOCK * number[near[start : start + 500], None] + offsets).reshape(-1, 3)
            field[tuple(voxels.T)] = self.value(self.low + self.step * (voxels + 0.5))
        return field

    def parts(self, sign: float) -> int:
        """How many parts of some voxels F has where its sign is `sign`."""
        own = sign * self.field > 0.0
        number = np.full(self.field.shape, -1, dtype=np.int64)
        number[own] = np.arange(int(own.sum()))
        ends = [self._joined(own, number, axis, sign) for axis in range(3)]
        first, second = (np.concatenate([end[i] for end in ends]) for i in (0, 1))
        count = int(own.sum())
        links = coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(count, count))
        sizes = np.bincount(connected_components(links, directed=False)[1])
        return int((sizes >= LEAST).sum())

    def _joined(self, own: np.ndarray, number: Ints, axis: int, sign: float) -> tuple[Ints, Ints]:
        """The pairs of voxels that are connected along an axis."""
        count = own.shape[axis]
        before, after = (np.take(own, range(start, count - 1 + start), axis) for start in (0, 1))
        places = np.argwhere(before & after)
        step = np.eye(3, dtype=int)[axis]
        ends = [places, places + step]
        value = np.stack([np.abs(self.field[tuple(end.T)]) for end in ends])
        doubtful = np.flatnonzero(value.sum(axis=0) < self.steepest * self.step)
        joined = np.ones(len(places), dtype=bool)
        for start in range(0, len(doubtful), 50_000):
            some = doubtful[start : start + 50_000]
            shares = (np.arange(BETWEEN) + 1.0) / (BETWEEN + 1.0)
            between = places[some, None] + 0.5 + shares[:, None] * step
            found = self.value((self.low + self.step * between).reshape(-1, 3)).reshape(-1, BETWEEN)
            joined[some] = (sign * found > 0.0).all(axis=1)
        return tuple(number[tuple(end[joined].T)] for end in ends)


def count_components(
    value: Callable[[Floats], Floats], low: Floats, high: Floats, cells: int, steepest: float
) -> int:
    """How many components a closed surface has: one less than the regions that it parts."""
    grid = GridComponents(value, low, high, cells, steepest)
    return grid.parts(-1.0) + grid.parts(1.0) - 1
