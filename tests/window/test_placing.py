"""Place at Rest as the artist has it: it goes on in the view, and every key does what it says."""

from __future__ import annotations

import time

import bpy
import pytest
from mathutils import Vector

from physplace_addon.scene.access import custom_properties, present
from tests.blender_data import animation_of, current_view_layer, display_type_of
from tests.scene import scenes
from tests.window import extension
from tests.window.placements import START, assert_nothing_is_open, begun, cube_at, operator
from tests.window.user import User


async def test_it_falls_in_view_and_enter_leaves_it_there_with_one_undo_step(user: User) -> None:
    await begun(user)
    await user.screenshot("placing-at-rest")
    await user.press("RET")
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    assert bpy.data.objects["Cube"]["physplace_report"]["status"] == "BALANCED"
    await user.undo()
    assert cube_at().z == START
    assert "physplace_report" not in custom_properties(bpy.data.objects["Cube"])
    await user.redo()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
async def test_escape_puts_everything_back(user: User, key: str) -> None:
    await begun(user)
    await user.press(key)
    assert_nothing_is_open()
    assert cube_at().z == START
    assert "physplace_report" not in custom_properties(bpy.data.objects["Cube"])


async def test_a_click_beside_it_confirms(user: User) -> None:
    await begun(user)
    await user.click(user.at((4.0, 0.0, 4.0)))
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_space_pauses_and_arrows_go_through_the_states(user: User) -> None:
    await begun(user)
    await user.press("LEFT_ARROW", shift=True)
    first = cube_at().z
    assert first > 1.0
    await user.press("RIGHT_ARROW")
    second = cube_at().z
    assert 1.0 - 1e-5 < second <= first
    await user.press("LEFT_ARROW")
    assert cube_at().z == first
    await user.screenshot("placing-scrubbed")
    await user.press("SPACE")
    await user.until(lambda: cube_at().z == pytest.approx(1.0, abs=1e-5))
    await user.press("RET")
    assert_nothing_is_open()


async def test_g_moves_it_by_hand_and_it_slides_on_the_floor(user: User) -> None:
    await begun(user)
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.press("G")
    await user.glide_to(user.at((2.0, 0.0, -1.0)), steps=12)
    await user.until(lambda: cube_at().x == pytest.approx(2.0, abs=0.05))
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    await user.screenshot("placing-by-hand")
    await user.press("RET")
    await user.press("RET")
    assert_nothing_is_open()
    assert cube_at().x == pytest.approx(2.0, abs=0.05)


async def test_numbers_and_axes_move_it_as_far_as_they_say(user: User) -> None:
    await begun(user)
    await user.press("G")
    await user.press("X")
    await user.type_text("1.5")
    await user.until(lambda: cube_at().x == pytest.approx(1.5, abs=1e-5))
    await user.press("RET")
    await user.press("RET")
    assert cube_at().x == pytest.approx(1.5, abs=1e-5)
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_escape_within_the_hand_puts_only_its_move_back(user: User) -> None:
    await begun(user)
    await user.press("G")
    await user.press("X")
    await user.type_text("2")
    await user.until(lambda: cube_at().x == pytest.approx(2.0, abs=1e-5))
    await user.press("ESC")
    await user.until(lambda: cube_at().x == pytest.approx(0.0, abs=1e-5))
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await user.press("ESC")
    assert_nothing_is_open()


async def test_r_turns_it(user: User) -> None:
    await begun(user)
    await user.press("R")
    await user.press("Z")
    await user.type_text("30")
    await user.until(lambda: bpy.data.objects["Cube"].rotation_euler.z == pytest.approx(0.5236, abs=1e-3))
    await user.press("RET")
    await user.press("RET")
    assert_nothing_is_open()


async def test_a_drag_on_it_pulls_it_and_ctrl_pushes(user: User) -> None:
    await begun(user)
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.hold()
    await user.glide_to(user.at((4.0, 0.0, 1.0)))
    await user.until(lambda: cube_at().x > 0.5)
    await user.screenshot("placing-pulled")
    await user.release()
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await user.wait(20)
    assert cube_at().z == pytest.approx(1.0, abs=1e-4)
    where = cube_at().y
    await user.move_to(user.at(cube_at()))
    await user.hold(ctrl=True)
    await user.glide_to(user.at((6.0, 0.0, 1.0)), ctrl=True)
    await user.until(lambda: cube_at().y > where + 0.1)
    await user.release(ctrl=True)
    await user.press("ESC")
    assert_nothing_is_open()
    assert cube_at() == Vector((0.0, 0.0, START))


async def test_alt_ties_it_to_where_the_next_click_lands(user: User) -> None:
    await begun(user)
    await user.click(user.at((0.0, 0.0, 1.0)), alt=True)
    await user.click(user.at((4.0, 0.0, 6.0)))
    await user.until(lambda: cube_at().x > 2.0)
    await user.screenshot("placing-tied")
    await user.press("RET")
    assert_nothing_is_open()
    assert cube_at().x > 2.0


async def until_it_says(user: User, text: str) -> None:
    await user.until(lambda: text in operator().shown_header())


async def until_it_says_no_more(user: User, text: str) -> None:
    await user.until(lambda: text not in operator().shown_header())


async def test_switches_are_told_in_the_header(user: User) -> None:
    await begun(user)
    for key, told in (
        ("A", "may rise"),
        ("F", "friction 0.4"),
        ("K", "keyed on frame 1"),
        ("I", "goes through"),
    ):
        await user.press(key)
        await until_it_says(user, told)
        if key == "I":
            await user.screenshot("placing-header")
        await user.press(key)
        await until_it_says_no_more(user, told)
    await user.press("ESC")


async def test_through_things_it_is_see_through_and_may_not_stay_there(user: User) -> None:
    await begun(user)
    await user.press("I")
    await user.press("G")
    await user.press("Z")
    await user.type_text("-0.7")
    await user.until(lambda: cube_at().z == pytest.approx(0.3, abs=1e-5))
    assert display_type_of(bpy.data.objects["Cube"]) == "WIRE"
    await user.screenshot("placing-through")
    await user.press("RET")
    await user.press("RET")
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await user.press("ESC")
    assert_nothing_is_open()
    assert display_type_of(bpy.data.objects["Cube"]) == "TEXTURED"
    assert cube_at().z == START


async def test_shift_d_confirms_and_goes_on_with_a_copy(user: User) -> None:
    await begun(user)
    await user.press("D", shift=True)
    await user.until(lambda: "Cube.001" in bpy.data.objects)
    await user.until(lambda: cube_at("Cube.001").z == pytest.approx(3.0, abs=1e-4))
    await user.screenshot("placing-a-copy")
    await user.press("RET")
    assert_nothing_is_open()
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)
    await user.undo()
    assert "Cube.001" not in bpy.data.objects
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_escape_takes_the_copy_away_and_leaves_the_first(user: User) -> None:
    await begun(user)
    await user.press("D", shift=True)
    await user.until(lambda: "Cube.001" in bpy.data.objects)
    await user.press("ESC")
    assert_nothing_is_open()
    assert "Cube.001" not in bpy.data.objects
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_tab_goes_on_with_the_next_selected_object(user: User) -> None:
    ball = scenes.cube("Second", (4.0, 0.0, START))
    ball.select_set(True)
    await begun(user)
    await user.press("TAB")
    await user.until(lambda: cube_at("Second").z == pytest.approx(1.0, abs=1e-5))
    assert present(current_view_layer().objects.active).name == "Second"
    await user.press("ESC")
    assert_nothing_is_open()
    assert cube_at().z == START
    assert cube_at("Second").z == START
    assert present(current_view_layer().objects.active).name == "Cube"


async def test_k_keys_the_rest(user: User) -> None:
    await begun(user)
    await user.press("K")
    await user.press("RET")
    assert animation_of(bpy.data.objects["Cube"]).action is not None
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_where_a_step_takes_long_it_is_told_and_escape_is_answered_after_it(user: User) -> None:
    await begun(user, until=None)
    solver = type(operator().session.steered.solver)
    step, taken = solver.step, []

    def slow_step(placement: object) -> None:
        time.sleep(0.6)
        taken.append(placement)

    solver.step = slow_step
    try:
        await user.until(lambda: "s a step" in operator().shown_header(), ticks=20)
        await user.screenshot("placing-slowly")
        before = len(taken)
        await user.press("ESC")
        assert len(taken) <= before + 3, "no more than the ticks that it took to press and release the key"
    finally:
        solver.step = step
    assert_nothing_is_open()
    assert cube_at().z == START
