# SPDX-License-Identifier: GPL-3.0-or-later
"""Pushes and connections that act on the active object on the way to the chosen rest: added and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import IntProperty
from bpy.types import Context, Object

from ...core.jobs import Job
from ...scene.errors import SceneError
from ...scene.reading.scenario import reading
from ...scene.reading.subjects.movers import active_mover, check_editable
from ...scene.rests import rest_forces
from ..common import Conclusion, ObjectOperator, other_object
from ..forces.connect import ConnectionProperties
from ..forces.push import LocalForceProperties
from ..sliced import SlicedOperator
from .keyed import NeedsRests, chosen

if TYPE_CHECKING:
    from ...rest_properties import PhysPlaceRest


class PHYSPLACE_OT_rest_push_add(NeedsRests, LocalForceProperties, SlicedOperator):
    """Let a push at a point of the object act on the way to the chosen rest."""

    bl_idname = "physplace.rest_push_add"
    bl_label = "Add Push"
    bl_description = (
        "Let a push or pull, at the point of the object nearest to the 3D cursor, act on the way to the "
        "chosen rest. Place the rests again to see it"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Keep the push with the rest."""
        subject = (yield from reading(context)).subject
        obj = active_mover(context)
        rest = chosen(obj)
        rest_forces.add_push(rest, subject, self.force_on(context, subject))
        return _changed(obj, "a push added to", rest)


class PHYSPLACE_OT_rest_connection_add(NeedsRests, ConnectionProperties, SlicedOperator):
    """Let a point of the object be drawn to the 3D cursor or an object on the way to the chosen rest."""

    bl_idname = "physplace.rest_connection_add"
    bl_label = "Add Connection"
    bl_description = (
        "Let a point of the object be drawn to the 3D cursor, or to the origin of another object, on the "
        "way to the chosen rest. Place the rests again to see it"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Keep the connection with the rest."""
        target = self.target_in_world(context)
        subject = (yield from reading(context)).subject
        obj = active_mover(context)
        rest = chosen(obj)
        other = other_object(context, self.target) if self.target else None
        rest_forces.add_connection(rest, subject, self.connection_on(subject, target), other)
        return _changed(obj, "a connection added to", rest)


class PHYSPLACE_OT_rest_force_remove(NeedsRests, ObjectOperator):
    """Take a force off the chosen rest."""

    bl_idname = "physplace.rest_force_remove"
    bl_label = "Remove Force"
    bl_description = "Take a force off the chosen rest. Place the rests again to see it"

    if TYPE_CHECKING:
        number: int
    else:
        number: IntProperty(name="Number", description="The force's place among those of the rest", min=0)

    def work(self, context: Context) -> Conclusion:
        """Remove the force."""
        obj = active_mover(context)
        check_editable(obj)
        rest = chosen(obj)
        if self.number >= len(rest.forces):
            raise SceneError(obj.name, f'"{rest.name}" has {len(rest.forces)} forces', "choose one of them")
        rest.forces.remove(self.number)
        return _changed(obj, "a force taken off", rest)


def _changed(obj: Object, how: str, rest: PhysPlaceRest) -> Conclusion:
    return Conclusion(True, f'"{obj.name}": {how} "{rest.name}": place the rests again')
