# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's surface as a new mesh object, and a blob's particles as objects of the scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty
from bpy.types import Context

from ...core.jobs import Job
from ...scene.blobs.frames import solved_model
from ...scene.blobs.meshes import add_disks, add_empties, add_mesh, draw_as_bounds, meshing, spreading
from ...scene.blobs.models import BlobModel
from ...scene.blobs.objects import active_blob
from ...scene.errors import SceneError
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, no_blob_reason
from ..sliced import SlicedOperator

MANY = 500  # number of empties above which a scene becomes slow, so that one mesh is made instead


class PHYSPLACE_OT_blob_mesh(SlicedOperator):
    """Make a mesh of the active blob's surface."""

    bl_idname = "physplace.blob_mesh"
    bl_label = "Mesh from Blob"
    bl_description = (
        "Make a closed mesh of the active blob's surface, as a new object that goes along with the blob. "
        "Its triangles go through the surface's particles"
    )

    if TYPE_CHECKING:
        particle_size: float
        within: float
    else:
        particle_size: FloatProperty(
            name="Particle Size",
            description="The size of the particles, in the blob's own units; 0: as the blob has them",
            default=0.0,
            min=0.0,
            soft_max=1.0,
            precision=4,
        )
        within: FloatProperty(
            name="Distance",
            description="How far the mesh may be from the surface, as a share of the particles' size",
            default=0.05,
            min=1e-3,
            max=0.5,
            precision=3,
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def job(self, context: Context) -> Job[Conclusion]:
        """Sample the surface, mesh it, make the object."""
        name, model = _read(context)
        mesh = yield from meshing(model, self.particle_size, self.within)
        made = add_mesh(context, bpy.data.objects[name], model, mesh)
        beside = f'; "{name}" is drawn as its bounds' if draw_as_bounds(bpy.data.objects[name]) else ""
        select_only(context, [made])
        figures = f"{len(mesh.triangles)} triangles, area {mesh.area:.4g}, volume {mesh.volume:.4g}"
        return Conclusion(True, f'"{made.name}": {figures}; {mesh.message}{beside}')


class PHYSPLACE_OT_blob_particles(SlicedOperator):
    """Make objects of the particles of the active blob's surface."""

    bl_idname = "physplace.blob_particles"
    bl_label = "Particles from Blob"
    bl_description = (
        "Make objects of the particles that show the active blob's surface: "
        "an empty for each, or one mesh that shows a disk for each"
    )

    if TYPE_CHECKING:
        made_as: str
    else:
        made_as: EnumProperty(
            name="As",
            description="What the particles become",
            items=(
                ("AUTO", "By Number", f"Empties up to {MANY}, one mesh of disks for more"),
                ("EMPTIES", "Empties", "An empty for each, its y axis along the normal"),
                ("DISKS", "Disks", "One mesh, in place of whose faces disks are shown"),
            ),
            default="AUTO",
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs a blob, in Object Mode."""
        return no_blob_reason(context)

    def job(self, context: Context) -> Job[Conclusion]:
        """Sample the surface, make the objects."""
        name, model = _read(context)
        floaters = yield from spreading(model)
        if not len(floaters):
            raise SceneError(name, "it has no surface", "enlarge its elements, or lower its bias")
        few = self.made_as == "EMPTIES" or (self.made_as == "AUTO" and len(floaters) <= MANY)
        made = (add_empties if few else add_disks)(context, bpy.data.objects[name], floaters)
        select_only(context, [made])
        return Conclusion(True, f'"{made.name}": {len(floaters)} particles')


def _read(context: Context) -> tuple[str, BlobModel]:
    """Return the active blob's name, and the blob with its surface as it is solved. Raises SceneError."""
    blob = active_blob(context)
    return blob.name, solved_model(context, blob)
