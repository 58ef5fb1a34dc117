"""PhysPlace as Blender has it: an installed extension, which is enabled and disabled; and what it adds."""

from __future__ import annotations

import gc
import importlib
from typing import Any, cast

import bpy

from physplace_addon.scene.access import present
from tests.blender_data import physplace, preferences, window_manager

MODULE = "bl_ext.user_default.physplace"


def enable() -> None:
    """Enable it, as the check box in the preferences does."""
    bpy.ops.preferences.addon_enable(module=MODULE)
    assert MODULE in preferences().addons, f"{MODULE} could not be enabled; see the log"


def disable() -> None:
    """Disable it."""
    bpy.ops.preferences.addon_disable(module=MODULE)


def open_sessions() -> list[str]:
    """Return the names of the modal operators of PhysPlace that are running; none when it is disabled."""
    return [operator.bl_idname for operator in open_operators()]


def open_operators() -> tuple[Any, ...]:
    """Return the modal operators of PhysPlace that are running; none when it is disabled."""
    if MODULE not in preferences().addons:
        return ()
    operators: tuple[Any, ...] = importlib.import_module(f"{MODULE}.operators.modal").open_operators()
    return operators


def listeners() -> list[Any]:
    """Return what of PhysPlace listens to changes of the scene, but for what only the test has kept."""
    gc.collect()
    return list(importlib.import_module(f"{MODULE}.scene.changes").listeners())


def headers() -> list[str]:
    """Return what the modal operators that are running show in the header."""
    return [f"{operator.bl_label}: {operator.shown_header()}" for operator in open_operators()]


def key_of(keymap: str, action: str) -> bpy.types.KeyMapItem:
    """The artist's key for something. Not to be kept: Blender makes its keymaps anew as time passes."""
    items = present(window_manager().keyconfigs.user).keymaps[keymap].keymap_items
    return next(item for item in items if cast("Any", item.properties).action == action)


def traces() -> set[str]:
    """All that extensions may hang on Blender and Python can list, each thing as a line of text."""
    found = {f"type {name}" for name in dir(bpy.types) if not name.startswith("__")}
    found |= {f"operator physplace.{name}" for name in dir(physplace)}
    for owner in (bpy.types.Scene, bpy.types.Object, bpy.types.WindowManager):
        found |= {f"{owner.__name__}.{name}" for name in dir(owner)}
    return found | _handlers() | _keymap_items() | _menu_entries() | _tools()


def _handlers() -> set[str]:
    every = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    lists = {name: value for name, value in every.items() if isinstance(value, list)}
    return {f"handler {name}: {function!r}" for name, functions in lists.items() for function in functions}


def _keymap_items() -> set[str]:
    maps = present(window_manager().keyconfigs.addon).keymaps
    return {f"key in {keys.name}: {item.idname} {item.type}" for keys in maps for item in keys.keymap_items}


def _menu_entries() -> set[str]:
    menus = [getattr(bpy.types, name) for name in dir(bpy.types) if "_MT_" in name or "_HT_" in name]
    return {
        f"entry in {menu.__name__}: {function.__module__}.{function.__name__}"
        for menu in menus
        for function in getattr(menu.draw, "_draw_funcs", ())
    }


def _tools() -> set[str]:
    toolbar: Any = bpy.types.VIEW3D_PT_tools_active
    tools = toolbar.tools_from_context(bpy.context, mode="OBJECT")
    return {f"tool {tool}" for tool in tools}
