"""Linkages as they are read: which things are parts, which are joined, what is named, and bad input."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.jobs import finished
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.linkages.linkages import FoundLinkage
from physplace_addon.scene.linkages.reading import reading_linkage, reading_parts
from tests.blender_data import current_scene, current_view_layer, load_object, mesh_of, of_type
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint
from tests.scene.linkages import rigs


def _read(obj: bpy.types.Object) -> FoundLinkage:
    return finished(reading_parts(bpy.context, obj))


def _rig(count: int = 3) -> bpy.types.Object:
    rig = rigs.armature(rigs.chain(count))
    rigs.carried_boxes(rig)
    return rig


def _named(found: FoundLinkage) -> list[str]:
    return [part.name for part in found.parts]


def _joined(found: FoundLinkage) -> list[tuple[str, str]]:
    """The names of the parts that each joint joins, "" for the world."""
    names = [*_named(found), ""]
    ends = [(each.joint.anchors.first, each.joint.anchors.second) for each in found.joints]
    return [(names[first], names[second]) for first, second in ends]


def test_every_bone_with_a_mesh_is_a_part_and_hangs_on_its_parent() -> None:
    found = _read(_rig())
    assert _named(found) == ["Bone 0", "Bone 1", "Bone 2"]
    assert _joined(found) == [("Bone 0", "Bone 1"), ("Bone 1", "Bone 2")]
    assert all(part.is_solid for part in found.parts)
    middle = found.parts[1].pose.points(found.parts[1].body.mass.center)
    np.testing.assert_allclose(middle, (0.0, 0.0, 1.5), atol=1e-6)


def test_the_linkage_of_an_object_on_a_bone_is_that_of_the_armature() -> None:
    rig = _rig()
    assert _named(_read(bpy.data.objects["Box Bone 1"])) == _named(_read(rig))


def test_a_bone_without_a_mesh_between_others_is_a_part_that_nothing_touches() -> None:
    rig = rigs.armature(rigs.chain(4))
    rigs.carried_box(rig, "Bone 0")
    rigs.carried_box(rig, "Bone 2")
    found = _read(rig)
    assert _named(found) == ["Bone 0", "Bone 1", "Bone 2"], "the last one has nothing on or below it"
    assert [part.is_solid for part in found.parts] == [True, False, True]
    assert found.parts[1].body.radius > 0.0


def _skinned(rig: bpy.types.Object, rings: int = 12, around: int = 8) -> bpy.types.Object:
    """A tube along z with rings of vertices, weighted to the bones by their height, blended at the joints."""
    heights = np.linspace(0.05, 2.95, rings)
    angles = 2.0 * np.pi * np.arange(around) / around
    points = [(0.2 * np.cos(a), 0.2 * np.sin(a), z) for z in heights for a in angles]
    faces = [
        (
            r * around + i,
            r * around + (i + 1) % around,
            (r + 1) * around + (i + 1) % around,
            (r + 1) * around + i,
        )
        for r in range(rings - 1)
        for i in range(around)
    ]
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(
        points, [], [*faces, tuple(range(around))[::-1], tuple(range(len(points) - around, len(points)))]
    )
    obj = scenes.linked(bpy.data.objects.new("Skin", mesh))
    groups = [obj.vertex_groups.new(name=f"Bone {i}") for i in range(3)]
    for number, (_, _, z) in enumerate(points):
        for bone, group in enumerate(groups):
            weight = float(np.clip(1.5 - abs(z - bone - 0.5) / 0.5 * 1.0, 0.0, 1.0))
            if weight > 0.0:
                group.add([number], weight, "REPLACE")
    modifier = obj.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = rig
    current_view_layer().update()
    return obj


def test_a_weighted_mesh_is_taken_apart_by_the_bone_that_has_most_of_each_face() -> None:
    rig = rigs.armature(rigs.chain(3))
    skin = _skinned(rig)
    found = _read(skin)
    assert _named(found) == ["Bone 0", "Bone 1", "Bone 2"]
    total = 0
    for number, part in enumerate(found.parts):
        heights = part.pose.points(part.body.triangles.reshape(-1, 3))[:, 2].reshape(-1, 3)
        middle = heights.mean(axis=1)
        assert (middle > number - 0.1).all()
        assert (middle < number + 1.1).all()
        assert part.shown == {"Skin"}
        total += part.body.point_count
    assert total > len(mesh_of(skin).vertices)
    assert skin.name_full in found.families


def test_faces_without_weights_are_named_and_those_of_owned_bones_go_with_no_other() -> None:
    rig = rigs.armature(rigs.chain(3))
    skin = _skinned(rig)
    rigs.bone(rig, "Bone 2").driver_add("rotation_quaternion", 1)
    found = _read(rig)
    assert _named(found) == ["Bone 0", "Bone 1"]
    highest = max(part.pose.points(part.body.triangles.reshape(-1, 3))[:, 2].max() for part in found.parts)
    assert highest < 2.3, "what Bone 2 has most of is not of Bone 1"
    skin.vertex_groups.remove(skin.vertex_groups["Bone 0"])
    assert 'the faces without weights of "Skin"' in _read(rig).left_out


def test_pieces_do_not_depend_on_the_pose_in_which_they_are_read() -> None:
    rig = rigs.armature(rigs.chain(3))
    _skinned(rig)
    rest = _read(rig)
    bone = rigs.bone(rig, "Bone 1")
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    posed = _read(rig)
    assert rigs.bone(rig, "Bone 1").rotation_quaternion[1] == pytest.approx(0.6)
    assert of_type(rig.data, bpy.types.Armature).pose_position == "POSE"
    for before, after in zip(rest.parts, posed.parts, strict=True):
        np.testing.assert_allclose(after.body.triangles, before.body.triangles, atol=1e-6)


def test_bodies_are_kept_from_one_reading_to_the_next_in_any_pose() -> None:
    rig = rigs.armature(rigs.chain(3))
    _skinned(rig)
    before = [part.body for part in _read(rig).parts]
    rigs.set_rotation(rigs.bone(rig, "Bone 1"), "XYZ", (0.3, 0.2, 0.1))
    current_view_layer().update()
    for part, known in zip(_read(rig).parts, before, strict=True):
        assert part.body is known, "with its box tree, and all that contact has found of it"


def test_objects_that_constraints_join_are_parts_and_passive_ones_stand_still() -> None:
    post, arm, hand = (rigs.box(name, (0.2, 0.2, 0.9)) for name in ("Post", "Arm", "Hand"))
    for height, obj in enumerate((post, arm, hand)):
        obj.location = (0.0, 0.0, 2.0 * height)
    alone = scenes.cube("Alone", (9.0, 0.0, 0.0))
    body(post, "PASSIVE")
    for first, second in ((post, arm), (arm, hand)):
        constraint("POINT", first, second)
    current_view_layer().update()
    found = _read(arm)
    assert sorted(_named(found)) == ["Arm", "Hand"]
    assert sorted(_joined(found)) == [("", "Arm"), ("Arm", "Hand")]
    assert alone.name_full not in found.families


def test_a_child_is_welded_to_its_parent() -> None:
    arm, hand, ring = (rigs.box(name, (0.2, 0.2, 0.9)) for name in ("Arm", "Hand", "Ring"))
    ring.parent = hand
    constraint("POINT", arm, hand)
    current_view_layer().update()
    found = _read(ring)
    assert sorted(_named(found)) == ["Arm", "Hand"]
    assert {"Hand", "Ring"} in [set(part.shown) for part in found.parts]


def test_two_figures_that_are_joined_in_a_loop_are_one_linkage() -> None:
    first, second = _rig(2), rigs.armature(rigs.chain(2), "Other")
    rigs.carried_boxes(second)
    second.location = (0.5, 0.0, 0.0)
    for one, other in (("Box Bone 0", "Box Bone 0.001"), ("Box Bone 1", "Box Bone 1.001")):
        constraint("POINT", bpy.data.objects[one], bpy.data.objects[other])
    current_view_layer().update()
    found = _read(first)
    assert _named(found) == ["Bone 0", "Bone 1"] * 2
    ends = {(each.joint.anchors.first, each.joint.anchors.second) for each in found.joints}
    assert ends == {(0, 1), (2, 3), (0, 2), (1, 3)}


def test_the_world_around_a_linkage_is_read_and_what_is_far_away_is_not() -> None:
    rig = _rig()
    scenes.floor()
    scenes.cube("Far", (900.0, 0.0, 0.0))
    scenario = finished(reading_linkage(bpy.context, rig))
    assert [each.name for each in scenario.world.bodies] == ["Floor"]
    far = [pose.displaced((898.0, 0.0, 0.0), np.zeros(3), np.zeros(3)) for pose in scenario.found.poses]
    assert not scenario.misses(scenario.found.poses)
    assert scenario.misses(far)


# bad input


def _refused(obj: bpy.types.Object, match: str) -> None:
    before = {each.name: scenes.world_matrix(each) for each in bpy.data.objects}
    with pytest.raises(SceneError, match=match):
        _read(obj)
    for name, matrix in before.items():
        np.testing.assert_array_equal(scenes.world_matrix(bpy.data.objects[name]), matrix)


def test_an_object_that_nothing_is_joined_to_is_refused() -> None:
    _refused(scenes.cube(), "nothing is joined to it")


def test_an_armature_without_meshes_is_refused() -> None:
    _refused(rigs.armature(rigs.chain(2)), "none of its bones carries a visible mesh")


def test_a_bone_that_is_scaled_to_zero_is_named() -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 1").scale = (1.0, 0.0, 1.0)
    _refused(rig, 'its bone "Bone 1" is scaled to next to zero')


def test_an_uneven_scale_above_a_bone_is_named() -> None:
    rig = _rig()
    rig.scale = (1.0, 1.0, 3.0)
    _refused(rig, "is stretched more along one axis than another")


def test_a_driver_on_a_bone_leaves_it_and_all_below_it_out() -> None:
    rig = _rig(4)
    rigs.bone(rig, "Bone 2").driver_add("rotation_quaternion", 1)
    found = _read(rig)
    assert _named(found) == ["Bone 0", "Bone 1"]
    assert found.left_out == ('the motion by itself, as a driver owns its rotation_quaternion, of "Bone 2"',)


@pytest.mark.parametrize("kind", ["COPY_ROTATION", "COPY_LOCATION", "COPY_TRANSFORMS", "DAMPED_TRACK"])
def test_a_constraint_that_owns_a_bone_is_named(kind: str) -> None:
    rig = _rig(3)
    made = rigs.limit(rigs.bone(rig, "Bone 2"), kind, target=scenes.cube("Target", (5.0, 0.0, 0.0)))
    found = _read(rig)
    assert _named(found) == ["Bone 0", "Bone 1"]
    assert f'its constraint "{made.name}" owns its pose' in found.left_out[0]
    made.mute = True
    assert _named(_read(rig)) == ["Bone 0", "Bone 1", "Bone 2"]


def test_inverse_kinematics_own_all_bones_of_their_chain() -> None:
    rig = _rig(4)
    rigs.limit(rigs.bone(rig, "Bone 3"), "IK", target=scenes.cube("Target", (5.0, 0.0, 0.0)), chain_count=2)
    assert _named(_read(rig)) == ["Bone 0", "Bone 1"]


def test_a_linked_armature_without_an_override_is_refused(tmp_path: Path) -> None:
    rig, path = _rig(), tmp_path / "rig.blend"
    bpy.data.libraries.write(str(path), {rig, *rig.children})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    linked = load_object(path, "Rig", link=True)
    current_scene().collection.objects.link(linked)
    current_view_layer().update()
    with pytest.raises(SceneError, match=r"it is linked from .*override"):
        _read(linked)


def test_a_linked_figure_is_not_taken_for_a_local_one_of_its_name(tmp_path: Path) -> None:
    rig, path = _rig(), tmp_path / "rig.blend"
    bpy.data.libraries.write(str(path), {rig, *rig.children})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    linked = load_object(path, "Rig", link=True)
    for each in (linked, *linked.children):
        current_scene().collection.objects.link(each)
    local = _rig(2)
    current_view_layer().update()
    assert (local.name, linked.name) == ("Rig", "Rig")
    assert _named(_read(local)) == ["Bone 0", "Bone 1"]
    with pytest.raises(SceneError, match=r"it is linked from .*override"):
        _read(linked)


def test_a_linked_joint_is_not_taken_for_a_local_one_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "joint.blend"
    ends = [rigs.box("Arm", (0.2, 0.2, 0.9)), rigs.box("Hand", (0.2, 0.2, 0.4))]
    bpy.data.libraries.write(str(path), {*ends, constraint("POINT", *ends)})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    linked = load_object(path, "Joint", link=True)
    current_scene().collection.objects.link(linked)
    ends = [rigs.box("Arm", (0.2, 0.2, 0.9)), rigs.box("Hand", (0.2, 0.2, 0.4))]
    holder = constraint("POINT", *ends)
    assert (holder.name, linked.name) == ("Joint", "Joint")
    (joint,) = _read(ends[0]).joints
    assert joint.holder is not None
    assert joint.holder.object == holder


def test_a_constraint_without_a_second_object_is_named() -> None:
    arm = rigs.box("Arm", (0.2, 0.2, 0.9))
    constraint("POINT", arm, None)
    _refused(arm, "has no Second object")


def test_a_joint_to_the_world_has_the_world_for_its_first_body() -> None:
    rig = _rig(1)
    rigs.bone(rig, "Bone 0").lock_location = (True, True, True)
    (joint,) = _read(rig).joints
    assert joint.joint.anchors.first == FIXED


def test_a_driver_on_the_root_of_an_armature_is_named() -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 0").driver_add("location", 1)
    _refused(rig, 'its bone "Bone 0" does not move by itself, as a driver owns its location; mute')


@pytest.mark.parametrize("carrying", ["nothing", "a child", "weights"])
def test_a_bone_that_something_owns_is_named_only_if_it_would_carry_something(carrying: str) -> None:
    rig = rigs.armature(rigs.chain(3))
    if carrying == "a child":
        rigs.carried_box(rig, "Bone 1")
    elif carrying == "weights":
        _skinned(rig)
    rigs.bone(rig, "Bone 0").driver_add("location", 1)
    without = "none of its bones carries a visible mesh"
    _refused(rig, without if carrying == "nothing" else '"Bone 0" does not move by itself')


def test_an_armature_in_its_rest_position_is_named() -> None:
    rig = _rig()
    of_type(rig.data, bpy.types.Armature).pose_position = "REST"
    _refused(rig, "it is shown in its rest position; choose Pose Position")


@pytest.mark.parametrize("scale", [0.0, 1e-7])
def test_a_bone_that_is_scaled_to_next_to_nothing_is_named(scale: float) -> None:
    rig = _rig()
    rigs.bone(rig, "Bone 1").scale = (scale, scale, scale)
    _refused(rig, 'its bone "Bone 1" is scaled to next to zero')


def test_locked_channels_of_objects_on_constraints_are_named() -> None:
    arm, hand = rigs.box("Arm", (0.2, 0.2, 0.9)), rigs.box("Hand", (0.2, 0.2, 0.4))
    constraint("POINT", arm, hand)
    hand.lock_rotation = (False, True, False)
    assert 'the locked channels of "Hand"' in _read(arm).left_out


def test_the_locked_fourth_number_of_a_quaternion_is_named_and_locks_of_what_stands_are_not() -> None:
    post, arm = rigs.box("Post", (0.2, 0.2, 0.9)), rigs.box("Arm", (0.2, 0.2, 0.4))
    constraint("POINT", post, arm)
    body(post, "PASSIVE")
    body(arm)
    for obj in (post, arm):
        obj.rotation_mode = "QUATERNION"
        obj.lock_rotations_4d = obj.lock_rotation_w = True
    assert _read(arm).left_out == ('the locked channels of "Arm"',)
    assert _read(post).left_out == ('the locked channels of "Arm"',)
    arm.lock_rotations_4d = False
    assert _read(arm).left_out == ()


def test_faces_that_have_no_place_are_named_on_bones_in_skins_and_beside_the_figure() -> None:
    rig = _rig()
    skin, post = _skinned(rig), rigs.box("Post", (0.2, 0.2, 0.9))
    post.location = (0.8, 0.0, 1.0)
    for obj in (bpy.data.objects["Box Bone 1"], skin, post):
        mesh_of(obj).vertices[0].co.x = float("nan")
    current_view_layer().update()
    lost = "the faces with vertices that are not finite numbers"
    found = finished(reading_linkage(bpy.context, rig))
    assert [note for note in found.left_out if note.startswith(lost)] == [
        f'{lost} of "Box Bone 1" and "{skin.name}"',
        f'{lost} of "Post"',
    ]
