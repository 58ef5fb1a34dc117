"""What the artist does while a session reads the scene counts, in its order, when it goes on."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector

from tests.blender_data import current_scene, physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.placements import (
    START,
    assert_nothing_is_open,
    begun,
    cube_at,
    header,
    operator,
)
from tests.window.slow_reading import slow
from tests.window.test_dragging import AWAY_FROM_THE_ARROWS, with_the_tool
from tests.window.user import User


async def comes_into_view(user: User) -> None:
    """Something comes into view, and the session begins to read it."""
    bpy.data.objects["Hidden"].hide_set(False)
    await user.until(lambda: operator().is_busy)


def hidden() -> None:
    """A cube beside, which is not seen yet."""
    scenes.cube("Hidden", (0.0, 3.0, 1.5)).hide_set(True)


async def placed(user: User) -> None:
    """A cube lies on a floor, and is being placed."""
    hidden()
    await begun(user)
    await user.until(lambda: "at rest" in header())


async def test_a_point_is_let_go_by_the_button_that_was_released_while_reading(user: User) -> None:
    await placed(user)
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    assert operator().session.handle is not None
    with slow(operator().session, "reading") as reading:
        await comes_into_view(user)
        await user.release()
        await reading.let_go_on(user)
    assert operator().session.handle is None
    await user.press("ESC")
    assert_nothing_is_open()


async def test_escape_while_reading_ends_a_move_and_not_the_placement(user: User) -> None:
    await placed(user)
    await user.press("G")
    await user.press("X")
    await user.type_text("2")
    await user.until(lambda: cube_at().x == pytest.approx(2.0, abs=1e-4))
    with slow(operator().session, "reading") as reading:
        await comes_into_view(user)
        await user.press("ESC")
        await reading.let_go_on(user)
    assert operator().session.transform is None
    assert cube_at().x == pytest.approx(0.0, abs=1e-4)
    await user.press("ESC")
    assert_nothing_is_open()


async def test_escape_while_reading_with_nothing_held_ends_it_at_once(user: User) -> None:
    await placed(user)
    with slow(operator().session, "reading"):
        await comes_into_view(user)
        await user.press("ESC")
    assert_nothing_is_open()
    assert cube_at().z == START


async def test_escape_twice_while_reading_ends_a_move_and_the_placement(user: User) -> None:
    await placed(user)
    await user.press("G")
    with slow(operator().session, "reading"):
        await comes_into_view(user)
        await user.press("ESC")
        assert operator().is_busy
        await user.press("ESC")
    assert_nothing_is_open()
    assert cube_at().z == START


async def test_keys_while_reading_count_in_their_order(user: User) -> None:
    await placed(user)
    with slow(operator().session, "reading") as reading:
        await comes_into_view(user)
        await user.press("G")
        await user.press("X")
        await user.press("THREE")
        await user.press("RET")
        await user.press("RET")
        assert extension.open_sessions()
        await reading.let_go_on(user)
        await user.until(lambda: not extension.open_sessions())
    assert cube_at().x == pytest.approx(3.0, abs=1e-3)
    await user.undo()
    assert cube_at().to_tuple() == (0.0, 0.0, START)


async def test_what_is_dragged_and_let_go_while_reading_is_left_where_the_mouse_was(user: User) -> None:
    hidden()
    await with_the_tool(user)
    await user.move_to(user.at(cube_at() + AWAY_FROM_THE_ARROWS))
    await user.hold()
    await user.glide_to(user.at(Vector((2.0, 0.0, 4.0))))
    await user.until(lambda: cube_at().x > 1.0)
    with slow(operator().session, "reading") as reading:
        await comes_into_view(user)
        before = cube_at().x
        await user.glide_to(user.at(Vector((5.0, 0.0, 4.0))), steps=2)
        await user.release()
        assert cube_at().x == before
        await reading.let_go_on(user)
        await user.until(lambda: not extension.open_sessions())
    assert cube_at().x > before + 2.0
    await user.undo()
    assert cube_at().to_tuple() == (0.0, 0.0, 1.5)


async def test_a_simulation_that_is_pulled_waits_again_if_let_go_while_it_reads(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, START))
    cube.select_set(True)
    scenes.activate(cube)
    current_scene().frame_end = 40
    await user.look_from_the_front()
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: current_scene().frame_current > 5)
    await user.press("SPACE")
    await user.move_to(user.at(cube_at()))
    with slow(operator().session, "going_on") as reading:
        await user.hold()
        assert operator().session.pulled is not None
        await user.release()
        await reading.let_go_on(user)
    assert operator().session.pulled is None
    assert "paused" in header()
    await user.press("ESC")
    assert_nothing_is_open()
