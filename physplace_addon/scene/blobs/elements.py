# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements of a blob: what their empties make of them, and what their parameters are written as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from bpy.types import Object

from ...core.arrays import Bools, Floats
from ...core.implicit import (
    Blob,
    CylinderField,
    Ellipsoids,
    Frozen,
    HalfSpaces,
    ImplicitFunction,
    Scaled,
    Spheres,
)
from ...core.implicit.functions.transformed import Moved
from ...core.rigid import rotation_matrix
from ..writing.transform import rotation_property
from .empty_transforms import EmptyTransform
from .objects import BIAS_OF_RADII

UPRIGHT = 1e-5  # of two axes' lengths: more than that between them is shear


@dataclass(frozen=True, eq=False)
class EmptyUpdate:
    """What is written to an object: location and scale channels (3,), its rotation (3, 3) without delta, and
    custom properties.
    """

    name: str
    location: Floats | None = None
    scale: Floats | None = None
    rotation: Floats | None = None
    properties: Mapping[str, float] = field(default_factory=dict)

    def paths(self, obj: Object) -> list[str]:
        """Blender's paths to what is written to the object."""
        told = {
            "location": self.location,
            rotation_property(obj.rotation_mode): self.rotation,
            "scale": self.scale,
        }
        own = [path for path, value in told.items() if value is not None]
        return [*own, *(f'["{key}"]' for key in self.properties)]


class Element(Protocol):
    """An element of a blob, in the blob's coordinates."""

    @property
    def function(self) -> ImplicitFunction:
        """What it is by itself: a length, below 0 inside."""

    @property
    def free(self) -> Bools:
        """Which of its parameters (m,) sculpting may change."""

    @property
    def reproducible(self) -> Bools:
        """Which of its parameters (m,) are the same numbers when its empties are read anew: the others are
        told from where these were.
        """

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """Its empties."""

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """What other parameters (m,) are written as."""


@dataclass(frozen=True, eq=False)
class _OfOneEmpty:
    transform: EmptyTransform

    @property
    def reproducible(self) -> Bools:
        """As many as may change."""
        return self.free

    @property
    def free(self) -> Bools:
        """Which of its parameters (m,) sculpting may change."""
        raise NotImplementedError

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """The one."""
        return (self.transform,)


@dataclass(frozen=True, eq=False)
class Sphere(_OfOneEmpty):
    """A ball: parameters centre and radius (4,)."""

    @property
    def row(self) -> Floats:
        """Its parameters (4,)."""
        return np.append(self.transform.centre, self.transform.radius)

    @property
    def function(self) -> ImplicitFunction:
        """The distance to it."""
        return Spheres(self.row[None])

    @property
    def free(self) -> Bools:
        """All, unless it is held."""
        return np.full(4, not self.transform.is_fixed)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Its place and size."""
        return [_sized(self.transform, parameters[:3], parameters[3])]


@dataclass(frozen=True, eq=False)
class Ellipsoid(_OfOneEmpty):
    """A ball drawn longer on one axis than on another: parameters centre, half-axes and a turn (9,)."""

    @property
    def function(self) -> ImplicitFunction:
        """Its axes are the empty's; where these are sheared, those of the ellipsoid that they make."""
        if self._is_sheared:
            axes, half, _ = np.linalg.svd(self.transform.axes)
        else:
            half = np.linalg.norm(self.transform.axes, axis=0)
            axes = self.transform.axes / half
        turned = axes * np.array([1.0, 1.0, np.sign(np.linalg.det(axes))])
        return Ellipsoids.of([self.transform.centre], [half], [turned])

    @property
    def _is_sheared(self) -> bool:
        products = self.transform.axes.T @ self.transform.axes
        lengths = np.sqrt(np.diag(products))
        return bool(np.abs(products / np.outer(lengths, lengths) - np.eye(3)).max() > UPRIGHT)

    @property
    def free(self) -> Bools:
        """Its place, and its half-axes and its turn if the empty can tell them."""
        upright = not self._is_sheared
        return np.repeat([True, upright, upright and self.transform.can_turn], 3) & (
            not self.transform.is_fixed
        )

    @property
    def reproducible(self) -> Bools:
        """All but the turn, which is told from how its axes are."""
        return self.free & (np.arange(9) < 6)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Its place, its scale and its rotation."""
        scale = self.transform.scale
        if not self._is_sheared:
            scale = np.abs(parameters[3:6]) / np.linalg.norm(self.transform.axes, axis=0) * scale
        turn = rotation_matrix(parameters[6:])
        place = self.transform.location_for(parameters[:3])
        return [EmptyUpdate(self.transform.name, place, scale, self.transform.rotation_for(turn))]


@dataclass(frozen=True, eq=False)
class Cylinder:
    """All that is near to a segment: parameters its two ends and its radius (7,), which the first tells."""

    start: EmptyTransform
    end: EmptyTransform

    @property
    def row(self) -> Floats:
        """Its parameters (7,)."""
        return np.concatenate([self.start.centre, self.end.centre, [self.start.radius]])

    @property
    def function(self) -> ImplicitFunction:
        """With round ends."""
        one = Blob(BIAS_OF_RADII, (CylinderField(self.row[None]),))
        return Scaled(Frozen(one, np.arange(8) > 0), as_length(self.start.radius))

    @property
    def free(self) -> Bools:
        """The places of its ends and its radius, but for an end that is held."""
        start, end = not self.start.is_fixed, not self.end.is_fixed
        return np.repeat([start, end, start], [3, 3, 1])

    @property
    def reproducible(self) -> Bools:
        """As many as may change."""
        return self.free

    @property
    def transforms(self) -> tuple[EmptyTransform, ...]:
        """Its two ends."""
        return self.start, self.end

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """The places of its ends, and its size."""
        places = ((self.start, parameters[:3]), (self.end, parameters[3:6]))
        return [
            _sized(transform, place, parameters[6]) for transform, place in places if not transform.is_fixed
        ]


@dataclass(frozen=True, eq=False)
class Plane(_OfOneEmpty):
    """All that is below the empty's z axis: parameters normal and distance (4,) from where it is now."""

    @property
    def _normal(self) -> Floats:
        across = np.linalg.inv(self.transform.matrix[:3, :3])[2]
        return np.asarray(across / np.sqrt(across @ across))

    @property
    def function(self) -> ImplicitFunction:
        """The distance from it."""
        here = self.transform.centre
        return HalfSpaces.of([self._normal], [here], here, self.transform.radius)

    @property
    def free(self) -> Bools:
        """Its distance, and its normal if the empty's rotation can tell it."""
        return np.array([self.transform.can_turn] * 3 + [True]) & (not self.transform.is_fixed)

    @property
    def reproducible(self) -> Bools:
        """Its normal: the distance is told from where it is."""
        return self.free & (np.arange(4) < 3)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Its place and its rotation."""
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
class _Written(_OfOneEmpty):
    """An element told by custom properties, in the empty's own coordinates; its parameters are those
    numbers.
    """

    own: ImplicitFunction
    keys: tuple[str, ...]

    @property
    def function(self) -> ImplicitFunction:
        """Where the empty is."""
        return Scaled(Moved(self.own, self.transform.matrix), self.transform.radius / self.transform.size)

    @property
    def free(self) -> Bools:
        """All."""
        return np.ones(len(self.keys), dtype=bool)

    def updates(self, parameters: Floats) -> list[EmptyUpdate]:
        """Its numbers."""
        return [
            EmptyUpdate(
                self.transform.name, properties=dict(zip(self.keys, parameters.tolist(), strict=True))
            )
        ]


class Quadric(_Written):
    """A quadric: parameters its ten coefficients."""


class Formula(_Written):
    """A formula in x, y and z: parameters its constants."""


def _sized(transform: EmptyTransform, centre: Floats, radius: float) -> EmptyUpdate:
    return EmptyUpdate(
        transform.name, transform.location_for(centre), abs(radius) / transform.radius * transform.scale
    )


def _turn_between(first: Floats, second: Floats) -> Floats:
    """The shortest rotation (3, 3) that takes one unit vector to another."""
    axis = np.cross(first, second)
    sine = float(np.sqrt(axis @ axis))
    angle = float(np.arctan2(sine, first @ second))
    return rotation_matrix(angle / sine * axis if sine > 0.0 else axis)


def as_length(radius: float) -> float:
    """What makes a length of a Gaussian near the surface of a lone element."""
    return 0.5 * float(np.e) * radius
