"""The sidebar tab: its panels, its buttons, and undo after them."""

from __future__ import annotations

import bpy
import pytest

from tests.scene import scenes
from tests.window.hand import Hand


async def cube_above_a_floor(hand: Hand) -> None:
    """A cube whose underside is two above the floor, the active object; the tab is open."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    cube.select_set(True)
    scenes.activate(cube)
    await hand.look_from_the_front()
    await hand.open_tab()
    hand.scene_is_ready()


def height_of_cube() -> float:
    return bpy.data.objects["Cube"].location.z


def report_of_cube() -> dict[str, object]:
    return bpy.data.objects["Cube"]["physplace_report"].to_dict()


async def test_the_tab_draws_its_panels(hand: Hand) -> None:
    await cube_above_a_floor(hand)
    for operator in ("place", "check", "replicate", "extricate"):
        await hand.find_button(f"physplace.{operator}")
    await hand.screenshot("tab")


async def test_place_at_rest_is_one_click_and_one_undo_step(hand: Hand) -> None:
    await cube_above_a_floor(hand)
    await hand.click_button("physplace.place")
    await hand.until(lambda: height_of_cube() == pytest.approx(1.0, abs=1e-5))
    await hand.screenshot("placed")
    await hand.move_to(hand.at((0.0, 0.0, 4.0)))
    await hand.press("RET")
    await hand.undo()
    assert height_of_cube() == 3.0
    assert "physplace_report" not in bpy.data.objects["Cube"]
    assert {obj.name for obj in bpy.data.objects} == {"Cube", "Floor"}
    await hand.redo()
    assert height_of_cube() == pytest.approx(1.0, abs=1e-5)


async def test_check_rest_says_whether_it_stands(hand: Hand) -> None:
    await cube_above_a_floor(hand)
    await hand.click_button("physplace.check")
    await hand.until(lambda: "physplace_report" in bpy.data.objects["Cube"])
    assert report_of_cube()["contacts"] == 0
    bpy.data.objects["Cube"].location.z = 1.0
    await hand.click_button("physplace.check")
    await hand.until(lambda: report_of_cube()["contacts"] > 0)
    assert report_of_cube()["status"] == "BALANCED"
    assert height_of_cube() == 1.0
    await hand.screenshot("checked")
