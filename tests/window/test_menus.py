"""The entries in the Object menu, seen with the Down key as the artist sees them."""

from __future__ import annotations

import bpy

from tests.scene import scenes
from tests.window.hand import Hand

COMMANDS = [
    *("place", "check", "nudge", "push", "connect", "replicate", "extricate"),
    *("keyframe_rest", "rests_replace"),
]


async def test_the_object_menu_ends_with_physplace_and_all_its_operators(hand: Hand) -> None:
    scenes.activate(scenes.cube())
    bpy.ops.wm.call_menu(name="VIEW3D_MT_object")
    await hand.wait()
    await hand.press("END")
    await hand.press("RIGHT_ARROW")
    await hand.screenshot("object_menu")
    entries = await hand.entries_of_open_menu()
    assert sorted(entries) == sorted(f"bpy.ops.physplace.{command}()" for command in COMMANDS)
    await hand.press("ESC")
