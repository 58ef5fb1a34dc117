# SPDX-License-Identifier: GPL-3.0-or-later
"""Push and nudge: a force at a point of the active object (Snyder 1995, sections 5.1 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import Context, UILayout

from ...core.contact.system import closest_boundary_point
from ...core.jobs import Job
from ...core.mechanics.forces import checked_vector, unit_vector
from ...core.placement import Local
from ...rest_properties import STRENGTH
from ...scene.reading.subjects.subject import Subject
from ..common import Conclusion, NeedsShape, conclude, location_property
from ..placing.run import LEFT_IN_PLACE, beginning, reading_to_move, settings_for
from ..sliced import SlicedOperator

PUSH, PULL, VECTOR = "PUSH", "PULL", "VECTOR"


class LocalForceProperties:
    """Properties of a force at a point of the active object's surface."""

    if TYPE_CHECKING:
        location: Sequence[float]
        direction: str
        vector: Sequence[float]
        strength: float
    else:
        location: FloatVectorProperty(
            name="Location",
            description=(
                "Where the force acts, in the world: at the point of the object nearest to it. "
                "The 3D cursor, unless given"
            ),
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )
        direction: EnumProperty(
            name="Direction",
            description="Where the force goes; it turns with the object",
            items=(
                (PUSH, "Push", "Into the surface, against its normal"),
                (PULL, "Pull", "Out of the surface, along its normal"),
                (VECTOR, "Vector", "Along a direction of the world"),
            ),
            default=PUSH,
        )
        vector: FloatVectorProperty(
            name="Vector",
            description="The direction of the force in the world; only the direction counts, not the length",
            subtype="XYZ",
            default=(1.0, 0.0, 0.0),
        )
        strength: FloatProperty(**STRENGTH, default=1.0)

    if TYPE_CHECKING:
        layout: UILayout

    def draw(self, context: Context) -> None:
        """Draw the properties; the vector is grey where it does not count."""
        self.layout.use_property_split = True
        self.layout.prop(self, "location")
        self.layout.prop(self, "direction")
        column = self.layout.column()
        column.active = self.direction == VECTOR
        column.prop(self, "vector")
        self.layout.prop(self, "strength")

    def force_on(self, context: Context, subject: Subject) -> Local:
        """Return the force at the object's point nearest to the location.

        Raises PlacementError for a location that is not finite, no direction, or no strength.
        """
        world_to_body = subject.pose.inverse()
        place = checked_vector(location_property(self, context, "location"), "location")
        at = closest_boundary_point(subject.body, world_to_body.points(place))
        along = at.normal if self.direction == PULL else -at.normal
        if self.direction == VECTOR:
            along = world_to_body.vectors(unit_vector(np.array(self.vector), "vector"))
        return Local(at.point, along, self.strength)


class PHYSPLACE_OT_push(NeedsShape, LocalForceProperties, SlicedOperator):
    """Push or pull the active object at a point until it gets no farther."""

    bl_idname = "physplace.push"
    bl_label = "Push"
    bl_description = (
        "Push the active object, or pull it, at its point nearest to the 3D cursor, until something "
        "stops it. Its weight acts too, and it passes through nothing"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Let the force act to the end. A push has no potential energy, so steps may gain energy."""
        scenario = yield from reading_to_move(context)
        force = self.force_on(context, scenario.subject)
        settings = replace(settings_for(context, scenario), check_energy=False)
        run = yield from beginning(context, scenario, settings, [force])
        yield from run.running(context)
        return conclude(run.write(context))


class PHYSPLACE_OT_nudge(NeedsShape, LocalForceProperties, SlicedOperator):
    """Give the active object a nudge and let it come to rest again."""

    bl_idname = "physplace.nudge"
    bl_label = "Nudge"
    bl_description = (
        "Push the active object for a step, at its point nearest to the 3D cursor, and place it again. "
        "So it leaves a rest that is not stable, such as a ball on top of a ball"
    )

    if TYPE_CHECKING:
        steps: int
    else:
        steps: IntProperty(
            name="Steps",
            description="For how many steps the force acts before the object is left to its weight",
            default=1,
            min=1,
            soft_max=20,
        )

    def draw(self, context: Context) -> None:
        """Draw the force's properties, and for how many steps it acts."""
        super().draw(context)
        self.layout.prop(self, "steps")

    def job(self, context: Context) -> Job[Conclusion]:
        """Let the force act for some steps, and then only the weight."""
        scenario = yield from reading_to_move(context)
        force = self.force_on(context, scenario.subject)
        settings = settings_for(context, scenario)
        run = yield from beginning(context, scenario, replace(settings, check_energy=False), [force])
        yield from run.running(context, self.steps)
        if run.solver.status not in LEFT_IN_PLACE:
            run = run.branched(-1, settings, ())
            yield from run.running(context)
        return conclude(run.write(context))
