"""The manual's pictures, each taken while what it shows is done. `make manual-pictures` puts them there."""

from __future__ import annotations

import importlib

import bpy
from mathutils import Vector

from tests.blender_data import active_object, current_scene, physplace, switches
from tests.scene import scenes
from tests.window import extension, still_life
from tests.window.user import Place, User

HANDLE = (1.25, 0.0, 0.21)  # near the end that one holds, in the spoon's own coordinates
TOOL = "physplace.drag_tool"
LIFTED = 0.1


async def spoon_at_rest(user: User) -> None:
    """A spoon that is being placed has come to rest in a bowl."""
    still_life.bowl_and_spoon()
    await still_life.show(user, (0.05, 0.0, 0.32), 3.4, tab=False)
    await begin_to_place(user)


async def begin_to_place(user: User) -> None:
    """Place the active object, and wait until it has come to rest."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.place("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: ": at rest" in header())


def header() -> str:
    """What the placement says of itself."""
    (operator,) = extension.open_operators()
    return str(operator.shown_header())


def handle() -> Vector:
    """Where the spoon's handle is."""
    return bpy.data.objects["Spoon"].matrix_world @ Vector(HANDLE)


def off(place: Place, right: int, up: int) -> Place:
    return place[0] + right, place[1] + up


async def test_a_spoon_in_a_bowl_is_placed_pulled_and_tied(user: User) -> None:
    await spoon_at_rest(user)
    await user.screenshot("placing")
    rested = handle()
    place = user.at(rested)
    await user.move_to(place)
    await user.hold()
    await user.glide_to(off(place, -40, 110), steps=4)
    await user.until(lambda: (handle() - rested).length > LIFTED)
    await user.screenshot("pulled")
    await user.release()
    await user.press("LEFT_ARROW")
    place, before = user.at(handle()), handle()
    await user.click(place, alt=True)
    await user.click(off(place, 90, 70))
    await user.until(lambda: (handle() - before).length > LIFTED)
    await user.screenshot("tied")
    await user.press("ESC")


async def test_a_mug_that_goes_through_books_is_see_through(user: User) -> None:
    still_life.books()
    still_life.mug(location=(2.0, 0.1, 2.45))
    await still_life.show(user, (1.6, 0.0, 1.0), 9.0, tab=False)
    await begin_to_place(user)
    await user.press("I")
    await user.press("G")
    await user.press("Z")
    await user.type_text("-0.8")
    await user.until(lambda: bpy.data.objects["Mug"].display_type == "WIRE")
    await user.screenshot("see-through")
    await user.press("ESC")
    await user.press("ESC")


async def test_a_mug_is_dragged_along_the_table_as_far_as_the_books(user: User) -> None:
    still_life.books()
    mug = still_life.mug(location=(-2.2, 0.0, 1.0))
    await still_life.show(user, (0.2, 0.0, 0.8), 11.0, tab=False)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.wm.tool_set_by_id(name=TOOL)
    start = user.at(mug.location + Vector((-0.3, -0.6, 0.6)))
    await user.move_to(start)
    await user.hold()
    await user.glide_to(off(user.at(Vector((3.0, -0.6, 1.6))), 0, -60), steps=15)
    await user.until(lambda: bpy.data.objects["Mug"].location.x > 0.1)
    await user.wait(20)
    await user.screenshot("dragged")
    assert bpy.data.objects["Mug"].location.x < 1.1 - 0.72 + 0.1
    await user.press("ESC")
    await user.release()


async def test_a_brick_is_pulled_out_of_a_wall_that_is_simulated(user: User) -> None:
    still_life.brick_wall()
    brick = "Brick 1 1"
    await still_life.show(user, (0.5, 0.0, 0.6), 7.0, tab=False)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.simulate("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: current_scene().frame_current > 2)
    await user.press("SPACE")
    start = bpy.data.objects[brick].location.x
    place = user.at(bpy.data.objects[brick].location + Vector((0.45, -0.35, 0.05)))
    await user.move_to(place)
    await user.hold()
    await user.glide_to(off(place, 150, 40), steps=6)
    await user.until(lambda: bpy.data.objects[brick].location.x > start + 0.75, ticks=3000)
    await user.screenshot("simulated-pull")
    await user.press("ESC")
    await user.release()
    await user.press("ESC")


async def test_the_live_check_marks_where_a_mug_and_books_overlap(user: User) -> None:
    still_life.books()
    still_life.mug(location=(0.75, -0.2, 1.0))
    await still_life.show(user, (1.0, 0.0, 0.8), 10.0, tab=True)
    live_check = importlib.import_module(f"{extension.MODULE}.operators.placing.live_check")
    switches().live_check = True
    await user.until(lambda: live_check.running().line.startswith("Overlaps by"))
    await user.screenshot("live-check")
    switches().live_check = False


async def test_the_contact_regions_of_books_and_a_ball_are_drawn(user: User) -> None:
    still_life.leaning_book()
    await still_life.show(user, (0.6, 0.0, 0.4), 7.5, tab=False)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.contact_regions() == {"FINISHED"}
    for obj in bpy.data.objects:
        obj.select_set(False)
    await user.wait(5)
    await user.screenshot("contact-regions")
    await user.open_tab()
    await user.scroll(11)
    await user.screenshot("list-of-regions")
    found = current_scene()["physplace_regions"].to_dict()["regions"]
    assert sorted(region["dimension"] for region in found) == [0, 1, 1, 2]


async def test_a_figure_is_sculpted_and_made_a_mesh(user: User) -> None:
    still_life.figure()
    await still_life.show(user, (0.2, 0.0, 1.9), 6.2, tab=False)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.blob_sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: "at rest" in header())
    await user.screenshot("blob")
    place = user.at(bpy.data.objects[still_life.RIGHT].matrix_world.translation)
    await user.move_to(place)
    await user.hold()
    await user.glide_to(off(place, 40, 120), steps=12)
    await user.until(lambda: "at rest" in header())
    await user.screenshot("blob-pulled")
    await user.release()
    await user.press("RET")
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.blob_mesh() == {"FINISHED"}
    still_life.paint(active_object(), still_life.CLAY)
    active_object().select_set(False)
    user.space.overlay.show_extras = False
    await user.wait(5)
    await user.screenshot("blob-mesh")


async def test_a_table_is_laid_a_figure_sits_down_and_the_pie_menu_opens(user: User) -> None:
    await still_life.example(user, "table_to_lay", 0.62)
    laid = ("Fork", "Knife", "Salt", "Orange", "Mug", "Plate")
    for name in laid:
        current_scene().objects[name].select_set(True)
    scenes.activate(current_scene().objects[laid[-1]])
    await started(user, "drop_selected")
    await user.until(lambda: not extension.open_sessions(), ticks=3000)
    bpy.ops.object.select_all(action="DESELECT")
    await user.screenshot("laid-table")
    await user.move_to(user.at((0.0, 0.0, 0.0)))
    await user.press("P", shift=True)
    await user.wait(10)
    await user.screenshot("pie")
    await user.press("ESC")
    await still_life.example(user, "figure_over_chair", 0.7)
    await started(user, "linkage_sit")
    await user.until(lambda: ": at rest" in header(), ticks=3000)
    await user.screenshot("seated")
    await user.press("ESC")


async def started(user: User, operator: str) -> None:
    """Start an operator in the view."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert getattr(physplace, operator)("INVOKE_DEFAULT") <= {"RUNNING_MODAL", "FINISHED"}
