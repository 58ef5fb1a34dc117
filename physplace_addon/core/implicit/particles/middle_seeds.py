"""Seeds found from the middles of elements, for components that are too small for the boxes of a quick look.

Most small components lie about the middle of an element: a Gaussian is greatest there. From each middle that
is inside, six rays lead to the surface. Where a floater is near the end of one of them, and F < 0 all the way
between it and the middle, the component has a floater. Of those that have none the nearest end is the seed.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats
from ...vectors import length
from ..functions.base import ImplicitFunction
from ..neighbours import thinned_rows
from ..projection import surface_crossings

_WAYS = np.concatenate([np.eye(3), -np.eye(3)])
_LEAST, _GROWTH = 1e-3, 1.3  # desired radii: where F is taken first along a ray; factor from place to place
_NEAR = 1.5  # desired radii: a floater farther from the end of a ray does not cover it
_SEEN = 6  # nearest floaters of an end that may be on its component
_SHARES = np.arange(1.0, 16.0) / 16.0  # shares of the way to a floater at which F is taken
_APART = 0.5  # desired radii between seeds: nearer ones may be on one component


def seeds_about_middles(
    function: ImplicitFunction, positions: Floats, radius: float, diameter: float
) -> Floats:
    """Return places (c, 3) on the surface about middles of elements from which no floater is seen.

    Args:
        function: F.
        positions: of the floaters (r, 3), one at least.
        radius: the desired radius.
        diameter: of the surface, in scene units.
    """
    middles = function.middles
    middles = middles[function.value(middles) < 0.0]
    if not len(middles):
        return middles
    ends = _ends_of_rays(function, middles, radius, diameter)
    apart = length(ends - middles[:, None])
    known = np.isfinite(apart)
    rows = np.flatnonzero(known.any(axis=1))
    ends, middles, nearest = ends[rows], middles[rows], np.where(known, apart, np.inf)[rows].argmin(axis=1)
    bare = ~_see_floaters(function, middles, ends, positions, radius)
    seeds = ends[np.arange(len(rows)), nearest][bare]
    return np.asarray(seeds[thinned_rows(seeds, np.full(len(seeds), _APART * radius))])


def _ends_of_rays(function: ImplicitFunction, middles: Floats, radius: float, diameter: float) -> Floats:
    """Return where the six rays from middles (k, 3) meet the surface (k, 6, 3); NaN where they do not."""
    count = int(np.ceil(np.log(max(diameter / (_LEAST * radius), 2.0)) / np.log(_GROWTH))) + 1
    far = np.concatenate([[0.0], np.geomspace(_LEAST * radius, max(diameter, _LEAST * radius), count)])
    places = middles[:, None, None] + far[:, None] * _WAYS[:, None]
    outside = function.value(places.reshape(-1, 3)).reshape(places.shape[:3]) >= 0.0
    ends = np.full((len(middles), len(_WAYS), 3), np.nan)
    middle, way = np.nonzero(outside.any(axis=2))
    first = outside[middle, way].argmax(axis=1)
    inner, outer = places[middle, way, first - 1], places[middle, way, first]
    ends[middle, way] = surface_crossings(function, inner, outer)
    return ends


def _see_floaters(
    function: ImplicitFunction, middles: Floats, ends: Floats, positions: Floats, radius: float
) -> Bools:
    """Return from which middles (k, 3) a floater near the ends (k, 6, 3) of their rays is seen."""
    count = min(_SEEN, len(positions))
    row, way = np.nonzero(np.isfinite(ends[..., 0]))
    apart, who = (
        np.asarray(own).reshape(len(row), count) for own in cKDTree(positions).query(ends[row, way], count)
    )
    end, near = np.nonzero(apart <= _NEAR * radius)
    pairs = np.unique(np.stack([row[end], who[end, near]]), axis=1)
    starts, goals = middles[pairs[0]], positions[pairs[1]]
    places = starts[:, None] + _SHARES[:, None] * (goals - starts)[:, None]
    inside = (function.value(places.reshape(-1, 3)) < 0.0).reshape(len(starts), len(_SHARES))
    sees = np.zeros(len(middles), dtype=np.bool_)
    sees[pairs[0][inside.all(axis=1)]] = True
    return sees
