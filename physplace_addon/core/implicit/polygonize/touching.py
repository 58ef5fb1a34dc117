"""Where a surface touches itself, so that no mesh is like it, found before the work of meshing begins.

Where two sheets touch, in a point, along a line or all over a side, no direction leads out of both: boxes
about such places stay undecided (`subdivision`), however small. About a point they are few, and soon smaller
than anything that a mesh could show. Along a line they are more, and some of them are halved on until they
are as small. Over a side F has one sign on both sides of it: it is a sheet without any thickness. So it is,
for a mesh, with slits that are hardly wider than its points may be apart, where boxes as many as the points
that it would need leave them undecided.

The converse does not hold. At a corner of three faces a direction leads out of all of them, and
`rising_directions` finds it however sharp their knives are. But at a corner of more faces, where some edges
stand out and others go in, there may be none, where nothing touches. There the surface is a disc, which parts
the shell of a cube about the place in one region inside and one outside. Two sheets that touch part it in
more. So do too few samples where the disc has a knife: what is thin falls to pieces on them, and is looked at
once more on many.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.ndimage import label

from ...arrays import Bools, Floats, Ints
from ...vectors import length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import distances_to_surface, projected
from ..surface_components.box_tree import HALVES
from ..surface_components.subdivision import BoxClass, ClassifiedBoxes, classes_of

_BESIDE = 1e-5  # sides of a box: how far beside the surface F is taken
_ARRIVED = 1e-7  # sides of a box: a place so near to the surface is on it
_BOXES = 2.0  # sides of undecided boxes that a slit between them is wide at most
_SHEET, _MANY = 0.1, 100  # share and number of undecided boxes in which a sheet without thickness is found
_MOST = 2000  # undecided boxes that are examined
_PLACES = 200  # small boxes about which the surface is examined
_ABOUT = 3.0  # sides of a box that half of the cube about it has
_STEPS = 9, 49  # samples along each side of it: few at first, and many where these show no disc


def touching_places(
    function: ImplicitFunction, boxes: ClassifiedBoxes, closest: float, thinnest: float
) -> Floats:
    """Return places (k, 3) about which the surface touches itself, or is as near to itself as that.

    Args:
        function: F.
        boxes: the boxes that space was cut into.
        closest: boxes no larger that are undecided still may be places, in scene units.
        thinnest: slits that are no wider, about larger boxes, count as sheets, in scene units.
    """
    open_ = np.flatnonzero(boxes.which(BoxClass.UNDECIDED))
    middles, sides = boxes.tree.middles[open_], boxes.tree.sides[open_]
    places, small = _smaller(function, middles, sides, closest)
    places = places[_is_no_disc(function, places, small)]
    if len(places) or not len(open_):
        return np.asarray(places)
    some = _some(np.arange(len(open_)), _MOST)
    thick = np.where(sides[some] > closest, np.minimum(_BOXES * sides[some], thinnest), 0.0)
    bare = _without_thickness(function, middles[some], sides[some], thick)
    return middles[some][bare] if bare.sum() > max(_SHEET * len(some), _MANY) else np.zeros((0, 3))


def _some(rows: Ints, most: int) -> Ints:
    """Return so many of some rows (k,) at most, from all over them."""
    return rows[:: max(-(-len(rows) // most), 1)]


def _smaller(
    function: ImplicitFunction, middles: Floats, sides: Floats, closest: float
) -> tuple[Floats, Floats]:
    """Return middles (m, 3) and sides (m,) of some undecided boxes no larger than `closest`, in others.

    Args:
        function: F.
        middles: the middles (k, 3) of undecided boxes.
        sides: their sides (k,), in scene units.
        closest: in scene units.
    """
    small = _some(np.flatnonzero(sides <= closest), _PLACES)
    if len(small):
        return middles[small], sides[small]
    while len(sides) and sides.max() > closest:
        some = _some(np.arange(len(sides)), _PLACES)
        sides = (0.5 * sides[some]).repeat(len(HALVES))
        ways = np.tile(HALVES - 0.5, (len(some), 1))
        middles = middles[some].repeat(len(HALVES), axis=0) + sides[:, None] * ways
        kind, _ = classes_of(function, middles - 0.5 * sides[:, None], sides)
        middles, sides = middles[kind == BoxClass.UNDECIDED], sides[kind == BoxClass.UNDECIDED]
    some = _some(np.arange(len(sides)), _PLACES)
    return middles[some], sides[some]


def _is_no_disc(function: ImplicitFunction, places: Floats, sides: Floats) -> Bools:
    """Return about which places (k, 3) the surface parts the shell of a cube in other than two regions."""
    no_disc = np.ones(len(places), dtype=np.bool_)
    for steps in _STEPS:
        for row in np.flatnonzero(no_disc):
            no_disc[row] = _parts_more(function, places[row], float(sides[row]), steps)
    return no_disc


def _parts_more(function: ImplicitFunction, place: Floats, side: float, steps: int) -> bool:
    """Return whether the surface parts the shell of a cube about a place (3,) in other than two regions."""
    grid, shell = _shell(steps)
    inside, regions = np.zeros(shell.shape, dtype=np.bool_), np.zeros(shell.shape, dtype=np.intp)
    inside[shell] = function.value(place + side * grid) < 0.0
    return any(label(own & shell, output=regions) != 1 for own in (inside, ~inside))


@cache
def _shell(steps: int) -> tuple[Floats, Bools]:
    """Return places (k, 3) of samples on the shell of a cube, in sides of its box, and which of all (n, n, n)
    in the cube they are.
    """
    along = np.linspace(-_ABOUT, _ABOUT, steps)
    grid = np.stack(np.meshgrid(along, along, along, indexing="ij"), axis=-1)
    shell: Bools = np.abs(grid).max(axis=-1) == _ABOUT
    return grid[shell], shell


def _without_thickness(function: ImplicitFunction, places: Floats, sides: Floats, thick: Floats) -> Bools:
    """Return near which places (k, 3) the surface has one sign of F on both sides, by boxes' sides (k,).

    There it also counts where it is one side of a slit no wider than some thickness (k,).
    """
    on = projected(function, places, float(sides.max()))
    value, gradient = function.gradient(on)
    normals = length_and_unit(gradient)[1]
    (one, other), (before, behind) = (
        [function.value(on + way * step[:, None] * normals) < 0.0 for way in (-1.0, 1.0)]
        for step in (_BESIDE * sides, thick)
    )
    there = (distances_to_surface(value, gradient) <= _ARRIVED * sides) & (
        np.abs(on - places).max(axis=1) <= sides
    )
    slit = before & behind & (thick > 0.0)
    return np.asarray(there & ((one == other) | slit))
