# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordered list of what PhysPlace adds to Blender. Unregistering is its exact reverse.

A class stands after every class it refers to: settings first, then operators, then the panels that show both.
If something cannot be registered, all that was registered before it is taken away again, so that Blender
never keeps half an extension.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import cast

import bpy

from .operators.check import PHYSPLACE_OT_check
from .operators.connect import PHYSPLACE_OT_connect
from .operators.extricate import PHYSPLACE_OT_extricate
from .operators.menus import PHYSPLACE_MT_object, draw_object_menu
from .operators.place import PHYSPLACE_OT_place
from .operators.push import PHYSPLACE_OT_nudge, PHYSPLACE_OT_push
from .operators.replicate import PHYSPLACE_OT_replicate
from .panels.sidebar import (
    PHYSPLACE_PT_forces,
    PHYSPLACE_PT_place,
    PHYSPLACE_PT_report,
    PHYSPLACE_PT_settings,
)
from .properties import PhysPlaceSettings

CLASSES: tuple[type, ...] = (
    PhysPlaceSettings,
    PHYSPLACE_OT_place,
    PHYSPLACE_OT_check,
    PHYSPLACE_OT_nudge,
    PHYSPLACE_OT_push,
    PHYSPLACE_OT_connect,
    PHYSPLACE_OT_replicate,
    PHYSPLACE_OT_extricate,
    PHYSPLACE_MT_object,
    PHYSPLACE_PT_place,
    PHYSPLACE_PT_forces,
    PHYSPLACE_PT_settings,
    PHYSPLACE_PT_report,
)

# Settings that hang on Blender's own data: (Blender's type, the attribute's name, the settings' class).
POINTERS: tuple[tuple[type, str, type], ...] = ((bpy.types.Scene, "physplace", PhysPlaceSettings),)

# Entries in Blender's own menus: (the menu, the function that draws them).
MENUS = ((bpy.types.VIEW3D_MT_object, draw_object_menu),)


def register() -> None:
    """Register the classes, hang the settings on Blender's types, and add to its menus."""
    with ExitStack() as undo:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            undo.callback(bpy.utils.unregister_class, cls)
        for owner, name, settings in POINTERS:
            # the stub says that it gives nothing
            pointer = cast("Callable[..., object]", bpy.props.PointerProperty)
            setattr(owner, name, pointer(type=settings))
            undo.callback(delattr, owner, name)
        for menu, draw in MENUS:
            menu.append(draw)
            undo.callback(menu.remove, draw)
        undo.pop_all()


def unregister() -> None:
    """Undo `register`, last thing first."""
    for menu, draw in reversed(MENUS):
        menu.remove(draw)
    for owner, name, _ in reversed(POINTERS):
        delattr(owner, name)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
