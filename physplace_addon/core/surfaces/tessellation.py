"""Triangles over the grids of a complex's faces, with a proven bound on their distance to the true surface.

Every face is one patch over a rectangle of parameters.  Lines u and v cut it into cells, a diagonal cuts each
cell into two triangles.  A line that closes on itself (a seam) or collapses to a point (a pole) shares its
points; triangles of no area are left out.  The parameters at a seam run on to the end of the domain, so that
they can be interpolated within a triangle.

All faces of a complex share their u lines, so the polyline of a rim runs along edges of triangles on both
sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Floats, Ints
from .base import Curve, Patch
from .parameter_lines import cells_of, lines_at, lines_within

# Rounding of a point, over the largest coordinate, that each bound is raised by.
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Tessellation:
    """Triangles of a whole complex, and the polylines of its edges; lengths in scene units.

    points (n, 3); corners (t, 3): indices of points, shared within a face, right-handed about the outward
    normal; face (t,): the face of each triangle; uv (t, 3, 2): parameters of the corners, running on at
    seams; bound (t,): largest distance of the true surface from each triangle.

    segments (e, 2, 3): ends of the pieces of the edges; segment_edge (e,): the edge of each; segment_t (e,
    2): its parameters, running on where it closes; segment_bound (e,): largest distance of the true edge from
    it; segment_owner (e,): a triangle that has it as a side.

    vertex_owner (nv,): a triangle that has each feature vertex as a corner.
    """

    points: Floats
    corners: Ints
    face: Ints
    uv: Floats
    bound: Floats
    segments: Floats
    segment_edge: Ints
    segment_t: Floats
    segment_bound: Floats
    segment_owner: Ints
    vertex_owner: Ints


EdgeSegments = tuple[Floats, Ints, Floats, Floats, Ints]
"""Pieces of edges: ends (e, 2, 3), edge (e,), t (e, 2), bound (e,), owner (e,), as in `Tessellation`."""


class FaceTriangles(Protocol):
    """The triangles of one face: points (n, 3), corners (t, 3), uv (t, 3, 2), bound (t,)."""

    @property
    def points(self) -> Floats: ...
    @property
    def corners(self) -> Ints: ...
    @property
    def uv(self) -> Floats: ...
    @property
    def bound(self) -> Floats: ...


@dataclass(frozen=True)
class EdgeSide:
    """Where an edge lies on a face's rectangle: side 0 is u = lower, 1 u = upper, 2 v = lower, 3 v
    = upper.
    """

    face: int
    side: int


@dataclass(frozen=True)
class VertexCorner:
    """Where a vertex lies on a face's rectangle: whether at the upper end of u, and of v."""

    face: int
    u_upper: bool
    v_upper: bool


@dataclass(frozen=True, eq=False)
class Grid:
    """One face's lines u (nu,), v (nv,), and its triangles over them.

    index (nu nv,): the point at each crossing of lines, u outermost.  triangle_of (2, cells): the lower and
    the upper triangle of each cell, -1 where it has no area.  points, corners, uv, bound as in
    `Tessellation`.
    """

    u: Floats
    v: Floats
    points: Floats
    index: Ints
    triangle_of: Ints
    corners: Ints
    uv: Floats
    bound: Floats


def tessellate(
    patches: Sequence[Patch],
    edges: tuple[Sequence[Curve], Sequence[EdgeSide]],
    vertices: Sequence[VertexCorner],
    resolution: tuple[int, int] | None,
    tolerance: float,
) -> Tessellation:
    """Return the triangles of faces that share their u lines, and the polylines of their edges.

    Args:
        patches: the faces.
        edges: the curves, and where each of their edges lies.
        vertices: where each feature vertex lies.
        resolution: lines (nu, nv), or None to keep to the tolerance.
        tolerance: largest distance from the surface, scene units.
    """
    if resolution is not None:
        u, v = lines_at(patches, resolution)
    else:
        u, v = lines_within(patches, tolerance)
    grids = [grid_of(patch, u, own) for patch, own in zip(patches, v, strict=True)]
    first_triangle = first_triangles(grids)
    segments = _edge_segments(grids, first_triangle, *edges)
    owners = [_corner_owner(grids[c.face], c) + int(first_triangle[c.face]) for c in vertices]
    return Tessellation(*join_faces(grids), *segments, np.array(owners, dtype=np.intp))


def first_triangles(faces: Sequence[FaceTriangles]) -> Ints:
    """Return the number of the first triangle of each face among all, and of all (m + 1,)."""
    return np.concatenate([[0], np.cumsum([len(face.corners) for face in faces])])


def join_faces(faces: Sequence[FaceTriangles]) -> tuple[Floats, Ints, Ints, Floats, Floats]:
    """Return the triangles of some faces as one: points, corners, face, uv and bound of `Tessellation`."""
    first_point = np.concatenate([[0], np.cumsum([len(face.points) for face in faces])])
    return (
        np.concatenate([face.points for face in faces]),
        np.concatenate([face.corners + first_point[i] for i, face in enumerate(faces)]),
        np.repeat(np.arange(len(faces)), np.diff(first_triangles(faces))),
        np.concatenate([face.uv for face in faces]),
        np.concatenate([face.bound for face in faces]),
    )


def join_segments(parts: Sequence[EdgeSegments]) -> EdgeSegments:
    """Return the pieces of edges, or of parts of them, one after another."""
    none = np.empty(0, dtype=np.intp)
    empty = (np.empty((0, 2, 3)), none, np.empty((0, 2)), np.empty(0), none)
    ends, edges, ts, bounds, owners = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
    return ends, edges, ts, bounds, owners


def grid_of(patch: Patch, u: Floats, v: Floats) -> Grid:
    """Return the triangles of one patch over lines u (nu,) and v (nv,)."""
    lower, upper = cells_of(u, v)
    bound = patch.cell_bounds(np.zeros(len(lower), dtype=np.intp), lower, upper)
    table = _point_table(patch, len(u), len(v))
    corners, lines = _triangles(table, len(u), len(v))
    uv = np.stack([u[lines // len(v)], v[lines % len(v)]], axis=2)
    _center_collapsed(patch, uv)
    kept, place = np.unique(table, return_inverse=True)
    at = np.column_stack([u[kept // len(v)], v[kept % len(v)]])
    points = patch.derivatives(np.zeros(len(at), dtype=np.intp), at).point
    area = _distinct(corners)
    triangle_of = np.where(area, np.cumsum(area) - 1, -1).reshape(2, -1)
    index = place.reshape(-1)
    bound = np.tile(bound, 2)[area] + ROUNDING * float(np.abs(points).max())
    return Grid(u, v, points, index, triangle_of, index[lines[area]], uv[area], bound)


def _point_table(patch: Patch, nu: int, nv: int) -> Ints:
    """Return for every crossing of lines (nu nv,), u outermost, the first crossing that is the same point."""
    table = np.arange(nu * nv).reshape(nu, nv)
    if patch.domain[0].periodic:
        table[-1] = table[0]
    if patch.domain[1].periodic:
        table[:, -1] = table[:, 0]
    sides = table[0], table[-1], table[:, 0], table[:, -1]
    for side, collapsed in zip(sides, patch.collapsed, strict=True):
        if collapsed:
            side[:] = side[0]
    return table.reshape(-1)


def _triangles(table: Ints, nu: int, nv: int) -> tuple[Ints, Ints]:
    """Return both triangles of every cell, as points of the table and as crossings, each (2 cells, 3)."""
    crossing = np.arange(nu * nv).reshape(nu, nv)
    low, right = crossing[:-1, :-1].reshape(-1), crossing[1:, :-1].reshape(-1)
    up, far = crossing[:-1, 1:].reshape(-1), crossing[1:, 1:].reshape(-1)
    lines = np.concatenate([np.column_stack([low, right, up]), np.column_stack([far, up, right])])
    return table[lines], lines


def _distinct(corners: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    a, b, c = corners.T
    return np.asarray((a != b) & (b != c) & (c != a))


def _center_collapsed(patch: Patch, uv: Floats) -> None:
    """Set a corner on a collapsed line to the mean of its neighbours' free parameter (in place)."""
    for side, collapsed in enumerate(patch.collapsed):
        if not collapsed:
            continue
        fixed, free = side // 2, 1 - side // 2
        end = patch.domain[fixed].upper if side % 2 else patch.domain[fixed].lower
        at = uv[:, :, fixed] == end
        single = at & (at.sum(axis=1) == 1)[:, None]
        others = 0.5 * (uv[:, :, free].sum(axis=1, keepdims=True) - uv[:, :, free])
        uv[:, :, free] = np.where(single, others, uv[:, :, free])


def _edge_segments(
    grids: Sequence[Grid], first_triangle: Ints, curves: Sequence[Curve], sides: Sequence[EdgeSide]
) -> EdgeSegments:
    """Return the polylines of all edges along their faces' sides."""
    parts = []
    counts = [curve.edge_count for curve in curves]
    owner_curve = np.repeat(np.arange(len(counts)), counts)
    own_index = np.concatenate([np.empty(0, dtype=np.intp), *(np.arange(count) for count in counts)])
    for edge, side in enumerate(sides):
        grid = grids[side.face]
        crossings, cells = _side_of(grid, side.side)
        curve, own = curves[int(owner_curve[edge])], int(own_index[edge])
        line = grid.v if side.side < 2 else grid.u
        fraction = (line - line[0]) / (line[-1] - line[0])
        t = curve.domain.lower + curve.domain.length * fraction
        ids = np.full(len(cells), own, dtype=np.intp)
        bound = curve.chord_bounds(ids, t[:-1], t[1:]) + ROUNDING * float(np.abs(grid.points).max())
        ends = grid.points[grid.index[crossings]]
        owner = grid.triangle_of[side.side % 2, cells] + int(first_triangle[side.face])
        parts.append((_pairs(ends), np.full(len(cells), edge, dtype=np.intp), _pairs(t), bound, owner))
    return join_segments(parts)


def _pairs(values: Floats) -> Floats:
    return np.stack([values[:-1], values[1:]], axis=1)


def _side_of(grid: Grid, side: int) -> tuple[Ints, Ints]:
    """Return the crossings along a side of the rectangle, and the cells beside it."""
    nu, nv = len(grid.u), len(grid.v)
    crossing = np.arange(nu * nv).reshape(nu, nv)
    cell = np.arange((nu - 1) * (nv - 1)).reshape(nu - 1, nv - 1)
    last = -1 if side % 2 else 0
    return (crossing[last], cell[last]) if side < 2 else (crossing[:, last], cell[:, last])


def _corner_owner(grid: Grid, corner: VertexCorner) -> int:
    """Return a triangle that has this corner of the rectangle as a point."""
    nu, nv = len(grid.u), len(grid.v)
    crossing = (nu - 1 if corner.u_upper else 0) * nv + (nv - 1 if corner.v_upper else 0)
    return int(np.flatnonzero((grid.corners == grid.index[crossing]).any(axis=1))[0])
