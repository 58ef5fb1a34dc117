# SPDX-License-Identifier: GPL-3.0-or-later
"""The display mesh of an object with an exact surface, with the surface's own normals.

The mesh is only shown: placing never reads it. Its largest distance from the surface is the custom property
`physplace_tolerance`, in the object's own units; 0.2 % of the object's size unless given.
"""

from __future__ import annotations

import numpy as np
from bpy.types import Mesh, Object

from ...core.arrays import Floats, Ints
from ...core.bodies import Body
from ..access import custom_properties
from ..errors import SceneError
from ..reading.definitions import body_of

TOLERANCE = "physplace_tolerance"


def refresh_mesh(
    obj: Object, resolution: tuple[int, int] | None = None, tolerance: float | None = None
) -> None:
    """Rebuild an object's mesh from its exact surface. Materials stay.

    Args:
        obj: the object.
        resolution: the number of lines (nu, nv) of each face; None to refine to the tolerance.
        tolerance: the largest distance from the surface in the object's own units; None for its property.

    Raises:
        SceneError: for a definition without meaning, or an object without a mesh of its own.
    """
    mesh = obj.data
    if not isinstance(mesh, Mesh):
        raise SceneError(obj.name, f"is a {obj.type.lower()} object", "use a mesh object, which may be empty")
    within = tolerance_of(obj) if tolerance is None else tolerance
    body = body_of(obj, resolution, within)
    write_triangles(mesh, body.points, body.triangle_corners, corner_normals(body))


def tolerance_of(obj: Object) -> float | None:
    """Return the tolerance of an object's mesh, in its own units; None if not set. Raises SceneError."""
    value = custom_properties(obj).get(TOLERANCE)
    if value is None or (isinstance(value, (int, float)) and 0.0 < value < np.inf):
        return None if value is None else float(value)
    raise SceneError(obj.name, f'its property "{TOLERANCE}" is {value!r}', "set it to a length above 0")


def corner_normals(body: Body) -> Floats:
    """Return the exact outward normals (3 t, 3) at the corners of a body's triangles, one after another."""
    faces = np.repeat(body.triangle_face, 3)
    normals: Floats = body.face_geometry(faces, body.triangle_uv.reshape(-1, 2)).normal
    return normals


def write_triangles(mesh: Mesh, points: Floats, triangles: Ints, normals: Floats) -> None:
    """Replace a mesh's geometry by triangles (t, 3) over points (n, 3), shaded by normals (3 t, 3)."""
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel().astype(np.float32))
    mesh.loops.add(triangles.size)
    mesh.loops.foreach_set("vertex_index", triangles.ravel().astype(np.int32))
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, triangles.size, 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), dtype=bool))
    mesh.normals_split_custom_set(normals.tolist())
    mesh.update()
