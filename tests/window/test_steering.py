"""What keys and mouse do to a placement, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import bpy
import numpy as np
from mathutils import Euler, Vector

from physplace_addon.scene.access import present
from tests.blender_data import animation_of, current_scene, current_view_layer, preferences, window_manager
from tests.scene import scenes
from tests.window import extension, framebuffer
from tests.window.placements import START, assert_nothing_is_open, begun, cube_at, header, operator, placing
from tests.window.user import User

FRONT = 4  # the corner (1, -1, -1) of the cube

key_of = partial(extension.key_of, "PhysPlace: Placing")


def is_at(*place: float, name: str = "Cube") -> Callable[[], bool]:
    """Whether a cube is somewhere, to a tenth of a millimetre."""
    return lambda: (cube_at(name) - Vector(place)).length < 1e-4


def hints() -> list[str]:
    """The keys in the status bar, with what they do."""
    return [str(hint) for hint in operator().hints()]


def all_keys() -> list[str]:
    """All keys, with what they do."""
    return [str(hint) for hint in operator().keymap.all_hints(bpy.context)]


async def test_numbers_take_minus_and_backspace_and_are_told(user: User) -> None:
    await begun(user)
    for key in "GX":
        await user.press(key)
    await user.type_text("-1.57")
    await user.press("BACK_SPACE")
    await user.until(is_at(-1.5, 0.0, 1.0))
    assert header().startswith('"Cube": Move -1.5 m, 0 m, 0 m along X [-1.5|]')
    await user.screenshot("placing-numbers")
    await user.type_text("-")
    await user.until(is_at(1.5, 0.0, 1.0))
    await user.press("Y")
    await user.until(is_at(0.0, 1.5, 1.0))
    await user.press("R")
    assert header().startswith('"Cube": Turn 0.00')
    for key in "RZ":
        await user.press(key)
    await user.type_text("90")
    await user.until(lambda: abs(bpy.data.objects["Cube"].rotation_euler.z - np.pi / 2.0) < 1e-4)
    assert header().startswith('"Cube": Turn 90.00° about Z [90|]')
    await user.press("RET")
    await user.press("ESC")
    assert_nothing_is_open()


async def test_shift_and_an_axis_keep_it_in_a_plane(user: User) -> None:
    await begun(user)
    await user.press("G")
    await user.press("X", shift=True)
    await user.glide_to(user.at((6.0, 0.0, 6.0)), steps=4)
    await user.until(lambda: cube_at().z > 2.8)
    assert abs(cube_at().x) < 1e-9
    assert "locking X" in header()
    await user.press("ESC")
    await user.press("ESC")


async def test_while_it_is_paused_it_is_moved_and_scrubbed_and_goes_on_from_there(user: User) -> None:
    await begun(user)
    await user.press("SPACE")
    assert "paused" in header()
    for key in "GX":
        await user.press(key)
    await user.type_text("2")
    await user.until(is_at(2.0, 0.0, 1.0))
    await user.press("RET")
    last = len(operator().session.steered.solver.states) - 1
    await user.press("LEFT_ARROW", shift=True)
    await user.press("RIGHT_ARROW", shift=True)
    assert f"state {last} of {last}" in header()
    await user.press("LEFT_ARROW", shift=True)
    await user.press("LEFT_ARROW")
    assert f"state {last - 11} of {last}" in header()
    before = cube_at()
    assert before.z > 1.0 or before.x < 2.0
    await user.move_to(user.at(before))
    await user.hold()
    await user.glide_to(user.at(before + Vector((-3.0, 0.0, 0.0))), steps=4)
    await user.until(lambda: cube_at().x < before.x - 0.3)
    assert "paused" not in header(), "a pull goes on from what is shown"
    await user.release()
    await user.until(lambda: abs(cube_at().z - 1.0) < 1e-4)
    await user.press("ESC")
    assert cube_at().z == START


async def test_m_leaves_a_rest_that_the_least_push_would_end(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, START))
    cube.rotation_euler.y = np.pi / 4.0
    await placing(user, cube)
    await user.until(lambda: '"Cube": at rest' in header())
    assert is_at(0.0, 0.0, 2**0.5)(), "it balances on an edge"
    await user.press("M")
    await user.until(lambda: abs(cube_at().z - 1.0) < 1e-4)
    await user.press("ESC")


async def test_with_friction_it_stays_where_it_would_slide(user: User) -> None:
    scenes.floor(half=4.0).rotation_euler.y = 0.2
    cube = scenes.cube("Cube", (0.21, 0.0, 1.05))
    cube.rotation_euler.y = 0.2
    await placing(user, cube)
    await user.press("LEFT_ARROW", shift=True)
    await user.press("F")
    await user.until(lambda: "friction" in header() and '"Cube": at rest' in header())
    assert abs(cube_at().x - 0.2) < 0.3
    await user.press("F")
    await user.until(lambda: cube_at().x > 1.5)
    await user.press("ESC")


async def test_b_makes_the_contact_under_the_mouse_stick_until_it_is_pressed_again(user: User) -> None:
    await begun(user)
    user.view.view_rotation = Euler((1.1, 0.0, 0.5)).to_quaternion()
    await user.move_to(user.at((4.0, 0.0, 4.0)))
    await user.press("B")
    assert "no contact is under the mouse" in header()
    await user.move_to(user.at(corners()[FRONT]))
    await user.press("B")
    await user.until(lambda: "1 sticking" in header() and '"Cube": at rest' in header())
    await user.screenshot("sticking")
    await user.press("LEFT_ARROW", shift=True)
    assert "sticking" not in header(), "it did not stick then"
    await user.press("RIGHT_ARROW", shift=True)
    assert "1 sticking" in header()
    await user.move_to(user.at((-0.8, 0.0, 1.8)))
    await user.hold()
    await user.glide_to(user.at((-0.8, 0.0, 8.0)), steps=4)
    await user.until(lambda: corners()[:, 2].max() > 2.3)
    assert abs(corners()[FRONT, 2]) < 1e-4, "it tips about the corner that sticks"
    await user.screenshot("sticking-pulled")
    await user.release()
    await user.until(lambda: '"Cube": at rest' in header())
    await user.move_to(user.at(corners()[FRONT]))
    await user.press("B")
    assert "sticking" not in header()
    await user.press("ESC")
    assert_nothing_is_open()


def corners() -> np.ndarray:
    """The corners of the cube (8, 3), in the world."""
    world = np.array(bpy.data.objects["Cube"].matrix_world)
    found: np.ndarray = scenes.CUBE @ world[:3, :3].T + world[:3, 3]
    return found


async def test_k_then_shift_d_keys_the_first_and_not_the_copies(user: User) -> None:
    await begun(user)
    await user.press("K")
    await user.press("D", shift=True)
    await user.until(is_at(0.0, 0.0, 3.0, name="Cube.001"))
    assert "keyed" not in header()
    await user.press("D", shift=True)
    await user.until(lambda: "Cube.002" in bpy.data.objects and not operator().is_busy)
    assert "overlaps" not in header(), "where it would start there is a copy now: it starts beside that"
    await user.press("ESC")
    assert_nothing_is_open()
    assert "Cube.002" not in bpy.data.objects
    assert animation_of(bpy.data.objects["Cube"]).action is not None
    for frame in (2, 1):
        current_scene().frame_set(frame)
        assert is_at(0.0, 0.0, 3.0, name="Cube.001")(), "the keys of the first do not move it"


async def test_tab_says_when_there_is_none_and_comes_back_to_the_first(user: User) -> None:
    await begun(user)
    await user.press("TAB")
    assert "no other object is selected" in header()
    await user.press("ESC")
    scenes.cube("Second", (4.0, 0.0, START)).select_set(True)
    third = scenes.cube("Third", (-4.0, 0.0, START))
    third["physplace_ignore"] = 1  # nothing rests on it, so that it may go
    third.select_set(True)
    await placing(user, bpy.data.objects["Cube"])
    bpy.data.objects.remove(bpy.data.objects["Third"])
    await user.until(is_at(0.0, 0.0, 1.0))
    await user.press("TAB")
    await user.until(is_at(4.0, 0.0, 1.0, name="Second"))
    await user.press("TAB")
    assert present(current_view_layer().objects.active).name == "Cube"
    for key in "GX":
        await user.press(key)
    await user.type_text("-1")
    await user.until(is_at(-1.0, 0.0, 1.0))
    await user.press("RET")
    await user.press("RET")
    assert_nothing_is_open()
    assert is_at(-1.0, 0.0, 1.0)()
    assert is_at(4.0, 0.0, 1.0, name="Second")()
    await user.undo()
    assert cube_at().z == cube_at("Second").z == START


async def test_a_key_that_the_artist_has_changed_is_the_one_that_works_and_is_told(user: User) -> None:
    await begun(user)
    assert f"{key_of('PAUSE').to_string(compact=True)}: Pause" in hints()
    assert hints()[0] == f"{key_of('CONFIRM').to_string(compact=True)}: Confirm"
    try:
        key_of("PAUSE").type = "P"
        key_of("PUSH").active = False
        await user.press("SPACE")
        assert "paused" not in header()
        await user.press("P")
        assert "paused" in header()
        assert "P: Pause" in hints()
        assert len(hints()) == 6  # five, and the one that lists all
        assert not any("Push" in key for key in all_keys())
    finally:
        key_of("PAUSE").type = "SPACE"
        key_of("PUSH").active = True
    await user.press("ESC")
    assert extension.open_sessions() == []


async def test_the_keys_are_in_the_preferences(user: User) -> None:
    await user.wait()
    area = user.area
    area.type = "PREFERENCES"
    try:
        preferences().active_section = "ADDONS"
        window_manager().addon_search = "PhysPlace"
        bpy.ops.preferences.addon_expand(module=extension.MODULE)
        key_of("PAUSE").type = "P"
        await user.wait(10)
        await user.screenshot("preferences")
    finally:
        key_of("PAUSE").type = "SPACE"
        area.type = "VIEW_3D"
        await user.wait()


async def test_the_header_shows_how_far_it_has_got_and_not_how_far_it_was_asked_to_go(user: User) -> None:
    scenes.cube("Wall", (4.0, 0.0, 1.0))
    await begun(user)
    for key in "GX":
        await user.press(key)
    await user.type_text("9")
    await user.until(lambda: abs(cube_at().x - 2.0) < 1e-4)
    await user.wait()
    assert header().startswith('"Cube": Move 2 m, 0 m, 0 m along X [9|]')
    await user.press("ESC")
    await user.press("ESC")


async def test_a_scene_in_millimetres_takes_and_tells_millimetres(user: User) -> None:
    units = current_scene().unit_settings
    units.system, units.length_unit, units.scale_length = "METRIC", "MILLIMETERS", 0.001
    await begun(user)
    for key in "GX":
        await user.press(key)
    await user.type_text("1.5")
    await user.until(is_at(1.5, 0.0, 1.0))
    assert header().startswith('"Cube": Move 1.5 mm, 0 m, 0 m along X [1.5|]')
    await user.press("ESC")
    await user.press("ESC")


async def test_h_lists_all_keys_over_the_view_until_it_is_pressed_again(user: User) -> None:
    await begun(user)
    await user.press("SPACE")
    await user.wait(5)
    before = framebuffer.screen(user.screen_dump)
    await user.press("H")
    await user.wait(5)
    await user.screenshot("all-keys")
    assert len(all_keys()) > 15
    with_keys = framebuffer.screen(user.screen_dump)
    await user.press("H")
    await user.press("ESC")
    assert_nothing_is_open()
    lower_left = (slice(300, 590), slice(40, 300))
    assert np.any(with_keys[lower_left] != before[lower_left], axis=-1).mean() > 0.02
