"""How deep sets of triangles cut through each other, found on the triangles alone.

An edge that pierces a triangle has to be drawn out at one of its ends, or be moved past one of the triangle's
sides: the depth of the crossing is the least of these ways.  A side between two triangles of one plane is no
way out, because behind it the surface goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.oracles.arrays import Bools, Floats, Ints
from tests.oracles.triangles import near_boxes

WELD = 1e-7  # over the size: points nearer to each other are one
NO_AREA = 1e-9  # height of a triangle over the size of all that counts as no area
FLAT = 1e-4  # angle, in radians, below which the side between two triangles is no way out


@dataclass(frozen=True)
class Soup:
    """Triangles (t, 3, 3) with normals (t, 3), and what they share.

    points (n, 3), corners (t, 3): the distinct points, and those of each triangle.  edges (e, 2): pairs of
    points.  sharp_edge (e,), sharp (t, 3): whether the surface bends or ends at an edge, and at each side of
    a triangle, the side i from its corner i.
    """

    triangles: Floats
    normals: Floats
    points: Floats
    corners: Ints
    edges: Ints
    sharp_edge: Bools
    sharp: Bools

    @classmethod
    def of(cls, triangles: Floats) -> Soup:
        """Find what triangles (t, 3, 3) share; those without area, or with no place, are left out."""
        finite = triangles[np.isfinite(triangles).all(axis=(1, 2))]
        size = float(np.ptp(finite.reshape(-1, 3), axis=0).max())
        normals = np.cross(finite[:, 1] - finite[:, 0], finite[:, 2] - finite[:, 0])
        area = np.linalg.norm(normals, axis=1)
        longest = np.linalg.norm(finite - np.roll(finite, -1, axis=1), axis=2).max(axis=1)
        solid = area > NO_AREA * size * longest
        kept, normals = finite[solid], normals[solid] / area[solid, None]
        rounded = np.round(kept.reshape(-1, 3) / (WELD * size)).astype(np.int64)
        _, first, inverse = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
        points, corners = kept.reshape(-1, 3)[first], inverse.reshape(-1, 3)
        sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
        edges, edge_of = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True)
        sharp = _sharp_edges(kept, points, edges, edge_of.reshape(-1))
        return cls(kept, normals, points, corners, edges, sharp, sharp[edge_of].reshape(-1, 3))

    def moved(self, rotation: Floats, shift: Floats) -> Soup:
        """The same triangles turned by a matrix (3, 3), then shifted by (3,)."""
        return replace(
            self,
            triangles=self.triangles @ rotation.T + shift,
            normals=self.normals @ rotation.T,
            points=self.points @ rotation.T + shift,
        )


def _sharp_edges(triangles: Floats, points: Floats, edges: Ints, edge_of: Ints) -> Bools:
    """Whether at each edge (e,) no two of its triangles continue each other."""
    owner = np.repeat(np.arange(len(triangles)), 3)
    along = points[edges[edge_of, 1]] - points[edges[edge_of, 0]]
    along /= np.linalg.norm(along, axis=1)[:, None]
    into = triangles[owner].mean(axis=1) - points[edges[edge_of, 0]]
    into -= np.sum(into * along, axis=1)[:, None] * along
    into /= np.linalg.norm(into, axis=1)[:, None]
    order = np.argsort(edge_of, kind="stable")
    count = np.bincount(edge_of, minlength=len(edges))
    start = np.cumsum(count) - count
    sharp = np.ones(len(edges), bool)
    for i in range(int(count.max())):
        for j in range(i):
            both = np.nonzero(count > i)[0]
            first, second = into[order[start[both] + i]], into[order[start[both] + j]]
            sharp[both] &= np.sum(first * second, axis=1) > 0.5 * FLAT**2 - 1.0
    return sharp


def deepest_crossing(first: Soup, second: Soup) -> float:
    """The greatest depth, a length, at which triangles of two soups pass through each other; 0 for none."""
    pairs = near_boxes(first.triangles, second.triangles, 0.0)
    return float(crossing_depths(first, second, pairs).max(initial=0.0))


def crossing_depths(first: Soup, second: Soup, pairs: Ints) -> Floats:
    """The depths (k,), lengths, at which pairs (k, 2) of triangles pass through each other."""
    i, j = pairs[:, 0], pairs[:, 1]
    depths = np.zeros(len(pairs))
    one, other = first.triangles[i], second.triangles[j]
    meet = _straddles(one, first.normals[i], other) & _straddles(other, second.normals[j], one)
    rows = np.nonzero(meet)[0]
    i, j, one, other = i[rows], j[rows], one[rows], other[rows]
    depths[rows] = np.maximum(
        _piercing_depths(one, other, second.normals[j], second.sharp[j]),
        _piercing_depths(other, one, first.normals[i], first.sharp[i]),
    )
    return depths


def _straddles(plane: Floats, normals: Floats, other: Floats) -> Bools:
    height = np.einsum("kij,kj->ki", other - plane[:, :1], normals)
    result: Bools = (height.min(axis=1) < 0) & (height.max(axis=1) > 0)
    return result


def _piercing_depths(piercing: Floats, triangles: Floats, normals: Floats, sharp: Bools) -> Floats:
    """How deep (k,) the edges of the first pierce the second, (k, 3, 3) both."""
    height = np.einsum("kij,kj->ki", piercing - triangles[:, :1], normals)
    deepest = np.zeros(len(triangles))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        rows = np.nonzero(height[:, i] * height[:, j] < 0)[0]
        start, ends = piercing[rows, i], height[rows][:, [i, j]]
        way = piercing[rows, j] - start
        at = start + (ends[:, 0] / (ends[:, 0] - ends[:, 1]))[:, None] * way
        depth = np.abs(ends).min(axis=1)
        for side in range(3):
            corner = triangles[rows, side]
            along = triangles[rows, (side + 1) % 3] - corner
            inward = np.cross(normals[rows], along)
            inside = np.sum((at - corner) * inward, axis=1)
            past = _line_distances(start, way, corner, along)
            depth = np.where(sharp[rows, side], np.minimum(depth, past), depth)
            depth = np.where(inside < -1e-13 * np.sum(along**2, axis=1), 0.0, depth)
        deepest[rows] = np.maximum(deepest[rows], depth)
    return deepest


def _line_distances(start1: Floats, way1: Floats, start2: Floats, way2: Floats) -> Floats:
    """The distances (k,) of infinite lines; of parallel ones, infinite."""
    axis = np.cross(way1, way2)
    length = np.linalg.norm(axis, axis=1)
    apart = np.abs(np.sum((start2 - start1) * axis, axis=1))
    return np.where(length > 0, apart / np.where(length > 0, length, 1.0), np.inf)
