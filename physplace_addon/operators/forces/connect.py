# SPDX-License-Identifier: GPL-3.0-or-later
"""Connect: a point of the active object is drawn to a point of the world (Snyder 1995, section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, StringProperty
from bpy.types import Context, UILayout

from ...core.arrays import Floats
from ...core.contact.system import closest_boundary_point
from ...core.jobs import Job
from ...core.mechanics.forces import checked_vector
from ...core.placement import Connection
from ...rest_properties import STRENGTH
from ...scene.access import scene_of
from ...scene.reading.subjects.subject import Subject
from ...scene.reading.visible import place_of
from ..common import Conclusion, NeedsShape, conclude, location_property, other_object
from ..placing.run import beginning, reading_to_move, settings_for
from ..sliced import SlicedOperator

NEAREST, ORIGIN, POINT = "NEAREST", "ORIGIN", "POINT"


class ConnectionProperties:
    """Properties of a connection of a point of the active object."""

    if TYPE_CHECKING:
        target: str
        location: Sequence[float]
        anchor: str
        point: Sequence[float]
        strength: float
    else:
        target: StringProperty(
            name="Target",
            description="The name of the object to whose origin it is drawn; the location below without one",
        )
        location: FloatVectorProperty(
            name="Location",
            description="Where it is drawn to, in the world. The 3D cursor, unless given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )
        anchor: EnumProperty(
            name="Drawn At",
            description="Which point of the active object is drawn",
            items=(
                (NEAREST, "Nearest", "The point of its surface nearest to where it is drawn to"),
                (ORIGIN, "Origin", "Its origin"),
                (POINT, "Point", "The point of it that is now at a given place of the world"),
            ),
            default=NEAREST,
        )
        point: FloatVectorProperty(
            name="Point",
            description="The place of the drawn point in the world, as the object stands now",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )
        strength: FloatProperty(**STRENGTH, default=2.0)

    if TYPE_CHECKING:
        layout: UILayout

    def draw(self, context: Context) -> None:
        """Draw the target as a choice of the scene's objects; fields that do not count are grey."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop_search(self, "target", scene_of(context), "objects")
        column = layout.column()
        column.active = not self.target
        column.prop(self, "location")
        layout.prop(self, "anchor")
        column = layout.column()
        column.active = self.anchor == POINT
        column.prop(self, "point")
        layout.prop(self, "strength")

    def target_in_world(self, context: Context) -> Floats:
        """Return where the point is drawn to (3,), in the world. Raises SceneError for an unknown object."""
        if not self.target:
            return checked_vector(location_property(self, context, "location"), "location")
        return place_of(other_object(context, self.target), context.evaluated_depsgraph_get())[:3, 3]

    def connection_on(self, subject: Subject, target: Floats) -> Connection:
        """Return what draws the object's point to a target (3,), in the world.

        Raises PlacementError for a point that is not finite.
        """
        world_to_body = subject.pose.inverse()
        if self.anchor == NEAREST:
            point = closest_boundary_point(subject.body, world_to_body.points(target)).point
        elif self.anchor == POINT:
            point = world_to_body.points(checked_vector(np.array(self.point), "point"))
        else:
            point = np.zeros(3)
        return Connection(point, target, self.strength)


class PHYSPLACE_OT_connect(NeedsShape, ConnectionProperties, SlicedOperator):
    """Draw a point of the active object to the 3D cursor, or to another object."""

    bl_idname = "physplace.connect"
    bl_label = "Connect"
    bl_description = (
        "Draw a point of the active object to the 3D cursor, or to the origin of another object, "
        "as far as it gets without passing through anything"
    )

    if TYPE_CHECKING:
        use_gravity: bool
    else:
        use_gravity: BoolProperty(
            name="Gravity",
            description="Let the object's weight act too; otherwise it floats, and is only drawn",
            default=True,
        )

    def draw(self, context: Context) -> None:
        """Draw the connection's properties, and whether the weight acts."""
        super().draw(context)
        self.layout.prop(self, "use_gravity")

    def job(self, context: Context) -> Job[Conclusion]:
        """Let the connection draw the object until nothing moves any more."""
        target = self.target_in_world(context)
        scenario = yield from reading_to_move(context)
        connection = self.connection_on(scenario.subject, target)
        settings = settings_for(context, scenario, weight=self.use_gravity)
        run = yield from beginning(context, scenario, settings, [connection])
        yield from run.running(context)
        return conclude(run.write(context))
