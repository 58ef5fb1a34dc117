"""Blobs in a real window: the surface follows control points moved by whatever tool, and all ends cleanly."""

from __future__ import annotations

import bpy
from mathutils import Vector

from tests.window import extension
from tests.window.hand import Hand
from tests.window.leftovers import Bars, Told, assert_nothing_is_left

BESIDE = Vector((2.0, 0.0, 0.0))
SCULPT = "PHYSPLACE_OT_blob_sculpt"


def places() -> dict[str, tuple[float, ...]]:
    """Where every element is, and how large."""
    return {obj.name: (*obj.location, obj.scale.x) for obj in bpy.data.objects if "blob.element" in obj}


def at(name: str) -> Vector:
    return bpy.data.objects[name].matrix_world.translation.copy()


async def a_blob(hand: Hand) -> Bars:
    """Two balls side by side in one blob, with a control point at the right end and one on the left."""
    bpy.ops.physplace.blob_add(location=(-1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_add(location=(1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(2.2, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(-2.2, 0.0, 0.0))
    for name, new in (("Control", "Right"), ("Control.001", "Left")):
        bpy.data.objects[name].name = new
    activate("Right")
    await hand.look_from_the_front(centre=(0.0, 0.0, 0.0), distance=14.0)
    hand.scene_is_ready()
    await hand.move_to(hand.at((0.0, 0.0, 3.0)))
    return await Bars.of(hand)


def activate(name: str) -> None:
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]


async def begun(hand: Hand) -> Told:
    """The blob is being sculpted, and its surface shown."""
    before = await a_blob(hand)
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.physplace.blob_sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == [SCULPT]
    await hand.wait(40)
    return await Told.of(hand, before)


async def test_g_on_a_control_point_moves_the_surface(hand: Hand) -> None:
    told = await begun(hand)
    start = places()
    await hand.screenshot("blob_sculpting")
    await hand.move_to(hand.at(at("Right")))
    await hand.press("G")
    await hand.glide_to(hand.at(at("Right") + Vector((1.0, 0.0, 1.0))), 20)
    await hand.wait(20)
    await hand.screenshot("blob_pulled")
    assert places()["Sphere.001"][0] > start["Sphere.001"][0] + 0.3, "the surface follows while G goes on"
    await hand.press("RET")
    assert extension.open_sessions() == [SCULPT], "Enter ended G, not the sculpting"
    await hand.wait(30)
    await hand.press("RET")
    await assert_nothing_is_left(hand, told)
    assert at("Right").x > 2.8
    assert at("Left").x < -1.9
