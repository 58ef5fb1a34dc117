"""Topology: the boundary representation of a polyhedron, made of planar faces, straight edges and vertices.

Bouma and Vanecek 1991, sections 4 and 5, take solids as boundary representations whose faces are planar.  A
`Body` has triangles; here they are grouped.  Any genus, any number of shells, open borders, and edges and
vertices that are not manifold are kept as they are.  The modules tell how each kind of entity is found:
`planar_faces`, `straight_edges`, `edge_faces`, `loops`, `vertices`.

Triangles of curved faces (face -1) take no part but for marks: an edge or a vertex at which a curved face
ends too is `edge_curved`, `vertex_curved`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints, box_of
from ...mesh.cleaning import weld
from ...mesh.edges import EdgeTable, edge_table, shell_labels
from ...vectors import dot, unit
from ..body import Body
from .edge_faces import faces_around
from .loops import face_loops
from .planar_faces import Planes, facets_of, grouped, planar_faces
from .straight_edges import SideEdges, StraightEdges, edges_of_sides, straight_edges
from .vertices import rows_of, vertices_of

SEAM = 1e-11
"""Distance of points that two exact surfaces share at a seam, over the diagonal of the body's box."""


@dataclass(frozen=True, eq=False)
class Topology:
    """The f planar faces, e straight edges and v vertices of a body, in its frame; lengths in scene units.

    Lists of several things for each of k owners lie one after the other; `..._start` (k + 1,) tells where
    each owner's begin.

    points (n, 3), triangles (t, 3): of the body, in its order.
    triangle_face (t,): the planar face of each triangle, -1 for a curved one.
    side_edges (t, 3): the edge that each side of a triangle, from a corner to the next, is a part of, or -1.
    closed: whether the body is a solid.

    tolerance (f,): length within which the triangles of each face were merged.
    face_normal (f, 3), face_offset (f,): the plane n . x = d of each face, n outward.
    face_deviation (f,), face_area (f,): the farthest corner off the plane, and the area.
    face_shell (f,): the shell of each; a shell is what is joined across edges.
    face_triangles (t',), face_triangle_start: the triangles of each face.
    face_loop_start: the loops of each face, its outer one first.
    loop_start: where the rows of each of l loops begin, of loop_vertices (m,), loop_edges (m,) and
        loop_forward (m,): a vertex, the edge from there to the next, whether it is walked along its
        direction.
        Outer loops run counterclockwise seen from outside, holes clockwise.
    loop_face (l,), loop_outer (l,): the face of each loop, and whether it is its outer one.

    edge_vertices (e, 2): the vertices at the ends.  edge_direction (e, 3): the unit vector from one to the
        other.
    edge_chain, edge_chain_start: numbers of the points along each edge, both ends included.
    edge_faces, edge_face_start: the planar faces at each edge: one at a border, two at a manifold edge; a
        face that has the edge inside is there twice.  Aligned with these:
    edge_signs: +1 where the face's border runs along the edge, -1 where against it.
    edge_conormals: unit vectors in the face, across the edge, into the face.
    edge_components: faces of one edge with the same number bound one wedge of matter.
    edge_angle (e,): exterior dihedral angle, radians, positive where convex; NaN unless two faces that agree
        meet.  edge_curved (e,): whether a curved face borders it too.

    vertex_points (v,): numbers of their points.
    vertex_edges, vertex_edge_start; vertex_faces, vertex_face_start: what meets at each.
    vertex_cones, vertex_cone_start: unit directions that span the tangent cone of the boundary.
    vertex_component_start: the manifold components of vertex i are numbers vertex_component_start[i] to
        vertex_component_start[i + 1] - 1.  component_faces, component_face_start: the faces of each.
    vertex_curved (v,): whether a curved face is there too.
    """

    points: Floats
    triangles: Ints
    triangle_face: Ints
    side_edges: Ints
    closed: bool
    tolerance: Floats
    face_normal: Floats
    face_offset: Floats
    face_deviation: Floats
    face_area: Floats
    face_shell: Ints
    face_triangles: Ints
    face_triangle_start: Ints
    face_loop_start: Ints
    loop_start: Ints
    loop_vertices: Ints
    loop_edges: Ints
    loop_forward: Bools
    loop_face: Ints
    loop_outer: Bools
    edge_vertices: Ints
    edge_direction: Floats
    edge_chain: Ints
    edge_chain_start: Ints
    edge_faces: Ints
    edge_face_start: Ints
    edge_signs: Ints
    edge_conormals: Floats
    edge_components: Ints
    edge_angle: Floats
    edge_curved: Bools
    vertex_points: Ints
    vertex_edges: Ints
    vertex_edge_start: Ints
    vertex_faces: Ints
    vertex_face_start: Ints
    vertex_cones: Floats
    vertex_cone_start: Ints
    vertex_component_start: Ints
    component_faces: Ints
    component_face_start: Ints
    vertex_curved: Bools

    @property
    def face_count(self) -> int:
        """The number of planar faces."""
        return len(self.face_offset)

    @property
    def edge_count(self) -> int:
        """The number of straight edges."""
        return len(self.edge_vertices)

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return len(self.vertex_points)

    @cached_property
    def vertices(self) -> Floats:
        """The places (v, 3) of the vertices."""
        return self.points[self.vertex_points]

    @cached_property
    def edge_ends(self) -> Floats:
        """The ends (e, 2, 3) of the edges."""
        return self.vertices[self.edge_vertices]

    @cached_property
    def point_entities(self) -> tuple[Ints, Ints]:
        """The dimension (n,), 0 to 2, and the number (n,) of the vertex, edge or face at each point.

        -1 for a point of curved faces only, or of no triangle.
        """
        dimension, entity = np.full(len(self.points), 2), np.full(len(self.points), -1)
        entity[self.triangles.ravel()] = np.repeat(self.triangle_face, 3)
        dimension[self.edge_chain] = 1
        entity[self.edge_chain] = np.repeat(np.arange(self.edge_count), np.diff(self.edge_chain_start))
        dimension[self.vertex_points] = 0
        entity[self.vertex_points] = np.arange(self.vertex_count)
        return dimension, entity

    def __repr__(self) -> str:
        return f"Topology({self.face_count} faces, {self.edge_count} edges, {self.vertex_count} vertices)"


def topology_of(body: Body) -> Topology:
    """Return the topology of a body: it is made at the first call and freed together with the body."""
    topology = body.derived.get("topology")
    if not isinstance(topology, Topology):
        topology = body.derived["topology"] = _made(body)
    return topology


@dataclass(frozen=True, eq=False)
class Merged:
    """The planar faces and straight edges of a body, before what borders what is known.

    triangles (t, 3): with one number for corners at one place.  edges: of the mesh.
    shell (t,), tolerance (t,): of each triangle; the latter is the length within which faces are merged.
    face (t,): the planar face of each triangle, -1 for a curved one; planes: of the faces.
    straight, sides: the straight edges, and the parts of these that the triangles' sides are.
    """

    triangles: Ints
    edges: EdgeTable
    shell: Ints
    tolerance: Floats
    face: Ints
    planes: Planes
    straight: StraightEdges
    sides: SideEdges


def merged_of(body: Body) -> Merged:
    """Return the planar faces and straight edges of a body: found at the first call and freed together with
    the body.  That takes less than half as long as its topology.
    """
    merged = body.derived.get("planar faces and straight edges")
    if not isinstance(merged, Merged):
        merged = body.derived["planar faces and straight edges"] = _merged(body)
    return merged


def _merged(body: Body) -> Merged:
    points, triangles = body.points, body.triangle_corners
    flat = body.face_flat[body.triangle_face]
    if not flat.all():
        triangles = _welded(points, triangles)
    edges = edge_table(triangles)
    shell = shell_labels(edges)
    facets = facets_of(points, triangles, shell)
    face, planes = planar_faces(facets, edges, flat)
    straight = straight_edges(points, triangles, edges, face, facets.tolerance)
    sides = edges_of_sides(triangles, edges, straight)
    return Merged(triangles, edges, shell, facets.tolerance, face, planes, straight, sides)


def _made(body: Body) -> Topology:
    points, found = body.points, merged_of(body)
    triangles, edges, face, planes = found.triangles, found.edges, found.face, found.planes
    straight, sides = found.straight, found.sides
    some, count = np.flatnonzero(face >= 0), len(planes.area)
    order, triangle_start = grouped(face[some], count)
    first = some[order[triangle_start[:-1]]]
    ends = straight.ends
    along = unit(points[ends[:, 1]] - points[ends[:, 0]])
    around = faces_around(edges, straight, along, triangles, face, planes.normal)
    vertices = vertices_of(points, triangles, edges, face, straight, around, sides)
    loops = face_loops(points, triangles, edges, face, planes.normal, sides)
    number = np.full(len(points), -1)
    number[vertices.points] = np.arange(len(vertices.points))
    begins = np.where(loops.forward, ends[loops.edges, 0], ends[loops.edges, 1])
    leaving, leaving_start = rows_of(
        number[ends].ravel(), np.arange(2 * len(ends)) // 2, len(vertices.points)
    )
    return Topology(
        points=points,
        triangles=triangles,
        triangle_face=face,
        side_edges=sides.edge.reshape(-1, 3),
        closed=body.closed,
        tolerance=found.tolerance[first],
        face_normal=planes.normal,
        face_offset=dot(planes.normal, planes.point),
        face_deviation=planes.deviation,
        face_area=planes.area,
        face_shell=found.shell[first],
        face_triangles=some[order],
        face_triangle_start=triangle_start,
        face_loop_start=np.searchsorted(loops.face, np.arange(count + 1)),
        loop_start=loops.start,
        loop_vertices=number[begins],
        loop_edges=loops.edges,
        loop_forward=loops.forward,
        loop_face=loops.face,
        loop_outer=loops.outer,
        edge_vertices=number[ends],
        edge_direction=along,
        edge_chain=straight.chain_points,
        edge_chain_start=straight.chain_start,
        edge_faces=around.faces,
        edge_face_start=around.start,
        edge_signs=around.signs,
        edge_conormals=around.conormals,
        edge_components=around.components,
        edge_angle=around.angle,
        edge_curved=around.curved,
        vertex_points=vertices.points,
        vertex_edges=leaving,
        vertex_edge_start=leaving_start,
        vertex_faces=vertices.faces,
        vertex_face_start=vertices.face_start,
        vertex_cones=vertices.cones,
        vertex_cone_start=vertices.cone_start,
        vertex_component_start=vertices.component_start,
        component_faces=vertices.component_faces,
        component_face_start=vertices.component_face_start,
        vertex_curved=vertices.curved,
    )


def _welded(points: Floats, triangles: Ints) -> Ints:
    """Return triangles (t, 3) whose corners at one place have one number, that of the first point there.

    The tessellation of an exact surface shares points within a face only.
    """
    lower, upper = box_of(points)
    _, label = weld(points, SEAM * float(np.linalg.norm(upper - lower)))
    first = np.unique(label, return_index=True)[1]
    joined: Ints = first[label][triangles]
    return joined
