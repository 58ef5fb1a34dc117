"""The entries in the menus, seen with the Down key as the artist sees them, and the pie."""

from __future__ import annotations

import bpy

from physplace_addon.scene.access import present
from tests.blender_data import window_manager
from tests.scene import scenes
from tests.window import extension
from tests.window.user import User

COMMANDS = [
    *("place", "check", "contact_regions", "nudge", "push", "connect", "replicate", "extricate"),
    *("drop_selected", "keyframe_rest", "rests_replace", "simulate"),
    *("linkage_drag", "linkage_pull", "linkage_solve", "linkage_sit", "linkage_mirror", "linkage_rest"),
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


async def test_the_context_menu_lets_the_object_fall(user: User) -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    bpy.ops.wm.call_menu(name="VIEW3D_MT_object_context_menu")
    await user.wait()
    await user.screenshot("context_menu")
    assert "bpy.ops.physplace.place()" in await user.entries_of_open_menu()
    await user.press("ESC")


async def test_shift_p_opens_a_pie_whose_lower_entry_lets_the_object_fall(user: User) -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    await user.look_from_the_front()
    x, y = user.at((0.0, 0.0, 2.0))
    await user.move_to((x, y))
    await user.press("P", shift=True)
    await user.wait(10)
    await user.screenshot("pie")
    await user.glide_to((x, y - 120))
    await user.click()
    await user.until(lambda: bpy.data.objects["Cube"].location.z < 2.9)
    await user.press("RET")
    assert extension.open_sessions() == []


async def test_the_pie_s_key_is_none_of_blender_s_in_object_mode(user: User) -> None:
    keymaps = present(window_manager().keyconfigs.default).keymaps
    names = ("Object Mode", "Object Non-modal", "3D View", "3D View Generic", "Window", "Screen", "Frames")
    taken = [
        f"{name}: {item.idname}"
        for name in names
        if name in keymaps
        for item in keymaps[name].keymap_items
        if item.type == "P" and item.shift and not (item.ctrl or item.alt or item.oskey)
    ]
    assert taken == []
