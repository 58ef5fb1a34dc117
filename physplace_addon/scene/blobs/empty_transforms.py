# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object of a blob is in the blob's own coordinates, and the location and scale for another place.

A blob's surface is computed in the coordinates of its empty, so the empty may be moved, turned, scaled and
mirrored, and the surface goes with it. With W its world matrix, an object of the blob has M = W^-1
matrix_world = P B, where B is its basis (location, rotation, scale and their deltas) and P all the rest. P is
measured, not assembled. A new place c is written as the location P^-1 c, and a new size as a scale. A
rotation Q of the blob's coordinates becomes D^-1 U^-1 Q U D R where P = s U x + t is a similarity, with R the
object's own rotation and D its delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from bpy.types import Object

from ...core.arrays import Floats
from ..affine import is_similarity, is_singular, split
from ..errors import SceneError
from ..rotations import matrix_of
from ..writing.transform import channels, delta_rotation, locks_rotation

ZERO = "its scale is zero"
CARRYING = ("CHILD_OF", "ARMATURE")  # constraints that only add to what an object's channels give
MEND = "give it a scale other than zero on every axis"


@dataclass(frozen=True, eq=False)
class EmptyTransform:
    """An object in a blob's coordinates.

    Attributes:
        name: the object's name.
        matrix: (4, 4), M above.
        inverse: (4, 4), the inverse of P.
        delta: (3,), its delta location.
        scale: (3,), its scale channels.
        rotation: (3, 3), R.
        delta_rotation: (3, 3), D.
        is_locked: whether a channel of its rotation is locked.
        is_fixed: whether it must stay where it is: a constraint moves it, or several elements share it.
        size: the half size that its empty is drawn with, before its scale.
    """

    name: str
    matrix: Floats
    inverse: Floats
    delta: Floats
    scale: Floats
    rotation: Floats
    delta_rotation: Floats
    is_locked: bool
    is_fixed: bool
    size: float

    @property
    def centre(self) -> Floats:
        """Its origin (3,), in the blob's coordinates."""
        place: Floats = self.matrix[:3, 3]
        return place

    @property
    def axes(self) -> Floats:
        """Its axes as columns (3, 3), as long as the empty is drawn."""
        axes: Floats = self.size * self.matrix[:3, :3]
        return axes

    @cached_property
    def radius(self) -> float:
        """The radius of the ball with the volume of the ball or ellipsoid that it is drawn as."""
        return float(np.cbrt(abs(np.linalg.det(self.axes))))

    def location_for(self, centre: Floats) -> Floats:
        """Return the location channels (3,) that put it at a place (3,)."""
        location: Floats = self.inverse[:3, :3] @ centre + self.inverse[:3, 3] - self.delta
        return location

    @cached_property
    def can_turn(self) -> bool:
        """Whether it may be turned, and its rotation channels can give every rotation."""
        return not self.is_locked and is_similarity(self.inverse)

    def rotation_for(self, turn: Floats) -> Floats | None:
        """Return the rotation (3, 3), without delta, that turns it by (3, 3) in the blob's coordinates.

        None where its rotation channels cannot give it.
        """
        if not self.can_turn:
            return None
        inner = self.inverse[:3, :3] / np.cbrt(np.abs(np.linalg.det(self.inverse[:3, :3])))
        delta = self.delta_rotation
        rotation: Floats = delta.T @ inner @ turn @ inner.T @ delta @ self.rotation
        return rotation


@dataclass(frozen=True, eq=False)
class BlobSpace:
    """A blob's own coordinates.

    Attributes:
        name: the blob's name.
        matrix: (4, 4), its world matrix.
        shared: the names of objects that several elements share.
    """

    name: str
    matrix: Floats
    shared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, blob: Object) -> BlobSpace:
        """Return a blob's own coordinates. Raises SceneError for a zero scale."""
        matrix = _finite(blob, blob.matrix_world)
        if is_singular(matrix):
            raise SceneError(blob.name, ZERO, MEND)
        return cls(blob.name, split(matrix).affine)

    def transform_of(self, obj: Object) -> EmptyTransform:
        """Return an object's transform in it. Raises SceneError for an object with a zero scale."""
        basis = _finite(obj, obj.matrix_basis)
        matrix = self._matrix(obj)
        if is_singular(matrix):
            raise SceneError(obj.name, ZERO, MEND)
        return EmptyTransform(
            obj.name,
            matrix,
            basis @ np.linalg.inv(matrix),
            np.array(obj.delta_location, dtype=np.float64),
            np.array(obj.scale, dtype=np.float64),
            matrix_of(obj.rotation_mode, channels(obj).rotation),
            delta_rotation(obj),
            locks_rotation(obj),
            obj.name in self.shared or any(each.type not in CARRYING for each in obj.constraints),
            float(obj.empty_display_size) if obj.type == "EMPTY" else 1.0,
        )

    def _matrix(self, obj: Object) -> Floats:
        """Return an object's M.

        Where only parents stand between, it is made of their matrices: that is more exact far from the
        world's origin, where single precision makes world matrices coarse.
        """
        matrix, member = np.eye(4), obj
        while member.name != self.name:
            if member.parent is None or member.parent_type != "OBJECT" or len(member.constraints):
                world = _finite(obj, obj.matrix_world)
                seen = np.asarray(np.linalg.solve(self.matrix, world), dtype=np.float64)
                return seen if is_singular(seen) else split(seen).affine
            matrix = _finite(obj, member.matrix_parent_inverse) @ _finite(obj, member.matrix_basis) @ matrix
            member = member.parent
        return matrix


def _finite(obj: Object, matrix: object) -> Floats:
    found = np.array(matrix, dtype=np.float64)
    if not np.all(np.isfinite(found)):
        raise SceneError(obj.name, "its transform is not finite", "reset its location, rotation and scale")
    return found
