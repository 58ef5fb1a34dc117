"""Small things to put into a scene."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector

from tests.blender_data import current_scene, current_view_layer

Location = Sequence[float] | Vector

CUBE = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
CUBE_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def linked(obj: bpy.types.Object, location: Location = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """Put an object into the scene's own collection, somewhere."""
    obj.location = location
    current_scene().collection.objects.link(obj)
    return obj


def cube(name: str = "Cube", location: Location = (0.0, 0.0, 0.0)) -> bpy.types.Object:
    """A cube of side 2."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(CUBE.tolist(), [], list(CUBE_FACES))
    return linked(bpy.data.objects.new(name, mesh), location)


def floor(name: str = "Floor", half: float = 10.0) -> bpy.types.Object:
    """A square in the plane z = 0."""
    mesh = bpy.data.meshes.new(name)
    corners = [(-half, -half, 0.0), (half, -half, 0.0), (half, half, 0.0), (-half, half, 0.0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    return linked(bpy.data.objects.new(name, mesh))


def open_box(name: str, half: tuple[float, float, float]) -> bpy.types.Object:
    """A box without a lid on the plane z = 0, of half sizes x and y inside, and a height z; walls of 0.2."""
    x, y, z = half
    wall = 0.2
    rings = [(x + wall, y + wall, 0.0), (x + wall, y + wall, z), (x, y, z), (x, y, 0.1)]
    corners = [(i * a, j * b, c) for a, b, c in rings for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sides = [
        (4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + (i + 1) % 4, 4 * k + 4 + i)
        for k in range(3)
        for i in range(4)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(3, 2, 1, 0), *sides, (12, 13, 14, 15)])
    return linked(bpy.data.objects.new(name, mesh))


def surface(
    name: str, kind: str, location: Location = (0.0, 0.0, 0.0), **parameters: object
) -> bpy.types.Object:
    """An object that stands for an exact surface, with no mesh of its own."""
    obj = linked(bpy.data.objects.new(name, bpy.data.meshes.new(name)), location)
    obj["surface"] = kind
    for key, value in parameters.items():
        obj[f"surface.{key}"] = value
    return obj


def activate(obj: bpy.types.Object | None) -> None:
    """Make an object the active one."""
    current_view_layer().objects.active = obj


def world_matrix(obj: bpy.types.Object) -> np.ndarray:
    """The evaluated world matrix (4, 4)."""
    current_view_layer().update()
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(evaluated.matrix_world, dtype=np.float64)
