# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of a linkage that is posed: its joints, its pins, what is grabbed and where that is to go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from .colours import Colour, chosen_colours
from .layers import Layer, Primitive, cross

JOINT: Colour = (0.55, 0.8, 1.0, 0.9)
PIN: Colour = (0.90, 0.62, 0.0, 1.0)  # orange, which nobody takes for a pull or a contact
_CROSS = 0.02  # half the length of a pinned part's cross, over the linkage's size


@dataclass(frozen=True, eq=False)
class LinkageMarks:
    """Points of a linkage in the world.

    Attributes:
        joints: (j, 3), where joints hold.
        pins: (p, 3), pinned points.
        pinned_parts: (q, 3), the pins that hold a whole part.
        grabbed: (g, 2, 3), from the points that are grabbed to where they are to go.
        contacts: (c, 3), where parts touch something.
        size: of the linkage, a length.
    """

    joints: Floats
    pins: Floats
    pinned_parts: Floats
    grabbed: Floats
    contacts: Floats
    size: float


def linkage_layers(marks: LinkageMarks) -> list[Layer]:
    """Return the layers of marks that are not empty, in drawing order."""
    chosen = chosen_colours()
    crosses = [cross(place, _CROSS * marks.size) for place in marks.pinned_parts]
    layers = [
        Layer(Primitive.POINTS, marks.joints, JOINT, 6.0, in_front=True),
        Layer(Primitive.POINTS, marks.contacts, chosen.contact, 5.0),
        Layer(Primitive.POINTS, marks.pins, PIN, 12.0, in_front=True),
        Layer(Primitive.POINTS, marks.pinned_parts, PIN, 12.0, in_front=True),
        Layer(Primitive.LINES, np.array(crosses).reshape(-1, 3), PIN, 3.0, in_front=True),
        Layer(Primitive.LINES, marks.grabbed.reshape(-1, 3), chosen.pull, 2.0, in_front=True),
        Layer(Primitive.POINTS, marks.grabbed[:, 0], chosen.pull, 9.0, in_front=True),
    ]
    return [layer for layer in layers if len(layer.vertices)]
