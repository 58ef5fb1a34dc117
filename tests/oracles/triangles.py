"""No triangle of one polyhedron passes through another's: edges against triangles, both ways.

A crossing counts when the edge's ends lie more than `tolerance` on either side of the triangle's plane and
the edge meets the triangle more than `tolerance` inside its border. Touching is no crossing. Boxes cull the
pairs.
"""

from __future__ import annotations

import numpy as np

from tests.oracles.arrays import Bools, Floats, Ints


def crossings(a: Floats, b: Floats, tolerance: float) -> np.ndarray:
    """Pairs (k, 2) of triangles of a (m, 3, 3) and of b (n, 3, 3), in world units, that pass through each
    other.
    """
    pairs = near_boxes(a, b, tolerance)
    if not len(pairs):
        return pairs
    first, second = a[pairs[:, 0]], b[pairs[:, 1]]
    through = _pierces(first, second, tolerance) | _pierces(second, first, tolerance)
    return pairs[through]


def near_boxes(a: Floats, b: Floats, pad: Floats | float) -> Ints:
    """Pairs (k, 2) of sets of points, (m, p, 3) and (n, q, 3), whose boxes are within `pad`, () or (3,)."""
    low_a, high_a, low_b, high_b = a.min(1) - pad, a.max(1) + pad, b.min(1), b.max(1)
    in_a = np.nonzero(np.all((low_a <= high_b.max(0)) & (high_a >= low_b.min(0)), axis=1))[0]
    if not len(in_a):
        return np.empty((0, 2), int)
    in_b = np.nonzero(np.all((low_b <= high_a[in_a].max(0)) & (high_b >= low_a[in_a].min(0)), axis=1))[0]
    found = []
    for part in np.array_split(in_a, max(1, len(in_a) * len(in_b) // 2_000_000)):
        hit = np.ones((len(part), len(in_b)), bool)
        for axis in range(3):
            hit &= low_a[part, axis, None] <= high_b[None, in_b, axis]
            hit &= high_a[part, axis, None] >= low_b[None, in_b, axis]
        i, j = np.nonzero(hit)
        found.append(np.stack([part[i], in_b[j]], axis=1))
    return np.concatenate(found)


def _pierces(edges_of: Floats, triangle: Floats, tolerance: float) -> Bools:
    """Whether any edge of the first (k, 3, 3) passes through the second (k, 3, 3)."""
    corner = triangle[:, 0]
    normal = np.cross(triangle[:, 1] - corner, triangle[:, 2] - corner)
    length = np.linalg.norm(normal, axis=1)
    usable = length > 0
    normal = normal / np.where(usable, length, 1)[:, None]
    height = np.einsum("kij,kj->ki", edges_of - corner[:, None], normal)
    hit = np.zeros(len(triangle), bool)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        hp, hq = height[:, i], height[:, j]
        apart = usable & (np.minimum(np.abs(hp), np.abs(hq)) > tolerance) & (hp * hq < 0)
        share = hp / np.where(apart, hp - hq, 1.0)
        point = edges_of[:, i] + share[:, None] * (edges_of[:, j] - edges_of[:, i])
        hit |= apart & _inside(point, triangle, normal, tolerance)
    return hit


def _inside(point: Floats, triangle: Floats, normal: Floats, margin: float) -> Bools:
    inside = np.ones(len(point), bool)
    for i in range(3):
        side = triangle[:, (i + 1) % 3] - triangle[:, i]
        inward = np.cross(normal, side)
        inside &= np.sum((point - triangle[:, i]) * inward, axis=1) > margin * np.linalg.norm(side, axis=1)
    return inside
