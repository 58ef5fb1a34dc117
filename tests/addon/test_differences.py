"""What something else changes in a scene, as the watch over it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest
from mathutils import Matrix

from physplace_addon.scene.changes import own_changes
from physplace_addon.scene.differences import SceneWatch
from tests.blender_data import current_scene, current_view_layer, load_object, mesh_of
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body


def _difference(watch: SceneWatch) -> str | None:
    current_view_layer().update()
    return watch.difference(bpy.context, at_once=True)


def _differing(watch: SceneWatch) -> frozenset[str]:
    current_view_layer().update()
    return watch.differing(bpy.context, at_once=True)


def test_a_linked_object_is_told_from_a_local_one_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {scenes.cube("Cube")})
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    linked = load_object(path, "Cube", link=True)
    current_scene().collection.objects.link(linked)
    local = scenes.cube("Cube")
    assert linked.name == local.name
    watch = SceneWatch(bpy.context)
    linked.hide_set(True)
    assert _differing(watch) == {linked.name_full}
    linked.hide_set(False)
    assert _differing(watch) == {linked.name_full}
    local.location.z = 1.0
    assert _differing(watch) == {"Cube"}
    assert _differing(watch) == frozenset()


@pytest.mark.parametrize("by_name", [True, False])
def test_what_is_renamed_and_moved_at_once_has_changed(by_name: bool) -> None:
    cube = scenes.cube("Cube")
    watch = SceneWatch(bpy.context, by_name=by_name)
    cube.name, cube.location.z = "Box", 1.0
    assert _difference(watch) == '"Cube" changed meanwhile'


def test_renaming_differs_where_names_count() -> None:
    cube = scenes.cube("Cube")
    by_name, by_id = SceneWatch(bpy.context), SceneWatch(bpy.context, by_name=False)
    cube.name = "Box"
    assert _differing(by_name) == {"Cube", "Box"}
    assert _differing(by_id) == frozenset()


@pytest.mark.parametrize("kind", ["LIGHT", "CAMERA", "SPEAKER", "ARMATURE"])
def test_what_shows_nothing_counts_for_nothing(kind: str) -> None:
    made: dict[str, Callable[[], bpy.types.ID]] = {
        "LIGHT": lambda: bpy.data.lights.new("Own", "POINT"),
        "CAMERA": lambda: bpy.data.cameras.new("Own"),
        "SPEAKER": lambda: bpy.data.speakers.new("Own"),
        "ARMATURE": lambda: bpy.data.armatures.new("Own"),
    }
    obj = scenes.linked(bpy.data.objects.new("Own", made[kind]()))
    watch, posing = SceneWatch(bpy.context), SceneWatch(bpy.context, with_figures=True)
    obj.hide_set(True)
    assert _difference(watch) is None
    assert _differing(posing) == ({"Own"} if kind == "ARMATURE" else set())


def test_rigid_bodies_have_not_changed_where_something_else_has() -> None:
    still, moved, cut = (scenes.cube(name, (5.0 * i, 0.0, 0.0)) for i, name in enumerate("ABC"))
    for cube in (still, moved, cut):
        body(cube)
    other = scenes.cube("Other", (0.0, 9.0, 0.0))
    current_view_layer().update()
    watch = SceneWatch(bpy.context)
    with own_changes(bpy.context):
        still.location.z = 1.0
    bpy.data.objects.remove(other)
    assert _differing(watch) == {"Other"}
    other = scenes.cube("Other", (0.0, 9.0, 0.0))
    assert _differing(watch) == {"Other"}
    bpy.data.objects.remove(other)
    moved.location.z = 1.0
    assert _differing(watch) == {"Other", "B"}
    cut.modifiers.new("Bevel", "BEVEL")
    assert _differing(watch) == {"C"}
    mesh_of(cut).transform(Matrix.Scale(2.0, 4))
    mesh_of(cut).update()
    assert _differing(watch) == {"C"}


def test_what_is_hidden_may_change_but_what_is_only_instanced_changes_its_instancer() -> None:
    hidden, source = scenes.cube("Hidden"), bpy.data.objects.new("Source", bpy.data.meshes.new("Source"))
    hidden.hide_set(True)
    instanced = bpy.data.collections.new("Instanced")
    instanced.objects.link(source)
    shower = scenes.linked(bpy.data.objects.new("Shower", None))
    shower.instance_type, shower.instance_collection = "COLLECTION", instanced
    current_view_layer().update()
    watch = SceneWatch(bpy.context)
    hidden.location.z = 1.0
    assert _difference(watch) is None
    source.location.z = 1.0
    assert _difference(watch) == '"Shower" changed meanwhile'
