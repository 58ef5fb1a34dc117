"""Rests as keys: placed and keyed on their frames, and placed again when the scene has changed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.writing.actions import curves_of
from tests.addon import running
from tests.addon.rests import keyed_rests
from tests.blender_data import current_scene, physplace, rests_of, scene_settings
from tests.scene import scenes


def test_three_rests_are_keyed_and_are_rests_again_when_the_floor_is_raised() -> None:
    floor, cube = scenes.floor(), scenes.cube()
    keyed_rests.sequence(cube)
    assert keyed_rests.key_frames(cube) == list(keyed_rests.FRAMES)
    assert {curve.data_path for curve in curves_of(cube)} == {"location", "rotation_euler"}
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.0)
    current_scene().frame_set(11)
    floor.location.z = 0.6
    keyed_rests.replaced()
    assert current_scene().frame_current == 11
    assert keyed_rests.key_frames(cube) == list(keyed_rests.FRAMES)
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.6)


def test_each_rest_is_placed_in_the_scene_of_its_own_frame() -> None:
    floor, cube = scenes.floor(), scenes.cube()
    for frame, height in ((1, 0.0), (40, 0.39)):
        floor.location.z = height
        floor.keyframe_insert("location", frame=frame)
    curve = next(curve for curve in curves_of(floor) if curve.array_index == 2)
    for point in curve.keyframe_points:
        point.interpolation = "LINEAR"
    keyed_rests.sequence(cube)
    current_scene().frame_set(7)
    keyed_rests.replaced()
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.01 * (frame - 1))


def test_the_start_is_kept_although_the_object_was_placed_before_it_was_keyed() -> None:
    floor, cube = scenes.floor(), scenes.cube()
    keyed_rests.put(cube, 5, keyed_rests.PLACES[0], keyed_rests.TURNS[0])
    physplace.place()
    for _ in range(2):
        physplace.keyframe_rest()
    (rest,) = rests_of(cube).rests
    assert tuple(rest.start_location) == pytest.approx(keyed_rests.PLACES[0])
    current_scene().frame_set(9)
    del cube["physplace_start"]
    physplace.keyframe_rest()
    assert tuple(rests_of(cube).rests[1].start_location) == pytest.approx(keyed_rests.PLACES[0])
    floor.location.z = 0.5
    keyed_rests.replaced()
    keyed_rests.assert_at_rest(cube, 5, 0.5)


def test_the_rests_of_what_is_selected_are_placed_from_the_lowest_up() -> None:
    floor = scenes.floor()
    lower, upper = scenes.cube("Lower"), scenes.cube("Upper", (0.0, 0.0, 9.0))
    for obj, height in ((lower, 1.8), (upper, 4.3)):
        for frame in (1, 20):
            keyed_rests.put(obj, frame, (0.1 * frame, 0.0, height), (0.0, 0.0, 0.1 * height))
            physplace.keyframe_rest()
    floor.location.z = 0.5
    for obj in (lower, upper):
        obj.select_set(True)
    assert physplace.rests_replace(selected=True) == {"FINISHED"}
    for frame in (1, 20):
        keyed_rests.assert_at_rest(lower, frame, 0.5)
        keyed_rests.assert_at_rest(upper, frame, 2.5)
    keys = keyed_rests.all_keys(lower), keyed_rests.all_keys(upper)
    scenes.cube("Block", (0.0, 0.0, 4.3))
    floor.location.z = 0.3
    running.refused(physplace.rests_replace, lower, '"Upper", "Rest 1".*overlaps', selected=True)
    assert (keyed_rests.all_keys(lower), keyed_rests.all_keys(upper)) == keys


def test_an_active_object_that_is_not_selected_keeps_its_rests_where_others_are() -> None:
    floor = scenes.floor()
    cubes = [scenes.cube("Left"), scenes.cube("Right", (5.0, 0.0, 0.0))]
    for obj, x in zip(cubes, (0.0, 5.0), strict=True):
        keyed_rests.put(obj, 1, (x, 0.0, 1.8), (0.0, 0.0, 0.1))
        physplace.keyframe_rest()
    floor.location.z = 0.5
    left, right = cubes
    scenes.activate(right)
    right.select_set(False)
    left.select_set(True)
    keys = keyed_rests.all_keys(right)
    assert physplace.rests_replace(selected=True) == {"FINISHED"}
    keyed_rests.assert_at_rest(left, 1, 0.5)
    assert keyed_rests.all_keys(right) == keys


def test_a_rest_moved_in_time_takes_its_keys_with_it_and_a_removed_one_too() -> None:
    scenes.floor()
    cube = scenes.cube()
    keyed_rests.sequence(cube)
    rests_of(cube).rests[1].frame = 40
    running.refused(physplace.rests_replace, cube, "both on frame 40")
    rests_of(cube).rests[1].frame = 25
    keyed_rests.replaced()
    assert keyed_rests.key_frames(cube) == [1.0, 25.0, 40.0]
    rests_of(cube).active_rest = 1
    assert physplace.rest_remove() == {"FINISHED"}
    assert keyed_rests.key_frames(cube) == [1.0, 40.0]
    assert [rest.name for rest in rests_of(cube).rests] == ["Rest 1", "Rest 3"]
    current_scene().frame_set(40)
    physplace.keyframe_rest()
    assert len(rests_of(cube).rests) == 2


@pytest.mark.slow
def test_the_way_is_keyed_with_states_only_and_again_instead_of_twice() -> None:
    floor, cube = scenes.floor(), scenes.cube()
    settings = scene_settings()
    settings.key_path, settings.key_error = True, 0.02
    keyed_rests.sequence(cube, steps=0.05)
    first = keyed_rests.key_frames(cube, ("GENERATED",))
    assert len(first) > 5
    assert min(frame for frame in first if frame > 20) == 30
    for frame in (*first, *keyed_rests.FRAMES):
        current_scene().frame_set(int(frame))
        assert keyed_rests.corners(cube)[:, 2].min() > -1e-5
    keyed_rests.replaced()
    assert keyed_rests.key_frames(cube, ("GENERATED",)) == first
    settings.key_path = False
    floor.location.z = 0.5
    keyed_rests.replaced()
    assert keyed_rests.key_frames(cube, ("GENERATED",)) == []
    assert keyed_rests.key_frames(cube) == list(keyed_rests.FRAMES)


@pytest.mark.slow
def test_a_push_and_a_connection_act_in_the_object_s_own_coordinates() -> None:
    scenes.floor()
    scenes.cube("Wall", (4.5, 0.0, 1.0)).scale = (1.0, 8.0, 2.0)
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    cube.rotation_euler, cube.scale = (0.0, 0.0, 0.5 * np.pi), (-1.0, 1.0, 1.0)
    scenes.activate(cube)
    physplace.keyframe_rest()
    physplace.rest_push_add(location=(-1.0, 0.0, 0.7), direction="VECTOR", vector=(1.0, 0.0, 0.0))
    assert tuple(rests_of(cube).rests[0].forces[0].direction) == pytest.approx((0.0, -1.0, 0.0), abs=1e-6)
    keyed_rests.replaced()
    assert scenes.world_matrix(cube)[0, 3] == pytest.approx(2.5, abs=1e-4)
    physplace.rest_force_remove(number=0)
    hand = scenes.linked(bpy.data.objects.new("Hand", None), (-0.5, 1.5, 3.0))
    physplace.rest_connection_add(target="Hand", anchor="ORIGIN")
    keyed_rests.replaced()
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], np.array(hand.location), atol=1e-4)
    hand.location.y = -1.0
    keyed_rests.replaced()
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], np.array(hand.location), atol=1e-4)
    current_scene().collection.objects.unlink(hand)  # as X deletes what something still refers to
    running.refused(physplace.rests_replace, cube, '"Rest 1" on frame 1.*"Hand": it is deleted')
    bpy.data.objects.remove(hand)
    running.refused(physplace.rests_replace, cube, '"Rest 1" on frame 1.*drawn to no object')


def test_what_is_keyed_is_chosen_whatever_the_names_of_rests() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    scenes.activate(cube)
    for frame in (1, 20, 20):
        current_scene().frame_set(frame)
        physplace.keyframe_rest()
        rests_of(cube).rests[-1].name = "Rest 1"
    assert rests_of(cube).active_rest == 1


def test_undo_takes_back_all_of_it() -> None:
    scenes.floor()
    keyed_rests.sequence(scenes.cube())
    keys = keyed_rests.all_keys(bpy.data.objects["Cube"])
    bpy.data.objects["Floor"].location.z = 0.5
    bpy.ops.ed.undo_push(message="Raise")
    keyed_rests.replaced()
    bpy.ops.ed.undo_push(message="Rests")
    assert keyed_rests.all_keys(bpy.data.objects["Cube"]) != keys
    bpy.ops.ed.undo()
    assert keyed_rests.all_keys(bpy.data.objects["Cube"]) == keys
    bpy.ops.ed.redo()
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(bpy.data.objects["Cube"], frame, 0.5)
