# SPDX-License-Identifier: GPL-3.0-or-later
"""The forces of a rest, stored with it and converted to core's forces.

Points and directions are stored in the object's own coordinates, so they follow its scale. The body's frame
is the object's without its stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.placement import Connection, Force, Local
from ...rest_properties import OBJECT, PUSH, WORLD
from ..errors import SceneError
from ..reading.subjects.subject import Subject
from ..reading.visible import Family, place_of

if TYPE_CHECKING:
    from ...rest_properties import PhysPlaceRest, PhysPlaceRestForce


def forces_of(context: Context, obj: Object, rest: PhysPlaceRest, subject: Subject) -> list[Force]:
    """Return the forces on a body on its path to a rest, with the world as on the present frame.

    Raises:
        SceneError: for a missing object.
        PlacementError: for a force without direction or strength.
    """
    return [_force(context, obj, force, subject) for force in rest.forces]


def _force(context: Context, obj: Object, force: PhysPlaceRestForce, subject: Subject) -> Force:
    point = subject.stretch @ np.array(force.point)
    if force.kind == PUSH:
        return Local(point, subject.stretch @ np.array(force.direction), force.strength)
    target = np.array(force.target, dtype=np.float64)
    if force.kind == OBJECT:
        if force.other is None or force.other.name_full in Family.of(obj).names:
            found = "it is drawn to no object" if force.other is None else "it is drawn to a part of itself"
            raise SceneError(obj.name, found, "choose another object for the force, or remove the force")
        target = (place_of(force.other, context.evaluated_depsgraph_get()) @ [*target, 1.0])[:3]
    return Connection(point, target, force.strength)


def add_push(rest: PhysPlaceRest, subject: Subject, push: Local) -> None:
    """Add a push to the forces of a rest."""
    force = rest.forces.add()
    force.kind, force.strength = PUSH, push.strength
    force.point, force.direction = _own(subject, push.point), _own(subject, push.direction)


def add_connection(
    rest: PhysPlaceRest, subject: Subject, connection: Connection, other: Object | None
) -> None:
    """Add a connection to the forces of a rest: to another object's origin, or to a place of the world."""
    force = rest.forces.add()
    force.kind, force.strength = WORLD if other is None else OBJECT, connection.strength
    force.point, force.other = _own(subject, connection.point), other
    force.target = (0.0, 0.0, 0.0) if other else tuple(connection.target.tolist())


def _own(subject: Subject, vector: Floats) -> tuple[float, float, float]:
    x, y, z = np.linalg.solve(subject.stretch, vector).tolist()
    return x, y, z
