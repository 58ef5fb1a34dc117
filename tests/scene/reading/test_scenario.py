"""What is read: the active object with its children, and the world of everything else that is visible."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.scenario import Scenario, read
from physplace_addon.scene.reading.subjects.movers import selected_movers
from tests.blender_data import (
    current_scene,
    current_view_layer,
    geometry_nodes,
    load_object,
    mesh_of,
    of_type,
)
from tests.scene import scenes


def _read(active: bpy.types.Object) -> Scenario:
    scenes.activate(active)
    return read(bpy.context)


def _world_names(active: bpy.types.Object) -> list[str]:
    return sorted(body.name for body in _read(active).world)


def test_a_cube_is_read_in_its_own_frame_with_its_scale_in_its_shape() -> None:
    obj = scenes.cube(location=(1.0, 2.0, 3.0))
    obj.rotation_euler = (0.3, 0.2, 0.1)
    obj.scale = (1.0, 2.0, 0.5)
    subject = _read(obj).subject
    np.testing.assert_allclose(subject.body.points.max(axis=0), (1.0, 2.0, 0.5), atol=1e-12)
    assert subject.body.mass.volume == pytest.approx(8.0)
    np.testing.assert_allclose(subject.pose.translation, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(subject.world_matrix(subject.pose), scenes.world_matrix(obj), atol=1e-6)


def test_a_mirrored_cube_has_its_outside_outside() -> None:
    obj = scenes.cube()
    obj.scale = (-1.0, 1.0, 1.0)
    body = _read(obj).subject.body
    assert body.closed
    assert body.mass.volume == pytest.approx(8.0)


def test_children_move_with_their_parent_and_are_part_of_it() -> None:
    parent = scenes.cube("Parent", (5.0, 0.0, 0.0))
    child = scenes.cube("Child", (3.0, 0.0, 0.0))
    child.parent = parent
    grandchild = scenes.cube("Grandchild", (0.0, 0.0, 3.0))
    grandchild.parent = child
    scenes.floor()
    scenario = _read(parent)
    points = scenario.subject.body.points
    np.testing.assert_allclose(points.max(axis=0), (4.0, 1.0, 4.0), atol=1e-6)
    assert scenario.subject.body.mass.volume == pytest.approx(24.0)
    assert [body.name for body in scenario.world] == ["Floor"]


def hidden_by_its_collection(obj: bpy.types.Object) -> None:
    """Put an object into a collection of its own, whose eye is closed."""
    collection = bpy.data.collections.new("Closed")
    current_scene().collection.children.link(collection)
    collection.objects.link(obj)
    current_scene().collection.objects.unlink(obj)
    current_view_layer().layer_collection.children["Closed"].hide_viewport = True


def test_what_the_eye_of_a_collection_hides_is_not_in_the_world() -> None:
    floor, table, instancer = scenes.floor(), scenes.cube("Table"), bpy.data.objects.new("Instancer", None)
    source = bpy.data.collections.new("Source")
    source.objects.link(floor)
    instancer.instance_type, instancer.instance_collection = "COLLECTION", source
    scenes.linked(instancer)
    hidden_by_its_collection(table)
    assert _world_names(scenes.cube("Cube", (0.0, 0.0, 6.0))) == ["Floor", "Floor"]
    current_scene().collection.objects.unlink(instancer)
    current_view_layer().layer_collection.children["Closed"].collection.objects.link(instancer)
    assert _world_names(bpy.data.objects["Cube"]) == ["Floor"]


@pytest.mark.parametrize("how", ["eye", "monitor", "collection"])
def test_a_hidden_object_is_refused_as_hidden(how: str) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 6.0))
    scenes.activate(cube)
    if how == "collection":
        hidden_by_its_collection(cube)
    elif how == "eye":
        cube.hide_set(True)
    else:
        cube.hide_viewport = True
    with pytest.raises(SceneError, match='"Cube": it is hidden; show it'):
        read(bpy.context, [cube])


def test_an_empty_with_children_is_a_body() -> None:
    empty = scenes.linked(bpy.data.objects.new("Group", None))
    scenes.cube("Part").parent = empty
    assert _read(empty).subject.body.mass.volume == pytest.approx(8.0)


def test_the_world_is_what_is_visible_and_has_faces() -> None:
    active = scenes.cube("Active")
    scenes.floor()
    scenes.cube("Hidden").hide_set(True)
    scenes.cube("Off").hide_viewport = True
    scenes.cube("Ignored")["physplace_ignore"] = True
    scenes.cube("Unrendered").hide_render = True
    scenes.linked(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    scenes.linked(bpy.data.objects.new("Empty", None))
    scenes.linked(bpy.data.objects.new("No faces", bpy.data.meshes.new("No faces")))
    scenes.cube("Shrunk to nothing").scale = (0.0, 0.0, 0.0)
    assert _world_names(active) == ["Floor", "Unrendered"]


def test_modifiers_count() -> None:
    active = scenes.cube("Active")
    row = of_type(scenes.cube("Row").modifiers.new("Array", "ARRAY"), bpy.types.ArrayModifier)
    row.count, row.relative_offset_displace = 3, (1.5, 0.0, 0.0)
    (body,) = _read(active).world
    assert body.mass.volume == pytest.approx(24.0)


def test_text_bevelled_curves_and_metaballs_are_solid_once() -> None:
    active = scenes.cube("Active", (0.0, 0.0, 20.0))
    text = of_type(bpy.data.curves.new("Text", "FONT"), bpy.types.TextCurve)
    text.body, text.extrude = "I", 0.1
    scenes.linked(bpy.data.objects.new("Text", text))
    ring = bpy.data.curves.new("Ring", "CURVE")
    ring.dimensions, ring.bevel_depth = "3D", 0.1
    ring.splines.new("POLY").points.add(3)
    ring.splines[0].points.foreach_set("co", [0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1])
    scenes.linked(bpy.data.objects.new("Ring", ring))
    bare = ring.copy()
    bare.bevel_depth = 0.0
    scenes.linked(bpy.data.objects.new("Bare", bare))
    for i in range(2):
        ball = bpy.data.metaballs.new("Ball")
        ball.elements.new()
        scenes.linked(bpy.data.objects.new("Ball", ball), (float(i), 0.0, 5.0))
    assert _world_names(active) == ["Ball", "Ring", "Text"]


def test_instances_of_a_collection_are_the_world_and_its_source_is_not() -> None:
    active = scenes.cube("Active", (0.0, 0.0, 20.0))
    collection = bpy.data.collections.new("Set")
    part = scenes.cube("Part")
    current_scene().collection.objects.unlink(part)
    collection.objects.link(part)
    for x in (-3.0, 3.0):
        holder = scenes.linked(bpy.data.objects.new("Holder", None), (x, 0.0, 0.0))
        holder.instance_type, holder.instance_collection = "COLLECTION", collection
        holder.scale = (0.5, 0.5, 0.5)
    world = _read(active).world
    assert [body.name for body in world] == ["Part", "Part"]
    centers = sorted(float(body.mass.center[0]) for body in world)
    np.testing.assert_allclose(centers, [-3.0, 3.0], atol=1e-6)
    assert world[0].mass.volume == pytest.approx(1.0)


def test_an_instance_of_a_collection_can_be_placed() -> None:
    collection = bpy.data.collections.new("Set")
    part = scenes.cube("Part")
    current_scene().collection.objects.unlink(part)
    collection.objects.link(part)
    holder = scenes.linked(bpy.data.objects.new("Holder", None))
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    scenario = _read(holder)
    assert scenario.subject.body.mass.volume == pytest.approx(8.0)
    assert scenario.world == ()


def test_instances_made_by_geometry_nodes_are_read() -> None:
    active = scenes.cube("Active", (0.0, 0.0, 20.0))
    group = geometry_nodes("Cubes")
    source, target = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    spread = group.nodes.new("GeometryNodeInstanceOnPoints")
    shape = group.nodes.new("GeometryNodeMeshCube")
    group.links.new(source.outputs[0], spread.inputs["Points"])
    group.links.new(shape.outputs[0], spread.inputs["Instance"])
    group.links.new(spread.outputs[0], target.inputs[0])
    nodes = scenes.floor(half=3.0).modifiers.new("Nodes", "NODES")
    of_type(nodes, bpy.types.NodesModifier).node_group = group
    world = _read(active).world
    assert len(world) == 4
    assert sum(body.mass.volume for body in world) == pytest.approx(4.0)
    np.testing.assert_allclose(np.mean([body.mass.center for body in world], axis=0), 0.0, atol=1e-6)


def _saved_library(folder: Path) -> Path:
    scenes.cube("Part")
    path = folder / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.objects["Part"]})
    bpy.data.objects.remove(bpy.data.objects["Part"])
    return path


def test_a_linked_object_is_world_but_may_not_be_placed(tmp_path: Path) -> None:
    active = scenes.cube("Active", (0.0, 0.0, 5.0))
    part = load_object(_saved_library(tmp_path), "Part", link=True)
    current_scene().collection.objects.link(part)
    assert _world_names(active) == ["Part"]
    with pytest.raises(SceneError, match=r'"Part".*linked from.*library override'):
        _read(part)


def test_an_override_may_be_placed(tmp_path: Path) -> None:
    part = load_object(_saved_library(tmp_path), "Part", link=True)
    current_scene().collection.objects.link(part)
    override = of_type(part.override_create(), bpy.types.Object)
    current_scene().collection.objects.link(override)
    current_scene().collection.objects.unlink(part)
    assert _read(override).subject.body.mass.volume == pytest.approx(8.0)


def test_nothing_active_is_said() -> None:
    scenes.cube()
    scenes.activate(None)
    with pytest.raises(SceneError, match="no object is active"):
        read(bpy.context)


def test_an_object_without_faces_is_said() -> None:
    empty = scenes.linked(bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow")))
    with pytest.raises(SceneError, match=r'"Hollow".*no faces'):
        _read(empty)


def test_faces_at_no_place_are_left_out_and_said() -> None:
    torn = scenes.cube("Torn")
    mesh_of(torn).vertices[3].co = float("nan"), float("inf"), 0.0
    body = _read(torn).subject.body
    assert 6 <= len(body.triangles) <= 9
    assert "faces left out that have no place" in body.notes[0]
    assert body.radius == pytest.approx(np.sqrt(3.0))


def test_what_bounds_nothing_is_no_subject_and_left_out_of_the_world() -> None:
    mesh = bpy.data.meshes.new("Line")
    mesh.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)], [], [(0, 1, 2)])
    line = scenes.linked(bpy.data.objects.new("Line", mesh))
    nowhere = scenes.cube("Nowhere")
    mesh_of(nowhere).vertices.foreach_set("co", np.full(24, np.nan, dtype=np.float32))
    for broken, why in ((line, "no area"), (nowhere, "not finite")):
        with pytest.raises(SceneError, match=f'"{broken.name}".*{why}'):
            _read(broken)
    scenario = _read(scenes.cube("Whole", (0.0, 0.0, 5.0)))
    assert scenario.world == ()
    assert scenario.subject.body.notes[0] == "Line is left out: all its triangles have no area"
    assert scenario.subject.body.notes[1].startswith("Nowhere is left out")


def test_several_movers_are_subjects_and_only_the_rest_is_the_world() -> None:
    first, second = scenes.cube("First"), scenes.cube("Second", (5.0, 0.0, 0.0))
    child = scenes.cube("Child", (0.0, 0.0, 5.0))
    child.parent = second
    scenes.floor()
    scenario = read(bpy.context, [first, second])
    assert [subject.name for subject in scenario.subjects] == ["First", "Second"]
    assert [subject.body.mass.volume for subject in scenario.subjects] == pytest.approx([8.0, 16.0])
    assert [body.name for body in scenario.world] == ["Floor"]
    np.testing.assert_allclose(scenario.subjects[1].pose.translation, (5.0, 0.0, 0.0))


def test_the_movers_are_the_active_object_first_and_those_selected_with_it_without_their_children() -> None:
    parent, other, active = scenes.cube("Parent"), scenes.cube("Other"), scenes.cube("Active")
    child = scenes.cube("Child")
    child.parent = parent
    scenes.cube("Not selected")
    for obj in (parent, child, other):
        obj.select_set(True)
    scenes.activate(active)
    movers = [obj.name for obj in selected_movers(bpy.context)]
    assert movers[0] == "Active"
    assert sorted(movers) == ["Active", "Other", "Parent"]
    scenes.activate(child)
    assert {obj.name for obj in selected_movers(bpy.context)} == {"Other", "Parent"}


def test_the_bodies_of_the_world_know_the_objects_that_show_them() -> None:
    active = scenes.cube("Active")
    holder = scenes.linked(bpy.data.objects.new("Holder", None), (2.5, 0.0, 0.0))
    collection = bpy.data.collections.new("Set")
    part = scenes.cube("Part")
    current_scene().collection.objects.unlink(part)
    collection.objects.link(part)
    holder.instance_type, holder.instance_collection = "COLLECTION", collection
    scenes.floor()
    scenario = _read(active)
    (standing,) = scenario.bodies_of(frozenset({"Holder"}))
    np.testing.assert_allclose(standing.mass.center, (2.5, 0.0, 0.0), atol=1e-6)
