# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's surface as a new mesh object, and a blob's particles as objects of the scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import EnumProperty, FloatProperty
from bpy.types import Context

from ...scene.blobs.frames import solved_model
from ...scene.blobs.meshes import add_disks, add_empties, add_mesh, mesh_of, spread_over
from ...scene.blobs.objects import active_blob
from ...scene.errors import SceneError
from ...scene.writing.duplicate import select_only
from ..common import Conclusion, ObjectOperator, no_blob_reason, wait_cursor

MANY = 500  # number of empties above which a scene becomes slow, so that one mesh is made instead


class PHYSPLACE_OT_blob_mesh(ObjectOperator):
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

    def work(self, context: Context) -> Conclusion:
        """Sample the surface, mesh it, make the object."""
        blob = active_blob(context)
        with wait_cursor(context.window):
            model = solved_model(context, blob)
            mesh = mesh_of(model, self.particle_size, self.within)
        made = add_mesh(context, blob, model, mesh)
        select_only(context, [made])
        figures = f"{len(mesh.triangles)} triangles, area {mesh.area:.4g}, volume {mesh.volume:.4g}"
        return Conclusion(True, f'"{made.name}": {figures}; {mesh.message}')


class PHYSPLACE_OT_blob_particles(ObjectOperator):
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

    def work(self, context: Context) -> Conclusion:
        """Sample the surface, make the objects."""
        blob = active_blob(context)
        with wait_cursor(context.window):
            floaters = spread_over(solved_model(context, blob))
            if not len(floaters):
                raise SceneError(blob.name, "it has no surface", "enlarge its elements, or lower its bias")
            few = self.made_as == "EMPTIES" or (self.made_as == "AUTO" and len(floaters) <= MANY)
            made = (add_empties if few else add_disks)(context, blob, floaters)
        select_only(context, [made])
        return Conclusion(True, f'"{made.name}": {len(floaters)} particles')
