"""Component seeding: new floaters for components of the surface that have none.

The paper wants to start "from a few seed points (ideally, only one per connected component)" (Witkin and
Heckbert 1994, section 4), and leaves open how components are found. Here F and F_x are evaluated at the
points of a uniform grid over the surface's box. Where |F| / |F_x| is about a cell, the surface is near. A
point of it that is close to a floater whose normal looks the same way is claimed by this floater, and mostly
that is all there is to do. Of the others, some walk over the surface to the nearest floater (`connectivity`);
those that do not arrive belong to a component without floaters, and one of each cluster becomes a seed.

While the surface changes, or floaters still grow over it, half of the grid is evaluated in every twelfth
step, each half spread over the box: what is new is found within 24 steps, at a small part of a step's cost.
After that there is nothing to look for. Cells are about as large as a floater's share of the area, as far as
that is affordable. What is smaller than a cell may be overlooked, unless the function knows a seed in it
(`small_component_seeding`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats
from ...errors import SamplingError
from ...vectors import dot, length
from ..functions.base import ImplicitFunction
from ..neighbours import near_pairs, nearest
from .attachment import attached_to_surface
from .connectivity import reachable_over_surface
from .floaters import Floaters, FloaterSettings
from .small_component_seeding import seeds_on_small_components

_EVERY = 12  # steps between two evaluations of a part of the grid
_PARTS = 2  # parts of the grid, evaluated in turn
_MARGIN = 0.05  # share of the box by which it is grown, for what grows out of it meanwhile
_CELL = 1.25  # desired radii: the size of a cell
_FEWEST, _MOST = 16.0, 48.0  # cells across the surface, whatever the desired radius
_NEAR = 1.0  # cells: |F| / |F_x| up to which the surface may pass through the cell
_CLAIM = 1.4  # desired radii within which a floater claims points: more than its share when all is settled
_BARE = 4.0  # radii: farther than what a floater is about to settle
_WALKERS = 48  # points that walk, of those that are near a floater but not claimed
_CLUSTER = 2.5  # cells: unclaimed points nearer to one another are of one component
_SETTLED = 1.2  # mean ratio of radii to the desired ones below which floaters no longer grow


class ComponentSeeding:
    """Looks for components without floaters, one part of the grid at a time.

    Attributes:
        diameter: d, the longest side of the surface's box, in scene units.
    """

    def __init__(self, settings: FloaterSettings) -> None:
        self.settings = settings
        self.diameter = 4.0 * settings.radius
        self._box = np.zeros((0, 3))
        self._function: ImplicitFunction | None = None
        self._parameters = np.zeros(0)
        self._clock = 0
        self._due = _PARTS

    def all(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with a seed on each component that has none, found on the whole grid."""
        self._changed(function)
        self._due = 0
        self.measure(function)
        return self._seeded(function, floaters, None)

    def filled(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with seeds if it is time to evaluate a part of the grid in this step."""
        if self._changed(function):
            self._due = _PARTS
        if not self._due:
            return floaters
        if not len(floaters):
            return self.all(function, floaters)
        self._clock += 1
        if self._clock % _EVERY:
            return floaters
        look = self._clock // _EVERY
        self.measure(function)
        if float(np.mean(floaters.radii / floaters.desired)) < _SETTLED:
            self._due -= 1
        return self._seeded(function, floaters, look % _PARTS)

    def measure(self, function: ImplicitFunction) -> None:
        """Measure the box that is searched; its longest side is the surface's diameter.

        Raises:
            SamplingError: for a surface that is infinite, if no bounds are set.
        """
        box = np.array(function.box(), dtype=np.float64)
        bounds = self.settings.bounds
        if bounds is not None:
            box = np.stack([np.maximum(box[0], bounds[0]), np.minimum(box[1], bounds[1])])
        if not np.all(box[0] <= box[1]):
            self._box = np.zeros((0, 3))
            return
        if not np.isfinite(box).all():
            raise SamplingError("surface", "it is infinite", "give bounds to sample it in")
        self.diameter = max(float((box[1] - box[0]).max()), 1e-3 * self.settings.radius)
        self._box = box + _MARGIN * self.diameter * np.array([[-1.0], [1.0]])

    def within_reach(self, function: ImplicitFunction, positions: Floats) -> Floats:
        """Return positions (r, 3), those far beyond the surface's box brought back to it.

        The box is that of the last measurement, unless a position is beyond it: then it is measured again.
        """
        if not self._is_beyond(positions):
            return positions
        self.measure(function)
        if not len(self._box):
            return positions
        return np.clip(positions, self._box[0] - self.settings.radius, self._box[1] + self.settings.radius)

    def _is_beyond(self, positions: Floats) -> bool:
        """Return whether any of positions (r, 3) is beyond the box by more than a desired radius."""
        if not len(self._box) or not len(positions):
            return False
        ends = np.stack([positions.min(axis=0) - self._box[0], self._box[1] - positions.max(axis=0)])
        return not ends.min() >= -self.settings.radius

    def _changed(self, function: ImplicitFunction) -> bool:
        """Return whether the function is another one than before, or has other parameters."""
        if function is self._function:
            return False
        before, self._function = self._function, function
        parameters, self._parameters = self._parameters, function.parameters
        return not (type(before) is type(function) and np.array_equal(parameters, self._parameters))

    def _seeded(self, function: ImplicitFunction, floaters: Floaters, part: int | None) -> Floaters:
        """Return the floaters with seeds found on one part of the grid, or on all of it for None."""
        if not len(self._box):
            return floaters
        across = np.clip(self.diameter / (_CELL * self.settings.radius), _FEWEST, _MOST)
        cell = float((self._box[1] - self._box[0]).max() / across)
        counts = np.ceil((self._box[1] - self._box[0]) / cell).astype(np.intp)
        grid = _grid(tuple(int(count) for count in counts), part)
        small = seeds_on_small_components(function, floaters, cell, self.settings.radius, thorough=not part)
        floaters = floaters.with_more(small)
        points_on = _surface_points(function, self._box[0] + cell * grid, cell, self.settings.radius)
        free = points_on.take(~_claimed(points_on, floaters))
        if not len(free):
            return floaters
        unreached = self._unreached(function, free, floaters, cell)
        return floaters.with_more(_one_each(unreached, _CLUSTER * cell)) if len(unreached) else floaters

    def _unreached(
        self, function: ImplicitFunction, free: Floaters, floaters: Floaters, cell: float
    ) -> Floaters:
        """Return the points, brought to the surface, that no floater can be reached from.

        Of points that are far from all floaters each one counts; of the others only some walk.

        Args:
            function: F.
            free: the points that no floater claims.
            floaters: the floaters.
            cell: the size of a cell, in scene units.
        """
        far = _far(free.positions, floaters)
        near = np.flatnonzero(~far)
        each = 1 + len(near) // _WALKERS
        walkers = near[self._clock // (_EVERY * _PARTS) % each :: each]
        chosen = free.take(np.concatenate([np.flatnonzero(far), walkers]))
        on = attached_to_surface(function, chosen.positions, np.full(len(chosen), cell), 2.0 * cell)
        points = Floaters(on.positions, chosen.radii, on.gradients, chosen.desired, chosen.ages)
        points = points.take(~on.lost)
        far = _far(points.positions, floaters)
        near = np.flatnonzero(~far)
        if len(near):
            _, who = nearest(points.positions[near], floaters.positions)
            far[near] = ~reachable_over_surface(function, points.take(near), floaters.positions[who])
        return points.take(far)


@lru_cache(maxsize=64)
def _grid(counts: tuple[int, int, int], part: int | None) -> Floats:
    """Return the centres (k, 3) of cells of size 1: all of them, or one part of two that is spread over them.

    Of part p are those with x + y + z = p, but for multiples of two.
    """
    every = 1 if part is None else _PARTS
    x, y, z = np.meshgrid(
        *[np.arange(count) for count in counts[:2]], np.arange(0, counts[2], every), indexing="ij"
    )
    if part is not None:
        z = z + (part - x - y) % _PARTS
    grid = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    grid = grid[grid[:, 2] < counts[2]] + 0.5
    grid.setflags(write=False)
    return grid


def _surface_points(function: ImplicitFunction, points: Floats, cell: float, radius: float) -> Floaters:
    """Return the points that the surface may be near, moved there to first order.

    In the middle of a component that is smaller than a cell F_x says nothing; a place beside it tells where
    the component ends.

    Args:
        function: F.
        points: the points of the grid (k, 3).
        cell: the size of a cell, in scene units.
        radius: the desired radius that they get, in scene units.
    """
    value, gradients = function.gradient(points)
    square = dot(gradients, gradients)
    near = (np.abs(value) <= _NEAR * cell * np.sqrt(square)) & (square > 0.0)
    seen = np.flatnonzero(near)
    points_on = points[seen] - (value[seen] / square[seen])[:, None] * gradients[seen]
    deep = np.flatnonzero((value < 0.0) & ~near)
    beside = points[deep] + 0.6 * cell
    outside = function.value(beside)
    out = np.flatnonzero(outside > 0.0)
    share = value[deep[out]] / (value[deep[out]] - outside[out])
    points_on = np.concatenate([points_on, points[deep[out]] + share[:, None] * 0.6 * cell])
    there = Floaters.at(points_on, radius)
    slopes = np.concatenate([gradients[seen], np.zeros((len(out), 3))])
    return Floaters(points_on, there.radii, slopes, there.desired, there.ages)


def _claimed(points: Floaters, floaters: Floaters) -> Bools:
    """Return which points (k,) are close to a floater whose normal looks the same way."""
    if not len(floaters) or not len(points):
        return np.zeros(len(points), dtype=bool)
    reach = _CLAIM * float(floaters.desired.max())
    apart, who = nearest(points.positions, floaters.positions, reach)
    close = np.flatnonzero(apart <= reach)
    looks = floaters.gradients[who[close]]
    alike = dot(looks, points.gradients[close]) > 0.0
    claimed = np.zeros(len(points), dtype=bool)
    claimed[close] = alike & (apart[close] <= _CLAIM * floaters.desired[who[close]])
    return claimed


def _far(places: Floats, floaters: Floaters) -> Bools:
    """Return which places (k,) are farther from all floaters than these are about to settle."""
    if not len(floaters):
        return np.ones(len(places), dtype=bool)
    apart, who = nearest(places, floaters.positions)
    return np.asarray(apart > _BARE * np.maximum(floaters.radii, floaters.desired)[who])


def _one_each(points: Floaters, apart: float) -> Floaters:
    """Return one point of each cluster, with a radius of about half the cluster's extent.

    Args:
        points: the points of all clusters.
        apart: the distance, in scene units, up to which points are of one cluster.
    """
    count = len(points)
    first, second = near_pairs(points.positions, np.full(count, apart))
    links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    _, label = connected_components(links, directed=False)
    chosen = np.unique(label, return_index=True)[1]
    way = points.positions - points.positions[chosen][label]
    extent = np.zeros(len(chosen))
    np.maximum.at(extent, label, length(way))
    seeds = points.take(chosen)
    radii = np.maximum(seeds.radii, 0.5 * extent)
    return Floaters(seeds.positions, radii, seeds.gradients, seeds.desired, seeds.ages)
