# SPDX-License-Identifier: GPL-3.0-or-later
"""The entries in Blender's own Object menu."""

from __future__ import annotations

from bpy.types import Context, Menu

from ..scene.access import present
from .check import PHYSPLACE_OT_check
from .place import PHYSPLACE_OT_place


def draw_object_menu(self: Menu, context: Context) -> None:
    """Add placing and checking to the Object menu."""
    layout = present(self.layout)
    layout.separator()
    layout.operator(PHYSPLACE_OT_place.bl_idname)
    layout.operator(PHYSPLACE_OT_check.bl_idname)
