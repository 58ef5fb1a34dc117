"""Back to the rest pose and the mirrored pose, of bones and of objects on constraints."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, current_view_layer, physplace, preferences
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint
from tests.scene.linkages import rigs
from tests.scene.linkages.standing_figure import upright_figure

X_FLIP = np.diag([-1.0, 1.0, 1.0, 1.0])


def _posed_figure() -> bpy.types.Object:
    rig = upright_figure()
    for name, angles in (
        ("Arm.L", (0.3, 0.2, -0.5)),
        ("Thigh.R", (-0.6, 0.1, 0.2)),
        ("Head", (0.1, 0.2, 0.1)),
    ):
        rigs.set_rotation(rigs.bone(rig, name), "XYZ", angles)
    rigs.set_rotation(rigs.bone(rig, "Forearm.L"), "QUATERNION", (0.8, -0.6, 0.0, 0.0))
    rigs.bone(rig, "Pelvis").location = (0.1, 0.05, -0.02)
    current_view_layer().update()
    scenes.activate(rig)
    return rig


def _matrices(rig: bpy.types.Object) -> dict[str, np.ndarray]:
    return {bone.name: rigs.bone_matrix(rig, bone.name) for bone in present(rig.pose).bones}


def test_bones_go_back_to_the_rest_of_the_armature_and_are_keyed() -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    rig = _posed_figure()
    assert physplace.linkage_rest() == {"FINISHED"}
    for name, matrix in _matrices(rig).items():
        rest = np.array(present(rig.pose).bones[name].bone.matrix_local)
        np.testing.assert_allclose(matrix, rest, atol=1e-5)
    assert 'pose.bones["Arm.L"].rotation_euler' in {curve.data_path for curve in curves_of(rig)}


def test_locked_channels_stay() -> None:
    rig = _posed_figure()
    rigs.bone(rig, "Arm.L").lock_rotation = (False, True, False)
    rigs.bone(rig, "Pelvis").lock_location = (True, False, False)
    assert physplace.linkage_rest() == {"FINISHED"}
    np.testing.assert_allclose(np.array(rigs.bone(rig, "Arm.L").rotation_euler), (0.0, 0.2, 0.0), atol=1e-5)
    np.testing.assert_allclose(np.array(rigs.bone(rig, "Pelvis").location), (0.1, 0.0, 0.0), atol=1e-5)


def test_a_pose_is_mirrored_as_a_flipped_paste_does_and_back() -> None:
    rig = _posed_figure()
    before = _matrices(rig)
    assert physplace.linkage_mirror() == {"FINISHED"}
    after = _matrices(rig)
    for name, matrix in after.items():
        seen = before[bpy.utils.flip_name(name)]
        np.testing.assert_allclose(matrix, X_FLIP @ seen @ X_FLIP, atol=1e-5)
    assert physplace.linkage_mirror() == {"FINISHED"}
    for name, matrix in _matrices(rig).items():
        np.testing.assert_allclose(matrix, before[name], atol=1e-5)


def test_a_mirrored_pose_that_the_other_side_may_not_take_is_refused_and_the_bone_named() -> None:
    rig = _posed_figure()
    limit = next(each for each in rigs.bone(rig, "Thigh.L").constraints if each.type == "LIMIT_ROTATION")
    assert isinstance(limit, bpy.types.LimitRotationConstraint)
    limit.min_x = -0.3  # the other thigh is turned by -0.6
    current_view_layer().update()
    before = _matrices(rig)
    refused(physplace.linkage_mirror, rig, 'in its mirrored pose "Thigh.L" would be beyond the limits')
    for name, matrix in _matrices(rig).items():
        np.testing.assert_array_equal(matrix, before[name])
    limit.min_x = -0.7
    current_view_layer().update()
    assert physplace.linkage_mirror() == {"FINISHED"}


def test_limits_of_inverse_kinematics_that_a_mirrored_pose_exceeds_are_named(
    capfd: pytest.CaptureFixture[str],
) -> None:
    rig = _posed_figure()
    rigs.bone(rig, "Forearm.R").ik_min_x = -0.5  # the other is bent by 1.3
    current_view_layer().update()
    seen = rigs.bone_matrix(rig, "Forearm.L")
    assert physplace.linkage_mirror() == {"FINISHED"}
    assert 'beyond limits: "Forearm.R"' in capfd.readouterr().out
    np.testing.assert_allclose(rigs.bone_matrix(rig, "Forearm.R"), X_FLIP @ seen @ X_FLIP, atol=1e-5)


def test_constraints_do_not_refuse_what_inverse_kinematics_alone_limits(
    capfd: pytest.CaptureFixture[str],
) -> None:
    rig = _posed_figure()
    forearm, pelvis = rigs.bone(rig, "Forearm.R"), rigs.bone(rig, "Pelvis")
    forearm.ik_min_x = -0.5
    wide = {f"{end}_{letter}": value for letter in "xyz" for end, value in (("min", -5.0), ("max", 5.0))}
    uses = {f"use_{limit}": True for limit in wide}
    rigs.limit(forearm, "LIMIT_LOCATION", **uses, **wide)
    rigs.limit(forearm, "LIMIT_ROTATION", use_limit_x=True, min_x=-2.0, max_x=2.0)
    current_view_layer().update()
    assert physplace.linkage_mirror() == {"FINISHED"}
    assert 'beyond limits: "Forearm.R"' in capfd.readouterr().out
    rigs.limit(pelvis, "LIMIT_LOCATION", use_max_x=True, max_x=0.05)  # it is at -0.1, the other side at 0.1
    current_view_layer().update()
    refused(physplace.linkage_mirror, rig, 'in its mirrored pose "Pelvis" would be beyond the limits')


@pytest.mark.parametrize(("operator", "x"), [("linkage_rest", -1.0), ("linkage_mirror", 1.0)])
def test_a_pose_that_would_overlap_something_new_is_refused(operator: str, x: float) -> None:
    rig = upright_figure()
    rigs.set_rotation(rigs.bone(rig, "Arm.R"), "XYZ", (0.0, 0.0, 0.9))
    current_view_layer().update()
    box = scenes.world_matrix(bpy.data.objects["Hand.R"])[:3, 3]
    place = box * (-1.0, 1.0, 1.0) if operator == "linkage_mirror" else np.array((-0.21, 0.0, 0.82))
    wall = rigs.box("Wall", (0.02, 0.02, 0.02))
    wall.location = place.tolist()
    current_view_layer().update()
    refused(getattr(physplace, operator), rig, 'would overlap "Wall"')
    wall.location = (0.0, 3.0, 0.0)
    current_view_layer().update()
    assert getattr(physplace, operator)() == {"FINISHED"}


def test_a_bone_without_another_side_stays_and_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    rig = _posed_figure()
    rigs.bone(rig, "Hand.R").name = "Hook"
    rigs.set_rotation(rigs.bone(rig, "Hand.L"), "XYZ", (0.2, 0.1, 0.0))
    assert physplace.linkage_mirror() == {"FINISHED"}
    np.testing.assert_allclose(np.array(rigs.bone(rig, "Hand.L").rotation_euler), (0.2, 0.1, 0.0), atol=1e-6)
    assert 'of "Hand.L" there is no other side' in capfd.readouterr().out


def _jointed_objects() -> dict[str, bpy.types.Object]:
    """A trunk with an arm on each side, on point joints."""
    made = {"Trunk": rigs.box("Trunk", (0.4, 0.2, 1.0))}
    for name, x in (("Arm.L", 1.2), ("Arm.R", -1.2)):
        made[name] = rigs.box(name, (0.6, 0.1, 0.1))
        made[name].location = (x, 0.0, 0.5)
    current_view_layer().update()
    for name, x in (("Arm.L", 0.5), ("Arm.R", -0.5)):
        constraint("POINT", made["Trunk"], made[name]).location = (x, 0.0, 0.5)
    current_view_layer().update()
    return made


def test_objects_are_mirrored_and_go_back_to_where_their_joints_count_from() -> None:
    made = _jointed_objects()
    first = {name: scenes.world_matrix(obj) for name, obj in made.items()}
    scenes.activate(made["Arm.L"])
    made["Trunk"]["physplace_pin"] = [2.0, 0.0, 0.0, 0.0]
    assert physplace.linkage_solve(point=(1.8, 0.0, 0.5), target=(1.5, 0.4, 1.2)) == {"FINISHED"}
    posed = {name: scenes.world_matrix(obj) for name, obj in made.items()}
    assert np.abs(posed["Arm.L"] - first["Arm.L"]).max() > 0.2, "it is posed"
    assert physplace.linkage_mirror() == {"FINISHED"}
    for name, obj in made.items():
        seen = X_FLIP @ posed[bpy.utils.flip_name(name)] @ X_FLIP
        np.testing.assert_allclose(scenes.world_matrix(obj), seen, atol=1e-3)
    scenes.activate(made["Trunk"])
    assert physplace.linkage_rest() == {"FINISHED"}
    back = np.linalg.inv(scenes.world_matrix(made["Trunk"]))
    for name, obj in made.items():
        np.testing.assert_allclose(back @ scenes.world_matrix(obj), first[name], atol=1e-5)


@pytest.mark.parametrize("begins_at_the_world", [False, True])
def test_a_limit_of_a_joint_to_the_world_that_a_mirrored_pose_exceeds_is_named(
    begins_at_the_world: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    made = _jointed_objects()
    trunk, post = made["Trunk"], rigs.box("Post", (0.1, 0.1, 0.1))
    post.location = (0.0, 0.0, -2.0)
    body(post, "PASSIVE")
    ends = (post, trunk) if begins_at_the_world else (trunk, post)
    holder = constraint("HINGE", *ends, use_limit_ang_z=True)
    current_view_layer().update()
    scenes.activate(trunk)
    corner = np.array([0.4, 0.0, 0.5])
    turned = corner * (np.cos(0.5), 1.0, 1.0) + (0.0, 0.4 * np.sin(0.5), 0.0)
    assert physplace.linkage_solve(point=corner.tolist(), target=turned.tolist()) == {"FINISHED"}
    settings = present(holder.rigid_body_constraint)
    settings.limit_ang_z_lower, settings.limit_ang_z_upper = -0.1, 0.1
    assert physplace.linkage_mirror() == {"FINISHED"}
    assert 'beyond limits: "Trunk"' in capfd.readouterr().out


def test_objects_without_sides_cannot_be_mirrored_and_it_says_what_is_missing() -> None:
    made = _jointed_objects()
    made["Arm.R"].name = "Other"
    refused(physplace.linkage_mirror, made["Trunk"], 'no "Arm.R" on the other side')
    made["Arm.L"].name = "One"
    refused(physplace.linkage_mirror, made["Trunk"], "named as left and right")


def test_a_mirrored_pose_in_which_the_joints_do_not_hold_is_refused() -> None:
    made = _jointed_objects()
    made["Trunk"].rotation_euler = (0.0, 0.0, 0.3)  # turned by itself, its joints begin where it is now
    scenes.activate(made["Arm.L"])
    assert physplace.linkage_solve(point=(1.8, 0.0, 0.5), target=(1.6, 0.3, 0.9)) == {"FINISHED"}
    third = rigs.box("Post", (0.1, 0.1, 0.1))
    third.location = (0.0, 3.0, 0.0)
    current_view_layer().update()
    for arm in ("Arm.L", "Arm.R"):
        reach = scenes.world_matrix(made[arm])[:3, 3]
        constraint("POINT", made[arm], third).location = (reach + np.array((0.0, 0.5, 0.2))).tolist()
    current_view_layer().update()
    refused(physplace.linkage_mirror, made["Trunk"], "its joints do not hold in its mirrored pose")


@pytest.mark.parametrize("four", [True, False])
def test_locked_parts_of_a_quaternion_stay(four: bool) -> None:
    rig = _posed_figure()
    arm = rigs.bone(rig, "Arm.L")
    rigs.set_rotation(arm, "QUATERNION", (0.8, 0.6, 0.0, 0.0))
    arm.lock_rotation, arm.lock_rotations_4d = (True, False, False), four
    current_view_layer().update()
    assert physplace.linkage_rest() == {"FINISHED"}
    np.testing.assert_allclose(np.array(arm.rotation_quaternion), (0.8, 0.6, 0.0, 0.0), atol=1e-6)
