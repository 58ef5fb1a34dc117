"""Straight edges: chains of mesh edges between the same faces that lie on one line as a whole.

A mesh edge is part of an edge unless it lies inside a planar face or beside curved faces only.  Two of them
join at a point where they are the only ones, with the same faces, if no other face touches there.  A chain
of joined mesh edges is then cut where it is not straight: at the point farthest from the segment between its
ends, while that is beyond the tolerance, and so on in the parts (Ramer, Douglas and Peucker).  A chain
without ends, such as the border of a sheet, is first cut at a point farthest from its middle, which is a
corner, and at the point farthest from there.

All chains are put in order at once by pointer doubling: every half edge (a mesh edge in one of its two
directions) knows the one that follows, then the one two places on, then four, until it knows the last one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import HASH_FACTOR, EdgeTable, component_labels
from ...vectors import dot, length
from .planar_faces import grouped

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class StraightEdges:
    """The e straight edges of a mesh.

    chain_points, chain_start (e + 1,): the points along edge i, both ends included, are the rows
        chain_start[i] to chain_start[i + 1] - 1.
    mesh_edges, forward, owner (k,): the mesh edges along the edges in order, whether each runs along its
        edge, and the number of that.
    """

    chain_points: Ints
    chain_start: Ints
    mesh_edges: Ints
    forward: Bools
    owner: Ints

    @property
    def ends(self) -> Ints:
        """The points (e, 2) at which each edge begins and ends."""
        return np.stack(
            [self.chain_points[self.chain_start[:-1]], self.chain_points[self.chain_start[1:] - 1]], 1
        )


@dataclass(frozen=True, eq=False)
class SideEdges:
    """For each side (3 t,) of the triangles: its mesh edge, and the straight edge that it is part of or -1.

    forward (3 t,): whether the side runs along that straight edge.  first (3 t,): whether it begins at a
    point in which straight edges end.
    """

    mesh_edge: Ints
    edge: Ints
    forward: Bools
    first: Bools


def straight_edges(
    points: Floats, triangles: Ints, edges: EdgeTable, face: Ints, tolerance: Floats
) -> StraightEdges:
    """Return the straight edges of a mesh.

    Args:
        points: (n, 3).
        triangles: (t, 3).
        edges: the mesh edges.
        face: the planar face (t,) of each triangle, -1 for a curved one.
        tolerance: largest distance from a straight line (t,) at each triangle, a length.
    """
    kept, around, distinct = _feature_edges(edges, face)
    ends = edges.ends[kept]
    joined = _joined_halves(ends, _joints(ends, around, distinct, triangles, face, len(points)))
    cut_points = _corners_of_closed(points, ends, joined)
    joined = joined[~np.isin(_start(ends, joined[:, 0]), cut_points)]
    order, start = _chains(joined, len(kept))
    corners, begin = _chain_points(ends, order, start)
    near = tolerance[edges.sides[kept[order[start[:-1]] // 2], 0] // 3]
    cut = _cuts(points[corners], begin, np.repeat(near, np.diff(begin)))
    return _pieces(kept, corners, begin, order, cut)


def _feature_edges(edges: EdgeTable, face: Ints) -> tuple[Ints, Hashes, Ints]:
    """Return the mesh edges (k,) that are part of edges, a hash (k,) of the faces at each, and their number
    (k,), each counted once.
    """
    begin = np.cumsum(edges.count) - edges.count
    owner = face[edges.order // 3]
    least, most = np.minimum.reduceat(owner, begin), np.maximum.reduceat(owner, begin)
    inner = edges.paired & (edges.balance == 0) & (least == most)
    kept = np.flatnonzero(~inner & (most >= 0))
    around = np.add.reduceat(_hashed(owner), begin)[kept]
    distinct = 1 + (least != most).astype(np.intp)
    several = np.flatnonzero(edges.count > 2)
    if len(several):
        edge = np.repeat(np.arange(len(begin)), edges.count)
        distinct[several] = _distinct(edge, owner, len(begin))[several]
    return kept, around, distinct[kept]


def _hashed(face: Ints) -> Hashes:
    """Return hashes (k,) of faces (k,), of which sums tell sets of faces apart."""
    mixed = (face + 2).astype(np.uint64) * HASH_FACTOR
    mixed ^= mixed >> np.uint64(32)
    mixed *= HASH_FACTOR
    hashed: Hashes = mixed ^ (mixed >> np.uint64(29))
    return hashed


def _distinct(place: Ints, face: Ints, count: int) -> Ints:
    """Return how many different faces (count,) there are at each place, from pairs place (k,), face (k,)."""
    span = int(face.max(initial=0)) + 2
    found = np.unique(place * span + face + 1)
    return np.bincount(found // span, minlength=count)


def _joints(ends: Ints, around: Hashes, distinct: Ints, triangles: Ints, face: Ints, count: int) -> Bools:
    """Return the points (count,) at which exactly two edges meet, with the same faces and no others."""
    joint: Bools = np.bincount(ends.ravel(), minlength=count) == 2
    least, most = np.full(count, np.iinfo(np.uint64).max, dtype=np.uint64), np.zeros(count, dtype=np.uint64)
    number = np.zeros(count, dtype=np.intp)
    for end in ends.T:
        np.minimum.at(least, end, around)
        np.maximum.at(most, end, around)
        number[end] = distinct
    joint &= least == most
    if joint.any():
        rows = np.flatnonzero(joint[triangles].any(axis=1))
        at, owner = triangles[rows].ravel(), np.repeat(face[rows], 3)
        some = joint[at]
        joint &= _distinct(at[some], owner[some], count) == number
    return joint


def _start(ends: Ints, half: Ints) -> Ints:
    """Return the points (k,) at which half edges (k,) begin; 2 i is edge i in its direction, 2 i + 1 against
    it.
    """
    found: Ints = ends[half // 2, half % 2]
    return found


def _joined_halves(ends: Ints, joint: Bools) -> Ints:
    """Return the two half edges (j, 2) that leave each joint."""
    start = ends.ravel()
    leaving = np.flatnonzero(joint[start])
    halves: Ints = leaving[np.argsort(start[leaving], kind="stable")].reshape(-1, 2)
    return halves


def _corners_of_closed(points: Floats, ends: Ints, joined: Ints) -> Ints:
    """Return two points (c,) of each chain without ends, corners of it, from the halves (j, 2) at joints."""
    label = component_labels(joined // 2, len(ends))
    count = int(label.max(initial=-1)) + 1
    closed = np.bincount(label[joined[:, 0] // 2], minlength=count) == np.bincount(label, minlength=count)
    rows = np.flatnonzero(closed[label])
    if len(rows) == 0:
        return rows
    at, chain = ends[rows, 0], label[rows]
    at = np.concatenate([at, ends[rows, 1]])
    chain = np.unique(np.concatenate([chain, chain]), return_inverse=True)[1]
    order, start = grouped(chain, int(chain.max()) + 1)
    middle = np.add.reduceat(points[at[order]], start[:-1], axis=0) / np.diff(start)[:, None]
    first = _farthest(points[at], chain, middle)
    second = _farthest(points[at], chain, points[at[first]])
    corners: Ints = at[np.concatenate([first, second])]
    return corners


def _farthest(places: Floats, group: Ints, origin: Floats) -> Ints:
    """Return the row (g,) of the place (k, 3) of each group (k,) that is farthest from its origin (g, 3)."""
    away = length(places - origin[group])
    order = np.lexsort((away, group))
    farthest: Ints = order[np.diff(group[order], append=-1) != 0]
    return farthest


def _chains(joined: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the half edges (k,) of `count` edges in chains, one after the other, and where each begins.

    Args:
        joined: the two half edges (j, 2) that leave each joint.
        count: the number of edges, each once among the chains.
    """
    following = np.arange(2 * count)
    following[joined[:, 0] ^ 1], following[joined[:, 1] ^ 1] = joined[:, 1], joined[:, 0]
    last, ahead = following, (following != np.arange(2 * count)).astype(np.intp)
    while True:
        further = last[last]
        if np.array_equal(further, last):
            break
        ahead, last = ahead + ahead[last], further
    first = last[np.arange(2 * count) ^ 1] ^ 1
    half = np.flatnonzero(first < (last ^ 1))
    order = half[np.lexsort((-ahead[half], first[half]))]
    begins = np.flatnonzero(np.diff(first[order], prepend=-1))
    return order, np.append(begins, len(order))


def _chain_points(ends: Ints, order: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Return the points (m,) along chains, both ends included, and where each chain's begin (c + 1,)."""
    counts = np.diff(start)
    begin = start + np.arange(len(start))
    corners = np.empty(begin[-1], dtype=np.intp)
    corners[np.arange(len(order)) + np.repeat(np.arange(len(counts)), counts)] = _start(ends, order)
    corners[begin[1:] - 1] = _start(ends, order[start[1:] - 1] ^ 1)
    return corners, begin


def _cuts(places: Floats, begin: Ints, tolerance: Floats) -> Bools:
    """Return at which points (m,) chains begin, end, or are cut because they are not straight.

    Args:
        places: the points (m, 3) along the chains.
        begin: where each chain's begin (c + 1,).
        tolerance: largest distance (m,) from a straight line, a length.
    """
    cut = np.zeros(len(places), dtype=bool)
    cut[begin[:-1]] = cut[begin[1:] - 1] = True
    rows = np.flatnonzero(~cut)
    while len(rows):
        breaks = np.flatnonzero(cut)
        piece = np.searchsorted(breaks, rows) - 1
        away = _from_segment(places[rows], places[breaks[piece]], places[breaks[piece + 1]])
        order = np.lexsort((away, piece))
        worst = order[np.diff(piece[order], append=-1) != 0]
        worst = worst[away[worst] > tolerance[rows[worst]]]
        cut[rows[worst]] = True
        rows = rows[np.isin(piece, piece[worst]) & ~cut[rows]]
    return cut


def _from_segment(places: Floats, origin: Floats, end: Floats) -> Floats:
    """Return the distances (k,) of places (k, 3) from the segments between two points (k, 3) each."""
    along, offset = end - origin, places - origin
    square = dot(along, along)
    share = np.clip(dot(along, offset) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return length(offset - share[:, None] * along)


def _pieces(kept: Ints, corners: Ints, begin: Ints, order: Ints, cut: Bools) -> StraightEdges:
    """Return the straight edges between the cuts of chains; arguments as the functions above return them."""
    breaks = np.flatnonzero(cut)
    final = np.zeros(len(cut), dtype=bool)
    final[begin[1:] - 1] = True
    here, there = breaks[:-1], breaks[1:]
    here, there = here[~final[breaks[:-1]]], there[~final[breaks[:-1]]]
    size = there - here + 1
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.intp)
    place = np.arange(start[-1]) + np.repeat(here - start[:-1], size)
    owner = np.searchsorted(here, np.flatnonzero(~final), side="right") - 1
    return StraightEdges(corners[place], start, kept[order // 2], order % 2 == 0, owner)


def edges_of_sides(triangles: Ints, edges: EdgeTable, straight: StraightEdges) -> SideEdges:
    """Return the straight edges at the sides of triangles (t, 3)."""
    mesh_edge = np.empty(3 * len(triangles), dtype=np.intp)
    mesh_edge[edges.order] = np.repeat(np.arange(len(edges.count)), edges.count)
    owner, along = np.full(len(edges.count), -1), np.zeros(len(edges.count), dtype=bool)
    owner[straight.mesh_edges], along[straight.mesh_edges] = straight.owner, straight.forward
    start = triangles.ravel()
    forward = (start == edges.ends[mesh_edge, 0]) == along[mesh_edge]
    is_end = np.zeros(int(start.max()) + 1, dtype=bool)
    is_end[straight.ends] = True
    return SideEdges(mesh_edge, owner[mesh_edge], forward, is_end[start])
