"""Pictures of rests, by Blender's Cycles: each body's tessellation, shaded by its exact normals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
from mathutils import Matrix

from demo import studio
from physplace_addon.core.bodies import Body
from physplace_addon.core.rigid import Pose
from physplace_addon.scene.access import present, scene_of
from physplace_addon.scene.writing.display import corner_normals, write_triangles

COATS = (
    (0.55, 0.20, 0.14),
    (0.13, 0.33, 0.48),
    (0.62, 0.47, 0.16),
    (0.20, 0.40, 0.22),
    (0.46, 0.44, 0.42),
    (0.38, 0.22, 0.42),
)


def picture(
    path: Path, standing: Sequence[tuple[Body, Pose]], looks_at: tuple[float, float, float], distance: float
) -> None:
    """Render bodies at their poses on a floor at z = 0."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for number, (body, pose) in enumerate(standing):
        mesh = bpy.data.meshes.new(body.name)
        write_triangles(mesh, body.points, body.triangle_corners, corner_normals(body))
        mesh.materials.append(studio.material(body.name, COATS[number % len(COATS)], Roughness=0.35))
        made = bpy.data.objects.new(body.name, mesh)
        made.matrix_world = Matrix(pose.matrix4.tolist())
        scene_of(bpy.context).collection.objects.link(made)
    bpy.ops.mesh.primitive_plane_add(size=60.0)
    table = studio.mesh_of(present(bpy.context.object))
    table.materials.append(studio.material("Table", (0.40, 0.34, 0.28), Roughness=0.7))
    studio.light_and_camera(looks_at, distance)
    studio.render(path)
