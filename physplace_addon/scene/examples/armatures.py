# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures of examples: bones by their ends, what they carry, and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Constraint, Object, PoseBone

from ..access import view_layer_of
from .solids import linked

Point = tuple[float, float, float]


@dataclass(frozen=True)
class BoneSketch:
    """A bone at rest: its ends in the armature, its parent, and whether it is connected to that."""

    name: str
    head: Point
    tail: Point
    parent: str = ""
    connected: bool = True
    roll: float = 0.0


def armature(bones: Sequence[BoneSketch], name: str = "Rig") -> Object:
    """Add an armature of some bones, in Object Mode, and return it."""
    data = bpy.data.armatures.new(name)
    obj = linked(bpy.data.objects.new(name, data))
    view_layer_of(bpy.context).objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for sketch in bones:
        bone = data.edit_bones.new(sketch.name)
        bone.head, bone.tail, bone.roll = sketch.head, sketch.tail, sketch.roll
        if sketch.parent:
            bone.parent = data.edit_bones[sketch.parent]
            bone.use_connect = sketch.connected
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def hang(rig: Object, bone: str, obj: Object) -> None:
    """Parent an object to a bone, where it is."""
    view_layer_of(bpy.context).update()
    place = obj.matrix_world.copy()
    obj.parent, obj.parent_type, obj.parent_bone = rig, "BONE", bone
    view_layer_of(bpy.context).update()
    obj.matrix_world = place
    view_layer_of(bpy.context).update()


def limit(posed: PoseBone, kind: str, **settings: object) -> Constraint:
    """Give a bone a constraint in its own space, and return it."""
    chosen: Any = kind
    made: Any = posed.constraints.new(chosen)
    made.owner_space = "LOCAL"
    for name, value in settings.items():
        setattr(made, name, value)
    found: Constraint = made
    return found
