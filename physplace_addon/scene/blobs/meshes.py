# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's surface as a mesh object, and its particles as empties or as one mesh of disks.

The mesh is closed, wound outwards, and has the surface's own normals. It is a child of the blob and moves
with it. Placing uses the blob's exact surface, and ignores the mesh as long as it is the blob's child.

The particles are children of one empty or mesh, itself a child of the blob, in a collection of their own:
they move with the blob and can be hidden or deleted together. Placing ignores them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Collection, Context, Mesh, Object
from mathutils import Matrix, Vector

from ...core.arrays import Floats
from ...core.implicit.control.sculpting import Sculpting
from ...core.implicit.control.state import SculptSettings, SculptStatus
from ...core.implicit.particles.floaters import Floaters
from ...core.implicit.polygonize.triangulation import Triangulation, triangulating
from ...core.jobs import Job, Progress, finished
from ...core.wording import counted
from ..access import library_of, view_layer_of
from ..errors import SceneError
from ..reading.visible import IGNORE
from ..writing.display import write_triangles
from .making import homes_of
from .models import BlobModel, floater_settings
from .objects import MESH, surface_of

STEPS = 300  # most steps in which particles spread over the surface
SEED = 1  # of the generator that places new particles: the same blob gives the same mesh
SIDES = 16  # corners of a particle's disk
SHARE = 0.85  # a disk's radius over its particle's


def mesh_of(model: BlobModel, radius: float, within: float) -> Triangulation:
    """Return a mesh of a blob's surface, in the blob's coordinates.

    Args:
        model: the blob.
        radius: of the particles that become its vertices, in the blob's units; 0 for the blob's own.
        within: the largest distance of the mesh from the surface, over that radius.

    Raises:
        SceneError: if the surface gives no closed mesh.
    """
    return finished(meshing(model, radius, within))


def meshing(model: BlobModel, radius: float, within: float) -> Job[Triangulation]:
    """Do what `mesh_of` does, in slices: each step of the particles is one, and each round of triangles.

    Raises SceneError if the surface gives no closed mesh.
    """
    floaters = yield from spreading(model, radius)
    yield Progress(f'Joining {counted(len(floaters), "particle")} of "{model.name}"')
    size = radius if radius > 0.0 else floater_settings(model).radius
    mesh = yield from triangulating(model.function, floaters.positions, size, within * size)
    if not mesh.status.closed:
        raise SceneError(model.name, "its surface gives no closed mesh", mesh.message)
    return mesh


def spread_over(model: BlobModel, radius: float = 0.0) -> Floaters:
    """Return particles at rest on a blob's surface; their radius is the blob's own if 0 is given."""
    return finished(spreading(model, radius))


def spreading(model: BlobModel, radius: float = 0.0) -> Job[Floaters]:
    """Do what `spread_over` does, in slices of one step each."""
    settings = floater_settings(model)
    size = radius if radius > 0.0 else settings.radius
    chosen = replace(settings, radius=size)
    sculpting = Sculpting(model.function, SculptSettings(chosen), np.random.default_rng(SEED))
    for step in range(STEPS):
        yield Progress(f'Spreading particles over "{model.name}"', step / STEPS)
        if sculpting.step().status is not SculptStatus.RUNNING:
            break
    return sculpting.state.floaters


def add_mesh(context: Context, blob: Object, model: BlobModel, mesh: Triangulation) -> Object:
    """Add a mesh object, a child of the blob, and return it."""
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


def draw_as_bounds(blob: Object) -> bool:
    """Have a blob's live mesh drawn as its bounds and not rendered; return whether that was done.

    So another mesh can be in its place. It is not hidden, since what is hidden cannot be placed. Without a
    live mesh, or where that is linked from another file, nothing is done.
    """
    surface = surface_of(blob)
    if surface is None or library_of(surface) is not None:
        return False
    surface.display_type, surface.hide_render = "BOUNDS", True
    return True


def _corner_normals(model: BlobModel, mesh: Triangulation) -> Floats:
    """Return unit normals (3 t, 3) at the triangles' corners; a triangle's own where the gradient is zero."""
    _, slope = model.function.gradient(mesh.points)
    corners = mesh.points[mesh.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = slope[mesh.triangles.ravel()]
    steep = np.einsum("ij,ij->i", normals, normals) > 0.0
    normals = np.where(steep[:, None], normals, np.repeat(flat, 3, axis=0))
    length = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    unit: Floats = normals / np.where(length > 0.0, length, 1.0)[:, None]
    return unit


def add_empties(context: Context, blob: Object, floaters: Floaters) -> Object:
    """Add an empty for each particle, its y axis along the surface's normal; return their common parent."""
    homes = [_collection_of_particles(context, blob)]
    parent = _child(f"{blob.name} Particles", None, blob, homes)
    rows = zip(floaters.positions.tolist(), floaters.normals.tolist(), floaters.radii.tolist(), strict=True)
    for place, normal, radius in rows:
        empty = _child("Particle", None, parent, homes)
        empty.empty_display_type = "CIRCLE"
        empty.empty_display_size = SHARE * radius
        turn = Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(normal)).to_matrix().to_4x4()
        lying = Matrix.Rotation(0.5 * np.pi, 4, "X")  # a circle is drawn in its empty's x and z
        empty.matrix_basis = Matrix.Translation(Vector(place)) @ turn @ lying
    view_layer_of(context).update()
    return parent


def add_disks(context: Context, blob: Object, floaters: Floaters) -> Object:
    """Add a mesh with a square for each particle, which Blender shows as a disk of its size; return it."""
    homes = [_collection_of_particles(context, blob)]
    faces = bpy.data.meshes.new(f"{blob.name} Particles")
    faces.from_pydata(_squares(floaters).tolist(), [], np.arange(4 * len(floaters)).reshape(-1, 4).tolist())
    parent = _child(f"{blob.name} Particles", faces, blob, homes)
    parent.instance_type = "FACES"
    parent.use_instance_faces_scale = True
    parent.show_instancer_for_render = parent.show_instancer_for_viewport = False
    disk = bpy.data.meshes.new("Particle")
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rim = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(SIDES)])
    disk.from_pydata(rim.tolist(), [], [list(range(SIDES))])
    shown = _child("Particle", disk, parent, homes)
    view_layer_of(context).update()
    shown.hide_set(True)  # itself; else the view shows a disk of radius 1 amid its instances
    return parent


def _collection_of_particles(context: Context, blob: Object) -> Collection:
    """Return a new collection within the blob's own."""
    made = bpy.data.collections.new(f"{blob.name} Particles")
    homes_of(context, blob)[0].children.link(made)
    return made


def _squares(floaters: Floaters) -> Floats:
    """Return the corners (4 n, 3) of squares; an instance is scaled by the root of its square's area."""
    axis = np.eye(3)[np.argmin(np.abs(floaters.normals), axis=1)]
    first = np.cross(axis, floaters.normals)
    first /= np.sqrt(np.einsum("ij,ij->i", first, first))[:, None]
    second = np.cross(floaters.normals, first)
    half = 0.5 * SHARE * floaters.radii[:, None, None]
    signs = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    corners = signs[:, :1] * first[:, None] + signs[:, 1:] * second[:, None]
    placed: Floats = (floaters.positions[:, None] + half * corners).reshape(-1, 3)
    return placed


def _child(name: str, data: Mesh | None, parent: Object, homes: Sequence[Collection]) -> Object:
    made = bpy.data.objects.new(name, data)
    for collection in homes:
        collection.objects.link(made)
    made.parent = parent
    made[IGNORE] = True
    return made
