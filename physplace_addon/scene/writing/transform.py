# SPDX-License-Identifier: GPL-3.0-or-later
"""A world matrix, written into an object's own location and rotation, and read back to check it.

`matrix_world = P B`, where B is the object's basis (location, rotation, scale and their deltas) and P all the
rest: the parent, the parent inverse, a Child Of constraint. P is measured, `P = matrix_world B^-1`, not
assembled. A rigid motion D of the world then needs the basis `P^-1 D P B`. It is rigid, and B's scale
is kept, if P is a similarity. If P stretches, no location and rotation can give it: an error.

`read_back` checks what Blender makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, PoseBone
from numpy.typing import ArrayLike

from ...core.arrays import Floats
from .. import rotations
from ..affine import NOISE, is_similarity, is_singular
from ..errors import SceneError

TRANSFORM = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


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
    basis = basis_of(evaluated)
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
        scale_of(evaluated),
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


def basis_of(obj: Object) -> Floats:
    """Return B above (4, 4): an object's location, rotation and scale, deltas included."""
    own, basis = channels(obj), np.eye(4)
    rotation = delta_rotation(obj) @ rotations.matrix_of(obj.rotation_mode, own.rotation)
    basis[:3, :3] = rotation * scale_of(obj)
    basis[:3, 3] = own.location + np.array(obj.delta_location, dtype=np.float64)
    return basis


def scale_of(obj: Object) -> Floats:
    """Return an object's scale times its delta scale (3,)."""
    return np.array(obj.scale, dtype=np.float64) * np.array(obj.delta_scale, dtype=np.float64)


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
