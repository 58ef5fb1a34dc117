"""Pieces: the triangles of planar faces and the segments of straight edges, and how they continue each other.

A body has parameters on every triangle and every segment.  The planar face or straight edge that these are
pieces of is one feature all the same, named by its first piece.  A point on it keeps the piece that it is on,
since a planar face is one within a tolerance only, and goes on from piece to piece as it moves.

From one triangle to the next a point goes in barycentric coordinates: straight on to the side through which
the way leaves the triangle, where both corners of that side have the same weights in the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import edge_table
from ...surfaces.flat import Segments, Triangles, closest_in_triangles
from ...vectors import cross, dot, length
from ..body import Body
from .topology import merged_of

_MOST = 256  # pieces that a point goes through in one move; it stops at the border of the last one
_NEXT = np.array([1, 2, 0])


@dataclass(frozen=True, eq=False)
class Pieces:
    """How the faces and edges of a body, as it numbers them, are pieces of planar faces and straight edges.

    triangle (nf,), segment (ne,): whether each is a triangle or a segment.
    corners (nf, 3, 3): those of the triangles, at parameters (0, 0), (1, 0) and (0, 1).
    lengths (ne,): of the segments.
    planar (nf,): the number of its planar face in the topology, -1 for a curved one.
    face (nf,), edge (ne,): the first piece of the same planar face or straight edge; itself for any other.
    across (nf, 3): 3 i + s for side s of piece i, from its corner s to the next, beyond each side of a
        triangle in its planar face; -1 where that face ends.
    beyond (ne, 2): 2 i + s for end s of piece i, beyond each end of a segment in its straight edge, or -1.
    """

    triangle: Bools
    segment: Bools
    corners: Floats
    lengths: Floats
    planar: Ints
    face: Ints
    edge: Ints
    across: Ints
    beyond: Ints

    def moved_on_faces(
        self, body: Body, piece: Ints, uv: Floats, displacement: Floats
    ) -> tuple[Ints, Floats]:
        """Return the pieces (k,) and parameters (k, 2) of points on faces after a displacement (k, 3).

        A point stops where its planar face ends, as near to its goal as its last triangle comes; one on
        another face does as its surface tells.
        """
        flat = self.triangle[piece]
        if flat.all():
            return self._walked(piece, uv, displacement)
        piece, moved = piece.copy(), np.empty_like(uv)
        moved[~flat] = body.face_move(piece[~flat], uv[~flat], displacement[~flat])
        piece[flat], moved[flat] = self._walked(piece[flat], uv[flat], displacement[flat])
        return piece, moved

    def _walked(self, piece: Ints, uv: Floats, displacement: Floats) -> tuple[Ints, Floats]:
        """Do the same on triangles."""
        sides = self.corners[piece]
        goal = sides[:, 0] + displacement + (uv[:, None] @ (sides[:, 1:] - sides[:, :1]))[:, 0]
        there = _parameters(sides, goal)
        rows = out = np.flatnonzero(_leave(there))
        if len(rows) == 0:
            return piece, there
        piece = piece.copy()
        weights, entry = _weights(uv[rows]).clip(min=0.0), np.full(len(rows), -1)
        for _ in range(_MOST):
            weights, side = _left_through(weights, _weights(there[rows]), entry)
            onward = self.across[piece[rows], side]
            going = (onward >= 0) & (side >= 0)
            if not going.any():
                break
            rows, side, onward, weights = rows[going], side[going], onward[going], weights[going]
            piece[rows], entry = onward // 3, onward % 3
            swapped, here = np.zeros_like(weights), np.arange(len(rows))
            swapped[here, entry] = weights[here, _NEXT[side]]
            swapped[here, _NEXT[entry]] = weights[here, side]
            there[rows] = _parameters(self.corners[piece[rows]], goal[rows])
            left = _leave(there[rows])
            rows, weights, entry = rows[left], swapped[left], entry[left]
        sides = self.corners[piece[out]]
        along_u, along_v = sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]
        there[out] = closest_in_triangles(along_u, along_v, there[out])
        return piece, there

    def moved_on_edges(self, body: Body, piece: Ints, t: Floats, distance: Floats) -> tuple[Ints, Floats]:
        """Return the pieces (k,) and parameters (k,) of points on edges, an arc length (k,) farther along.

        A point stops where its straight edge ends; one on another edge does as its curve tells.
        """
        piece, moved = piece.copy(), body.edge_move(piece, t, distance)
        rows = np.flatnonzero(self.segment[piece])
        ahead = t[rows] + distance[rows] / self.lengths[piece[rows]]
        for _ in range(_MOST):
            onward = self.beyond[piece[rows], (ahead > 0.5).astype(np.intp)]
            out = np.flatnonzero(((ahead < 0.0) | (ahead > 1.0)) & (onward >= 0))
            if len(out) == 0:
                break
            rows, ahead, onward = rows[out], ahead[out], onward[out]
            rest = np.where(ahead > 0.5, ahead - 1.0, -ahead) * self.lengths[piece[rows]]
            piece[rows] = onward // 2
            rest /= self.lengths[piece[rows]]
            ahead = np.where(onward % 2 == 0, rest, 1.0 - rest)
            moved[rows] = ahead.clip(0.0, 1.0)
        return piece, moved


def _weights(uv: Floats) -> Floats:
    """Return the barycentric coordinates (k, 3) of parameters (k, 2)."""
    return np.column_stack([1.0 - uv[:, 0] - uv[:, 1], uv])


def _leave(uv: Floats) -> Bools:
    """Return which parameters (k, 2) are outside their triangles."""
    outside: Bools = (uv[:, 0] < 0.0) | (uv[:, 1] < 0.0) | (uv[:, 0] + uv[:, 1] > 1.0)
    return outside


def _parameters(corners: Floats, point: Floats) -> Floats:
    """Return the parameters (k, 2) of points (k, 3), as seen along the normals of triangles (k, 3, 3)."""
    along_u, along_v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal, offset = cross(along_u, along_v), point - corners[:, 0]
    parameters = np.empty((len(point), 2))
    parameters[:, 0], parameters[:, 1] = (
        dot(cross(along_v, normal), offset),
        dot(cross(normal, along_u), offset),
    )
    parameters /= dot(normal, normal)[:, None]
    return parameters


def _left_through(start: Floats, goal: Floats, entry: Ints) -> tuple[Floats, Ints]:
    """Return the weights (k, 3) where straight ways leave their triangles, and the sides (k,) they do it by;
    -1 for a goal that is outside by rounding alone, beyond the side through which the way came.

    Args:
        start, goal: the weights (k, 3) of both ends, the goals outside.
        entry: the side (k,) through which each way came, or -1.
    """
    start, goal = start[:, [2, 0, 1]], goal[:, [2, 0, 1]]  # side s is where the weight of corner s + 2 ends
    share = np.where(goal < 0.0, start / np.where(goal < 0.0, start - goal, 1.0), np.inf)
    came = np.flatnonzero(entry >= 0)
    share[came, entry[came]] = np.inf
    side, least = share.argmin(axis=1), share.min(axis=1)
    passed = start + np.minimum(least, 1.0)[:, None] * (goal - start)
    return passed[:, [1, 2, 0]].clip(min=0.0), np.where(np.isfinite(least), side, -1)


def pieces_of(body: Body) -> Pieces:
    """Return the pieces of a body: made at the first call and freed together with the body."""
    pieces = body.derived.get("pieces")
    if not isinstance(pieces, Pieces):
        pieces = body.derived["pieces"] = _made(body)
    return pieces


def _made(body: Body) -> Pieces:
    triangle, corners = np.zeros(body.face_count, bool), np.zeros((body.face_count, 3, 3))
    for number, surface in enumerate(body.surfaces):
        if isinstance(surface, Triangles):
            rows = body.face_surface == number
            triangle[rows], corners[rows] = True, surface.corners[body.face_index[rows]]
    segment, lengths = np.zeros(body.edge_count, bool), np.ones(body.edge_count)
    for number, curve in enumerate(body.curves):
        if isinstance(curve, Segments):
            rows = body.edge_curve == number
            ends = curve.ends[body.edge_index[rows]]
            segment[rows], lengths[rows] = True, length(ends[:, 1] - ends[:, 0])
    faces, edges = np.arange(body.face_count), np.arange(body.edge_count)
    planar, beyond = np.full(len(faces), -1), np.full((len(edges), 2), -1)
    across = np.full((len(faces), 3), -1)
    if not body.face_flat.any():
        return Pieces(triangle, segment, corners, lengths, planar, faces, edges, across, beyond)
    of_triangle = merged_of(body).face
    planar[body.triangle_face] = of_triangle
    faces = _first_of_each(planar)
    if triangle.any():
        across = _across(body, triangle, faces)
    if segment.any():
        edges, beyond = _chains(body, segment)
    return Pieces(triangle, segment, corners, lengths, planar, faces, edges, across, beyond)


def _first_of_each(number: Ints) -> Ints:
    """Return the first row (n,) with the same number as each (n,); each with a negative one is by itself."""
    first = np.full(int(number.max(initial=-1)) + 1, len(number))
    some = np.flatnonzero(number >= 0)
    np.minimum.at(first, number[some], some)
    found = np.arange(len(number))
    found[some] = first[number[some]]
    return found


def _across(body: Body, triangle: Bools, face: Ints) -> Ints:
    """Return `Pieces.across`, from which faces (nf,) are triangles and the first piece (nf,) of each."""
    rows = np.flatnonzero(triangle[body.triangle_face])
    place = (body.triangle_uv[rows] @ np.array([1.0, 2.0])).round().astype(np.intp)  # 0 to 2, of each corner
    corners = np.empty((len(rows), 3), np.intp)
    np.put_along_axis(corners, place, body.triangle_corners[rows], axis=1)
    piece, edges = body.triangle_face[rows], edge_table(corners)
    sides = edges.sides[edges.paired & (edges.balance == 0)]
    sides = 3 * piece[sides // 3] + sides % 3
    sides = sides[face[sides[:, 0] // 3] == face[sides[:, 1] // 3]]
    across = np.full(3 * len(face), -1)
    across[sides[:, 0]], across[sides[:, 1]] = sides[:, 1], sides[:, 0]
    return across.reshape(-1, 3)


def _chains(body: Body, segment: Bools) -> tuple[Ints, Ints]:
    """Return `Pieces.edge` and `Pieces.beyond`, from which edges (ne,) are segments."""
    rows = np.flatnonzero(segment[body.segment_edge])
    piece, owner = body.segment_edge[rows], body.segment_owner[rows]
    corners = body.triangles[owner]
    away = body.segments[rows][:, :, None] - corners[:, None]
    nearest = np.einsum("kecx,kecx->kec", away, away).argmin(axis=2)
    side = np.where((nearest[:, 0] + 1) % 3 == nearest[:, 1], nearest[:, 0], nearest[:, 1])
    number = np.full(len(segment), -1)
    number[piece] = merged_of(body).sides.edge.reshape(-1, 3)[owner, side]
    ends = np.full((len(segment), 2), -1)
    ends[piece] = np.take_along_axis(body.triangle_corners[owner], nearest, axis=1)
    half = np.flatnonzero(np.repeat(number >= 0, 2))
    at, chain = ends.ravel()[half], number[half // 2]
    order = np.lexsort((at, chain))
    joint = np.flatnonzero((np.diff(at[order]) == 0) & (np.diff(chain[order]) == 0))
    first, second = half[order[joint]], half[order[joint + 1]]
    beyond = np.full(2 * len(segment), -1)
    beyond[first], beyond[second] = second, first
    return _first_of_each(number), beyond.reshape(-1, 2)
