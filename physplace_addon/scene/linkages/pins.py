# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins: points and parts of a linkage that stay where they are, kept with the scene between two poses.

A pin is the custom property `physplace_pin` of an object or a bone: 1 and the pinned point, or 2 for the
whole part, with the point at which the artist pinned it. The point (x, y, z) is in the part's own frame, in
lengths of the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np
from bpy.types import Object, PoseBone

from ...core.arrays import Floats
from ...core.articulation import PIN_WEIGHT, Goal, PinGoal, PointGoal
from ...core.rigid import Pose
from ..access import custom_properties, plain_value, present
from .linkages import FoundLinkage, Part

KEY: Final = "physplace_pin"


class PinKind(IntEnum):
    """What a pin holds."""

    POINT = 1
    PART = 2


@dataclass(frozen=True, eq=False)
class Pin:
    """A part that is pinned: a point (3,) of it in its own frame, or all of it."""

    part: int
    kind: PinKind
    point: Floats

    def goal(self, pose: Pose) -> Goal:
        """Return the goal that holds the pin where it is when the part stands in a pose."""
        if self.kind is PinKind.PART:
            return PinGoal(self.part, pose, weight=PIN_WEIGHT)
        return PointGoal(self.part, self.point, pose.points(self.point), weight=PIN_WEIGHT)

    def cycled(self) -> Pin | None:
        """Return the next kind of pin: the point, the whole part, none."""
        return replace(self, kind=PinKind.PART) if self.kind is PinKind.POINT else None


def read_pins(found: FoundLinkage) -> list[Pin]:
    """Return the pins of a linkage's parts; what is no pin in the property counts as none."""
    pins = []
    for number, part in enumerate(found.parts):
        values = _values(_posed(part))
        if values is not None:
            pins.append(Pin(number, PinKind(int(values[0])), np.array(values[1:])))
    return pins


def write_pins(found: FoundLinkage, pins: Sequence[Pin]) -> None:
    """Leave pins, and no others, with a linkage's parts."""
    by_part = {pin.part: pin for pin in pins}
    for number, part in enumerate(found.parts):
        posed, pin = _posed(part), by_part.get(number)
        if pin is not None:
            posed[KEY] = [float(pin.kind), *pin.point.tolist()]
        elif KEY in custom_properties(posed):
            del posed[KEY]


def _posed(part: Part) -> Object | PoseBone:
    if part.bone is None:
        return part.objects[0].reference.object
    return present(part.bone.armature.object.pose).bones[part.bone.bone]


def _values(posed: Object | PoseBone) -> list[float] | None:
    found = plain_value(custom_properties(posed).get(KEY))
    if not isinstance(found, list) or len(found) != 4:
        return None
    values = [float(each) for each in found]
    return values if values[0] in tuple(PinKind) and np.isfinite(values).all() else None
