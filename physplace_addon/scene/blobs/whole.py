# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob as one thing: all objects that belong to it, to be deleted or duplicated together.

To it belong its elements, also those of blobs that are its parts, its control points, the other ends of its
cylinders, and the meshes and particles made of it. Other children of it do not: a lamp that was parented to a
blob stays in the scene, where it is, when the blob is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import bpy
from bpy.types import Collection, Context, Mesh, Object
from mathutils import Matrix

from ..access import custom_properties, present, takes_objects, view_layer_of
from ..reading.visible import IGNORE
from .objects import ELEMENT, END, MESH, OTHER_END, family_of, is_blob, other_ends


def objects_of(blob: Object) -> list[Object]:
    """Return all objects that belong to a blob, itself first."""
    family = list(family_of(blob))
    ends = [end for end in other_ends(blob) if custom_properties(end).get(ELEMENT) == OTHER_END]
    made = [child for owner in family if is_blob(owner) for child in owner.children if _is_made(child)]
    parts = [child for each in made for child in each.children_recursive if _is_made(child)]
    return list(dict.fromkeys([*family, *ends, *made, *parts]))


def _is_made(obj: Object) -> bool:
    """Return whether an object was made of a blob: a mesh of it, or its particles."""
    return any(custom_properties(obj).get(key) for key in (MESH, IGNORE))


def delete(context: Context, blob: Object) -> int:
    """Delete a blob with all that belongs to it, and its collections that are empty then.

    Returns the number of objects that were deleted.
    """
    objects = objects_of(blob)
    remove(objects)
    view_layer_of(context).update()
    return len(objects)


def remove(objects: Iterable[Object]) -> None:
    """Delete objects with their meshes, and the collections that are empty then.

    Their other children stay where they are in the world.
    """
    going = list(objects)
    homes = {home for obj in going for home in obj.users_collection}
    meshes = {obj.data for obj in going if isinstance(obj.data, Mesh)}
    for child in {child for obj in going for child in obj.children}.difference(going):
        place: Matrix = child.matrix_world.copy()
        child.parent = None
        child.matrix_world = place
    bpy.data.batch_remove(going)
    bpy.data.batch_remove([mesh for mesh in meshes if mesh.users == 0])
    empty = {home for home in homes if _is_empty(home)}
    bpy.data.batch_remove([home for home in empty if empty.issuperset(home.children_recursive)])


def _is_empty(home: Collection) -> bool:
    """Return whether a collection, which is no scene's own, has no objects, nor any collection in it."""
    is_own = any(scene.collection == home for scene in bpy.data.scenes)
    return not is_own and takes_objects(home) and not len(home.all_objects)


def duplicate(context: Context, blob: Object, home: Collection) -> Object:
    """Return a copy of a blob with all that belongs to it, in a new collection within another one."""
    originals = objects_of(blob)
    own = bpy.data.collections.new(blob.name)
    home.children.link(own)
    copies: dict[Object, Object] = {}
    for obj in originals:
        copies[obj] = made = obj.copy()
        if obj.data is not None and isinstance(made.data, Mesh):
            made.data = obj.data.copy()
        own.objects.link(made)
    for obj, made in copies.items():
        _point_to(made, copies)
        if obj.parent in copies:
            made.parent = copies[obj.parent]
            made.matrix_parent_inverse = obj.matrix_parent_inverse.copy()
    view_layer_of(context).update()
    return copies[blob]


def _point_to(made: Object, copies: Mapping[Object, Object]) -> None:
    """Have a copy refer to copies wherever it refers to what was copied with it."""
    end = custom_properties(made).get(END)
    known: Any = bpy.data.objects.get(end) if isinstance(end, str) else end
    if known in copies:
        made[END] = copies[known]
    for struct in (*made.constraints, *made.modifiers):
        pointers = (each.identifier for each in struct.bl_rna.properties if each.type == "POINTER")
        for name in pointers:
            value = getattr(struct, name)
            if isinstance(value, Object) and value in copies:
                setattr(struct, name, copies[value])
    data = made.animation_data
    for curve in data.drivers if data is not None else ():
        for variable in present(curve.driver).variables:
            for target in variable.targets:
                if isinstance(target.id, Object) and target.id in copies:
                    target.id = copies[target.id]
