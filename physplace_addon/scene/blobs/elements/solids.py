# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that are solids of one shape: boxes, cylinders with flat ends, cones, tori.

Their half-axes are those that their empty is drawn with. One more length, the rounding of the edges or the
radius of a torus's tube, is a custom property in the empty's own units: it grows with the empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ....core.arrays import Bools, Floats
from ....core.implicit import Boxes, EllipticCones, FlatCylinders, ImplicitFunction, Tori
from ....core.implicit.functions.solids.shaped_solids import ShapedSolids
from ....core.implicit.functions.transformed import Moved
from ....core.rigid import rotation_matrix
from ...errors import SceneError
from ..empty_transforms import BlobSpace
from ..objects import number_of
from .elements import EmptyUpdate, OfOneEmpty, is_sheared

ROUNDING, TUBE = "blob.rounding", "blob.tube"
SHAPES: dict[str, tuple[type[ShapedSolids], str]] = {  # each with the property of its length
    "box": (Boxes, ROUNDING),
    "rounded_box": (Boxes, ROUNDING),
    "flat_cylinder": (FlatCylinders, ROUNDING),
    "cone": (EllipticCones, ROUNDING),
    "torus": (Tori, TUBE),
}


@dataclass(frozen=True, eq=False)
class Solid(OfOneEmpty):
    """A solid; parameters: centre, half-axes, a rotation vector from its present axes, and one length (10,).

    Attributes:
        shape: what it is.
        length: its further length, in the empty's own units.
    """

    shape: type[ShapedSolids]
    length: float

    @property
    def function(self) -> ImplicitFunction:
        """The solid in the empty's axes; where these are sheared, the solid of size 1 that they map."""
        axes = self.transform.axes
        half = np.linalg.norm(axes, axis=0)
        mean = self.transform.radius
        if is_sheared(axes):
            whole = np.eye(4)
            whole[:3, :3], whole[:3, 3] = axes / mean, self.transform.centre
            return Moved(self.shape.of([0.0, 0.0, 0.0], [mean] * 3, self.length * mean), whole)
        turned = axes / half
        turned = turned * np.array([np.sign(np.linalg.det(turned)), 1.0, 1.0])  # all are alike on both sides
        size = half[2] if self.shape is Tori else mean
        return self.shape.of([self.transform.centre], [half], self.length * size, [turned])

    @property
    def free(self) -> Bools:
        """Its centre and half-axes, without shear; its rotation where the empty can be turned, too."""
        upright = not is_sheared(self.transform.axes)
        turns = upright and self.transform.can_turn
        own = np.repeat([upright, upright, turns, False], [3, 3, 3, 1])
        return own & (not self.transform.is_fixed)

    @property
    def reproducible(self) -> Bools:
        """All but the rotation, which is relative to its present axes."""
        return self.free & (np.arange(10) < 6)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return its location, scale and rotation."""
        half = np.linalg.norm(self.transform.axes, axis=0)
        return [
            EmptyUpdate(
                self.transform.name,
                self.transform.location_for(parameters[:3]),
                np.abs(parameters[3:6]) / half * self.transform.scale,
                self.transform.rotation_for(rotation_matrix(parameters[6:9])),
            )
        ]


def read_solid(obj: Object, frame: BlobSpace) -> Solid:
    """Return the solid that an object is. Raises SceneError for a length below 0."""
    shape, key = SHAPES[str(obj["blob.element"])]
    length = number_of(obj, key, 0.3 if key == TUBE else 0.0)
    if length < 0.0 or (key == TUBE and length == 0.0):
        above = "above 0" if key == TUBE else "to 0 or more"
        raise SceneError(obj.name, f'its property "{key}" is {length:g}', f"set it {above}")
    return Solid(frame.transform_of(obj), shape, length)
