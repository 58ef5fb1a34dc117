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


@pytest.mark.parametrize(("name", "same"), [("v1.5", "v1_5"), ("Soft!", "Soft"), ("50 %", "50 ")])
async def test_a_name_that_blender_shows_as_another_preset_s_is_refused(
    user: User, name: str, same: str
) -> None:
    assert folder().is_dir(), "else the list says that paths are missing"
    assert physplace.settings_preset_add(name=name) == {"FINISHED"}
    try:
        assert physplace.settings_preset_add(name=same) == {"CANCELLED"}, "it would be lost"
        assert len(files()) == 1
        shown = bpy.path.display_name(files()[0], title_case=False)
    finally:
        assert physplace.settings_preset_add(name=name, remove_name=True) == {"FINISHED"}
    assert physplace.settings_preset_add(name=same) == {"FINISHED"}
    assert physplace.settings_preset_add(name=shown, remove_name=True) == {"FINISHED"}, "as the list does"
    assert files() == []


async def test_what_has_no_letters_is_no_name(user: User) -> None:
    assert physplace.settings_preset_add(name="???") == {"CANCELLED"}
    assert files() == []


async def test_presets_that_come_with_the_extension_are_listed_and_neither_removed_nor_replaced(
    user: User,
) -> None:
    shipped = cast("Any", bpy.utils).preset_find("Loose Heap", "physplace/settings", display_name=True)
    assert shipped is not None
    assert physplace.settings_preset_add(name="Loose Heap") == {"CANCELLED"}
    assert physplace.settings_preset_add(name="Loose Heap", remove_name=True) == {"CANCELLED"}
    assert Path(shipped).is_file()
    assert files() == []
    own = folder() / "Loose_Heap.py"  # kept before there was one that is shipped
    own.write_text(Path(shipped).read_text())
    assert physplace.settings_preset_add(name="Loose Heap", remove_name=True) == {"FINISHED"}
    assert Path(shipped).is_file()
    assert files() == []
