"""Contact regions as an artist sees them: drawn by dimension, listed, picked out, and gone with a change."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Euler

from physplace_addon.scene.access import custom_properties
from tests.blender_data import current_scene, mesh_of
from tests.scene import scenes
from tests.window.test_overlay import RED, count, module
from tests.window.user import User

YELLOW = (1.0, 0.85, 0.1)
BLUE, VIOLET, WHITE = (0.25, 0.75, 1.0), (0.5, 0.15, 0.8), (1.0, 1.0, 1.0)
CORNER = (np.pi / 4.0, float(np.arctan(np.sqrt(0.5))), 0.0)  # stands a cube on its corner


def box(name: str, place: tuple[float, float, float], turned: tuple[float, float, float]) -> bpy.types.Object:
    """A unit cube about a place, selected."""
    made = scenes.cube(name, place)
    for vertex in mesh_of(made).vertices:
        vertex.co *= 0.5
    made.rotation_euler = turned
    made.select_set(True)
    return made


async def boxes_on_a_table(user: User) -> None:
    """A box on its side, one on its edge, one on its corner, and one that is sunk in, all selected."""
    table = scenes.cube("Table", (0.0, 0.0, -0.25))
    table.scale = (5.0, 2.0, 0.25)
    table.select_set(True)
    box("Face", (-3.0, 0.0, 0.5), (0.0, 0.0, 0.3))
    box("Line", (-1.0, 0.0, float(np.sqrt(0.5))), (np.pi / 4.0, 0.0, 0.0))
    box("Point", (1.0, 0.0, float(np.sqrt(0.75))), CORNER)
    scenes.activate(box("Sunk", (3.0, 0.0, 0.4), (0.0, 0.0, 0.0)))
    await user.look_from_the_front((2.4, 0.0, 0.0), 11.0)
    user.view.view_rotation = Euler((np.radians(65.0), 0.0, 0.0)).to_quaternion()
    await user.open_tab()
    user.scene_is_ready()


def drawn() -> bool:
    """Whether regions are drawn."""
    return module("operators.regions.shown").shown() is not None


async def test_regions_are_drawn_by_dimension_listed_and_gone_when_an_object_moves(user: User) -> None:
    await boxes_on_a_table(user)
    await user.click_button("physplace.contact_regions")
    await user.until(drawn)
    report = custom_properties(current_scene())["physplace_regions"].to_dict()
    assert sorted(region["dimension"] for region in report["regions"]) == [0, 1, 2]
    assert [one["object_1"] for one in report["penetrations"]] == ["Sunk"]
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    await user.screenshot("contact_regions")
    end = (-1.5, 0.0, 0.0)
    assert count(user, user.at((1.0, 0.0, 0.0)), YELLOW) >= 40
    assert count(user, user.at(end), BLUE) >= 15
    corners = [region["points"][:3] for region in report["regions"] if region["dimension"] == 2]
    assert count(user, user.at(corners[0]), VIOLET) >= 5
    assert count(user, user.at(report["penetrations"][0]["points"][:3]), RED) >= 10
    await user.scroll(8)
    await user.screenshot("contact_regions_listed")
    await user.click_button("physplace.contact_region_pick")
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    await user.screenshot("contact_regions_picked")
    picked = report["regions"][0]["points"][:3]
    assert count(user, user.at(picked), WHITE) >= 10
    bpy.data.objects["Point"].location.z += 0.5
    await user.until(lambda: not drawn())
    await user.wait()
    assert count(user, user.at(end), BLUE) == 0
    assert module("overlay.drawing").open_drawings() == ()


async def test_the_drawing_ends_with_undo_and_the_button_takes_it_away(user: User) -> None:
    await boxes_on_a_table(user)
    await user.click_button("physplace.contact_regions")
    await user.until(drawn)
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    await user.undo()
    await user.until(lambda: not drawn())
    assert "physplace_regions" not in custom_properties(current_scene())
    assert set(bpy.data.objects.keys()) == {"Table", "Face", "Line", "Point", "Sunk"}
    await user.redo()
    assert "physplace_regions" in custom_properties(current_scene())
    assert not drawn()
    await user.click_button("physplace.contact_regions")
    await user.until(drawn)
    await user.click_button("physplace.contact_regions_clear")
    await user.until(lambda: not drawn())
    assert "physplace_regions" not in custom_properties(current_scene())
