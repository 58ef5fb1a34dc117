"""Loops: the borders of planar faces as cycles of straight edges, counterclockwise around their faces.

A side of a triangle is a border side of its face unless the triangle across it is of the same face.  After
the side that ends at a point follows the border side that is reached by turning around the point within the
face, triangle by triangle.  Where a face touches itself at a point, each of its fans there so keeps its own
sides.  Turning, and putting the cycles in order, is done by pointer doubling, for all faces at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import EdgeTable
from ...vectors import cross, dot
from .straight_edges import SideEdges


@dataclass(frozen=True, eq=False)
class Loops:
    """The l loops of f planar faces, sorted by face, the outer one first.

    edges, forward (m,): the straight edges of loop i, in order, and whether it runs along them, are the rows
        start[i] to start[i + 1] - 1.
    start (l + 1,), face (l,), outer (l,): the face of each loop, and whether it is its outer one.
    """

    edges: Ints
    forward: Bools
    start: Ints
    face: Ints
    outer: Bools


def face_loops(
    points: Floats, triangles: Ints, edges: EdgeTable, face: Ints, normal: Floats, sides: SideEdges
) -> Loops:
    """Return the loops of planar faces.

    Args:
        points: (n, 3).
        triangles: (t, 3).
        edges: the mesh edges.
        face: the planar face (t,) of each triangle, -1 for a curved one.
        normal: of the faces (f, 3).
        sides: the straight edges at the sides.
    """
    border = np.flatnonzero((sides.edge >= 0) & (np.repeat(face, 3) >= 0))
    following = _following(edges, border, len(sides.edge))
    cycle, place = _ranked(following)
    order = np.lexsort((place, cycle))
    order = order[sides.first[border[order]]]
    begin = np.flatnonzero(np.diff(cycle[order], prepend=-1))
    start = np.append(begin, len(order)).astype(np.intp)
    ordered = border[order]
    owner = face[ordered[begin] // 3]
    corners = points[triangles.ravel()[ordered]]
    outer = dot(_area_vectors(corners, start), normal[owner]) > 0.0
    return _sorted(sides.edge[ordered], sides.forward[ordered], start, owner, outer)


def _following(edges: EdgeTable, border: Ints, count: int) -> Ints:
    """Return for each border side (b,) the place in `border` of the one that follows it.

    Args:
        edges: the mesh edges.
        border: the border sides (b,), increasing.
        count: of all sides.
    """
    is_border = np.zeros(count, dtype=bool)
    is_border[border] = True
    turned = np.arange(count)
    inner = edges.sides[edges.paired]
    inner = inner[~is_border[inner].any(axis=1)]
    turned[inner[:, 0]], turned[inner[:, 1]] = _next_side(inner[:, 1]), _next_side(inner[:, 0])
    found = _next_side(border)
    while not is_border[found].all():
        found, turned = turned[found], turned[turned]
    numbers = np.cumsum(is_border) - 1
    return numbers[found]


def _next_side(side: Ints) -> Ints:
    """Return the next side (k,) around the triangle of each side (k,)."""
    return side - side % 3 + (side + 1) % 3


def _ranked(following: Ints) -> tuple[Ints, Ints]:
    """Return for each node (b,) the least node of its cycle, and how many steps after that it comes.

    Args:
        following: the next node (b,) of each; a permutation.
    """
    least, onward = np.minimum(np.arange(len(following)), following), following
    while np.any(least != least[following]):
        onward = onward[onward]
        least = np.minimum(least, least[onward])
    last = following == least
    onward = np.where(last, np.arange(len(following)), following)
    ahead = (~last).astype(np.intp)
    while True:
        further = onward[onward]
        if np.array_equal(further, onward):
            break
        ahead, onward = ahead + ahead[onward], further
    return least, ahead[least] - ahead


def _area_vectors(corners: Floats, start: Ints) -> Floats:
    """Return the area vectors (l, 3) of polygons, corners (m, 3) and where each polygon's begin (l + 1,)."""
    after = np.arange(1, len(corners) + 1)
    after[start[1:] - 1] = start[:-1]
    local = corners - np.repeat(corners[start[:-1]], np.diff(start), axis=0)
    return 0.5 * np.add.reduceat(cross(local, local[after]), start[:-1], axis=0)


def _sorted(edges: Ints, forward: Bools, start: Ints, face: Ints, outer: Bools) -> Loops:
    """Return the loops sorted by face, the outer one of each first."""
    order = np.lexsort((~outer, face))
    size = np.diff(start)[order]
    begin = np.concatenate([[0], np.cumsum(size)]).astype(np.intp)
    rows = np.arange(len(edges)) + np.repeat(start[:-1][order] - begin[:-1], size)
    return Loops(edges[rows], forward[rows], begin, face[order], outer[order])
