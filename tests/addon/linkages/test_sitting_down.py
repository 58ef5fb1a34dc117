"""*Sit Down* run by scripts: figures of objects and of bones come to rest, with reports, keys and undo."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, current_view_layer, mesh_of, physplace, preferences, report_of
from tests.oracles.triangles import crossings
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint
from tests.scene.linkages import rigs
from tests.scene.linkages.standing_figure import figure_bent_over_the_seat, overlaps


def arm() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two bars of length 1, one after the other, that a hinge about y joins to a post at the origin, and
    another one to each other; they are 60 degrees below level.
    """
    along = np.array([0.5, 0.0, -(0.75**0.5)])
    post = rigs.box("Post", (0.1, 0.1, 0.1))
    post.location = (-0.3, 0.0, 0.0)
    body(post, "PASSIVE")
    bars = []
    for number in range(2):
        bar = rigs.box(f"Bar {number}", (0.45, 0.05, 0.05))
        bar.location = ((0.5 + number) * along).tolist()
        bar.rotation_euler = (0.0, np.pi / 3.0, 0.0)
        body(bar)
        bars.append(bar)
    for first, second, place in ((post, bars[0], 0.0), (bars[0], bars[1], 1.0)):
        holder = constraint("HINGE", first, second)
        holder.location = (place * along).tolist()
        holder.rotation_euler = (0.5 * np.pi, 0.0, 0.0)  # its z is along y
    current_view_layer().update()
    scenes.activate(bars[0])
    return bars[0], bars[1]


def ends_of(bar: bpy.types.Object) -> np.ndarray:
    matrix = np.array(bar.matrix_world)
    return np.array([(matrix @ (x, 0.0, 0.0, 1.0))[:3] for x in (-0.5, 0.5)])


@pytest.mark.slow
def test_bars_on_hinges_come_to_hang_and_stay_joined() -> None:
    first, second = arm()
    assert physplace.linkage_sit(stiffness=0.0) == {"FINISHED"}
    np.testing.assert_allclose(ends_of(first), [(0.0, 0.0, 0.0), (0.0, 0.0, -1.0)], atol=2e-6)
    np.testing.assert_allclose(ends_of(second), [(0.0, 0.0, -1.0), (0.0, 0.0, -2.0)], atol=2e-6)
    for bar in (first, second):
        found = report_of(bar)
        assert (found["status"], found["stable"]) == ("BALANCED", True)
        assert found["joint_force"] == pytest.approx(2.0, abs=1e-6)
        assert found["joint_gap"] < 1e-9


def test_stiff_joints_keep_the_pose_and_locked_ones_the_angle() -> None:
    first, second = arm()
    bpy.data.objects["Joint.001"]["physplace_stiffness"] = 1.0  # the elbow
    assert physplace.linkage_sit(stiffness=0.0) == {"FINISHED"}
    np.testing.assert_allclose(ends_of(second)[1], (0.0, 0.0, -2.0), atol=2e-6)
    np.testing.assert_allclose(ends_of(first)[1], ends_of(second)[0], atol=2e-6)


def test_stiff_joints_hold_the_pose() -> None:
    first, second = arm()
    before = [ends_of(bar) for bar in (first, second)]
    assert physplace.linkage_sit(stiffness=0.9) == {"FINISHED"}
    for bar, ends in zip((first, second), before, strict=True):
        np.testing.assert_allclose(ends_of(bar), ends, atol=1e-6)
    holding = float(str(report_of(first)["joint_holding"]))
    assert 0.0 < holding < 1.0


def test_the_spring_of_a_constraint_holds_what_hangs_on_it() -> None:
    """A bar of mass 1 turns down from level until k a = m g cos(a) / 2."""
    post, bar = rigs.box("Post", (0.1, 0.1, 0.1)), rigs.box("Bar", (0.45, 0.05, 0.05))
    post.location, bar.location = (-0.3, 0.0, 0.0), (0.5, 0.0, 0.0)
    body(post, "PASSIVE")
    body(bar, mass=1.0)
    every = [f"{way}_{axis}" for way in ("lin", "ang") for axis in "xyz"]
    settings: dict[str, object] = {f"use_limit_{each}": True for each in every}
    settings |= {f"limit_lin_{axis}_{end}": 0.0 for axis in "xyz" for end in ("lower", "upper")}
    settings |= {f"limit_ang_{axis}_{end}": 0.0 for axis in "xz" for end in ("lower", "upper")}
    settings |= {"use_limit_ang_y": False, "use_spring_ang_y": True, "spring_stiffness_ang_y": 10.0}
    constraint("GENERIC_SPRING", post, bar, **settings)
    current_view_layer().update()
    scenes.activate(bar)
    assert physplace.linkage_sit(stiffness=0.0) == {"FINISHED"}
    start, end = ends_of(bar)
    angle = float(np.arcsin(start[2] - end[2]))
    gravity = -float(current_scene().gravity[2])
    assert 10.0 * angle == pytest.approx(0.5 * gravity * np.cos(angle), rel=1e-5)


def _crane() -> bpy.types.Object:
    """An upright chain of two bones above a floor."""
    scenes.floor()
    rig = rigs.armature(rigs.chain(2))
    rigs.carried_boxes(rig)
    rig.location = (0.0, 0.0, 0.2)
    current_view_layer().update()
    scenes.activate(rig)
    return rig


def _lowest(rig: bpy.types.Object) -> float:
    corners = [
        np.array(box.matrix_world) @ (*corner, 1.0) for box in rig.children for corner in box.bound_box
    ]
    return float(np.min(corners, axis=0)[2])


@pytest.mark.slow
def test_a_chain_of_bones_falls_over_on_the_floor() -> None:
    rig = _crane()
    rigs.set_rotation(rigs.bone(rig, "Bone 0"), "XYZ", (1.0, 0.1, 0.0))
    current_view_layer().update()
    assert physplace.linkage_sit(stiffness=0.0, friction=0.0) == {"FINISHED"}
    found = report_of(rig)
    assert (found["status"], found["stable"]) == ("BALANCED", True)
    assert abs(_lowest(rig)) < 1e-5
    heights = [float(rigs.bone_matrix(rig, f"Bone {i}")[2, 3]) for i in range(2)]
    assert max(heights) < 0.2


@pytest.mark.slow
def test_parts_that_overlap_only_in_the_rest_pose_go_through_each_other_and_are_named() -> None:
    rig = rigs.armature(rigs.chain(3))
    for name, half in (("Bone 0", 0.5), ("Bone 1", 0.5), ("Bone 2", 1.6)):  # the last one reaches the first
        rigs.carried_box(rig, name, (0.12, half, 0.12))
    rigs.set_rotation(rigs.bone(rig, "Bone 2"), "XYZ", (1.57, 0.0, 0.0))
    scenes.floor()
    current_view_layer().update()
    scenes.activate(rig)
    physplace.linkage_sit(stiffness=1.0)
    assert '"Bone 0" and "Bone 2" overlap at rest, and go through each other' in str(report_of(rig)["notes"])


def test_automatic_keying_keys_the_bones_that_moved() -> None:
    current_scene().tool_settings.use_keyframe_insert_auto = True
    preferences().edit.use_keyframe_insert_available = False
    rig = _crane()
    assert physplace.linkage_sit(stiffness=0.9) == {"FINISHED"}
    assert any("pose.bones" in curve.data_path for curve in curves_of(rig))


def test_a_stiffness_that_is_none_is_named() -> None:
    rig = _crane()
    rigs.bone(rig, "Bone 1")["physplace_stiffness"] = "hard"
    refused(physplace.linkage_sit, rig, "Bone 1.*physplace_stiffness.*from 0 for free to 1 for locked")


def test_a_figure_with_nothing_below_is_left_in_place() -> None:
    rig = rigs.armature(rigs.chain(2))
    rigs.carried_boxes(rig)
    scenes.activate(rig)
    before = np.array(rigs.bone(rig, "Bone 1").matrix)
    assert physplace.linkage_sit() == {"FINISHED"}
    assert report_of(rig)["status"] == "NO_SUPPORT"
    np.testing.assert_array_equal(np.array(rigs.bone(rig, "Bone 1").matrix), before)


def sunk_pairs(rig: bpy.types.Object) -> list[tuple[str, str]]:
    """What of a figure passes through what is around it, also after it is lifted by more than a chain
    of single precision hides.
    """
    around = [obj for obj in bpy.data.objects if obj.type == "MESH" and obj.parent is None]
    lift = np.array([0.0, 0.0, 1e-6])
    return [
        (part.name, other.name)
        for part in rig.children
        for other in around
        if len(crossings(triangles_of(part) + lift, triangles_of(other), 0.0))
    ]


def triangles_of(obj: bpy.types.Object) -> np.ndarray:
    mesh = mesh_of(obj)
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices])
    matrix = np.array(obj.matrix_world)
    placed: np.ndarray = points @ matrix[:3, :3].T + matrix[:3, 3]
    corners: np.ndarray = placed[np.array([triangle.vertices for triangle in mesh.loop_triangles])]
    return corners


@pytest.mark.slow
def test_a_figure_of_sixteen_parts_sits_down_on_a_chair() -> None:
    rig = figure_bent_over_the_seat()
    assert overlaps() == []
    assert physplace.linkage_sit() == {"FINISHED"}
    found = report_of(rig)
    assert found["status"] in ("BALANCED", "BALANCED_BY_FRICTION")
    assert found["stable"]
    assert found["residual_force"] < 1e-6
    assert set(found["rests_on"]) == {"Seat", "Floor"}
    assert 0.0 < found["joint_holding"] < 1.0
    assert sunk_pairs(rig) == []
    for side in ("L", "R"):  # the knees still bend about their own axes alone
        turned = rigs.bone(rig, f"Shin.{side}").matrix_basis.to_quaternion()
        assert max(abs(turned.y), abs(turned.z)) < 1e-6
