# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth-shaded meshes as curved faces with the sharp edges of their shading, where that is asked for.

Smooth shading only changes the light: what is seen and rendered are flat faces. So a mesh is the polyhedron
of its faces, unless the scene's setting *Curve Smooth Faces* or the object asks for curved ones. The object's
custom property `physplace_faceted` comes before the setting: 0 curves it, any other number keeps it flat.
The mesh is the evaluated one, so sharp edges and normals from modifiers count.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from bpy.types import BoolAttribute, Depsgraph, Mesh, Object, Scene, SubsurfModifier

from ...core import bodies
from ...core.arrays import Bools, Floats
from ...core.bodies import Body
from ...core.bodies.curved_meshes import LEFT_FLAT, patch_limit_note, smoothed
from ...core.collision import tree_of
from ...core.collision.self_intersection import self_crossings
from ...core.placement.diagnostics import CUT
from ..access import custom_properties, extended, original, present
from .meshes import arrays_of, cut_cage, face_sizes, triangle_faces

FACETED = "physplace_faceted"


def smooth_body(evaluated: Object, depsgraph: Depsgraph) -> tuple[Body | None, tuple[str, ...]]:
    """Return the body of an object's curved faces, in its local coordinates.

    Returns:
        body: None for an object that has none, or of which none are asked for.
        notes: why smooth faces count as flat although they were to be curved.
    """
    source = original(evaluated)
    if source.type != "MESH" or evaluated.type != "MESH" or is_faceted(source, present(depsgraph.scene)):
        return None, ()
    if any(
        isinstance(modifier, SubsurfModifier) and modifier.show_viewport for modifier in evaluated.modifiers
    ):
        return None, ()
    mesh = evaluated.to_mesh()
    try:
        body, notes = _body(mesh, evaluated.name)
        if body is not None and _folds_over(body, mesh):
            return None, (f"{LEFT_FLAT}: curved, they would pass through one another",)
        return body, notes
    finally:
        evaluated.to_mesh_clear()


def _folds_over(body: Body, mesh: Mesh) -> bool:
    """Return whether curved faces intersect one another where those of their mesh do not."""
    if not len(self_crossings(tree_of(body), CUT * body.radius)):
        return False
    plain = bodies.polyhedron(*arrays_of(mesh), body.name)
    return not len(self_crossings(tree_of(plain), CUT * body.radius))


def is_faceted(source: Object, scene: Scene) -> bool:
    """Return whether an object's faces are flat, however they are shaded."""
    own = custom_properties(source).get(FACETED)
    if own is not None:
        return bool(own)
    settings = getattr(extended(scene), "physplace", None)
    return settings is None or not settings.curve_smooth


def _body(mesh: Mesh, name: str) -> tuple[Body | None, tuple[str, ...]]:
    smooth = ~_flat_faces(mesh)
    notes = patch_limit_note(face_sizes(mesh)) if smooth.any() else ()
    if notes or not smooth.any():
        return None, notes
    points, triangles = arrays_of(mesh)
    cage = cut_cage(mesh, "use_edge_sharp")
    return smoothed(points, cage, ~smooth, _own_normals(mesh), triangles, triangle_faces(mesh), name)


def _flat_faces(mesh: Mesh) -> Bools:
    """Return which faces (nf,) are not shaded smooth."""
    flat = np.zeros(len(mesh.polygons), dtype=np.bool_)
    attribute = cast("BoolAttribute | None", mesh.attributes.get("sharp_face"))
    if attribute is not None:
        attribute.data.foreach_get("value", flat)
    return flat


def _own_normals(mesh: Mesh) -> Floats | None:
    """Return the custom normals (h, 3) at the corners of faces; None if an artist has set none."""
    if not mesh.has_custom_normals:
        return None
    normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    return normals.astype(np.float64).reshape(-1, 3)
