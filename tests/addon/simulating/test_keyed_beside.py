"""The keys of a simulation beside what the artist has keyed: seen on each frame, shared, and before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, current_view_layer, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import key, select

SWAY = ((1, 0.0), (6, 3.0), (11, 0.0))  # away from the first place between the first and the last frame only


def _on_a_bone(cube: bpy.types.Object) -> None:
    bpy.ops.object.armature_add()
    figure = present(bpy.context.object)
    bone = present(figure.pose).bones[0]
    for frame, x in SWAY:
        bone.location = (x, 0.0, 0.0)
        bone.keyframe_insert("location", frame=frame)
    cube.parent, cube.parent_type, cube.parent_bone = figure, "BONE", "Bone"


def _child_of(cube: bpy.types.Object) -> None:
    target = scenes.linked(bpy.data.objects.new("Target", None))
    for frame, x in SWAY:
        key(target, frame, (x, 0.0, 0.0))
    made: Any = cube.constraints.new("CHILD_OF")
    made.target = target


def _deltas(cube: bpy.types.Object) -> None:
    for frame, x in SWAY:
        cube.delta_location = (x, 0.0, 0.0)
        cube.keyframe_insert("delta_location", frame=frame)


@pytest.mark.parametrize(
    ("moves", "owner"),
    [
        (_on_a_bone, "owns its transform"),
        (_child_of, "owns its transform"),
        (_deltas, "keys, an NLA strip or a driver change its delta transform"),
    ],
)
def test_what_is_shown_elsewhere_on_a_frame_between_is_refused(
    moves: Callable[[bpy.types.Object], None], owner: str
) -> None:
    cube = scenes.cube("Cube", (0.0, 0.0, 30.0))
    moves(cube)
    current_scene().frame_set(1)
    current_view_layer().update()
    select(cube)
    refused(physplace.simulate, cube, f'"Cube": .*{owner}', frames=10)


def test_an_action_that_something_else_uses_is_refused() -> None:
    cube, other = scenes.cube("Cube", (0.0, 0.0, 30.0)), scenes.cube("Other")
    key(cube, 1, (0.0, 0.0, 30.0))
    mine: Any = cube.animation_data
    data: Any = other.animation_data_create()
    data.action = mine.action
    if hasattr(mine, "action_slot"):  # since Blender 4.4
        data.action_slot = mine.action_slot
    other.delta_location = (9.0, 0.0, 0.0)
    select(cube)
    refused(physplace.simulate, cube, '"Cube": it shares its action "CubeAction" with "Other"', frames=5)


@pytest.mark.parametrize("handle", ["FREE", "AUTO_CLAMPED"])
def test_the_motion_before_stays(handle: Any) -> None:
    cube = scenes.cube("Cube", (0.0, 0.0, 30.0))
    for frame, x in ((1, 0.0), (6, 1.0), (11, 6.0)):
        cube.location.x = x
        cube.keyframe_insert("location", frame=frame)
    for curve in curves_of(cube):
        for point in curve.keyframe_points:
            point.interpolation, point.handle_left_type, point.handle_right_type = "BEZIER", handle, handle
        if handle == "FREE":
            point.handle_left = (9.0, point.co[1] - 3.0)
        curve.update()
    before = [_shown(cube, frame) for frame in range(1, 12)]
    select(cube)
    assert physplace.simulate(frames=5) == {"FINISHED"}
    np.testing.assert_allclose([_shown(cube, frame) for frame in range(1, 12)], before, atol=1e-5)


def _shown(obj: bpy.types.Object, frame: int) -> float:
    current_scene().frame_set(frame)
    return float(scenes.world_matrix(obj)[0, 3])
