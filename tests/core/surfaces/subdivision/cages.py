"""Subdivision cages of every awkward kind, and their limits by refining without end."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.subdivision.cage import Cage, cage_around, with_infinite_sharpness
from physplace_addon.core.surfaces.subdivision.refinement import refine

CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TOP = [(1, 3), (3, 7), (7, 5), (5, 1)]
CHILD = {(False, False): 0, (True, False): 1, (True, True): 2, (False, True): 3}


def cage_of(
    points: ArrayLike,
    faces: Sequence[tuple[int, ...]],
    creases: dict[tuple[int, int], float] | None = None,
    sharp: dict[int, float] | None = None,
) -> tuple[Floats, Cage]:
    """Points (n, 3) and a cage; creases by pair of vertices, sharp vertices by number."""
    corners = np.array([v for face in faces for v in face])
    starts = np.concatenate([[0], np.cumsum([len(face) for face in faces])])
    ends = [(a, b) for face in faces for a, b in zip(face, face[1:] + face[:1], strict=True)]
    creased = {(min(edge), max(edge)): value for edge, value in (creases or {}).items()}
    edge = np.array([creased.get((min(end), max(end)), 0.0) for end in ends])
    vertex = np.zeros(len(np.asarray(points)))
    for number, value in (sharp or {}).items():
        vertex[number] = value
    return np.array(points, float), Cage(corners, starts, edge, vertex)


def cube(
    creases: dict[tuple[int, int], float] | None = None, sharp: dict[int, float] | None = None
) -> tuple[Floats, Cage]:
    return cage_of(CUBE, CUBE_FACES, creases, sharp)


def prism(sides: int) -> tuple[Floats, Cage]:
    """A prism with n-gons at its ends: after refinement, vertices of `sides` faces."""
    turn = 2 * np.pi * np.arange(sides) / sides
    points = [(np.cos(t), np.sin(t), z) for z in (-0.7, 0.5) for t in turn]
    walls = [(i, (i + 1) % sides, sides + (i + 1) % sides, sides + i) for i in range(sides)]
    return cage_of(points, [tuple(range(sides))[::-1], tuple(range(sides, 2 * sides)), *walls])


def fan(count: int, rng: np.random.Generator) -> tuple[Floats, Cage]:
    """An open sheet of quadrilaterals around one vertex."""
    turn, reach = np.pi * np.arange(2 * count) / count, 1 + 0.4 * (np.arange(2 * count) % 2)
    ring = np.stack([reach * np.cos(turn), reach * np.sin(turn), 0.2 * rng.normal(size=2 * count)], axis=1)
    faces = [(0, 1 + 2 * i, 2 + 2 * i, 1 + (2 * i + 2) % (2 * count)) for i in range(count)]
    return cage_of(np.vstack([[(0, 0, 0.3)], ring]), faces)


def sheet(
    rng: np.random.Generator, creases: dict[tuple[int, int], float] | None = None
) -> tuple[Floats, Cage]:
    """A rough open sheet of three by four quadrilaterals."""
    points = [(0.25 * i, 0.25 * j, 0.1 * rng.normal()) for i in range(4) for j in range(5)]
    faces = [(5 * i + j, 5 * i + j + 5, 5 * i + j + 6, 5 * i + j + 1) for i in range(3) for j in range(4)]
    return cage_of(points, faces, creases)


def cages() -> dict[str, tuple[Floats, Cage]]:
    """All cages by name."""
    rng = np.random.default_rng(7)
    rows = [(2, 7), (7, 12), (12, 17), (5, 6), (6, 7), (7, 8), (8, 9)]
    return {
        "cube": cube(),
        "hard top": cube(dict.fromkeys(TOP, 10.0)),
        "soft top": cube(dict.fromkeys(TOP, 2.5)),
        "dart": cube({(0, 1): 10.0}),
        "corner of creases": cube({(0, 1): 10.0, (0, 2): 10.0, (0, 4): 10.0}),
        "mixed": cube({(0, 1): 10.0, (0, 2): 1.6, (0, 4): 3.6, (1, 3): 0.4}),
        "sharp vertex": cube({(1, 3): 1.3}, {0: 10.0, 1: 2.5}),
        "crossing creases": sheet(rng, dict.fromkeys(rows, 10.0)),
        "three": prism(3),
        "five": prism(5),
        "twelve": prism(12),
        "fifty": prism(50),
        "open fan": fan(5, rng),
        "one": cage_of([(0, 0, 0), (1, 0, 0.2), (1, 1, 0), (0, 1, 0.3)], [(0, 1, 2, 3)]),
        "three on an edge": cage_of(
            [*np.ndindex(2, 2, 1), (-1, 0, 0.2), (-1, 1, 0.1), (0, 0, 1), (0, 1, 1)],
            [(0, 2, 3, 1), (0, 1, 5, 4), (0, 1, 7, 6)],
        ),
        "disagreeing": cage_of(
            [*np.ndindex(2, 2, 1), (-1, 0, 0.2), (-1, 1, 0.1)], [(0, 2, 3, 1), (0, 4, 5, 1)]
        ),
    }


def quadrilaterals(points: Floats, cage: Cage, sharp_corners: bool = False) -> tuple[Floats, Cage]:
    """The prepared cage of quadrilaterals, and its points."""
    cage = with_infinite_sharpness(cage, sharp_corners)
    if (cage.sizes != 4).any():
        cage, matrix = refine(cage)
        points = matrix @ points
    return points, cage


def refined_at(points: Floats, cage: Cage, face: int, at: Floats, levels: int = 20) -> Floats:
    """The middle of the small face that holds the parameters `at` (2,) of a face, so many levels on."""
    for _ in range(levels):
        part, _, vertices = cage_around(cage, np.array([face]))
        cage, matrix = refine(part)
        points = matrix @ points[vertices]
        half = at >= 0.5
        at, face = 2.0 * at - half, CHILD[bool(half[0]), bool(half[1])]
    result: Floats = points[cage.corners[4 * face : 4 * face + 4]].mean(axis=0)
    return result
