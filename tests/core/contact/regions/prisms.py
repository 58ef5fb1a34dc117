"""Upright prisms over regular polygons, and cubes whose faces are grids."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, polyhedron


@lru_cache
def prism(sides: int) -> Body:
    """A prism of radius 1 and height 1 about the origin, its caps cut into slivers."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.concatenate([np.column_stack([ring, np.full(sides, z)]) for z in (-0.5, 0.5)])
    one = np.arange(sides)
    other = (one + 1) % sides
    cap = np.stack([np.zeros(sides - 2, int), one[1:-1], one[2:]], axis=1)
    walls = [
        np.stack(corners, axis=1)
        for corners in ((one, other, other + sides), (one, other + sides, one + sides))
    ]
    return polyhedron(points, np.concatenate([*walls, cap[:, ::-1], cap + sides]), "prism")


@lru_cache
def gridded_cube(cells: int) -> Body:
    """A cube of side 1 about the origin, each face a grid of cells, 12 cells^2 triangles in all."""
    line = np.linspace(-0.5, 0.5, cells + 1)
    u, v = (each.ravel() for each in np.meshgrid(line, line, indexing="ij"))
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    face = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    points: list[Floats] = []
    triangles: list[Ints] = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            at = np.empty((len(u), 3))
            at[:, axis], at[:, (axis + 1) % 3], at[:, (axis + 2) % 3] = side, u, v
            triangles.append((face if side > 0.0 else face[:, ::-1]) + len(points) * len(u))
            points.append(at)
    return polyhedron(np.concatenate(points), np.concatenate(triangles), "gridded cube")
