"""The manual's pictures, each taken while what it shows is done. `make manual-pictures` puts them there."""

from __future__ import annotations

import importlib

import bpy
from mathutils import Vector

from tests.window import extension, still_life
from tests.window.hand import Hand, Place

HANDLE = (1.25, 0.0, 0.21)  # near the end that one holds, in the spoon's own coordinates
TOOL = "physplace.drag_tool"
LIFTED = 0.1


async def spoon_at_rest(hand: Hand) -> None:
    """A spoon that is being placed has come to rest in a bowl."""
    still_life.bowl_and_spoon()
    await still_life.show(hand, (0.05, 0.0, 0.32), 3.4, tab=False)
    await begin_to_place(hand)


async def begin_to_place(hand: Hand) -> None:
    """Place the active object, and wait until it has come to rest."""
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await hand.until(lambda: ": at rest" in header())


def header() -> str:
    """What the placement says of itself."""
    (operator,) = importlib.import_module(f"{extension.MODULE}.operators.modal").ModalOperator._open
    return str(operator.header())


def handle() -> Vector:
    """Where the spoon's handle is."""
    return bpy.data.objects["Spoon"].matrix_world @ Vector(HANDLE)


def off(place: Place, right: int, up: int) -> Place:
    return place[0] + right, place[1] + up


async def test_a_spoon_in_a_bowl_is_placed_pulled_and_tied(hand: Hand) -> None:
    await spoon_at_rest(hand)
    await hand.screenshot("placing")
    rested = handle()
    place = hand.at(rested)
    await hand.move_to(place)
    await hand.hold()
    await hand.glide_to(off(place, -40, 110), steps=4)
    await hand.until(lambda: (handle() - rested).length > LIFTED)
    await hand.screenshot("pulled")
    await hand.release()
    await hand.press("LEFT_ARROW")
    place, before = hand.at(handle()), handle()
    await hand.click(place, alt=True)
    await hand.click(off(place, 90, 70))
    await hand.until(lambda: (handle() - before).length > LIFTED)
    await hand.screenshot("tied")
    await hand.press("ESC")


async def test_a_mug_that_goes_through_books_is_see_through(hand: Hand) -> None:
    still_life.books()
    still_life.mug(location=(2.0, 0.1, 2.45))
    await still_life.show(hand, (1.6, 0.0, 1.0), 9.0, tab=False)
    await begin_to_place(hand)
    await hand.press("I")
    await hand.press("G")
    await hand.press("Z")
    await hand.type_text("-0.8")
    await hand.until(lambda: bpy.data.objects["Mug"].display_type == "WIRE")
    await hand.screenshot("see-through")
    await hand.press("ESC")
    await hand.press("ESC")


async def test_a_mug_is_dragged_along_the_table_as_far_as_the_books(hand: Hand) -> None:
    still_life.books()
    mug = still_life.mug(location=(-2.2, 0.0, 1.0))
    await still_life.show(hand, (0.2, 0.0, 0.8), 11.0, tab=False)
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        bpy.ops.wm.tool_set_by_id(name=TOOL)
    start = hand.at(mug.location + Vector((-0.3, -0.6, 0.6)))
    await hand.move_to(start)
    await hand.hold()
    await hand.glide_to(off(hand.at(Vector((3.0, -0.6, 1.6))), 0, -60), steps=15)
    await hand.until(lambda: bpy.data.objects["Mug"].location.x > 0.1)
    await hand.wait(20)
    await hand.screenshot("dragged")
    assert bpy.data.objects["Mug"].location.x < 1.1 - 0.72 + 0.1
    await hand.press("ESC")
    await hand.release()


async def test_the_live_check_marks_where_a_mug_and_books_overlap(hand: Hand) -> None:
    still_life.books()
    still_life.mug(location=(0.75, -0.2, 1.0))
    await still_life.show(hand, (1.0, 0.0, 0.8), 10.0, tab=True)
    live_check = importlib.import_module(f"{extension.MODULE}.operators.live_check")
    bpy.context.window_manager.physplace.live_check = True
    await hand.until(lambda: live_check.running().line.startswith("Overlaps by"))
    await hand.screenshot("live-check")
    bpy.context.window_manager.physplace.live_check = False


async def test_a_figure_is_sculpted_and_made_a_mesh(hand: Hand) -> None:
    still_life.figure()
    await still_life.show(hand, (0.2, 0.0, 1.9), 6.2, tab=False)
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.physplace.blob_sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await hand.until(lambda: "at rest" in header())
    await hand.screenshot("blob")
    place = hand.at(bpy.data.objects[still_life.RIGHT].matrix_world.translation)
    await hand.move_to(place)
    await hand.hold()
    await hand.glide_to(off(place, 40, 120), steps=12)
    await hand.until(lambda: "at rest" in header())
    await hand.screenshot("blob-pulled")
    await hand.release()
    await hand.press("RET")
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.physplace.blob_mesh() == {"FINISHED"}
    still_life.paint(bpy.context.object, still_life.CLAY)
    bpy.context.object.select_set(False)
    hand.area.spaces.active.overlay.show_extras = False
    await hand.wait(5)
    await hand.screenshot("blob-mesh")
