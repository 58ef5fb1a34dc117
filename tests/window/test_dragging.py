"""The toolbar's tool: an object dragged with contact, and what is selected by its clicks."""

from __future__ import annotations

from typing import Any, cast

import bpy
from mathutils import Vector

from physplace_addon.scene.access import present
from tests.blender_data import current_view_layer, display_type_of, window_manager
from tests.scene import scenes
from tests.window import extension
from tests.window.placements import header
from tests.window.user import User

TOOL = "physplace.drag_tool"
AWAY_FROM_THE_ARROWS = Vector((-0.8, 0.0, 0.5))


async def with_the_tool(user: User, height: float = 1.5) -> None:
    """A cube over a floor, seen from the front, and the tool chosen."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, height))
    cube.select_set(True)
    scenes.activate(cube)
    await user.look_from_the_front()
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.wm.tool_set_by_id(name=TOOL)
        assert (
            cast("Any", present(bpy.context.workspace).tools).from_space_view3d_mode("OBJECT").idname == TOOL
        )
    await user.wait()


def cube_at() -> Vector:
    return bpy.data.objects["Cube"].matrix_world.translation.copy()


async def test_escape_puts_it_back(user: User) -> None:
    await with_the_tool(user)
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    assert extension.open_sessions() == [], "a press may still become a click"
    await user.glide_to(user.at((3.0, 0.0, 3.0)), steps=20)
    assert extension.open_sessions() == ["PHYSPLACE_OT_drag"]
    await user.until(lambda: cube_at().x > 2.0)
    assert cube_at().z > 2.0
    await user.press("ESC")
    await user.release()
    assert extension.open_sessions() == []
    assert cube_at() == Vector((0.0, 0.0, 1.5))


async def with_two_cubes(user: User) -> None:
    """As `with_the_tool`, with a second cube beside the first, which is selected."""
    scenes.cube("Other", (-5.0, 0.0, 1.5))
    await with_the_tool(user)


def selected() -> set[str]:
    return {obj.name for obj in bpy.context.selected_objects}


def active() -> str:
    return present(current_view_layer().objects.active).name


OTHER = (-5.0, 0.0, 1.5)
NOTHING = (6.0, 0.0, 6.0)


async def test_with_the_tool_a_click_selects_and_shift_adds(user: User) -> None:
    await with_two_cubes(user)
    await user.click(user.at(OTHER))
    assert selected() == {"Other"}
    await user.click(user.at(cube_at() + AWAY_FROM_THE_ARROWS), shift=True)
    assert selected() == {"Other", "Cube"}
    assert active() == "Cube"
    await user.click(user.at(NOTHING))
    assert selected() == set()
    assert extension.open_sessions() == []


async def test_what_is_dragged_is_selected_with_an_undo_step_of_its_own(user: User) -> None:
    await with_two_cubes(user)
    await user.drag(user.at(OTHER), user.at((-5.0, 0.0, 4.0)))
    assert selected() == {"Other"}
    assert active() == "Other"
    assert bpy.data.objects["Other"].location.z > 3.0
    await user.undo()
    assert bpy.data.objects["Other"].location.z == 1.5
    assert selected() == {"Other"}
    await user.undo()
    assert selected() == {"Cube"}


async def test_of_several_selected_the_one_under_the_mouse_is_dragged(user: User) -> None:
    await with_two_cubes(user)
    bpy.data.objects["Other"].select_set(True)
    await user.drag(user.at(OTHER), user.at((-5.0, 0.0, 4.0)))
    assert selected() == {"Cube", "Other"}
    assert active() == "Other"
    assert bpy.data.objects["Other"].location.z > 3.0
    assert cube_at() == Vector((0.0, 0.0, 1.5))


async def test_a_drag_on_nothing_moves_what_is_selected_and_nothing_else(user: User) -> None:
    await with_two_cubes(user)
    await user.drag(user.at(NOTHING), user.at((6.0, 0.0, 7.5)))
    assert cube_at().z > 2.5
    bpy.ops.object.select_all(action="DESELECT")
    before = cube_at()
    await user.drag(user.at(NOTHING), user.at((6.0, 0.0, 7.5)))
    assert cube_at() == before
    assert extension.open_sessions() == []


async def test_who_selects_with_the_right_mouse_drags_what_is_selected_with_the_left(user: User) -> None:
    choices = cast("Any", window_manager().keyconfigs.active).preferences
    choices.select_mouse = "RIGHT"
    try:
        await with_two_cubes(user)
        await user.click(user.at(OTHER), button="RIGHTMOUSE")
        assert selected() == {"Other"}
        await user.drag(user.at(cube_at() + AWAY_FROM_THE_ARROWS), user.at((0.0, 0.0, 3.5)))
        assert selected() == {"Other"}
        assert bpy.data.objects["Other"].location.z > 2.5
        assert cube_at() == Vector((0.0, 0.0, 1.5))
    finally:
        choices.select_mouse = "LEFT"
        await user.wait()


async def test_what_overlaps_at_the_start_is_dragged_out_and_does_not_go_in_again(user: User) -> None:
    await with_the_tool(user, height=0.4)
    cube = bpy.data.objects["Cube"]
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    await user.glide_to(user.at(Vector((1.0, 0.0, 0.8)) + AWAY_FROM_THE_ARROWS), steps=6)
    await user.until(lambda: cube_at().x > 0.9)
    assert display_type_of(cube) == "WIRE"
    assert "overlaps something" in header()
    await user.screenshot("dragged-out")
    await user.glide_to(user.at(Vector((2.0, 0.0, 3.0)) + AWAY_FROM_THE_ARROWS), steps=6)
    await user.until(lambda: display_type_of(cube) == "TEXTURED")
    await user.glide_to(user.at(Vector((2.0, 0.0, -1.0)) + AWAY_FROM_THE_ARROWS), steps=6)
    await user.until(lambda: abs(cube_at().z - 1.0) < 1e-5)
    assert header().startswith('"Cube": Move 1.9')
    await user.release()
    assert display_type_of(cube) == "TEXTURED"
    assert abs(cube_at().z - 1.0) < 1e-5
