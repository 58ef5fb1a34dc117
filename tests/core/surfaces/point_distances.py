"""Distances of points from triangles, by brute force."""

import numpy as np

from physplace_addon.core.arrays import Floats


def distances(points: Floats, triangles: Floats) -> Floats:
    """Distances (m, t) from points (m, 3) to triangles (t, 3, 3)."""
    corners = triangles.transpose(1, 0, 2)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    nearest = np.full((len(points), len(triangles)), np.inf)
    inside = np.ones_like(nearest, dtype=bool)
    for i in range(3):
        start, along = corners[i], corners[(i + 1) % 3] - corners[i]
        offset = points[:, None] - start
        t = np.clip((offset * along).sum(axis=2) / (along * along).sum(axis=1), 0.0, 1.0)
        nearest = np.minimum(nearest, np.linalg.norm(offset - t[..., None] * along, axis=2))
        inside &= (offset * np.cross(along, normal)).sum(axis=2) <= 0.0
    height = np.abs(((points[:, None] - corners[0]) * normal).sum(axis=2))
    return np.where(inside, height, nearest)


def thin_distances(points: Floats, triangle: Floats) -> Floats:
    """Distances (m,) to one triangle, which may have no area."""
    if np.linalg.norm(np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])) < 1e-12:
        return np.full(len(points), np.inf)
    return distances(points, triangle[None])[:, 0]
