"""A surface F = 0 as marching tetrahedra cut it out of a grid: slow, coarse, and always closed.

Cells that F cannot reach zero in, by what it changes by in cells about them, are left out on the way from a
coarse grid to ones twice as fine.  Each cube of the finest is cut into the six tetrahedra about its diagonal
(Kuhn), each of which the surface, taken as flat, leaves in a triangle or in two.  Points are on the grid's
edges where F, taken as linear there, is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from scipy.ndimage import maximum_filter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests.oracles.arrays import Bools, Floats, Ints

COARSE = 96  # cells along the longest side of the first grid, at most
HALVINGS = 3  # of a step between two corners of one sign near the surface
LEAST = 8  # corners of the least region that counts
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
SIDES = np.array([[a, b] for a in range(8) for b in range(8) if b > a and (a ^ b) in (1, 2, 4)])
# Paths from corner 0 to corner 7 along one axis after another, by corners' numbers.
TETRAHEDRA = np.array([np.cumsum([0, *(4 >> axis for axis in axes)]) for axes in permutations(range(3))])


@dataclass(frozen=True)
class GridSurface:
    """Points (n, 3), and triangles (t, 3) that are counterclockwise as seen from where F > 0."""

    points: Floats
    triangles: Ints

    @cached_property
    def _sides(self) -> tuple[Ints, Ints]:
        """The triangles' sides, each once, as numbers of points (e, 2), and of how many each is one (e,)."""
        sides = np.sort(self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        keys, times = np.unique(sides @ [len(self.points), 1], return_counts=True)
        return np.stack(np.divmod(keys, len(self.points)), axis=1), times

    @property
    def is_closed(self) -> bool:
        """Whether each side is one of two triangles; else the first grid is too coarse to find all of it."""
        return bool((self._sides[1] == 2).all())

    @property
    def edges(self) -> Ints:
        """The triangles' sides, each once, as numbers of points (e, 2)."""
        if not self.is_closed:
            raise ValueError("the surface is open: the first grid is too coarse to find all of it")
        return self._sides[0]

    @property
    def components(self) -> int:
        """Parts that share no point."""
        return len(_sizes_of_parts(self.edges, len(self.points)))

    @property
    def euler_characteristic(self) -> int:
        """Points - edges + triangles."""
        return len(self.points) - len(self.edges) + len(self.triangles)

    @property
    def area(self) -> float:
        """The triangles' area."""
        a, b, c = (self.points[self.triangles[:, i]] for i in range(3))
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)

    @property
    def volume(self) -> float:
        """What is inside."""
        a, b, c = (self.points[self.triangles[:, i]] for i in range(3))
        return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6)


def _sizes_of_parts(links: Ints, count: int) -> Ints:
    """How many of `count` nodes each connected part has, by links (l, 2) between them."""
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(count, count))
    return np.bincount(connected_components(graph, directed=False)[1])


def _change(field: Floats) -> Floats:
    """How much F (c, 8) at cells' corners changes along a side at most (c,)."""
    result: Floats = np.abs(field[:, SIDES[:, 1]] - field[:, SIDES[:, 0]]).max(axis=1)
    return result


def marched(field: Floats, cells: Ints, places: Callable[[Ints], Floats]) -> GridSurface:
    """The surface that marching tetrahedra cut out of cells (c, 8), numbers of corners, with F there (v,).

    `places` gives where corners (k,) are, (k, 3).
    """
    inside = field < 0
    mixed = cells[inside[cells].any(axis=1) & ~inside[cells].all(axis=1)]
    four = mixed[:, TETRAHEDRA].reshape(-1, 4)
    four = np.take_along_axis(four, np.argsort(~inside[four], axis=1, kind="stable"), axis=1)  # inside first
    within = inside[four].sum(axis=1)
    one, two, three = (four[within == n] for n in (1, 2, 3))
    ends = np.concatenate(
        [
            one[:, [0, 1, 0, 2, 0, 3]],
            two[:, [0, 2, 0, 3, 1, 3]],
            two[:, [0, 2, 1, 3, 1, 2]],
            three[:, [0, 3, 1, 3, 2, 3]],
        ]
    )
    edges, triangles = np.unique(ends.reshape(-1, 2) @ [len(field), 1], return_inverse=True)
    a, b = np.divmod(edges, len(field))
    share = (field[a] / (field[a] - field[b]))[:, None]
    points = (1.0 - share) * places(a) + share * places(b)
    triangles = triangles.reshape(-1, 3)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ti,ti->t", normals, corners[:, 0] - places(ends[:, 0])) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    return GridSurface(points, triangles)


class Grid:
    """The cells of a grid that may hold F = 0, for value(x (k, 3)) -> (k,).

    Corners are numbered as the finest grid's are (v,), with F there, field (v,); each cell has eight of them
    (c, 8), and along its sides F changes by so much at most (c,).
    """

    def __init__(self, value: Callable[[Floats], Floats], low: Floats, high: Floats, cells: float):
        """Evaluate F in a box from low to high (3,), with at least `cells` steps along its longest side."""
        levels = max(0, int(np.ceil(np.log2(cells / COARSE))))
        self.value = value
        self.step = float(np.max(high - low)) / np.ceil(cells / 2**levels) / 2**levels
        self.origin = low - 2**levels * self.step
        counts = np.ceil((high - low) / (2**levels * self.step) - 1e-9).astype(int) + 2
        size = 2**levels
        self.shape = counts * size + 1
        base = size * np.stack(np.meshgrid(*[np.arange(n) for n in counts], indexing="ij"), -1).reshape(-1, 3)
        at, field, own = self._evaluated(base, size)
        change = maximum_filter(_change(field[own]).reshape(counts), 3).ravel()
        left = []
        while size > 1:
            near = np.abs(field[own]).min(axis=1) <= 1.5 * change
            left.append((at, own[~near]))
            size //= 2
            base = (base[near, None] + size * CORNERS).reshape(-1, 3)
            at, field, own = self._evaluated(base, size)
            change = np.maximum(np.repeat(0.5 * change[near], 8), _change(field[own]))
        self.change = change
        self.at, self.field, self.cells, self.left = at, field, own, left

    def _evaluated(self, base: Ints, size: int) -> tuple[Ints, Floats, Ints]:
        """The corners of cells `size` steps long from base (c, 3): numbers, F, and each cell's (c, 8)."""
        numbers = np.ravel_multi_index(np.moveaxis(base[:, None] + size * CORNERS, -1, 0), self.shape)
        at, own = np.unique(numbers, return_inverse=True)
        places = np.stack(np.unravel_index(at, self.shape), axis=-1)
        return at, self._values(self.origin + self.step * places), own.reshape(-1, 8)

    def places(self, which: Ints) -> Floats:
        """Where corners are, by their index."""
        steps = np.stack(np.unravel_index(self.at[which], self.shape), axis=-1)
        return np.asarray(self.origin + self.step * steps)

    @cached_property
    def surface(self) -> GridSurface:
        """The surface by marching tetrahedra."""
        return marched(self.field, self.cells, self.places)

    @cached_property
    def components(self) -> int:
        """How many components the surface has: one less than the regions that it parts.

        Neighbours are connected if F has one sign at places between them, too, so that a gap an eighth of a
        step wide parts them.
        """
        pairs = self.cells[:, SIDES]
        one = (self.field[pairs] < 0).sum(axis=2) != 1
        keys, first = np.unique(pairs[one] @ [len(self.at), 1], return_index=True)
        pairs = np.stack(np.divmod(keys, len(self.at)), axis=1)
        change = np.broadcast_to(self.change[:, None], one.shape)[one][first]
        links = [self.at[pairs[self._one_sign(pairs, change)]]]
        links += [at[cells[:, [0, k]]] for at, cells in self.left for k in range(1, 8)]
        numbers, ends = np.unique(np.concatenate(links), return_inverse=True)
        return int((_sizes_of_parts(ends.reshape(-1, 2), len(numbers)) >= LEAST).sum()) - 1

    def _one_sign(self, pairs: Ints, change: Floats) -> Bools:
        """Between which pairs (p, 2) F keeps the sign of both, where it changes by so much at most (p,)."""
        one = np.ones(len(pairs), dtype=bool)
        which, ends = np.arange(len(pairs)), np.stack([self.places(end) for end in pairs.T], axis=1)
        field = self.field[pairs]
        for _ in range(HALVINGS):
            doubtful = one[which] & (np.abs(field).sum(axis=1) < change)
            which, ends, field, change = (
                which[doubtful],
                ends[doubtful],
                field[doubtful],
                change[doubtful] / 2,
            )
            middle = ends.mean(axis=1)
            at_middle = self._values(middle)
            one[which[(at_middle < 0) != (field[:, 0] < 0)]] = False
            which, change = np.tile(which, 2), np.tile(change, 2)
            ends = np.concatenate([np.stack([ends[:, end], middle], axis=1) for end in (0, 1)])
            field = np.concatenate([np.stack([field[:, end], at_middle], axis=1) for end in (0, 1)])
        return one

    def _values(self, places: Floats) -> Floats:
        """F at places (k, 3), (k,)."""
        return np.concatenate(
            [self.value(some) for some in np.array_split(places, 1 + len(places) // 50_000)]
        )
