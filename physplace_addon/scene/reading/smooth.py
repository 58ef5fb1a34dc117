# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth-shaded meshes as curved faces with the sharp edges of their shading, where that is asked for.

Smooth shading only changes the light: what is seen and rendered are flat faces. So a mesh is the polyhedron
of its faces, unless the scene's setting *Curve Smooth Faces* or the object asks for curved ones. The object's
custom property `physplace_faceted` comes before the setting: 0 curves it, any other number keeps it flat.
The mesh is the evaluated one, so sharp edges and normals from modifiers count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from bpy.types import BoolAttribute, Depsgraph, Mesh, Object, Scene, SubsurfModifier

from ...core import bodies
from ...core.arrays import Bools, Floats, Ints
from ...core.bodies import Body
from ...core.bodies.curved_meshes import LEFT_FLAT, patch_limit_note, smoothed
from ...core.collision import tree_of
from ...core.collision.self_intersection import self_crossings
from ...core.placement.diagnostics import CUT
from ...core.surfaces.subdivision.cage import Cage
from ..access import custom_properties, extended, original, present
from .kept_bodies import MadeBody, digest
from .meshes import arrays_of, cut_cage, face_sizes, triangle_faces

FACETED = "physplace_faceted"


@dataclass(frozen=True, eq=False)
class SmoothSource:
    """What curved faces are made of: a mesh's points (n, 3), its faces cut along sharp edges, which of them
    are flat (nf,), custom normals (h, 3) if an artist has set any, triangles (t, 3) and their faces (t,).
    """

    points: Floats
    cage: Cage
    flat: Bools
    normals: Floats | None
    triangles: Ints
    owner: Ints

    @property
    def content(self) -> bytes:
        """What the faces are."""
        cage = self.cage.corners, self.cage.starts, self.cage.edge_sharpness
        return digest("smooth", self.points, cage, self.flat, self.normals, self.triangles)

    def made(self) -> MadeBody:
        """Return the body in the mesh's coordinates; none, with the reason, where its faces count as flat."""
        body, notes = smoothed(
            self.points, self.cage, self.flat, self.normals, self.triangles, self.owner, "mesh"
        )
        if body is not None and self._folds_over(body):
            return MadeBody(None, (f"{LEFT_FLAT}: curved, they would pass through one another",))
        return MadeBody(body, notes)

    def _folds_over(self, body: Body) -> bool:
        """Return whether curved faces intersect one another where those of their mesh do not."""
        if not len(self_crossings(tree_of(body), CUT * body.radius)):
            return False
        plain = bodies.polyhedron(self.points, self.triangles, body.name)
        return not len(self_crossings(tree_of(plain), CUT * body.radius))


def smooth_source(evaluated: Object, depsgraph: Depsgraph) -> tuple[SmoothSource | None, tuple[str, ...]]:
    """Return what an object's curved faces are made of.

    Returns:
        source: None for an object that has none, or of which none are asked for.
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
        return _source(mesh)
    finally:
        evaluated.to_mesh_clear()


def is_faceted(source: Object, scene: Scene) -> bool:
    """Return whether an object's faces are flat, however they are shaded."""
    own = custom_properties(source).get(FACETED)
    if own is not None:
        return bool(own)
    settings = getattr(extended(scene), "physplace", None)
    return settings is None or not settings.curve_smooth


def _source(mesh: Mesh) -> tuple[SmoothSource | None, tuple[str, ...]]:
    smooth = ~_flat_faces(mesh)
    notes = patch_limit_note(face_sizes(mesh)) if smooth.any() else ()
    if notes or not smooth.any():
        return None, notes
    points, triangles = arrays_of(mesh)
    cage = cut_cage(mesh, "use_edge_sharp")
    return SmoothSource(points, cage, ~smooth, _own_normals(mesh), triangles, triangle_faces(mesh)), ()


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
