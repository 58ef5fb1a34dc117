# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's live mesh: made by dual contouring from the blob as it is, and made again when that has changed.

It is stored with the mesh what it was made from, so that it is made only once, also when a file is opened or
a step undone. Its cost is bounded: the cells of the grid are as large as the blob's particles, or as much
larger as the time allows that one making may take. What an earlier making has cost tells how large that is.

A mesh's materials, the material of each face, and its UV maps stay: a face has the material of the face that
was nearest before, and UV maps are projected anew, along the blob's axis that a face is turned to most.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import bpy
import numpy as np
from bpy.types import Mesh, Object
from scipy.spatial import cKDTree

from ...core.arrays import Floats, Ints
from ...core.implicit.polygonize.dual_contouring import GridMesh, grid_mesh
from ..access import custom_properties, library_of
from ..reading.kept_bodies import digest
from .models import BlobModel, floater_settings, surface_box
from .objects import is_blob, is_whole_blob

MADE_FROM, SPACING = "physplace_blob", "physplace_blob_spacing"  # custom properties of a mesh
COARSEST = 8.0  # largest cell over the particles' radius: coarser meshes say little of the surface
FINER = 1.2  # factor of the cell's size below which a finer mesh is not worth its making
_MOST_CELLS = 2.5e7  # most cells of a grid, which bounds its memory to some 300 MB
_PER_CELL = 4e-6  # seconds that a square cell of the surface takes, until it was measured
_UV_MAP = "UVMap"


@dataclass(frozen=True)
class LiveMesh:
    """A live mesh as it was made.

    Attributes:
        made_from: a digest of the surface.
        spacing: the size of a cell, in the blob's units.
        finest: the size that it should have.
        seconds: what it took to make it.
    """

    made_from: str
    spacing: float
    finest: float
    seconds: float

    @property
    def is_coarse(self) -> bool:
        """Whether its cells are larger than they should be."""
        return self.spacing > FINER * self.finest

    def spacing_within(self, seconds: float) -> float:
        """Return the size of a cell with which it takes so long: the number of vertices goes with 1 / size^2.

        It may be larger than any that is used.
        """
        wanted = self.spacing * np.sqrt(max(self.seconds, 1e-6) / seconds)
        return max(float(wanted), self.finest)


def content_of(model: BlobModel) -> str:
    """Return a digest of what a blob's surface is, and how fine its particles are."""
    return digest("live", model.definition, model.sigma).hex()


def first_guess(model: BlobModel) -> LiveMesh:
    """Return how long a mesh may take that was never made. Raises SceneError."""
    finest, box = floater_settings(model).radius, surface_box(model)
    sides = np.maximum(box[1] - box[0], 0.0) if np.isfinite(box).all() else np.zeros(3)
    area = 2.0 * float(sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0])
    room = float(np.cbrt(np.prod(sides) / _MOST_CELLS))
    spacing = max(finest, room)
    return LiveMesh("", spacing, max(finest, room), _PER_CELL * area / spacing**2)


def made_of(mesh: Mesh) -> tuple[str, float]:
    """Return the digest of the surface that a mesh was made from, "" for none, and its spacing."""
    own = custom_properties(mesh)
    return str(own.get(MADE_FROM, "")), float(own.get(SPACING, 0.0))


def make(mesh: Mesh, model: BlobModel, content: str, spacing: float, *, exact: bool) -> LiveMesh:
    """Make a blob's mesh anew. Raises SceneError.

    Args:
        mesh: where it is written to.
        model: the blob.
        content: its digest, which is stored.
        spacing: the size of a cell, in the blob's units.
        exact: whether the mesh has the surface's own normals, which takes longer.
    """
    begun = perf_counter()
    finest = first_guess(model).finest
    spacing = max(spacing, finest)
    found = grid_mesh(model.function, surface_box(model), spacing)
    write_grid_mesh(mesh, found, exact=exact)
    mesh[MADE_FROM], mesh[SPACING] = content, spacing
    return LiveMesh(content, spacing, finest, perf_counter() - begun)


def clear(mesh: Mesh) -> None:
    """Take the geometry away of a mesh whose surface is not there."""
    if len(mesh.vertices):
        mesh.clear_geometry()
        mesh.update()
    for key in (MADE_FROM, SPACING):
        if key in custom_properties(mesh):
            del mesh[key]


def own_mesh(surface: Object) -> Mesh | None:
    """Return the mesh of a surface object that may be written; None for a linked one, or in another mode.

    A mesh that several blobs share is copied first: each has its own surface.
    """
    mesh = surface.data
    if not isinstance(mesh, Mesh) or is_locked(surface):
        return None
    if mesh.users > 1 and any(each != surface and is_whole_blob(each) for each in _owners(mesh)):
        surface.data = mesh = mesh.copy()
    return mesh


def is_locked(surface: Object) -> bool:
    """Return whether the mesh of a surface object must not be written now."""
    mesh = surface.data
    if not isinstance(mesh, Mesh):
        return True
    return mesh.is_editmode or library_of(mesh) is not None or mesh.override_library is not None


def is_shared(surface: Object) -> bool:
    """Return whether another object has the same mesh."""
    return surface.data is not None and surface.data.users > 1


def _owners(mesh: Mesh) -> list[Object]:
    """Return the blobs that have a mesh."""
    return [obj for obj in bpy.data.objects if obj.data == mesh and is_blob(obj)]


def write_grid_mesh(mesh: Mesh, found: GridMesh, *, exact: bool) -> None:
    """Replace a mesh's geometry, and keep its materials and UV maps."""
    material = _materials(mesh, found)
    names = [layer.name for layer in mesh.uv_layers] or [_UV_MAP]
    active, rendered = mesh.uv_layers.active_index, _rendered(mesh)
    mesh.clear_geometry()
    mesh.vertices.add(len(found.points))
    mesh.vertices.foreach_set("co", found.points.ravel().astype(np.float32))
    mesh.loops.add(found.quads.size)
    mesh.loops.foreach_set("vertex_index", found.quads.ravel().astype(np.int32))
    mesh.polygons.add(len(found.quads))
    mesh.polygons.foreach_set("loop_start", np.arange(0, found.quads.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.polygons.foreach_set("use_smooth", np.ones(len(found.quads), dtype=bool))
    if material is not None:
        mesh.polygons.foreach_set("material_index", material)
    _project(mesh, found, names)
    mesh.uv_layers.active_index = max(active or 0, 0)
    mesh.uv_layers[max(rendered, 0)].active_render = True
    if exact or found.creased:
        mesh.normals_split_custom_set(found.normals.reshape(-1, 3).tolist())
    mesh.update()


def _materials(mesh: Mesh, found: GridMesh) -> Ints | None:
    """Return the material's number (q,) of each new face, that of the old face that is nearest."""
    count = len(mesh.polygons)
    if len(mesh.materials) < 2 or not count or not len(found.quads):
        return None
    number, centre = np.zeros(count, dtype=np.int32), np.zeros(3 * count, dtype=np.float32)
    mesh.polygons.foreach_get("material_index", number)
    if not number.any():
        return None
    mesh.polygons.foreach_get("center", centre)
    nearest = cKDTree(centre.reshape(-1, 3)).query(found.points[found.quads].mean(axis=1))[1]
    return np.asarray(number[nearest])


def _rendered(mesh: Mesh) -> int:
    """Return the number of the UV map that is rendered; -1 for none."""
    return next((i for i, layer in enumerate(mesh.uv_layers) if layer.active_render), -1)


def _project(mesh: Mesh, found: GridMesh, names: list[str]) -> None:
    """Make UV maps: places across the axis that each face is turned to most, in the blob's units."""
    place = _projected(found).ravel().astype(np.float32)
    for name in names:
        layer = mesh.uv_layers.new(name=name, do_init=False)
        layer.data.foreach_set("uv", place)


def _projected(found: GridMesh) -> Floats:
    """Return the places (q, 4, 2) of the corners of faces across the axis that each is turned to most."""
    corners = found.points[found.quads]
    axis = np.argmax(np.abs(found.normals.sum(axis=1)), axis=1)
    across = np.array([[1, 2], [0, 2], [0, 1]])[axis]
    return np.take_along_axis(corners, across[:, None].repeat(4, axis=1), axis=2)
