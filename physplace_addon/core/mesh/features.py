"""The edges and vertices of a polyhedron at which it can touch: all but those inside flat regions.

An edge is a feature unless exactly two faces meet there in one plane, on opposite sides of the edge.  The
test compares their conormals: unit vectors in a face, at right angles to the edge, pointing into the face.
It needs no orientation.  A vertex is a feature if it is an end of a feature edge, but not if it lies inside a
straight edge: on the line between the ends of the only two that meet there.  Its cone is spanned by all mesh
edges that leave it; those inside a flat region belong to it too, because a flat sector may be wider than a
half plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, chosen, portions
from ..vectors import coordinate_arrays, cross, dot, length
from .edges import EdgeTable, stable_order

FLAT = 1e-7
"""Largest sum of the conormals of two faces in one plane, the angle between the faces in radians.  It is the
resolution of float32 coordinates."""

STRAIGHT = 2e-15
"""Largest distance of a point inside a straight edge from the line of its neighbours, over the largest
coordinate: that of rounding.  A point farther out would be a corner that goes through what it touches."""


@dataclass(frozen=True, eq=False)
class MeshFeatures:
    """Feature edges and vertices of a triangle mesh.

    ends (e, 2, 3): the edges' ends, lengths. conormals (e, 2, 3): of the two faces at each edge; NaN for a
    missing second face, and where more than two meet. edge_owner (e,): a triangle at each edge. vertices (v,
    3), vertex_owner (v,): the vertices, and a triangle at each. cone_start (v + 1,), cone_directions (m, 3):
    unit directions of the mesh edges that leave vertex i are the
        rows cone_start[i] to cone_start[i + 1] - 1.
    """

    ends: Floats
    conormals: Floats
    edge_owner: Ints
    vertices: Floats
    vertex_owner: Ints
    cone_start: Ints
    cone_directions: Floats


def mesh_features(points: Floats, triangles: Ints, edges: EdgeTable) -> MeshFeatures:
    """Return the features of a clean mesh: points (n, 3), triangles (t, 3) and their edges."""
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
    feature_ends = chosen(edges.ends, kept)
    touched[feature_ends.ravel()] = True
    touched[_inside_straight_edges(points, feature_ends)] = False
    start, directions = _cones(edges.ends, along, touched)
    return MeshFeatures(
        chosen(ends, kept),
        chosen(conormals, kept),
        chosen(edges.sides[:, 0], kept) // 3,
        chosen(points, touched),
        chosen(_owners(triangles, len(points)), touched),
        start,
        directions,
    )


def _inside_straight_edges(points: Floats, ends: Ints) -> Ints:
    """Return the points (m,) on the line between the far ends of the only two edges that end there.

    points (n, 3); ends (e, 2): points at the ends of edges.
    """
    start = ends.ravel()
    half = np.flatnonzero(np.bincount(start, minlength=len(points))[start] == 2)
    half = half[np.argsort(start[half], kind="stable")].reshape(-1, 2)
    at, (first, second) = start[half[:, 0]], start[half ^ 1].T
    along, offset = points[second] - points[first], points[at] - points[first]
    square, part = dot(along, along), dot(along, offset)
    aside = length(cross(along, offset)) <= STRAIGHT * np.abs(points).max() * np.sqrt(square)
    inside: Ints = at[aside & (part > 0.0) & (part < square)]
    return inside


def _conormals(points: Floats, opposite: Ints, sides: Ints, origin: Floats, along: Floats) -> Floats:
    """Return the conormals (side 2, axis 3, k) of the first two faces at edges; NaN where there is no second.

    Args:
        points: (n, 3).
        opposite: the vertex (3 t,) opposite each directed side.
        sides: the first two sides (k, 2) at each edge, -1 for none.
        origin, along: the edges' start and unit direction, coordinate arrays (3, k).
    """
    found = coordinate_arrays(np.take(points, opposite[sides], axis=0)) - origin
    for inward, side in zip(found, sides.T, strict=True):
        inward[:, side < 0] = np.nan
        inward -= np.einsum("ij,ij->j", inward, along) * along
        inward /= np.sqrt(np.einsum("ij,ij->j", inward, inward))
    return found


def _cones(ends: Ints, along: Floats, touched: Bools) -> tuple[Ints, Floats]:
    """Return the offsets (v + 1,) and unit directions (m, 3) of the edges that leave each marked vertex.

    Args:
        ends: vertices (e, 2) of all edges.
        along: their unit directions (e, 3).
        touched: which vertices (n,) are marked.
    """
    start = ends.T.ravel()
    order = stable_order(start, len(touched))
    order = chosen(order, touched[start[order]])
    counts = np.bincount(start, minlength=len(touched))[touched]
    leaving = np.take(np.concatenate([along, -along]), order, axis=0)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp), leaving


def _owners(triangles: Ints, count: int) -> Ints:
    """Return the first triangle (count,) at each of the vertices."""
    owners = np.zeros(count, dtype=np.intp)
    for rows in reversed(portions(len(triangles))):
        numbers = np.arange(rows.start, min(rows.stop, len(triangles)))
        owners[triangles[rows][::-1].ravel()] = np.repeat(numbers[::-1], 3)
    return owners
