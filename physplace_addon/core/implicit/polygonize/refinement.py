"""Refinement of a mesh on an implicit surface, until it is as near to the surface as asked.

An edge is cut at its midpoint, brought onto the surface or onto the crease along it, where the midpoint is
too far from it. So is the longest edge of a triangle whose centre is too far, and the longest edge of every
triangle that has an edge to cut, again and again, so that angles stay as good as they are (Rivara 1984). The
mesh keeps its topology.

Where two sheets are near to each other, as in a low fin, Newton's steps may lead to the other one, and
triangles through a point there cross others. Such a point goes only a part of the way from the middle of its
edge, where they cross nothing that was not crossed before, and the rest in a later round if it can then.

An edge is taken to be on a crease where its two triangles meet at an angle, and both sides of the surface go
on doing so ever nearer to the place (`crease_points`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import distances_to_surface, distances_within, projected
from .creases.crease_points import CreasePoints, on_creases
from .mesh_topology import MeshTopology, area_vectors
from .self_intersection import crossing_triangles

_ROUNDS = 16  # most rounds of cutting
_PATIENCE, _NEARER = 6, 0.6  # rounds, and the factor by which the distance must have fallen in them to go on
# share of the allowed distance: a triangle whose centre is farther off is examined at more places
_LITTLE = 0.3
_TURN = 0.7  # between the unit normals at two corners of a triangle that is examined all over
# shares of the corners in the places that are examined, halfway from the centre to the corners and all over
_HALFWAY = 0.5 * np.eye(3) + 1.0 / 6.0
_ALL_OVER = np.array([(i, j, 6 - i - j) for i in range(6) for j in range(7 - i) if i + j > 0 and j < 6]) / 6.0
# most triangles, and most times those at the start; the greater bound counts
_MOST_TRIANGLES, _MOST_GROWTH = 60_000, 8
_ANGLE = 0.3  # radians between the two triangles at an edge that may be on a crease
_REACH = 0.5  # lengths of the edge that the crease may be from its midpoint
_LEAST_SHARE = 0.125  # of a point's way to the surface: where it cannot go as far, it stays
_ANY = 2.0  # between the unit normals of both sides of a crease, however narrow it is


def refined(
    function: ImplicitFunction, points: Floats, triangles: Ints, within: float
) -> tuple[Floats, Ints, float]:
    """Return a mesh with triangles cut until their edges' midpoints and their centres are near the surface.

    No triangles cross each other that did not before.

    Args:
        function: F.
        points: points (n, 3) on the surface.
        triangles: the triangles (t, 3) through them.
        within: the distance allowed, in scene units.

    Returns:
        Points, triangles, and the greatest distance that is left, in scene units, which is at most `within`
            unless that cannot be had.
    """
    before, goals = np.full(_PATIENCE, np.inf), points
    enough = max(_MOST_TRIANGLES, _MOST_GROWTH * len(triangles))
    for round_ in range(_ROUNDS + 1):
        topology = MeshTopology.of(triangles, len(points))
        ends = points[topology.ends]
        at_edges = distances_within(function, ends.mean(axis=1), ends)
        at_centres = _inside(function, points[triangles], within)
        at_centres = np.maximum(at_centres, _unmoved(function, points, goals)[triangles].max(axis=1))
        most = float(max(at_edges.max(initial=0.0), at_centres.max(initial=0.0)))
        vain = most > _NEARER * before[0]
        if most <= within or vain or round_ == _ROUNDS or len(triangles) > enough:
            break
        before = np.append(before[1:], most)
        marked = _marked(points, topology, at_edges > within, at_centres > within)
        goals = np.concatenate([goals, edge_middles(function, points, topology, marked)])
        points = np.concatenate([points, ends[marked].mean(axis=1)])
        triangles = _cut(points, topology, marked)
        points = _moved(points, goals, triangles)
    return points, triangles, most


def bisected_at_longest_edges(
    function: ImplicitFunction, points: Floats, triangles: Ints, which: Bools
) -> tuple[Floats, Ints]:
    """Return points and triangles, with the longest edge of some triangles (t,) cut."""
    topology = MeshTopology.of(triangles, len(points))
    marked = _marked(points, topology, np.zeros(len(topology.ends), dtype=np.bool_), which)
    points = np.concatenate([points, edge_middles(function, points, topology, marked)])
    return points, _cut(points, topology, marked)


def _moved(points: Floats, goals: Floats, triangles: Ints) -> Floats:
    """Return points (n, 3) at their goals (n, 3), or nearer to these where triangles (t, 3) would cross each
    other for it.

    The corners of triangles that cross go half of the way, again and again, and at last nowhere.
    """
    share = (points != goals).any(axis=1).astype(np.float64)
    while True:
        moved = np.where(share[:, None] == 1.0, goals, points + share[:, None] * (goals - points))
        crossing = triangles[crossing_triangles(moved, triangles, (share > 0.0)[triangles].any(axis=1))]
        if not share[crossing].any():
            return moved
        crossing = np.unique(crossing)
        share[crossing] = np.where(share[crossing] > _LEAST_SHARE, 0.5 * share[crossing], 0.0)


def _unmoved(function: ImplicitFunction, points: Floats, goals: Floats) -> Floats:
    """Return how far points (n, 3) that are not at their goals (n, 3) on the surface are from it (n,); 0 for
    others.
    """
    away = np.zeros(len(points))
    rows = np.flatnonzero((points != goals).any(axis=1))
    first_order = distances_to_surface(*function.gradient(points[rows]))
    away[rows] = np.minimum(first_order, length(goals[rows] - points[rows]))
    return away


def _inside(function: ImplicitFunction, corners: Floats, within: float) -> Floats:
    """Return how far triangles with corners (t, 3, 3) are from the surface (t,), in scene units.

    They are measured at their centres, where that is not little also halfway from there to their corners, and
    where the surface turns far over them, as about creases and narrow blends, all over them.
    """
    away = distances_within(function, corners.mean(axis=1), corners)
    turned = _turns(function, corners) > _TURN
    for rows, shares in (
        (np.flatnonzero((away > _LITTLE * within) & ~turned), _HALFWAY),
        (np.flatnonzero(turned), _ALL_OVER),
    ):
        places = np.einsum("sc,tci->tsi", shares, corners[rows])
        owners = np.repeat(corners[rows], len(shares), axis=0)
        more = distances_within(function, places.reshape(-1, 3), owners).reshape(len(rows), len(shares))
        away[rows] = np.maximum(away[rows], more.max(axis=1, initial=0.0))
    return away


def _turns(function: ImplicitFunction, corners: Floats) -> Floats:
    """Return how far the unit normals at the corners of triangles (t, 3, 3) are apart at most (t,)."""
    normals = length_and_unit(function.gradient(corners.reshape(-1, 3))[1])[1].reshape(-1, 3, 3)
    turns: Floats = length(normals - np.roll(normals, 1, axis=1)).max(axis=1)
    return turns


def _squares(points: Floats, topology: MeshTopology) -> Floats:
    """Return the squared lengths (m,) of the edges."""
    side = points[topology.ends[:, 1]] - points[topology.ends[:, 0]]
    squares: Floats = dot(side, side)
    return squares


def _marked(points: Floats, topology: MeshTopology, edges: Bools, centres: Bools) -> Bools:
    """Return the edges (m,) to cut: given ones, the longest of given triangles, and of all with an edge to
    cut.
    """
    square = _squares(points, topology)
    rows = np.arange(len(topology.triangles))
    longest = topology.edge_of[rows, np.argmax(square[topology.edge_of], axis=1)]
    marked = edges.copy()
    whole = centres & ~marked[topology.edge_of].any(axis=1)
    marked[longest[whole]] = True
    while True:
        late = marked[topology.edge_of].any(axis=1) & ~marked[longest]
        if not late.any():
            return marked
        marked[longest[late]] = True


def _cut(points: Floats, topology: MeshTopology, marked: Bools) -> Ints:
    """Return the triangles after the marked edges (m,) are cut at the last points, in the
    order of the edges.
    """
    number = np.full(len(marked), -1, dtype=np.intp)
    number[marked] = len(points) - int(marked.sum()) + np.arange(int(marked.sum()))
    square = np.zeros(len(marked))
    square[:] = _squares(points, topology)
    middle = number[topology.edge_of]
    longest = np.argmax(np.where(middle >= 0, square[topology.edge_of], -1.0), axis=1)
    turn = (longest[:, None] + np.arange(3)) % 3
    a, b, c = np.take_along_axis(topology.triangles, turn, axis=1).T
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


def edge_middles(function: ImplicitFunction, points: Floats, topology: MeshTopology, which: Bools) -> Floats:
    """Return the midpoints (k, 3) of some edges (m,) of a closed mesh of points (n, 3), on the surface."""
    ends = points[topology.ends[which]]
    sizes = length(ends[:, 1] - ends[:, 0])
    middles = projected(function, ends.mean(axis=1), 0.25 * float(sizes.max(initial=0.0)))
    may_be, near = _sharp(points, topology, which)
    found, known = on_creases(function, near, _REACH * sizes[may_be], _ANY)
    middles[np.flatnonzero(may_be)[known]] = found.places[known]
    return middles


def quartered(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return points and triangles where each triangle is cut in four, with its new corners on the surface."""
    topology = MeshTopology.of(triangles, len(points))
    middles = edge_middles(function, points, topology, np.ones(len(topology.ends), dtype=np.bool_))
    a, b, c = triangles.T
    ab, bc, ca = len(points) + topology.edge_of.T
    quarters = np.concatenate(
        [np.stack(three, axis=1) for three in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
    return np.concatenate([points, middles]), quarters


def _sharp(points: Floats, topology: MeshTopology, which: Bools) -> tuple[Bools, CreasePoints]:
    """Return which of some edges (k,) are between triangles at an angle, and the midpoints of these edges
    with the normals of the triangles.
    """
    order = np.argsort(topology.edge_of.ravel(), kind="stable")
    pairs = order[np.searchsorted(topology.edge_of.ravel()[order], np.flatnonzero(which))[:, None] + [0, 1]]
    triangles = pairs // 3
    normals = length_and_unit(area_vectors(points, topology.triangles))[1][triangles]
    sharp = length(normals[:, 1] - normals[:, 0]) > _ANGLE
    middles = points[topology.ends[which][sharp]].mean(axis=1)
    inwards = points[topology.triangles[triangles[sharp, 1]]].mean(axis=1) - middles
    return sharp, CreasePoints(middles, normals[sharp], dot(inwards, normals[sharp, 0]) < 0.0)
