"""The normals of contact regions, one for each, from body 2 to body 1.

Bouma and Vanecek 1991, section 10.  n(f) is the outward normal of a face.  Write a for the average outward
normal of x, the entity of body 1, and b for that of y, the entity of body 2, both of unit length; e is the
direction of an edge.

    any / face             n(y)
    face / any             -n(x)
    edge / edge, crossing  +- e_x x e_y, on the side of b - a
    edge / edge, along     (b - a) / |b - a|
    vertex / vertex        (b - a) / |b - a|
    vertex / edge          (b - a') / |b - a'|, a' the unit vector of a's part across e_y
    edge / vertex          (b' - a) / |b' - a|, b' the unit vector of b's part across e_x

The paper's vertex/vertex formula (a x b) x (a + b) is (1 + a.b) (b - a), so it has the same direction, and
vanishes where the bodies meet most plainly, corner to corner (a = -b).  Its vertex/edge formula (b + a) x e_y
is the same as the one above if a is across e_y.  If it is not, the printed one turns with a's part along e_y
until, for a' = -b, it lies in the edge's side; hence a'.

An entity that is no manifold is taken apart into its manifold components, and the normals of all pairs of
components are averaged, as the paper does where an average of faces would vanish.  Where that vanishes, too,
the pair that is most opposed gives the normal.

The faces of an open sheet do not know their outside.  In their place stands what the boundary shows without
it: the directions in which the sheet leaves the entity, reversed.  The normal of such a face is turned to the
side on which body 1 is.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length, length_and_unit
from ..features import EDGE, FACE, VERTEX
from .boundary import PlacedBoundary
from .contact_regions import EntityPairs, RegionPoints
from .point_contacts import joined

_VANISHES = 1e-6  # length of a sum of unit vectors that shows no direction but that of rounding


def region_normals(
    first: PlacedBoundary, second: PlacedBoundary, entities: EntityPairs, points: RegionPoints
) -> Floats:
    """Return the unit normals (r, 3) of regions of flat features, in the frame of the pair.

    Args:
        first, second: the two bodies.
        entities: the two entities (r,) of each region.
        points: the points of the regions; the gap at the first of each shows a side if nothing else does.
    """
    place = np.searchsorted(points.region, np.arange(len(entities)))
    apart = points.point1[place] - points.point2[place]
    normal = np.zeros((len(entities), 3))
    on_face = entities.dim2 == FACE
    under_face = (entities.dim1 == FACE) & ~on_face
    rows = np.flatnonzero(on_face)
    normal[rows] = _of_faces(second, first, entities.swapped().take(rows), apart[rows])
    rows = np.flatnonzero(under_face)
    normal[rows] = -_of_faces(first, second, entities.take(rows), -apart[rows])
    rows = np.flatnonzero(~on_face & ~under_face)
    if len(rows):
        crossing = np.bincount(points.region, minlength=len(entities))[rows] == 1
        normal[rows] = _of_no_faces(first, second, entities.take(rows), apart[rows], crossing)
    return normal


def _of_faces(base: PlacedBoundary, other: PlacedBoundary, entities: EntityPairs, apart: Floats) -> Floats:
    """Return the normals (k, 3) of faces of one body, entity 1, towards what touches them, entity 2.

    apart (k, 3): from a point of the face to the point that touches it.
    """
    normal = base.face_normals(entities.index1)
    doubtful = np.flatnonzero(~base.boundary.trusted[entities.index1])
    if len(doubtful) == 0:
        return normal
    touching = entities.take(doubtful)
    into = -_outward_by_shape(other, touching.dim2, touching.index2)
    known = np.flatnonzero(touching.dim2 == FACE)
    known = known[other.boundary.trusted[touching.index2[known]]]
    into[known] = -other.face_normals(touching.index2[known])
    height = dot(normal[doubtful], into)
    height = np.where(np.abs(height) > _VANISHES, height, dot(normal[doubtful], apart[doubtful]))
    normal[doubtful[height < 0.0]] *= -1.0
    return normal


def _of_no_faces(
    first: PlacedBoundary, second: PlacedBoundary, entities: EntityPairs, apart: Floats, single: Bools
) -> Floats:
    """Return the normals (k, 3) of regions of edges and vertices; single (k,): those of one point."""
    row, a, b = joined_components(first, second, entities)
    dim1, dim2 = entities.dim1[row], entities.dim2[row]
    of_edges = dim1 == EDGE, dim2 == EDGE
    along1, along2 = np.zeros_like(a), np.zeros_like(b)
    along1[of_edges[0]] = first.edge_directions(entities.index1[row[of_edges[0]]])
    along2[of_edges[1]] = second.edge_directions(entities.index2[row[of_edges[1]]])
    a = np.where((~of_edges[0] & of_edges[1])[:, None], _across(a, along2), a)
    b = np.where((of_edges[0] & ~of_edges[1])[:, None], _across(b, along1), b)
    opposed, direction = length_and_unit(b - a)
    direction = np.where((opposed > _VANISHES)[:, None], direction, b)
    crossing = np.flatnonzero(of_edges[0] & of_edges[1] & single[row])
    normal = length_and_unit(cross(along1[crossing], along2[crossing]))[1]
    side = dot(normal, direction[crossing])
    side = np.where(np.abs(side) > _VANISHES, side, dot(normal, apart[row[crossing]]))
    direction[crossing] = np.where(side < 0.0, -1.0, 1.0)[:, None] * normal
    return _averaged(direction, row, opposed, len(entities))


def _averaged(direction: Floats, row: Ints, opposed: Floats, count: int) -> Floats:
    """Return the unit averages (count, 3) of directions (m, 3) by row; the most opposed where they vanish."""
    total: Floats = np.stack([np.bincount(row, direction[:, axis], count) for axis in range(3)], axis=1)
    size, average = length_and_unit(total)
    order = np.lexsort((opposed, row))
    last = np.searchsorted(row[order], np.arange(count), side="right") - 1
    return np.where((size > _VANISHES)[:, None], average, direction[order[last]])


def joined_components(
    first: PlacedBoundary, second: PlacedBoundary, entities: EntityPairs
) -> tuple[Ints, Floats, Floats]:
    """Return (row (m,), a (m, 3), b (m, 3)): outward normals of all pairs of manifold components."""
    row1, a = _outward_of_components(first, entities.dim1, entities.index1)
    row2, b = _outward_of_components(second, entities.dim2, entities.index2)
    row, left, right = joined(row1, np.arange(len(row1)), row2, np.arange(len(row2)), len(entities))
    return row, a[left], b[right]


def _outward_of_components(placed: PlacedBoundary, dim: Ints, index: Ints) -> tuple[Ints, Floats]:
    """Return (row (m,), normal (m, 3)) of the manifold components of edges and vertices (k,); rows ascend."""
    parts = []
    for kind, faces_of in ((VERTEX, _faces_of_vertices), (EDGE, _faces_of_edges)):
        rows = np.flatnonzero(dim == kind)
        row, component, face = faces_of(placed, index[rows])
        parts.append((rows[row], component, face))
    row, component, face = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    owners, group = np.unique(np.stack([row, component], axis=1), axis=0, return_inverse=True)
    group = group.reshape(-1)
    normals = placed.face_normals(face)
    total: Floats = np.stack([np.bincount(group, normals[:, axis], len(owners)) for axis in range(3)], axis=1)
    doubtful = np.zeros(len(owners), bool)
    np.logical_or.at(doubtful, group, ~placed.boundary.trusted[face])
    size, outward = length_and_unit(total)
    rows = np.flatnonzero(doubtful | (size <= _VANISHES))
    own = owners[rows, 0]
    outward[rows] = _outward_by_shape(placed, dim[own], index[own])
    bare = np.setdiff1d(np.arange(len(dim)), owners[:, 0])
    shapes = _outward_by_shape(placed, dim[bare], index[bare])
    every = np.concatenate([owners[:, 0], bare])
    order = np.argsort(every, kind="stable")
    return every[order], np.concatenate([outward, shapes])[order]


def _faces_of_vertices(placed: PlacedBoundary, vertex: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (row, component, face) of the faces around vertices (k,), each once for each component."""
    place, component = placed.boundary.components_of_vertices.of_rows(vertex)
    row, face = placed.boundary.faces_of_components.of_rows(component)
    return place[row], component[row], face


def _faces_of_edges(placed: PlacedBoundary, edge: Ints) -> tuple[Ints, Ints, Ints]:
    """Return (row, component, face) of the faces around edges (k,)."""
    row, place = placed.boundary.places_of_edges.of_rows(edge)
    return row, placed.topology.edge_components[place], placed.topology.edge_faces[place]


def _outward_by_shape(placed: PlacedBoundary, dim: Ints, index: Ints) -> Floats:
    """Return the directions (k, 3) opposite to those in which the boundary leaves entities, unit or zero."""
    into = np.zeros((len(dim), 3))
    rows = np.flatnonzero(dim == EDGE)
    row, place = placed.boundary.places_of_edges.of_rows(index[rows])
    np.add.at(into, rows[row], placed.conormals(place))
    rows = np.flatnonzero(dim == VERTEX)
    row, edge = placed.boundary.edges_of_vertices.of_rows(index[rows])
    leaves = np.where(placed.topology.edge_vertices[edge, 0] == index[rows][row], 1.0, -1.0)
    np.add.at(into, rows[row], leaves[:, None] * placed.edge_directions(edge))
    size = length(into)[:, None]
    return np.where(size > _VANISHES, -into / np.where(size > _VANISHES, size, 1.0), 0.0)


def _across(vectors: Floats, along: Floats) -> Floats:
    """Return the unit vectors (k, 3) of the parts of vectors across unit directions (k, 3); zero if none."""
    part = vectors - dot(vectors, along)[:, None] * along
    size, direction = length_and_unit(part)
    return np.where((size > _VANISHES)[:, None], direction, 0.0)
