"""Armatures whose bones carry boxes, and objects joined by constraints, as an artist sets them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from physplace_addon.scene.access import present
from physplace_addon.scene.examples.armatures import BoneSketch, Point, armature, hang, limit
from physplace_addon.scene.writing.transform import rotation_property
from tests.blender_data import current_view_layer
from tests.scene import scenes

__all__ = ["BoneSketch", "Point", "armature", "hang", "limit"]


def chain(count: int = 3, length: float = 1.0) -> list[BoneSketch]:
    """Bones one on top of another along z."""
    names = [f"Bone {i}" for i in range(count)]
    return [
        BoneSketch(
            name,
            (0.0, 0.0, i * length),
            (0.0, 0.0, (i + 1) * length),
            names[i - 1] if i else "",
            roll=0.3 * i,
        )
        for i, name in enumerate(names)
    ]


def box(name: str, half: Point) -> bpy.types.Object:
    """A box about its origin, of half sizes."""
    obj = scenes.cube(name)
    mesh = obj.data
    assert isinstance(mesh, bpy.types.Mesh)
    for vertex in mesh.vertices:
        vertex.co = (np.array(vertex.co) * half).tolist()
    return obj


def carried_box(rig: bpy.types.Object, bone: str, half: Point | None = None) -> bpy.types.Object:
    """A box along a bone, from its head to its tail, parented to it."""
    rest = present(rig.pose).bones[bone].bone
    size = half or (0.12 * rest.length, 0.5 * rest.length, 0.12 * rest.length)
    obj = box(f"Box {bone}", size)
    obj.parent, obj.parent_type, obj.parent_bone = rig, "BONE", bone
    obj.location = (0.0, -0.5 * rest.length, 0.0)  # a child of a bone stands at its tail
    current_view_layer().update()
    return obj


def carried_boxes(rig: bpy.types.Object) -> list[bpy.types.Object]:
    """A box along each bone of an armature."""
    return [carried_box(rig, bone.name) for bone in present(rig.pose).bones]


def bone(rig: bpy.types.Object, name: str) -> bpy.types.PoseBone:
    """A bone of an armature."""
    return present(rig.pose).bones[name]


def set_rotation(posed: bpy.types.PoseBone, mode: str, values: Sequence[float] | np.ndarray) -> None:
    """Set a bone's rotation mode, and its rotation in it."""
    chosen: Any = mode
    posed.rotation_mode = chosen
    setattr(posed, rotation_property(mode), list(values))


def bone_matrix(rig: bpy.types.Object, name: str) -> np.ndarray:
    """The evaluated world matrix (4, 4) of a bone."""
    current_view_layer().update()
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    whole = np.array(evaluated.matrix_world, dtype=np.float64)
    return whole @ np.array(present(evaluated.pose).bones[name].matrix, dtype=np.float64)
