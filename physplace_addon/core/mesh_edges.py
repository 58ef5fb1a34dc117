"""The edges of a triangle mesh and the faces at each, from one sort of the triangles' sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Bools, Ints


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The undirected edges of triangles (t, 3).

    `ends` (m, 2) vertices, as the first side runs; `sides` (m, 2) the first two directed sides on each edge
    (side s of triangle i is 3 i + s), -1 where there is no second; `count` (m,) how many sides there are;
    `balance` (m,) how many more sides run one way than the other: 0 where faces agree which side is out;
    `order` (3 t,) all sides, those on one edge together.
    """

    ends: Ints
    sides: Ints
    count: Ints
    balance: Ints
    order: Ints

    @property
    def paired(self) -> Bools:
        """Where exactly two faces meet (m,)."""
        paired: Bools = self.count == 2
        return paired

    @property
    def faces(self) -> Ints:
        """The triangles (m, 2) of the first two sides; -1 where there is no second."""
        faces: Ints = np.floor_divide(self.sides, 3)
        return faces

    @property
    def closed(self) -> bool:
        """Whether every edge has as many sides one way as the other: the faces bound a solid, in or out."""
        return not np.any(self.balance)


def half_edges(triangles: Ints) -> Ints:
    """The directed sides (3 t, 2) of triangles (t, 3): side s of triangle i is row 3 i + s."""
    sides: Ints = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    return sides


def edge_table(triangles: Ints) -> EdgeTable:
    """The edges of triangles (t, 3), t >= 1, ordered by their vertices."""
    directed = half_edges(triangles)
    keys = directed.min(axis=1) * (int(triangles.max()) + 1) + directed.max(axis=1)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    count = np.diff(np.append(begins, len(ordered)))
    first = order[begins]
    second = np.where(count > 1, order[np.minimum(begins + 1, len(order) - 1)], -1)
    ends = directed[first]
    direction = np.where(directed[order, 0] < directed[order, 1], 1, -1)
    return EdgeTable(
        ends, np.stack([first, second], axis=1), count, np.add.reduceat(direction, begins), order
    )
