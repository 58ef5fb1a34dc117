"""Placing and dragging end cleanly whatever happens to the scene meanwhile, and everything is put back."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Awaitable, Callable, Iterator

import bpy
import pytest
from mathutils import Vector

from tests.blender_data import current_scene, display_type_of, physplace, window_manager
from tests.scene import scenes
from tests.window import extension
from tests.window.leftovers import (
    BarPixels,
    ShownBars,
    assert_nothing_is_left,
    assert_nothing_is_open,
    timers,
)
from tests.window.user import User

START = Vector((0.0, 0.0, 3.0))
PLACE, DRAG = "place", "drag"
MOVED = 0.3


def cube_at() -> Vector:
    return bpy.data.objects["Cube"].matrix_world.translation.copy()


def in_view(user: User) -> contextlib.AbstractContextManager[object]:
    """The context of the viewport."""
    return bpy.context.temp_override(window=user.window, area=user.area, region=user.region())


async def a_cube_above_a_floor(user: User) -> BarPixels:
    """The scene, and how the bars look before anything runs."""
    scenes.floor()
    cube = scenes.cube("Cube", START)
    cube.select_set(True)
    scenes.activate(cube)
    await user.look_from_the_front()
    user.scene_is_ready()
    await user.move_to(user.at((4.0, 0.0, 4.0)))
    return await BarPixels.of(user)


async def begun(user: User, name: str = PLACE) -> ShownBars:
    """An operator that has moved the cube."""
    before = await a_cube_above_a_floor(user)
    with in_view(user):
        assert getattr(physplace, name)("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    if name == DRAG:
        await user.glide_to(user.at((5.0, 0.0, 4.0)), 4)
    await user.until(lambda: (cube_at() - START).length > MOVED)
    assert extension.open_sessions() == [f"PHYSPLACE_OT_{name}"]
    return await ShownBars.of(user, before)


@pytest.mark.parametrize("name", [PLACE, DRAG])
async def test_escape_puts_all_back_and_leaves_nothing(user: User, name: str) -> None:
    shown_bars = await begun(user, name)
    assert await timers(user) > 0
    await user.press("ESC")
    await assert_nothing_is_left(user, shown_bars)
    assert cube_at() == START


@pytest.mark.parametrize("name", [PLACE, DRAG])
async def test_confirmed_it_leaves_nothing_but_the_object_where_it_is(user: User, name: str) -> None:
    shown_bars = await begun(user, name)
    await user.press("RET")
    await assert_nothing_is_left(user, shown_bars)
    assert cube_at() != START


async def test_keys_move_the_view_but_none_of_them_changes_the_scene(user: User) -> None:
    await begun(user)
    turned = user.view.view_rotation.copy()
    await user.press("NUMPAD_3")
    assert user.view.view_rotation != turned
    await user.press("NUMPAD_MINUS", ctrl=True)
    await user.press("NUMPAD_0", ctrl=True)
    assert [obj.name for obj in bpy.context.selected_objects] == ["Cube"]
    assert current_scene().camera is None
    await user.move_to((user.region("TOOLS").x + 20, user.place[1]))
    await user.press("H")
    await user.press("D", shift=True)
    assert len(bpy.data.objects) == 3
    assert bpy.data.objects["Cube"].visible_get()
    await user.press("ESC")
    assert_nothing_is_open()


async def the_mode_changes(user: User) -> None:
    with in_view(user):
        bpy.ops.object.mode_set(mode="EDIT")
    await user.until(lambda: not extension.open_sessions())
    with in_view(user):
        bpy.ops.object.mode_set(mode="OBJECT")


async def the_workspace_changes(user: User) -> None:
    before = user.window.workspace
    user.window.workspace = next(each for each in bpy.data.workspaces if each != before)
    await user.until(lambda: not extension.open_sessions())
    user.window.workspace = before


async def another_scene_is_shown(user: User) -> None:
    before = user.window.scene
    user.window.scene = bpy.data.scenes.new("Other")
    await user.until(lambda: not extension.open_sessions())
    user.window.scene = before


async def another_scene_with_the_cube_is_shown(user: User) -> None:
    before, other = user.window.scene, bpy.data.scenes.new("Other")
    other.collection.objects.link(bpy.data.objects["Cube"])
    other.view_layers[0].objects.active = bpy.data.objects["Cube"]
    user.window.scene = other
    await user.until(lambda: not extension.open_sessions())
    user.window.scene = before


async def the_view_becomes_a_text_editor(user: User) -> None:
    area = user.area
    area.type = "TEXT_EDITOR"
    await user.until(lambda: not extension.open_sessions())
    area.type = "VIEW_3D"


async def it_is_undone_by_the_menu(user: User) -> None:
    with in_view(user):
        bpy.ops.ed.undo_push(message="Something else")
        bpy.ops.ed.undo()


async def a_file_is_not_found(user: User) -> None:
    with contextlib.suppress(RuntimeError):
        bpy.ops.wm.open_mainfile(filepath=str(user.pictures / "no such file.blend"))


async def it_is_moved_by_a_script(user: User) -> None:
    bpy.data.objects["Cube"].location.x += 5.0


async def what_it_falls_on_is_deleted(user: User) -> None:
    bpy.data.objects.remove(bpy.data.objects["Floor"])


INTERRUPTIONS = (
    what_it_falls_on_is_deleted,
    the_mode_changes,
    the_workspace_changes,
    another_scene_is_shown,
    another_scene_with_the_cube_is_shown,
    the_view_becomes_a_text_editor,
    it_is_undone_by_the_menu,
    a_file_is_not_found,
    it_is_moved_by_a_script,
)


@pytest.mark.parametrize("interruption", [each.__name__ for each in INTERRUPTIONS])
async def test_it_ends_with_everything_put_back_when(user: User, interruption: str) -> None:
    shown_bars = await begun(user)
    happens: Callable[[User], Awaitable[None]] = globals()[interruption]
    await happens(user)
    await user.until(lambda: not extension.open_sessions())
    await user.wait(5)
    await assert_nothing_is_left(user, shown_bars)
    assert cube_at() == START
    assert display_type_of(bpy.data.objects["Cube"]) == "TEXTURED"


async def test_it_ends_when_the_object_is_deleted(user: User) -> None:
    shown_bars = await begun(user)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    await user.until(lambda: not extension.open_sessions())
    await assert_nothing_is_left(user, shown_bars)


async def test_it_ends_when_its_area_is_closed(user: User) -> None:
    before = await a_cube_above_a_floor(user)
    with in_view(user):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    await user.wait()
    views = [area for area in user.window.screen.areas if area.type == "VIEW_3D"]
    theirs = views[-1]
    region = next(region for region in theirs.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=user.window, area=theirs, region=region):
        assert physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: cube_at().z < START.z - MOVED)
    shown_bars = ShownBars(before, await BarPixels.of(user))
    with bpy.context.temp_override(window=user.window, area=theirs):
        bpy.ops.screen.area_close()
    await user.until(lambda: not extension.open_sessions())
    await user.wait(5)
    await assert_nothing_is_left(user, shown_bars)
    assert cube_at() == START


async def test_it_ends_when_its_window_is_closed(user: User) -> None:
    before = await a_cube_above_a_floor(user)
    bpy.ops.wm.window_new()
    await user.wait(5)
    theirs = window_manager().windows[-1]
    area = next(area for area in theirs.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=theirs, area=area, region=region):
        assert physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: cube_at().z < START.z - MOVED)
    shown_bars = ShownBars(before, await BarPixels.of(user))
    with bpy.context.temp_override(window=theirs):
        bpy.ops.wm.window_close()
    await user.wait(5)
    assert len(window_manager().windows) == 1
    await assert_nothing_is_left(user, shown_bars)
    assert cube_at() == START


async def test_another_file_ends_it(user: User) -> None:
    await begun(user)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert_nothing_is_open()
    await user.wait(5)
    assert await timers(user) == 0


async def test_it_ends_with_the_extension(user: User) -> None:
    shown_bars = await begun(user)
    extension.disable()
    assert cube_at() == START
    await user.wait(5)
    await assert_nothing_is_left(user, shown_bars)
    extension.enable()


async def test_a_file_saved_meanwhile_has_the_scene_as_it_was_and_it_goes_on(user: User) -> None:
    shown_bars = await begun(user)
    await user.press("I")
    await user.press("G")
    await user.press("Z")
    await user.type_text("-0.7")
    await user.until(lambda: display_type_of(bpy.data.objects["Cube"]) == "WIRE")
    here = cube_at()
    path = str(user.pictures / "saved.blend")
    user.pictures.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert cube_at() == here
    assert display_type_of(bpy.data.objects["Cube"]) == "WIRE"
    await user.wait(5)
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await user.press("ESC")
    await user.press("ESC")
    await assert_nothing_is_left(user, shown_bars)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Cube"].location == START
    assert display_type_of(bpy.data.objects["Cube"]) == "TEXTURED"


@contextlib.contextmanager
def what_it_raises() -> Iterator[list[Exception]]:
    """What placing raises is kept, and is not printed."""
    operator = importlib.import_module(f"{extension.MODULE}.operators.placing.place").PHYSPLACE_OT_place
    errors: list[Exception] = []
    modal = operator.modal

    def kept(self: object, context: object, event: object) -> set[str]:
        try:
            outcome: set[str] = modal(self, context, event)
            return outcome
        except LookupError as error:
            errors.append(error)
            return {"CANCELLED"}

    operator.modal = kept
    try:
        yield errors
    finally:
        del operator.modal


async def test_an_error_in_it_is_raised_once_everything_is_put_back(user: User) -> None:
    shown_bars = await begun(user)
    operator = extension.open_operators()[0]

    def fails(*_: object) -> bool:
        raise LookupError("a mistake")

    with what_it_raises() as errors:
        operator.session.tick = fails
        await user.until(lambda: errors)
    assert len(errors) == 1
    assert cube_at() == START
    await assert_nothing_is_left(user, shown_bars)
