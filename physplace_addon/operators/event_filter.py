# SPDX-License-Identifier: GPL-3.0-or-later
"""Which events are for what goes on in a view, and which for Blender."""

from __future__ import annotations

from bpy.types import Event

from .view import View

NAVIGATION = frozenset(
    {
        *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN"),
        *("TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "HOME", "NUMPAD_PERIOD"),
        *("NUMPAD_PLUS", "NUMPAD_MINUS", "NUMPAD_SLASH", "NUMPAD_ASTERIX"),
        *(f"NUMPAD_{digit}" for digit in range(10)),
    }
)
NOT_WITH_CTRL = frozenset({"NUMPAD_0", "NUMPAD_PLUS", "NUMPAD_MINUS"})  # a new camera, more or less selected


def is_meant(view: View, event: Event) -> bool:
    """Whether an event is for the view: its bars and panels keep the mouse but not the keys.

    Else a G over the toolbar would start Blender's own Grab.
    """
    if event.type in NAVIGATION and not (event.ctrl and event.type in NOT_WITH_CTRL):
        return False
    area = view.area
    inside = 0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height
    return view.is_under(event) or (inside and "MOUSE" not in event.type)
