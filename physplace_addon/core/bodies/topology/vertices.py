"""The vertices of a boundary: where straight edges end, and where faces touch in a point only.

Around a vertex the triangles form fans, joined across the mesh edges at which exactly two meet, and at others
across wedges of matter (`edge_faces`).  The faces of each fan are one manifold component of the vertex.

The tangent cone is spanned by the edges that leave the vertex and, where the sector of a fan in one face is
not less than a half plane, by the sides of triangles inside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import EdgeTable, component_labels, stable_order
from ...vectors import cross, dot, length, unit
from .edge_faces import EdgeFaces
from .planar_faces import grouped
from .straight_edges import SideEdges, StraightEdges

_HALF = np.pi - 1e-6
"""Least angle of a sector, in radians, that has inner directions in its cone; less than a half plane by more
than rounding."""


@dataclass(frozen=True, eq=False)
class Vertices:
    """The v vertices of a boundary.  Each `start` (v + 1,) tells the rows that belong to each vertex.

    points (v,): numbers of points.  faces, face_start: the planar faces at each.
    cones (k, 3), cone_start: unit directions that span the tangent cone.
    component_start (v + 1,): the manifold components of vertex i are component_start[i] to
        component_start[i + 1] - 1; component_faces, component_face_start (c + 1,): the planar faces of each.
    curved (v,): whether a curved face is there too.
    """

    points: Ints
    faces: Ints
    face_start: Ints
    cones: Floats
    cone_start: Ints
    component_start: Ints
    component_faces: Ints
    component_face_start: Ints
    curved: Bools


def vertices_of(
    points: Floats,
    triangles: Ints,
    edges: EdgeTable,
    face: Ints,
    straight: StraightEdges,
    around: EdgeFaces,
    sides: SideEdges,
) -> Vertices:
    """Return the vertices of a boundary.

    Args:
        points: (n, 3).
        triangles: (t, 3).
        edges: the mesh edges.
        face: the planar face (t,) of each triangle, -1 for a curved one.
        straight: the straight edges.
        around: the faces around them.
        sides: the straight edges at the sides of triangles.
    """
    at = _vertex_points(len(points), triangles, face, straight)
    number = np.full(len(points), -1)
    number[at] = np.arange(len(at))
    corner = np.flatnonzero(number[triangles.ravel()] >= 0)
    vertex, owner = number[triangles.ravel()[corner]], face[corner // 3]
    curved = np.zeros(len(at), dtype=bool)
    curved[vertex[owner < 0]] = True
    fan = _fans(edges, sides, around, face, corner)
    inner = _inner_directions(points, triangles, sides, corner[owner >= 0], fan[owner >= 0], face)
    cones = _cones(points, number, straight.ends, *inner)
    faces = rows_of(vertex[owner >= 0], owner[owner >= 0], len(at))
    return Vertices(at, *faces, *cones, *_components(vertex, fan, owner, len(at)), curved)


def _vertex_points(count: int, triangles: Ints, face: Ints, straight: StraightEdges) -> Ints:
    """Return the points (v,), of `count`, at which edges end, or different faces touch without an edge."""
    least, most = np.full(count, np.iinfo(np.intp).max), np.full(count, -1)
    for corner in triangles.T:
        np.minimum.at(least, corner, face)
        np.maximum.at(most, corner, face)
    touching = (least != most) & (most >= 0)
    touching[straight.chain_points] = False
    touching[straight.ends] = True
    return np.flatnonzero(touching)


def _fans(edges: EdgeTable, sides: SideEdges, around: EdgeFaces, face: Ints, corner: Ints) -> Ints:
    """Return the fan (k,) of corners (k,) of triangles at vertices; corner 3 i + s is corner s of triangle i.

    Corners of one fan are joined across mesh edges.
    """
    paired = edges.paired
    joined = _across(edges.sides[paired], edges.balance[paired] == 0)
    crowded = np.flatnonzero((sides.edge >= 0) & (edges.count[sides.mesh_edge] > 2))
    crowded = crowded[face[crowded // 3] >= 0]
    if len(crowded):
        joined = np.concatenate([joined, _across_wedges(sides, around, face, crowded)])
    place = np.full(len(sides.edge), -1)
    place[corner] = np.arange(len(corner))
    links = place[joined]
    return component_labels(links[(links >= 0).all(axis=1)], len(corner))


def _across(pairs: Ints, opposite: Bools) -> Ints:
    """Return the corners (2 k, 2) beside each other at both ends of pairs of sides (k, 2) at one mesh edge.

    opposite (k,): whether the two sides run in opposite directions.
    """
    first, second = pairs.T
    after = pairs - pairs % 3 + (pairs + 1) % 3
    here = np.where(opposite, after[:, 1], second)
    there = np.where(opposite, second, after[:, 1])
    return np.concatenate([np.stack([first, here], axis=1), np.stack([after[:, 0], there], axis=1)])


def _across_wedges(sides: SideEdges, around: EdgeFaces, face: Ints, crowded: Ints) -> Ints:
    """Return the corners (k, 2) beside each other across wedges of matter.

    Args:
        sides: the straight edges at the sides.
        around: the faces around them.
        face: the planar face (t,) of each triangle.
        crowded: sides (c,) of planar faces at mesh edges with more than two faces.
    """
    owner = np.repeat(np.arange(len(around.start) - 1), np.diff(around.start))
    count = int(around.faces.max()) + 1
    keys = 2 * (owner * count + around.faces) + (around.signs > 0)
    order = np.argsort(keys, kind="stable")
    forward = sides.forward[crowded]
    wanted = 2 * (sides.edge[crowded] * count + face[crowded // 3]) + forward
    wedge = around.components[order[np.searchsorted(keys[order], wanted)]]
    group = sides.mesh_edge[crowded] * (int(wedge.max()) + 1) + wedge
    order = np.argsort(group, kind="stable")
    alike = np.flatnonzero(np.diff(group[order]) == 0)
    first, second = order[alike], order[alike + 1]
    return _across(np.stack([crowded[first], crowded[second]], axis=1), forward[first] != forward[second])


def _inner_directions(
    points: Floats, triangles: Ints, sides: SideEdges, corner: Ints, fan: Ints, face: Ints
) -> tuple[Ints, Ints]:
    """Return the sides of triangles inside sectors that are not less than half planes, from one point (k,) to
    another (k,).

    Args:
        points, triangles, sides: the mesh, and its straight edges.
        corner: the corners (c,) of planar faces' triangles at vertices.
        fan: the fan (c,) of each.
        face: the planar face (t,) of each triangle.
    """
    before = corner - corner % 3 + (corner + 2) % 3
    some = np.flatnonzero((sides.edge[corner] < 0) | (sides.edge[before] < 0))
    corner, fan = corner[some], fan[some]
    span = int(face.max(initial=0)) + 1
    sector = np.unique(fan * span + face[corner // 3], return_inverse=True)[1]
    here = triangles[corner // 3, corner % 3]
    there, other = triangles[corner // 3, (corner + 1) % 3], triangles[corner // 3, (corner + 2) % 3]
    a, b = points[there] - points[here], points[other] - points[here]
    angle = np.arctan2(length(cross(a, b)), dot(a, b))
    wide = np.bincount(sector, weights=angle)[sector] >= _HALF
    wide &= sides.edge[corner] < 0
    return here[wide], there[wide]


def _cones(points: Floats, number: Ints, ends: Ints, here: Ints, there: Ints) -> tuple[Floats, Ints]:
    """Return the unit directions (k, 3) that span the cones of vertices, and where each vertex's begin.

    Args:
        points: (n, 3).
        number: the vertex (n,) at each point, -1 for none.
        ends: the points (e, 2) at which edges end.
        here, there: inner directions, from one point (k,) to another.
    """
    here, there = np.concatenate([*ends.T, here]), np.concatenate([*ends.T[::-1], there])
    order, start = grouped(number[here], int(number.max(initial=-1)) + 1)
    return unit(points[there[order]] - points[here[order]]), start


def _components(vertex: Ints, fan: Ints, face: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """Return where each vertex's components begin (count + 1,), and the faces of each component.

    Args:
        vertex, fan, face: of each corner (k,) of a triangle at a vertex; face -1 for a curved one.
        count: of the vertices.
    """
    planar = face >= 0
    vertex, fan, face = vertex[planar], fan[planar], face[planar]
    owner = np.full(int(fan.max(initial=-1)) + 1, count)
    owner[fan] = vertex
    some = int((owner < count).sum())
    order, start = grouped(owner, count + 1)
    rank = np.empty(len(owner), dtype=np.intp)
    rank[order] = np.arange(len(owner))
    return start[:-1], *rows_of(rank[fan], face, some)


def rows_of(owner: Ints, value: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the different values (m,) of each owner, in order, and where each owner's begin (count + 1,).

    Args:
        owner, value: pairs (k,), not negative.
        count: of the owners.
    """
    by_value = stable_order(value, int(value.max(initial=-1)) + 1)
    order = by_value[stable_order(owner[by_value], count)]
    owner, value = owner[order], value[order]
    new = (np.diff(owner, prepend=-1) != 0) | (np.diff(value, prepend=-1) != 0)
    counts = np.bincount(owner[new], minlength=count)
    return value[new], np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
