"""A body from any triangle mesh: flat faces, straight edges, vertices, whatever state the mesh is in.

The mesh is cleaned (`mesh.cleaning`), oriented as far as possible (`mesh.orientation`), and its features are
found (`mesh.features`).  Each triangle is a flat face, so all bounds are zero.  An open mesh with small holes
has the mass of the solid without them (`mesh.hole_filling`).  Any other mesh that encloses no volume has the
mass of a sheet, with the centroid of its area: the centroid of the volume of an open mesh may lie anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints, chosen
from ..errors import MeshError
from ..mesh.cleaning import CleanMesh, clean, used_points
from ..mesh.duplicate_faces import unique_regions
from ..mesh.edges import EdgeTable, edge_table, shell_labels
from ..mesh.enclosing_ball import enclosing_ball
from ..mesh.features import mesh_features
from ..mesh.hole_filling import filled_mesh
from ..mesh.inside import encloses
from ..mesh.mass import AREA, VOLUME, MassProperties, mass_of_corners
from ..mesh.orientation import Orientation, oriented
from ..surfaces.flat import Segments, Triangles
from .body import HULL_NOTE, SPREAD_NOTE, Body
from .excerpt import excerpt


@dataclass(frozen=True, eq=False)
class OrientedMesh:
    """A mesh that was cleaned, and its triangles turned to agree."""

    cleaned: CleanMesh
    found: Orientation

    @classmethod
    def of(cls, points: ArrayLike, triangles: ArrayLike, name: str) -> OrientedMesh:
        """Return a mesh of points (n, 3) and triangles (t, 3). Raises MeshError as `polyhedron`."""
        return cls(*_oriented(clean(*_checked(points, triangles, name), name)))

    @property
    def points(self) -> Floats:
        """The points (n, 3)."""
        return self.cleaned.points

    @property
    def triangles(self) -> Ints:
        """The corners (t, 3) of its triangles, points by number."""
        return self.found.triangles

    def body(self, name: str) -> Body:
        """Return the body of all of it."""
        corners = np.take(self.points, self.triangles, axis=0)
        mass, assumed = _weighed(corners, self.found)
        notes = self.cleaned.notes + self.found.notes + assumed
        return _body(self.points, self.triangles, self.found.edges, mass, self.found.closed, name, notes)

    def excerpt(self, kept: Bools, name: str) -> Body:
        """Return some triangles (t,), at least one, as an excerpt of the body (`excerpt`).

        What their edges and vertices are takes the triangles beside them, too, and no others. Its mass, as of
        a sheet, and its radius are those of the piece, and it has no notes.
        """
        touched = np.zeros(len(self.points), dtype=bool)
        touched[self.triangles[kept].ravel()] = True
        around = touched[self.triangles].any(axis=1)
        points, triangles = used_points(self.points, self.triangles[around])
        mass = mass_of_corners(np.take(points, triangles, axis=0), AREA)
        body = _body(points, triangles, edge_table(triangles), mass, self.found.closed, name, ())
        return excerpt(body, kept[around])


def polyhedron(points: ArrayLike, triangles: ArrayLike, name: str) -> Body:
    """Return the body of a triangle mesh; Body.notes say what was changed.

    Args:
        points: (n, 3), lengths.
        triangles: indices (t, 3) into the points.
        name: of the object, for messages.

    Raises:
        MeshError: wrong shapes, no faces, indices out of range, no finite coordinates, no size, or no area.
    """
    return OrientedMesh.of(points, triangles, name).body(name)


def _body(
    points: Floats,
    triangles: Ints,
    edges: EdgeTable,
    mass: MassProperties,
    closed: bool,
    name: str,
    notes: tuple[str, ...],
) -> Body:
    """Return the body of a clean mesh: points (n, 3), triangles (t, 3) and their edges."""
    marks = mesh_features(points, triangles, edges)
    corners = np.take(points, triangles, axis=0)
    face_count, edge_count = len(corners), len(marks.ends)
    faces, own_edges = np.arange(face_count, dtype=np.intp), np.arange(edge_count, dtype=np.intp)
    return Body(
        name=name,
        surfaces=(Triangles.from_corners(corners),),
        face_surface=np.zeros(face_count, dtype=np.intp),
        face_index=faces,
        curves=(Segments(marks.ends, marks.conormals),) if edge_count else (),
        edge_curve=np.zeros(edge_count, dtype=np.intp),
        edge_index=own_edges,
        vertices=marks.vertices,
        cone_start=marks.cone_start,
        cone_directions=marks.cone_directions,
        triangles=corners,
        triangle_face=faces,
        triangle_uv=np.broadcast_to(CORNER_PARAMETERS, (face_count, 3, 2)),
        triangle_bound=np.zeros(face_count),
        triangle_corners=triangles,
        point_count=len(points),
        segments=marks.ends,
        segment_edge=own_edges,
        segment_t=np.broadcast_to(np.array([0.0, 1.0]), (edge_count, 2)),
        segment_bound=np.zeros(edge_count),
        segment_owner=marks.edge_owner,
        vertex_owner=marks.vertex_owner,
        mass=mass,
        radius=enclosing_ball(points)[1],
        face_flat=np.ones(face_count, dtype=bool),
        closed=closed,
        notes=notes,
    )


def _oriented(mesh: CleanMesh) -> tuple[CleanMesh, Orientation]:
    """Return the mesh and its orientation, without duplicate flat faces, and without walls inside of solids
    that are glued together.
    """
    found = oriented(mesh.points, mesh.triangles, mesh.two_sided)
    if found.closed and int(found.edges.count.max()) <= 2:
        return mesh, found
    edges = found.edges if found.triangles is mesh.triangles else edge_table(mesh.triangles)
    kept, two_sided = unique_regions(mesh.points, mesh.triangles, edges, mesh.width, mesh.two_sided)
    if not kept.all():
        mesh = mesh.without_duplicates(kept, two_sided)
        found = oriented(mesh.points, mesh.triangles, mesh.two_sided)
    if found.closed:
        return mesh, found
    return _without_walls(mesh, found) or (mesh, found)


def _without_walls(mesh: CleanMesh, found: Orientation) -> tuple[CleanMesh, Orientation] | None:
    """Return a mesh without the walls between solids that are glued together, and its orientation, if what is
    left is a solid that has all of them inside.  Otherwise return None.

    A wall is made of faces that were there in both orientations, and goes on to no others.
    """
    part = shell_labels(found.edges, found.edges.paired)
    wall = np.bincount(part, weights=~mesh.two_sided)[part] == 0.0
    if not wall.any() or wall.all():
        return None
    left = mesh.without_walls(wall)
    solid = oriented(left.points, left.triangles, left.two_sided)
    if not solid.closed:
        return None
    inside = encloses(
        left.points[solid.triangles[solid.filled]], mesh.points[mesh.triangles[wall]].mean(axis=1)
    )
    return (left, solid) if inside.all() else None


def _weighed(corners: Floats, found: Orientation) -> tuple[MassProperties, tuple[str, ...]]:
    """Return the mass of a mesh, triangles (t, 3, 3), and notes on what was assumed for it."""
    if found.closed:
        return mass_of_corners(chosen(corners, found.filled), VOLUME), ()
    said = f"{found.borders}: " if found.borders else ""
    hull = filled_mesh(corners, found.triangles, found.edges)
    if hull is None:
        return mass_of_corners(corners, AREA), (said + SPREAD_NOTE,)
    return mass_of_corners(hull.corners, VOLUME), (said + HULL_NOTE, *hull.notes)


CORNER_PARAMETERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
"""Parameters (u, v) of the corners of a flat face."""


def _checked(points: ArrayLike, triangles: ArrayLike, name: str) -> tuple[Floats, Ints]:
    vertices, faces = np.asarray(points, dtype=np.float64), np.asarray(triangles)
    if vertices.size and (vertices.ndim != 2 or vertices.shape[1] != 3):
        raise MeshError(name, f"its points have shape {vertices.shape}", "expected (n, 3)")
    if faces.size and (faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu"):
        raise MeshError(
            name, f"its triangles have shape {faces.shape} of {faces.dtype}", "expected integers (t, 3)"
        )
    return vertices.reshape(-1, 3), faces.astype(np.intp).reshape(-1, 3)
