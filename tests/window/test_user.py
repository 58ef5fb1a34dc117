"""The simulated user: its events arrive in Blender as a person's would."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.scene import scenes
from tests.window import framebuffer
from tests.window.user import User

ONE_PIXEL = 0.05  # how far it is in the scene, about
ARROW = 75  # pixels from the object to the red arrow of the move tool


async def two_cubes(user: User) -> None:
    """Left and Right, neither selected, seen from the front."""
    scenes.cube("Left", (-3.0, 0.0, 2.0))
    scenes.cube("Right", (1.0, 0.0, 2.0))
    await user.look_from_the_front()
    user.scene_is_ready()


def selected() -> set[str]:
    return {obj.name for obj in bpy.context.selected_objects}


def location(name: str) -> list[float]:
    return [*bpy.data.objects[name].location.to_tuple()]


async def test_a_click_selects_and_shift_adds(user: User) -> None:
    await two_cubes(user)
    await user.click(user.at((-3.0, 0.0, 2.0)))
    assert selected() == {"Left"}
    await user.click(user.at((1.0, 0.0, 2.0)), shift=True)
    assert selected() == {"Left", "Right"}
    await user.screenshot("selected")


async def test_a_drag_selects_what_its_box_touches(user: User) -> None:
    await two_cubes(user)
    await user.drag(user.at((-5.0, 0.0, 5.0)), user.at((-2.5, 0.0, 0.0)))
    assert selected() == {"Left"}


async def test_keys_and_numbers_move_and_undo_and_redo_follow(user: User) -> None:
    await two_cubes(user)
    await user.click(user.at((1.0, 0.0, 2.0)))
    await user.press("G")
    await user.press("X")
    await user.type_text("-2.5")
    await user.press("RET")
    assert location("Right") == pytest.approx([-1.5, 0.0, 2.0])
    await user.undo()
    assert location("Right") == [1.0, 0.0, 2.0]
    await user.redo()
    assert location("Right") == pytest.approx([-1.5, 0.0, 2.0])


async def test_the_object_goes_where_the_mouse_goes_until_escape(user: User) -> None:
    await two_cubes(user)
    await user.click(user.at((1.0, 0.0, 2.0)))
    await user.press("G")
    await user.glide_to(user.at((2.0, 0.0, 4.0)))
    await user.wait()
    assert location("Right") == pytest.approx([2.0, 0.0, 4.0], abs=2 * ONE_PIXEL)
    await user.press("ESC")
    assert location("Right") == [1.0, 0.0, 2.0]


async def test_an_arrow_of_the_move_tool_can_be_held_and_let_go(user: User) -> None:
    await two_cubes(user)
    await user.click(user.at((1.0, 0.0, 2.0)))
    bpy.ops.wm.tool_set_by_id(name="builtin.move")
    await user.wait()
    x, y = user.at((1.0, 0.0, 2.0))
    one_unit = user.at((2.0, 0.0, 2.0))[0] - x
    await user.move_to((x + ARROW, y))
    await user.hold()
    await user.glide_to((x + ARROW + one_unit, y + one_unit))
    await user.screenshot("held")
    held = location("Right")
    assert held[1:] == [0.0, 2.0]
    assert 1.5 < held[0] <= 2.0 + ONE_PIXEL, "all but the pixels that make a click a drag"
    await user.release()
    await user.glide_to(user.at((5.0, 0.0, 2.0)))
    assert location("Right") == held


async def test_a_screenshot_shows_what_changes(user: User) -> None:
    await two_cubes(user)
    before = framebuffer.screen(user.screen_dump)
    x, y = user.at((1.0, 0.0, 2.0))
    bpy.data.objects.remove(bpy.data.objects["Right"])
    await user.wait()
    after = framebuffer.screen(user.screen_dump)
    assert before.shape == (600, 800, 3)
    changed = np.argwhere((before != after).any(axis=2))
    assert np.abs(changed.mean(axis=0) - (599 - y, x)).max() < 5.0
