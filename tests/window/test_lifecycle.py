"""Placing and dragging end cleanly whatever happens to the scene meanwhile, and everything is put back."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Awaitable, Callable, Iterator

import bpy
import pytest
from mathutils import Vector

from tests.scene import scenes
from tests.window import extension
from tests.window.hand import Hand
from tests.window.leftovers import Bars, Told, assert_nothing_is_left, assert_nothing_is_open, timers

START = Vector((0.0, 0.0, 3.0))
PLACE, DRAG = "place", "drag"
MOVED = 0.3


def cube_at() -> Vector:
    return bpy.data.objects["Cube"].matrix_world.translation.copy()


def in_view(hand: Hand) -> contextlib.AbstractContextManager[None]:
    """The context of the viewport."""
    return bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region())


async def a_cube_above_a_floor(hand: Hand) -> Bars:
    """The scene, and how the bars look before anything runs."""
    scenes.floor()
    cube = scenes.cube("Cube", START)
    cube.select_set(True)
    scenes.activate(cube)
    await hand.look_from_the_front()
    hand.scene_is_ready()
    await hand.move_to(hand.at((4.0, 0.0, 4.0)))
    return await Bars.of(hand)


async def begun(hand: Hand, name: str = PLACE) -> Told:
    """An operator that has moved the cube."""
    before = await a_cube_above_a_floor(hand)
    with in_view(hand):
        assert getattr(bpy.ops.physplace, name)("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    if name == DRAG:
        await hand.glide_to(hand.at((5.0, 0.0, 4.0)), 4)
    await hand.until(lambda: (cube_at() - START).length > MOVED)
    assert extension.open_sessions() == [f"PHYSPLACE_OT_{name}"]
    return await Told.of(hand, before)


@pytest.mark.parametrize("name", [PLACE, DRAG])
async def test_escape_puts_all_back_and_leaves_nothing(hand: Hand, name: str) -> None:
    told = await begun(hand, name)
    assert await timers(hand) > 0
    await hand.press("ESC")
    await assert_nothing_is_left(hand, told)
    assert cube_at() == START


@pytest.mark.parametrize("name", [PLACE, DRAG])
async def test_confirmed_it_leaves_nothing_but_the_object_where_it_is(hand: Hand, name: str) -> None:
    told = await begun(hand, name)
    await hand.press("RET")
    await assert_nothing_is_left(hand, told)
    assert cube_at() != START


async def test_keys_move_the_view_but_none_of_them_changes_the_scene(hand: Hand) -> None:
    await begun(hand)
    turned = hand.area.spaces.active.region_3d.view_rotation.copy()
    await hand.press("NUMPAD_3")
    assert hand.area.spaces.active.region_3d.view_rotation != turned
    await hand.press("NUMPAD_MINUS", ctrl=True)
    await hand.press("NUMPAD_0", ctrl=True)
    assert [obj.name for obj in bpy.context.selected_objects] == ["Cube"]
    assert bpy.context.scene.camera is None
    await hand.move_to((hand.region("TOOLS").x + 20, hand.place[1]))
    await hand.press("H")
    await hand.press("D", shift=True)
    assert len(bpy.data.objects) == 3
    assert bpy.data.objects["Cube"].visible_get()
    await hand.press("ESC")
    assert_nothing_is_open()


async def the_mode_changes(hand: Hand) -> None:
    with in_view(hand):
        bpy.ops.object.mode_set(mode="EDIT")
    await hand.until(lambda: not extension.open_sessions())
    with in_view(hand):
        bpy.ops.object.mode_set(mode="OBJECT")


async def the_workspace_changes(hand: Hand) -> None:
    before = hand.window.workspace
    hand.window.workspace = next(each for each in bpy.data.workspaces if each != before)
    await hand.until(lambda: not extension.open_sessions())
    hand.window.workspace = before


async def another_scene_is_shown(hand: Hand) -> None:
    before = hand.window.scene
    hand.window.scene = bpy.data.scenes.new("Other")
    await hand.until(lambda: not extension.open_sessions())
    hand.window.scene = before


async def another_scene_with_the_cube_is_shown(hand: Hand) -> None:
    before, other = hand.window.scene, bpy.data.scenes.new("Other")
    other.collection.objects.link(bpy.data.objects["Cube"])
    other.view_layers[0].objects.active = bpy.data.objects["Cube"]
    hand.window.scene = other
    await hand.until(lambda: not extension.open_sessions())
    hand.window.scene = before


async def the_view_becomes_a_text_editor(hand: Hand) -> None:
    area = hand.area
    area.type = "TEXT_EDITOR"
    await hand.until(lambda: not extension.open_sessions())
    area.type = "VIEW_3D"


async def it_is_undone_by_the_menu(hand: Hand) -> None:
    with in_view(hand):
        bpy.ops.ed.undo_push(message="Something else")
        bpy.ops.ed.undo()


async def a_file_is_not_found(hand: Hand) -> None:
    with contextlib.suppress(RuntimeError):
        bpy.ops.wm.open_mainfile(filepath=str(hand.pictures / "no such file.blend"))


async def it_is_moved_by_a_script(hand: Hand) -> None:
    bpy.data.objects["Cube"].location.x += 5.0


async def what_it_falls_on_is_deleted(hand: Hand) -> None:
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
async def test_it_ends_with_everything_put_back_when(hand: Hand, interruption: str) -> None:
    told = await begun(hand)
    happens: Callable[[Hand], Awaitable[None]] = globals()[interruption]
    await happens(hand)
    await hand.until(lambda: not extension.open_sessions())
    await hand.wait(5)
    await assert_nothing_is_left(hand, told)
    assert cube_at() == START
    assert bpy.data.objects["Cube"].display_type == "TEXTURED"


async def test_it_ends_when_the_object_is_deleted(hand: Hand) -> None:
    told = await begun(hand)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    await hand.until(lambda: not extension.open_sessions())
    await assert_nothing_is_left(hand, told)


async def test_it_ends_when_its_area_is_closed(hand: Hand) -> None:
    before = await a_cube_above_a_floor(hand)
    with in_view(hand):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    await hand.wait()
    views = [area for area in hand.window.screen.areas if area.type == "VIEW_3D"]
    theirs = views[-1]
    region = next(region for region in theirs.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=hand.window, area=theirs, region=region):
        assert bpy.ops.physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await hand.until(lambda: cube_at().z < START.z - MOVED)
    told = Told(before, await Bars.of(hand))
    with bpy.context.temp_override(window=hand.window, area=theirs):
        bpy.ops.screen.area_close()
    await hand.until(lambda: not extension.open_sessions())
    await hand.wait(5)
    await assert_nothing_is_left(hand, told)
    assert cube_at() == START


async def test_it_ends_when_its_window_is_closed(hand: Hand) -> None:
    before = await a_cube_above_a_floor(hand)
    bpy.ops.wm.window_new()
    await hand.wait(5)
    theirs = bpy.context.window_manager.windows[-1]
    area = next(area for area in theirs.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=theirs, area=area, region=region):
        assert bpy.ops.physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await hand.until(lambda: cube_at().z < START.z - MOVED)
    told = Told(before, await Bars.of(hand))
    with bpy.context.temp_override(window=theirs):
        bpy.ops.wm.window_close()
    await hand.wait(5)
    assert len(bpy.context.window_manager.windows) == 1
    await assert_nothing_is_left(hand, told)
    assert cube_at() == START


async def test_another_file_ends_it(hand: Hand) -> None:
    await begun(hand)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert_nothing_is_open()
    await hand.wait(5)
    assert await timers(hand) == 0


async def test_it_ends_with_the_extension(hand: Hand) -> None:
    told = await begun(hand)
    extension.disable()
    assert cube_at() == START
    await hand.wait(5)
    await assert_nothing_is_left(hand, told)
    extension.enable()


async def test_a_file_saved_meanwhile_has_the_scene_as_it_was_and_it_goes_on(hand: Hand) -> None:
    told = await begun(hand)
    await hand.press("I")
    await hand.press("G")
    await hand.press("Z")
    await hand.type_text("-0.7")
    await hand.until(lambda: bpy.data.objects["Cube"].display_type == "WIRE")
    here = cube_at()
    path = str(hand.pictures / "saved.blend")
    hand.pictures.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert cube_at() == here
    assert bpy.data.objects["Cube"].display_type == "WIRE"
    await hand.wait(5)
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await hand.press("ESC")
    await hand.press("ESC")
    await assert_nothing_is_left(hand, told)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Cube"].location == START
    assert bpy.data.objects["Cube"].display_type == "TEXTURED"


@contextlib.contextmanager
def what_it_raises() -> Iterator[list[Exception]]:
    """What placing raises is kept, and is not printed."""
    operator = importlib.import_module(f"{extension.MODULE}.operators.place").PHYSPLACE_OT_place
    errors, modal = [], operator.modal

    def kept(self: object, context: object, event: object) -> set[str]:
        try:
            return modal(self, context, event)
        except LookupError as error:
            errors.append(error)
            return {"CANCELLED"}

    operator.modal = kept
    try:
        yield errors
    finally:
        del operator.modal


async def test_an_error_in_it_is_raised_once_everything_is_put_back(hand: Hand) -> None:
    told = await begun(hand)
    operator = importlib.import_module(f"{extension.MODULE}.operators.modal").ModalOperator._open[0]

    def fails(*_: object) -> bool:
        raise LookupError("a mistake")

    with what_it_raises() as errors:
        operator.steering.tick = fails
        await hand.until(lambda: errors)
    assert len(errors) == 1
    assert cube_at() == START
    await assert_nothing_is_left(hand, told)
