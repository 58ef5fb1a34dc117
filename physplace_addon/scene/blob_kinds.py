# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of elements: what each one's empties tell, and how its parameters are written back to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from bpy.types import Context, Object

from ..core.arrays import Floats
from .blob_seats import Frame, Seat
from .blobs import other_end


@dataclass(frozen=True, eq=False)
class Seating:
    """What is written to an object: its location and its scale channels, each (3,)."""

    name: str
    location: Floats
    scale: Floats


class Element(Protocol):
    """An element of a blob, in the blob's coordinates."""

    @property
    def parameters(self) -> Floats:
        """Its parameters (m,), as its kind of function orders them."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Its empties."""

    def seatings(self, parameters: Floats) -> list[Seating]:
        """What other parameters (m,) are written as."""


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball: parameters centre and radius (4,)."""

    seat: Seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The one."""
        return (self.seat,)

    @property
    def parameters(self) -> Floats:
        return np.append(self.seat.centre, self.seat.radius)

    def seatings(self, parameters: Floats) -> list[Seating]:
        return [_sized(self.seat, parameters[:3], parameters[3])]


@dataclass(frozen=True, eq=False)
class Cylinder:
    """All that is near to a segment: parameters its two ends and its radius (7,), which the first tells."""

    start: Seat
    end: Seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Its two ends."""
        return self.start, self.end

    @property
    def parameters(self) -> Floats:
        return np.concatenate([self.start.centre, self.end.centre, [self.start.radius]])

    def seatings(self, parameters: Floats) -> list[Seating]:
        start = _sized(self.start, parameters[:3], parameters[6])
        return [start, _sized(self.end, parameters[3:6], parameters[6])]


def _sized(seat: Seat, centre: Floats, radius: float) -> Seating:
    return Seating(seat.name, seat.location_for(centre), abs(radius) / seat.radius * seat.scale)


@dataclass(frozen=True)
class Form:
    """A kind of element: how it is called, shown and read, and the properties that a new one has."""

    label: str
    description: str
    display: str
    read: Callable[[Context, Object, Frame], Element]
    has_end: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)


def _sphere(_: Context, obj: Object, frame: Frame) -> Element:
    return Sphere(frame.seat(obj))


def _cylinder(context: Context, obj: Object, frame: Frame) -> Element:
    return Cylinder(frame.seat(obj), frame.seat(other_end(context, obj)))


KINDS: dict[str, Form] = {
    "sphere": Form("Sphere", "A ball: its place is the centre, its size the radius", "SPHERE", _sphere),
    "cylinder": Form(
        "Cylinder",
        "All that is near to the line between two empties: the first one's size is the radius",
        "SPHERE",
        _cylinder,
        has_end=True,
    ),
}
