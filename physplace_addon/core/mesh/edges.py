"""The edges of a triangle mesh and the faces at each, from one sort of the triangles' sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_matrix
from scipy.sparse.csgraph import connected_components

from ..arrays import Bools, Ints

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiples of it, modulo 2^64, are spread evenly (Fibonacci hashing)."""


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """The m undirected edges of triangles (t, 3).  Side s of triangle i, from its corner s to the next, is 3
    i + s.

    ends (m, 2): the vertices, in the direction of the first side.
    sides (m, 2): the first two sides on each edge, -1 where there is no second.
    count (m,): how many sides are on each edge.
    balance (m,): how many more sides run one way than the other; 0 where faces agree on which side is out.
    order (3 t,): all sides, those on one edge next to each other.
    """

    ends: Ints
    sides: Ints
    count: Ints
    balance: Ints
    order: Ints

    @property
    def paired(self) -> Bools:
        """Whether exactly two faces meet at each edge (m,)."""
        paired: Bools = self.count == 2
        return paired

    @property
    def faces(self) -> Ints:
        """The triangles (m, 2) of the first two sides, -1 where there is no second."""
        faces: Ints = np.floor_divide(self.sides, 3)
        return faces

    @property
    def closed(self) -> bool:
        """Whether every edge has as many sides one way as the other, so that the faces bound a solid."""
        return not np.any(self.balance)


def component_labels(pairs: Ints, count: int) -> Ints:
    """Return the number (count,) of the connected component of each node of a graph with edges (k, 2)."""
    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return labels


def shell_labels(edges: EdgeTable, across: Bools | None = None) -> Ints:
    """Return the number (t,) of the shell of each triangle: triangles joined across edges are one shell.

    Args:
        edges: the edges of all triangles.
        across: the edges (m,) that join; all unless given.
    """
    # each side leads to the next on its edge; a triangle's sides are neighbours, so the graph needs no sort
    following = np.empty(len(edges.order), dtype=np.int32)
    following[edges.order[:-1]] = edges.order[1:] // 3
    following[edges.order[np.cumsum(edges.count) - 1]] = -1
    if across is not None:
        following[edges.order[~np.repeat(across, edges.count)]] = -1
    led = following >= 0
    starts = np.zeros(len(led) + 1, dtype=np.int32)
    np.cumsum(led, out=starts[1:])
    to, count = following[led], len(led) // 3
    graph = csr_matrix((np.ones(len(to)), to, starts[::3].copy()), shape=(count, count))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.intp)
    return labels


def edge_table(triangles: Ints) -> EdgeTable:
    """Return the edges of triangles (t, 3), t >= 1, ordered by their vertices."""
    start = triangles.ravel()
    end = np.empty_like(start)
    end[:-1], end[2::3] = start[1:], start[::3]
    keys = np.minimum(start, end) * (int(start.max()) + 1)
    keys += np.maximum(start, end)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    last = np.append(begins[1:], len(order)) - 1
    count = last - begins + 1
    first, second = order[begins], order[np.minimum(begins + 1, last)]
    second[count == 1] = -1
    forward = np.diff(np.cumsum((start < end)[order])[last], prepend=0)
    return EdgeTable(
        np.stack([start[first], end[first]], axis=1),
        np.stack([first, second], axis=1),
        count,
        2 * forward - count,
        order,
    )


def stable_order(keys: Ints, count: int) -> Ints:
    """Return the stable order (n,) of keys (n,) from 0 to count - 1, by a counting sort.

    scipy counts when it turns a sparse matrix with one entry a row from rows to columns.
    """
    starts = np.arange(len(keys) + 1, dtype=np.int32)
    matrix = csr_matrix((np.ones(len(keys), dtype=bool), keys, starts), shape=(len(keys), count))
    order: Ints = matrix.tocsc().indices.astype(np.intp)
    return order
