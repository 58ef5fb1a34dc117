# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object stands where its location and rotation put it, and who to name if it does not."""

from __future__ import annotations

import numpy as np
from bpy.types import Constraint, Context, Object

from ..core.arrays import Floats
from ..core.wording import in_words
from .errors import SceneError

READ_BACK = 1e-5  # of the largest coordinate: a few products of float32 matrices

# These constraints have no say in where an object stands, or only add to what its own channels say.
HARMLESS = frozenset({"CHILD_OF", "COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})


def check_stands_at(context: Context, obj: Object, matrix: Floats) -> None:
    """Raise SceneError if Blender does not give an object the world matrix (4, 4) that it was put to."""
    written = obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world
    off = np.abs(np.array(written, dtype=np.float64) - matrix).max()
    if off > READ_BACK * np.abs(matrix).max():
        raise _owned(obj)


def _owned(obj: Object) -> SceneError:
    """The error that says what owns an object's transform, and what to do about it."""
    names = [constraint.name for constraint in obj.constraints if _acts(constraint)]
    if names:
        which = f"{'one of its constraints' if len(names) > 1 else 'its constraint'} {in_words(names)}"
        remedy = "mute that constraint, or apply it, in the Object Constraints"
        return SceneError(obj.name, f"{which} owns its transform", remedy)
    if obj.rigid_body is not None:
        found, remedy = "the rigid body simulation owns its transform", "place it where the simulation begins"
        return SceneError(obj.name, found, remedy)
    found = "something else owns its transform: a driver, an NLA strip or a simulation"
    remedy = "mute what owns it, or apply it (Object > Apply > Visual Transform)"
    return SceneError(obj.name, found, remedy)


def _acts(constraint: Constraint) -> bool:
    is_on = constraint.is_valid and not constraint.mute and constraint.influence > 0.0
    return is_on and constraint.type not in HARMLESS
