# SPDX-License-Identifier: GPL-3.0-or-later
"""What examples are made of: boxes, turned solids, prisms and exact surfaces, in the present scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import bpy
import numpy as np
from bpy.types import Mesh, Object

from ..access import scene_of

Point = Sequence[float]
Colour = tuple[float, float, float]

OAK: Final[Colour] = (0.42, 0.36, 0.30)
GLAZE: Final[Colour] = (0.16, 0.36, 0.52)
STEEL: Final[Colour] = (0.78, 0.76, 0.72)
CLAY: Final[Colour] = (0.75, 0.40, 0.24)
LINEN: Final[Colour] = (0.25, 0.42, 0.33)
RED: Final[Colour] = (0.55, 0.24, 0.22)


def linked(obj: Object, location: Point = (0.0, 0.0, 0.0)) -> Object:
    """Put an object into the scene's own collection, at a place, and return it."""
    obj.location = location
    scene_of(bpy.context).collection.objects.link(obj)
    return obj


def mesh_object(name: str, corners: Sequence[Point], faces: Sequence[Sequence[int]]) -> Object:
    """Add a mesh of corners (n, 3) and faces, and return it."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [tuple(face) for face in faces])
    return linked(bpy.data.objects.new(name, mesh))


def box(name: str, half: Point) -> Object:
    """Add a box about its origin, of half sizes (3,), and return it."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return mesh_object(name, (signs * half).tolist(), faces)


def prism(name: str, outline: Sequence[tuple[float, float]], half: float) -> Object:
    """Add what an outline in x and z, counter-clockwise as seen along +y, sweeps along y, and return it."""
    corners = [(x, y, z) for y in (-half, half) for x, z in outline]
    size = len(outline)
    sides = [(i, (i + 1) % size, size + (i + 1) % size, size + i) for i in range(size)]
    return mesh_object(name, corners, [range(size)[::-1], *sides, range(size, 2 * size)])


def turned(name: str, profile: Sequence[tuple[float, float]], sides: int = 16) -> Object:
    """Add a polyhedron turned about z, and return it.

    Args:
        name: the name of the object.
        profile: radius and height of each ring, from the middle of the outside's base, over the outside, to
            the middle of the inside's base; the first and the last ring are closed by a flat face each.
        sides: the number of sides.
    """
    angles = np.arange(sides) * 2.0 * np.pi / sides
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    corners = [(*(radius * at), height) for radius, height in profile for at in circle]
    walls = [
        (sides * k + i, sides * k + (i + 1) % sides, sides * (k + 1) + (i + 1) % sides, sides * (k + 1) + i)
        for k in range(len(profile) - 1)
        for i in range(sides)
    ]
    last = len(corners) - sides
    return mesh_object(name, corners, [range(sides)[::-1], *walls, range(last, last + sides)])


def surface(name: str, kind: str, **parameters: str | float) -> Object:
    """Add an object of an exact surface, whose mesh is still empty, and return it."""
    obj = linked(bpy.data.objects.new(name, bpy.data.meshes.new(name)))
    obj["surface"] = kind
    for key, value in parameters.items():
        obj[f"surface.{key}"] = value
    return obj


def paint(obj: Object, colour: Colour) -> None:
    """Give an object and its children a material of one colour, in the viewport and in renders."""
    coat = bpy.data.materials.new(obj.name)
    coat.diffuse_color = (*colour, 1.0)
    coat.roughness = 0.5
    for part in (obj, *obj.children_recursive):
        if isinstance(part.data, Mesh):
            part.data.materials.clear()
            part.data.materials.append(coat)
        part.color = (*colour, 1.0)
