"""The sidebar tab: its panels, its buttons, and undo after them."""

from __future__ import annotations

from typing import Any

import bpy
import pytest

from physplace_addon.scene.access import custom_properties
from tests.blender_data import report_of
from tests.scene import scenes
from tests.window.user import User


async def cube_above_a_floor(user: User) -> None:
    """A cube whose underside is two above the floor, the active object; the tab is open."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    cube.select_set(True)
    scenes.activate(cube)
    await user.look_from_the_front()
    await user.open_tab()
    user.scene_is_ready()


def height_of_cube() -> float:
    return bpy.data.objects["Cube"].location.z


def report_of_cube() -> dict[str, Any]:
    return report_of(bpy.data.objects["Cube"])


async def test_the_tab_draws_its_panels(user: User) -> None:
    await cube_above_a_floor(user)
    for operator in ("place", "check", "replicate", "extricate"):
        await user.find_button(f"physplace.{operator}")
    await user.screenshot("tab")


async def test_place_at_rest_is_one_click_and_one_undo_step(user: User) -> None:
    await cube_above_a_floor(user)
    await user.click_button("physplace.place")
    await user.until(lambda: height_of_cube() == pytest.approx(1.0, abs=1e-5))
    await user.screenshot("placed")
    await user.move_to(user.at((0.0, 0.0, 4.0)))
    await user.press("RET")
    await user.undo()
    assert height_of_cube() == 3.0
    assert "physplace_report" not in custom_properties(bpy.data.objects["Cube"])
    assert {obj.name for obj in bpy.data.objects} == {"Cube", "Floor"}
    await user.redo()
    assert height_of_cube() == pytest.approx(1.0, abs=1e-5)


async def test_check_rest_says_whether_it_stands(user: User) -> None:
    await cube_above_a_floor(user)
    below = await user.find_button("physplace.keyframe_rest")
    await user.click_button("physplace.check")
    await user.until(lambda: "physplace_report" in custom_properties(bpy.data.objects["Cube"]))
    assert report_of_cube()["contacts"] == 0
    bpy.data.objects["Cube"].location.z = 1.0
    await user.click_button("physplace.check")
    await user.until(lambda: report_of_cube()["contacts"] > 0)
    assert report_of_cube()["status"] == "BALANCED"
    assert height_of_cube() == 1.0
    assert await user.find_button("physplace.keyframe_rest") == below, "the first report moves no button"
    await user.screenshot("checked")
