"""Whether one can get from place to place on an implicit surface, without leaving it.

Seeds on components of the surface that are small: a grid's points may all miss them.

Each holds the middle of an element, or a place that ranges tell, if the function knows some.  From one that
is inside, the surface is looked for along one ray; where it is near, the component is small, or thin there.
What a middle sees, by a straight way that is all inside, is in the same component: floaters, or other middles
that see some.  From a foot of the others one walks to the nearest floater; where that fails, too, a seed is
laid.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from ..neighbours import near_pairs, nearest
from .attachment import attached_to_surface
from .floaters import Floaters

_STRIDE = 0.7  # radii
_STRIDES = 32
_NEWTON = 3
_THERE = 0.3  # radii
_OFF = 0.5  # strides: who is farther off the surface, before Newton's last step, has lost it


def reachable_over_surface(function: ImplicitFunction, points: Floaters, goals: Floats) -> Bools:
    """Return which points (k,), walking straight on over the surface, come to their goals (k, 3)."""
    at, gradients = points.positions.copy(), points.gradients.copy()
    way = goals - at
    far = np.sqrt(np.einsum("ki,ki->k", way, way))
    stride = np.maximum(_STRIDE * points.desired, 2.0 * far / _STRIDES)
    there = far <= _THERE * points.desired
    lost = np.zeros(len(at), dtype=bool)
    for _ in range(_STRIDES):
        going = np.flatnonzero(~(there | lost))
        if not len(going):
            break
        way = goals[going] - at[going]
        normal = gradients[going]
        square = np.maximum(np.einsum("ki,ki->k", normal, normal), 1e-300)
        way -= (np.einsum("ki,ki->k", normal, way) / square)[:, None] * normal
        length = np.sqrt(np.einsum("ki,ki->k", way, way))
        place = at[going] + np.minimum(stride[going] / np.maximum(length, 1e-300), 1.0)[:, None] * way
        at[going], gradients[going], off = _on_surface(function, place, stride[going])
        lost[going] = off > _OFF * stride[going]
        left = goals[going] - at[going]
        there[going] = np.sqrt(np.einsum("ki,ki->k", left, left)) <= _THERE * points.desired[going]
    return np.asarray(there & ~lost)


def _on_surface(
    function: ImplicitFunction, places: Floats, farthest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return places (k, 3) brought to the surface by Newton's steps of at most `farthest` (k,), F_x, and how
    far off (k,) they were before the last one.
    """
    for _ in range(_NEWTON):
        value, gradients = function.gradient(places)
        slope = np.sqrt(np.einsum("ki,ki->k", gradients, gradients))
        off = np.clip(value / np.maximum(slope, 1e-300), -farthest, farthest)
        places = places - (off / np.maximum(slope, 1e-300))[:, None] * gradients
    return places, gradients, np.abs(off)


_WAYS_OUT = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])  # cells
_OUT = np.array([0.48, 0.6, 0.64])
_HALVINGS = 16
_SEEN = 4  # floaters, the nearest ones, that a middle looks at
_ALONG = np.array([0.2, 0.4, 0.6, 0.8])  # of a way: where it is looked at
_TOGETHER = 3.0  # cells between middles that look at each other


def seeds_on_small_components(
    function: ImplicitFunction, floaters: Floaters, cell: float, radius: float, thorough: bool
) -> Floaters:
    """Return a floater of a radius for each component not much larger than a cell, that has none.

    thorough: whether pieces are looked for that no element tells, which takes longer.
    """
    known = function.middles()
    known = np.concatenate([known, function.pieces()]) if thorough else known
    middles, ends = _rays_out(function, known, cell)
    alone = ~_see_floaters(function, middles, floaters)
    if not alone.any():
        return Floaters.at(np.zeros((0, 3)), radius)
    group = _groups(function, middles, alone, _TOGETHER * cell)
    served = np.unique(group[~alone])
    first = np.unique(group, return_index=True)[1]
    first = first[~np.isin(group[first], served)]
    feet = Floaters.at(_crossings(function, middles[first], ends[first]), radius)
    on = attached_to_surface(function, feet.positions, feet.radii, cell)
    feet = Floaters(on.positions, feet.radii, on.gradients, feet.desired, feet.ages).only(~on.lost)
    if not len(floaters) or not len(feet):
        return feet
    return feet.only(
        ~reachable_over_surface(
            function, feet, floaters.positions[nearest(feet.positions, floaters.positions)[1]]
        )
    )


def _rays_out(function: ImplicitFunction, middles: Floats, cell: float) -> tuple[Floats, Floats]:
    """Return the middles (k, 3) that are inside of what is small, and a place (k, 3) outside near each."""
    middles = middles[function.value(middles) < 0.0]
    ways = (cell * _WAYS_OUT)[:, None] * _OUT
    out = function.value((middles[:, None] + ways).reshape(-1, 3)).reshape(-1, len(ways)) > 0.0
    small = np.flatnonzero(out.any(axis=1))
    return middles[small], middles[small] + ways[np.argmax(out[small], axis=1)]


def _crossings(function: ImplicitFunction, inner: Floats, outer: Floats) -> Floats:
    """Return where the surface is (k, 3) between places inside and outside (k, 3)."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        inside = (function.value(middle) < 0.0)[:, None]
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return inner


def _see(function: ImplicitFunction, starts: Floats, ends: Floats) -> Bools:
    """Return whether the straight ways between places (k, 3) are inside, as far as they are looked at."""
    places = starts[:, None] + _ALONG[:, None] * (ends - starts)[:, None]
    values = function.value(places.reshape(-1, 3)).reshape(-1, len(_ALONG))
    return np.asarray((values < 0.0).all(axis=1))


def _see_floaters(function: ImplicitFunction, middles: Floats, floaters: Floaters) -> Bools:
    """Return which middles (k, 3) see any of the floaters that are nearest to them."""
    count = min(_SEEN, len(floaters))
    if not count or not len(middles):
        return np.zeros(len(middles), dtype=bool)
    _, who = cKDTree(floaters.positions).query(middles, count)
    goals = floaters.positions[who.reshape(-1)]
    return np.asarray(_see(function, np.repeat(middles, count, axis=0), goals).reshape(-1, count).any(axis=1))


def _groups(function: ImplicitFunction, middles: Floats, alone: Bools, reach: float) -> Ints:
    """Return the group (k,) of each middle (k, 3): those that see each other, if one of two is alone."""
    count = len(middles)
    first, second = near_pairs(middles, np.full(count, reach))
    asked = alone[first] | alone[second]
    first, second = first[asked], second[asked]
    see = _see(function, middles[first], middles[second])
    links = coo_array((np.ones(int(see.sum())), (first[see], second[see])), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1])
