"""The entries in the Object menu, seen with the Down key as the artist sees them."""

from __future__ import annotations

import bpy

from tests.scene import scenes
from tests.window.user import User

COMMANDS = [
    *("place", "check", "contact_regions", "nudge", "push", "connect", "replicate", "extricate"),
    *("drop_selected", "keyframe_rest", "rests_replace", "simulate"),
]


async def test_the_object_menu_ends_with_physplace_and_all_its_operators(user: User) -> None:
    scenes.activate(scenes.cube())
    bpy.ops.wm.call_menu(name="VIEW3D_MT_object")
    await user.wait()
    await user.press("END")
    await user.press("RIGHT_ARROW")
    await user.screenshot("object_menu")
    entries = await user.entries_of_open_menu()
    assert sorted(entries) == sorted(f"bpy.ops.physplace.{command}()" for command in COMMANDS)
    await user.press("ESC")
