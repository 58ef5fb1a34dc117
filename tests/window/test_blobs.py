"""Blobs in a real window: the surface follows control points moved by whatever tool, and all ends cleanly."""

from __future__ import annotations

import importlib

import bpy
from mathutils import Vector

from tests.window import extension
from tests.window.hand import Hand
from tests.window.leftovers import Bars, Told, assert_nothing_is_left, assert_nothing_is_open, timers
from tests.window.placements import header

BESIDE = Vector((2.0, 0.0, 0.0))
SCULPT = "PHYSPLACE_OT_blob_sculpt"


def places() -> dict[str, tuple[float, ...]]:
    """Where every element is, and how large."""
    return {obj.name: (*obj.location, obj.scale.x) for obj in bpy.data.objects if "blob.element" in obj}


def at(name: str) -> Vector:
    return bpy.data.objects[name].matrix_world.translation.copy()


async def a_blob(hand: Hand) -> Bars:
    """Two balls side by side in one blob, with a control point at the right end and one on the left."""
    bpy.ops.physplace.blob_add(location=(-1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_add(location=(1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(2.2, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(-2.2, 0.0, 0.0))
    for name, new in (("Control", "Right"), ("Control.001", "Left")):
        bpy.data.objects[name].name = new
    activate("Right")
    await hand.look_from_the_front(centre=(0.0, 0.0, 0.0), distance=14.0)
    hand.scene_is_ready()
    await hand.move_to(hand.at((0.0, 0.0, 3.0)))
    return await Bars.of(hand)


def activate(name: str) -> None:
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]


async def begun(hand: Hand) -> Told:
    """The blob is being sculpted, and its surface shown."""
    before = await a_blob(hand)
    await begin(hand)
    return await Told.of(hand, before)


async def begin(hand: Hand) -> None:
    """Sculpt the active blob."""
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.physplace.blob_sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert extension.open_sessions() == [SCULPT]
    await hand.wait(15)


async def pulled_by_g(hand: Hand, name: str = "Right", way: Vector = BESIDE) -> None:
    """Move an empty with G, and leave it there; what is sculpted has time to come."""
    activate(name)
    await hand.move_to(hand.at(at(name)))
    await hand.press("G")
    await hand.glide_to(hand.at(at(name) + way), 6)
    await hand.press("RET")
    await hand.wait(15)


def is_alike(first: dict[str, tuple[float, ...]], second: dict[str, tuple[float, ...]]) -> bool:
    """Whether all elements are where they were, but for rounding."""
    return first.keys() == second.keys() and all(
        abs(a - b) < 1e-5 for name in first for a, b in zip(first[name], second[name], strict=True)
    )


async def test_g_on_a_control_point_moves_the_surface(hand: Hand) -> None:
    told = await begun(hand)
    start = places()
    await hand.screenshot("blob_sculpting")
    await hand.move_to(hand.at(at("Right")))
    await hand.press("G")
    await hand.glide_to(hand.at(at("Right") + Vector((1.0, 0.0, 1.0))), 10)
    await hand.wait(10)
    await hand.screenshot("blob_pulled")
    assert places()["Sphere.001"][0] > start["Sphere.001"][0] + 0.3, "the surface follows while G goes on"
    await hand.press("ESC")
    await hand.wait(15)
    assert extension.open_sessions() == [SCULPT], "Esc ended G, not the sculpting"
    assert at("Right").x < 2.3
    await pulled_by_g(hand)
    assert extension.open_sessions() == [SCULPT], "Enter ended G, not the sculpting"
    await hand.press("RET")
    await assert_nothing_is_left(hand, told)
    assert at("Right").x > 3.5
    assert abs(at("Left").x + 2.02) < 0.05, "the pinned point has stayed"


async def test_undo_goes_back_a_move_and_sculpting_goes_on_from_there(hand: Hand) -> None:
    await begun(hand)
    start = places()
    await pulled_by_g(hand)
    moved, here = places(), at("Right")
    assert not is_alike(start, moved)
    await hand.undo()
    await hand.wait(10)
    assert extension.open_sessions() == [SCULPT]
    assert is_alike(places(), start)
    await hand.redo()
    await hand.wait(10)
    assert (at("Right") - here).length < 0.05
    await hand.press("RET")
    await hand.wait()
    assert_nothing_is_open()
    await hand.undo()
    assert bpy.data.objects["Right"].location.x > 2.5, "one undo takes back what Enter has left"


async def test_escape_has_all_as_it_was(hand: Hand) -> None:
    told = await begun(hand)
    start = places()
    await pulled_by_g(hand)
    await hand.click(hand.at((0.0, 0.0, 0.3)), ctrl=True)
    assert len(bpy.data.objects) == 6, "a click with Ctrl has made a control point"
    await pulled_by_g(hand, "Sphere", Vector((0.0, 0.0, 0.4)))
    bpy.data.objects["Sphere.001"]["blob.subtract"] = True
    activate("Sphere")
    await hand.press("DEL")
    await hand.wait(5)
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 2.0), kind="cylinder", radius=0.5)
    await hand.wait(5)
    assert not is_alike(places(), start)
    await hand.press("ESC")
    await assert_nothing_is_left(hand, told)
    assert is_alike(places(), start)
    assert len(bpy.data.objects) == 5
    assert at("Right").x < 2.3
    assert not bpy.data.objects["Sphere.001"]["blob.subtract"]
    assert bpy.context.object.name == "Right"


async def test_what_escape_puts_back_and_what_enter_leaves_are_undo_steps(hand: Hand) -> None:
    await begun(hand)
    start = places()
    await pulled_by_g(hand)
    sculpted = places()
    await hand.press("ESC")
    await hand.undo()
    assert is_alike(places(), sculpted)
    await hand.redo()
    assert is_alike(places(), start)
    await begin(hand)
    await pulled_by_g(hand)
    sculpted = places()
    await hand.press("RET")
    await hand.undo()
    await hand.redo()
    assert is_alike(places(), sculpted)


async def test_what_changes_nothing_leaves_no_undo_step(hand: Hand) -> None:
    for key in ("RET", "ESC"):
        await begun(hand)
        await hand.press(key)
        await hand.wait()
        assert_nothing_is_open()
        await hand.undo()
        assert not bpy.data.objects, "undo goes back to before the test's scene"


async def test_a_keyed_blob_is_shown_as_it_is_played(hand: Hand) -> None:
    await a_blob(hand)
    right = bpy.data.objects["Right"]
    for frame, x in ((1, right.location.x), (20, right.location.x + 1.5)):
        right.location.x = x
        right.keyframe_insert("location", frame=frame)
    start = places()
    playback = importlib.import_module(f"{extension.MODULE}.operators.blob_playback").playback

    def reach() -> float:
        """How far to the right the shown surface goes, or zero for none."""
        shown = playback.marks.get("Blob")
        return 0.0 if shown is None else float(shown.floaters.position[:, 0].max())

    bpy.context.scene.frame_set(20)
    await hand.until(lambda: reach() > 3.3)
    assert bpy.context.scene.frame_current == 20
    await hand.screenshot("blob_played")
    await hand.press("LEFT_ARROW")
    await hand.until(lambda: 3.2 < reach() < 3.6)
    bpy.context.scene.frame_set(1)
    assert 1.9 < reach() < 2.1
    await hand.move_to(hand.at((0.0, 0.0, 3.0)))
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        bpy.ops.screen.animation_play()
        await hand.until(lambda: bpy.context.scene.frame_current > 8 and reach() > 2.5)
        bpy.ops.screen.animation_cancel(restore_frame=False)
    assert is_alike(places(), start), "nothing was written"
    await pulled_by_g(hand, "Sphere", Vector((0.0, 0.0, 0.4)))
    assert reach() == 0.0, "what was changed is not shown as it was"


async def test_a_control_point_is_dragged_in_the_plane_of_the_view(hand: Hand) -> None:
    await begun(hand)
    start = places()
    depth = at("Right").y
    await hand.move_to(hand.at(at("Right")))
    await hand.hold()
    await hand.glide_to(hand.at((3.0, 0.0, 1.0)))
    await hand.until(lambda: (at("Right") - Vector((3.0, depth, 1.0))).length < 0.05)
    await hand.release()
    assert bpy.context.object.name == "Right"
    dragged = places()
    await hand.move_to(hand.at(at("Right")))
    await hand.hold()
    await hand.glide_to(hand.at((3.0, 0.0, -2.0)))
    await hand.press("ESC")
    await hand.release()
    await hand.wait(5)
    assert extension.open_sessions() == [SCULPT]
    assert is_alike(places(), dragged), "Esc takes back the drag, not the sculpting"
    await hand.undo()
    await hand.wait(10)
    assert is_alike(places(), start)
    extension.key_of("PhysPlace: Sculpting", "CONFIRM").type = "F6"
    await hand.press("F6")
    extension.key_of("PhysPlace: Sculpting", "CONFIRM").type = "RET"
    assert_nothing_is_open()


async def test_parts_may_be_deleted_and_added_meanwhile(hand: Hand) -> None:
    await begun(hand)
    activate("Sphere")
    await hand.move_to(hand.at((0.0, 0.0, 2.0)))
    await hand.press("DEL")
    await hand.wait(15)
    assert set(places()) == {"Sphere.001"}
    assert extension.open_sessions() == [SCULPT]
    activate("Left")
    await hand.press("DEL")
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 2.0), kind="cylinder", radius=0.5)
    await hand.wait(15)
    assert set(places()) == {"Sphere.001", "Cylinder", "Cylinder End"}
    await hand.screenshot("blob_added")
    activate("Cylinder End")
    await hand.press("DEL")
    await hand.wait(10)
    assert extension.open_sessions() == [SCULPT], "what is wrong is said, and it waits"
    assert "other end is lost" in header()
    await hand.screenshot("blob_problem")
    await hand.undo()
    await hand.wait(10)
    assert "other end" not in header()
    activate("Blob")
    await hand.press("DEL")
    await hand.until(lambda: not extension.open_sessions())
    assert_nothing_is_open()


async def test_a_file_saved_meanwhile_has_what_is_seen(hand: Hand) -> None:
    await begun(hand)
    await pulled_by_g(hand)
    hand.pictures.mkdir(parents=True, exist_ok=True)
    path = str(hand.pictures / "blob.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    seen = places()
    assert extension.open_sessions() == [SCULPT]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert_nothing_is_open()
    await hand.wait(5)
    assert await timers(hand) == 0
    assert is_alike(places(), seen)
    activate("Right")
    await begin(hand)
    await hand.press("ESC")
    assert is_alike(places(), seen)


async def test_another_mode_or_workspace_ends_it_and_keeps_what_is_seen(hand: Hand) -> None:
    told = await begun(hand)
    await pulled_by_g(hand)
    seen = places()
    await hand.open_tab()
    await hand.screenshot("blob_tab")
    before = hand.window.workspace
    hand.window.workspace = next(each for each in bpy.data.workspaces if each != before)
    await hand.until(lambda: not extension.open_sessions())
    hand.window.workspace = before
    await hand.wait(5)
    await assert_nothing_is_left(hand, told)
    assert is_alike(places(), seen)
