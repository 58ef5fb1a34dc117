# SPDX-License-Identifier: GPL-3.0-or-later
"""Open Example: a scene that a recipe of the manual begins with, built in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import EnumProperty
from bpy.types import Context, Event, SpaceView3D
from mathutils import Quaternion

from ..scene.access import present
from ..scene.examples.catalogue import EXAMPLES, Example, open_example
from .common import Conclusion, ObjectOperator, object_mode_reason

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

FROM_ABOVE_RIGHT = Quaternion((0.85, 0.43, 0.13, 0.27)).normalized()


class PHYSPLACE_OT_example_open(ObjectOperator):
    """Open an example in a scene of its own."""

    bl_idname = "physplace.example_open"
    bl_label = "Open Example"
    bl_description = (
        "Build an example in a new scene, with a recipe in the manual. Your own scenes stay as they are: "
        "choose them at the top right of the window, and delete the example's when you are done"
    )

    if TYPE_CHECKING:
        example: str
    else:
        example: EnumProperty(
            name="Example",
            description="What is in the scene",
            items=[(each.key, each.label, each.shows) for each in EXAMPLES.values()],
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs Object Mode, and a window that shows the scene."""
        if context.window is None:
            return "It needs a window that shows the scene"
        return object_mode_reason(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        """Build the scene, and look at it."""
        outcome = self.execute(context)
        space = context.space_data
        if isinstance(space, SpaceView3D):
            _look_at(space, EXAMPLES[self.example])
        return outcome

    def work(self, context: Context) -> Conclusion:
        """Build the scene and show it."""
        example = EXAMPLES[self.example]
        scene = open_example(context, present(context.window), example)
        return Conclusion(True, f'Scene "{scene.name}": its recipe in the manual is "{example.recipe}"')


def _look_at(space: SpaceView3D, example: Example) -> None:
    view = present(space.region_3d)
    view.view_perspective, view.view_rotation = "PERSP", FROM_ABOVE_RIGHT
    view.view_location, view.view_distance = example.centre, example.distance
