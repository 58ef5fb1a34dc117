# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact regions as layers, coloured by their dimension: nothing here draws or searches for contact.

Each dimension has a form of its own: dots, bars, filled polygons. Their colours differ in lightness as well
as in hue, so they are told apart without red and green, and in grey. Penetrations are red crosses in front of
everything. A region that is chosen has white borders in front of everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from ..core.contact.system import ContactRegions
from .colours import Colour, chosen_colours
from .layers import Layer, Primitive, cross, fan, outline

COLOURS: tuple[Colour, Colour, Colour] = (  # of points, lines and faces
    (1.0, 0.85, 0.1, 1.0),
    (0.25, 0.75, 1.0, 1.0),
    (0.5, 0.15, 0.8, 1.0),
)
CHOSEN: Colour = (1.0, 1.0, 1.0, 1.0)

_FILLING = 0.45  # opacity of the inside of a face
_NORMAL = 0.3  # drawn length of a normal, over the size of the bodies
_CROSS = 0.12  # half the length of a penetration's cross, over the size of the bodies
_DOTS = (12.0, 7.0, 6.0)  # pixels: sizes of a point, and of the corners of lines and faces


@dataclass(frozen=True, eq=False)
class RegionMarks:
    """The contact of two bodies as it is drawn, in the world.

    Attributes:
        regions: the regions of contact.
        penetrations: (c, 3), places where the bodies overlap.
        size: the length that normals and crosses are drawn by, in scene units.
    """

    regions: ContactRegions
    penetrations: Floats
    size: float


def region_layers(pairs: Sequence[RegionMarks], chosen: int | None = None) -> list[Layer]:
    """Return the layers that are not empty, in drawing order.

    Args:
        pairs: what is drawn of each pair of bodies.
        chosen: the number of the region that is picked out, counted through all pairs; None for none.
    """
    shapes = [shape for marks in pairs for shape in _shapes(marks)]
    layers = [layer for dimension in (2, 1, 0) for layer in _of_dimension(shapes, dimension)]
    crosses = [cross(place, _CROSS * marks.size) for marks in pairs for place in marks.penetrations]
    layers.append(Layer(Primitive.LINES, _joined(crosses), chosen_colours().overlap, 3.0, in_front=True))
    if chosen is not None and 0 <= chosen < len(shapes):
        layers += _picked_out(shapes[chosen])
    return [layer for layer in layers if len(layer.vertices)]


@dataclass(frozen=True, eq=False)
class _Shape:
    """One region: its dimension, points (n, 3), and normal as two ends (2, 3)."""

    dimension: int
    points: Floats
    normal: Floats


def _shapes(marks: RegionMarks) -> Iterable[_Shape]:
    regions = marks.regions
    for number, dimension in enumerate(regions.dimension.tolist()):
        points = regions.points_of(number).point2
        middle = points.mean(axis=0)
        tip = middle + _NORMAL * marks.size * regions.normal[number]
        yield _Shape(dimension, points, np.stack([middle, tip]))


def _of_dimension(shapes: Sequence[_Shape], dimension: int) -> list[Layer]:
    own = [shape for shape in shapes if shape.dimension == dimension]
    colour = COLOURS[dimension]
    filling = (*colour[:3], _FILLING)
    return [
        Layer(Primitive.TRIANGLES, _joined(fan(shape.points) for shape in own), filling, 0.0),
        Layer(Primitive.LINES, _joined(outline(shape.points) for shape in own), colour, 4.0),
        Layer(Primitive.LINES, _joined(shape.normal for shape in own), colour, 1.5),
        Layer(
            Primitive.POINTS,
            _joined(shape.points for shape in own),
            colour,
            _DOTS[dimension],
            in_front=dimension == 0,  # a lone dot is easily lost behind an edge
        ),
    ]


def _picked_out(shape: _Shape) -> list[Layer]:
    return [
        Layer(Primitive.LINES, outline(shape.points), CHOSEN, 3.0, in_front=True),
        Layer(Primitive.LINES, shape.normal, CHOSEN, 2.0, in_front=True),
        Layer(Primitive.POINTS, shape.points, CHOSEN, _DOTS[shape.dimension], in_front=True),
    ]


def _joined(parts: Iterable[Floats]) -> Floats:
    return np.concatenate([np.zeros((0, 3)), *parts])
