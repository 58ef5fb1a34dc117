"""The first placement, done in a window as its page says, from the example to the report."""

from __future__ import annotations

import bpy

from physplace_addon.scene.examples.catalogue import EXAMPLES
from physplace_addon.scene.writing.report import last_report, sentence_of
from tests.blender_data import current_scene, physplace
from tests.window import extension
from tests.window.user import User

MUG = EXAMPLES["mug_over_table"]


async def test_an_example_opens_in_a_scene_of_its_own_and_its_mug_is_placed(user: User) -> None:
    own = current_scene().name
    await user.open_tab()
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert physplace.example_open("INVOKE_DEFAULT", example=MUG.key) == {"FINISHED"}
    await user.wait()
    assert user.window.scene.name == MUG.label
    assert own in bpy.data.scenes
    assert tuple(round(each, 4) for each in user.view.view_location[:]) == MUG.centre
    assert bpy.context.active_object is not None
    assert bpy.context.active_object.name == "Mug"
    await user.screenshot("example")
    await user.click_button("physplace.place")
    await user.until(
        lambda: extension.open_sessions() and ": at rest" in extension.open_operators()[0].shown_header()
    )
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.press("RET")
    await user.until(lambda: not extension.open_sessions())
    report = last_report(bpy.data.objects["Mug"])
    assert report is not None
    assert sentence_of(report) == 'At rest on "Table", stable'
    await user.screenshot("example_placed")
