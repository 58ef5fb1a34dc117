"""Simulate as the artist has it: it goes on in the view, is paused, scrubbed, confirmed or put back."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, select
from tests.window import extension
from tests.window.placements import START, assert_nothing_is_open, cube_at, header, operator
from tests.window.user import User

LAST = 20


async def _begun(user: User, last: int = LAST) -> None:
    """A cube above a floor that is simulated, paused after some frames."""
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, START))
    cube.select_set(True)
    scenes.activate(cube)
    current_scene().frame_end = last
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
    await user.until(lambda: "at rest, proven" in header(), ticks=3000)
    await user.screenshot("simulated")
    last, below = current_scene().frame_current, cube_at().z
    assert frame < last <= LAST
    await user.press("RET")
    assert_nothing_is_open()
    assert current_scene().frame_current == 1
    assert cube_at().z == START
    assert _key_count() == 6 * last
    current_scene().frame_set(last)
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


def _matrices() -> list[np.ndarray]:
    """Where the cube is on each frame, as the solver has it."""
    run = operator().session.run
    return [run.scenario.subjects[0].world_matrix(run.poses(number)[0]) for number in range(len(run.frames))]


def _assert_played_back(expected: list[np.ndarray]) -> None:
    """The keys show the same motion, to 1e-5 of the cube's size."""
    for i, matrix in enumerate(expected):
        current_scene().frame_set(1 + i)
        shown = scenes.world_matrix(bpy.data.objects["Cube"])
        assert np.abs(shown - matrix).max() < 1e-5 * 3**0.5, f"frame {1 + i}"
    current_scene().frame_set(1)


async def test_a_cube_is_pulled_while_it_runs_and_keyed_as_it_was_pulled(user: User) -> None:
    await _begun(user, last=40)
    frame = current_scene().frame_current
    await user.press("LEFT_ARROW")
    await user.press("LEFT_ARROW")
    await user.press("SPACE")
    await user.until(lambda: current_scene().frame_current > frame - 2)
    taken = user.at(cube_at())
    await user.move_to(taken)
    await user.hold()
    assert operator().session.pulled is not None
    await user.glide_to((taken[0] + 150, taken[1] + 60), steps=12)
    assert 'pulls "Cube"' in header()
    await user.screenshot("pulled")
    pulls = operator().drawing.marks.pulls
    assert len(pulls) == 1
    assert np.abs(np.subtract(user.at(pulls[0, 1]), user.place)).max() <= 2, "the line ends at the mouse"
    await user.until(lambda: cube_at().x > 0.5)
    await user.release()
    assert operator().session.pulled is None
    assert len(operator().drawing.marks.pulls) == 0
    await user.until(lambda: "all frames are done" in header(), ticks=3000)
    expected = _matrices()
    assert len(expected) == 40
    await user.press("RET")
    assert_nothing_is_open()
    _assert_played_back(expected)
    await user.undo()
    assert _key_count() == 0
    assert cube_at().z == START
    await user.redo()
    _assert_played_back(expected)


async def test_paused_it_goes_on_for_as_long_as_it_is_pulled_and_escape_restores_all(user: User) -> None:
    await _begun(user, last=200)
    frame = current_scene().frame_current
    await user.move_to(user.at(cube_at()))
    await user.hold()
    await user.glide_to(user.at((-3.0, 0.0, 5.0)), steps=6)
    await user.until(lambda: cube_at().x < -1.0)
    await user.press("ESC")
    assert extension.open_sessions(), "the first Esc lets go"
    await user.release()
    assert "paused" in header()
    now = current_scene().frame_current
    assert now > frame
    await user.wait(20)
    assert current_scene().frame_current == now, "it waits again"
    await user.press("ESC")
    assert_nothing_is_open()
    assert current_scene().frame_current == 1
    assert cube_at().to_tuple() == (0.0, 0.0, START)
    assert _key_count() == 0


async def test_a_click_on_what_is_not_simulated_does_nothing(user: User) -> None:
    await _begun(user)
    await user.click(user.at((4.0, 0.0, 4.0)))
    assert operator().session.pulled is None
    assert "paused" in header()
    await user.press("ESC")


async def test_what_is_changed_while_it_waits_counts_from_there_on(user: User) -> None:
    await _begun(user, last=30)
    expected = _matrices()
    current_scene().gravity = (0.0, 0.0, 9.81)
    await user.press("SPACE")
    await user.until(lambda: "all frames are done" in header(), ticks=3000)
    found = _matrices()
    for before, now in zip(expected, found, strict=False):
        np.testing.assert_array_equal(before, now)
    assert found[-1][2, 3] > expected[-1][2, 3]
    await user.press("RET")
    _assert_played_back(found)
    await user.undo()
    assert _key_count() == 0
    assert cube_at().to_tuple() == (0.0, 0.0, START)
    assert current_scene().gravity.z > 0.0, "what was changed stays"


async def test_it_is_moved_by_hand_while_it_waits_and_goes_on_from_there(user: User) -> None:
    await _begun(user, last=30)
    frame, height = current_scene().frame_current, cube_at().z
    await user.press("G")
    await user.press("X")
    await user.type_text("2.5")
    assert "Move 2.5" in header()
    await user.screenshot("moved-by-hand")
    await user.press("RET")
    assert cube_at().x == 2.5
    assert abs(cube_at().z - height) < 1e-6
    await user.press("SPACE")
    await user.until(lambda: "at rest, proven" in header(), ticks=3000)
    found = _matrices()
    assert found[frame - 2][0, 3] == 0.0
    assert abs(found[frame - 1][0, 3] - 2.5) < 1e-6
    assert abs(found[-1][0, 3] - 2.5) < 1e-3
    await user.press("RET")
    _assert_played_back(found)
    await user.undo()
    assert cube_at().to_tuple() == (0.0, 0.0, START)


async def test_keys_move_what_is_under_the_mouse_where_the_active_object_is_not_simulated(user: User) -> None:
    await _begun(user)
    scenes.activate(bpy.data.objects["Floor"])
    await user.press("G")
    assert '"Floor": it is not simulated' in header()
    assert operator().session.transform is None
    await user.move_to(user.at(cube_at()))
    await user.press("G")
    await user.press("X")
    await user.type_text("2.5")
    assert '"Cube": Move 2.5' in header()
    await user.press("RET")
    await user.press("ESC")
    assert_nothing_is_open()


async def test_where_it_overlaps_it_waits_and_says_so(user: User) -> None:
    await _begun(user, last=30)
    await user.press("G")
    await user.press("Z")
    await user.type_text("-20")
    await user.press("RET")
    kept = len(_frames())
    bpy.data.objects["Floor"].location.z = cube_at().z
    await user.press("SPACE")
    await user.until(lambda: "overlaps" in header())
    assert '"Cube": it overlaps "Floor" at the start' in header()
    assert len(_frames()) == kept
    await user.press("ESC")
    assert_nothing_is_open()
    assert cube_at().to_tuple() == (0.0, 0.0, START)


async def test_joined_objects_that_do_not_collide_go_through_each_other_and_others_do_not(user: User) -> None:
    for side, disables in (("Through", True), ("Against", False)):
        y = 4.0 if disables else 0.0
        post = scenes.cube(f"{side} Post", (0.0, y, 2.0))
        post.scale = (0.2, 0.8, 2.0)
        gate = scenes.cube(side, (-1.5, y, 3.0))
        gate.scale = (1.0, 0.5, 0.3)
        body(post, "PASSIVE")
        body(gate)
        holder = constraint("HINGE", gate, post, disable_collisions=disables)
        holder.location, holder.rotation_euler = (0.0, y, 4.5), (np.pi / 2.0, 0.0, 0.0)
    select(bpy.data.objects["Through"], bpy.data.objects["Against"])
    current_scene().frame_end = 45
    await user.look_from_the_front()
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: "all frames are done" in header(), ticks=3000)
    places = [[pose.translation for pose in operator().session.run.poses(number)] for number in range(45)]
    assert max(frame[0][0] for frame in places) > 0.5, "it swings through the post"
    assert max(frame[1][0] for frame in places) < -0.5, "it swings against the post"
    await user.screenshot("swinging")
    await user.press("RET")
    current_scene().frame_set(30)
    shown = scenes.world_matrix(bpy.data.objects["Through"])[:3, 3]
    assert np.abs(shown - places[29][0]).max() < 1e-5
    await user.undo()
    assert not list(curves_of(bpy.data.objects["Through"]))


async def test_who_changes_the_frame_ends_it(user: User) -> None:
    await _begun(user)
    current_scene().frame_set(2)
    await user.until(lambda: not extension.open_sessions())
    assert current_scene().frame_current == 1
    assert cube_at().z == START


async def test_it_waits_when_the_floor_is_deleted_and_goes_on_without_it(user: User) -> None:
    await _begun(user, last=30)
    await user.press("SPACE")
    frame = current_scene().frame_current
    await user.until(lambda: current_scene().frame_current > frame)
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    await user.until(lambda: "Floor" in header())
    assert '"Floor" came into view or went out of it; paused' in header()
    await user.screenshot("floor-deleted")
    kept = len(_frames())
    await user.press("SPACE")
    await user.until(lambda: "all frames are done" in header(), ticks=3000)
    found = _matrices()
    assert kept > frame
    assert found[-1][2, 3] < 0.0
    await user.press("RET")
    _assert_played_back(found)


async def test_mirrored_meanwhile_it_is_not_keyed_and_nothing_is_lost(user: User) -> None:
    await _begun(user)
    bpy.data.objects["Cube"].scale.x = -1.0
    kept = len(_frames())
    await user.press("RET")
    assert '"Cube": its scale is not what it was' in header()
    assert len(_frames()) == kept
    bpy.data.objects["Cube"].scale.x = 1.0
    await user.press("RET")
    assert_nothing_is_open()
    assert _key_count() > 0
