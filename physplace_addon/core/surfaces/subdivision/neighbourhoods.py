"""Which points of a refined cage determine the limit surface over a quadrilateral.

A corner of a face is *regular* where the surface is a uniform cubic B-spline: a smooth vertex of four faces;
a crease or border with two faces on this side; a sharp corner with this face alone.  Over a face with four
regular corners the limit is one bicubic patch of 4 x 4 points; the rows beyond a sharp side are mirrored,
P_-1 = 2 P_0 - P_1 (that gives the rules for creases and corners).

A face with a single extraordinary corner, whose others are smooth but for the ends of sharp sides, is *ready*
for the powers of `extraordinary`.  Seen from that corner its points are: the corner; around it for each face
the spoke and the diagonal, counter-clockwise, and where the faces do not close the last spoke; and beyond the
face p, q, t, r, s and, behind smooth sides of its own, z and z':

        s   r - t
        |   |   |        spokes c1 = first, c3 = second of the face, diagonal c2
    z'- c3- c2 -q
            |   |        (z' left of s, c3; z below p, c1)
        c0- c1 -p
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from .cage import Cage
from .refinement import CORNER, CREASE, DART, SMOOTH, vertex_kinds

_TURN = ((1, 1), (2, 1), (2, 2), (1, 2))  # the corners of the face in the grid
_ALONG = ((1, 0), (0, 1), (-1, 0), (0, -1))  # the direction in the grid in which each half-edge runs


@dataclass(frozen=True, eq=False)
class Corners:
    """What is known of the corners of a cage of quadrilaterals.

    kind (h,): the kind of each half-edge's own vertex.  regular (h,): whether it is regular there.  steady
    (nv,): whether no sharpness at a vertex will change.
    """

    kind: Ints
    regular: Bools
    steady: Bools


def corners_of(cage: Cage) -> Corners:
    """Return what is known of all corners of a cage of quadrilaterals."""
    edge = np.zeros(len(cage.ends))
    np.maximum.at(edge, cage.edge, cage.edge_sharpness)
    fading = (edge > 0.0) & np.isfinite(edge)
    steady = (cage.vertex_sharpness == 0.0) | np.isinf(cage.vertex_sharpness)
    steady[cage.ends[fading]] = False
    kind = vertex_kinds(cage, edge, cage.vertex_sharpness)[cage.corners]
    faces = np.bincount(cage.corners, minlength=cage.vertex_count)[cage.corners]
    out, into = cage.sharp, cage.sharp[cage.previous]
    smooth = (kind == SMOOTH) & (faces == 4)
    crease = (kind == CREASE) & (out ^ into) & (_ends_beyond(cage, out, into))
    return Corners(kind, smooth | crease | ((kind == CORNER) & out & into), steady)


def _ends_beyond(cage: Cage, out: Bools, into: Bools) -> Bools:
    """Return whether the face beside each corner, across its side that is not sharp, has a sharp
    side there.
    """
    ccw = cage.twin[cage.previous]  # leaves the vertex, in the next face counter-clockwise
    cw = cage.next[cage.twin]
    after_ccw = cage.sharp[cage.previous[ccw]]
    before_cw = cage.sharp[cw]
    ends: Bools = (out & (ccw >= 0) & after_ccw) | (~out & into & (cage.twin >= 0) & before_cw)
    return ends


def regular_faces(corners: Corners, cage: Cage) -> Bools:
    """Return which faces (nf,) of quadrilaterals are single bicubic patches."""
    good = (corners.regular & corners.steady[cage.corners]).reshape(-1, 4)
    return np.asarray(good.all(axis=1))


def ready_corners(corners: Corners, cage: Cage) -> Ints:
    """Return for each face (nf,) its extraordinary corner, 0 to 3, if it is ready, else -1."""
    steady = corners.steady[cage.corners].reshape(-1, 4).all(axis=1)
    odd = ~corners.regular.reshape(-1, 4)
    place = np.argmax(odd, axis=1)
    half = 4 * np.arange(len(odd)) + place
    kind, sharp = corners.kind, cage.sharp
    first, diagonal = cage.next[half], cage.next[cage.next[half]]
    second, into = cage.previous[half], cage.previous[half]
    ready = steady & (odd.sum(axis=1) == 1) & (kind[diagonal] == SMOOTH)
    ready &= kind[first] == np.where(sharp[half], CREASE, SMOOTH)
    ready &= kind[second] == np.where(sharp[into], CREASE, SMOOTH)
    return np.where(ready, place, -1)


def control_grids(cage: Cage, points: Floats, faces: Ints) -> Floats:
    """Return the 4 x 4 control points (m, 4, 4, d) of regular faces (m,), u outermost.

    Row and column 1 are those through the first corner.

    Args:
        cage: of quadrilaterals.
        points: of its vertices (nv, d).
        faces: numbers (m,).
    """
    half = 4 * faces[:, None] + np.arange(4)
    grids = np.zeros((len(faces), 4, 4, points.shape[1]))
    for corner in range(4):
        _put(cage, points, half[:, corner], corner, grids)
    sharp = cage.sharp[half]
    _mirror(grids, sharp[:, 3], sharp[:, 1])
    _mirror(grids.swapaxes(1, 2), sharp[:, 0], sharp[:, 2])
    return grids


def _put(cage: Cage, points: Floats, half: Ints, corner: int, grids: Floats) -> None:
    """Write the face's corner, the points beyond its first side, and the one diagonal to it (in place)."""
    at, along = np.array(_TURN[corner]), np.array(_ALONG[corner])
    out = np.array([along[1], -along[0]])
    grids[:, at[0], at[1]] = points[cage.corners[half]]
    soft = np.flatnonzero(~cage.sharp[half])
    across = cage.twin[half[soft]]
    below, beside = at + out, at + along + out
    grids[soft, below[0], below[1]] = points[cage.heads[cage.next[across]]]
    grids[soft, beside[0], beside[1]] = points[cage.corners[cage.previous[across]]]
    both = ~cage.sharp[cage.previous[half[soft]]]
    opposite = cage.twin[cage.next[across[both]]]
    diagonal = at - along + out
    grids[soft[both], diagonal[0], diagonal[1]] = points[cage.corners[cage.previous[opposite]]]


def _mirror(grids: Floats, low: Bools, high: Bools) -> None:
    """Fill the first and the last row of grids (m, 4, 4, d) where the sides there are sharp (in place)."""
    grids[low, 0] = 2.0 * grids[low, 1] - grids[low, 2]
    grids[high, 3] = 2.0 * grids[high, 2] - grids[high, 1]


@dataclass(frozen=True)
class VertexFan:
    """How faces lie around an extraordinary vertex, seen from one of them.

    kind: that of the vertex.  count: the faces that belong together.  place: of this face among them; 0 if
    they close.  slit: the spoke that is a sharp dart, else -1.  closed: whether they go all the way around.
    """

    kind: int
    count: int
    place: int
    slit: int
    closed: bool

    @property
    def sharp_spokes(self) -> tuple[bool, bool]:
        """Whether the face's first and second spoke are sharp."""
        if self.closed:
            return self.slit == 0, self.slit == 1 % self.count
        return self.place == 0, self.place == self.count - 1


def fans_of(cage: Cage, corners: Corners, half: Ints) -> dict[VertexFan, tuple[Ints, Ints]]:
    """Return half-edges that leave extraordinary corners of ready faces, grouped by their fans.

    Args:
        cage: of quadrilaterals.
        corners: what is known of them.
        half: the half-edges (m,).

    Returns:
        for each fan the rows among `half`, and the vertices (rows, points) of the neighbourhoods.
    """
    groups: dict[VertexFan, list[int]] = {}
    kinds = corners.kind[half].tolist()
    ccw, cw = cage.twin[cage.previous], cage.next[cage.twin]
    for row, (start, kind) in enumerate(zip(half.tolist(), kinds, strict=True)):
        groups.setdefault(_fan_at(cage, ccw, cw, start, kind), []).append(row)
    out = {}
    for fan, members in groups.items():
        rows = np.array(members)
        out[fan] = rows, neighbourhood_of(cage, fan, half[rows])
    return out


def _fan_at(cage: Cage, ccw: Ints, cw: Ints, start: int, kind: int) -> VertexFan:
    """Return the fan around the vertex that a half-edge leaves, both ways up to sharp edges; past them for a
    dart.

    ccw, cw (h,): the half-edge that leaves the same vertex next.
    """
    after, slit, at = 0, 0 if cage.sharp[start] else -1, start
    while not cage.sharp[cage.previous[at]] or kind == DART:
        at = int(ccw[at])
        if at == start:
            return VertexFan(kind, after + 1, 0, slit, True)
        after += 1
        slit = after if cage.sharp[at] else slit
    place, at = 0, start
    while not cage.sharp[at]:
        place, at = place + 1, int(cw[at])
    return VertexFan(kind, place + 1 + after, place, -1, False)


def neighbourhood_of(cage: Cage, fan: VertexFan, half: Ints) -> Ints:
    """Return the vertices (m, points) of neighbourhoods, in the order of this module's docstring."""
    at = half
    for _ in range(fan.place):
        at = cage.next[cage.twin[at]]
    columns = [cage.corners[half]]
    for number in range(fan.count):
        columns += [cage.heads[at], cage.heads[cage.next[at]]]
        last = cage.corners[cage.previous[at]]
        if number < fan.count - 1:
            at = cage.twin[cage.previous[at]]
    columns += [] if fan.closed else [last]
    right, above = cage.twin[cage.next[half]], cage.twin[cage.next[cage.next[half]]]
    beyond = cage.twin[cage.previous[right]]
    p, q = cage.heads[cage.next[right]], cage.corners[cage.previous[right]]
    t = cage.heads[cage.next[beyond]]
    r, s = cage.heads[cage.next[above]], cage.corners[cage.previous[above]]
    columns += [p, q, t, r, s]
    first, second = fan.sharp_spokes
    if not first:
        columns.append(cage.corners[cage.previous[cage.twin[cage.next[right]]]])
    if not second:
        columns.append(cage.heads[cage.next[cage.twin[cage.previous[above]]]])
    return np.stack(columns, axis=1)


def model_cage(fan: VertexFan) -> Cage:
    """Return a cage of just the faces of a neighbourhood, its vertices in their order.

    The face from which it is seen is face 0, its extraordinary corner first.
    """
    k, spokes = fan.count, fan.count if fan.closed else fan.count + 1

    def spoke(i: int) -> int:
        return 1 + 2 * (i % k if fan.closed else i)

    def diagonal(i: int) -> int:
        return 2 + 2 * (i % k if fan.closed else i)

    points = 1 + k + spokes
    p, q, t, r, s = range(points, points + 5)
    points += 5
    b = fan.place
    c1, c2, c3 = spoke(b), diagonal(b), spoke(b + 1)
    faces = [(0, c1, c2, c3)] + [(0, spoke(i), diagonal(i), spoke(i + 1)) for i in range(k) if i != b]
    faces += [(c1, p, q, c2), (c2, q, t, r), (c2, r, s, c3)]
    first, second = fan.sharp_spokes
    if not first:
        faces.append((c1, diagonal(b - 1), points, p))
        points += 1
    if not second:
        faces.append((c3, s, points, diagonal(b + 1)))
        points += 1
    ends = [] if fan.closed else [(0, spoke(0)), (0, spoke(k))]
    ends += [(0, spoke(fan.slit))] if fan.slit >= 0 else []
    ends += [(c1, p)] * first + [(c3, s)] * second
    vertex = np.zeros(points)
    vertex[0] = np.inf if fan.kind == CORNER else 0.0
    return _with_sharp(np.array(faces), np.array(ends, dtype=np.intp).reshape(-1, 2), vertex)


def _with_sharp(faces: Ints, ends: Ints, vertex: Floats) -> Cage:
    """Return a cage of quadrilaterals (m, 4) whose edges between some ends (s, 2) are sharp for ever."""
    corners, starts = faces.ravel(), 4 * np.arange(len(faces) + 1)
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    sharp = (sides[:, None] == np.sort(ends, axis=1)).all(axis=2).any(axis=1)
    return Cage(corners, starts, np.where(sharp, np.inf, 0.0), vertex)
