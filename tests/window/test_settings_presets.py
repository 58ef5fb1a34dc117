"""Presets of the scene's settings: kept in the extension's folder, listed, loaded and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import bpy
import pytest

from tests.blender_data import operators_of, physplace, scene_settings
from tests.scene import scenes
from tests.window import extension
from tests.window.user import User

NAME = "Weiche Möbel 2"
PANEL = "PHYSPLACE_PT_settings_presets"


def folder() -> Path:
    return Path(bpy.utils.extension_path_user(extension.MODULE), "presets", "physplace", "settings")


def files() -> list[str]:
    return sorted(path.name for path in folder().glob("*.py"))


async def test_settings_are_kept_under_a_name_in_the_extension_s_folder_and_loaded_from_the_list(
    user: User,
) -> None:
    settings = scene_settings()
    settings.friction, settings.stance, settings.gravity = 0.25, "UPRIGHT", (0.0, 0.6, -0.8)
    assert physplace.settings_preset_add(name=NAME) == {"FINISHED"}
    try:
        assert len(files()) == 1
        assert physplace.settings_preset_add(name=NAME) == {"CANCELLED"}, "it would be lost"
        bpy.ops.scene.new(type="NEW")
        await user.wait()
        scenes.floor()
        assert scene_settings().friction == 0.0
        await user.move_to(user.at((0.0, 0.0, 0.0)))
        with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
            bpy.ops.wm.call_panel(name=PANEL)
        await user.wait(5)
        await user.screenshot("list")
        (path,) = folder().glob("*.py")
        assert operators_of("script").execute_preset(filepath=str(path), menu_idname=PANEL) == {"FINISHED"}
        loaded = scene_settings()
        assert loaded.friction == 0.25
        assert loaded.stance == "UPRIGHT"
        assert tuple(loaded.gravity) == pytest.approx((0.0, 0.6, -0.8))
    finally:
        assert physplace.settings_preset_add(name=NAME, remove_name=True) == {"FINISHED"}
    assert files() == []
    assert NAME not in cast("Any", bpy.utils).preset_paths("physplace/settings")
