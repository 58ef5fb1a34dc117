"""How the triangles of a closed mesh hang together: who shares edges and corners, and where it is no
surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class MeshTopology:
    """The edges of triangles (t, 3) over so many points.

    ends (m, 2): the points of each edge, the lesser first.  edge_of (t, 3): the edge from corner i to i + 1.
    """

    triangles: Ints
    count: int
    ends: Ints
    edge_of: Ints

    @classmethod
    def of(cls, triangles: Ints, count: int) -> MeshTopology:
        """Return the links of triangles (t, 3) over `count` points."""
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
    def faces_at_edge(self) -> Ints:
        """How many triangles share each edge (m,)."""
        return np.bincount(self.edge_of.ravel(), minlength=len(self.ends))

    @cached_property
    def broken(self) -> Bools:
        """Which points (count,) are corners where the triangles are not one disk."""
        broken = np.zeros(self.count, dtype=np.bool_)
        broken[self.ends[self.faces_at_edge != 2].ravel()] = True
        return broken | (self._fans > 1)

    @property
    def _fans(self) -> Ints:
        """How many fans of triangles meet at each point (count,): corners joined by edges they share."""
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
    def parts(self) -> Ints:
        """The connected part (t,) that each triangle is in, numbered from 0."""
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
    """Return the normals (t, 3) of triangles, as long as their areas."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    vectors = 0.5 * np.cross(b - a, c - a)
    return np.asarray(vectors, dtype=np.float64)
