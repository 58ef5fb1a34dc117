"""Blobs in a real window: the surface follows control points moved by whatever tool, and all ends cleanly."""

from __future__ import annotations

import importlib

import bpy
from mathutils import Vector

from physplace_addon.scene.access import custom_properties
from tests.blender_data import active_object, current_scene, current_view_layer, physplace
from tests.window import extension
from tests.window.leftovers import (
    BarPixels,
    ShownBars,
    assert_nothing_is_left,
    assert_nothing_is_open,
    timers,
)
from tests.window.placements import header
from tests.window.user import User

BESIDE = Vector((2.0, 0.0, 0.0))
SCULPT = "PHYSPLACE_OT_blob_sculpt"


def places() -> dict[str, tuple[float, ...]]:
    """Where every element is, and how large."""
    return {
        obj.name: (*obj.location.to_tuple(), obj.scale.x)
        for obj in bpy.data.objects
        if "blob.element" in custom_properties(obj)
    }


def at(name: str) -> Vector:
    return bpy.data.objects[name].matrix_world.translation.copy()


async def a_blob(user: User) -> BarPixels:
    """Two balls side by side in one blob, with a control point at the right end and one on the left."""
    physplace.blob_add(location=(-1.0, 0.0, 0.0))
    physplace.blob_add(location=(1.0, 0.0, 0.0))
    physplace.blob_control_add(location=(2.2, 0.0, 0.0))
    physplace.blob_control_add(location=(-2.2, 0.0, 0.0))
    for name, new in (("Control", "Right"), ("Control.001", "Left")):
        bpy.data.objects[name].name = new
    bpy.data.objects["Blob"]["blob.sigma"] = 0.2  # a quarter of the particles, which is as good here
    activate("Right")
    await user.look_from_the_front(centre=(0.0, 0.0, 0.0), distance=14.0)
    user.scene_is_ready()
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    return await BarPixels.of(user)


def activate(name: str) -> None:
    for obj in current_view_layer().objects:
        obj.select_set(obj.name == name)
    current_view_layer().objects.active = bpy.data.objects[name]


async def begun(user: User) -> ShownBars:
    """The blob is being sculpted, and its surface shown."""
    before = await a_blob(user)
    await begin(user)
    return await ShownBars.of(user, before)


async def begin(user: User) -> None:
    """Sculpt the active blob."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.blob_sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == [SCULPT]
    await user.wait(15)


async def pulled_by_g(user: User, name: str = "Right", way: Vector = BESIDE) -> None:
    """Move an empty with G, and leave it there; what is sculpted has time to come."""
    activate(name)
    await user.move_to(user.at(at(name)))
    await user.press("G")
    await user.glide_to(user.at(at(name) + way), 6)
    await user.press("RET")
    await user.wait(15)


def is_alike(first: dict[str, tuple[float, ...]], second: dict[str, tuple[float, ...]]) -> bool:
    """Whether all elements are where they were, but for rounding."""
    return first.keys() == second.keys() and all(
        abs(a - b) < 1e-5 for name in first for a, b in zip(first[name], second[name], strict=True)
    )


async def test_g_on_a_control_point_moves_the_surface(user: User) -> None:
    shown_bars = await begun(user)
    start = places()
    await user.screenshot("blob_sculpting")
    await user.move_to(user.at(at("Right")))
    await user.press("G")
    await user.glide_to(user.at(at("Right") + Vector((1.0, 0.0, 1.0))), 10)
    await user.wait(10)
    await user.screenshot("blob_pulled")
    assert places()["Sphere.001"][0] > start["Sphere.001"][0] + 0.3, "the surface follows while G goes on"
    await user.press("ESC")
    await user.wait(15)
    assert extension.open_sessions() == [SCULPT], "Esc ended G, not the sculpting"
    assert at("Right").x < 2.3
    await pulled_by_g(user)
    assert extension.open_sessions() == [SCULPT], "Enter ended G, not the sculpting"
    await user.press("RET")
    await assert_nothing_is_left(user, shown_bars)
    assert at("Right").x > 3.5
    assert abs(at("Left").x + 2.02) < 0.05, "the pinned point has stayed"


async def test_undo_goes_back_a_move_and_sculpting_goes_on_from_there(user: User) -> None:
    await begun(user)
    start = places()
    await pulled_by_g(user)
    moved, here = places(), at("Right")
    assert not is_alike(start, moved)
    await user.undo()
    await user.wait(10)
    assert extension.open_sessions() == [SCULPT]
    assert is_alike(places(), start)
    await user.redo()
    await user.wait(10)
    assert (at("Right") - here).length < 0.05
    await user.press("RET")
    await user.wait()
    assert_nothing_is_open()
    await user.undo()
    assert bpy.data.objects["Right"].location.x > 2.5, "one undo takes back what Enter has left"


async def test_escape_has_all_as_it_was(user: User) -> None:
    shown_bars = await begun(user)
    start = places()
    await pulled_by_g(user)
    await user.click(user.at((0.0, 0.0, 0.3)), ctrl=True)
    assert len(bpy.data.objects) == 6, "a click with Ctrl has made a control point"
    await pulled_by_g(user, "Sphere", Vector((0.0, 0.0, 0.4)))
    bpy.data.objects["Sphere.001"]["blob.subtract"] = True
    activate("Sphere")
    await user.press("DEL")
    await user.wait(5)
    physplace.blob_add(location=(0.0, 0.0, 2.0), kind="cylinder", radius=0.5)
    await user.wait(5)
    assert not is_alike(places(), start)
    await user.press("ESC")
    await assert_nothing_is_left(user, shown_bars)
    assert is_alike(places(), start)
    assert len(bpy.data.objects) == 5
    assert at("Right").x < 2.3
    assert not bpy.data.objects["Sphere.001"]["blob.subtract"]
    assert active_object().name == "Right"


async def test_what_escape_puts_back_and_what_enter_leaves_are_undo_steps(user: User) -> None:
    await begun(user)
    start = places()
    await pulled_by_g(user)
    sculpted = places()
    await user.press("ESC")
    await user.undo()
    assert is_alike(places(), sculpted)
    await user.redo()
    assert is_alike(places(), start)
    await begin(user)
    await pulled_by_g(user)
    sculpted = places()
    await user.press("RET")
    await user.undo()
    await user.redo()
    assert is_alike(places(), sculpted)


async def test_what_changes_nothing_leaves_no_undo_step(user: User) -> None:
    for key in ("RET", "ESC"):
        await begun(user)
        await user.press(key)
        await user.wait()
        assert_nothing_is_open()
        await user.undo()
        assert not bpy.data.objects, "undo goes back to before the test's scene"


async def test_a_keyed_blob_is_shown_as_it_is_played(user: User) -> None:
    await a_blob(user)
    right = bpy.data.objects["Right"]
    for frame, x in ((1, right.location.x), (20, right.location.x + 1.5)):
        right.location.x = x
        right.keyframe_insert("location", frame=frame)
    start = places()
    playback = importlib.import_module(f"{extension.MODULE}.operators.blobs.playback").playback

    def reach() -> float:
        """How far to the right the shown surface goes, or zero for none."""
        shown = playback.marks.get("Blob")
        return 0.0 if shown is None else float(shown.floaters.position[:, 0].max())

    current_scene().frame_set(20)
    await user.until(lambda: reach() > 3.3)
    assert current_scene().frame_current == 20
    await user.screenshot("blob_played")
    await user.press("LEFT_ARROW")
    await user.until(lambda: 3.2 < reach() < 3.6)
    current_scene().frame_set(1)
    assert 1.9 < reach() < 2.1
    await user.move_to(user.at((0.0, 0.0, 3.0)))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.screen.animation_play()
        await user.until(lambda: current_scene().frame_current > 8 and reach() > 2.5)
        bpy.ops.screen.animation_cancel(restore_frame=False)
    assert is_alike(places(), start), "nothing was written"
    await pulled_by_g(user, "Sphere", Vector((0.0, 0.0, 0.4)))
    assert reach() == 0.0, "what was changed is not shown as it was"


async def test_a_control_point_is_dragged_in_the_plane_of_the_view(user: User) -> None:
    await begun(user)
    start = places()
    depth = at("Right").y
    await user.move_to(user.at(at("Right")))
    await user.hold()
    await user.glide_to(user.at((3.0, 0.0, 1.0)))
    await user.until(lambda: (at("Right") - Vector((3.0, depth, 1.0))).length < 0.05)
    await user.release()
    assert active_object().name == "Right"
    dragged = places()
    await user.move_to(user.at(at("Right")))
    await user.hold()
    await user.glide_to(user.at((3.0, 0.0, -2.0)))
    await user.press("ESC")
    await user.release()
    await user.wait(5)
    assert extension.open_sessions() == [SCULPT]
    assert is_alike(places(), dragged), "Esc takes back the drag, not the sculpting"
    await user.undo()
    await user.wait(10)
    assert is_alike(places(), start)
    extension.key_of("PhysPlace: Sculpting", "CONFIRM").type = "F6"
    await user.press("F6")
    extension.key_of("PhysPlace: Sculpting", "CONFIRM").type = "RET"
    assert_nothing_is_open()


async def test_parts_may_be_deleted_and_added_meanwhile(user: User) -> None:
    await begun(user)
    activate("Sphere")
    await user.move_to(user.at((0.0, 0.0, 2.0)))
    await user.press("DEL")
    await user.wait(15)
    assert set(places()) == {"Sphere.001"}
    assert extension.open_sessions() == [SCULPT]
    activate("Left")
    await user.press("DEL")
    physplace.blob_add(location=(0.0, 0.0, 2.0), kind="cylinder", radius=0.5)
    await user.wait(15)
    assert set(places()) == {"Sphere.001", "Cylinder", "Cylinder End"}
    await user.screenshot("blob_added")
    activate("Cylinder End")
    await user.press("DEL")
    await user.wait(10)
    assert extension.open_sessions() == [SCULPT], "what is wrong is said, and it waits"
    assert "other end is lost" in header()
    await user.screenshot("blob_problem")
    await user.undo()
    await user.wait(10)
    assert "other end" not in header()
    activate("Blob")
    await user.press("DEL")
    await user.until(lambda: not extension.open_sessions())
    assert_nothing_is_open()


async def test_a_file_saved_meanwhile_has_what_is_seen(user: User) -> None:
    await begun(user)
    await pulled_by_g(user)
    user.pictures.mkdir(parents=True, exist_ok=True)
    path = str(user.pictures / "blob.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    seen = places()
    assert extension.open_sessions() == [SCULPT]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert_nothing_is_open()
    await user.wait(5)
    assert await timers(user) == 0
    assert is_alike(places(), seen)
    activate("Right")
    await begin(user)
    await user.press("ESC")
    assert is_alike(places(), seen)


async def test_another_mode_or_workspace_ends_it_and_keeps_what_is_seen(user: User) -> None:
    shown_bars = await begun(user)
    await pulled_by_g(user)
    seen = places()
    await user.open_tab()
    await user.screenshot("blob_tab")
    before = user.window.workspace
    user.window.workspace = next(each for each in bpy.data.workspaces if each != before)
    await user.until(lambda: not extension.open_sessions())
    user.window.workspace = before
    await user.wait(5)
    await assert_nothing_is_left(user, shown_bars)
    assert is_alike(places(), seen)
