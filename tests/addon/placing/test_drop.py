"""Drop Selected: one after another, the lowest first, all or nothing, and what overlaps a little is freed."""

from __future__ import annotations

import bpy
import pytest

from physplace_addon.scene.access import custom_properties
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, physplace, preferences, scene_settings
from tests.scene import scenes


def selected(*objects: bpy.types.Object) -> None:
    """Select objects; the last is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    scenes.activate(objects[-1])


def report(obj: bpy.types.Object) -> dict[str, object]:
    """The report of an object's placement."""
    found: dict[str, object] = obj["physplace_report"].to_dict()
    return found


def test_what_is_taken_out_of_the_selection_stays_although_it_is_active() -> None:
    floor = scenes.floor()
    cubes = [scenes.cube(name, (x, 0.0, 3.0)) for name, x in (("Left", -2.0), ("Right", 2.0))]
    for obj in bpy.data.objects:
        obj.select_set(obj in cubes)
    scenes.activate(floor)  # as a click with Shift on the active object leaves it
    assert physplace.drop_selected() == {"FINISHED"}
    assert "physplace_report" not in custom_properties(floor)
    assert [scenes.world_matrix(cube)[2, 3] for cube in cubes] == pytest.approx([1.0, 1.0], abs=1e-5)


def test_a_tower_in_the_air_is_set_down_the_lowest_first() -> None:
    scenes.floor()
    upper, middle, lower = (scenes.cube(f"Cube {i}", (0.1 * i, 0.0, 11.0 - 3.0 * i)) for i in range(3))
    selected(lower, middle, upper)
    assert physplace.drop_selected() == {"FINISHED"}
    heights = [obj.location.z for obj in (lower, middle, upper)]
    assert heights == pytest.approx([1.0, 3.0, 5.0], abs=1e-4)
    assert all(report(obj)["status"] == "BALANCED" for obj in (lower, middle, upper))


def test_those_that_are_still_to_fall_are_in_nobodys_way() -> None:
    scenes.floor()
    low = scenes.cube("Low", (0.0, 0.0, 5.0))
    low.scale = (1.0, 1.0, 0.1)
    high = scenes.cube("High", (0.0, 0.0, 4.95))
    high.scale = (0.2, 0.2, 0.02)
    selected(low, high)
    assert physplace.drop_selected() == {"FINISHED"}
    lowest, highest = sorted((low.location.z, high.location.z))
    assert (lowest, highest) == pytest.approx((0.1, 0.22), abs=1e-4)


def test_one_that_finds_nothing_below_stays_and_the_others_are_placed() -> None:
    table = scenes.cube("Table")
    over, beside = scenes.cube("Over", (0.0, 0.0, 4.0)), scenes.cube("Beside", (20.0, 0.0, 2.0))
    selected(over, beside)
    physplace.drop_selected()
    assert over.location.z == pytest.approx(2.0, abs=1e-4)
    assert beside.location.z == pytest.approx(2.0)
    assert report(beside)["status"] == "NO_SUPPORT"
    assert table.location.z == 0.0


@pytest.mark.parametrize("depth", [1e-4, 1e-2])
def test_what_sinks_in_a_little_is_freed_comes_to_rest_and_it_is_said(depth: float) -> None:
    scenes.floor()
    crate = scenes.cube("Crate", (0.0, 0.0, 1.0 - depth))
    selected(crate)
    assert physplace.place() == {"FINISHED"}
    assert report(crate)["status"] == "BALANCED"
    assert crate.location.z == pytest.approx(1.0, abs=1e-4)
    assert "freed of an overlap" in str(report(crate))


def test_a_deeper_overlap_is_named_and_stays() -> None:
    scenes.floor()
    crate = scenes.cube("Crate", (0.0, 0.0, 0.9))
    selected(crate)
    physplace.place()
    assert report(crate)["status"] == "INTERFERING_START"
    assert crate.location.z == pytest.approx(0.9)
    assert physplace.extricate() == {"FINISHED"}
    assert crate.location.z == pytest.approx(1.0, abs=1e-4)


def test_nothing_is_freed_where_the_setting_is_zero() -> None:
    scene_settings().free_depth = 0.0
    scenes.floor()
    crate = scenes.cube("Crate", (0.0, 0.0, 0.99))
    selected(crate)
    physplace.place()
    assert report(crate)["status"] == "INTERFERING_START"


def test_where_a_channel_cannot_be_keyed_all_objects_and_keys_are_put_back() -> None:
    scenes.floor()
    free, held = scenes.cube("Free", (0.0, 0.0, 3.0)), scenes.cube("Held", (4.0, 0.0, 3.0))
    held.keyframe_insert("location", frame=1)
    for curve in curves_of(held):
        curve.lock = True
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    selected(held, free)
    refused(physplace.drop_selected, free, 'object "Held": its location cannot be keyed')
    assert free.animation_data is None
    assert all(len(curve.keyframe_points) == 1 for curve in curves_of(held))
