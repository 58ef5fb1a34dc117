"""Lines over quadrilaterals of a cage, with their own number of cells each, and the points that sides share.

Where a quadrilateral has other cells than the one beyond a side, both have all points of this side, so that
no crack is left.  A point between the lines of a quadrilateral *hangs* on one side of a cell.  Each cell has
two triangles, the lower one at its corner (lower u, lower v), the upper one at the opposite corner; two sides
of each, its *chains*, may be sides of the quadrilateral.  A triangle with hanging points is cut from one of
its chains to the other, in the order of the points from the corner where they meet.

*Bounds.*  A cut triangle differs from the whole one by most at a hanging point, by its height over the side:
added to a bound for the triangle, this makes one for its parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import length
from ..bezier.joins import Joins
from ..bezier.nets import side_parameters
from ..patches import Patches

# The corners of a cell's lower and upper triangle, as steps (along u, along v) from its lower corner: where
# the triangle's chains meet, the end of the first one (along u), the end of the second one (along v).
_CORNERS = np.array([[[0, 0], [1, 0], [0, 1]], [[1, 1], [0, 1], [1, 0]]])


@dataclass(frozen=True, eq=False)
class Lattice:
    """The crossings of lines of all quadrilaterals, counts (n, 2) cells each, numbered one after another."""

    counts: Ints

    @cached_property
    def firsts(self) -> Ints:
        """The first crossing of each quadrilateral, and their number (n + 1,)."""
        return np.concatenate([[0], np.cumsum((self.counts + 1).prod(axis=1))])

    @cached_property
    def first_cells(self) -> Ints:
        """The first cell of each quadrilateral, and their number (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts.prod(axis=1))])

    def all_cells(self) -> tuple[Ints, Ints]:
        """Return the quadrilateral (c,) of each cell, and its place there (c, 2)."""
        sizes = self.counts.prod(axis=1)
        patch = np.repeat(np.arange(len(sizes)), sizes)
        number = np.arange(len(patch)) - self.first_cells[patch]
        return patch, np.stack(np.divmod(number, self.counts[patch, 1]), axis=1)

    def grid_points(self) -> tuple[Ints, Floats]:
        """Return the quadrilateral (p,) of each crossing, and its parameters (p, 2)."""
        sizes = (self.counts + 1).prod(axis=1)
        patch = np.repeat(np.arange(len(sizes)), sizes)
        number = np.arange(len(patch)) - self.firsts[patch]
        place = np.stack(np.divmod(number, self.counts[patch, 1] + 1), axis=1)
        return patch, place / self.counts[patch]

    def along(self, patch: Ints, side: Ints) -> tuple[Ints, Ints, Floats]:
        """Return the crossings (q,) along sides (s,) of quadrilaterals (s,), by rising parameter t, the row
        (q,) of each, and its t (q,).
        """
        size = self.cells_along(patch, side)
        row = np.repeat(np.arange(len(patch)), size + 1)
        number = np.arange(len(row)) - np.searchsorted(row, row)
        t = number / size[row]
        place = np.rint(side_parameters(side[row], t) * self.counts[patch[row]]).astype(np.intp)
        return self.crossing(patch[row], place), row, t

    def crossing(self, patch: Ints, place: Ints) -> Ints:
        """Return the crossings (k,) at places (k, 2) along u and v of quadrilaterals (k,)."""
        found: Ints = self.firsts[patch] + place[:, 0] * (self.counts[patch, 1] + 1) + place[:, 1]
        return found

    def cells_along(self, patch: Ints, side: Ints) -> Ints:
        """Return the number of cells (k,) along sides (k,) of quadrilaterals (k,)."""
        return np.where(side < 2, self.counts[patch, 1], self.counts[patch, 0])

    def cells_beside(self, patch: Ints, side: Ints, place: Ints) -> Ints:
        """Return the cells (k,) at places (k,) along sides (k,) of quadrilaterals (k,)."""
        nu, nv = self.counts[patch].T
        across = np.where(side % 2 == 1, np.where(side < 2, nu, nv) - 1, 0)
        u, v = np.where(side < 2, across, place), np.where(side < 2, place, across)
        found: Ints = self.first_cells[patch] + u * nv + v
        return found


@dataclass(frozen=True, eq=False)
class Hanging(ArrayRecord):
    """Points (k,) on sides of quadrilaterals between their lines.

    patch, side (k,), t (k,): where.  triangle (k,): 2 c for the lower one of cell c, 2 c + 1 for the upper;
    share (k,): how far from the corner where its chains meet, over the length of the cell's side.
    """

    patch: Ints
    side: Ints
    t: Floats
    triangle: Ints
    share: Floats

    def __len__(self) -> int:
        return len(self.t)

    @property
    def at(self) -> Floats:
        """The parameters (k, 2)."""
        return side_parameters(self.side, self.t)

    def heights(self, nets: Patches, lattice: Lattice) -> Floats:
        """Return the distances (k,) of the points from where they would be on the sides of their cells."""
        size = lattice.cells_along(self.patch, self.side)
        upper = self.side % 2 == 1
        start = np.where(upper, np.ceil(self.t * size), np.floor(self.t * size))
        ends = (start / size, np.where(upper, start - 1.0, start + 1.0) / size)
        here, low, high = (
            nets.slopes(self.patch, side_parameters(self.side, t)).point for t in (self.t, *ends)
        )
        return length(here - low - self.share[:, None] * (high - low))


def hanging_points(lattice: Lattice, joins: Joins) -> Hanging:
    """Return the points of sides that the quadrilaterals beyond have and their own have not."""
    patch, side = np.nonzero(joins.patch >= 0)
    own = lattice.cells_along(patch, side)
    other = lattice.cells_along(joins.patch[patch, side], joins.side[patch, side])
    row = np.repeat(np.arange(len(patch)), np.where(own == other, 0, other - 1))
    number = np.arange(len(row)) - np.searchsorted(row, row) + 1
    place, rest = np.divmod(number * own[row], other[row])
    kept = rest > 0
    row, place, rest, number = row[kept], place[kept], rest[kept], number[kept]
    patch, side, upper = patch[row], side[row], side[row] % 2
    triangle = 2 * lattice.cells_beside(patch, side, place) + upper
    share = rest / other[row]
    return Hanging(patch, side, number / other[row], triangle, np.where(upper == 1, 1.0 - share, share))


@dataclass(frozen=True, eq=False)
class CutTriangles:
    """The triangles of all cells, cut at hanging points.

    Points are numbered: first the crossings of lines, then the hanging points.

    corners (t, 3): points; whole (t,): the triangle that each is part of, ascending.
    chain (e,), ascending: of each piece of a chain, 2 w for the first one of the whole triangle w, 2 w + 1
    for the second; start (e,), end (e,): its ends; owner (e,): the triangle beside it.
    """

    corners: Ints
    whole: Ints
    chain: Ints
    start: Ints
    end: Ints
    owner: Ints

    def along(self, lattice: Lattice, patch: int, side: int) -> tuple[Ints, Ints]:
        """Return the points (q + 1,) along a side of a quadrilateral, by rising parameter, and the triangles
        (q,) beside it.
        """
        upper = side % 2
        number = int(lattice.counts[patch, 1 if side < 2 else 0])
        row = np.full(number, patch), np.full(number, side)
        cells = lattice.cells_beside(*row, np.arange(number)[:: -1 if upper else 1])
        chain = 2 * (2 * cells + upper) + (side < 2)
        first, last = (np.searchsorted(self.chain, chain, side=end) for end in ("left", "right"))
        pieces = np.concatenate([np.arange(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)])
        points = np.append(self.start[pieces], self.end[pieces[-1]])
        owners = self.owner[pieces]
        return (points[::-1], owners[::-1]) if upper else (points, owners)


def cut_triangles(lattice: Lattice, hanging: Hanging) -> CutTriangles:
    """Return the triangles of all cells, cut where points hang on their sides."""
    patch, place = lattice.all_cells()
    corner = np.stack(
        [
            lattice.crossing(np.repeat(patch, 2), (place[:, None] + _CORNERS[:, k]).reshape(-1, 2))
            for k in range(3)
        ],
        axis=1,
    )
    chain = np.concatenate([np.arange(2 * len(corner)), 2 * hanging.triangle + (hanging.side < 2)])
    share = np.concatenate([np.zeros(2 * len(corner)), hanging.share])
    start = np.concatenate([np.repeat(corner[:, 0], 2), lattice.firsts[-1] + np.arange(len(hanging))])
    order = np.lexsort((share, chain))
    chain, share, start = chain[order], share[order], start[order]
    goes_on = np.append(chain[1:] == chain[:-1], False)
    end = np.where(goes_on, np.roll(start, -1), corner[chain // 2, 1 + chain % 2])
    return CutTriangles(*_cut(chain, share, start, end))


def _cut(chain: Ints, share: Floats, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Return the fields of `CutTriangles` of pieces of chains (e,), which begin at shares (e,) of them.

    The first two pieces make one triangle, each further one another with the point reached on the other
    chain.
    """
    second: Bools = chain % 2 == 1
    order = np.lexsort((second, share, chain // 2))
    ranks, is_second = np.arange(len(order)), second[order]
    latest = [np.maximum.accumulate(np.where(is_second == each, ranks, 0)) for each in (False, True)]
    across = np.empty_like(order)
    across[order] = end[order[np.where(is_second, latest[0], latest[1])]]
    first, middle, last = start, np.where(second, across, end), np.where(second, end, across)
    made = second | (share > 0.0)
    owner = np.empty_like(order)
    owner[order] = np.cumsum(made[order]) - made[order]
    kept = order[made[order]]
    corners = np.stack([first, middle, last], axis=1)[kept]
    return corners, chain[kept] // 2, chain, start, end, owner
