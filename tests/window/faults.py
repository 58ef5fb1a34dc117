"""Tests that fail, each in its own way: `test_faults.py` sees that not one of them passes.

They leave nothing behind, unless Blender ends: that it is started anew is held once.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import bpy

from physplace_addon.scene.access import present
from tests.blender_data import window_manager
from tests.window.user import User

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class FAULTY_OT_operator(bpy.types.Operator):
    """An operator with a mistake."""

    bl_idname = "faulty.operator"
    bl_label = "Faulty"

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        raise LookupError("mistake in an operator")


class FAULTY_PT_panel(bpy.types.Panel):
    """A panel that raises, or one that shows what is not there."""

    bl_label = "Faulty"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Faulty"
    raises = False

    def draw(self, context: bpy.types.Context) -> None:
        if self.raises:
            raise LookupError("mistake in a panel")
        present(self.layout).prop(context.scene, "no_such_property")
        present(self.layout).operator("faulty.no_such_operator")


def mistake_in_a_draw_handler() -> None:
    raise LookupError("mistake in a draw handler")


async def an_assertion_fails(user: User) -> None:
    height = 3.5
    assert height == 1.0, "it floats"


async def an_operator_raises_when_its_key_is_pressed(user: User) -> None:
    bpy.utils.register_class(FAULTY_OT_operator)
    keymap = present(window_manager().keyconfigs.addon).keymaps.new("3D View", space_type="VIEW_3D")
    item = keymap.keymap_items.new("faulty.operator", "F13", "PRESS")
    await user.press("F13")
    keymap.keymap_items.remove(item)
    bpy.utils.unregister_class(FAULTY_OT_operator)


async def a_panel_is_drawn(user: User, raises: bool) -> None:
    FAULTY_PT_panel.raises = raises
    bpy.utils.register_class(FAULTY_PT_panel)
    await user.open_tab("Faulty")
    bpy.utils.unregister_class(FAULTY_PT_panel)


async def a_draw_handler_raises(user: User) -> None:
    add, remove = bpy.types.SpaceView3D.draw_handler_add, bpy.types.SpaceView3D.draw_handler_remove
    handler = add(mistake_in_a_draw_handler, (), "WINDOW", "POST_PIXEL")
    user.area.tag_redraw()
    await user.wait()
    remove(handler, "WINDOW")


async def it_waits_for_what_never_comes(user: User) -> None:
    await user.until(lambda: False, ticks=10)


async def blender_crashes(user: User) -> None:
    os.abort()


async def blender_hangs(user: User) -> None:
    time.sleep(60.0)


async def all_is_well(user: User) -> None:
    await user.wait()
