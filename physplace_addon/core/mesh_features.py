"""The edges and vertices of a polyhedron at which it can touch: all but those inside flat regions.

An edge is a feature unless exactly two faces meet there and continue each other: their conormals (unit, in
the face, across the edge, pointing into it) are opposite to FLAT, the sine of the angle between the faces.
This test needs no orientation. A vertex is a feature if it ends a feature edge. Its cone is spanned by all
mesh edges that leave it; those inside a flat region belong to it too, since a flat sector may be wider than a
half plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Bools, Floats, Ints
from .mesh_edges import EdgeTable

FLAT = 1e-7


@dataclass(frozen=True, eq=False)
class Features:
    """Feature edges and vertices of a triangle mesh.

    `ends` (e, 2, 3), `conormals` (e, 2, 3) with NaN where unknown, `edge_owner` (e,) a triangle at each;
    `vertices` (v, 3), `vertex_owner` (v,), `cone_start` (v + 1,), `cone_directions` (m, 3) unit.
    """

    ends: Floats
    conormals: Floats
    edge_owner: Ints
    vertices: Floats
    vertex_owner: Ints
    cone_start: Ints
    cone_directions: Floats


def features(points: Floats, triangles: Ints, edges: EdgeTable) -> Features:
    """The features of a clean mesh: points (n, 3), triangles (t, 3) and their edges."""
    along = points[edges.ends[:, 1]] - points[edges.ends[:, 0]]
    along /= np.sqrt(np.einsum("ij,ij->i", along, along))[:, None]
    conormals = _conormals(points, triangles, edges, along)
    gap = conormals[0] + conormals[1]
    smooth = edges.paired & (np.einsum("ij,ij->i", gap, gap) <= FLAT**2)
    kept = np.flatnonzero(~smooth)
    conormals[:, edges.count > 2] = np.nan
    touched = np.zeros(len(points), dtype=bool)
    touched[edges.ends[kept].ravel()] = True
    vertices = np.flatnonzero(touched)
    start, directions = _cones(edges.ends, along, touched)
    return Features(
        points[edges.ends[kept]],
        np.stack([side[kept] for side in conormals], axis=1),
        edges.faces[kept, 0],
        points[vertices],
        _owners(triangles, len(points))[vertices],
        start,
        directions,
    )


def _conormals(points: Floats, triangles: Ints, edges: EdgeTable, along: Floats) -> Floats:
    """The conormals (2, m, 3) of the first two faces at each edge, that runs along a unit direction (m, 3);
    NaN where there is no second.
    """
    columns, way = np.ascontiguousarray(points.T), np.ascontiguousarray(along.T)
    origin = np.take(columns, edges.ends[:, 0], axis=1)
    opposite = np.roll(triangles, 1, axis=1).ravel()
    found = np.empty((2, len(along), 3))
    for conormal, side in zip(found, edges.sides.T, strict=True):
        inward = np.take(columns, opposite[side], axis=1) - origin
        inward[:, side < 0] = np.nan
        inward -= np.einsum("ij,ij->j", inward, way) * way
        inward /= np.sqrt(np.einsum("ij,ij->j", inward, inward))
        conormal[:] = inward.T
    return found


def _cones(ends: Ints, along: Floats, touched: Bools) -> tuple[Ints, Floats]:
    """Offsets (v + 1,) and unit directions (m, 3) of the edges (e, 2), that run along unit directions (e, 3),
    where they leave each touched vertex, in order.
    """
    start = np.concatenate([ends[:, 0], ends[:, 1]])
    order = np.argsort(start, kind="stable")
    order = order[touched[start[order]]]
    counts = np.bincount(start, minlength=len(touched))[touched]
    leaving = np.concatenate([along, -along])[order]
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp), leaving


def _owners(triangles: Ints, count: int) -> Ints:
    """One triangle (n,) at each of the vertices."""
    owners = np.zeros(count, dtype=np.intp)
    owners[triangles[::-1].ravel()] = np.repeat(np.arange(len(triangles))[::-1], 3)
    return owners
