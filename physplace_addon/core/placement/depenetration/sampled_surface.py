"""A solid's triangles, prepared for distances of many points and for upper bounds of the depths of pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from ...arrays import Floats, Ints
from ...collision import closest_on_triangle
from ...vectors import dot

# Most triangles, nearest to some measured point, that the bounds of all pieces are compared with.
_TRIED = 32


@dataclass(eq=False)
class SampledSurface:
    """The surface of a solid, prepared for distances of many points.

    Attributes:
        triangles: its triangles (s, 3, 3).
        bounds: how far the exact surfaces of both bodies together may be from their triangles, scene units.
        tried: the triangles that the bounds of all pieces have been compared with.
    """

    triangles: Floats
    bounds: float

    def __post_init__(self) -> None:
        self.lower, self.upper = self.triangles.min(axis=(0, 1)), self.triangles.max(axis=(0, 1))
        self.centres = self.triangles.mean(axis=1)
        self.sizes = reach(self.triangles, self.centres)
        self.corners = cKDTree(self.triangles.reshape(-1, 3))
        self.tried: Ints = np.zeros(0, np.intp)

    def closest_points(self, points: Floats) -> tuple[Ints, Floats, Floats]:
        """Return the triangles (k,) nearest to points (k, 3), the nearest points on them (k, 3), and the
        distances (k,).
        """
        at_most = np.asarray(self.corners.query(points)[0])
        away = cdist(points, self.centres) - self.sizes
        row, triangle = np.nonzero(away <= at_most[:, None] * (1.0 + 1e-9))
        foot = _on(points[row], self.triangles[triangle])
        distance = np.sqrt(dot(foot - points[row], foot - points[row]))
        order = np.lexsort((distance, row))
        first = order[np.searchsorted(row[order], np.arange(len(points)))]
        return triangle[first], foot[first], distance[first]

    def depth_bounds(self, pieces: Floats) -> Floats:
        """Return upper bounds (k,), lengths, on the depth of pieces (k, 3, 3).

        They follow from the box around the surface, and from the corner of it nearest to each piece's middle.
        """
        to_box = np.minimum((pieces - self.lower).max(axis=1), (self.upper - pieces).max(axis=1)).min(axis=1)
        corner = self.triangles.reshape(-1, 3)[self.corners.query(pieces.mean(axis=1))[1]]
        return np.asarray(np.minimum(to_box, reach(pieces, corner)))

    def bounds_by(self, triangles: Ints, pieces: Floats) -> Floats:
        """Return upper bounds (k,), lengths, on the depth of pieces (k, 3, 3).

        They follow from the distances of each piece to n triangles of the surface, by number (k, n).
        """
        count, several = triangles.shape
        corners = np.repeat(pieces, several, axis=0).reshape(-1, 3)
        base = np.repeat(self.triangles[triangles.ravel()], 3, axis=0)
        away = _on(corners, base) - corners
        far: Floats = np.sqrt(dot(away, away)).reshape(count, several, 3).max(axis=2)
        return np.asarray(far.min(axis=1))

    def untried(self, triangles: Ints) -> Ints:
        """Return those of the triangles (n,) that are not among `tried`, and add them to it.

        `tried` gets no more than `_TRIED` triangles.
        """
        fresh = np.setdiff1d(triangles, self.tried)[: max(0, _TRIED - len(self.tried))]
        self.tried = np.concatenate([self.tried, fresh])
        return fresh


def _on(points: Floats, triangles: Floats) -> Floats:
    on: Floats = np.einsum("ki,kij->kj", closest_on_triangle(points, triangles).barycentric, triangles)
    return on


def reach(triangles: Floats, points: Floats) -> Floats:
    """Return the distances (k,) of points (k, 3) from the farthest corners of triangles (k, 3, 3)."""
    offset = triangles - points[:, None]
    farthest: Floats = np.sqrt(dot(offset, offset).max(axis=1))
    return farthest
