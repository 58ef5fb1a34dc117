"""Small triangle meshes for tests: points (n, 3) and triangles (t, 3), wound outward."""

import numpy as np
from numpy.typing import ArrayLike

CUBE_POINTS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_TRIANGLES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
SQUARE_POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
SQUARE_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])


def cube_mesh(size: float = 1.0, center: ArrayLike = (0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """A cube of a size about a centre."""
    return size * CUBE_POINTS + np.asarray(center), CUBE_TRIANGLES


def torus(nu: int, nv: int) -> tuple[np.ndarray, np.ndarray]:
    """A torus of radii 3 and 1 as nu by nv quadrilaterals, each cut in two."""
    u, v = np.meshgrid(*(2.0 * np.pi * np.arange(n) / n for n in (nu, nv)), indexing="ij")
    radius = 3.0 + np.cos(v)
    points = np.stack([radius * np.cos(u), radius * np.sin(u), np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(nu), np.arange(nv), indexing="ij")
    a, b, c, d = (((i + p) % nu * nv + (j + q) % nv).ravel() for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def moebius(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A Moebius strip of n quadrilaterals, each cut in two."""
    u = 2.0 * np.pi * np.arange(n) / n
    radius = 2.0 + 0.5 * np.outer([-1.0, 1.0], np.cos(u / 2.0))
    height = 0.5 * np.outer([-1.0, 1.0], np.sin(u / 2.0))
    points = np.stack([radius * np.cos(u), radius * np.sin(u), height], axis=-1).reshape(-1, 3)
    i = np.arange(n)
    last = i == n - 1
    low, high = np.where(last, n, (i + 1) % n), np.where(last, 0, n + (i + 1) % n)
    return points, np.concatenate([np.stack([i, low, high], axis=1), np.stack([i, high, n + i], axis=1)])


def split(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same mesh as a soup: no two triangles share a vertex."""
    return points[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


def beside(*meshes: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    triangles = [part + start for (_, part), start in zip(meshes, starts[:-1], strict=True)]
    return np.concatenate([points for points, _ in meshes]), np.concatenate(triangles)


def voxels(filled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boundary of unit cubes at the filled places of a grid (n, n, n), as a soup."""
    corners: list[np.ndarray] = []
    cells = np.argwhere(filled)
    solid = np.pad(filled, 1)
    for direction in (*np.eye(3, dtype=int), *-np.eye(3, dtype=int)):
        bare = cells[~solid[tuple((cells + 1 + direction).T)]]
        first = np.roll(np.abs(direction), 1)
        second = np.cross(direction, first)
        quad = 0.5 + 0.5 * direction + 0.5 * np.array([-first - second, first - second, first + second])
        other = 0.5 + 0.5 * direction + 0.5 * np.array([-first - second, first + second, second - first])
        corners += [bare[:, None] + quad, bare[:, None] + other]
    points = np.concatenate(corners).reshape(-1, 3)
    return points, np.arange(len(points)).reshape(-1, 3)
