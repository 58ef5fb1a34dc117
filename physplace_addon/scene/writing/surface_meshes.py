# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes of objects defined by formulas: rebuilt whenever their definition changes.

The definition is stored with the mesh, so that it is built only once, also when a file is opened or a step
undone. A definition without meaning leaves the mesh as it is, and its error is stored with the mesh.
"""

from __future__ import annotations

import bpy
from bpy.types import Depsgraph, Mesh, Object

from ...core.errors import PhysPlaceError
from ...core.surfaces.formula.definitions import KIND as FORMULA
from ..access import custom_properties, library_of, present
from ..reading.definitions import KIND, PREFIX, body_of
from .display import TOLERANCE, corner_normals, tolerance_of, write_triangles

# Custom properties of a mesh: what it was made from, and why nothing could be made from that.
MADE_FROM, NOT_MADE = "physplace_surface", "physplace_surface_error"


def refresh_changed(depsgraph: Depsgraph) -> None:
    """Rebuild the meshes of all objects whose formulas an update of the scene has changed."""
    for update in depsgraph.updates:
        if isinstance(update.id, Object):
            _refresh(present(update.id.original), depsgraph)


def _refresh(obj: Object, depsgraph: Depsgraph) -> None:
    mesh = obj.data
    if not _has_formulas(obj) or not isinstance(mesh, Mesh):
        return
    evaluated = obj.evaluated_get(depsgraph)
    definition = definition_of(evaluated)
    if custom_properties(mesh).get(MADE_FROM) == definition or not _is_own(obj, mesh):
        return
    mesh[MADE_FROM] = definition
    try:
        body = body_of(evaluated, tolerance=tolerance_of(evaluated))
    except PhysPlaceError as error:
        mesh[NOT_MADE] = str(error)
        return
    if NOT_MADE in custom_properties(mesh):
        del mesh[NOT_MADE]
    write_triangles(mesh, body.points, body.triangle_corners, corner_normals(body))


def definition_error(obj: Object) -> str:
    """Return what is wrong with an object's formulas, in one line; empty if nothing is."""
    if not _has_formulas(obj) or not isinstance(obj.data, Mesh):
        return ""
    return str(custom_properties(obj.data).get(NOT_MADE, "")).partition("\n")[0]


def _has_formulas(obj: Object) -> bool:
    """Return whether an object is defined by formulas, or is a tube along a path of formulas."""
    properties = custom_properties(obj)
    return properties.get(KIND) == FORMULA or (KIND in properties and f"{PREFIX}path.x" in properties)


def definition_of(obj: Object) -> str:
    """Return all that defines an object's surface and its mesh, as one text."""
    every = custom_properties(obj).items()
    own = sorted((key, value) for key, value in every if key == TOLERANCE or key.startswith(PREFIX))
    return "\n".join(f"{key} = {value!r}" for key, value in own)


def _is_own(obj: Object, mesh: Mesh) -> bool:
    """Return whether a mesh may be written: local, not in edit mode, and of one formula."""
    if library_of(mesh) is not None or mesh.override_library is not None or mesh.is_editmode:
        return False
    if mesh.users == 1:
        return True
    owners = [other for other in bpy.data.objects if other.data == mesh]
    return all(definition_of(other) == definition_of(obj) for other in owners)
