"""What a simulation cannot take into account beside animation: it is refused, or named."""

from __future__ import annotations

from typing import Any

import bpy

from physplace_addon.core.jobs import finished
from physplace_addon.scene.dynamics.changing_shapes import changes_shape
from physplace_addon.scene.dynamics.reading import read_dynamics
from tests.addon.running import refused
from tests.blender_data import current_scene, mesh_of, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import constraint, key, select


def test_joined_to_what_is_animated_without_faces_it_is_refused() -> None:
    hook = scenes.linked(bpy.data.objects.new("Hook", None))
    key(hook, 1, (0.0, 0.0, 5.0))
    key(hook, 11, (0.0, 0.0, 15.0))
    cube = scenes.cube()
    constraint("FIXED", cube, hook)
    current_scene().frame_set(1)
    select(cube)
    refused(
        physplace.simulate, cube, '"Joint": .* joins "Hook", which is animated and has no faces', frames=9
    )


def test_what_is_keyed_and_does_not_count_is_named() -> None:
    cube, post = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Post", (5.0, 0.0, 5.0))
    child = scenes.cube("Child", (0.0, 0.0, 2.5))
    child.parent = cube
    key(child, 1, (0.0, 0.0, 2.5))
    key(child, 9, (0.0, 0.0, -9.0))
    joint = constraint("FIXED", cube, post)
    joint.keyframe_insert("rigid_body_constraint.enabled", frame=1)
    scenes.activate(post)
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    post.driver_add("rigid_body.friction")
    current_scene().keyframe_insert("gravity", frame=1)
    current_scene().frame_set(1)
    select(cube)
    left_out = finished(read_dynamics(bpy.context, 9)).left_out
    assert 'the motion by itself, as it moves with its parent, of "Child"' in left_out
    assert 'the keys of the rigid body settings of "Joint"' in left_out
    assert 'the drivers of the rigid body settings of "Post"' in left_out
    assert f'the keys of gravity or the rigid body world of "{current_scene().name}"' in left_out


def test_what_changes_its_shape_in_time_is_named() -> None:
    names = ["Keyed", "Led", "Waving", "Idle", "Flow", "Unkeyed", "Still"]
    cubes = {name: scenes.cube(name, (9.0 * i, 9.0, 0.0)) for i, name in enumerate(names)}
    for name in ("Keyed", "Unkeyed"):
        cubes[name].shape_key_add()
        block = cubes[name].shape_key_add()
        block.keyframe_insert("value", frame=1)
    block.keyframe_delete("value", frame=1)
    hook = scenes.linked(bpy.data.objects.new("Hook", None))
    key(hook, 1, (0.0, 0.0, 5.0))
    array: Any = cubes["Led"].modifiers.new("Array", "ARRAY")
    array.offset_object = hook
    cubes["Waving"].modifiers.new("Wave", "WAVE")
    cubes["Idle"].modifiers.new("Wave", "WAVE").show_viewport = False
    flow: Any = cubes["Flow"].modifiers.new("Fluid", "FLUID")
    flow.fluid_type = "FLOW"
    current_scene().frame_set(1)
    select(scenes.cube("Cube", (0.0, 0.0, 5.0)))
    left_out = finished(read_dynamics(bpy.context, 3)).left_out
    (named,) = [each for each in left_out if each.startswith("the changing shape")]
    assert [name for name in names if f'"{name}"' in named] == ["Keyed", "Led", "Waving"]


def test_nodes_that_follow_what_is_animated_or_time_change_a_shape() -> None:
    names = ["Led", "Inside", "Gathered", "Timed", "Idle", "Plain"]
    cubes = {name: scenes.cube(name, (9.0 * i, 9.0, 0.0)) for i, name in enumerate(names)}
    hook = scenes.linked(bpy.data.objects.new("Hook", None))
    key(hook, 1, (0.0, 0.0, 5.0))
    key(hook, 11, (0.0, 0.0, 15.0))
    hooks = bpy.data.collections.new("Hooks")
    hooks.objects.link(hook)
    _set_input(_nodes(cubes["Led"], "NodeSocketObject"), hook)
    _object_info(_nodes(cubes["Inside"])).inputs[0].default_value = hook
    _set_input(_nodes(cubes["Gathered"], "NodeSocketCollection"), hooks)
    _nodes(cubes["Timed"]).node_group.nodes.new("GeometryNodeInputSceneTime")
    _object_info(_nodes(cubes["Idle"])).inputs[0].default_value = cubes["Plain"]
    found = [name for name in names if changes_shape(cubes[name])]
    assert found == ["Led", "Inside", "Gathered", "Timed"]


def _nodes(obj: bpy.types.Object, *inputs: str) -> Any:
    """A modifier of geometry nodes that passes its geometry on, with further inputs of some types."""
    group: Any = _tree(obj.name)
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    for kind in inputs:
        group.interface.new_socket("Further", in_out="INPUT", socket_type=kind)
    begin, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    group.links.new(begin.outputs[0], end.inputs[0])
    modifier: Any = obj.modifiers.new("Nodes", "NODES")
    modifier.node_group = group
    return modifier


def _tree(name: str) -> Any:
    trees: Any = bpy.data.node_groups  # the stub knows no kind of tree
    return trees.new(name, "GeometryNodeTree")


def _set_input(modifier: Any, value: object) -> None:
    name = modifier.node_group.interface.items_tree[-1].identifier
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, name).value = value
    else:
        modifier[name] = value


def _object_info(modifier: Any) -> Any:
    """A node that names an object, in a group within the modifier's own."""
    inner: Any = _tree("Inner")
    modifier.node_group.nodes.new("GeometryNodeGroup").node_tree = inner
    return inner.nodes.new("GeometryNodeObjectInfo")


def test_faces_that_are_nowhere_are_named() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    mesh_of(cube).vertices[0].co.x = float("nan")
    select(cube)
    left_out = finished(read_dynamics(bpy.context, 3)).left_out
    assert left_out == ('the faces with vertices that are not finite numbers of "Cube"',)


def test_a_simulation_that_begins_between_two_frames_is_refused() -> None:
    cube = scenes.cube()
    select(cube)
    current_scene().frame_set(3, subframe=0.5)
    refused(physplace.simulate, cube, "the present frame is 3.5, between two frames", frames=5)
