"""An octree of boxes that fill a cube: which box a place is in, and which boxes touch.

A box of depth l has the integer numbers i, j, k from 0 to 2^l - 1 and the side S / 2^l, S that of the cube.
Interleaved, the bits of its numbers give its place on Morton's curve, on which a box and all that it could be
halved into lie in a row. So the box that a place is in is the last one that does not begin behind it, which
is found by bisection (Morton 1966).

Of two boxes that touch, the smaller one has a neighbour of its own size inside of the larger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints

DEEPEST = 20  # halvings: 60 bits hold the three numbers
Codes = NDArray[np.int64]

# shifts and masks that put two zeros between the bits of a number of 20 bits
_SPREAD = (
    (32, 0x001F00000000FFFF),
    (16, 0x001F0000FF0000FF),
    (8, 0x100F00F00F00F00F),
    (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
)
_STEPS = np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
FACES = _STEPS[np.abs(_STEPS).sum(axis=1) == 1]  # steps (6, 3) to the boxes that share a side
_TOUCHING = _STEPS[np.abs(_STEPS).sum(axis=1) > 0]  # steps (26, 3) to those that share a corner at least
HALVES = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)


def _codes(numbers: Ints) -> Codes:
    """Return the places (k,) on Morton's curve of numbers (k, 3) at the deepest level."""
    first, second, third = (_spread(numbers[:, axis], axis) for axis in range(3))
    return first | second | third


def _spread(numbers: Ints, axis: int) -> Codes:
    """Return what numbers (k,) along an axis, at the deepest level, add to places on Morton's curve (k,)."""
    bits = numbers.astype(np.int64)
    for shift, mask in _SPREAD:
        bits = (bits | (bits << shift)) & mask
    return np.asarray(bits << (2 - axis))


@dataclass(frozen=True, eq=False)
class BoxTree:
    """n boxes that fill a cube, in the order of Morton's curve.

    Attributes:
        low: the cube's lowest corner (3,).
        size: its side, in scene units.
        numbers: the boxes' numbers (n, 3) at their own depths.
        depth: their depths (n,).
    """

    low: Floats
    size: float
    numbers: Ints
    depth: Ints

    @classmethod
    def order(cls, numbers: Ints, depth: Ints) -> Ints:
        """Return the order (n,) of boxes along Morton's curve."""
        return np.argsort(_codes(numbers << (DEEPEST - depth)[:, None]), kind="stable")

    @cached_property
    def _starts(self) -> Codes:
        """Where the boxes begin on Morton's curve (n,)."""
        return _codes(self.numbers << (DEEPEST - self.depth)[:, None])

    @cached_property
    def sides(self) -> Floats:
        """The sides of the boxes (n,), in scene units."""
        return self.size * 0.5 ** self.depth.astype(np.float64)

    @cached_property
    def middles(self) -> Floats:
        """The centres of the boxes (n, 3)."""
        middles: Floats = self.low + self.sides[:, None] * (self.numbers + 0.5)
        return middles

    def box_at(self, places: Floats) -> Ints:
        """Return the number of the box (k,) that each place (k, 3) is in; -1 outside of the cube."""
        numbers = np.floor((places - self.low) * (2.0**DEEPEST / self.size))
        within = ((numbers >= 0.0) & (numbers < 2.0**DEEPEST)).all(axis=1)
        numbers[~within] = 0.0
        found = np.searchsorted(self._starts, _codes(numbers.astype(np.intp)), side="right") - 1
        return np.where(within, found, -1)

    def neighbours(self, own: Ints, steps: Ints) -> tuple[Ints, Ints]:
        """Return pairs (m,), (m,) of boxes that touch: one of `own` (k,), and one no smaller beside it.

        Args:
            own: the numbers of boxes (k,).
            steps: where to look (s, 3), such as `FACES`.
        """
        depth, moves = self.depth[own], np.arange(-1, 2)
        beside = self.numbers[own].T[:, None] + moves[:, None]  # of each axis and move
        within = (beside >= 0) & (beside < 1 << depth)
        codes = [[_spread(moved << (DEEPEST - depth), axis) for moved in beside[axis]] for axis in range(3)]
        second = np.empty((len(own), len(steps)), dtype=np.intp)
        whole = np.empty(second.shape, dtype=np.bool_)
        for number, (i, j, k) in enumerate((steps + 1).tolist()):
            starts = codes[0][i] | codes[1][j] | codes[2][k]
            found = np.searchsorted(self._starts, starts, side="right") - 1
            second[:, number] = found
            whole[:, number] = within[0, i] & within[1, j] & within[2, k] & (self.depth[found] <= depth)
        return np.repeat(own, whole.sum(axis=1)), second[whole]

    @cached_property
    def touching(self) -> tuple[Ints, Ints]:
        """Pairs (m,), (m,) of all boxes that share a corner at least."""
        first, second = self.neighbours(np.arange(len(self.depth)), _TOUCHING)
        once = (first < second) | (self.depth[first] > self.depth[second])
        return first[once], second[once]

    def groups(self, which: Bools) -> Ints:
        """Return the group (n,) of each marked box, from 0; -1 of others. Touching boxes are of one group."""
        count = len(which)
        first, second = self.touching
        linked = np.flatnonzero(which[first] & which[second])
        ones = np.ones(len(linked))
        links = coo_array((ones, (first[linked], second[linked])), shape=(count, count))
        label = connected_components(links, directed=False)[1]
        own = np.flatnonzero(which)
        group = np.full(count, -1, dtype=np.intp)
        group[own] = np.unique(label[own], return_inverse=True)[1]
        return group

    def on_boundary(self) -> Bools:
        """Return which boxes (n,) touch the boundary of the cube."""
        last = (1 << self.depth) - 1
        return np.asarray(((self.numbers == 0) | (self.numbers == last[:, None])).any(axis=1))
