# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve for a goal, and pull along a path: a point of a part goes to a place; joints and pins hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...core.arrays import Floats
from ...core.jobs import Job
from ...scene.access import scene_of
from ...scene.errors import SceneError
from ..common import Conclusion, location_property
from ..sliced import SlicedOperator
from .goal_run import GoalOfPart, posing, pulling, solved
from .targets import PosesFigures, curve_points

PART = {
    "name": "Part",
    "description": "The bone or object that is moved; empty for the active one",
}
POINT = {
    "name": "Point",
    "description": "Where in the world the part is taken; if not given, a bone's tip, an object's origin",
    "subtype": "XYZ_LENGTH",
    "options": {"SKIP_SAVE"},
}
TARGET = {
    "name": "Target",
    "description": "Where in the world the point goes to; the 3D cursor unless something else is given",
    "subtype": "XYZ_LENGTH",
    "options": {"SKIP_SAVE"},
}


class _PosingOperator(PosesFigures, SlicedOperator):
    """An operator that leads a point of a figure to a place."""

    if TYPE_CHECKING:
        part: str
        point: tuple[float, float, float]
        target: tuple[float, float, float]

    def _asked(self, context: Context) -> GoalOfPart:
        target = location_property(self, context, "target")
        return GoalOfPart(self.part, given_point(self, self.point), target[None])


def given_point(operator: Operator, point: tuple[float, float, float]) -> Floats | None:
    """Return the place (3,) in the world at which a part is taken, if it was given."""
    return np.array(point, dtype=np.float64) if operator.properties.is_property_set("point") else None


class PHYSPLACE_OT_linkage_solve(_PosingOperator):
    """Pose a jointed figure so that a point of it is at a place."""

    bl_idname = "physplace.linkage_solve"
    bl_label = "Solve Pose"
    bl_description = (
        "Pose a jointed figure by the least motion so that the tip of the active bone, or the origin of the "
        "active object, comes to the 3D cursor; pins and joints hold, and nothing is passed through"
    )

    if not TYPE_CHECKING:
        part: StringProperty(**PART)
        point: FloatVectorProperty(**POINT)
        target: FloatVectorProperty(**TARGET)

    def job(self, context: Context) -> Job[Conclusion]:
        """Solve for the pose, and leave the figure in it."""
        return posing(context, self._asked(context), solved)


class PHYSPLACE_OT_linkage_pull(_PosingOperator):
    """Pull a point of a jointed figure along a path."""

    bl_idname = "physplace.linkage_pull"
    bl_label = "Pull Figure"
    bl_description = (
        "Pull a jointed figure by the tip of the active bone, or the origin of the active object, straight "
        "to the 3D cursor or along a curve; each frame of the way can be keyed"
    )

    if TYPE_CHECKING:
        path: str
        frames: int
        key: bool
    else:
        part: StringProperty(**PART)
        point: FloatVectorProperty(**POINT)
        target: FloatVectorProperty(**TARGET)
        path: StringProperty(
            name="Path",
            description="The curve object along which the point is pulled, from its beginning; empty for a "
            "straight line to the target",
        )
        frames: IntProperty(
            name="Frames",
            description="The number of steps along the path",
            default=24,
            min=1,
            soft_max=250,
        )
        key: BoolProperty(
            name="Key",
            description="Key the way from the present frame on, a frame for each step",
            default=False,
        )

    def job(self, context: Context) -> Job[Conclusion]:
        """Pull along the path, and leave the figure at its end."""
        asked = self._asked(context)
        points = self._points(context) if self.path else asked.path
        asked = GoalOfPart(asked.part, asked.point, points, self.frames, self.key)
        return posing(context, asked, pulling)

    def _points(self, context: Context) -> Floats:
        curve: Object | None = scene_of(context).objects.get(self.path)
        if curve is None:
            raise SceneError(self.path, "the scene has no such object", "choose a curve that it has")
        return curve_points(curve)
