"""The operators that pose figures, run by scripts: drag, pull, solve, pins, keys, undo and bad input."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused, standing
from tests.blender_data import current_scene, current_view_layer, of_type, physplace, preferences
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint
from tests.scene.linkages import rigs

TARGET = (1.2, 0.0, 1.6)


def _rig(count: int = 3) -> bpy.types.Object:
    rig = rigs.armature(rigs.chain(count))
    rigs.carried_boxes(rig)
    rigs.bone(rig, "Bone 0").lock_location = (True, True, True)
    scenes.activate(rig)
    return rig


def _tip(rig: bpy.types.Object, name: str) -> np.ndarray:
    length = rigs.bone(rig, name).bone.length
    tip: np.ndarray = (rigs.bone_matrix(rig, name) @ (0.0, length, 0.0, 1.0))[:3]
    return tip


@pytest.mark.parametrize("operator", ["linkage_solve", "linkage_drag", "linkage_pull"])
def test_the_tip_of_a_bone_comes_to_its_target_and_the_joints_hold(operator: str) -> None:
    rig = _rig()
    assert getattr(physplace, operator)(part="Bone 2", target=TARGET) == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 2"), TARGET, atol=1e-4)
    np.testing.assert_allclose(_tip(rig, "Bone 1"), rigs.bone_matrix(rig, "Bone 2")[:3, 3], atol=1e-6)
    np.testing.assert_allclose(rigs.bone_matrix(rig, "Bone 0")[:3, 3], np.zeros(3), atol=1e-6)


@pytest.mark.parametrize("operator", ["linkage_solve", "linkage_drag"])
def test_what_turns_about_its_own_origin_comes_all_the_way(operator: str) -> None:
    rig = _rig(1)
    assert getattr(physplace, operator)(part="Bone 0", target=(0.6, 0.0, -0.8)) == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 0"), (0.6, 0.0, -0.8), atol=1e-4)


def test_it_goes_to_the_3d_cursor_by_the_active_bone_unless_something_else_is_given() -> None:
    rig = _rig()
    data = of_type(rig.data, bpy.types.Armature)
    data.bones.active = data.bones["Bone 1"]
    current_scene().cursor.location = (0.5, 0.5, 1.6)
    assert physplace.linkage_solve() == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 1"), (0.5, 0.5, 1.6), atol=1e-4)


def test_it_can_be_posed_in_pose_mode() -> None:
    rig = _rig()
    bpy.ops.object.mode_set(mode="POSE")
    assert physplace.linkage_solve(part="Bone 2", target=TARGET) == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 2"), TARGET, atol=1e-4)


def test_a_pin_holds_while_another_part_is_pulled() -> None:
    rig = _rig(4)
    middle = rigs.bone(rig, "Bone 1")
    middle["physplace_pin"] = [1.0, 0.0, 1.0, 0.0]
    before = _tip(rig, "Bone 1")
    assert physplace.linkage_solve(part="Bone 3", target=(0.8, 0.5, 3.0)) == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 1"), before, atol=1e-4)
    np.testing.assert_allclose(_tip(rig, "Bone 3"), (0.8, 0.5, 3.0), atol=1e-4)


def test_a_goal_out_of_reach_leaves_the_nearest_pose_and_warns() -> None:
    rig = _rig()
    assert physplace.linkage_solve(part="Bone 2", target=(9.0, 0.0, 0.0)) == {"FINISHED"}
    tip = _tip(rig, "Bone 2")
    np.testing.assert_allclose(tip, (3.0, 0.0, 0.0), atol=1e-2)


def test_automatic_keying_keys_the_bones_that_moved() -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    rig = _rig()
    physplace.linkage_solve(part="Bone 2", target=TARGET)
    keyed = {curve.data_path for curve in curves_of(rig)}
    assert 'pose.bones["Bone 1"].rotation_quaternion' in keyed
    assert all(len(curve.keyframe_points) == 1 for curve in curves_of(rig))


def test_a_pull_can_be_keyed_frame_by_frame_along_a_curve() -> None:
    rig = _rig()
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, ((0, 0, 3), (1, 0, 2.5), (1, 1, 2)), strict=True):
        point.co = (*place, 1.0)
    scenes.linked(bpy.data.objects.new("Path", curve))
    current_view_layer().update()
    scenes.activate(rig)
    assert physplace.linkage_pull(part="Bone 2", path="Path", frames=10, key=True) == {"FINISHED"}
    assert current_scene().frame_current == 11
    np.testing.assert_allclose(_tip(rig, "Bone 2"), (1.0, 1.0, 2.0), atol=1e-4)
    current_scene().frame_set(1)
    np.testing.assert_allclose(_tip(rig, "Bone 2"), (0.0, 0.0, 3.0), atol=1e-4)
    current_scene().frame_set(6)
    halfway = _tip(rig, "Bone 2")
    np.testing.assert_allclose(halfway, (1.0, 0.025, 2.4875), atol=0.05)


def test_objects_that_constraints_join_are_posed_and_their_empties_go_along() -> None:
    lower, upper = rigs.box("Lower", (0.2, 0.2, 0.9)), rigs.box("Upper", (0.2, 0.2, 0.9))
    upper.location = (0.0, 0.0, 2.0)
    current_view_layer().update()
    holder = constraint("POINT", lower, upper)
    holder.location = (0.0, 0.0, 1.0)
    current_view_layer().update()
    scenes.activate(upper)
    assert physplace.linkage_solve(point=(0.0, 0.0, 2.9), target=(1.0, 0.0, 2.5)) == {"FINISHED"}
    tip = (scenes.world_matrix(upper) @ (0.0, 0.0, 0.9, 1.0))[:3]
    np.testing.assert_allclose(tip, (1.0, 0.0, 2.5), atol=1e-4)
    joint = (scenes.world_matrix(upper) @ (0.0, 0.0, -1.0, 1.0))[:3]
    np.testing.assert_allclose(scenes.world_matrix(holder)[:3, 3], joint, atol=1e-5)
    assert len(holder["physplace_joint"]) == 14


def test_limits_of_rotation_hold_while_a_bone_is_pulled() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    settings = {f"use_limit_{letter}": True for letter in "xyz"}
    ends = {f"{end}_{letter}": value for letter in "xyz" for end, value in (("min", -0.2), ("max", 0.2))}
    rigs.limit(child, "LIMIT_ROTATION", **settings, **ends)
    rigs.set_rotation(child, "XYZ", (0.0, 0.0, 0.0))
    assert physplace.linkage_solve(part="Bone 2", target=(1.5, 0.5, 0.5)) == {"FINISHED"}
    angles = np.array(child.rotation_euler)
    assert np.abs(angles).max() < 0.2 + 1e-5
    assert np.abs(angles).max() > 0.2 - 1e-4, "it is at a limit"


# bad input


@pytest.mark.parametrize("also_locked", [False, True])
def test_limits_on_both_sides_of_half_a_turn_hold_as_in_blender(also_locked: bool) -> None:
    rig = rigs.armature(rigs.chain(2))
    rigs.carried_box(rig, "Bone 1", (0.1, 0.2, 0.1))
    root, bone = rigs.bone(rig, "Bone 0"), rigs.bone(rig, "Bone 1")
    rigs.set_rotation(root, "XYZ", np.zeros(3))
    root.lock_location = root.lock_rotation = (True, True, True)
    bone.lock_rotation = (False, also_locked, also_locked)
    scenes.activate(rig)

    def tip_at(degrees: float) -> tuple[float, ...]:
        rigs.set_rotation(bone, "XYZ", np.radians([degrees, 0.0, 0.0]))
        return tuple(_tip(rig, "Bone 1"))

    limit = rigs.limit(bone, "LIMIT_ROTATION", use_limit_x=True, min_x=np.radians(160.0))
    assert isinstance(limit, bpy.types.LimitRotationConstraint)
    limit.max_x, newer = np.radians(200.0), hasattr(limit, "use_legacy_behavior")
    if newer:
        limit.use_legacy_behavior = False
    limit.mute = True
    tips = {degrees: tip_at(degrees) for degrees in (150.0, 165.0, 195.0)}
    tip_at(-175.0 if newer else 175.0)
    limit.mute = False
    for degrees, end in ((165.0, 165.0), (195.0, 195.0 if newer else 180.0), (150.0, 160.0)):
        assert physplace.linkage_solve(part="Bone 1", target=tips[degrees]) == {"FINISHED"}
        assert abs(float(np.degrees(bone.rotation_euler.x)) % 360.0 - end) < 0.1


def test_neighbours_that_overlap_at_rest_come_back_to_it_from_where_they_do_not() -> None:
    rig = rigs.armature(rigs.chain(2))
    rigs.carried_box(rig, "Bone 0", (0.2, 0.25, 0.2))
    rigs.carried_box(rig, "Bone 1", (0.2, 0.4, 0.2))
    guard = rigs.box("Guard", (0.2, 0.1, 0.2))
    guard.location = (0.35, 0.0, 1.35)
    rigs.hang(rig, "Bone 0", guard)
    root = rigs.bone(rig, "Bone 0")
    rigs.set_rotation(root, "XYZ", np.zeros(3))
    root.lock_location = root.lock_rotation = (True, True, True)
    scenes.activate(rig)
    rest = _tip(rig, "Bone 1")
    away = rest + np.array([-0.7, 0.0, -0.3])
    physplace.linkage_solve(part="Bone 1", target=tuple(away))
    assert np.linalg.norm(_tip(rig, "Bone 1") - rest) > 0.5
    assert physplace.linkage_solve(part="Bone 1", target=tuple(rest)) == {"FINISHED"}
    np.testing.assert_allclose(_tip(rig, "Bone 1"), rest, atol=1e-4)


def test_a_curve_with_faces_or_several_splines_is_no_path() -> None:
    rig = _rig()
    curve = bpy.data.curves.new("Path", "CURVE")
    curve.dimensions = "3D"
    for x in (1.0, 2.0):
        spline = curve.splines.new("POLY")
        spline.points.add(1)
        spline.points[0].co, spline.points[1].co = (x, 0.0, 1.0, 1.0), (x, 0.0, 2.0, 1.0)
    scenes.linked(bpy.data.objects.new("Path", curve))
    refused(physplace.linkage_pull, rig, "several splines", part="Bone 2", path="Path")
    curve.splines.remove(curve.splines[1])
    curve.bevel_depth = 0.1
    refused(physplace.linkage_pull, rig, "its curve has faces", part="Bone 2", path="Path")


def test_nothing_joined_an_unknown_part_and_an_unknown_curve_are_refused() -> None:
    refused(physplace.linkage_solve, scenes.cube(), "nothing is joined to it")
    rig = _rig()
    refused(physplace.linkage_solve, rig, 'its figure has no part "Tail"', part="Tail")
    refused(physplace.linkage_pull, rig, "no such object", part="Bone 1", path="Nowhere")


def test_a_refused_pose_changes_nothing() -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 1").scale = (0.0, 1.0, 1.0)
    current_view_layer().update()
    before = standing()
    with pytest.raises(RuntimeError, match="scaled to next to zero"):
        physplace.linkage_solve(part="Bone 2", target=TARGET)
    assert standing().keys() == before.keys()


def test_why_a_bone_is_no_part_is_named_also_where_it_hangs_on_one_that_is_none() -> None:
    rig = rigs.armature(rigs.chain(5))
    for name in ("Bone 0", "Bone 1", "Bone 2", "Bone 3"):
        rigs.carried_box(rig, name)
    rigs.bone(rig, "Bone 2").driver_add("rotation_quaternion", 1)
    driven = "does not move by itself, as a driver owns its rotation_quaternion"
    refused(physplace.linkage_solve, rig, f'"Bone 2" {driven}', part="Bone 2")
    refused(physplace.linkage_solve, rig, f'"Bone 3" hangs on "Bone 2", which {driven}', part="Bone 3")
    rig.driver_remove('pose.bones["Bone 2"].rotation_quaternion', 1)
    refused(physplace.linkage_solve, rig, '"Bone 4" carries no visible mesh', part="Bone 4")


def test_where_the_path_cannot_be_keyed_what_was_keyed_automatically_is_put_back_too() -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    rig = _rig()
    for name in ("Bone 1", "Bone 2"):
        rigs.bone(rig, name).keyframe_insert("rotation_quaternion", frame=1)
    for curve in curves_of(rig):
        curve.lock = "Bone 1" in curve.data_path
    current_scene().frame_set(3)
    preferences().edit.use_keyframe_insert_available = True  # so it passes over what cannot be keyed
    try:
        message = 'object "Rig": the rotation_quaternion of its bone "Bone 1" cannot be keyed'
        refused(physplace.linkage_pull, rig, message, part="Bone 2", target=TARGET, frames=2, key=True)
    finally:
        preferences().edit.use_keyframe_insert_available = False
    assert all(len(curve.keyframe_points) == 1 for curve in curves_of(rig))


@pytest.mark.parametrize("key", [False, True])
def test_where_a_channel_cannot_be_keyed_poses_and_keys_are_put_back(key: bool) -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = not key
    preferences().edit.use_keyframe_insert_available = False
    rig = _rig()
    rigs.bone(rig, "Bone 1").keyframe_insert("rotation_quaternion", frame=1)
    for curve in curves_of(rig):
        curve.lock = True
    before = _tip(rig, "Bone 2")
    message = 'object "Rig": the rotation_quaternion of its bone "Bone 1" cannot be keyed'
    refused(physplace.linkage_pull, rig, message, part="Bone 2", target=TARGET, frames=2, key=key)
    np.testing.assert_array_equal(_tip(rig, "Bone 2"), before)
    assert len(list(curves_of(rig))) == 4
    assert all(len(curve.keyframe_points) == 1 for curve in curves_of(rig))
    current_scene().frame_set(1)
    np.testing.assert_allclose(_tip(rig, "Bone 2"), before, atol=1e-6)


def test_what_does_not_get_there_is_said_to_have_ended_and_why(capfd: pytest.CaptureFixture[str]) -> None:
    lower, upper = rigs.box("Lower", (0.2, 0.2, 0.9)), rigs.box("Upper", (0.2, 0.2, 0.9))
    upper.location = (0.0, 0.0, 2.0)
    body(lower, "PASSIVE")
    constraint("POINT", lower, upper).location = (0.0, 0.0, 1.0)
    current_view_layer().update()
    scenes.activate(upper)
    assert physplace.linkage_solve(target=(0.9, 0.0, 1.4)) == {"FINISHED"}
    assert 'something is in the way ("Upper")' in capfd.readouterr().out


def test_without_a_figure_the_buttons_say_why_they_are_grey() -> None:
    scenes.activate(None)
    assert not physplace.linkage_drag.poll()
    rig = _rig()
    scenes.activate(rig)
    assert physplace.linkage_drag.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not physplace.linkage_drag.poll()


@pytest.mark.parametrize("stands_first", [True, False])
def test_a_joint_to_what_stands_holds_where_it_held_also_if_its_part_is_moved_by_hand(
    stands_first: bool,
) -> None:
    post, arm = rigs.box("Post", (0.2, 0.2, 0.9)), rigs.box("Arm", (0.2, 0.2, 0.9))
    arm.location = (0.0, 0.0, 2.0)
    body(post, "PASSIVE")
    body(arm)
    holder = constraint("POINT", *((post, arm) if stands_first else (arm, post)))
    holder.location = (0.0, 0.0, 1.0)
    current_view_layer().update()
    scenes.activate(arm)
    assert physplace.linkage_solve(point=(0.0, 0.0, 2.9), target=(1.0, 0.0, 2.5)) == {"FINISHED"}
    arm_end = (scenes.world_matrix(arm) @ (0.0, 0.0, -1.0, 1.0))[:3]
    np.testing.assert_allclose(arm_end, (0.0, 0.0, 1.0), atol=1e-5)
    assert scenes.world_matrix(holder)[:3, 3].tolist() == [0.0, 0.0, 1.0]
    assert abs(scenes.world_matrix(arm)[2, 0]) > 0.1, "it has turned"
    arm.location.x += 0.4
    current_view_layer().update()
    refused(physplace.linkage_solve, arm, '"Joint": its parts do not meet: they are 0.4 apart')
