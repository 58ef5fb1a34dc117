# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements of a blob: the functions that their empties define, and how parameters are written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from bpy.types import Object

from ....core.arrays import Bools, Floats
from ....core.implicit import (
    Blob,
    CylinderField,
    Ellipsoids,
    Frozen,
    HalfSpaces,
    ImplicitFunction,
    Scaled,
    Spheres,
)
from ....core.implicit.functions.transformed import Moved
from ....core.rigid import rotation_matrix
from ...writing.transform import rotation_property
from ..empty_transforms import EmptyTransform
from ..objects import BIAS_OF_RADII

UPRIGHT = 1e-5  # largest cosine between two axes without shear


@dataclass(frozen=True, eq=False)
class EmptyUpdate:
    """What is written to an object.

    Attributes:
        name: the object's name.
        location: (3,), its location channels; None to keep them.
        scale: (3,), its scale channels; None to keep them.
        rotation: (3, 3), its rotation without delta; None to keep it.
        properties: custom properties by name.
    """

    name: str
    location: Floats | None = None
    scale: Floats | None = None
    rotation: Floats | None = None
    properties: Mapping[str, float] = field(default_factory=dict)

    def paths(self, obj: Object) -> list[str]:
        """Return Blender's data paths to what is written to the object."""
        written = {
            "location": self.location,
            rotation_property(obj.rotation_mode): self.rotation,
            "scale": self.scale,
        }
        own = [path for path, value in written.items() if value is not None]
        return [*own, *(f'["{key}"]' for key in self.properties)]


class Element(Protocol):
    """An element of a blob, in the blob's coordinates; m is the number of its parameters."""

    @property
    def function(self) -> ImplicitFunction:
        """Its implicit function alone: about a distance in blob units, below 0 inside."""

    @property
    def free(self) -> Bools:
        """Which of its parameters sculpting may change: (m,)."""

    @property
    def reproducible(self) -> Bools:
        """Which of its parameters (m,) keep their meaning when its empties are read again.

        The others are relative to the present transform of the empty.
        """

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """The transforms of its empties."""

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return what parameters (m,) are written as."""


@dataclass(frozen=True, eq=False)
class OfOneEmpty:
    """An element of one empty."""

    transform: EmptyTransform

    @property
    def reproducible(self) -> Bools:
        """Those that sculpting may change."""
        return self.free

    @property
    def free(self) -> Bools:
        """Which of its parameters (m,) sculpting may change."""
        raise NotImplementedError

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """The one transform."""
        return (self.transform,)


@dataclass(frozen=True, eq=False)
class Sphere(OfOneEmpty):
    """A ball; parameters: centre and radius (4,)."""

    @property
    def row(self) -> Floats:
        """Its parameters (4,)."""
        return np.append(self.transform.centre, self.transform.radius)

    @property
    def function(self) -> ImplicitFunction:
        """The signed distance to it."""
        return Spheres(self.row[None])

    @property
    def free(self) -> Bools:
        """All, unless its empty is fixed."""
        return np.full(4, not self.transform.is_fixed)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return its location and scale."""
        return [_sized(self.transform, parameters[:3], parameters[3])]


@dataclass(frozen=True, eq=False)
class Ellipsoid(OfOneEmpty):
    """An ellipsoid; parameters: centre, half-axes and a rotation vector from its present axes (9,)."""

    @property
    def function(self) -> ImplicitFunction:
        """The ellipsoid of the empty's axes; of sheared axes, the ellipsoid that they map the ball to."""
        if is_sheared(self.transform.axes):
            axes, half, _ = np.linalg.svd(self.transform.axes)
        else:
            half = np.linalg.norm(self.transform.axes, axis=0)
            axes = self.transform.axes / half
        turned = axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])
        return Ellipsoids.of([self.transform.centre], [half], [turned])

    @property
    def free(self) -> Bools:
        """Its centre; its half-axes without shear; its rotation where the empty can be turned, too."""
        upright = not is_sheared(self.transform.axes)
        return np.repeat([True, upright, upright and self.transform.can_turn], 3) & (
            not self.transform.is_fixed
        )

    @property
    def reproducible(self) -> Bools:
        """All but the rotation, which is relative to its present axes."""
        return self.free & (np.arange(9) < 6)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return its location, scale and rotation."""
        scale = self.transform.scale
        if not is_sheared(self.transform.axes):
            scale = np.abs(parameters[3:6]) / np.linalg.norm(self.transform.axes, axis=0) * scale
        turn = rotation_matrix(parameters[6:])
        place = self.transform.location_for(parameters[:3])
        return [EmptyUpdate(self.transform.name, place, scale, self.transform.rotation_for(turn))]


@dataclass(frozen=True, eq=False)
class Cylinder:
    """All points near a segment; parameters: the two ends and the radius (7,), the first end's."""

    start: EmptyTransform
    end: EmptyTransform

    @property
    def row(self) -> Floats:
        """Its parameters (7,)."""
        return np.concatenate([self.start.centre, self.end.centre, [self.start.radius]])

    @property
    def function(self) -> ImplicitFunction:
        """A cylinder with round ends."""
        one = Blob(BIAS_OF_RADII, (CylinderField(self.row[None]),))
        return Scaled(Frozen(one, np.arange(8) > 0), as_length(self.start.radius))

    @property
    def free(self) -> Bools:
        """Its ends and its radius, except for an end whose empty is fixed."""
        start, end = not self.start.is_fixed, not self.end.is_fixed
        return np.repeat([start, end, start], [3, 3, 1])

    @property
    def reproducible(self) -> Bools:
        """Those that sculpting may change."""
        return self.free

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """Its two ends."""
        return self.start, self.end

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return the locations and scales of its ends."""
        places = ((self.start, parameters[:3]), (self.end, parameters[3:6]))
        return [
            _sized(transform, place, parameters[6]) for transform, place in places if not transform.is_fixed
        ]


@dataclass(frozen=True, eq=False)
class Plane(OfOneEmpty):
    """All points below the empty's xy plane; parameters: normal and distance from its present place (4,)."""

    @property
    def _normal(self) -> Floats:
        across = np.linalg.inv(self.transform.matrix[:3, :3])[2]
        return np.asarray(across / np.sqrt(across @ across))

    @property
    def function(self) -> ImplicitFunction:
        """The signed distance to it."""
        here = self.transform.centre
        return HalfSpaces.of([self._normal], [here], here, self.transform.radius)

    @property
    def free(self) -> Bools:
        """Its distance, and its normal where the empty can be turned."""
        return np.array([self.transform.can_turn] * 3 + [True]) & (not self.transform.is_fixed)

    @property
    def reproducible(self) -> Bools:
        """Its normal: the distance is relative to its present place."""
        return self.free & (np.arange(4) < 3)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return its location and rotation."""
        normal = parameters[:3] / np.sqrt(parameters[:3] @ parameters[:3])
        place = self.transform.centre + parameters[3] * normal
        turn = _turn_between(self._normal, normal)
        return [
            EmptyUpdate(
                self.transform.name,
                self.transform.location_for(place),
                None,
                self.transform.rotation_for(turn),
            )
        ]


@dataclass(frozen=True, eq=False)
class _Written(OfOneEmpty):
    """An element of custom properties, in the empty's own coordinates; its parameters are those numbers."""

    own: ImplicitFunction
    keys: tuple[str, ...]

    @property
    def function(self) -> ImplicitFunction:
        """Its function, moved to the empty's place, in blob units."""
        return Scaled(Moved(self.own, self.transform.matrix), self.transform.radius / self.transform.size)

    @property
    def free(self) -> Bools:
        """All."""
        return np.ones(len(self.keys), dtype=bool)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Return its numbers as custom properties."""
        return [
            EmptyUpdate(
                self.transform.name, properties=dict(zip(self.keys, parameters.tolist(), strict=True))
            )
        ]


class Quadric(_Written):
    """A quadric; parameters: its ten coefficients."""


class Formula(_Written):
    """A formula in x, y and z; parameters: its constants."""


def _sized(transform: EmptyTransform, centre: Floats, radius: float) -> EmptyUpdate:
    return EmptyUpdate(
        transform.name, transform.location_for(centre), abs(radius) / transform.radius * transform.scale
    )


def is_sheared(axes: Floats) -> bool:
    """Return whether axes, the columns of (3, 3), are not at right angles."""
    products = axes.T @ axes
    lengths = np.sqrt(np.diag(products))
    return bool(np.abs(products / np.outer(lengths, lengths) - np.eye(3)).max() > UPRIGHT)


def _turn_between(first: Floats, second: Floats) -> Floats:
    """Return the shortest rotation (3, 3) that takes one unit vector to another."""
    axis = np.cross(first, second)
    sine = float(np.sqrt(axis @ axis))
    angle = float(np.arctan2(sine, first @ second))
    return rotation_matrix(angle / sine * axis if sine > 0.0 else axis)


def as_length(radius: float) -> float:
    """Return the factor that makes a Gaussian of this radius about a distance near its surface."""
    return 0.5 * float(np.e) * radius
