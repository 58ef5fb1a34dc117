# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks as layers of one colour and one primitive, in the order in which they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..core.arrays import Floats, Ints
from .colours import Colour, MarkColours, chosen_colours
from .marks import Marks
from .support import Support

_CROSS = 0.08  # half the length of the centre's cross, over R
_HEAD = 0.3  # length of an arrow's head over that of the arrow, and at most
_LARGEST_HEAD = 0.12  # this, over R
_WIDTH = 0.35  # half the width of an arrow's head, over its length
_SEEN = 1e-3  # length of an arrow over R below which it is not drawn


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


def layers_of(marks: Marks, colours: MarkColours | None = None) -> list[Layer]:
    """Return the layers of marks that are not empty, in drawing order; colours: those chosen if None."""
    chosen = chosen_colours() if colours is None else colours
    layers = [layer for support in marks.supports for layer in _support_layers(support, marks.radius, chosen)]
    ends = marks.contacts + marks.radius * marks.forces[:, None] * marks.normals
    arrows, sticks = np.stack([marks.contacts, ends], axis=1), marks.bilateral
    layers += [
        Layer(Primitive.LINES, marks.extremal.reshape(-1, 3), chosen.near, 1.0),
        *_contact_layers(marks.patches, chosen.contact),
        *arrow_layers(arrows[~sticks], marks.radius, chosen.force),
        *arrow_layers(arrows[sticks], marks.radius, chosen.sticking),
        Layer(Primitive.POINTS, marks.contacts[sticks], chosen.sticking, 8.0),
        Layer(Primitive.POINTS, marks.collisions, chosen.overlap, 10.0, in_front=True),
        *arrow_layers(marks.pulls, marks.radius, chosen.pull, in_front=True),
        Layer(Primitive.POINTS, marks.pulls[:, 0], chosen.pull, 6.0, in_front=True),
    ]
    return [layer for layer in layers if len(layer.vertices)]


def _contact_layers(patches: Sequence[Floats], colour: Colour) -> list[Layer]:
    """Return what touches as what it is: the thin outlines of faces, lines, and small points."""
    faces = [patch for patch in patches if len(patch) > 2]
    lines = [patch for patch in patches if len(patch) == 2]
    points = [patch for patch in patches if len(patch) == 1]
    return [
        Layer(Primitive.LINES, _joined([outline(face) for face in faces]), colour, 1.5),
        Layer(Primitive.LINES, _joined(lines), colour, 3.0),
        Layer(Primitive.POINTS, _joined(points), colour, 5.0),
    ]


def arrow_layers(arrows: Floats, radius: float, colour: Colour, *, in_front: bool = False) -> list[Layer]:
    """Return arrows as lines and as the triangles of their heads, which are pyramids.

    Args:
        arrows: (n, 2, 3), from where to where each goes. Those without any length are left out.
        radius: R, a length that their heads are measured by.
        colour: of all.
        in_front: whether they are seen through everything.
    """
    length = np.linalg.norm(arrows[:, 1] - arrows[:, 0], axis=1)
    seen = length > _SEEN * radius
    arrows, length = arrows[seen], length[seen]
    along = (arrows[:, 1] - arrows[:, 0]) / length[:, None]
    size = np.minimum(_HEAD * length, _LARGEST_HEAD * radius)[:, None]
    side = np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
    side /= np.linalg.norm(side, axis=1)[:, None]
    across = np.cross(along, side)
    base = arrows[:, 1] - size * along
    rim = [base + _WIDTH * size * offset for offset in (side, across, -side, -across)]
    sides = np.stack([[arrows[:, 1], rim[i], rim[(i + 1) % 4]] for i in range(4)])
    heads = sides.transpose(2, 0, 1, 3).reshape(-1, 3)
    return [
        Layer(Primitive.LINES, arrows.reshape(-1, 3), colour, 2.0, in_front=in_front),
        Layer(Primitive.TRIANGLES, heads, colour, 0.0, in_front=in_front),
    ]


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros((0, 3)), *parts])


def _support_layers(support: Support, radius: float, chosen: MarkColours) -> list[Layer]:
    colour = chosen.carries if support.carries else chosen.tips
    border = (*colour[:3], 1.0)
    corners = support.polygon
    return [
        Layer(Primitive.TRIANGLES, fan(corners), colour, 0.0),
        Layer(Primitive.LINES, outline(corners), border, 1.5 if support.carries else 4.0),
        Layer(
            Primitive.LINES,
            np.array([support.centre, support.projection]) if len(corners) else corners,
            border,
            1.5,
        ),
        Layer(Primitive.LINES, cross(support.centre, _CROSS * radius), chosen.centre, 2.0, in_front=True),
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
