"""The topology of a triangle mesh: who shares edges and corners, and where it is no manifold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ...vectors import cross


@dataclass(frozen=True, eq=False)
class MeshTopology:
    """The edges of t triangles over numbered points.

    Attributes:
        triangles: the corners (t, 3).
        count: the number of points.
        ends: the points of each of m edges (m, 2), the lesser number first.
        edge_of: the edge from corner i to corner i + 1 of each triangle (t, 3).
    """

    triangles: Ints
    count: int
    ends: Ints
    edge_of: Ints

    @classmethod
    def of(cls, triangles: Ints, count: int) -> MeshTopology:
        """Return the topology of triangles (t, 3) over `count` points."""
        start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
        keys = np.minimum(start, end) * np.intp(max(count, 1)) + np.maximum(start, end)
        found, edge = np.unique(keys, return_inverse=True)
        ends = np.stack(np.divmod(found, max(count, 1)), axis=1)
        return cls(triangles, count, ends, edge.reshape(-1, 3))

    @cached_property
    def used(self) -> Bools:
        """Which points (count,) are corners of triangles."""
        used = np.zeros(self.count, dtype=np.bool_)
        used[self.triangles.ravel()] = True
        return used

    @cached_property
    def triangles_at_edge(self) -> Ints:
        """How many triangles share each edge (m,)."""
        return np.bincount(self.edge_of.ravel(), minlength=len(self.ends))

    @cached_property
    def non_manifold(self) -> Bools:
        """Which points (count,) are corners about which the triangles do not form one disk."""
        non_manifold = np.zeros(self.count, dtype=np.bool_)
        non_manifold[self.ends[self.triangles_at_edge != 2].ravel()] = True
        return non_manifold | (self._fans > 1)

    @property
    def _fans(self) -> Ints:
        """How many fans of triangles meet at each point (count,): corners joined by edges that they share."""
        corner = np.arange(self.triangles.size).reshape(-1, 3)
        edges, before = self.edge_of, np.roll(corner, 1, axis=1)
        corners = np.concatenate([corner.ravel(), corner.ravel()])
        sides = np.concatenate([edges.ravel(), edges.ravel()[before.ravel()]])
        node = 2 * sides + (self.triangles.ravel()[corners] == self.ends[sides, 1])
        total = self.triangles.size + 2 * len(self.ends)
        links = coo_array(
            (np.ones(len(node), dtype=bool), (corners, self.triangles.size + node)), shape=(total, total)
        )
        fan = connected_components(links, directed=False)[1][: self.triangles.size]
        first = np.unique(fan, return_index=True)[1]
        return np.bincount(self.triangles.ravel()[first], minlength=self.count)

    @property
    def component_labels(self) -> Ints:
        """The connected component (t,) that each triangle is in, numbered from 0."""
        nodes = self.count + len(self.triangles)
        corner, triangle = self.triangles.ravel(), np.repeat(np.arange(len(self.triangles)), 3)
        links = coo_array(
            (np.ones(len(corner), dtype=bool), (corner, self.count + triangle)), shape=(nodes, nodes)
        )
        label = connected_components(links, directed=False)[1][self.count :]
        return np.asarray(np.unique(label, return_inverse=True)[1], dtype=np.intp)

    @property
    def euler_characteristic(self) -> int:
        """Points in use - edges + triangles."""
        return int(self.used.sum()) - len(self.ends) + len(self.triangles)


def area_vectors(points: Floats, triangles: Ints) -> Floats:
    """Return the normals (t, 3) of triangles (t, 3) over points (n, 3), as long as their areas."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    vectors = 0.5 * cross(b - a, c - a)
    return np.asarray(vectors, dtype=np.float64)
