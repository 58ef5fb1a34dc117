"""The list of rests in the sidebar, worked as an artist does, and again when what they stand on is raised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender_data import animation_of, current_scene, physplace, rests_of, scene_settings
from tests.oracles.triangles import crossings
from tests.window import extension, still_life
from tests.window.user import User

FRAMES = (1, 20, 40)
TOUCHING = 2e-5


def mug() -> bpy.types.Object:
    return bpy.data.objects["Mug"]


def triangles(obj: bpy.types.Object) -> np.ndarray:
    """The triangles (n, 3, 3) that Blender shows of an object, in the world."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    points = np.array([vertex.co for vertex in mesh.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
    corners: np.ndarray = points[np.array([triangle.vertices for triangle in mesh.loop_triangles])]
    return corners


def assert_at_rest_on_its_frames(raised: float) -> None:
    """On each frame the mug stands on its step, and no triangle of it passes through one of the steps."""
    for number, frame in enumerate(FRAMES):
        current_scene().frame_set(frame)
        held, steps = triangles(mug()), triangles(bpy.data.objects["Steps"])
        assert held[..., 2].min() == pytest.approx(number + raised, abs=TOUCHING)
        assert len(crossings(held, steps, TOUCHING)) == 0


def keys(*kinds: str) -> list[float]:
    """The frames of the mug's keys of these types."""
    points = [point for curve in curves() for point in curve.keyframe_points]
    return sorted({float(point.co[0]) for point in points if point.type in kinds})


def animated(obj: bpy.types.Object) -> Any:
    """The animation data of an object, with the slots of Blender 4.4 that its type stubs do not know."""
    return obj.animation_data


def curves() -> Iterator[bpy.types.FCurve]:
    """The curves of the mug's own slot; before Blender 4.4 an action has no slots."""
    data = animated(mug())
    if not hasattr(data, "action_slot"):
        yield from data.action.fcurves
        return
    for layer in data.action.layers:
        for strip in layer.strips:
            yield from strip.channelbag(data.action_slot).fcurves


async def until_rests(user: User, count: int) -> None:
    """Wait until the mug has so many rests."""
    await user.until(lambda: len(rests_of(mug()).rests) == count)


async def three_rests(user: User) -> None:
    """A mug is keyed at rest on three steps; its action also moves a lamp."""
    still_life.steps()
    made = still_life.mug()
    lamp = bpy.data.objects.new("Lamp", None)
    current_scene().collection.objects.link(lamp)
    if hasattr(bpy.types, "ActionSlot"):
        lamp.keyframe_insert("location", frame=5)
        made.animation_data_create().action = animation_of(lamp).action
    await still_life.show(user, (5.2, 0.0, 1.2), 15.0, tab=True)
    scene_settings().eps_max = 0.2
    for number, frame in enumerate(FRAMES):
        current_scene().frame_set(frame)
        mug().location, mug().rotation_euler = (3.0 * number, 0.0, 1.9 + number), (0.0, 0.12, 0.5 * number)
        await user.click_button("physplace.keyframe_rest")
        await until_rests(user, number + 1)


async def test_three_rests_are_rests_again_by_one_click_when_what_they_stand_on_is_raised(user: User) -> None:
    await three_rests(user)
    assert keys("KEYFRAME") == list(FRAMES)
    assert_at_rest_on_its_frames(0.0)
    assert physplace.rest_push_add() == {"FINISHED"}
    user.area.tag_redraw()
    await user.screenshot("three-rests")
    assert physplace.rest_force_remove(number=0) == {"FINISHED"}
    bpy.data.objects["Steps"].location.z = 0.6
    user.scene_is_ready()
    first = [tuple(rest.rest_location) for rest in rests_of(mug()).rests]
    await user.click_button("physplace.rests_replace")
    await user.until(lambda: [tuple(rest.rest_location) for rest in rests_of(mug()).rests] != first)
    assert current_scene().frame_current == FRAMES[-1]
    assert keys("KEYFRAME") == list(FRAMES)
    assert keys("GENERATED") == []
    assert_at_rest_on_its_frames(0.6)
    await user.screenshot("three-rests-again")
    await user.undo()
    assert [tuple(rest.rest_location) for rest in rests_of(mug()).rests] == first


async def test_the_way_is_keyed_in_the_active_slot_as_sparsely_as_the_error_allows(user: User) -> None:
    await three_rests(user)
    settings = scene_settings()
    settings.key_path, settings.eps_max = True, 0.05
    counts = []
    for error in (0.0, 0.05):
        settings.key_error = error
        await user.click_button("physplace.rests_replace")
        await user.until(lambda: not extension.open_sessions())
        counts.append(len(keys("GENERATED")))
    assert counts[0] > counts[1] > 0
    for frame in keys("GENERATED"):
        current_scene().frame_set(int(frame))
        assert len(crossings(triangles(mug()), triangles(bpy.data.objects["Steps"]), TOUCHING)) == 0
    assert_at_rest_on_its_frames(0.0)
    if hasattr(bpy.types, "ActionSlot"):
        lamp, data = animated(bpy.data.objects["Lamp"]), animated(mug())
        assert lamp.action == data.action
        assert lamp.action_slot != data.action_slot
        (strip,) = lamp.action.layers[0].strips
        assert {len(curve.keyframe_points) for curve in strip.channelbag(lamp.action_slot).fcurves} == {1}


async def test_with_automatic_keying_a_placement_is_keyed_when_it_is_confirmed(user: User) -> None:
    await three_rests(user)
    tools = current_scene().tool_settings
    tools.use_keyframe_insert_auto, tools.auto_keying_mode = True, "ADD_REPLACE_KEYS"
    current_scene().frame_set(60)
    mug().location, mug().rotation_euler = (3.0, 0.0, 2.4), (0.1, 0.0, 0.0)
    await user.click_button("physplace.place")
    await user.until(lambda: mug().location.z == pytest.approx(2.0, abs=TOUCHING))
    assert keys("KEYFRAME") == list(FRAMES)
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    await user.press("RET")
    assert keys("KEYFRAME") == [*FRAMES, 60]
