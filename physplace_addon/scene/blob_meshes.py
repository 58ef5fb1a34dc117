# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's surface as a mesh object: closed, wound outwards, with the surface's own normals.

The object is a child of the blob and goes along with it; placing takes the blob's surface itself, and leaves
the mesh out as long as it is the blob's child.
"""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Context, Object

from ..core.arrays import Floats
from ..core.implicit.control.sculpting import Sculpting, SculptSettings, SculptStatus
from ..core.implicit.particles.floaters import Floaters, FloaterSettings
from ..core.implicit.polygonize.triangulation import Triangulation, triangulated
from .access import view_layer_of
from .blob_making import homes_of
from .blob_models import BlobModel
from .blob_spacing import floater_settings
from .blobs import MESH
from .display import write_triangles
from .errors import SceneError

STEPS = 300  # of particles that spread over the surface, at most
SEED = 1


def mesh_of(model: BlobModel, radius: float, within: float) -> Triangulation:
    """A mesh of a blob's surface, in the blob's coordinates.

    radius: of the particles that it goes through, 0 for the blob's own; within: how far it may be from the
    surface, as a share of that. Raises SceneError if no closed mesh can be had.
    """
    floaters = spread_over(model, radius)
    size = radius if radius > 0.0 else floater_settings(model).radius
    mesh = triangulated(model.function, floaters.positions, size, within * size)
    if not mesh.status.closed:
        raise SceneError(model.name, "its surface gives no closed mesh", mesh.message)
    return mesh


def spread_over(model: BlobModel, radius: float = 0.0) -> Floaters:
    """Particles of a radius, 0 for the blob's own, that have come to rest on its surface."""
    settings = floater_settings(model)
    size = radius if radius > 0.0 else settings.radius
    chosen = FloaterSettings(radius=size, bounds=settings.bounds)
    sculpting = Sculpting(model.function, SculptSettings(chosen), np.random.default_rng(SEED))
    for _ in range(STEPS):
        if sculpting.step().status is not SculptStatus.RUNNING:
            break
    return sculpting.state.floaters


def add_mesh(context: Context, blob: Object, model: BlobModel, mesh: Triangulation) -> Object:
    """A new mesh object, a child of the blob."""
    name, homes = f"{blob.name} Mesh", homes_of(context, blob)
    made = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    for collection in homes:
        collection.objects.link(made)
    made.parent = blob
    made[MESH] = True
    assert isinstance(made.data, bpy.types.Mesh)
    write_triangles(made.data, mesh.points, mesh.triangles, _corner_normals(model, mesh))
    view_layer_of(context).update()
    return made


def _corner_normals(model: BlobModel, mesh: Triangulation) -> Floats:
    """Unit normals (3 t, 3) at the triangles' corners; the triangles' own where the surface has none."""
    _, slope = model.function.gradient(mesh.points)
    corners = mesh.points[mesh.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = slope[mesh.triangles.ravel()]
    steep = np.einsum("ij,ij->i", normals, normals) > 0.0
    normals = np.where(steep[:, None], normals, np.repeat(flat, 3, axis=0))
    length = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    unit: Floats = normals / np.where(length > 0.0, length, 1.0)[:, None]
    return unit
