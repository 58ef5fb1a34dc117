"""Meshes to be curved: points, faces, and which faces are flat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.bodies.curved_meshes import smoothed
from physplace_addon.core.surfaces.subdivision.cage import Cage


def cage_of(
    faces: Sequence[Sequence[int]],
    points: Sequence[Sequence[float]] | Floats,
    sharp: Sequence[tuple[int, int]] = (),
) -> Cage:
    """The faces as a cage; sharp: pairs of vertices."""
    corners = np.concatenate([np.array(face) for face in faces])
    heads = np.concatenate([np.roll(face, -1) for face in faces])
    marked = {(min(pair), max(pair)) for pair in sharp}
    edges = zip(np.minimum(corners, heads).tolist(), np.maximum(corners, heads).tolist(), strict=True)
    sharpness = np.array([np.inf if edge in marked else 0.0 for edge in edges])
    starts = np.cumsum([0, *(len(face) for face in faces)])
    return Cage(corners, starts, sharpness, np.zeros(len(points)))


def curved(
    points: ArrayLike,
    faces: Sequence[Sequence[int]],
    flat: tuple[int, ...] = (),
    sharp: Sequence[tuple[int, int]] = (),
    wanted: Floats | None = None,
) -> Body:
    """The body of a mesh that can be curved."""
    body, _ = body_of(points, faces, flat, sharp, wanted)
    assert body is not None
    return body


def body_of(
    points: ArrayLike,
    faces: Sequence[Sequence[int]],
    flat: tuple[int, ...] = (),
    sharp: Sequence[tuple[int, int]] = (),
    wanted: Floats | None = None,
) -> tuple[Body | None, tuple[str, ...]]:
    """What `smoothed` makes of a mesh, its faces cut into triangles from their first corners."""
    places = np.asarray(points, dtype=float)
    fans = [(i, (f[0], a, b)) for i, f in enumerate(faces) for a, b in pairwise(f[1:])]
    owner, triangles = np.array([i for i, _ in fans]), np.array([three for _, three in fans])
    is_flat = np.isin(np.arange(len(faces)), flat)
    return smoothed(places, cage_of(faces, places, sharp), is_flat, wanted, triangles, owner, "mesh")


def all_over(body: Body, lines: int) -> Floats:
    """Points (k, 3) all over a body of curved faces, on so many lines each way over each patch."""
    line = np.linspace(0.0, 1.0, lines)
    at = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    points = []
    for surface in body.surfaces:
        lower, upper = surface.pieces[:, :1], surface.pieces[:, 1:]
        uv = (lower + at * (upper - lower)).reshape(-1, 2)
        points.append(surface.derivatives(np.zeros(len(uv), np.intp), uv).point)
    return np.concatenate(points)


def ring_of(
    profile: Sequence[tuple[float, float]], around: int, closed: bool
) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    """Points (r, z) turned about z, and the quadrilaterals between them."""
    turn = 2 * np.pi * np.arange(around) / around
    points = [[r * np.cos(a), r * np.sin(a), z] for r, z in profile for a in turn]
    count = len(profile)
    faces: list[tuple[int, ...]] = []
    for k in range(count if closed else count - 1):
        low, high = k * around, (k + 1) % count * around
        for i in range(around):
            j = (i + 1) % around
            faces.append((low + i, low + j, high + j, high + i))
    return points, faces


def torus(
    major: float = 1.0, minor: float = 0.4, around: int = 24, across: int = 12
) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    angle = 2 * np.pi * np.arange(across) / across
    profile = [(major + minor * np.cos(a), minor * np.sin(a)) for a in angle]
    return ring_of(profile, around, closed=True)


def sphere(around: int = 16, rings: int = 8) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    """A globe of quadrilaterals, with triangles about its poles."""
    rise = np.pi * (np.arange(1, rings) / rings - 0.5)
    points, faces = ring_of([(np.cos(b), np.sin(b)) for b in rise], around, closed=False)
    south, north = len(points), len(points) + 1
    top = south - around
    faces += [(south, (i + 1) % around, i) for i in range(around)]
    faces += [(north, top + i, top + (i + 1) % around) for i in range(around)]
    return [*points, [0, 0, -1], [0, 0, 1]], faces


def cylinder(around: int = 16, half: float = 1.0) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    """A prism with two caps, the last faces."""
    points, faces = ring_of([(1.0, -half), (1.0, half)], around, closed=False)
    return points, [*faces, tuple(range(around))[::-1], tuple(range(around, 2 * around))]


def cone(around: int = 16) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    points, faces = ring_of([(1.0, 0.0)], around, closed=False)
    sides = [(i, (i + 1) % around, around) for i in range(around)]
    return [*points, [0, 0, 2.0]], [*faces, *sides, tuple(range(around))[::-1]]


def cube() -> tuple[list[list[float]], list[tuple[int, ...]]]:
    points: list[list[float]] = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces: list[tuple[int, ...]] = [
        (0, 1, 3, 2),
        (4, 6, 7, 5),
        (0, 4, 5, 1),
        (2, 3, 7, 6),
        (0, 2, 6, 4),
        (1, 5, 7, 3),
    ]
    return points, faces


def rounded_slab(around: int = 32, width: float = 0.1) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    """A disk whose rim is rounded by three steps, its caps the last faces."""
    angle = np.linspace(0, np.pi / 2, 4)
    low = [(1 - width + width * np.sin(a), width - width * np.cos(a)) for a in angle]
    profile = [*low, *((r, 0.5 - z) for r, z in low[::-1])]
    points, faces = ring_of(profile, around, closed=False)
    last = len(points) - around
    return points, [*faces, tuple(range(around))[::-1], tuple(range(last, last + around))]


def lump(seed: int = 3) -> tuple[list[list[float]], list[tuple[int, ...]]]:
    """A torus whose points are shaken: nothing about it is regular."""
    points, faces = torus(around=20, across=10)
    shaken = np.asarray(points) + np.random.default_rng(seed).normal(scale=0.02, size=(len(points), 3))
    moved: list[list[float]] = shaken.tolist()
    return moved, faces
