# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators act at: points of the world, and other objects by name."""

from __future__ import annotations

from typing import cast

import numpy as np
from bpy.types import Context, Object, Operator

from ..core.arrays import Floats
from ..scene.access import active_object, present, scene_of
from ..scene.errors import SceneError
from ..scene.reading.visible import Family


def place_of(operator: object, context: Context, name: str) -> Floats:
    """The point (3,) of an operator's property; where it was not given, that of the 3D cursor, which it then
    keeps, so that adjusting the operator's other properties does not move it.
    """
    properties = cast("Operator", operator).properties
    if not properties.is_property_set(name):
        setattr(operator, name, scene_of(context).cursor.location)
    return np.array(getattr(operator, name), dtype=np.float64)


def other_object(context: Context, name: str) -> Object:
    """An object of the scene that does not move with the active one.

    Raises SceneError for any other.
    """
    found: Object | None = scene_of(context).objects.get(name)
    if found is None:
        raise SceneError(name, "the scene has no such object", "choose one that it has")
    if found.name_full in Family.of(present(active_object(context))).names:
        raise SceneError(name, "it moves with the active object", "choose another object")
    return found
