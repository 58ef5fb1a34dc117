"""The extension goes as it came."""

from __future__ import annotations

import bpy

from tests.scene import scenes
from tests.window import extension
from tests.window.hand import Hand


async def test_disabling_leaves_no_class_handler_key_menu_entry_or_tool(hand: Hand) -> None:
    scenes.activate(scenes.cube())
    extension.disable()
    await hand.open_tab("View")
    without = extension.traces()
    assert not [trace for trace in without if "physplace" in trace.lower()]
    for _ in range(2):
        extension.enable()
        await hand.open_tab()
        assert "type PHYSPLACE_OT_place" in extension.traces() - without
        extension.disable()
        await hand.wait()
        assert extension.traces() == without
    await hand.screenshot("disabled")


async def test_it_can_be_disabled_while_its_tab_is_shown_and_used_again(hand: Hand) -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    await hand.open_tab()
    extension.disable()
    await hand.wait(10)
    extension.enable()
    await hand.open_tab()
    await hand.click_button("physplace.place")
    await hand.until(lambda: bpy.data.objects["Cube"].location.z < 3.0)
    await hand.move_to(hand.at((0.0, 0.0, 1.0)))
    await hand.press("RET")
    assert extension.open_sessions() == []
