"""Objects and worlds as real files have them: each object is tilted and hangs above a place of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

import bpy
from mathutils import Matrix, Vector

from physplace_addon.scene.access import present
from tests.blender_data import (
    constrain,
    current_scene,
    current_view_layer,
    drive,
    geometry_nodes,
    load_object,
    of_type,
)
from tests.scene import scenes

MODES = ("XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE")
SCALES = ((1.0, 1.0, 1.0), (1.5, 0.5, 0.8), (-1.0, 1.0, 1.0), (-0.7, -0.5, -0.9))
TURN = (0.3, 0.25, 0.7)
HEIGHT = 2.0
APART = 4.5


def hanging(name: str, number: int, mode: str = "XYZ") -> bpy.types.Object:
    """A tilted cube, selected, above the place of this number, with this rotation mode."""
    cube = scenes.cube(name, place(number, HEIGHT))
    return _tilted(cube, mode)


def place(number: int, height: float = 0.0) -> tuple[float, float, float]:
    """A place of one's own."""
    return (APART * (number % 4), APART * (number // 4), height)


def turned_and_scaled_in_many_ways() -> list[str]:
    """Cubes with different rotation modes, at scales that are uneven and negative; a floor below."""
    scenes.floor(half=40.0)
    cubes = [hanging(f"Cube {mode}", number, mode) for number, mode in enumerate(MODES)]
    for cube, scale in zip(cubes, SCALES, strict=True):
        cube.scale = scale
    return [cube.name for cube in cubes]


def held_by_all_that_may_hold() -> list[str]:
    """Objects under a parent, a constraint, deltas, drivers, an override, and an instance; a floor below."""
    scenes.floor(half=40.0)
    rig = scenes.linked(bpy.data.objects.new("Rig", None), (0.4, 0.0, 1.0))
    rig.rotation_euler, rig.scale = (0.2, 0.5, 0.1), (1.2, 1.2, 1.2)
    child = hanging("Child", 0, "QUATERNION")
    current_view_layer().update()
    child.parent, child.matrix_parent_inverse = rig, rig.matrix_world.inverted()
    rig.location.x += 0.3
    tied = hanging("Tied", 1, "AXIS_ANGLE")
    constrain(tied, "CHILD_OF", rig)
    shifted = hanging("Shifted", 2, "ZYX")
    shifted.delta_location, shifted.delta_scale = (0.1, 0.2, -0.3), (1.0, 0.8, -1.0)
    shifted.delta_rotation_euler = (0.3, 0.0, 0.2)
    driven = hanging("Driven in its scale", 3, "YXZ")
    drive(driven, "scale", "0.6", 2)
    names = [child.name, tied.name, shifted.name, driven.name]
    return [*names, _instance(4).name, _override(5).name]


def above_all_that_is_a_world() -> list[str]:
    """Cubes above a collection's instance, a linked object, a deformed and a modified mesh, and instances of
    geometry nodes. What they stand on is as high as its number and a half, so that none is mistaken.
    """
    holder = _instance(0, name="Holder", selected=False)
    holder.location, holder.rotation_euler, holder.scale = place(0, 0.25), (0.0, 0.0, 0.4), (1.5, 1.5, 0.25)
    _linked_cube(1, 0.5)
    _bent_upwards(2)
    thick = scenes.floor("Thick", half=1.5)
    thick.location = place(3)
    solid = of_type(thick.modifiers.new("Solidify", "SOLIDIFY"), bpy.types.SolidifyModifier)
    solid.thickness, solid.offset = 3.5, 1.0
    _scattered(4)
    cubes = [hanging(f"Cube above {number}", number) for number in range(5)]
    for number, cube in enumerate(cubes):
        cube.location.z += number + 0.5
    return [cube.name for cube in cubes]


def refused_with_a_reason() -> dict[str, tuple[str, ...]]:
    """Objects whose transform is not theirs to write, and the words that the refusal must have."""
    scenes.floor(half=40.0)
    target = scenes.linked(bpy.data.objects.new("Target", None), (30.0, 0.0, 4.0))
    for number, kind in enumerate(("COPY_LOCATION", "COPY_TRANSFORMS", "DAMPED_TRACK")):
        constrain(hanging(kind, number), kind, target)
        bpy.data.objects[kind].constraints[0].name = f"Held {number}"
    drive(hanging("Driven", 3), "location", "12", 0)
    stretched = scenes.linked(bpy.data.objects.new("Stretched", None))
    stretched.scale = (1.0, 1.0, 2.0)
    hanging("Sheared", 4).parent = stretched
    hanging("Flat", 5).scale.z = 0.0
    linked = _linked_cube(6)
    return {
        "COPY_LOCATION": ('its constraint "Held 0"', "mute that constraint"),
        "COPY_TRANSFORMS": ('its constraint "Held 1"', "mute that constraint"),
        "DAMPED_TRACK": ('its constraint "Held 2"', "mute that constraint"),
        "Driven": ("a driver owns its location", "remove the driver"),
        "Sheared": ('"Stretched" stretches it', "Apply > Scale"),
        "Flat": ("its scale is zero", "on every axis"),
        linked.name: ("linked from", "library override"),
    }


def _tilted(obj: bpy.types.Object, mode: str = "XYZ") -> bpy.types.Object:
    cast("Any", obj).rotation_mode = mode
    where, scale = obj.location.copy(), obj.scale.copy()
    turn = (
        Matrix.Rotation(TURN[2], 4, "Z") @ Matrix.Rotation(TURN[1], 4, "Y") @ Matrix.Rotation(TURN[0], 4, "X")
    )
    obj.matrix_world = Matrix.LocRotScale(where, turn.to_quaternion(), scale)
    obj.select_set(True)
    return obj


def _instance(number: int, name: str = "Instance", *, selected: bool = True) -> bpy.types.Object:
    collection = bpy.data.collections.new("Set")
    part = scenes.cube("Part")
    current_scene().collection.objects.unlink(part)
    collection.objects.link(part)
    holder = scenes.linked(bpy.data.objects.new(name, None), place(number, HEIGHT))
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    return _tilted(holder) if selected else holder


def _linked_cube(number: int, height: float = HEIGHT) -> bpy.types.Object:
    """A wide cube that another file has."""
    source = scenes.cube("Linked", place(number, height))
    source.scale = (1.7, 1.7, 1.0)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.blend"
        bpy.data.libraries.write(str(library), {source})
        bpy.data.objects.remove(source)
        found = load_object(library, "Linked", link=True)
    current_scene().collection.objects.link(found)
    return found


def _override(number: int) -> bpy.types.Object:
    linked = _linked_cube(number)
    own = linked.override_create(remap_local_usages=True)
    present(own.override_library).is_system_override = False
    own.name = "Overridden"
    return _tilted(own)


def _bent_upwards(number: int) -> None:
    """A square that an armature's bone, posed, carries up to 2.5."""
    bones = bpy.data.armatures.new("Bones")
    rig = scenes.linked(bpy.data.objects.new("Armature", bones), place(number))
    current_view_layer().objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = bones.edit_bones.new("Bone")
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    present(rig.pose).bones["Bone"].location = Vector((0.0, 2.5, 0.0))  # a bone's own y is along it
    skin = scenes.floor("Skin", half=1.5)
    skin.location = place(number)
    skin.vertex_groups.new(name="Bone").add(range(4), 1.0, "REPLACE")
    of_type(skin.modifiers.new("Armature", "ARMATURE"), bpy.types.ArmatureModifier).object = rig


def _scattered(number: int) -> None:
    """Cubes of side 3 that geometry nodes put on the one point of a mesh, up to 4.5."""
    group = geometry_nodes("Cubes")
    source, target = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    spread, shape = group.nodes.new("GeometryNodeInstanceOnPoints"), group.nodes.new("GeometryNodeMeshCube")
    of_type(shape.inputs["Size"], bpy.types.NodeSocketVectorTranslation).default_value = (3.0, 3.0, 3.0)
    group.links.new(source.outputs[0], spread.inputs["Points"])
    group.links.new(shape.outputs[0], spread.inputs["Instance"])
    group.links.new(spread.outputs[0], target.inputs[0])
    mesh = bpy.data.meshes.new("Point")
    mesh.from_pydata([(0.0, 0.0, 3.0)], [], [])
    point = scenes.linked(bpy.data.objects.new("Scattered", mesh), place(number))
    of_type(point.modifiers.new("Nodes", "NODES"), bpy.types.NodesModifier).node_group = group
