# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles of an evaluated object, with its modifiers, text and bevel as Blender shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from bpy.types import FloatVectorAttribute, IntAttribute, Mesh, Object

from ...core.arrays import Floats, Ints
from ...core.surfaces.subdivision.cage import Cage
from .kept_bodies import digest

GEOMETRY_TYPES = frozenset({"MESH", "CURVE", "SURFACE", "META", "FONT"})
MANY = 8  # fewest corners of a face with a hole: three inside, three outside, two of the bridge between


@dataclass(frozen=True, eq=False)
class Triangulated:
    """Points (n, 3) in local coordinates, triangles (t, 3), and the number of faces with holes."""

    points: Floats
    triangles: Ints
    holed: int

    @property
    def content(self) -> bytes:
        """What the mesh is."""
        return digest("polyhedron", self.points, self.triangles, self.holed)


def triangles_of(evaluated: Object) -> Triangulated | None:
    """Return the triangles of an evaluated object.

    None for an object that has no mesh; a mesh may be empty.
    """
    if evaluated.type not in GEOMETRY_TYPES:
        return None
    try:
        mesh: Mesh | None = evaluated.to_mesh()
    except RuntimeError:  # the object gives no mesh, such as a part of another metaball
        return None
    if mesh is None:
        return None
    try:
        return Triangulated(*arrays_of(mesh), holed_faces(mesh))
    finally:
        evaluated.to_mesh_clear()


def arrays_of(mesh: Mesh) -> tuple[Floats, Ints]:
    """Return the points (n, 3) and loop triangles (t, 3) of a mesh.

    Attributes are copied as one block of memory, which is faster than Blender's access vertex by vertex.
    """
    coordinates = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    at_corner = np.empty(len(mesh.loops), dtype=np.int32)
    if len(coordinates):  # an empty mesh has no attributes
        positions = cast(FloatVectorAttribute, mesh.attributes["position"])
        positions.data.foreach_get("vector", coordinates)
    if len(at_corner):
        cast(IntAttribute, mesh.attributes[".corner_vert"]).data.foreach_get("value", at_corner)
    mesh.calc_loop_triangles()
    corners = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", corners)
    return coordinates.astype(np.float64).reshape(-1, 3), at_corner.astype(np.intp)[corners].reshape(-1, 3)


def triangle_faces(mesh: Mesh) -> Ints:
    """Return the face (t,) of each of a mesh's loop triangles; a face of n corners has n - 2."""
    mesh.calc_loop_triangles()
    faces = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangle_polygons.foreach_get("value", faces)
    return faces.astype(np.intp)


def face_sizes(mesh: Mesh) -> Ints:
    """Return the number of corners (nf,) of each of a mesh's faces."""
    return np.bincount(triangle_faces(mesh), minlength=len(mesh.polygons)) + 2


def faces_of(mesh: Mesh) -> tuple[Ints, Ints, Ints]:
    """Return the faces of a mesh.

    Returns:
        corners: (h,), the vertex at each corner.
        edges: (h,), the edge that begins at each corner.
        starts: (nf + 1,), the first corner of each face, and h.
    """
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    edges = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.loops.foreach_get("edge_index", edges)
    starts = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    starts = np.append(starts, len(mesh.loops))
    return corners.astype(np.intp), edges.astype(np.intp), starts.astype(np.intp)


def cut_cage(mesh: Mesh, mark: str) -> Cage:
    """Return the faces of a mesh as a cage, infinitely sharp along edges with a mark."""
    corners, edges, starts = faces_of(mesh)
    marked = np.empty(len(mesh.edges), dtype=np.bool_)
    mesh.edges.foreach_get(mark, marked)
    return Cage(corners, starts, np.where(marked[edges], np.inf, 0.0), np.zeros(len(mesh.vertices)))


def holed_faces(mesh: Mesh) -> int:
    """Return the number of a mesh's faces whose border passes a vertex twice: it runs to a hole and back."""
    sizes = face_sizes(mesh)
    return sum(
        len(set(mesh.polygons[face].vertices)) < sizes[face]
        for face in np.flatnonzero(sizes >= MANY).tolist()
    )
