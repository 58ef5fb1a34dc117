"""Coverage: places of a surface that no floater is near, found from the floaters beside them.

An even sampling of density n sigma^2 / area = .35 leaves circles of 1.05 sigma between floaters. A place is
bare if no floater is within `BARE` radii that looks the same way as the surface there; where the surface
turns away within a radius, as about a wire, it does not matter how it looks. Beside a bare patch there is a
floater without neighbours on one side: only from such floaters places are tried, around them. If no
component is without floaters, and none of these places is bare, the surface is covered.

Bare patches are filled by an advancing front: each bare place becomes a floater, and places around the new
ones are tried in turn. What no front comes to, as a new part or one behind a narrow neck, is shown by cells
of space that the surface may be in (`filled_cells`).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats
from ...vectors import cross, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..neighbours import thinned_rows
from ..occupied_cells import occupied_cells
from ..projection import distances_to_surface, projected
from ..sizing_field import desired_repulsion_radii, greatest_curvature
from .attachment import attached_to_surface
from .floaters import Floaters, FloaterSettings

BARE = 1.5  # desired radii: a place farther than this from all floaters is bare
_TRIED = 1.65  # desired radii: how far from a floater places are tried
_NEIGHBOURS = 12  # nearest floaters that may close a gap
_BESIDE = 3.2  # desired radii: floaters so near are neighbours
_GAP = 2.0  # radians between neighbours: a wider gap may have a bare patch behind it
_AROUND = 8  # places tried around a floater
_TURNED = 0.5  # radians by which the surface turns within a radius where it does not matter how floaters look
_APART = 1.5  # desired radii between the floaters of a front
_STEPS = 2  # Newton steps that tell where the surface bends away
_MORE_STEPS, _EXACT = 4, 1e-7  # Newton steps; share of its reach that a place may be off after them
_ROUNDS = 400  # most rounds of a front
_MOST_CELLS = 8_000  # in which is looked at once for what is bare
_SEEN = 6  # nearest floaters of which one may cover a place


def filled_patches(
    function: ImplicitFunction, floaters: Floaters, settings: FloaterSettings, beside: Floaters | None = None
) -> Floaters:
    """Return the floaters, followed by new ones on all bare patches; the same if there are none.

    Args:
        function: F.
        floaters: all floaters.
        settings: of the floaters.
        beside: those of them beside which patches are looked for; all, unless given.
    """
    front = floaters if beside is None else beside
    for _ in range(_ROUNDS):
        if not len(front) or len(floaters) >= settings.most:
            break
        front = _bare_around(function, front, floaters, settings)
        front = front.take(np.arange(len(front)) < settings.most - len(floaters))
        floaters = floaters.with_more(front) if len(front) else floaters
    return floaters


def _bare_around(
    function: ImplicitFunction, some: Floaters, floaters: Floaters, settings: FloaterSettings
) -> Floaters:
    """Return new floaters on bare places around some of the floaters."""
    tree = cKDTree(floaters.positions)
    some = some.take(_has_gap(some, floaters, tree))
    places, reach = _places_around(some), np.repeat(some.desired, _AROUND)
    starts = np.repeat(some.positions, _AROUND, axis=0)
    far = np.asarray(tree.query(places)[0]) > 0.5 * reach
    places, starts, reach = places[far], starts[far], reach[far]
    places = _farther(function, places, starts, reach)
    return _bare_beside(function, places, reach, floaters, tree, settings)


def filled_cells(
    function: ImplicitFunction, floaters: Floaters, settings: FloaterSettings, box: Floats
) -> Floaters:
    """Return the floaters, followed by new ones in those cells of space where the surface is bare.

    The cells are as large as a floater, or larger where that would be too many. What is smaller than they are
    may be overlooked.

    Args:
        function: F.
        floaters: all floaters.
        settings: of the floaters.
        box: that holds the surface (2, 3).
    """
    low, size = occupied_cells(function, box, settings.radius, _MOST_CELLS)
    reach = np.full(len(low), size)
    tree = cKDTree(floaters.positions)
    more = _bare_beside(function, low + 0.5 * size, reach, floaters, tree, settings)
    more = more.take(np.arange(len(more)) < settings.most - len(floaters))
    return floaters.with_more(more) if len(more) else floaters


def _bare_beside(
    function: ImplicitFunction,
    places: Floats,
    reach: Floats,
    floaters: Floaters,
    tree: cKDTree,
    settings: FloaterSettings,
) -> Floaters:
    """Return new floaters where the surface is bare near places (k, 3), each within a reach (k,)."""
    if not len(places):
        return Floaters.at(np.zeros((0, 3)), settings.radius)
    on = attached_to_surface(function, places, reach, float(reach.max()))
    at, exactly = projected_exactly(function, on.positions, reach)
    kept = ~on.lost & exactly & (np.abs(at - places).max(axis=1) <= 2.0 * reach)
    if settings.bounds is not None:
        kept &= ((on.positions >= settings.bounds[0]) & (on.positions <= settings.bounds[1])).all(axis=1)
    desired = desired_repulsion_radii(function, at, settings)
    ages = np.zeros(len(desired), dtype=np.intp)
    found = Floaters(np.asfortranarray(at), desired, on.gradients, desired, ages).take(kept)
    found = found.take(~_covered(function, found, floaters, tree))
    return found.take(thinned_rows(found.positions, _APART * found.desired))


def _farther(function: ImplicitFunction, places: Floats, starts: Floats, reach: Floats) -> Floats:
    """Return places (k, 3), those moved on along the surface that it takes back to where they started.

    About the end of a wire the surface bends away: a place in the tangent plane is nearer to the floater once
    it is on the surface, and is covered by it. Half as far again it may be bare.

    Args:
        function: F.
        places: in the tangent planes of floaters (k, 3).
        starts: where these are (k, 3).
        reach: their desired radii (k,).
    """
    at = projected(function, places, float(reach.max(initial=0.0)), _STEPS)
    way = at - starts
    back = np.flatnonzero(length(way) <= BARE * reach)
    if not len(back):
        return places
    normals = length_and_unit(function.gradient(at[back])[1])[1]
    way = way[back] - dot(way[back], normals)[:, None] * normals
    onward = at[back] + (0.5 * _TRIED * reach[back])[:, None] * length_and_unit(way)[1]
    result = places.copy()
    result[back] = onward
    return result


def projected_exactly(function: ImplicitFunction, places: Floats, reach: Floats) -> tuple[Floats, Bools]:
    """Return places (k, 3) near the surface after more Newton steps, and which (k,) have come to it.

    Beyond the rim of what is as thin as paper a single step says that the surface is near.

    Args:
        function: F.
        places: where they start (k, 3).
        reach: the lengths (k,) relative to which they are to be on the surface.
    """
    places = projected(function, places, float(reach.max(initial=0.0)), _MORE_STEPS)
    off = distances_to_surface(*function.gradient(places))
    return places, np.asarray(off <= _EXACT * reach)


def _places_around(floaters: Floaters) -> Floats:
    """Return places (_AROUND k, 3) around floaters, in their tangent planes."""
    first, second = _tangents(floaters.normals)
    angle = 2.0 * np.pi * np.arange(_AROUND)[:, None] / _AROUND
    ways = np.cos(angle) * first[:, None] + np.sin(angle) * second[:, None]
    places: Floats = floaters.positions[:, None] + _TRIED * floaters.desired[:, None, None] * ways
    return places.reshape(-1, 3)


def _tangents(normals: Floats) -> tuple[Floats, Floats]:
    """Return two unit vectors (k, 3), (k, 3) at right angles to each other and to unit normals (k, 3)."""
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = length_and_unit(cross(axis, normals))[1]
    return first, cross(normals, first)


def _has_gap(some: Floaters, floaters: Floaters, tree: cKDTree) -> Bools:
    """Return which of some floaters (k,) have no neighbours on one side."""
    count = min(_NEIGHBOURS, len(floaters) - 1)
    if count < 3:
        return np.ones(len(some), dtype=np.bool_)
    apart, who = (np.asarray(own)[:, 1:] for own in tree.query(some.positions, count + 1))
    way = floaters.positions[who] - some.positions[:, None]
    normals = some.normals
    first, second = _tangents(normals)
    angle = np.arctan2(np.einsum("kci,ki->kc", way, second), np.einsum("kci,ki->kc", way, first))
    alike = np.einsum("kci,ki->kc", floaters.gradients[who], normals) > 0.0
    beside = alike & (apart <= _BESIDE * some.desired[:, None])
    angle = np.sort(np.where(beside, angle, np.inf), axis=1)
    known = np.isfinite(angle)
    closed = np.where(known, angle, angle[:, :1] + 2.0 * np.pi)
    closed = np.where(np.isfinite(closed), closed, 0.0)  # those without any neighbour
    gaps = np.diff(np.concatenate([closed, closed[:, :1] + 2.0 * np.pi], axis=1), axis=1)
    return np.asarray((known.sum(axis=1) < 3) | (gaps.max(axis=1) > _GAP))


def _covered(function: ImplicitFunction, places: Floaters, floaters: Floaters, tree: cKDTree) -> Bools:
    """Return which places (k,) have a floater near that looks as the surface does there."""
    if not len(places):
        return np.zeros(0, dtype=np.bool_)
    count = min(_SEEN, len(floaters))
    apart, who = (np.asarray(own).reshape(len(places), count) for own in tree.query(places.positions, count))
    near = apart <= BARE * places.desired[:, None]
    alike = np.einsum("kci,ki->kc", floaters.gradients[who], places.gradients) > 0.0
    covered = (near & alike).any(axis=1)
    doubtful = np.flatnonzero(near.any(axis=1) & ~covered)
    if len(doubtful):
        bend = greatest_curvature(function, places.positions[doubtful])
        covered[doubtful] = bend * places.desired[doubtful] > _TURNED
    return np.asarray(covered)
