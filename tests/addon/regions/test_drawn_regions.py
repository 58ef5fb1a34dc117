"""What is drawn of contact regions goes when it is no longer true, and is picked out and put back."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from physplace_addon.operators.regions.shown import shown
from physplace_addon.overlay.drawing import open_drawings
from physplace_addon.scene.access import present
from tests.addon.regions.found_regions import find, report
from tests.addon.running import standing
from tests.blender_data import (
    current_scene,
    current_view_layer,
    mesh_of,
    physplace,
    property_names,
)
from tests.scene import scenes


def test_nothing_but_the_report_is_changed() -> None:
    cubes = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    before = standing()
    find(*cubes)
    after = standing()
    assert all((after[name][0] == matrix).all() for name, (matrix, _) in before.items())
    assert [keys for _, keys in after.values()] == [keys for _, keys in before.values()]
    assert "physplace_regions" in property_names(current_scene())


def test_the_report_is_saved_with_the_file_and_the_drawing_ends(tmp_path: Path) -> None:
    cubes = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    before = find(*cubes)
    assert shown() is not None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "regions.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "regions.blend"))
    assert shown() is None
    assert open_drawings() == ()
    assert report() == before


def test_the_drawing_ends_when_one_of_the_objects_moves_and_not_when_another_does() -> None:
    a, b = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    other = scenes.cube("Other", (9.0, 0.0, 0.0))
    find(a, b)
    other.location.x = 8.0
    current_view_layer().update()
    assert shown() is not None
    b.location.x = 0.5
    current_view_layer().update()
    assert shown() is None
    assert report()["count"] == 1


def test_the_drawing_ends_when_one_of_the_objects_is_deleted() -> None:
    a, b = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    find(a, b)
    bpy.data.objects.remove(b)
    current_view_layer().update()
    assert shown() is None


@pytest.mark.parametrize("how", ["hide_set", "hide_viewport", "collection"])
def test_the_drawing_ends_when_one_of_the_objects_is_hidden_and_not_when_another_is(how: str) -> None:
    cubes = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("ABCD")]
    find(*cubes[:2])
    for obj in reversed(cubes[1:]):
        assert shown() is not None
        if how == "hide_set":
            obj.hide_set(True)
        elif how == "hide_viewport":
            obj.hide_viewport = True
        else:
            current_scene().collection.objects.unlink(obj)
        current_view_layer().update()
    assert shown() is None


def instanced(obj: bpy.types.Object) -> tuple[bpy.types.Object, bpy.types.Collection]:
    """An object that instances a collection with another one in it alone."""
    inside = bpy.data.collections.new("Inside")
    current_scene().collection.objects.unlink(obj)
    inside.objects.link(obj)
    instance = scenes.linked(bpy.data.objects.new("Instance", None))
    instance.instance_type, instance.instance_collection = "COLLECTION", inside
    return instance, inside


def test_the_drawing_ends_when_an_object_leaves_a_collection_that_is_instanced() -> None:
    a, b = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    instance, inside = instanced(a)
    find(instance, b)
    assert shown() is not None
    inside.objects.unlink(a)
    current_view_layer().update()
    assert shown() is None


def test_the_drawing_ends_when_an_instanced_object_changes_its_shape() -> None:
    a, b = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    instance, _ = instanced(a)
    find(instance, b)
    assert shown() is not None
    mesh_of(a).vertices[0].co.x = -2.0
    mesh_of(a).update()
    current_view_layer().update()
    assert shown() is None


def test_regions_of_another_scene_are_not_picked_from_the_list_of_this_one() -> None:
    find(*[scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")])
    first = current_scene()
    window = present(bpy.context.window)
    window.scene = bpy.data.scenes.new("Second")
    assert shown() is None
    assert not physplace.contact_region_pick.poll()
    find(*[scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("CDE")])
    assert physplace.contact_region_pick.poll()
    window.scene = first
    assert report()["count"] == 1
    assert not physplace.contact_region_pick.poll()


def test_the_drawing_ends_on_a_frame_that_moves_one_of_the_objects() -> None:
    a, b = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    for frame, height in ((1, 2.0), (10, 2.0), (20, 3.0)):
        b.location.z = height
        b.keyframe_insert("location", frame=frame)
    current_scene().frame_set(1)
    find(a, b)
    current_scene().frame_set(20)
    assert shown() is None


def test_clearing_takes_the_drawing_and_the_report_away() -> None:
    find(*[scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")])
    assert physplace.contact_regions_clear() == {"FINISHED"}
    assert open_drawings() == ()
    assert "physplace_regions" not in property_names(current_scene())
    assert not physplace.contact_regions_clear.poll()


def test_a_region_is_picked_out_and_put_back() -> None:
    find(*[scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("ABC")])
    drawn = shown()
    assert drawn is not None
    physplace.contact_region_pick(number=1)
    assert drawn.chosen == 1
    physplace.contact_region_pick(number=1)
    assert drawn.chosen is None


def test_finding_nothing_draws_nothing_and_says_so() -> None:
    found = find(*[scenes.cube(name, (0.0, 0.0, 3.0 * i)) for i, name in enumerate("AB")])
    assert (found["count"], found["regions"], found["penetrations"]) == (0, [], [])
    assert open_drawings() == ()
