"""What each test begins with: an empty scene, and a window that is nothing but one 3D viewport."""

from __future__ import annotations

import bpy

from tests.blender_data import preferences
from tests.window.user import User


async def begin(user: User) -> None:
    """An empty scene, no undo, and a window that is nothing but one 3D viewport, which draws little."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    screen = user.window.screen
    for area in [area for area in screen.areas if area.type != "VIEW_3D"]:
        with bpy.context.temp_override(window=user.window, screen=screen, area=area):
            bpy.ops.screen.area_close()
    draw(user, fully=False)
    await user.wait(1)


def draw(user: User, *, fully: bool) -> None:
    """Let the viewport draw all that an artist sees, or leave out what only looks better: in software that is
    almost half of the time that drawing takes.
    """
    space = user.space
    preferences().system.use_overlay_smooth_wire = fully
    space.shading.show_object_outline = fully
    overlay = space.overlay
    overlay.show_outline_selected = overlay.show_object_origins = overlay.show_cursor = fully
    overlay.show_floor = overlay.show_axis_x = overlay.show_axis_y = overlay.show_ortho_grid = fully
