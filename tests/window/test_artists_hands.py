"""What an artist meets while placing: which keys apply, options and presets, marks, whole models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import bpy
import pytest
from mathutils import Vector

from physplace_addon.scene.access import custom_properties
from tests.blender_data import physplace, scene_settings, window_manager
from tests.scene import scenes
from tests.window import afresh
from tests.window.placements import assert_nothing_is_open, begun, cube_at, header, operator, placing
from tests.window.test_dragging import AWAY_FROM_THE_ARROWS, with_the_tool
from tests.window.user import User

if TYPE_CHECKING:
    from physplace_addon.operators.placing.manipulation.drag import PHYSPLACE_OT_drag


async def test_the_header_says_which_keys_apply_now(user: User) -> None:
    await begun(user)
    assert "K keys it on frame 1" in header()
    assert "before it rests" not in header()
    await user.press("LEFT_ARROW", shift=True)
    await user.wait()
    assert "leaves it here, before it rests" in header()
    await user.press("RET")
    assert_nothing_is_open()
    assert bpy.data.objects["Cube"]["physplace_report"]["status"] == "INTERRUPTED"


async def test_at_an_unstable_rest_the_header_says_how_to_tip_it_over(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    cube.rotation_euler.y = 0.25 * 3.14159265358979
    await placing(user, cube)
    await user.until(lambda: "M tips it over" in header())
    await user.press("M")
    await user.until(lambda: cube_at().z == pytest.approx(1.0, abs=1e-4))
    await user.until(lambda: "tips it over" not in header())
    await user.press("ESC")


async def test_a_tie_that_is_begun_says_what_the_next_click_does(user: User) -> None:
    await begun(user)
    await user.click(user.at((0.0, 0.0, 1.0)), alt=True)
    assert "ties that point to where it is clicked" in header()
    await user.press("ESC")
    await user.press("ESC")
    assert_nothing_is_open()


async def test_a_model_is_named_with_its_shapes_and_moves_as_one(user: User) -> None:
    scenes.floor()
    model = scenes.linked(bpy.data.objects.new("Banana", None), (0.0, 0.0, 3.0))
    for name, x in (("Peel", 0.0), ("Fruit", 0.5)):
        scenes.cube(name, (x, 0.0, 0.0)).parent = model
    await placing(user, bpy.data.objects["Fruit"])
    await user.until(lambda: cube_at("Banana").z == pytest.approx(1.0, abs=1e-5))
    assert header().startswith('"Banana", whole: 2 shapes')
    await user.screenshot("whole-model")
    await user.press("RET")
    assert cube_at("Peel").z == pytest.approx(1.0, abs=1e-5)


def _last_friction() -> float:
    """The friction of the operator that ran last."""
    placed = window_manager().operators[-1]
    assert placed.bl_idname == "PHYSPLACE_OT_place"
    friction: float = cast("Any", placed.properties).friction
    return friction


async def test_the_options_are_in_the_redo_panel(user: User) -> None:
    scene_settings().friction = 0.25
    await begun(user)
    await user.press("RET")
    await user.press("F9")
    await user.wait(10)
    await user.screenshot("redo-panel")
    await user.press("ESC")
    assert _last_friction() == pytest.approx(0.25)
    scene_settings().friction = 0.4
    bpy.data.objects["Cube"].location.z = 3.0
    await placing(user, bpy.data.objects["Cube"])
    await user.until(lambda: cube_at().z == pytest.approx(1.0, abs=1e-5))
    await user.press("RET")
    assert _last_friction() == pytest.approx(0.4), "not what was used the last time"


async def test_a_greyed_button_says_why_in_the_panel(user: User) -> None:
    bpy.ops.object.add(type="LIGHT")
    scenes.activate(bpy.data.objects["Light"])
    await user.open_tab()
    await user.screenshot("greyed")
    with pytest.raises(RuntimeError, match="is a light, which has no faces"):
        physplace.place()


async def test_contacts_are_outlines_with_arrows(user: User) -> None:
    afresh.draw(user, fully=True)
    await begun(user)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.view3d.view_orbit(angle=0.6, type="ORBITUP")
        bpy.ops.view3d.view_orbit(angle=0.5, type="ORBITLEFT")
    await user.wait()
    await user.screenshot("contacts")
    await user.press("ESC")


async def test_the_arrows_stay_together_while_one_is_dragged(user: User) -> None:
    await with_the_tool(user)
    afresh.draw(user, fully=True)
    await user.screenshot("gizmo-before")
    await user.move_to(user.at(cube_at() + Vector((0.0, 0.0, 1.0))))
    await user.hold()
    await user.glide_to(user.at((0.0, 0.0, 4.0)), steps=20)
    await user.until(lambda: cube_at().z > 2.5)
    await user.wait(5)
    await user.screenshot("gizmo-dragging")
    await user.release()


def _ghost_at() -> float:
    """Where along x the ghost is; far to the left as long as there is none."""
    layers = operator().drawing.layers
    return (
        float(0.5 * (layers[0].vertices[:, 0].min() + layers[0].vertices[:, 0].max())) if layers else -100.0
    )


def _for_ticks(ticks: int, condition: Callable[[], bool]) -> Callable[[], bool]:
    """Return a condition: that another one has held for so many ticks."""
    held = 0

    def holds() -> bool:
        nonlocal held
        held = held + 1 if condition() else 0
        return held >= ticks

    return holds


def _ghost_is_up_to_date() -> bool:
    """Whether the ghost is the rest from where the object is held now."""
    drag = cast("PHYSPLACE_OT_drag", operator())
    run = drag.ghost.run_of(drag.session.item)
    return run is not None and run is drag.ghost.shown


async def test_what_is_dragged_to_be_placed_shows_its_rest_and_goes_there(user: User) -> None:
    scene_settings().place_on_release = True
    await with_the_tool(user)
    afresh.draw(user, fully=True)
    bpy.data.objects["Cube"].rotation_euler.y = 0.3
    await user.wait()
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    await user.glide_to(user.at(Vector((2.0, 0.0, 3.0)) + AWAY_FROM_THE_ARROWS), steps=15)
    await user.until(lambda: cube_at().x > 1.8)
    await user.until(_for_ticks(10, _ghost_is_up_to_date))
    await user.screenshot("ghost-of-a-rest")
    ghost, across = operator().drawing.layers[0].vertices, _ghost_at()
    assert ghost[:, 2].min() == pytest.approx(0.0, abs=1e-5)
    assert ghost[:, 2].max() == pytest.approx(2.0, abs=1e-5)
    await user.release()
    await user.until(lambda: cube_at().z == pytest.approx(1.0, abs=1e-5))
    assert_nothing_is_open()
    assert bpy.data.objects["Cube"]["physplace_report"]["status"] == "BALANCED"
    assert cube_at().x == pytest.approx(across, abs=1e-3)
    await user.undo()
    assert cube_at().z == pytest.approx(1.5)


async def test_p_has_a_drag_end_in_a_rest_or_no_more(user: User) -> None:
    await with_the_tool(user)
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    await user.glide_to(user.at(Vector((0.0, 0.0, 3.0)) + AWAY_FROM_THE_ARROWS), steps=10)
    await user.press("P")
    await user.until(lambda: len(operator().drawing.layers) == 1)
    await user.press("P")
    assert len(operator().drawing.layers) == 0
    await user.release()
    assert_nothing_is_open()
    assert cube_at().z > 2.5
    assert "physplace_report" not in custom_properties(bpy.data.objects["Cube"])
