"""Place at Rest as the artist has it: it goes on in the view, and every key does what it says."""

from __future__ import annotations

import time

import bpy
import pytest
from mathutils import Vector

from tests.scene import scenes
from tests.window import extension
from tests.window.hand import Hand
from tests.window.placements import START, assert_nothing_is_open, begun, cube_at, operator


async def test_it_falls_in_view_and_enter_leaves_it_there_with_one_undo_step(hand: Hand) -> None:
    await begun(hand)
    await hand.screenshot("placing-at-rest")
    await hand.press("RET")
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    assert bpy.data.objects["Cube"]["physplace_report"]["status"] == "BALANCED"
    await hand.undo()
    assert cube_at().z == START
    assert "physplace_report" not in bpy.data.objects["Cube"]
    await hand.redo()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
async def test_escape_puts_everything_back(hand: Hand, key: str) -> None:
    await begun(hand)
    await hand.press(key)
    assert_nothing_is_open()
    assert cube_at().z == START
    assert "physplace_report" not in bpy.data.objects["Cube"]


async def test_a_click_beside_it_confirms(hand: Hand) -> None:
    await begun(hand)
    await hand.click(hand.at((4.0, 0.0, 4.0)))
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_space_pauses_and_arrows_go_through_the_states(hand: Hand) -> None:
    await begun(hand)
    await hand.press("LEFT_ARROW", shift=True)
    first = cube_at().z
    assert first > 1.0
    await hand.press("RIGHT_ARROW")
    second = cube_at().z
    assert 1.0 - 1e-5 < second <= first
    await hand.press("LEFT_ARROW")
    assert cube_at().z == first
    await hand.screenshot("placing-scrubbed")
    await hand.press("SPACE")
    await hand.until(lambda: cube_at().z == pytest.approx(1.0, abs=1e-5))
    await hand.press("RET")
    assert_nothing_is_open()


async def test_g_moves_it_by_hand_and_it_slides_on_the_floor(hand: Hand) -> None:
    await begun(hand)
    await hand.move_to(hand.at((0.0, 0.0, 1.0)))
    await hand.press("G")
    await hand.glide_to(hand.at((2.0, 0.0, -1.0)), steps=12)
    await hand.until(lambda: cube_at().x == pytest.approx(2.0, abs=0.05))
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    await hand.screenshot("placing-by-hand")
    await hand.press("RET")
    await hand.press("RET")
    assert_nothing_is_open()
    assert cube_at().x == pytest.approx(2.0, abs=0.05)


async def test_numbers_and_axes_move_it_as_far_as_they_say(hand: Hand) -> None:
    await begun(hand)
    await hand.press("G")
    await hand.press("X")
    await hand.type_text("1.5")
    await hand.until(lambda: cube_at().x == pytest.approx(1.5, abs=1e-5))
    await hand.press("RET")
    await hand.press("RET")
    assert cube_at().x == pytest.approx(1.5, abs=1e-5)
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_escape_within_the_hand_puts_only_its_move_back(hand: Hand) -> None:
    await begun(hand)
    await hand.press("G")
    await hand.press("X")
    await hand.type_text("2")
    await hand.until(lambda: cube_at().x == pytest.approx(2.0, abs=1e-5))
    await hand.press("ESC")
    await hand.until(lambda: cube_at().x == pytest.approx(0.0, abs=1e-5))
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await hand.press("ESC")
    assert_nothing_is_open()


async def test_r_turns_it(hand: Hand) -> None:
    await begun(hand)
    await hand.press("R")
    await hand.press("Z")
    await hand.type_text("30")
    await hand.until(lambda: bpy.data.objects["Cube"].rotation_euler.z == pytest.approx(0.5236, abs=1e-3))
    await hand.press("RET")
    await hand.press("RET")
    assert_nothing_is_open()


async def test_a_drag_on_it_pulls_it_and_ctrl_pushes(hand: Hand) -> None:
    await begun(hand)
    await hand.move_to(hand.at((0.0, 0.0, 1.0)))
    await hand.hold()
    await hand.glide_to(hand.at((4.0, 0.0, 1.0)))
    await hand.until(lambda: cube_at().x > 0.5)
    await hand.screenshot("placing-pulled")
    await hand.release()
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await hand.wait(20)
    assert cube_at().z == pytest.approx(1.0, abs=1e-4)
    where = cube_at().y
    await hand.move_to(hand.at(cube_at()))
    await hand.hold(ctrl=True)
    await hand.glide_to(hand.at((6.0, 0.0, 1.0)), ctrl=True)
    await hand.until(lambda: cube_at().y > where + 0.1)
    await hand.release(ctrl=True)
    await hand.press("ESC")
    assert_nothing_is_open()
    assert cube_at() == Vector((0.0, 0.0, START))


async def test_alt_ties_it_to_where_the_next_click_lands(hand: Hand) -> None:
    await begun(hand)
    await hand.click(hand.at((0.0, 0.0, 1.0)), alt=True)
    await hand.click(hand.at((4.0, 0.0, 6.0)))
    await hand.until(lambda: cube_at().x > 2.0)
    await hand.screenshot("placing-tied")
    await hand.press("RET")
    assert_nothing_is_open()
    assert cube_at().x > 2.0


async def test_switches_are_told_in_the_header(hand: Hand) -> None:
    await begun(hand)
    for key, told in (
        ("A", "may rise"),
        ("F", "friction 0.4"),
        ("K", "keyed on frame 1"),
        ("I", "goes through"),
    ):
        await hand.press(key)
        await hand.until(lambda told=told: told in operator().header())
        if key == "I":
            await hand.screenshot("placing-header")
        await hand.press(key)
        await hand.until(lambda told=told: told not in operator().header())
    await hand.press("ESC")


async def test_through_things_it_is_see_through_and_may_not_stay_there(hand: Hand) -> None:
    await begun(hand)
    await hand.press("I")
    await hand.press("G")
    await hand.press("Z")
    await hand.type_text("-0.7")
    await hand.until(lambda: cube_at().z == pytest.approx(0.3, abs=1e-5))
    assert bpy.data.objects["Cube"].display_type == "WIRE"
    await hand.screenshot("placing-through")
    await hand.press("RET")
    await hand.press("RET")
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await hand.press("ESC")
    assert_nothing_is_open()
    assert bpy.data.objects["Cube"].display_type == "TEXTURED"
    assert cube_at().z == START


async def test_shift_d_confirms_and_goes_on_with_a_copy(hand: Hand) -> None:
    await begun(hand)
    await hand.press("D", shift=True)
    await hand.until(lambda: "Cube.001" in bpy.data.objects)
    await hand.until(lambda: cube_at("Cube.001").z == pytest.approx(3.0, abs=1e-4))
    await hand.screenshot("placing-a-copy")
    await hand.press("RET")
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    await hand.undo()
    assert "Cube.001" not in bpy.data.objects
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_escape_takes_the_copy_away_and_leaves_the_first(hand: Hand) -> None:
    await begun(hand)
    await hand.press("D", shift=True)
    await hand.until(lambda: "Cube.001" in bpy.data.objects)
    await hand.press("ESC")
    assert_nothing_is_open()
    assert "Cube.001" not in bpy.data.objects
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_tab_goes_on_with_the_next_selected_object(hand: Hand) -> None:
    ball = scenes.cube("Second", (4.0, 0.0, START))
    ball.select_set(True)
    await begun(hand)
    await hand.press("TAB")
    await hand.until(lambda: cube_at("Second").z == pytest.approx(1.0, abs=1e-5))
    assert bpy.context.view_layer.objects.active.name == "Second"
    await hand.press("ESC")
    assert_nothing_is_open()
    assert cube_at().z == START
    assert cube_at("Second").z == START
    assert bpy.context.view_layer.objects.active.name == "Cube"


async def test_k_keys_the_rest(hand: Hand) -> None:
    await begun(hand)
    await hand.press("K")
    await hand.press("RET")
    assert bpy.data.objects["Cube"].animation_data.action is not None
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_where_a_step_takes_long_it_is_told_and_escape_is_answered_after_it(hand: Hand) -> None:
    await begun(hand, until=None)
    solver = type(operator().steering.placing.solver)
    step, taken = solver.step, []

    def slow_step(placement: object) -> None:
        time.sleep(0.6)
        taken.append(placement)

    solver.step = slow_step
    try:
        await hand.until(lambda: "s a step" in operator().header(), ticks=20)
        await hand.screenshot("placing-slowly")
        before = len(taken)
        await hand.press("ESC")
        assert len(taken) <= before + 3, "no more than the ticks that it took to press and release the key"
    finally:
        solver.step = step
    assert_nothing_is_open()
    assert cube_at().z == START
