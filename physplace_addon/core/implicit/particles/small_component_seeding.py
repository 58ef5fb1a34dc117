"""Component seeding where components are small: the points of a grid may all miss these.

Each small component holds a seed that the function knows: the centre of an element, or a place that ranges of
F tell (`element_seeds`, `range_seeds`). From a seed that is inside, F < 0, the surface is looked for along
one ray; where it is near, the component is small, or thin there. A seed that a floater is joined to by a
straight line inside, directly or through other seeds, is in a component that has floaters. From the others a
point on the surface walks to the nearest floater; only where that fails, too, is a new floater placed.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from ..neighbours import near_pairs, nearest
from ..projection import surface_crossings
from .attachment import attached_to_surface
from .connectivity import joined_inside, reachable_over_surface
from .floaters import Floaters

# distances along the ray at which F is evaluated, in cells of the seeding grid
_WAYS_OUT = np.array([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
# the ray's direction: of length 1, along no axis and in no plane of symmetry
_OUT = np.array([0.48, 0.6, 0.64])
_SEEN = 4  # floaters, the nearest ones, to which a seed's straight lines are evaluated
_TOGETHER = 3.0  # cells: seeds nearer to each other than this are tested for a straight line between them


def seeds_on_small_components(
    function: ImplicitFunction, floaters: Floaters, cell: float, radius: float, thorough: bool
) -> Floaters:
    """Return a floater for each component not much larger than a cell that has no floater yet.

    Args:
        function: F.
        floaters: those that there are.
        cell: the size of a cell of the seeding grid, in scene units.
        radius: the radius of new floaters, in scene units.
        thorough: whether components are looked for that no element tells, which takes longer.
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
    points_on = Floaters.at(surface_crossings(function, middles[first], ends[first]), radius)
    on = attached_to_surface(function, points_on.positions, points_on.radii, cell)
    points_on = Floaters(on.positions, points_on.radii, on.gradients, points_on.desired, points_on.ages).take(
        ~on.lost
    )
    if not len(floaters) or not len(points_on):
        return points_on
    return points_on.take(
        ~reachable_over_surface(
            function, points_on, floaters.positions[nearest(points_on.positions, floaters.positions)[1]]
        )
    )


def _rays_out(function: ImplicitFunction, middles: Floats, cell: float) -> tuple[Floats, Floats]:
    """Return the seeds (k, 3) that are inside of what is small, and a place (k, 3) outside near each."""
    middles = middles[function.value(middles) < 0.0]
    ways = (cell * _WAYS_OUT)[:, None] * _OUT
    out = function.value((middles[:, None] + ways).reshape(-1, 3)).reshape(-1, len(ways)) > 0.0
    small = np.flatnonzero(out.any(axis=1))
    return middles[small], middles[small] + ways[np.argmax(out[small], axis=1)]


def _see_floaters(function: ImplicitFunction, middles: Floats, floaters: Floaters) -> Bools:
    """Return which seeds (k,) are joined inside to any of the floaters that are nearest to them."""
    count = min(_SEEN, len(floaters))
    if not count or not len(middles):
        return np.zeros(len(middles), dtype=bool)
    _, who = cKDTree(floaters.positions).query(middles, count)
    goals = floaters.positions[who.reshape(-1)]
    return np.asarray(
        joined_inside(function, np.repeat(middles, count, axis=0), goals).reshape(-1, count).any(axis=1)
    )


def _groups(function: ImplicitFunction, middles: Floats, alone: Bools, reach: float) -> Ints:
    """Return the group (k,) of each seed (k, 3): those joined inside to each other, if one of two is alone.

    Args:
        function: F.
        middles: the seeds (k, 3).
        alone: which are joined to no floater (k,).
        reach: the longest line that is evaluated, in scene units.
    """
    count = len(middles)
    first, second = near_pairs(middles, np.full(count, reach))
    asked = alone[first] | alone[second]
    first, second = first[asked], second[asked]
    see = joined_inside(function, middles[first], middles[second])
    links = coo_array((np.ones(int(see.sum())), (first[see], second[see])), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1])
