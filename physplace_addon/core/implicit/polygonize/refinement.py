"""Triangles of a mesh on an implicit surface cut smaller until they are as near to it as asked.

An edge is cut in its middle, which goes to the surface, where that is too far from it; so is the longest
edge of a triangle whose centre is too far, and the longest one of a triangle with an edge to cut, again and
again, so that angles stay as good as they are (Rivara 1984).  What the triangles hang together like does not
change.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from ..projection import distances_to_surface, projected
from .mesh_topology import MeshTopology

_ROUNDS = 16
_PATIENCE, _NEARER = 6, 0.6  # rounds, and how much nearer triangles must have come in them to go on
_LITTLE = 0.3  # of the distance allowed
_MOST_TRIANGLES, _MOST_GROWTH = 60_000, 8  # whichever is more, of the triangles to begin with


def refined(
    function: ImplicitFunction, points: Floats, triangles: Ints, within: float
) -> tuple[Floats, Ints, float]:
    """Return points (n, 3) on the surface, triangles (t, 3), and how far their edges' middles and their
    centres are from it at most: no more than `within`, in scene units, unless that cannot be had.
    """
    before = np.full(_PATIENCE, np.inf)
    enough = max(_MOST_TRIANGLES, _MOST_GROWTH * len(triangles))
    for round_ in range(_ROUNDS + 1):
        links = MeshTopology.of(triangles, len(points))
        middles = points[links.ends].mean(axis=1)
        at_edges = _distances(function, middles)
        at_centres = _inside(function, points[triangles], within)
        most = float(max(at_edges.max(initial=0.0), at_centres.max(initial=0.0)))
        vain = most > _NEARER * before[0]
        if most <= within or vain or round_ == _ROUNDS or len(triangles) > enough:
            break
        before = np.append(before[1:], most)
        marked = _marked(points, links, at_edges > within, at_centres > within)
        points, triangles = _split(function, points, links, marked)
    return points, triangles, most


def bisected_at_longest_edges(
    function: ImplicitFunction, points: Floats, triangles: Ints, which: Bools
) -> tuple[Floats, Ints]:
    """Return points (n, 3) on the surface and triangles (t, 3), with the longest edge of some (t,) of them
    cut.
    """
    links = MeshTopology.of(triangles, len(points))
    none = np.zeros(len(links.ends), dtype=np.bool_)
    return _split(function, points, links, _marked(points, links, none, which))


def _split(
    function: ImplicitFunction, points: Floats, links: MeshTopology, marked: Bools
) -> tuple[Floats, Ints]:
    """The points with the middles of the marked edges, and the triangles cut there."""
    middles = points[links.ends[marked]].mean(axis=1)
    reach = 0.25 * float(np.sqrt(_squares(points, links)[marked].max()))
    points = np.concatenate([points, projected(function, middles, reach)])
    return points, _cut(points, links, marked)


def _inside(function: ImplicitFunction, corners: Floats, within: float) -> Floats:
    """How far triangles (t, 3, 3) are from the surface at their centres; where that is not little, also half
    way from there to their corners, since beside a crease the centres do not tell.
    """
    away = _distances(function, corners.mean(axis=1))
    rows = np.flatnonzero(away > _LITTLE * within)
    between = 0.5 * (corners[rows] + corners[rows].mean(axis=1, keepdims=True))
    more = _distances(function, between.reshape(-1, 3)).reshape(-1, 3)
    away[rows] = np.maximum(away[rows], more.max(axis=1, initial=0.0))
    return away


def _distances(function: ImplicitFunction, points: Floats) -> Floats:
    """Return about how far points (k, 3) near the surface are from it (k,)."""
    return distances_to_surface(*function.gradient(points))


def _squares(points: Floats, links: MeshTopology) -> Floats:
    """The squares (m,) of the edges' lengths."""
    side = points[links.ends[:, 1]] - points[links.ends[:, 0]]
    squares: Floats = np.einsum("mi,mi->m", side, side)
    return squares


def _marked(points: Floats, links: MeshTopology, edges: Bools, centres: Bools) -> Bools:
    """The edges (m,) to cut: some, the longest of some triangles, and of all that have one to cut."""
    square = _squares(points, links)
    rows = np.arange(len(links.triangles))
    longest = links.edge_of[rows, np.argmax(square[links.edge_of], axis=1)]
    marked = edges.copy()
    whole = centres & ~marked[links.edge_of].any(axis=1)
    marked[longest[whole]] = True
    while True:
        late = marked[links.edge_of].any(axis=1) & ~marked[longest]
        if not late.any():
            return marked
        marked[longest[late]] = True


def _cut(points: Floats, links: MeshTopology, marked: Bools) -> Ints:
    """The triangles after the marked edges are cut at the last points, in the order of the edges."""
    number = np.full(len(marked), -1, dtype=np.intp)
    number[marked] = len(points) - int(marked.sum()) + np.arange(int(marked.sum()))
    square = np.zeros(len(marked))
    square[:] = _squares(points, links)
    middle = number[links.edge_of]
    longest = np.argmax(np.where(middle >= 0, square[links.edge_of], -1.0), axis=1)
    turn = (longest[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(links.triangles, turn, axis=1).T
    ab, bc, ca = np.take_along_axis(middle, turn, axis=1).T
    whole, on_b, on_a = ab < 0, bc >= 0, ca >= 0
    parts = [
        np.stack(three, axis=1)[rows]
        for three, rows in (
            ((a, b, c), whole),
            ((ab, b, c), ~whole & ~on_b),
            ((ab, b, bc), ~whole & on_b),
            ((ab, bc, c), ~whole & on_b),
            ((a, ab, c), ~whole & ~on_a),
            ((a, ab, ca), ~whole & on_a),
            ((ca, ab, c), ~whole & on_a),
        )
    ]
    return np.concatenate(parts)
