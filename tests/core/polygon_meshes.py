"""Blender's primitives as polygon meshes: points (n, 3) and faces, each a list of indices wound outward."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

Faces = list[list[int]]
Mesh = tuple[np.ndarray, Faces]


def lathe(profile: list[tuple[float, float]], around: int) -> Mesh:
    """A profile of (r, z), turned about z; points on the axis stay single."""
    rings: list[list[int]] = []
    points: list[list[float]] = []
    for r, z in profile:
        count = 1 if r == 0.0 else around
        angle = 2.0 * np.pi * np.arange(count) / around
        rings.append([len(points) + i % count for i in range(around)])
        points += [[r * np.cos(a), r * np.sin(a), z] for a in angle]
    faces = []
    for low, high in pairwise(rings):
        for i in range(around):
            j = (i + 1) % around
            corners = [low[i], low[j], high[j], high[i]]
            faces.append(list(dict.fromkeys(corners)))
    return np.array(points), faces


def plane() -> Mesh:
    """One square."""
    return np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float), [[0, 1, 2, 3]]


def grid(count: int = 6) -> Mesh:
    """A square of count x count faces."""
    u = np.linspace(-1.0, 1.0, count + 1)
    points = np.stack([*np.meshgrid(u, u, indexing="ij"), np.zeros((count + 1, count + 1))], axis=-1)
    row = count + 1
    corners = [[i * row + j, i * row + row + j, i * row + row + j + 1, i * row + j + 1]
               for i in range(count) for j in range(count)]  # fmt: skip
    return points.reshape(-1, 3), corners


def cube() -> Mesh:
    """A cube of side 2."""
    points = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return points, [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def disc() -> Mesh:
    """A disc of one face of 16 corners."""
    angle = 2.0 * np.pi * np.arange(16) / 16
    return np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1), [list(range(16))]


def uv_sphere() -> Mesh:
    """A ball of segments and rings."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9)
    return lathe([(0.0, -1.0), *zip(np.cos(angle[1:-1]), np.sin(angle[1:-1]), strict=True), (0.0, 1.0)], 14)


def ico_sphere() -> Mesh:
    """A ball of 80 triangles."""
    g = 0.5 * (1.0 + np.sqrt(5.0))
    corners = [(s * a, t * b, 0.0) for a, b in ((1.0, g),) for s in (-1, 1) for t in (-1, 1)]
    points = np.array([np.roll(c, k) for k in range(3) for c in corners])
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 2.1
    coarse = [[i, j, k] for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k]
              and near[i, k]]  # fmt: skip
    coarse = [f if np.linalg.det(points[f]) > 0.0 else f[::-1] for f in coarse]
    rows, number, faces = list(points), {}, []

    def middle(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in number:
            number[key] = len(rows)
            rows.append(rows[i] + rows[j])
        return number[key]

    for a, b, c in coarse:
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        faces += [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    found = np.array(rows)
    return found / np.linalg.norm(found, axis=1, keepdims=True), faces


def cylinder() -> Mesh:
    """A cylinder closed by two faces of 12 corners."""
    points, faces = lathe([(1.0, -1.0), (1.0, 1.0)], 12)
    return points, [*faces, list(range(11, -1, -1)), list(range(12, 24))]


def cone() -> Mesh:
    """A cone closed by one face of 12 corners."""
    points, faces = lathe([(1.0, -1.0), (0.0, 1.0)], 12)
    return points, [*faces, list(range(11, -1, -1))]


def torus() -> Mesh:
    """A ring of radii 1 and 0.35."""
    angle = 2.0 * np.pi * np.arange(9) / 8
    points, faces = lathe([(1.0 + 0.35 * np.cos(a), 0.35 * np.sin(a)) for a in angle[:-1]], 16)
    around = [[7 * 16 + i, 7 * 16 + (i + 1) % 16, (i + 1) % 16, i] for i in range(16)]
    return points, [*faces, *around]


def frame() -> Mesh:
    """A square with a square hole, as one face bridged to the hole's border falls apart: the bridge twice."""
    outer, inner = plane()[0], 0.5 * plane()[0]
    bridge = np.array([outer[0], inner[0]])
    quads = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 8, 9, 7]]
    return np.concatenate([outer, inner, bridge]), quads


def bowl(radius: float = 1.0) -> Mesh:
    """A bowl with a wall, its foot on z = 0."""
    outside = [(0.0, 0.0), (0.6, 0.0), (1.1, 0.3), (1.5, 0.9), (1.6, 1.4)]
    inside = [(1.45, 1.4), (1.35, 0.95), (1.0, 0.45), (0.55, 0.2), (0.0, 0.2)]
    return lathe([(radius * r, radius * z) for r, z in (*outside, *inside)], 16)


CLOSED = (cube, uv_sphere, ico_sphere, cylinder, cone, torus)
OPEN = (plane, grid, disc, frame)
