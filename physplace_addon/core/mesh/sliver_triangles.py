"""Triangles without area, taken out so that a closed mesh stays closed.

A needle is lower than a given width over its longest side. It fills the seam between a long side of one
neighbour and the two short ones of others: a corner on the side of a face is common. So the triangles at the
needle's longest side are split at its third corner, which closes the seam without it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints, portions
from ..vectors import coordinate_arrays, coordinate_cross
from .edges import edge_table

SPLIT_ROUNDS = 8


def distinct_corners(triangles: Ints) -> Bools:
    """Which triangles (t, 3) have three different corners (t,)."""
    a, b, c = triangles.T
    distinct: Bools = (a != b) & (b != c) & (c != a)
    return distinct


def without_needles(points: Floats, triangles: Ints, width: float) -> tuple[Ints, Ints]:
    """The triangles (m, 3) higher than a width above their longest side, and which (m,) of those given, (t,
    3) of distinct corners, each is a part of.

    Needles that ask for one neighbour take turns, in at most SPLIT_ROUNDS rounds.
    """
    source = np.arange(len(triangles))
    needle = needles(points, triangles, width)
    for _ in range(SPLIT_ROUNDS):
        if not needle.any():
            break
        split, parts = _split_neighbours(points, triangles, needle)
        if len(split) == 0:
            break
        triangles, source = split, source[parts]
        needle = needles(points, triangles, width)
    return triangles[~needle], source[~needle]


def needles(points: Floats, triangles: Ints, width: float) -> Bools:
    """Whether triangles (t,) are lower than a width over their longest sides."""
    needle = np.empty(len(triangles), dtype=bool)
    for rows in portions(len(triangles)):
        sides = _sides(points, triangles[rows])
        normal = coordinate_cross(sides[0], sides[1])
        twice = np.einsum("ij,ij->j", normal, normal)
        needle[rows] = twice <= width**2 * _squares(sides).max(axis=0)
    return needle


def _sides(points: Floats, triangles: Ints) -> Floats:
    """The sides (side 3, axis 3, k) of triangles (k, 3)."""
    a, b, c = coordinate_arrays(np.take(points, triangles, axis=0))
    return np.stack([b - a, c - b, a - c])


def _squares(sides: Floats) -> Floats:
    """The squared lengths (side 3, k) of sides (side 3, axis 3, k)."""
    squares: Floats = np.einsum("sit,sit->st", sides, sides)
    return squares


def _split_neighbours(points: Floats, triangles: Ints, needle: Bools) -> tuple[Ints, Ints]:
    """The triangles (m, 3), some needles taken out and their neighbours split, and which (m,) each was; none
    where no needle has a neighbour.
    """
    longest = np.zeros(len(triangles), dtype=np.intp)  # the corner that begins a needle's longest side
    longest[needle] = _squares(_sides(points, triangles[needle])).argmax(axis=0)
    faces, other = _splittable(triangles, needle, longest)
    neighbour, side = other // 3, other % 3
    middle = triangles[faces, (longest[faces] + 2) % 3]
    a, b, c = (triangles[neighbour, (side + shift) % 3] for shift in range(3))
    halves = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    kept = np.ones(len(triangles), dtype=bool)
    kept[faces] = kept[neighbour] = False
    if len(faces) == 0:
        return triangles[:0], faces
    return (
        np.concatenate([triangles[kept], halves]),
        np.concatenate([np.flatnonzero(kept), neighbour, neighbour]),
    )


def _splittable(triangles: Ints, needle: Bools, longest: Ints) -> tuple[Ints, Ints]:
    """Needles (s,) and the sides (s,) of sound triangles at their longest sides, each triangle once; a needle
    comes with all its neighbours or with none.
    """
    table = edge_table(triangles)
    edge = np.empty(3 * len(triangles), dtype=np.intp)
    edge[table.order] = np.repeat(np.arange(len(table.count)), table.count)
    faces = np.flatnonzero(needle)
    asked = np.full(len(table.count), -1, dtype=np.intp)
    asked[edge[3 * faces + longest[faces]][::-1]] = faces[::-1]  # the first needle at an edge
    wanted = asked[edge]
    sides = np.flatnonzero((wanted >= 0) & ~needle[np.arange(len(wanted)) // 3])
    sides = sides[np.lexsort((sides, wanted[sides]))]
    _, once = np.unique(sides // 3, return_index=True)
    mine = np.bincount(wanted[sides], minlength=len(triangles))
    got = np.bincount(wanted[sides[once]], minlength=len(triangles))
    sides = sides[once][(mine == got)[wanted[sides[once]]]]
    return wanted[sides], sides
