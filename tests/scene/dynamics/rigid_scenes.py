"""Rigid bodies and their constraints, as an artist sets them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from physplace_addon.core.jobs import finished
from physplace_addon.scene.access import present
from physplace_addon.scene.dynamics.reading import DynamicScenario, read_dynamics
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene
from tests.scene import scenes


def body(obj: bpy.types.Object, kind: str = "ACTIVE", **settings: object) -> bpy.types.RigidBodyObject:
    """Give an object rigid body settings."""
    scenes.activate(obj)
    add: Any = bpy.ops.rigidbody.object_add
    assert add(type=kind) == {"FINISHED"}
    found = present(obj.rigid_body)
    for name, value in settings.items():
        setattr(found, name, value)
    return found


def constraint(
    kind: str, first: bpy.types.Object | None, second: bpy.types.Object | None, **settings: object
) -> bpy.types.Object:
    """Make an empty with a rigid body constraint."""
    holder = scenes.linked(bpy.data.objects.new("Joint", None))
    scenes.activate(holder)
    if current_scene().rigidbody_world is None:
        bpy.ops.rigidbody.world_add()
    add: Any = bpy.ops.rigidbody.constraint_add
    assert add(type=kind) == {"FINISHED"}
    made = present(holder.rigid_body_constraint)
    made.object1, made.object2, made.disable_collisions = first, second, False
    for name, value in settings.items():
        setattr(made, name, value)
    return holder


def select(*objects: bpy.types.Object) -> None:
    """Select objects and no others; the first one is the active one."""
    for obj in bpy.data.objects:
        obj.select_set(obj in objects)
    scenes.activate(objects[0])


def read(*objects: bpy.types.Object, frames: int = 10) -> DynamicScenario:
    """Read what a simulation of objects needs."""
    select(*objects)
    return finished(read_dynamics(bpy.context, frames))


def names(found: DynamicScenario) -> list[str]:
    """Return the names of all bodies: those that move, then those that stand."""
    return [body.name for body in (*found.bodies, *found.world)]


def key(obj: bpy.types.Object, frame: int, location: Sequence[float]) -> None:
    """Key an object's location on a frame; its motion is linear."""
    obj.location = location
    obj.keyframe_insert("location", frame=frame)
    make_linear(obj)


def make_linear(obj: bpy.types.Object) -> None:
    """Make an object move evenly from key to key."""
    for curve in curves_of(obj):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
