"""Poses written to bones and objects: what Blender then shows is the pose, and what is locked stays."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.jobs import finished
from physplace_addon.core.rigid import Pose, quaternion_from_matrix, rotation_matrix, rotation_vector
from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.linkages import posing
from physplace_addon.scene.linkages.linkages import FoundLinkage
from physplace_addon.scene.linkages.posing import LinkagePose
from physplace_addon.scene.linkages.reading import reading_parts
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene, current_view_layer, preferences
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint
from tests.scene.linkages import rigs

MODES = ("QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE")


def _read(obj: bpy.types.Object) -> FoundLinkage:
    return finished(reading_parts(bpy.context, obj))


def _turned(found: FoundLinkage, number: int, vector: rigs.Point) -> list[Pose]:
    """The poses with one part and all below it turned about its head by a rotation vector."""
    poses = list(found.poses)
    head = poses[number].translation
    below = {number}
    for joint in found.joints:
        anchors = joint.joint.anchors
        if anchors.first in below:
            below.add(anchors.second)
    for each in below:
        poses[each] = poses[each].displaced(np.zeros(3), vector, head)
    return poses


def _rig(count: int = 3) -> bpy.types.Object:
    rig = rigs.armature(rigs.chain(count))
    rigs.carried_boxes(rig)
    rig.rotation_euler, rig.location = (0.3, -0.2, 0.9), (4.0, 5.0, -1.0)
    return rig


def _assert_shown(found: FoundLinkage, poses: list[Pose]) -> None:
    for part, pose in zip(found.parts, poses, strict=True):
        assert part.bone is not None
        shown = rigs.bone_matrix(part.bone.armature.object, part.name)
        expected = pose.matrix4.copy()
        expected[:3, :3] = expected[:3, :3] @ part.bone.stretch
        np.testing.assert_allclose(shown, expected, atol=2e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 2.0, 2.0), (-0.5, 0.5, 0.5)])
def test_blender_shows_bones_at_the_poses_that_are_written(mode: str, scale: rigs.Point) -> None:
    rig = _rig()
    rig.scale = scale
    for posed in present(rig.pose).bones:
        rigs.set_rotation(
            posed, mode, {"QUATERNION": (1, 0, 0, 0), "AXIS_ANGLE": (0, 0, 1, 0)}.get(mode, (0, 0, 0))
        )
    found = _read(rig)
    poses = _turned(found, 1, (0.4, 0.8, -0.3))
    LinkagePose(found).show(bpy.context, poses)
    _assert_shown(found, poses)


def test_a_bone_that_does_not_inherit_rotation_or_scale_is_written_all_the_same() -> None:
    rig = _rig()
    data = rig.data
    assert isinstance(data, bpy.types.Armature)
    data.bones["Bone 1"].use_inherit_rotation = False
    data.bones["Bone 2"].inherit_scale = "NONE"
    rigs.bone(rig, "Bone 0").rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    found = _read(rig)
    poses = _turned(found, 0, (0.4, 0.8, -0.3))
    LinkagePose(found).show(bpy.context, poses)
    _assert_shown(found, poses)


def test_restoring_puts_every_channel_back_to_the_last_bit() -> None:
    rig = _rig()
    rigs.set_rotation(rigs.bone(rig, "Bone 1"), "XYZ", (0.1, 0.2, 0.3))
    before = [np.array(posed.matrix_basis) for posed in present(rig.pose).bones]
    found = _read(rig)
    preview = LinkagePose(found)
    preview.show(bpy.context, _turned(found, 1, (0.4, 0.8, -0.3)))
    assert preview.is_undisturbed
    preview.restore(bpy.context)
    for old, posed in zip(before, present(rig.pose).bones, strict=True):
        np.testing.assert_array_equal(np.array(posed.matrix_basis), old)


def test_what_does_not_move_keeps_its_channels_and_gets_no_key() -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    rig = _rig()
    rigs.set_rotation(rigs.bone(rig, "Bone 0"), "XYZ", (0.123456, 0.2, 0.3))
    found = _read(rig)
    moved = LinkagePose(found).write(bpy.context, _turned(found, 1, (0.4, 0.8, -0.3)))
    assert moved == 1
    paths = {curve.data_path for curve in curves_of(rig)}
    assert paths == {'pose.bones["Bone 1"].location', 'pose.bones["Bone 1"].rotation_quaternion'}
    assert {curve.group.name for curve in curves_of(rig) if curve.group} == {"Bone 1"}


def test_whatever_fails_bones_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = _rig()
    found = _read(rig)
    before = np.array(rigs.bone(rig, "Bone 1").matrix_basis)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(posing, "insert_automatically", fail)
    with pytest.raises(RuntimeError):
        LinkagePose(found).write(bpy.context, _turned(found, 1, (0.4, 0.8, -0.3)))
    np.testing.assert_array_equal(np.array(rigs.bone(rig, "Bone 1").matrix_basis), before)


def test_a_quaternion_keeps_its_sign_from_pose_to_pose() -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 1").rotation_quaternion = (-1.0, 0.0, 0.0, 0.0)
    found = _read(rig)
    LinkagePose(found).show(bpy.context, _turned(found, 1, (0.2, 0.0, 0.0)))
    assert rigs.bone(rig, "Bone 1").rotation_quaternion[0] < -0.9


def test_a_locked_channel_stays_as_it_was() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    rigs.set_rotation(child, "XYZ", (0.3, 0.25, 0.1))
    child.lock_rotation = (False, True, True)
    found = _read(rig)
    joint = found.joints[0].joint
    axis = found.poses[joint.anchors.second].compose(joint.anchors.frame2).matrix[:, 0]
    LinkagePose(found).write(bpy.context, _turned(found, 1, tuple(0.5 * axis)))
    np.testing.assert_allclose(np.array(child.rotation_euler), (0.8, 0.25, 0.1), atol=1e-5)
    assert child.rotation_euler[1] == np.float32(0.25)


def test_a_bone_that_a_constraint_holds_after_all_is_named_and_everything_is_put_back() -> None:
    rig = _rig()
    found = _read(rig)
    rigs.limit(
        rigs.bone(rig, "Bone 1"), "LIMIT_ROTATION", use_limit_x=True, use_limit_y=True, use_limit_z=True
    )
    before = rigs.bone_matrix(rig, "Bone 2")
    with pytest.raises(SceneError, match='its bone "Bone 1" does not stay where it is put: its constraint'):
        LinkagePose(found).write(bpy.context, _turned(found, 1, (0.4, 0.8, -0.3)))
    np.testing.assert_array_equal(rigs.bone_matrix(rig, "Bone 2"), before)


def test_a_child_of_a_thing_outside_is_carried_by_it() -> None:
    outside = scenes.linked(bpy.data.objects.new("Outside", None), (1.0, 2.0, 3.0))
    rig = _rig()
    root = rigs.bone(rig, "Bone 0")
    current_view_layer().update()
    made = root.constraints.new("CHILD_OF")
    assert isinstance(made, bpy.types.ChildOfConstraint)
    made.target = outside
    outside.rotation_euler = (0.2, 0.1, 0.5)
    found = _read(rig)
    assert found.left_out == ()
    poses = _turned(found, 0, (0.4, 0.8, -0.3))
    LinkagePose(found).show(bpy.context, poses)
    _assert_shown(found, poses)


def _arm() -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """An upper and a lower arm, joined by a hinge that turns between limits."""
    upper, lower = rigs.box("Upper", (0.2, 0.2, 1.0)), rigs.box("Lower", (0.2, 0.2, 1.0))
    lower.location = (0.0, 0.0, 2.2)
    current_view_layer().update()
    holder = constraint(
        "HINGE", upper, lower, use_limit_ang_z=True, limit_ang_z_lower=-1.0, limit_ang_z_upper=1.0
    )
    holder.location, holder.rotation_euler = (0.0, 0.0, 1.1), (0.0, 1.5, 0.0)
    current_view_layer().update()
    return upper, lower, holder


def test_the_empty_of_a_joint_goes_along_and_its_limits_count_from_where_they_began() -> None:
    upper, lower, holder = _arm()
    found = _read(upper)
    anchors = found.joints[0].joint.anchors
    hinge = found.poses[anchors.first].compose(anchors.frame1)
    poses = [pose.displaced((1.0, 0.0, 0.0), np.zeros(3), np.zeros(3)) for pose in found.poses]
    number = [part.name for part in found.parts].index("Lower")
    at = hinge.translation + np.array([1.0, 0.0, 0.0])
    poses[number] = poses[number].displaced(np.zeros(3), 0.6 * hinge.matrix[:, 2], at)
    LinkagePose(found).write(bpy.context, poses)
    np.testing.assert_allclose(scenes.world_matrix(holder)[:3, 3], at, atol=1e-5)
    again = _read(lower)
    first, second = again.joints[0].joint.anchors.frame1, again.joints[0].joint.anchors.frame2
    ends = {part.name: part.pose for part in again.parts}
    turn = ends["Upper"].compose(first).inverse().compose(ends["Lower"].compose(second))
    angle = 2.0 * np.arctan2(turn.rotation[3], turn.rotation[0])
    assert abs(angle) == pytest.approx(0.6, abs=1e-5)


def test_an_empty_that_the_artist_moves_is_a_joint_anew() -> None:
    upper, _, holder = _arm()
    found = _read(upper)
    LinkagePose(found).write(bpy.context, found.poses)
    holder.location = (0.0, 0.1, 1.1)
    current_view_layer().update()
    (joint,) = _read(upper).joints
    frame = found.parts[0].pose.compose(joint.joint.anchors.frame1)
    np.testing.assert_allclose(frame.translation, (0.0, 0.1, 1.1), atol=1e-6)


def test_parts_of_scaled_and_parented_objects_are_written_in_their_own_spaces() -> None:
    parent = scenes.linked(bpy.data.objects.new("Parent", None), (1.0, 1.0, 0.0))
    parent.rotation_euler, parent.scale = (0.2, 0.3, 0.4), (2.0, 2.0, 2.0)
    upper, lower, _ = _arm()
    lower.scale = (1.0, -1.5, 0.9)
    upper.parent = parent
    found = _read(upper)
    poses = [pose.displaced((0.1, 0.2, 0.3), (0.5, -0.2, 0.1), np.zeros(3)) for pose in found.poses]
    LinkagePose(found).write(bpy.context, poses)
    for part, pose in zip(found.parts, poses, strict=True):
        place = part.objects[0]
        np.testing.assert_allclose(
            scenes.world_matrix(place.reference.object), place.world_matrix(pose), atol=1e-5
        )


def test_half_turns_are_written_exactly() -> None:
    rig = _rig()
    found = _read(rig)
    half = Pose(quaternion_from_matrix(rotation_matrix(np.array([0.0, np.pi, 0.0]))), np.zeros(3))
    poses = [half.compose(pose) for pose in found.poses]
    LinkagePose(found).write(bpy.context, poses)
    _assert_shown(found, poses)


@pytest.mark.parametrize("as_path", [False, True])
def test_where_the_empty_of_a_joint_to_the_world_is_deleted_nothing_is_written(as_path: bool) -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    post, arm = rigs.box("Post", (0.2, 0.2, 0.9)), rigs.box("Arm", (0.2, 0.2, 0.9))
    arm.location = (0.0, 0.0, 2.0)
    body(post, "PASSIVE")
    body(arm)
    holder = constraint("POINT", post, arm)
    holder.location = (0.0, 0.0, 1.0)
    current_view_layer().update()
    preview = LinkagePose(found := _read(arm))
    bpy.data.objects.remove(holder)
    assert not preview.is_undisturbed
    poses = [found.poses[0].displaced(np.zeros(3), (0.3, 0.0, 0.0), np.array([0.0, 0.0, 1.0]))]
    with pytest.raises(SceneError, match='"Joint": it is not there any more'):
        preview.write_path(bpy.context, [poses, poses], 1) if as_path else preview.write(bpy.context, poses)
    assert arm.location.to_tuple() == (0.0, 0.0, 2.0)
    assert not list(curves_of(arm))


def test_an_armature_that_is_mirrored_twice_is_named_and_so_is_its_scaled_parent() -> None:
    rig, cart = _rig(), scenes.cube("Cart")
    rig.parent = cart
    current_view_layer().update()
    preview = LinkagePose(found := _read(rig))
    rig.scale = (-1.0, -1.0, 1.0)
    with pytest.raises(SceneError, match='"Rig": its scale is not what it was'):
        preview.check_shown(bpy.context, found.poses)
    rig.scale = (1.0, 1.0, 1.0)
    preview.check_shown(bpy.context, found.poses)
    cart.scale = (2.0, 2.0, 2.0)
    with pytest.raises(SceneError, match='"Rig": its parent "Cart", changed since'):
        preview.check_shown(bpy.context, found.poses)


@pytest.mark.parametrize("stands_first", [True, False])
def test_a_joint_to_the_world_whose_empty_went_along_with_its_part_keeps_its_turn(stands_first: bool) -> None:
    post, arm = rigs.box("Post", (0.2, 0.2, 0.9)), rigs.box("Arm", (0.2, 0.2, 0.9))
    arm.location = (0.0, 0.0, 2.0)
    body(post, "PASSIVE")
    body(arm)
    holder = constraint("HINGE", *((post, arm) if stands_first else (arm, post)))
    holder.location = (0.5, 0.0, 1.0)
    current_view_layer().update()
    _turn_arm(_read(arm), -0.2)
    holder.location, holder.rotation_euler = (0.5 * np.cos(0.2), -0.5 * np.sin(0.2), 1.0), (0.0, 0.0, -0.2)
    current_view_layer().update()
    assert _turn_of_arm(_read(arm)) == pytest.approx(-0.2, abs=1e-5)
    _turn_arm(_read(arm), 0.5)
    assert _turn_of_arm(_read(arm)) == pytest.approx(0.3, abs=1e-5)


def _turn_arm(found: FoundLinkage, angle: float) -> None:
    """Turn the only part about the vertical through the origin, and leave it so."""
    poses = [found.poses[0].displaced(np.zeros(3), (0.0, 0.0, angle), np.zeros(3))]
    LinkagePose(found).write(bpy.context, poses)


def _turn_of_arm(found: FoundLinkage) -> float:
    """How far the only part is turned from where its joint to the world began."""
    anchors = found.joints[0].joint.anchors
    own, other = (
        (anchors.frame2, anchors.frame1) if anchors.first == FIXED else (anchors.frame1, anchors.frame2)
    )
    return float(rotation_vector(other.inverse().compose(found.poses[0].compose(own)).rotation)[2])
