"""The faces around each straight edge: conormals, dihedral angles, and which of them bound one wedge.

A face with outward normal n whose border runs along the edge's direction d has the conormal c = n x d, and
c = -n x d where its border runs the other way.  With outward normals n1, n2 and d along the border of face
1, the exterior dihedral angle of two faces is the angle from n1 to n2 about d: positive where the edge is
convex.

Around an edge at which more than two faces meet, matter and void alternate.  Counterclockwise about d, matter
begins at a face whose border runs against d, and ends at the next one whose border runs along d.  These two
bound one wedge of matter and are one manifold component of the edge, as each of two cubes at the edge they
share.  A face that finds no partner so is a component by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import EdgeTable
from ...vectors import cross, dot, unit
from .straight_edges import StraightEdges

_DIGITS = 9
"""Decimal places of an angle in radians to which faces around an edge are told apart."""


@dataclass(frozen=True, eq=False)
class EdgeFaces:
    """The planar faces around e straight edges; those of edge i are the rows start[i] to start[i + 1] - 1.

    sides (k,): the triangle's side by which the face is there.  faces (k,).  signs (k,): +1 where its border
    runs along the edge, else -1.  conormals (k, 3).  components (k,): faces of one edge with the same number
    bound one wedge of matter.  start (e + 1,).
    angle (e,): exterior dihedral angle, NaN unless exactly two faces that agree meet.
    curved (e,): whether a curved face borders the edge too.
    """

    sides: Ints
    faces: Ints
    signs: Ints
    conormals: Floats
    components: Ints
    start: Ints
    angle: Floats
    curved: Bools


def faces_around(
    edges: EdgeTable, straight: StraightEdges, along: Floats, triangles: Ints, face: Ints, normal: Floats
) -> EdgeFaces:
    """Return the faces around straight edges.

    Args:
        edges: the mesh edges.
        straight: the straight edges.
        along: the unit direction (e, 3) of each.
        triangles: (t, 3).
        face: the planar face (t,) of each triangle, -1 for a curved one.
        normal: of the faces (f, 3).
    """
    first = straight.chain_start[:-1]
    mesh_edge = straight.mesh_edges[first - np.arange(len(first))]
    sides, owner = _sides_at(edges, mesh_edge)
    curved = np.zeros(len(mesh_edge), dtype=bool)
    planar = face[sides // 3] >= 0
    curved[owner[~planar]] = True
    sides, owner = sides[planar], owner[planar]
    signs = np.where(triangles.ravel()[sides] == straight.chain_points[first[owner]], 1, -1)
    faces = face[sides // 3]
    conormals = signs[:, None] * cross(normal[faces], along[owner])
    order, components = _wedges(owner, signs, conormals, along)
    sides, faces, signs, conormals = sides[order], faces[order], signs[order], conormals[order]
    start = np.searchsorted(owner, np.arange(len(mesh_edge) + 1))
    angle = _angles(start, signs, normal[faces], along)
    angle[curved] = np.nan
    return EdgeFaces(sides, faces, signs, unit(conormals), components, start, angle, curved)


def _sides_at(edges: EdgeTable, mesh_edge: Ints) -> tuple[Ints, Ints]:
    """Return the sides (k,) at some mesh edges (e,), and which of these each is at, increasing."""
    begin, count = (np.cumsum(edges.count) - edges.count)[mesh_edge], edges.count[mesh_edge]
    owner = np.repeat(np.arange(len(mesh_edge)), count)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return edges.order[begin[owner] + place], owner


def _wedges(owner: Ints, signs: Ints, conormals: Floats, along: Floats) -> tuple[Ints, Ints]:
    """Return an order (k,) of the faces around edges, and the wedge (k,) of each in that order.

    Args:
        owner: the edge (k,), increasing.
        signs: whether the face's border runs along the edge (k,), +1 or -1.
        conormals: (k, 3).
        along: the edges' unit directions (e, 3).
    """
    start = np.searchsorted(owner, np.arange(len(along) + 1))
    count = np.diff(start)[owner]
    place = np.arange(len(owner)) - start[owner]
    order, components = np.arange(len(owner)), np.where(count == 2, 0, place)
    rows = np.flatnonzero(count > 2)
    if len(rows) == 0:
        return order, components
    turn = _turns(conormals[rows], conormals[start[owner[rows]]], along[owner[rows]])
    # Of faces at one place, the one that ends a wedge comes first: the wedges beside each other stay apart.
    order[rows] = rows[np.lexsort((-signs[rows], turn, owner[rows]))]
    begins = signs[order[rows]] < 0
    after = np.where(place[rows] + 1 < count[rows], rows + 1, start[owner[rows]])
    paired = begins & (signs[order[after]] > 0)
    components[after[paired]] = components[rows[paired]]
    return order, components


def _turns(conormals: Floats, first: Floats, along: Floats) -> Floats:
    """Return the angles (k,), from 0 to 2 pi, from conormals `first` to others (k, 3), about edges (k, 3).

    They are rounded, so that faces at one place have the same.
    """
    across = dot(cross(first, conormals), along)
    angle = np.round(np.arctan2(across, dot(first, conormals)), _DIGITS)
    whole = np.round(2.0 * np.pi, _DIGITS)
    return np.round(np.where(angle < 0.0, angle + whole, angle), _DIGITS)


def _angles(start: Ints, signs: Ints, normals: Floats, along: Floats) -> Floats:
    """Return the exterior dihedral angles (e,); NaN where not exactly two faces meet that agree."""
    angle = np.full(len(along), np.nan)
    rows = np.flatnonzero(np.diff(start) == 2)
    rows = rows[signs[start[rows]] != signs[start[rows] + 1]]
    first = start[rows] + (signs[start[rows]] < 0)
    second = 2 * start[rows] + 1 - first
    sine = dot(cross(normals[first], normals[second]), along[rows])
    angle[rows] = np.arctan2(sine, dot(normals[first], normals[second]))
    return angle
