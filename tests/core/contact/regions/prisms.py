"""Upright prisms over regular polygons."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

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
