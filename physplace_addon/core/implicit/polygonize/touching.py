"""Where a surface touches itself, so that no mesh is like it, found before the work of meshing begins.

Where two sheets touch, in a point, along a line or all over a side, no direction leads out of both: boxes
about such places stay undecided (`subdivision`), however small. About a point they are few, and soon smaller
than anything that a mesh could show. Over a side they are too many to become small, but F has one sign on
both sides of it: it is a sheet without any thickness.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...vectors import length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import distances_to_surface, projected
from ..surface_components.subdivision import BoxClass, ClassifiedBoxes

_BESIDE = 1e-5  # sides of a box: how far beside the surface F is taken
_ARRIVED = 1e-7  # sides of a box: a place so near to the surface is on it
_SHEET = 0.1  # share of undecided boxes in which a sheet without thickness is found
_MOST = 2000  # undecided boxes that are examined


def touching_places(function: ImplicitFunction, boxes: ClassifiedBoxes, closest: float) -> Floats:
    """Return places (k, 3) about which the surface touches itself, or is as near to itself as that.

    Args:
        function: F.
        boxes: the boxes that space was cut into.
        closest: boxes that are still undecided and no larger count as places, in scene units.
    """
    open_ = np.flatnonzero(boxes.which(BoxClass.UNDECIDED))
    middles, sides = boxes.tree.middles[open_], boxes.tree.sides[open_]
    small = sides <= closest
    if small.any() or not len(open_):
        return np.asarray(middles[small])
    some = slice(None, None, max(len(open_) // _MOST, 1))
    bare = _without_thickness(function, middles[some], sides[some])
    return middles[some][bare] if bare.mean() > _SHEET else np.zeros((0, 3))


def _without_thickness(function: ImplicitFunction, places: Floats, sides: Floats) -> Bools:
    """Return near which places (k, 3) the surface has one sign of F on both sides, by boxes' sides (k,)."""
    on = projected(function, places, float(sides.max()))
    value, gradient = function.gradient(on)
    step = (_BESIDE * sides)[:, None] * length_and_unit(gradient)[1]
    one, other = (function.value(on + way * step) < 0.0 for way in (-1.0, 1.0))
    there = (distances_to_surface(value, gradient) <= _ARRIVED * sides) & (
        np.abs(on - places).max(axis=1) <= sides
    )
    return np.asarray(there & (one == other))
