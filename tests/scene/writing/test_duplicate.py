"""Linked copies of an object and its children."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import pytest

from physplace_addon.scene.access import library_of, present
from physplace_addon.scene.writing.duplicate import duplicate, remove, select_only
from tests.blender_data import animation_of, current_scene, geometry_nodes, load_object, of_type
from tests.scene import scenes


def _family() -> tuple[bpy.types.Object, bpy.types.Object]:
    root, child = scenes.cube("Root", (1.0, 2.0, 3.0)), scenes.cube("Child", (0.0, 0.0, 2.0))
    child.parent = root
    child.matrix_parent_inverse[0][3] = 0.25
    return root, child


def _give(obj: bpy.types.Object, name: str, value: bpy.types.Object) -> None:
    """Set an input of the first modifier's nodes."""
    modifier: Any = obj.modifiers[0]
    if hasattr(modifier, "properties"):  # from Blender 5.2 on
        getattr(modifier.properties.inputs, name).value = value
    else:
        modifier[name] = value


def _given(obj: bpy.types.Object, name: str) -> bpy.types.Object:
    modifier: Any = obj.modifiers[0]
    if hasattr(modifier, "properties"):
        return of_type(getattr(modifier.properties.inputs, name).value, bpy.types.Object)
    return of_type(modifier[name], bpy.types.Object)


def test_a_copy_stands_where_the_object_does() -> None:
    root, child = _family()
    copy = duplicate(bpy.context, root)
    assert copy.data == root.data
    assert (scenes.world_matrix(copy) == scenes.world_matrix(root)).all()
    (part,) = copy.children
    assert part.data == child.data
    assert (scenes.world_matrix(part) == scenes.world_matrix(child)).all()
    assert root.children == (child,)


def test_inputs_of_nodes_drivers_and_custom_properties_refer_to_the_copies_own_family() -> None:
    root, child = _family()
    group = geometry_nodes("Group")
    socket: Any = present(group.interface).new_socket(
        "Object", in_out="INPUT", socket_type="NodeSocketObject"
    )
    of_type(child.modifiers.new("Nodes", "NODES"), bpy.types.NodesModifier).node_group = group
    _give(child, socket.identifier, root)
    variable = present(child.driver_add("scale", 0).driver).variables.new()
    variable.targets[0].id = root
    child["other"] = root
    root["physplace_center_of_mass"], root["note"] = child.name, child.name
    copy = duplicate(bpy.context, root)
    (part,) = copy.children
    assert _given(part, socket.identifier) == copy
    assert present(animation_of(part).drivers[0].driver).variables[0].targets[0].id == copy
    assert part["other"] == copy
    assert (copy["physplace_center_of_mass"], copy["note"]) == (part.name, child.name)
    assert _given(child, socket.identifier) == root
    assert variable.targets[0].id == root


def test_a_copy_can_be_taken_away_with_all_that_came_with_it() -> None:
    root, child = _family()
    root.keyframe_insert("scale", frame=1)
    child.keyframe_insert("scale", frame=1)
    before = set(bpy.data.objects), set(bpy.data.actions), set(bpy.data.meshes)
    remove(duplicate(bpy.context, root))
    assert (set(bpy.data.objects), set(bpy.data.actions), set(bpy.data.meshes)) == before


def test_only_the_copies_are_selected_and_the_last_is_active() -> None:
    root, _ = _family()
    root.select_set(True)
    copies = [duplicate(bpy.context, root) for _ in range(2)]
    select_only(bpy.context, copies)
    assert set(bpy.context.selected_objects) == set(copies)
    assert bpy.context.active_object == copies[-1]


def test_an_override_is_copied_as_one_that_can_be_moved(tmp_path: Path) -> None:
    scenes.cube("Part")
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.objects["Part"]})
    bpy.data.objects.remove(bpy.data.objects["Part"])
    override = of_type(load_object(path, "Part", link=True).override_create(), bpy.types.Object)
    current_scene().collection.objects.link(override)
    copy = duplicate(bpy.context, override)
    assert library_of(copy) is None
    copy.location.x = 3.0
    assert scenes.world_matrix(copy)[0, 3] == pytest.approx(3.0)


def test_a_copy_of_a_rigid_body_and_of_its_constraint_is_in_the_same_collections() -> None:
    cube, joint = scenes.cube(), scenes.linked(bpy.data.objects.new("Joint", None), (0.0, 0.0, 1.0))
    joint.parent = cube
    for obj, add in ((cube, bpy.ops.rigidbody.object_add), (joint, bpy.ops.rigidbody.constraint_add)):
        scenes.activate(obj)
        assert add() == {"FINISHED"}
    copy = duplicate(bpy.context, cube)
    for old, new in ((cube, copy), (joint, copy.children[0])):
        assert {each.name for each in new.users_collection} == {each.name for each in old.users_collection}
        assert len(new.users_collection) == 2
    assert copy.rigid_body is not None
