"""What keys and mouse do to a placement, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import bpy
import numpy as np
from mathutils import Vector

from tests.scene import scenes
from tests.window import extension
from tests.window.hand import Hand
from tests.window.placements import START, assert_nothing_is_open, begun, cube_at, header, operator, placing

key_of = partial(extension.key_of, "PhysPlace: Placing")


def is_at(*place: float, name: str = "Cube") -> Callable[[], bool]:
    """Whether a cube is somewhere, to a tenth of a millimetre."""
    return lambda: (cube_at(name) - Vector(place)).length < 1e-4


async def test_numbers_take_minus_and_backspace_and_are_told(hand: Hand) -> None:
    await begun(hand)
    for key in "GX":
        await hand.press(key)
    await hand.type_text("-1.57")
    await hand.press("BACK_SPACE")
    await hand.until(is_at(-1.5, 0.0, 1.0))
    assert header().startswith("Cube: Move -1.5000 0.0000 0.0000 along X [-1.5|]")
    await hand.screenshot("placing-numbers")
    await hand.type_text("-")
    await hand.until(is_at(1.5, 0.0, 1.0))
    await hand.press("Y")
    await hand.until(is_at(0.0, 1.5, 1.0))
    await hand.press("R")
    assert header().startswith("Cube: Turn 0.00")
    for key in "RZ":
        await hand.press(key)
    await hand.type_text("90")
    await hand.until(lambda: abs(bpy.data.objects["Cube"].rotation_euler.z - np.pi / 2.0) < 1e-4)
    assert header().startswith("Cube: Turn 90.00° about Z [90|]")
    await hand.press("RET")
    await hand.press("ESC")
    assert_nothing_is_open()


async def test_shift_and_an_axis_keep_it_in_a_plane(hand: Hand) -> None:
    await begun(hand)
    await hand.press("G")
    await hand.press("X", shift=True)
    await hand.glide_to(hand.at((6.0, 0.0, 6.0)), steps=4)
    await hand.until(lambda: cube_at().z > 2.8)
    assert abs(cube_at().x) < 1e-9
    assert "locking X" in header()
    await hand.press("ESC")
    await hand.press("ESC")


async def test_while_it_is_paused_it_is_moved_and_scrubbed_and_goes_on_from_there(hand: Hand) -> None:
    await begun(hand)
    await hand.press("SPACE")
    assert "paused" in header()
    for key in "GX":
        await hand.press(key)
    await hand.type_text("2")
    await hand.until(is_at(2.0, 0.0, 1.0))
    await hand.press("RET")
    last = len(operator().steering.placing.solver.states) - 1
    await hand.press("LEFT_ARROW", shift=True)
    await hand.press("RIGHT_ARROW", shift=True)
    assert f"state {last} of {last}" in header()
    await hand.press("LEFT_ARROW", shift=True)
    await hand.press("LEFT_ARROW")
    assert f"state {last - 11} of {last}" in header()
    before = cube_at()
    assert before.z > 1.0 or before.x < 2.0
    await hand.move_to(hand.at(before))
    await hand.hold()
    await hand.glide_to(hand.at(before + Vector((-3.0, 0.0, 0.0))), steps=4)
    await hand.until(lambda: cube_at().x < before.x - 0.3)
    assert "paused" not in header(), "a pull goes on from what is shown"
    await hand.release()
    await hand.until(lambda: abs(cube_at().z - 1.0) < 1e-4)
    await hand.press("ESC")
    assert cube_at().z == START


async def test_m_leaves_a_rest_that_the_least_push_would_end(hand: Hand) -> None:
    scenes.floor()
    scenes.surface("Base", "sphere", (0.0, 0.0, 1.0), radius=1.0)
    await placing(hand, scenes.surface("Ball", "sphere", (0.0, 0.0, 3.5), radius=1.0))
    await hand.until(lambda: "Ball: at rest" in header())
    assert is_at(0.0, 0.0, 3.0, name="Ball")()
    await hand.press("M")
    await hand.until(lambda: abs(cube_at("Ball").z - 1.0) < 1e-4)
    await hand.press("ESC")


async def test_with_friction_it_stays_where_it_would_slide(hand: Hand) -> None:
    scenes.floor(half=4.0).rotation_euler.y = 0.2
    cube = scenes.cube("Cube", (0.21, 0.0, 1.05))
    cube.rotation_euler.y = 0.2
    await placing(hand, cube)
    await hand.press("LEFT_ARROW", shift=True)
    await hand.press("F")
    await hand.until(lambda: "friction" in header() and "Cube: at rest" in header())
    assert abs(cube_at().x - 0.2) < 0.3
    await hand.press("F")
    await hand.until(lambda: cube_at().x > 1.5)
    await hand.press("ESC")


async def test_k_then_shift_d_keys_the_first_and_not_the_copies(hand: Hand) -> None:
    await begun(hand)
    await hand.press("K")
    await hand.press("D", shift=True)
    await hand.until(is_at(0.0, 0.0, 3.0, name="Cube.001"))
    assert "keyed" not in header()
    await hand.press("D", shift=True)
    await hand.until(lambda: "Cube.002" in bpy.data.objects and "overlaps something" in header())
    assert bpy.data.objects["Cube.002"].display_type == "WIRE", "where it starts there is a copy now"
    await hand.press("ESC")
    assert_nothing_is_open()
    assert "Cube.002" not in bpy.data.objects
    assert bpy.data.objects["Cube"].animation_data.action is not None
    for frame in (2, 1):
        bpy.context.scene.frame_set(frame)
        assert is_at(0.0, 0.0, 3.0, name="Cube.001")(), "the keys of the first do not move it"


async def test_tab_says_when_there_is_none_and_comes_back_to_the_first(hand: Hand) -> None:
    await begun(hand)
    await hand.press("TAB")
    assert "no other object is selected" in header()
    await hand.press("ESC")
    scenes.cube("Second", (4.0, 0.0, START)).select_set(True)
    third = scenes.cube("Third", (-4.0, 0.0, START))
    third["physplace_ignore"] = 1  # nothing rests on it, so that it may go
    third.select_set(True)
    await placing(hand, bpy.data.objects["Cube"])
    bpy.data.objects.remove(bpy.data.objects["Third"])
    await hand.until(is_at(0.0, 0.0, 1.0))
    await hand.press("TAB")
    await hand.until(is_at(4.0, 0.0, 1.0, name="Second"))
    await hand.press("TAB")
    assert bpy.context.view_layer.objects.active.name == "Cube"
    for key in "GX":
        await hand.press(key)
    await hand.type_text("-1")
    await hand.until(is_at(-1.0, 0.0, 1.0))
    await hand.press("RET")
    await hand.press("RET")
    assert_nothing_is_open()
    assert is_at(-1.0, 0.0, 1.0)()
    assert is_at(4.0, 0.0, 1.0, name="Second")()
    await hand.undo()
    assert cube_at().z == cube_at("Second").z == START


async def test_a_key_that_the_artist_has_changed_is_the_one_that_works_and_is_told(hand: Hand) -> None:
    await begun(hand)
    assert f"{key_of('PAUSE').to_string(compact=True)}: Pause" in operator().hints()
    assert operator().hints().startswith(f"{key_of('CONFIRM').to_string(compact=True)}: Confirm")
    try:
        key_of("PAUSE").type = "P"
        key_of("PUSH").active = False
        await hand.press("SPACE")
        assert "paused" not in header()
        await hand.press("P")
        assert "paused" in header()
        assert "P: Pause" in operator().hints()
        assert "Push" not in operator().hints()
    finally:
        key_of("PAUSE").type = "SPACE"
        key_of("PUSH").active = True
    await hand.press("ESC")
    assert extension.open_sessions() == []


async def test_the_keys_are_in_the_preferences(hand: Hand) -> None:
    await hand.wait()
    area = hand.area
    area.type = "PREFERENCES"
    try:
        bpy.context.preferences.active_section = "ADDONS"
        bpy.context.window_manager.addon_search = "PhysPlace"
        bpy.ops.preferences.addon_expand(module=extension.MODULE)
        key_of("PAUSE").type = "P"
        await hand.wait(10)
        await hand.screenshot("preferences")
    finally:
        key_of("PAUSE").type = "SPACE"
        area.type = "VIEW_3D"
        await hand.wait()
