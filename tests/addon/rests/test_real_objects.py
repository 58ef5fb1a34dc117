"""Rests of objects as files have them: any rotation mode and scale, held by others, saved, linked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.writing.actions import curves_of
from physplace_addon.scene.writing.transform import rotation_property
from tests.addon import running
from tests.addon.rests import keyed_rests
from tests.blender_data import constrain, current_scene, load_object, physplace, rests_of
from tests.scene import scenes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "scale"),
    [
        ("QUATERNION", (-0.7, -0.5, -0.9)),
        ("AXIS_ANGLE", (-1.0, 1.0, 1.0)),
        ("XYZ", (-0.7, -0.5, -0.9)),
        ("ZYX", (1.0, 1.0, 1.0)),
    ],
)
def test_any_rotation_mode_and_scale_under_a_parent_with_deltas(mode: str, scale: tuple[float, ...]) -> None:
    floor, cube = scenes.floor(), scenes.cube()
    rig = scenes.linked(bpy.data.objects.new("Rig", None), (0.4, 0.0, 1.0))
    rig.rotation_euler, rig.scale = (0.2, 0.5, 0.1), (1.2, 1.2, 1.2)
    cube.parent, cube.scale = rig, scale
    cast("Any", cube).rotation_mode = mode
    cube.delta_location, cube.delta_rotation_euler = (0.1, 0.2, -0.3), (0.3, 0.0, 0.2)
    cube.delta_rotation_quaternion = (0.9, 0.1, 0.3, 0.0)
    keyed_rests.sequence(cube)
    size = cube.scale.to_tuple()
    floor.location.z = 0.5
    keyed_rests.replaced()
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.5)
    assert cube.scale.to_tuple() == size
    assert np.prod(size) == pytest.approx(np.prod(scale), rel=1e-5)
    assert {curve.data_path for curve in curves_of(cube)} == {"location", rotation_property(mode)}


@pytest.mark.slow
def test_quaternions_keep_their_side_and_angles_their_turn_from_key_to_key() -> None:
    scenes.floor()
    for mode in ("QUATERNION", "XYZ"):
        cube = scenes.cube(f"Cube {mode}")
        cube.rotation_mode = mode
        for number, angle in enumerate((0.0, 2.5, 5.0, 7.5)):
            keyed_rests.put(
                cube, 1 + 10 * number, (0.0, 5.0 if mode == "XYZ" else -5.0, 2.0), (0.1, 0.05, angle)
            )
            physplace.keyframe_rest()
        values = {c.array_index: c for c in curves_of(cube) if c.data_path == rotation_property(mode)}
        rows = np.array(
            [[values[i].evaluate(frame) for i in sorted(values)] for frame in (1.0, 11.0, 21.0, 31.0)]
        )
        if mode == "QUATERNION":
            assert np.all(np.sum(rows[1:] * rows[:-1], axis=1) > 0.0)
        else:
            np.testing.assert_allclose(np.diff(rows[:, 2]), 2.5, atol=0.2)


@pytest.mark.slow
def test_a_child_of_constraint_is_no_obstacle() -> None:
    floor, cube = scenes.floor(), scenes.cube()
    target = scenes.linked(bpy.data.objects.new("Target", None), (1.0, 0.0, 1.0))
    target.rotation_euler = (0.3, 0.2, 0.1)
    constrain(cube, "CHILD_OF", target)
    keyed_rests.sequence(cube)
    floor.location.z = 0.5
    keyed_rests.replaced()
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.5)


@pytest.mark.slow
def test_rests_come_back_from_a_file_and_with_an_appended_object(tmp_path: Path) -> None:
    scenes.floor()
    keyed_rests.sequence(scenes.cube())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rests.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rests.blend"))
    assert [rest.frame for rest in rests_of(bpy.data.objects["Cube"]).rests] == list(keyed_rests.FRAMES)
    bpy.data.objects["Floor"].location.z = 0.5
    scenes.activate(bpy.data.objects["Cube"])
    keyed_rests.replaced()
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(bpy.data.objects["Cube"], frame, 0.5)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    loaded = load_object(tmp_path / "rests.blend", "Cube")
    assert [rest.frame for rest in rests_of(loaded).rests] == list(keyed_rests.FRAMES)
    copy = loaded.copy()
    assert [rest.frame for rest in rests_of(copy).rests] == list(keyed_rests.FRAMES)


@pytest.mark.slow
def test_an_override_has_rests_and_a_linked_object_is_refused(tmp_path: Path) -> None:
    scenes.cube()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    floor = scenes.floor()
    linked = load_object(tmp_path / "library.blend", "Cube", link=True)
    current_scene().collection.objects.link(linked)
    running.refused(physplace.keyframe_rest, linked, '"Cube".*linked.*library override')
    own = linked.override_create(remap_local_usages=True)
    present(own.override_library).is_system_override = False
    keyed_rests.sequence(own)
    floor.location.z = 0.5
    keyed_rests.replaced()
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "user.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "user.blend"))
        own = next(obj for obj in bpy.data.objects if obj.override_library)
        assert [rest.frame for rest in rests_of(own).rests] == list(keyed_rests.FRAMES)
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(own, frame, 0.5)


def test_a_linked_object_is_part_of_the_world(tmp_path: Path) -> None:
    scenes.floor()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    linked = load_object(tmp_path / "library.blend", "Floor", link=True)
    current_scene().collection.objects.link(linked)
    cube = scenes.cube()
    keyed_rests.sequence(cube)
    for frame in keyed_rests.FRAMES:
        keyed_rests.assert_at_rest(cube, frame, 0.0)
