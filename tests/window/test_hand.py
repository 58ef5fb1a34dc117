"""The hand itself, tried on what Blender does with it: events arrive as those of a person would."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.scene import scenes
from tests.window import framebuffer
from tests.window.hand import Hand

ONE_PIXEL = 0.05  # how far it is in the scene, about
ARROW = 75  # pixels from the object to the red arrow of the move tool


async def two_cubes(hand: Hand) -> None:
    """Left and Right, neither selected, seen from the front."""
    scenes.cube("Left", (-3.0, 0.0, 2.0))
    scenes.cube("Right", (1.0, 0.0, 2.0))
    await hand.look_from_the_front()
    hand.scene_is_ready()


def selected() -> set[str]:
    return {obj.name for obj in bpy.context.selected_objects}


def location(name: str) -> list[float]:
    return list(bpy.data.objects[name].location)


async def test_a_click_selects_and_shift_adds(hand: Hand) -> None:
    await two_cubes(hand)
    await hand.click(hand.at((-3.0, 0.0, 2.0)))
    assert selected() == {"Left"}
    await hand.click(hand.at((1.0, 0.0, 2.0)), shift=True)
    assert selected() == {"Left", "Right"}
    await hand.screenshot("selected")


async def test_a_drag_selects_what_its_box_touches(hand: Hand) -> None:
    await two_cubes(hand)
    await hand.drag(hand.at((-5.0, 0.0, 5.0)), hand.at((-2.5, 0.0, 0.0)))
    assert selected() == {"Left"}


async def test_keys_and_numbers_move_and_undo_and_redo_follow(hand: Hand) -> None:
    await two_cubes(hand)
    await hand.click(hand.at((1.0, 0.0, 2.0)))
    await hand.press("G")
    await hand.press("X")
    await hand.type_text("-2.5")
    await hand.press("RET")
    assert location("Right") == pytest.approx([-1.5, 0.0, 2.0])
    await hand.undo()
    assert location("Right") == [1.0, 0.0, 2.0]
    await hand.redo()
    assert location("Right") == pytest.approx([-1.5, 0.0, 2.0])


async def test_the_object_goes_where_the_mouse_goes_until_escape(hand: Hand) -> None:
    await two_cubes(hand)
    await hand.click(hand.at((1.0, 0.0, 2.0)))
    await hand.press("G")
    await hand.glide_to(hand.at((2.0, 0.0, 4.0)))
    await hand.wait()
    assert location("Right") == pytest.approx([2.0, 0.0, 4.0], abs=2 * ONE_PIXEL)
    await hand.press("ESC")
    assert location("Right") == [1.0, 0.0, 2.0]


async def test_an_arrow_of_the_move_tool_can_be_held_and_let_go(hand: Hand) -> None:
    await two_cubes(hand)
    await hand.click(hand.at((1.0, 0.0, 2.0)))
    bpy.ops.wm.tool_set_by_id(name="builtin.move")
    await hand.wait()
    x, y = hand.at((1.0, 0.0, 2.0))
    one_unit = hand.at((2.0, 0.0, 2.0))[0] - x
    await hand.move_to((x + ARROW, y))
    await hand.hold()
    await hand.glide_to((x + ARROW + one_unit, y + one_unit))
    await hand.screenshot("held")
    held = location("Right")
    assert held[1:] == [0.0, 2.0]
    assert 1.5 < held[0] <= 2.0 + ONE_PIXEL, "all but the pixels that make a click a drag"
    await hand.release()
    await hand.glide_to(hand.at((5.0, 0.0, 2.0)))
    assert location("Right") == held


async def test_a_screenshot_shows_what_changes(hand: Hand) -> None:
    await two_cubes(hand)
    before = framebuffer.screen(hand.screen_dump)
    x, y = hand.at((1.0, 0.0, 2.0))
    bpy.data.objects.remove(bpy.data.objects["Right"])
    await hand.wait()
    after = framebuffer.screen(hand.screen_dump)
    assert before.shape == (600, 800, 3)
    changed = np.argwhere((before != after).any(axis=2))
    assert np.abs(changed.mean(axis=0) - (599 - y, x)).max() < 5.0
