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

from ..arrays import Bools, Floats, Ints, chosen, portions
from ..vectors import coordinate_arrays
from .edges import EdgeTable, stable_order

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
    ends = np.take(points, edges.ends, axis=0)
    along, conormals = np.empty((len(ends), 3)), np.empty_like(ends)
    smooth = np.empty(len(ends), dtype=bool)
    opposite = np.roll(triangles, 1, axis=1).ravel()
    for rows in portions(len(ends)):
        origin, end = coordinate_arrays(ends[rows])
        way = end - origin
        way /= np.sqrt(np.einsum("ij,ij->j", way, way))
        found = _conormals(points, opposite, edges.sides[rows], origin, way)
        gap = found[0] + found[1]
        smooth[rows] = np.einsum("ij,ij->j", gap, gap) <= FLAT**2
        along[rows], conormals[rows] = way.T, found.transpose(2, 0, 1)
    conormals[edges.count > 2] = np.nan
    kept = ~(edges.paired & smooth)
    touched = np.zeros(len(points), dtype=bool)
    touched[chosen(edges.ends, kept).ravel()] = True
    start, directions = _cones(edges.ends, along, touched)
    return Features(
        chosen(ends, kept),
        chosen(conormals, kept),
        chosen(edges.sides[:, 0], kept) // 3,
        chosen(points, touched),
        chosen(_owners(triangles, len(points)), touched),
        start,
        directions,
    )


def _conormals(points: Floats, opposite: Ints, sides: Ints, origin: Floats, along: Floats) -> Floats:
    """The conormals (side 2, axis 3, k) of the first two sides (k, 2) of edges that run from an origin (3, k)
    along a unit direction (3, k), each side (s,) with the opposite vertex; NaN where there is no second.
    """
    found = coordinate_arrays(np.take(points, opposite[sides], axis=0)) - origin
    for inward, side in zip(found, sides.T, strict=True):
        inward[:, side < 0] = np.nan
        inward -= np.einsum("ij,ij->j", inward, along) * along
        inward /= np.sqrt(np.einsum("ij,ij->j", inward, inward))
    return found


def _cones(ends: Ints, along: Floats, touched: Bools) -> tuple[Ints, Floats]:
    """Offsets (v + 1,) and unit directions (m, 3) of the edges (e, 2), that run along unit directions (e, 3),
    where they leave each touched vertex, in order.
    """
    start = ends.T.ravel()
    order = stable_order(start, len(touched))
    order = chosen(order, touched[start[order]])
    counts = np.bincount(start, minlength=len(touched))[touched]
    leaving = np.take(np.concatenate([along, -along]), order, axis=0)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp), leaving


def _owners(triangles: Ints, count: int) -> Ints:
    """The first triangle (n,) at each of the vertices."""
    owners = np.zeros(count, dtype=np.intp)
    for rows in reversed(portions(len(triangles))):
        numbers = np.arange(rows.start, min(rows.stop, len(triangles)))
        owners[triangles[rows][::-1].ravel()] = np.repeat(numbers[::-1], 3)
    return owners
