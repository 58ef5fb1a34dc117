"""The edges of a triangle mesh and the faces at each, from one sort of the triangles' sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

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


def components(pairs: Ints, count: int) -> Ints:
    """The number (count,) of the component that each of some nodes is in, joined by pairs (k, 2)."""
    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return labels


def edge_table(triangles: Ints) -> EdgeTable:
    """The edges of triangles (t, 3), t >= 1, ordered by their vertices."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    keys = np.minimum(start, end) * (int(triangles.max()) + 1) + np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    count = np.diff(np.append(begins, len(ordered)))
    first = order[begins]
    second = np.where(count > 1, order[np.minimum(begins + 1, len(order) - 1)], -1)
    ends = np.stack([start[first], end[first]], axis=1)
    direction = np.where(start < end, 1, -1)[order]
    return EdgeTable(
        ends, np.stack([first, second], axis=1), count, np.add.reduceat(direction, begins), order
    )
