"""Simulate as the artist has it: it goes on in the view, is paused, scrubbed, confirmed or put back."""

from __future__ import annotations

from typing import Any

import bpy

from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene, physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.placements import START, assert_nothing_is_open, cube_at, header, operator
from tests.window.user import User

LAST = 20


async def _begun(user: User) -> None:
    """A cube above a floor that is simulated, paused after some frames."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, START))
    cube.select_set(True)
    scenes.activate(cube)
    current_scene().frame_end = LAST
    await user.look_from_the_front()
    user.scene_is_ready()
    await user.move_to(user.at((4.0, 0.0, 4.0)))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == ["PHYSPLACE_OT_simulate"]
    await user.until(lambda: current_scene().frame_current > 5)
    await user.press("SPACE")
    assert "paused" in header()


def _frames() -> list[Any]:
    """The states that the running simulation has, one a frame."""
    frames: list[Any] = operator().session.run.frames
    return frames


def _key_count() -> int:
    return sum(len(curve.keyframe_points) for curve in curves_of(bpy.data.objects["Cube"]))


async def test_it_is_paused_and_scrubbed_and_goes_on_and_enter_keys_it_in_one_undo_step(user: User) -> None:
    await _begun(user)
    frame, height = current_scene().frame_current, cube_at().z
    await user.wait(20)
    assert (current_scene().frame_current, cube_at().z) == (frame, height), "it waits"
    await user.press("LEFT_ARROW")
    await user.press("LEFT_ARROW")
    assert current_scene().frame_current == frame - 2
    assert cube_at().z > height
    assert len(_frames()) == frame
    await user.press("SPACE")
    await user.until(lambda: "all frames are done" in header())
    await user.screenshot("simulated")
    assert current_scene().frame_current == LAST
    below = cube_at().z
    await user.press("RET")
    assert_nothing_is_open()
    assert current_scene().frame_current == 1
    assert cube_at().z == START
    assert _key_count() == 6 * LAST
    current_scene().frame_set(LAST)
    assert abs(cube_at().z - below) < 1e-5
    await user.undo()
    assert _key_count() == 0
    assert cube_at().z == START


async def test_escape_puts_everything_back(user: User) -> None:
    await _begun(user)
    assert cube_at().z < START
    await user.press("ESC")
    assert_nothing_is_open()
    assert current_scene().frame_current == 1
    assert cube_at().z == START
    assert _key_count() == 0


async def test_who_changes_the_frame_ends_it(user: User) -> None:
    await _begun(user)
    current_scene().frame_set(2)
    await user.until(lambda: not extension.open_sessions())
    assert current_scene().frame_current == 1
    assert cube_at().z == START
