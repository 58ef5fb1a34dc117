"""The manual's pictures of commands that run to their end: each is taken when that has come."""

from __future__ import annotations

from math import pi

import bpy
from mathutils import Vector

from physplace_addon.scene.examples import solids
from physplace_addon.scene.writing.report import last_report
from tests.blender_data import active_object, current_scene, physplace
from tests.scene import scenes
from tests.window import extension, still_life
from tests.window.user import User

BLOB = "Blob"


async def finished(user: User, operator: str, **properties: object) -> None:
    """Run an operator from the view, as a button does, to its end."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        begun = getattr(physplace, operator)("INVOKE_DEFAULT", True, **properties)
    assert begun <= {"RUNNING_MODAL", "FINISHED"}
    await user.until(lambda: not extension.open_sessions(), ticks=3000)
    await user.wait(5)


def report_of(name: str) -> tuple[str, bool]:
    """The status of an object's last report, and whether its rest is stable."""
    report = last_report(bpy.data.objects[name])
    assert report is not None
    return str(report["status"]), bool(report["stable"])


def cursor_to(place: tuple[float, float, float] | Vector) -> None:
    current_scene().cursor.location = place


async def test_a_mug_in_a_book_is_checked_and_freed(user: User) -> None:
    still_life.books()
    still_life.mug(location=(0.75, -0.2, 1.0))
    await still_life.show(user, (1.0, 0.0, 0.8), 10.0, tab=True)
    region = user.region("UI")
    await user.click((region.x + int(0.66 * region.width), region.y + region.height - 13))
    await user.wait(5)
    await user.screenshot("examples")
    await user.press("ESC")
    await finished(user, "check")
    assert report_of("Mug")[0] == "INTERFERING_START"
    user.area.tag_redraw()
    await user.wait(5)
    await user.screenshot("checked")
    user.space.show_region_ui = False
    await user.screenshot("stuck")
    await finished(user, "extricate")
    assert report_of("Mug") == ("BALANCED", True)
    await user.screenshot("freed")


async def test_a_book_is_pushed_connected_and_nudged_off_its_edge(user: User) -> None:
    book = still_life.book_before_another()
    await still_life.show(user, (0.0, 0.0, 0.6), 9.0, tab=False)
    user.space.overlay.show_cursor = True
    cursor_to((-3.0, 0.0, 0.3))
    await user.screenshot("before-push")
    await finished(user, "push")
    assert abs(book.location.x - 0.5) < 1e-4, "against the other book"
    await user.screenshot("pushed")
    cursor_to((-1.5, 0.0, 2.6))
    await finished(user, "connect")
    assert book.location.z > 1.5
    await user.screenshot("connected")
    brick = scenes.cube("Brick", (-1.0, -1.5, 0.8))
    brick.scale, brick.rotation_euler.y = (0.4, 0.8, 0.4), 0.25 * pi
    still_life.paint(brick, still_life.CLAY)
    scenes.activate(brick)
    physplace.place()
    assert report_of("Brick") == ("BALANCED", False)
    cursor_to((-1.4, -1.5, 0.8))
    await user.screenshot("on-its-edge")
    await finished(user, "nudge", direction="VECTOR")
    assert report_of("Brick") == ("BALANCED", True)
    await user.screenshot("nudged")


async def test_copies_of_a_cube_fill_a_tray(user: User) -> None:
    still_life.paint(scenes.floor("Table", 5.0), still_life.TABLE)
    profile = [(1.5, 0.0), (1.7, 0.6), (1.6, 0.6), (1.4, 0.1)]
    still_life.paint(solids.turned("Tray", profile), still_life.GLAZE)
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.scale = (0.3, 0.3, 0.3)
    still_life.paint(cube, still_life.CLAY)
    scenes.activate(cube)
    await still_life.show(user, (0.0, 0.0, 0.4), 8.0, tab=False)
    await finished(user, "replicate", count=4, container="Tray", margin=0.1, turn="HEADING")
    assert len([each for each in current_scene().objects if each.name.startswith("Cube")]) == 5
    bpy.ops.object.select_all(action="DESELECT")
    await user.screenshot("replicated")


async def test_a_figure_s_hand_is_dragged_pulled_solved_for_and_mirrored(user: User) -> None:
    await still_life.example(user, "figure_over_chair", 0.6)
    user.space.overlay.show_cursor = True
    rig = active_object()
    hand = rig.matrix_world @ _tip(rig)
    cursor_to(hand + Vector((0.25, -0.3, 0.45)))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.linkage_drag("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.until(lambda: not extension.open_operators()[0].is_busy)
    x, y = user.at(hand)
    await user.move_to((x, y))
    await user.hold()
    await user.glide_to((x + 60, y + 150), steps=8)
    await user.until(lambda: "all goals are met" in extension.headers()[0])
    await user.screenshot("figure-dragged")
    await user.press("ESC")
    await user.release()
    await finished(user, "linkage_pull", part="Hand.L", frames=6)
    assert (rig.matrix_world @ _tip(rig) - current_scene().cursor.location).length < 1e-3
    await user.screenshot("pulled")
    cursor_to(hand + Vector((0.1, -0.1, 0.1)))
    await finished(user, "linkage_solve", part="Hand.L")
    assert (rig.matrix_world @ _tip(rig) - current_scene().cursor.location).length < 1e-3
    await user.screenshot("solved")
    there = _tip(rig)
    await finished(user, "linkage_mirror")
    assert (_tip(rig, "Hand.R") - there * Vector((-1.0, 1.0, 1.0))).length < 1e-3
    await user.screenshot("mirrored")


def _tip(rig: bpy.types.Object, bone: str = "Hand.L") -> Vector:
    """Where a bone's tip is, in the armature."""
    pose = rig.pose
    assert pose is not None
    return pose.bones[bone].tail.copy()


async def test_a_blob_becomes_particles_and_metaballs(user: User) -> None:
    still_life.figure()
    scenes.activate(bpy.data.objects["Sphere"])
    await still_life.show(user, (0.2, 0.0, 1.9), 6.2, tab=True)
    await user.scroll(30)
    await user.screenshot("blob-panel")
    user.space.show_region_ui = user.space.overlay.show_extras = False
    await finished(user, "blob_to_metaballs")
    assert active_object().type == "META"
    still_life.paint(active_object(), still_life.CLAY)
    await alone(user, "blob_to_metaballs")
    bpy.data.objects[BLOB].hide_set(False)
    scenes.activate(bpy.data.objects[BLOB])
    await finished(user, "blob_particles", made_as="DISKS")
    assert active_object().type == "MESH"
    await alone(user, "blob_particles")


async def alone(user: User, name: str) -> None:
    """Take a picture of the active object without the blob that it was made of, and hide it."""
    bpy.data.objects[BLOB].hide_set(True)
    active_object().select_set(False)
    await user.screenshot(name)
    active_object().hide_set(True)
