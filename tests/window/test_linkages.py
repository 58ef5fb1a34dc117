"""A jointed figure posed with the mouse: pinned, dragged onto a chair, undone; what ends a drag."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from physplace_addon.scene.access import present
from tests.blender_data import physplace, window_manager
from tests.scene.linkages import rigs
from tests.scene.linkages.standing_figure import HIP, SEAT, figure_and_chair, overlaps
from tests.window import afresh, extension
from tests.window.placements import assert_nothing_is_open, header, operator
from tests.window.slow_reading import Reading, slow
from tests.window.user import Point, User

FROM_THE_RIGHT = Quaternion((0.5, 0.5, 0.5, 0.5))  # along -x: y is to the right, z up
FEET = ((0.09, -0.15, 0.05), (-0.09, -0.15, 0.05))
SEAT_FRONT, SEAT_END = 0.18, 0.66  # of the chair, along y
PELVIS = (0.16, 0.08, 1.0)
MOVED = 1e-4  # lengths by which a pinned foot may have moved


async def _look_from_the_right(user: User) -> None:
    view = user.view
    view.view_perspective, view.view_rotation = "ORTHO", FROM_THE_RIGHT
    view.view_location, view.view_distance = (0.0, 0.2, 0.9), 3.0
    await user.wait()


async def _shown(user: User) -> bpy.types.Object:
    """The figure before its chair, as it is to be seen in pictures."""
    rig = figure_and_chair()
    rig.select_set(True)
    afresh.draw(user, fully=True)
    space = user.space
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.overlay.show_bones = space.show_gizmo_navigate = space.overlay.show_text = False
    space.overlay.show_relationship_lines = space.overlay.show_cursor = False
    space.shading.color_type, space.shading.show_cavity = "RANDOM", True
    return rig


async def _begin(user: User, mouse: Point) -> None:
    await user.move_to(user.at(mouse))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.linkage_drag("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == ["PHYSPLACE_OT_linkage_drag"]
    await user.until(lambda: not operator().is_busy)


async def _until_still(user: User, ticks: int = 400) -> None:
    """Give a drag time to get to where the mouse is, or as near as it comes."""
    for _ in range(ticks):
        if operator().session.is_still:
            return
        await user.wait(1)


async def _drag(user: User, start: Point, *stops: Point) -> None:
    """Drag the figure at a point that is seen to others, and let go there."""
    await _begin(user, start)
    await user.hold()
    assert operator().session.grabbed is not None
    for stop in stops:
        await user.glide_to(user.at(stop), steps=20)
        await _until_still(user)
    await user.release()
    await user.until(lambda: not extension.open_sessions())


async def _pin_the_feet(user: User) -> None:
    await user.look_from_the_front((0.0, 0.0, 0.9), 3.0)
    await _begin(user, FEET[0])
    for foot in FEET:
        await user.click(user.at(foot), ctrl=True)
        await user.press("TAB")
    assert "2 pins" in header()
    await user.screenshot("pinned")
    await user.press("RET")
    await user.until(lambda: not extension.open_sessions())
    assert_nothing_is_open()


async def test_a_standing_figure_is_dragged_to_sit_on_a_chair_with_its_feet_on_the_floor(user: User) -> None:
    rig = await _shown(user)
    user.scene_is_ready()
    await _pin_the_feet(user)
    feet = [rigs.bone_matrix(rig, f"Foot.{side}") for side in ("L", "R")]
    await _look_from_the_right(user)
    await user.screenshot("standing")
    await _drag(user, PELVIS, (0.16, 0.3, 0.8), (0.16, 0.47, 0.5))
    await user.screenshot("seated")
    rig = bpy.data.objects["Figure"]
    chest = rigs.bone_matrix(rig, "Chest") @ (0.16, 0.14, 0.09, 1.0)
    await _drag(user, tuple(chest[:3]), (0.16, 0.52, 0.95))
    hand = rigs.bone_matrix(bpy.data.objects["Figure"], "Hand.L") @ (0.0, 0.1, 0.0, 1.0)
    await _drag(user, tuple(hand[:3]), (0.2, 0.1, 0.62))
    await user.screenshot("sitting")
    rig = bpy.data.objects["Figure"]
    for side, foot in zip(("L", "R"), feet, strict=True):
        assert np.abs(rigs.bone_matrix(rig, f"Foot.{side}") - foot).max() < MOVED
    hip = rigs.bone_matrix(rig, "Thigh.L")[:3, 3]
    assert hip[2] < 0.5 * (SEAT + HIP), "nearer to the seat than to where it stood"
    assert SEAT_FRONT < hip[1] < SEAT_END, "over the seat"
    assert hip[2] > SEAT
    assert overlaps() == []


async def test_a_drag_is_one_step_to_undo_and_escape_restores(user: User) -> None:
    rig = await _shown(user)
    await _look_from_the_right(user)
    user.scene_is_ready()
    before = rigs.bone_matrix(rig, "Head")
    await _begin(user, (0.1, 0.0, 1.65))
    await user.hold()
    await user.glide_to(user.at((0.1, -0.4, 1.4)), steps=10)
    await user.wait(10)
    assert np.abs(rigs.bone_matrix(bpy.data.objects["Figure"], "Head") - before).max() > 0.05
    assert 'drags "Head"' in header()
    await user.screenshot("dragged")
    await user.press("ESC")
    assert_nothing_is_open()
    np.testing.assert_array_equal(rigs.bone_matrix(bpy.data.objects["Figure"], "Head"), before)
    await user.release()
    await _drag(user, (0.1, 0.0, 1.65), (0.1, -0.4, 1.4))
    assert np.abs(rigs.bone_matrix(bpy.data.objects["Figure"], "Head") - before).max() > 0.05
    await user.undo()
    np.testing.assert_allclose(rigs.bone_matrix(bpy.data.objects["Figure"], "Head"), before, atol=1e-6)


async def _half_way(user: User) -> None:
    """Drag the head, and stop on the way with the button held."""
    await _begin(user, (0.1, 0.0, 1.65))
    await user.hold()
    await user.glide_to(user.at((0.1, -0.4, 1.4)), steps=6)
    await user.wait(5)


def _head() -> np.ndarray:
    return rigs.bone_matrix(bpy.data.objects["Figure"], "Head")


async def test_a_file_saved_and_one_opened_and_an_undo_half_way_through_a_drag_have_the_pose_before_it(
    user: User,
) -> None:
    await _shown(user)
    await _look_from_the_right(user)
    user.scene_is_ready()
    before = _head()
    await _half_way(user)
    there = _head()
    assert np.abs(there - before).max() > 0.02
    user.pictures.mkdir(parents=True, exist_ok=True)
    path = str(user.pictures / "half way.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    np.testing.assert_allclose(_head(), there, atol=1e-6)
    await user.wait(5)
    assert extension.open_sessions() == ["PHYSPLACE_OT_linkage_drag"], "it goes on"
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.ed.undo_push(message="Something else")
        bpy.ops.ed.undo()
    await user.until(lambda: not extension.open_sessions())
    np.testing.assert_allclose(_head(), before, atol=1e-6)
    await user.release()
    await _half_way(user)
    assert np.abs(_head() - before).max() > 0.02
    bpy.ops.wm.open_mainfile(filepath=path)
    await user.wait(5)
    assert_nothing_is_open()
    np.testing.assert_allclose(_head(), before, atol=1e-6)
    await user.release()


@contextmanager
def pressed_to_drag() -> Iterator[Reading]:
    """Give the left mouse button the drag of figures, as an artist's keymap may; reading one takes long."""
    keymap = present(window_manager().keyconfigs.addon).keymaps.new("3D View", space_type="VIEW_3D")
    item = keymap.keymap_items.new("physplace.linkage_drag", "LEFTMOUSE", "PRESS")
    drag = importlib.import_module(f"{extension.MODULE}.operators.linkages.drag")
    try:
        with slow(drag, "reading_linkage") as reading:
            yield reading
    finally:
        keymap.keymap_items.remove(item)


async def _press_a_figure(user: User) -> np.ndarray:
    """Press on the head of a figure, and stop while the drag begins; return where the head was."""
    rig = await _shown(user)
    await _look_from_the_right(user)
    user.scene_is_ready()
    before = rigs.bone_matrix(rig, "Head")
    await user.move_to(user.at((0.1, 0.0, 1.65)))
    await user.hold()
    assert extension.open_sessions() == ["PHYSPLACE_OT_linkage_drag"]
    assert operator().is_busy
    return before


@pytest.mark.parametrize("outside", [False, True])
async def test_the_mouse_let_go_while_a_drag_begins_leaves_the_figure_there(
    user: User, outside: bool
) -> None:
    with pressed_to_drag() as reading:
        before = await _press_a_figure(user)
        await user.move_to(user.at((0.1, -0.3, 1.5)))
        if outside:
            await user.move_to((2.0, 2.0))
        await user.release()
        await reading.let_go_on(user)
        await user.until(lambda: not extension.open_sessions())
    assert_nothing_is_open()
    assert np.abs(_head() - before).max() > 0.05
    await user.undo()
    np.testing.assert_allclose(_head(), before, atol=1e-6)


@pytest.mark.parametrize("way", ["ESC", "RIGHTMOUSE", "press again", "full screen"])
async def test_what_else_happens_while_a_drag_begins_ends_it_or_does_nothing(user: User, way: str) -> None:
    with pressed_to_drag() as reading:
        before = await _press_a_figure(user)
        if way == "press again":
            await user.hold()
            assert extension.open_sessions() == ["PHYSPLACE_OT_linkage_drag"]
            await reading.let_go_on(user)
            assert operator().session.grabbed is not None
            await user.press("ESC")
        elif way == "full screen":
            with bpy.context.temp_override(window=user.window, area=user.area):
                assert bpy.ops.screen.screen_full_area(use_hide_panels=True) == {"FINISHED"}
            await user.until(lambda: not extension.open_sessions())
            assert_nothing_is_open()
            with bpy.context.temp_override(window=user.window, area=user.window.screen.areas[0]):
                bpy.ops.screen.back_to_previous()
        else:
            await user.press(way)
        await user.release()
    assert_nothing_is_open()
    np.testing.assert_array_equal(_head(), before)


async def _run(user: User, name: str) -> None:
    """Run a command on the figure to its end."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert getattr(physplace, name)("INVOKE_DEFAULT", True) in ({"FINISHED"}, {"RUNNING_MODAL"})
    await user.until(lambda: not extension.open_sessions())
    await user.wait()


def _arms() -> np.ndarray:
    rig = bpy.data.objects["Figure"]
    return np.array([rigs.bone_matrix(rig, f"Arm.{side}") for side in ("L", "R")])


async def test_mirror_and_back_to_rest_are_a_step_to_undo_each(user: User) -> None:
    rig = await _shown(user)
    await _look_from_the_right(user)
    at_rest = _arms()
    rigs.set_rotation(rigs.bone(rig, "Arm.L"), "XYZ", (0.0, 0.0, 0.4))
    user.scene_is_ready()
    posed = _arms()
    assert np.abs(posed[0] - at_rest[0]).max() > 0.1
    await _run(user, "linkage_mirror")
    mirrored = _arms()
    np.testing.assert_allclose(mirrored[1][:3, 3], posed[0][:3, 3] * (-1.0, 1.0, 1.0), atol=1e-5)
    np.testing.assert_allclose(mirrored[0], at_rest[0], atol=1e-5)
    assert np.abs(mirrored[1] - at_rest[1]).max() > 0.1
    await _run(user, "linkage_rest")
    np.testing.assert_allclose(_arms(), at_rest, atol=1e-5)
    await user.screenshot("at-rest")
    await user.undo()
    np.testing.assert_allclose(_arms(), mirrored, atol=1e-6)
    await user.undo()
    np.testing.assert_allclose(_arms(), posed, atol=1e-6)


async def test_a_moves_the_whole_figure(user: User) -> None:
    await _shown(user)
    await _look_from_the_right(user)
    user.scene_is_ready()
    before = {
        name: rigs.bone_matrix(bpy.data.objects["Figure"], name) for name in ("Head", "Shin.L", "Hand.R")
    }
    await _begin(user, (0.1, 0.0, 1.65))
    await user.press("A")
    await user.hold()
    await user.glide_to(user.at((0.1, -0.5, 1.85)), steps=15)
    await user.wait(30)
    await user.release()
    await user.until(lambda: not extension.open_sessions())
    assert_nothing_is_open()
    for name, matrix in before.items():
        after = rigs.bone_matrix(bpy.data.objects["Figure"], name)
        np.testing.assert_allclose(after[:3, :3], matrix[:3, :3], atol=1e-3)
        np.testing.assert_allclose(after[:3, 3] - matrix[:3, 3], (0.0, -0.5, 0.2), atol=0.02)
