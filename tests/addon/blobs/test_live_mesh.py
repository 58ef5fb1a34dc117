"""A blob's live mesh follows its elements and the frame, and keeps what an artist gave it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.operators.blobs.live import LiveStatus, live
from physplace_addon.scene.access import custom_properties, present
from physplace_addon.scene.blobs.models import read_blob
from physplace_addon.scene.blobs.objects import surface_of
from tests.addon.blobs.two_balls import two_balls
from tests.blender_data import current_scene, current_view_layer, mesh_of, physplace
from tests.scene import scenes


def places(obj: bpy.types.Object) -> np.ndarray:
    """The vertices of a blob's mesh after an update of the scene, in its own coordinates."""
    current_view_layer().update()
    return vertices(obj)


def vertices(obj: bpy.types.Object) -> np.ndarray:
    """The vertices of a blob's mesh as they are."""
    mesh = mesh_of(obj)
    found = np.zeros(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", found)
    return found.reshape(-1, 3).astype(np.float64)


def off(blob: bpy.types.Object) -> float:
    """How far the mesh's vertices are from the surface at most, in the blob's units."""
    found = places(blob)
    assert len(found) > 100
    value, slope = read_blob(blob).function.gradient(found)
    return float(np.max(np.abs(value) / np.linalg.norm(slope, axis=1)))


def test_a_new_blob_has_a_mesh_of_its_surface(blob: bpy.types.Object) -> None:
    assert blob.type == "MESH"
    assert off(blob) < 1e-5
    assert live.status(blob) is LiveStatus.CURRENT
    evaluated = blob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert evaluated.dimensions.x == pytest.approx(4.04, abs=0.1)


def test_the_mesh_follows_a_moved_element_a_number_and_a_deleted_element(blob: bpy.types.Object) -> None:
    bpy.data.objects["Sphere"].location.z = 0.6
    assert off(blob) < 1e-5
    blob["blob.bias"] = 0.5
    blob.update_tag()
    assert off(blob) < 1e-5
    bpy.data.objects.remove(bpy.data.objects["Sphere"])
    assert off(blob) < 1e-5
    assert places(blob)[:, 0].min() > -0.5


def test_smaller_particles_make_a_finer_mesh(blob: bpy.types.Object) -> None:
    counts = []
    for sigma in (0.2, 0.1, 0.05, 0.2):
        blob["blob.sigma"] = sigma
        blob.update_tag()
        counts.append(len(places(blob)))
    assert counts[1] > 3 * counts[0]
    assert counts[2] > 3 * counts[1]
    assert counts[3] == counts[0]


def test_the_mesh_follows_keys_from_frame_to_frame(blob: bpy.types.Object) -> None:
    ball = bpy.data.objects["Sphere.001"]
    for name in ("Control", "Control.001"):
        bpy.data.objects.remove(bpy.data.objects[name])
    for frame, x in ((1, 1.0), (10, 2.0)):
        ball.location.x = x
        ball.keyframe_insert("location", frame=frame)
    for frame in (1, 10, 5):
        current_scene().frame_set(frame)
        assert off(blob) < 1e-5
        assert places(blob)[:, 0].max() == pytest.approx(ball.location.x + 1.0, abs=0.05)


def test_materials_and_uv_maps_stay(blob: bpy.types.Object) -> None:
    mesh = mesh_of(blob)
    for name in ("Left", "Right"):
        mesh.materials.append(bpy.data.materials.new(name))
    current_view_layer().update()
    mesh.uv_layers[0].name = "Mine"
    mesh.uv_layers.new(name="Other")
    for face in mesh.polygons:
        face.material_index = int(face.center.x > 0.0)
    bpy.data.objects["Sphere"].location.z = 0.2
    current_view_layer().update()
    assert [layer.name for layer in mesh.uv_layers] == ["Mine", "Other"]
    assert [each.name for each in mesh.materials if each is not None] == ["Left", "Right"]
    sides = np.array([(face.center.x, face.material_index) for face in mesh.polygons])
    clear = np.abs(sides[:, 0]) > 0.3
    assert ((sides[:, 0] > 0.0) == (sides[:, 1] > 0.5))[clear].all()
    assert all(face.use_smooth for face in mesh.polygons)
    uv = np.array([np.array(each.uv) for each in mesh.uv_layers["Mine"].data])
    assert np.ptp(uv, axis=0).min() > 1.0


def test_a_modifier_works_on_the_live_mesh(blob: bpy.types.Object) -> None:
    modifier = cast("Any", blob.modifiers.new("Thick", "DISPLACE"))
    modifier.strength, modifier.mid_level = 0.5, 0.0
    for x in (-1.0, -2.0):
        bpy.data.objects["Sphere"].location.x = x
        current_view_layer().update()
        evaluated = blob.evaluated_get(bpy.context.evaluated_depsgraph_get())
        shown = [vertex.co.x for vertex in cast("bpy.types.Mesh", evaluated.data).vertices]
        assert min(shown) == pytest.approx(x - 1.5, abs=0.1)


def test_a_blob_without_elements_and_one_that_is_a_part_show_nothing(blob: bpy.types.Object) -> None:
    physplace.blob_add(new=True, location=(0.0, 0.0, 3.0))
    other = bpy.data.objects["Blob.001"]
    assert len(places(other))
    other.parent = blob
    assert not len(places(other)), "its surface is that of the blob it is a part of"
    assert off(blob) < 1e-5
    for obj in list(bpy.data.objects):
        if "blob.element" in custom_properties(obj):
            bpy.data.objects.remove(obj)
    assert not len(places(blob))
    assert live.status(blob) is LiveStatus.PROBLEM
    assert "no elements" in live.problem(blob)


def test_an_endless_surface_is_shown_about_its_elements() -> None:
    physplace.blob_add(kind="plane", radius=1.0)
    found = places(bpy.data.objects["Blob"])
    assert len(found)
    assert np.abs(found).max() < 6.0
    assert np.abs(found[:, 2]).max() < 1e-6


def test_a_mesh_that_is_switched_off_stays_as_it_is(blob: bpy.types.Object) -> None:
    before = places(blob)
    blob["blob.live"] = False
    bpy.data.objects["Sphere"].location.z = 1.0
    np.testing.assert_array_equal(places(blob), before)
    assert live.status(blob) is LiveStatus.OFF
    blob["blob.live"] = True
    blob.update_tag()
    assert off(blob) < 1e-5


def test_a_render_shows_each_frame_as_it_is(blob: bpy.types.Object, tmp_path: Path) -> None:
    """Renders have a copy of the scene of their own, in which the viewport's frame does not count."""
    ball, scene = bpy.data.objects["Sphere.001"], current_scene()
    for name in ("Control", "Control.001"):
        bpy.data.objects.remove(bpy.data.objects[name])
    for frame, x in ((1, 1.0), (3, 3.0)):
        ball.location.x = x
        ball.keyframe_insert("location", frame=frame)
    camera = scenes.linked(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    scene.camera, scene.frame_start, scene.frame_end = camera, 2, 3
    render = cast("Any", scene.render)
    render.engine, render.resolution_x, render.resolution_y = "CYCLES", 8, 8
    cast("Any", scene).cycles.samples = 1
    render.filepath = str(tmp_path / "frame")
    scene.frame_set(1)
    seen: dict[int, float] = {}

    def look(scene: bpy.types.Scene) -> None:
        seen[scene.frame_current] = float(vertices(blob)[:, 0].max())

    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    seen.pop(1, None)
    assert vertices(blob)[:, 0].max() == pytest.approx(2.0, abs=0.1)
    assert seen == {2: pytest.approx(3.0, abs=0.1), 3: pytest.approx(4.0, abs=0.1)}


def test_two_blobs_with_one_mesh_get_each_their_own(blob: bpy.types.Object) -> None:
    physplace.blob_add(new=True, location=(0.0, 0.0, 5.0))
    other = bpy.data.objects["Blob.001"]
    other.data = blob.data
    bpy.data.objects["Sphere.002"].location.x = 0.5
    assert off(blob) < 1e-5
    assert off(other) < 1e-5
    assert other.data != blob.data


def everything() -> set[str]:
    """The names of all objects, collections, meshes and curves."""
    blocks = (bpy.data.objects, bpy.data.collections, bpy.data.meshes)
    return {f"{type(each).__name__} {each.name}" for own in blocks for each in own}


@pytest.mark.parametrize("active", ["Blob", "Sphere", "Cylinder End", "Control"])
def test_a_blob_is_deleted_as_one(active: str) -> None:
    crate = scenes.cube("Crate", (0.0, 0.0, 5.0))
    before = everything()
    blob = two_balls()
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    scenes.activate(blob)
    assert physplace.blob_mesh() == {"FINISHED"}
    assert physplace.blob_particles() == {"FINISHED"}
    crate.parent, crate.location = blob, (0.0, 0.0, 4.0)
    blob.location = (1.0, 0.0, 0.0)
    current_view_layer().update()
    place = crate.matrix_world.translation.copy()
    scenes.activate(bpy.data.objects[active])
    assert physplace.blob_delete() == {"FINISHED"}
    assert everything() == before
    assert (crate.matrix_world.translation - place).length < 1e-6


def test_a_blob_is_duplicated_as_one(blob: bpy.types.Object) -> None:
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    end = bpy.data.objects["Cylinder End"]
    limit = cast("Any", bpy.data.objects["Sphere"].constraints.new("COPY_ROTATION"))
    limit.target = end
    scenes.activate(bpy.data.objects["Cylinder"])
    count = len(bpy.data.objects)
    assert physplace.blob_duplicate() == {"FINISHED"}
    made = bpy.data.objects["Blob.001"]
    assert len(bpy.data.objects) == 2 * count
    assert made.users_collection[0] != blob.users_collection[0]
    assert {child.users_collection[0] for child in made.children} == {made.users_collection[0]}
    copied = bpy.data.objects["Cylinder.001"]
    assert copied["blob.end"] == bpy.data.objects["Cylinder End.001"]
    assert cast("Any", bpy.data.objects["Sphere.002"].constraints[0]).target == copied["blob.end"]
    before = places(blob)
    bpy.data.objects["Cylinder End.001"].location.z += 1.0
    np.testing.assert_array_equal(places(blob), before)
    assert places(made)[:, 2].max() > before[:, 2].max() + 0.5
    scenes.activate(made)
    assert physplace.blob_delete() == {"FINISHED"}
    assert len(bpy.data.objects) == count


@pytest.mark.parametrize("active", ["Cylinder", "Cylinder End"])
def test_a_cylinder_is_deleted_with_its_other_end(blob: bpy.types.Object, active: str) -> None:
    count = len(bpy.data.objects)
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    scenes.activate(bpy.data.objects[active])
    assert physplace.blob_element_delete() == {"FINISHED"}
    assert len(bpy.data.objects) == count
    assert off(blob) < 1e-5


def test_a_blob_is_hidden_and_appended_as_one(blob: bpy.types.Object, tmp_path: Path) -> None:
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    (home,) = blob.users_collection
    assert set(home.all_objects) == {blob, *blob.children}
    home.hide_viewport = True
    current_view_layer().update()
    assert not any(obj.visible_get() for obj in (blob, *blob.children))
    home.hide_viewport = False
    before = len(home.all_objects)
    path = tmp_path / "blob.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.append(directory=f"{path}/Collection", filename="Blob")
    found = bpy.data.objects["Blob"]
    assert len(bpy.data.objects) == before
    assert len(bpy.data.collections) == 1
    bpy.data.objects["Sphere"].location.z = 0.7
    assert off(found) < 1e-5
    bpy.ops.wm.open_mainfile(filepath=str(path))
    bpy.data.objects["Sphere"].location.z = 0.7
    assert off(bpy.data.objects["Blob"]) < 1e-5


def test_an_empty_of_an_earlier_version_gets_a_mesh_that_follows_it(blob: bpy.types.Object) -> None:
    assert not physplace.blob_update.poll(), "it has a mesh"
    old = bpy.data.objects.new("Old", None)
    current_scene().collection.objects.link(old)
    old.location = (0.3, 0.0, 0.5)
    old["blob"], old["blob.bias"] = "sum", 0.4
    balls = [child for child in blob.children if "blob.element" in custom_properties(child)]
    for ball in balls:
        ball.parent = old
    current_view_layer().update()
    assert live.status(old) is LiveStatus.NONE
    current_view_layer().objects.active = old
    assert physplace.blob_update() == {"FINISHED"}
    assert live.status(old) is LiveStatus.CURRENT
    assert old["blob.bias"] == 0.4
    assert not old["blob.keep_normals"]
    surface = present(surface_of(old))
    assert surface.parent == old
    balls[0].location.z += 0.4
    current_view_layer().update()
    value, slope = read_blob(old).function.gradient(vertices(surface))
    assert np.abs(value / np.linalg.norm(slope, axis=1)).max() < 1e-4
    assert not physplace.blob_update.poll()
    assert physplace.blob_delete() == {"FINISHED"}
    assert "Old Surface" not in bpy.data.objects


def test_a_second_pass_shows_keys_that_were_changed_after_the_first(blob: bpy.types.Object) -> None:
    scene, control = current_scene(), bpy.data.objects["Control"]
    scene.frame_start, scene.frame_end = 1, 8
    for frame, x in ((1, 2.2), (8, 2.6)):
        control.location.x = x
        control.keyframe_insert("location", index=0, frame=frame)
    for changed in (False, True):
        if changed:
            control.location.x = 3.9
            control.keyframe_insert("location", index=0, frame=5)
        for frame in range(1, 9):
            scene.frame_set(frame)
            found, nearest, _, _ = cast("Any", blob).closest_point_on_mesh(control.location)
            assert found
            assert (nearest - control.location).length < 0.02, frame
