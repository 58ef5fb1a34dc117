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
from ..projection import crossings
from .attachment import attached_to_surface
from .connectivity import joined_inside, reachable_over_surface
from .floaters import Floaters

_WAYS_OUT = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])  # cells
_OUT = np.array([0.48, 0.6, 0.64])
_SEEN = 4  # floaters, the nearest ones, that a middle looks at
_TOGETHER = 3.0  # cells between middles that look at each other


def seeds_on_small_components(
    function: ImplicitFunction, floaters: Floaters, cell: float, radius: float, thorough: bool
) -> Floaters:
    """Return a floater of a radius for each component not much larger than a cell, that has none.

    thorough: whether pieces are looked for that no element tells, which takes longer.
    """
    known = function.element_seeds()
    known = np.concatenate([known, function.range_seeds()]) if thorough else known
    middles, ends = _rays_out(function, known, cell)
    alone = ~_see_floaters(function, middles, floaters)
    if not alone.any():
        return Floaters.at(np.zeros((0, 3)), radius)
    group = _groups(function, middles, alone, _TOGETHER * cell)
    served = np.unique(group[~alone])
    first = np.unique(group, return_index=True)[1]
    first = first[~np.isin(group[first], served)]
    feet = Floaters.at(crossings(function, middles[first], ends[first]), radius)
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


def _see_floaters(function: ImplicitFunction, middles: Floats, floaters: Floaters) -> Bools:
    """Return which middles (k, 3) see any of the floaters that are nearest to them."""
    count = min(_SEEN, len(floaters))
    if not count or not len(middles):
        return np.zeros(len(middles), dtype=bool)
    _, who = cKDTree(floaters.positions).query(middles, count)
    goals = floaters.positions[who.reshape(-1)]
    return np.asarray(
        joined_inside(function, np.repeat(middles, count, axis=0), goals).reshape(-1, count).any(axis=1)
    )


def _groups(function: ImplicitFunction, middles: Floats, alone: Bools, reach: float) -> Ints:
    """Return the group (k,) of each middle (k, 3): those that see each other, if one of two is alone."""
    count = len(middles)
    first, second = near_pairs(middles, np.full(count, reach))
    asked = alone[first] | alone[second]
    first, second = first[asked], second[asked]
    see = joined_inside(function, middles[first], middles[second])
    links = coo_array((np.ones(int(see.sum())), (first[see], second[see])), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1])
