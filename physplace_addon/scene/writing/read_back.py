# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender makes of a transform that was written, and what owns it where that is something else.

Whether a scale has been changed is told by the channels: a world matrix also has what keys, drivers, parents
and constraints make of it, and none of two axes that are mirrored at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from bpy.types import Constraint, Context, FCurve, Object

from ...core.arrays import Floats
from ...core.wording import in_words
from ..errors import SceneError
from .action_state import curves_in
from .actions import curves_of
from .transform import ObjectSpace, basis_of, scale_of

READ_BACK: Final = 1e-5  # largest error of a matrix read back, over its largest entry: a few float32 products
SCALES: Final = ("scale", "delta_scale")
DELTAS: Final = ("delta_location", "delta_rotation_euler", "delta_rotation_quaternion")

# Constraints that do not move an object, or only add to what its own channels give.
HARMLESS: Final = frozenset({"CHILD_OF", "COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})


def check_world_matrix(context: Context, obj: Object, space: ObjectSpace, matrix: Floats) -> None:
    """Raise SceneError if Blender does not give an object the world matrix (4, 4) written to it.

    space: how its channels made its world matrix when it was read.
    """
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    off = np.abs(np.array(evaluated.matrix_world, dtype=np.float64) - matrix).max()
    if off > READ_BACK * np.abs(matrix).max():
        raise changed(obj, evaluated, space.scale, space.outer) or _owned(obj)


def changed(obj: Object, evaluated: Object, scale: Floats, outer: Floats) -> SceneError | None:
    """Return the error that says what of an object is not as it was when it was read; None for neither.

    Args:
        obj: the object.
        evaluated: the same, evaluated.
        scale: (3,), its scale times its delta scale, as read.
        outer: (4, 4), what made its world matrix of its own transform, as read.
    """
    if np.abs(scale_of(evaluated) - scale).max() > READ_BACK * np.abs(scale).max():
        if any(curve.data_path in SCALES for curve in _curves_and_drivers(obj)):
            found = "keys, an NLA strip or a driver change its scale"
            return SceneError(obj.name, found, "mute or remove what owns it")
        found = "its scale is not what it was when it was read"
        return SceneError(obj.name, found, "undo that, or begin again")
    if obj.parent is None or any(map(_acts, obj.constraints)) or _is_simulated(obj):
        return None
    world = np.array(evaluated.matrix_world, dtype=np.float64)
    if np.abs(outer @ basis_of(evaluated) - world).max() <= READ_BACK * np.abs(world).max():
        return None
    found = f'its parent "{obj.parent.name}", changed since it was read, owns its transform'
    return SceneError(obj.name, found, "undo that, or clear the parent and keep the transformation")


def _curves_and_drivers(obj: Object) -> Iterator[FCurve]:
    """Yield the curves and drivers of an object that are not muted, also those of its NLA strips."""
    data = obj.animation_data
    if data is None:
        return
    strips = (strip for track in data.nla_tracks for strip in track.strips)
    stacked = (curve for strip in strips if strip.action is not None for curve in curves_in(strip.action))
    yield from (curve for curve in (*curves_of(obj), *data.drivers, *stacked) if not curve.mute)


def _owned(obj: Object) -> SceneError:
    """Return the error that names what owns an object's transform, and a remedy."""
    names = [constraint.name for constraint in obj.constraints if _acts(constraint)]
    if names:
        which = f"{'one of its constraints' if len(names) > 1 else 'its constraint'} {in_words(names)}"
        remedy = "mute that constraint, or apply it, in the Object Constraints"
        return SceneError(obj.name, f"{which} owns its transform", remedy)
    if _is_simulated(obj):
        found, remedy = "the rigid body simulation owns its transform", "place it where the simulation begins"
        return SceneError(obj.name, found, remedy)
    if any(curve.data_path in DELTAS for curve in _curves_and_drivers(obj)):
        found = "keys, an NLA strip or a driver change its delta transform"
        return SceneError(obj.name, found, "mute or remove what owns it")
    found = "something else owns its transform: a driver, an NLA strip or a simulation"
    remedy = "mute what owns it, or apply it (Object > Apply > Visual Transform)"
    return SceneError(obj.name, found, remedy)


def _acts(constraint: Constraint) -> bool:
    """Return whether a constraint can change where an object stands."""
    is_on = constraint.is_valid and not constraint.mute and constraint.influence > 0.0
    return is_on and constraint.type not in HARMLESS


def _is_simulated(obj: Object) -> bool:
    """Return whether Blender's own rigid body simulation moves an object."""
    body = obj.rigid_body
    return body is not None and body.type == "ACTIVE" and not body.kinematic
