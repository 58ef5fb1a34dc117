"""Removal of sliver triangles, those almost without area, so that a closed mesh stays closed.

A sliver is lower than a given width over its longest side.  It fills the seam between a long side of one
neighbour and the two short sides of others, as where a corner lies on the side of a face.  So the triangles
at the sliver's longest side are split at its third corner, which closes the seam without it.

Where three corners of a finely divided curve are so near to one line, each split makes another sliver.  Such
a triangle stays if its height is more than rounding and it has neighbours at all of its sides, which its loss
would open.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints, portions
from ..vectors import coordinate_arrays, coordinate_cross
from .edges import edge_table

SPLIT_ROUNDS = 8
"""Most rounds of splitting; in each a triangle is split at most once."""

LEAST_SHARE = 0.1
"""Height of a sliver that may stay, over the width of slivers: above rounding, so that it has a normal."""


def distinct_corners(triangles: Ints) -> Bools:
    """Return which triangles (t, 3) have three different corners, (t,)."""
    a, b, c = triangles.T
    distinct: Bools = (a != b) & (b != c) & (c != a)
    return distinct


def without_slivers(points: Floats, triangles: Ints, width: float) -> tuple[Ints, Ints]:
    """Return the triangles (m, 3) left without slivers, and which (m,) of the given ones each is a part of.

    Args:
        points: (n, 3), lengths.
        triangles: (t, 3), of distinct corners.
        width: the height over the longest side up to which a triangle is a sliver, a length.
    """
    source = np.arange(len(triangles))
    sliver = are_slivers(points, triangles, width)
    for _ in range(SPLIT_ROUNDS):
        if not sliver.any():
            break
        split, parts = _split_neighbours(points, triangles, sliver)
        if len(split) == 0:
            break
        triangles, source = split, source[parts]
        sliver = are_slivers(points, triangles, width)
    if sliver.any():
        sliver &= are_slivers(points, triangles, LEAST_SHARE * width) | _at_border(triangles)
    return triangles[~sliver], source[~sliver]


def _at_border(triangles: Ints) -> Bools:
    """Return which triangles (t, 3) have a side without a neighbour, (t,)."""
    table = edge_table(triangles)
    border = np.zeros(len(triangles), dtype=bool)
    border[table.sides[table.count == 1, 0] // 3] = True
    return border


def are_slivers(points: Floats, triangles: Ints, width: float) -> Bools:
    """Return whether triangles (t, 3) are lower than a width, a length, over their longest sides, (t,)."""
    sliver = np.empty(len(triangles), dtype=bool)
    for rows in portions(len(triangles)):
        sides = _sides(points, triangles[rows])
        normal = coordinate_cross(sides[0], sides[1])
        twice = np.einsum("ij,ij->j", normal, normal)
        sliver[rows] = twice <= width**2 * _squares(sides).max(axis=0)
    return sliver


def _sides(points: Floats, triangles: Ints) -> Floats:
    """Return the sides (side 3, axis 3, k) of triangles (k, 3)."""
    a, b, c = coordinate_arrays(np.take(points, triangles, axis=0))
    return np.stack([b - a, c - b, a - c])


def _squares(sides: Floats) -> Floats:
    """Return the squared lengths (side 3, k) of sides (side 3, axis 3, k)."""
    squares: Floats = np.einsum("sit,sit->st", sides, sides)
    return squares


def _split_neighbours(points: Floats, triangles: Ints, sliver: Bools) -> tuple[Ints, Ints]:
    """Return triangles (m, 3) without some slivers, whose neighbours are split, and which (m,) each was.

    Both are empty if no sliver has a neighbour to split.
    """
    longest = np.zeros(len(triangles), dtype=np.intp)  # the corner that begins a sliver's longest side
    longest[sliver] = _squares(_sides(points, triangles[sliver])).argmax(axis=0)
    faces, other = _splittable(triangles, sliver, longest)
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


def _splittable(triangles: Ints, sliver: Bools, longest: Ints) -> tuple[Ints, Ints]:
    """Return slivers (s,) and the sides (s,) of other triangles at their longest sides, each triangle once.

    A sliver is there with all its neighbours or not at all.
    """
    table = edge_table(triangles)
    edge = np.empty(3 * len(triangles), dtype=np.intp)
    edge[table.order] = np.repeat(np.arange(len(table.count)), table.count)
    faces = np.flatnonzero(sliver)
    claimed = np.full(len(table.count), -1, dtype=np.intp)
    claimed[edge[3 * faces + longest[faces]][::-1]] = faces[::-1]  # the first sliver at an edge
    claims = claimed[edge]
    sides = np.flatnonzero((claims >= 0) & ~sliver[np.arange(len(claims)) // 3])
    sides = sides[np.lexsort((sides, claims[sides]))]
    _, once = np.unique(sides // 3, return_index=True)
    mine = np.bincount(claims[sides], minlength=len(triangles))
    got = np.bincount(claims[sides[once]], minlength=len(triangles))
    sides = sides[once][(mine == got)[claims[sides[once]]]]
    return claims[sides], sides
