"""The joints of bones: what Blender's locks and limits allow is what the joint allows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import FREE, LOCKED
from physplace_addon.core.rigid import Pose, rotation_vector
from physplace_addon.scene import rotations
from physplace_addon.scene.linkages.armatures import read_armature
from physplace_addon.scene.linkages.linkages import FoundLinkage, ReadJoint
from tests.scene.linkages import rigs

ORDERS = rotations.EULER_ORDERS
STAYS = (LOCKED, LOCKED, LOCKED)
TURNS = (FREE, FREE, FREE)


def _rig(count: int = 2) -> bpy.types.Object:
    rig = rigs.armature(rigs.chain(count))
    rigs.carried_boxes(rig)
    rig.rotation_euler, rig.location = (0.3, -0.2, 0.9), (4.0, 5.0, -1.0)
    parent = rigs.bone(rig, "Bone 0")
    parent.rotation_mode, parent.rotation_euler = "XYZ", (0.5, 0.4, -0.3)
    return rig


def _read(rig: bpy.types.Object) -> FoundLinkage:
    return read_armature(bpy.context, rig)


def _joint(rig: bpy.types.Object) -> ReadJoint:
    (joint,) = [each for each in _read(rig).joints if each.name == "Bone 1"]
    return joint


def _turn(found: FoundLinkage, joint: ReadJoint) -> np.ndarray:
    """The turn of the second anchor frame seen from the first, as a matrix."""
    anchors = joint.frames or joint.joint.anchors
    frames = []
    for number, frame in ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2)):
        frames.append(frame if number == FIXED else found.parts[number].pose.compose(frame))
    return frames[0].matrix.T @ frames[1].matrix


def _anchor_gap(found: FoundLinkage, joint: ReadJoint) -> float:
    anchors = joint.joint.anchors
    first = found.parts[anchors.first].pose.compose(anchors.frame1)
    second = found.parts[anchors.second].pose.compose(anchors.frame2)
    return float(np.linalg.norm(first.translation - second.translation))


def test_a_connected_bone_turns_about_its_head_in_a_ball_joint() -> None:
    rig = _rig()
    found = _read(rig)
    (joint,) = found.joints
    assert (joint.joint.anchors.first, joint.joint.anchors.second) == (0, 1)
    assert joint.joint.axes == (*STAYS, *TURNS)
    assert joint.turns is None
    head = rigs.bone_matrix(rig, "Bone 1")[:3, 3]
    np.testing.assert_allclose(found.parts[1].pose.translation, head, atol=1e-6)
    assert _anchor_gap(found, joint) < 1e-6


@pytest.mark.parametrize("mode", [*ORDERS, "QUATERNION"])
def test_the_turn_between_the_anchors_is_that_of_the_bone_s_own_channels(mode: str) -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    turn = rotations.matrix_of("XYZ", (0.7, -0.4, 1.1))
    before = np.zeros(4 if mode == "QUATERNION" else 3)
    rigs.set_rotation(child, mode, rotations.values_of(mode, turn, before))
    found = _read(rig)
    np.testing.assert_allclose(_turn(found, found.joints[0]), turn, atol=1e-6)


def test_a_mirrored_armature_has_the_same_turns() -> None:
    rig = _rig()
    rig.scale = (-2.0, 2.0, 2.0)
    child = rigs.bone(rig, "Bone 1")
    child.rotation_mode, child.rotation_euler = "XYZ", (0.7, -0.4, 1.1)
    found = _read(rig)
    np.testing.assert_allclose(
        _turn(found, found.joints[0]), rotations.matrix_of("XYZ", (0.7, -0.4, 1.1)), atol=1e-6
    )
    assert _anchor_gap(found, found.joints[0]) < 1e-5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("channels", [(1.2, 0.9, -1.0), (-1.3, 0.2, 1.4), (0.1, -1.2, 0.2)])
def test_a_pose_that_blender_stops_at_its_limits_is_at_the_limits_of_the_joint(
    order: str, channels: rigs.Point
) -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    rigs.set_rotation(child, order, channels)
    limit = rigs.limit(child, "LIMIT_ROTATION")
    lower, upper = np.array([-0.5, -0.3, -0.8]), np.array([0.6, 0.7, 0.4])
    for axis, letter in enumerate("xyz"):
        setattr(limit, f"use_limit_{letter}", True)
        setattr(limit, f"min_{letter}", lower[axis])
        setattr(limit, f"max_{letter}", upper[axis])
    found = _read(rig)
    joint = found.joints[0]
    assert joint.turns is not None
    assert joint.turns.order == order
    np.testing.assert_allclose(joint.turns.lower, lower, atol=1e-6)
    np.testing.assert_allclose(joint.turns.upper, upper, atol=1e-6)
    angles = rotations.values_of(order, _turn(found, joint), np.zeros(3))
    np.testing.assert_allclose(angles, np.clip(channels, lower, upper), atol=1e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("free", [0, 1, 2])
def test_two_locked_channels_leave_a_hinge_about_the_third_at_any_of_their_values(
    order: str, free: int
) -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    channels = np.array([0.4, -0.7, 0.9])
    rigs.set_rotation(child, order, channels)
    child.lock_rotation = [axis != free for axis in range(3)]
    before = _read(rig)
    joint = before.joints[0]
    assert [axis == LOCKED for axis in joint.joint.axes] == [True] * 3 + [axis != free for axis in range(3)]
    assert joint.turns is None
    angle = channels[free] + 0.65
    moved = channels.copy()
    moved[free] = angle
    rigs.set_rotation(child, order, moved)
    after = _read(rig)
    turn = _turn_of(joint, after)
    expected = np.zeros(3)
    expected[free] = angle
    np.testing.assert_allclose(rotation_vector(turn.rotation), expected, atol=1e-5)


def _turn_of(joint: ReadJoint, found: FoundLinkage) -> Pose:
    """The second frame of a joint seen from the first, for the poses of a later reading."""
    anchors = joint.joint.anchors
    first = found.parts[anchors.first].pose.compose(anchors.frame1)
    return first.inverse().compose(found.parts[anchors.second].pose.compose(anchors.frame2))


def test_the_limit_of_a_hinge_is_that_of_the_channel() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    child.lock_ik_y = child.lock_ik_z = child.use_ik_limit_x = True
    child.ik_min_x, child.ik_max_x = -0.25, 2.5
    child.ik_stiffness_x = 0.75
    joint = _joint(rig)
    assert joint.turns is None
    assert joint.joint.axes[4:] == (LOCKED, LOCKED)
    assert (joint.joint.axes[3].lower, joint.joint.axes[3].upper) == pytest.approx((-0.25, 2.5))
    assert joint.stiffness == pytest.approx((0.0, 0.0, 0.0, 3.0, 0.0, 0.0))


def test_locked_channels_and_limits_for_inverse_kinematics_are_one_hinge() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    child.lock_rotation = (False, True, True)
    child.use_ik_limit_x, child.ik_min_x, child.ik_max_x = True, -0.5, 1.0
    joint = _joint(rig)
    assert joint.turns is None
    assert (joint.joint.axes[3].lower, joint.joint.axes[3].upper) == pytest.approx((-0.5, 1.0))


def test_one_locked_channel_stays_an_angle_that_is_locked() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    rigs.set_rotation(child, "XYZ", (0.3, 0.2, -0.4))
    child.lock_rotation = (False, True, False)
    joint = _joint(rig)
    assert joint.turns is not None
    assert joint.turns.lower[1] == pytest.approx(0.2, abs=1e-5)
    assert joint.turns.locked.tolist() == [False, True, False]
    assert joint.joint.axes == (*STAYS, *TURNS)


def test_a_pose_beyond_its_limits_widens_them_and_is_named() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    child.rotation_mode, child.rotation_euler = "XYZ", (1.0, 0.0, 0.0)
    child.lock_ik_y = child.lock_ik_z = child.use_ik_limit_x = True
    child.ik_min_x, child.ik_max_x = -0.5, 0.5
    found = _read(rig)
    assert found.joints[0].joint.axes[3].upper == pytest.approx(1.0, abs=1e-5)
    assert any("Bone 1" in each for each in found.left_out)


def test_a_bone_without_a_parent_is_free_but_for_its_locked_channels() -> None:
    rig = _rig(1)
    assert _read(rig).joints == ()
    root = rigs.bone(rig, "Bone 0")
    root.lock_location = (True, False, True)
    (joint,) = _read(rig).joints
    assert joint.joint.anchors.first == FIXED
    assert joint.joint.axes[:3] == (LOCKED, FREE, LOCKED)


def test_a_limit_of_location_lets_a_bone_slide_between_its_ends_in_lengths_of_the_world() -> None:
    sketches = [
        rigs.BoneSketch("Bone 0", (0, 0, 0), (0, 0, 1)),
        rigs.BoneSketch("Bone 1", (0, 0, 1), (0, 0, 2), "Bone 0", connected=False),
    ]
    rig = rigs.armature(sketches)
    rigs.carried_boxes(rig)
    rig.scale = (2.0, 2.0, 2.0)
    child = rigs.bone(rig, "Bone 1")
    child.location = (0.0, 0.25, 0.0)
    rigs.limit(child, "LIMIT_LOCATION", use_min_y=True, use_max_y=True, min_y=-0.125, max_y=0.5)
    found = _read(rig)
    axes = found.joints[0].joint.axes
    assert (axes[0], axes[2]) == (LOCKED, LOCKED)
    assert (axes[1].lower, axes[1].upper) == pytest.approx((-0.25, 1.0))
    shift = _turn_of(found.joints[0], found).translation
    np.testing.assert_allclose(np.abs(shift), [0.0, 0.5, 0.0], atol=1e-6)


def test_a_locked_part_of_a_quaternion_that_is_zero_is_a_locked_axis() -> None:
    rig = _rig()
    child = rigs.bone(rig, "Bone 1")
    assert child.rotation_mode == "QUATERNION"
    child.lock_rotations_4d, child.lock_rotation = True, (False, True, False)
    assert _joint(rig).joint.axes == (*STAYS, FREE, LOCKED, FREE)
    child.lock_rotation = (False, True, True)
    assert _joint(rig).joint.axes == (*STAYS, FREE, LOCKED, LOCKED)
    child.lock_rotation_w = True
    assert _joint(rig).joint.axes == (*STAYS, *STAYS)
