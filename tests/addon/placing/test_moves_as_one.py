"""What is placed is one rigid body: what does not move along, or changes as it moves, is refused by name."""

from __future__ import annotations

from typing import Any, cast

import bpy
import pytest

from physplace_addon.core.placement import Placement
from physplace_addon.scene.reading.scenario import read
from physplace_addon.scene.writing.preview import Preview
from tests.addon import mixed_objects
from tests.addon.running import place, refused
from tests.blender_data import constrain, current_scene, geometry_nodes, physplace
from tests.scene import scenes


def _cube_with_a_child() -> tuple[bpy.types.Object, bpy.types.Object]:
    scenes.floor()
    cube, child = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Child", (2.0, 0.0, 0.5))
    child.parent = cube
    scenes.world_matrix(child)
    return cube, child


def test_a_child_that_a_constraint_holds_is_named() -> None:
    cube, child = _cube_with_a_child()
    there = scenes.linked(bpy.data.objects.new("There", None), (2.0, 0.0, 5.5))
    constrain(child, "COPY_LOCATION", there)
    refused(physplace.place, cube, '"Child": it does not move along with "Cube"')
    refused(physplace.drop_selected, cube, '"Child": it does not move along with "Cube"')
    child.constraints[0].mute = True
    assert place(cube)["status"] == "BALANCED"


@pytest.mark.parametrize(
    "operator", ["place", "drop_selected", "replicate", "extricate", "push", "nudge", "connect"]
)
def test_it_is_refused_before_anything_is_solved(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cube, child = _cube_with_a_child()
    constrain(child, "COPY_LOCATION", scenes.linked(bpy.data.objects.new("There", None), (2.0, 0.0, 5.5)))
    steps: list[Placement] = []
    monkeypatch.setattr(Placement, "step", steps.append)
    refused(getattr(physplace, operator), cube, '"Child": it does not move along with "Cube"')
    assert steps == []


def test_a_child_that_a_driver_moves_is_named() -> None:
    cube, child = _cube_with_a_child()
    driver = cast("Any", child.driver_add("location", 0)).driver
    variable = driver.variables.new()
    variable.name, variable.type, driver.expression = "height", "TRANSFORMS", "height"
    variable.targets[0].id, variable.targets[0].transform_type = cube, "LOC_Z"
    refused(physplace.place, cube, '"Child": it does not move along with "Cube"')


def test_a_child_that_follows_another_child_moves_along() -> None:
    cube, child = _cube_with_a_child()
    other = scenes.cube("Other", (-2.0, 0.0, 0.5))
    other.parent = cube
    constrain(child, "TRACK_TO", other)
    refused(physplace.place, cube, '"Child": it does not move along')  # its up axis is the world's
    child.constraints[0].mute = True
    constrain(child, "COPY_LOCATION", other)
    assert place(cube)["status"] == "BALANCED"


def test_a_shape_that_depends_on_where_it_stands_is_refused() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 5.0))
    texture = bpy.data.textures.new("Waves", "BLEND")
    modifier: Any = cube.modifiers.new("Displace", "DISPLACE")
    modifier.texture, modifier.texture_coords = texture, "GLOBAL"
    refused(physplace.place, cube, '"Cube": its shape depends on where it stands')
    modifier.texture_coords = "LOCAL"
    assert place(cube)["status"] == "BALANCED"


@pytest.mark.parametrize("space", ["RELATIVE", "ORIGINAL"])
def test_geometry_nodes_may_take_the_shape_of_another_object_but_not_its_place(space: str) -> None:
    scenes.floor()
    cube, source = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Source", (4.0, 0.0, 6.0))
    source.hide_set(True)
    tree = geometry_nodes("Tree")
    info: Any = tree.nodes.new("GeometryNodeObjectInfo")
    info.transform_space, info.inputs["Object"].default_value = space, source
    tree.links.new(info.outputs["Geometry"], tree.nodes.new("NodeGroupOutput").inputs[0])
    cast("Any", cube.modifiers.new("Nodes", "NODES")).node_group = tree
    if space == "RELATIVE":
        refused(physplace.place, cube, '"Cube": its shape depends on where it stands')
    else:
        assert place(cube)["status"] == "BALANCED"


def test_what_a_collection_cuts_out_of_it_has_to_move_along() -> None:
    scenes.floor()
    cube, cutter = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Cutter", (0.9, 0.0, 5.0))
    cutter.hide_set(True)
    cutters = bpy.data.collections.new("Cutters")
    current_scene().collection.children.link(cutters)
    cutters.objects.link(cutter)
    modifier: Any = cube.modifiers.new("Cut", "BOOLEAN")
    modifier.operand_type, modifier.collection = "COLLECTION", cutters
    refused(physplace.place, cube, 'its modifier "Cut" depends on "Cutter"')
    modifier.operand_type = "OBJECT"
    assert place(cube)["status"] == "BALANCED"


def test_an_array_may_have_the_shape_of_another_object_at_its_ends() -> None:
    scenes.floor()
    cube, cap = scenes.cube("Cube", (0.0, 0.0, 5.0)), scenes.cube("Cap", (9.0, 0.0, 1.0))
    modifier: Any = cube.modifiers.new("Row", "ARRAY")
    modifier.start_cap, modifier.offset_object = cap, cap
    assert place(cube)["status"] == "BALANCED"
    modifier.use_object_offset = True
    refused(physplace.place, cube, 'its modifier "Row" depends on "Cap"')


def test_a_rest_of_what_changes_as_it_moves_is_not_keyed() -> None:
    cube, child = _cube_with_a_child()
    there = scenes.linked(bpy.data.objects.new("There", None), (2.0, 0.0, 5.5))
    constrain(child, "COPY_LOCATION", there)
    refused(physplace.keyframe_rest, cube, '"Child": it does not move along with "Cube"')
    child.constraints[0].mute = True
    scenes.activate(cube)
    physplace.keyframe_rest()
    child.constraints[0].mute = False
    refused(physplace.rests_replace, cube, '"Child": it does not move along with "Cube"')


def test_metaballs_that_are_tessellated_in_another_order_are_the_same() -> None:
    scenes.floor()
    balls = mixed_objects.blob()
    balls.location.z, balls.rotation_euler.y = 9.0, 0.2
    scenes.activate(balls)
    for _ in range(5):
        balls.location.x += 0.37
        Preview(read(bpy.context, [balls]).subjects).check_writable(bpy.context)


@pytest.mark.parametrize("kind", ["hair_curves", "pointclouds"])
def test_what_geometry_nodes_make_is_placed_whatever_the_type_of_its_object(kind: str) -> None:
    scenes.floor()
    data = getattr(bpy.data, kind).new("Data")
    thing = scenes.linked(bpy.data.objects.new("Thing", data), (0.0, 0.0, 4.0))
    refused(physplace.place, thing, "has no faces")
    tree = geometry_nodes("Tree")
    cube: Any = tree.nodes.new("GeometryNodeMeshCube")
    tree.links.new(cube.outputs["Mesh"], tree.nodes.new("NodeGroupOutput").inputs[0])
    cast("Any", thing.modifiers.new("Nodes", "NODES")).node_group = tree
    assert place(thing)["status"] == "BALANCED"
    assert scenes.world_matrix(thing)[2, 3] == pytest.approx(0.5, abs=1e-5)
