# SPDX-License-Identifier: GPL-3.0-or-later
"""A world matrix, written into an object's own location and rotation, and read back to check it.

`matrix_world = P B`, where B is the object's basis (location, rotation, scale and their deltas) and P all the
rest: the parent, the parent inverse, a Child Of constraint. P is measured, `P = matrix_world B^-1`, not
assembled. A rigid motion D of the world then needs the basis `P^-1 D P B`. It is rigid, and B's scale
is kept, if P is a similarity. If P stretches, no location and rotation can give it: an error.

After writing, `check_world_matrix` compares Blender's matrix with the expected one. Where they differ, it
names the constraint, driver or simulation that owns the transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Constraint, Context, Object, PoseBone
from numpy.typing import ArrayLike

from ...core.arrays import Floats
from ...core.wording import in_words
from .. import rotations
from ..affine import NOISE, is_similarity, is_singular, split
from ..errors import SceneError

TRANSFORM = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
READ_BACK = 1e-5  # largest error of a matrix read back, over its largest entry: a few float32 products

# Constraints that do not move an object, or only add to what its own channels give.
HARMLESS = frozenset({"CHILD_OF", "COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"})


@dataclass(frozen=True, eq=False)
class Channels:
    """Values of an object's location (3,), and of its rotation in a rotation mode, (3,) or (4,)."""

    location: Floats
    rotation: Floats
    mode: str

    def in_mode(self, mode: str, previous: ArrayLike) -> Channels:
        """Return the same rotation in another rotation mode, near previous values of that mode."""
        if mode == self.mode:
            return self
        turn = rotations.matrix_of(self.mode, self.rotation)
        return Channels(self.location, rotations.values_of(mode, turn, previous), mode)


@dataclass(frozen=True, eq=False)
class ObjectSpace:
    """How an object's channels make its world matrix: all that is needed to invert it, as numbers.

    Attributes:
        name: the object's name.
        mode: its rotation mode.
        outer: (4, 4), P above.
        delta_location: (3,), its delta location.
        delta_rotation: (3, 3), its delta rotation.
        scale: (3,), its scale times its delta scale.
        channels: its location and rotation when read.
    """

    name: str
    mode: str
    outer: Floats
    delta_location: Floats
    delta_rotation: Floats
    scale: Floats
    channels: Channels

    def channels_for(self, world: Floats, previous: Channels) -> Channels:
        """Return the channels that give a world matrix (4, 4), near the previous ones."""
        basis = np.linalg.solve(self.outer, world)
        left, _, right = np.linalg.svd(basis[:3, :3] / self.scale)
        rotation = self.delta_rotation.T @ (left @ right)
        values = rotations.values_of(self.mode, rotation, previous.rotation)
        return Channels(basis[:3, 3] - self.delta_location, values, self.mode)

    def path(self, worlds: Sequence[Floats]) -> list[Channels]:
        """Return the channels of each of a path's world matrices (4, 4), each near the one before it."""
        path = [self.channels]
        for world in worlds:
            path.append(self.channels_for(world, path[-1]))
        return path[1:]


def rotation_property(mode: str) -> str:
    """Return the name of the property that holds the rotation in a rotation mode."""
    if mode == rotations.QUATERNION:
        return "rotation_quaternion"
    return "rotation_axis_angle" if mode == rotations.AXIS_ANGLE else "rotation_euler"


def object_space(obj: Object, evaluated: Object) -> ObjectSpace:
    """Return how an object's channels make its world matrix now.

    Raises:
        SceneError: where that cannot be inverted: a zero scale, a parent that stretches, a driver.
    """
    _check_not_driven(obj)
    location, rotation, scale = _basis(evaluated)
    basis = np.eye(4)
    basis[:3, :3] = rotation * scale
    basis[:3, 3] = location
    world = np.array(evaluated.matrix_world, dtype=np.float64)
    if is_singular(basis) or is_singular(world):
        raise SceneError(obj.name, "its scale is zero", "give it a scale other than zero on every axis")
    free = np.allclose(world, basis, rtol=0.0, atol=NOISE * float(np.abs(basis).max()))
    outer = np.eye(4) if free else world @ np.linalg.inv(basis)
    if not is_similarity(outer):
        parent = obj.parent.name if obj.parent else "a constraint"
        raise SceneError(
            obj.name,
            f'"{parent}" stretches it more along one axis than another, so turning it would shear it',
            "apply the scale of its parent (Object > Apply > Scale), or clear the parent",
        )
    return ObjectSpace(
        obj.name,
        obj.rotation_mode,
        outer,
        np.array(obj.delta_location, dtype=np.float64),
        delta_rotation(obj),
        scale,
        channels(obj),
    )


def channels(obj: Object | PoseBone) -> Channels:
    """Return the location and rotation of an object, or of a bone in its own space, as they are."""
    return Channels(
        np.array(obj.location, dtype=np.float64),
        np.array(getattr(obj, rotation_property(obj.rotation_mode)), dtype=np.float64),
        obj.rotation_mode,
    )


def locks_rotation(obj: Object) -> bool:
    """Return whether a channel of an object's rotation is locked; that of w counts where all four may be."""
    has_four = obj.lock_rotations_4d and obj.rotation_mode not in rotations.EULER_ORDERS
    return any(obj.lock_rotation) or (has_four and obj.lock_rotation_w)


def set_channels(obj: Object | PoseBone, values: Channels) -> None:
    """Write location and rotation to an object or a bone, in the rotation mode that it has now."""
    name = rotation_property(obj.rotation_mode)
    own = values.in_mode(obj.rotation_mode, getattr(obj, name))
    obj.location = own.location.tolist()
    setattr(obj, name, own.rotation.tolist())


def _basis(obj: Object) -> tuple[Floats, Floats, Floats]:
    """Return an object's location (3,), rotation (3, 3) and scale (3,), deltas included."""
    own = channels(obj)
    location = own.location + np.array(obj.delta_location, dtype=np.float64)
    rotation = delta_rotation(obj) @ rotations.matrix_of(obj.rotation_mode, own.rotation)
    scale = np.array(obj.scale, dtype=np.float64) * np.array(obj.delta_scale, dtype=np.float64)
    return location, rotation, scale


def delta_rotation(obj: Object) -> Floats:
    """Return an object's delta rotation (3, 3)."""
    mode = obj.rotation_mode
    if mode == rotations.AXIS_ANGLE:
        return np.eye(3)  # Blender has a delta for axis and angle, but gives no way to set or read it
    return rotations.matrix_of(mode, getattr(obj, f"delta_{rotation_property(mode)}"))


def _check_not_driven(obj: Object) -> None:
    drivers = obj.animation_data.drivers if obj.animation_data else ()
    driven = sorted({str(driver.data_path) for driver in drivers} & {*TRANSFORM, "rotation_mode"})
    if driven:
        raise SceneError(
            obj.name,
            f"a driver owns its {driven[0]}",
            "remove the driver, or place the object that drives it",
        )


def check_world_matrix(context: Context, obj: Object, matrix: Floats) -> None:
    """Raise SceneError if Blender does not give an object the world matrix (4, 4) written to it."""
    written = obj.evaluated_get(context.evaluated_depsgraph_get()).matrix_world
    off = np.abs(np.array(written, dtype=np.float64) - matrix).max()
    if off > READ_BACK * np.abs(matrix).max():
        raise rescaled(obj) if is_rescaled(obj, np.array(written), matrix) else _owned(obj)


def is_rescaled(obj: Object, written: Floats, expected: Floats) -> bool:
    """Return whether an object's world matrix (4, 4) has another scale than expected, or another sign of it,
    and no constraint makes it so.
    """
    stretches = [split(matrix).stretch for matrix in (written, expected)]
    alike = np.abs(stretches[0] - stretches[1]).max() <= READ_BACK * np.abs(stretches[1]).max()
    return not alike and not any(map(_acts, obj.constraints))


def rescaled(obj: Object) -> SceneError:
    """Return the error that says of an object that its scale has been changed."""
    return SceneError(obj.name, "its scale is not what it was when it was read", "undo that, or begin again")


def _owned(obj: Object) -> SceneError:
    """Return the error that names what owns an object's transform, and a remedy."""
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
    """Return whether a constraint can change where an object stands."""
    is_on = constraint.is_valid and not constraint.mute and constraint.influence > 0.0
    return is_on and constraint.type not in HARMLESS
