"""The extension goes as it came."""

from __future__ import annotations

import bpy

from tests.scene import scenes
from tests.window import extension
from tests.window.user import User


async def test_disabling_leaves_no_class_handler_key_menu_entry_or_tool(user: User) -> None:
    scenes.activate(scenes.cube())
    extension.disable()
    await user.open_tab("View")
    without = extension.traces()
    assert not [trace for trace in without if "physplace" in trace.lower()]
    for _ in range(2):
        extension.enable()
        await user.open_tab()
        assert "type PHYSPLACE_OT_place" in extension.traces() - without
        extension.disable()
        await user.wait()
        assert extension.traces() == without
    await user.screenshot("disabled")


async def test_it_can_be_disabled_while_its_tab_is_shown_and_used_again(user: User) -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    await user.open_tab()
    extension.disable()
    await user.wait(10)
    extension.enable()
    await user.open_tab()
    await user.click_button("physplace.place")
    await user.until(lambda: bpy.data.objects["Cube"].location.z < 3.0)
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.press("RET")
    assert extension.open_sessions() == []
