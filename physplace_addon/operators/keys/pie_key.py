# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the pie menu in Object Mode, which the preferences edit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import bpy
import rna_keymap_ui
from bpy.types import Context, UILayout

from ...scene.access import present, window_manager_of

PIE: Final = "PHYSPLACE_MT_pie"
KEYMAP: Final = "Object Mode"  # the keymap of Blender's that the key is added to
CALL: Final = "wm.call_menu_pie"
KEY: Final = "P"  # with Shift: none of Blender's keys in Object Mode


@contextmanager
def added_key() -> Iterator[None]:
    """Add the key until the block ends. In background there is no configuration to add it to."""
    config: Any = window_manager_of(bpy.context).keyconfigs.addon
    if config is None:
        yield
        return
    keymap = config.keymaps.new(name=KEYMAP, space_type="EMPTY", region_type="WINDOW")
    item = keymap.keymap_items.new(CALL, KEY, "PRESS", shift=True)
    item.properties.name = PIE
    try:
        yield
    finally:
        keymap.keymap_items.remove(item)


def draw_key(context: Context, layout: UILayout) -> None:
    """Draw the key, to be edited."""
    config: Any = present(window_manager_of(context).keyconfigs.user)
    keymap = config.keymaps.get(KEYMAP)
    for item in keymap.keymap_items if keymap else ():
        if item.idname == CALL and item.properties.name == PIE:
            column = layout.column()
            column.context_pointer_set("keymap", keymap)
            rna_keymap_ui.draw_kmi([], config, keymap, item, column, 0)
