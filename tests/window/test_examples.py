"""An example opens in a scene of its own, and the view looks at it."""

from __future__ import annotations

import bpy

from physplace_addon.scene.examples.catalogue import EXAMPLES
from tests.blender_data import current_scene, physplace
from tests.window.user import User

MUG = EXAMPLES["mug_over_table"]


async def test_an_example_opens_in_a_scene_of_its_own_with_its_mug_selected(user: User) -> None:
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
