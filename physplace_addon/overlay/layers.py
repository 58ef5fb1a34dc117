# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks as layers of one colour and one primitive, in the order in which they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..core.arrays import Floats, Ints
from .marks import Marks
from .support import Support

Colour = tuple[float, float, float, float]

CONTACT: Colour = (1.0, 0.85, 0.1, 1.0)
BILATERAL: Colour = (0.25, 0.75, 1.0, 1.0)
EXTREMAL: Colour = (0.75, 0.85, 1.0, 0.35)
CENTRE: Colour = (0.95, 0.95, 0.95, 1.0)
CARRIES: Colour = (0.35, 0.85, 0.45, 0.25)
FALLS: Colour = (0.95, 0.2, 0.15, 0.3)
COLLISION: Colour = (1.0, 0.1, 0.05, 1.0)
PULL: Colour = (1.0, 0.5, 0.05, 1.0)

_CROSS = 0.08  # half the length of the centre's cross, over R


class Primitive(Enum):
    """What the vertices of a layer are joined to."""

    POINTS = "POINTS"
    LINES = "LINES"
    TRIANGLES = "TRIS"


@dataclass(frozen=True, eq=False)
class Layer:
    """Vertices of one primitive and one colour.

    Attributes:
        primitive: points, lines or triangles.
        vertices: (n, 3), in the world: points, ends of lines by twos or corners of triangles by threes.
        colour: red, green, blue and opacity, 0 to 1.
        size: of points, or the width of lines, in pixels.
        in_front: whether it is drawn at full opacity where a surface hides it.
        colours: (n, 4), of each vertex; such triangles are solid and hide what is behind them.
        indices: (t, 3), the corners of triangles, instead of by threes.
    """

    primitive: Primitive
    vertices: Floats
    colour: Colour
    size: float
    in_front: bool = False
    colours: Floats | None = None
    indices: Ints | None = None

    @property
    def is_solid(self) -> bool:
        """Whether it hides what is behind it."""
        return self.colours is not None


def layers_of(marks: Marks) -> list[Layer]:
    """Return the layers of marks that are not empty, in drawing order."""
    layers = [layer for support in marks.supports for layer in _support_layers(support, marks.radius)]
    ends = marks.contacts + marks.radius * marks.forces[:, None] * marks.normals
    lines, sticks = np.stack([marks.contacts, ends], axis=1), marks.bilateral
    layers += [
        Layer(Primitive.LINES, marks.extremal.reshape(-1, 3), EXTREMAL, 1.0),
        Layer(Primitive.LINES, lines[~sticks].reshape(-1, 3), CONTACT, 2.0),
        Layer(Primitive.LINES, lines[sticks].reshape(-1, 3), BILATERAL, 2.0),
        Layer(Primitive.POINTS, marks.contacts[~sticks], CONTACT, 8.0),
        Layer(Primitive.POINTS, marks.contacts[sticks], BILATERAL, 12.0),
        Layer(Primitive.POINTS, marks.collisions, COLLISION, 10.0, in_front=True),
        Layer(Primitive.LINES, marks.pulls.reshape(-1, 3), PULL, 2.0, in_front=True),
        Layer(Primitive.POINTS, marks.pulls[:, 0], PULL, 8.0, in_front=True),
    ]
    return [layer for layer in layers if len(layer.vertices)]


def _support_layers(support: Support, radius: float) -> list[Layer]:
    colour = CARRIES if support.carries else FALLS
    border = (*colour[:3], 1.0)
    corners = support.polygon
    return [
        Layer(Primitive.TRIANGLES, fan(corners), colour, 0.0),
        Layer(Primitive.LINES, outline(corners), border, 1.5),
        Layer(
            Primitive.LINES,
            np.array([support.centre, support.projection]) if len(corners) else corners,
            border,
            1.5,
        ),
        Layer(Primitive.LINES, cross(support.centre, _CROSS * radius), CENTRE, 2.0, in_front=True),
    ]


def fan(corners: Floats) -> Floats:
    """Return triangles (3 n, 3) that fill a convex polygon of n corners; none for a line or a point."""
    if len(corners) < 3:
        return np.zeros((0, 3))
    middle = np.broadcast_to(corners.mean(axis=0), corners.shape)
    return np.stack([middle, corners, np.roll(corners, -1, axis=0)], axis=1).reshape(-1, 3)


def outline(corners: Floats) -> Floats:
    """Return the sides (2 n, 3) of a polygon of n corners, two ends each."""
    if len(corners) < 2:
        return np.zeros((0, 3))
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1).reshape(-1, 3)


def cross(centre: Floats, half: float) -> Floats:
    """Return three lines (6, 3) through a point, along the axes."""
    arms = half * np.eye(3)
    return centre + np.stack([-arms, arms], axis=1).reshape(-1, 3)
