"""New floaters for components of the surface that have none.

The surface's box is divided into 8 x 8 x 8 cells, and these in halves down to about a radius; those where F
cannot be zero, by its proven bounds, are left out on the way.  From each cell that is left a point is brought to
the surface.  It is claimed if a floater is near, looks its way and has no gap or wall in between; else, if one
can walk from it, on the surface, to the nearest floater.  Of points that are not claimed, one of each cluster
becomes a seed.

While the surface changes, an eighth of the cells is looked at in every third step, each eighth spread over the
box: what is new is found within 24 steps, at a small part of the step's cost.  Once the surface has been still
for so long, there is nothing to look for.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats
from ..errors import SamplingError
from .attachment import attached
from .floaters import Floaters, FloaterSettings
from .function import ImplicitFunction
from .neighbours import near_pairs
from .walking import arrives, clear_between

_EVERY = 3  # steps between two looks
_PARTS = 8
_CELLS = np.stack(np.meshgrid(*[np.arange(8.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_PART_OF = (_CELLS @ [1.0, 3.0, 5.0] % _PARTS).astype(np.intp)
_OCTANTS = np.stack(np.meshgrid(*[np.arange(2.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
_CELL = 1.8  # of the desired radius
_FINEST = 64.0  # cells across the surface, at most
_CLAIM = 1.6  # radii: more than the land that a floater has when all is settled
_CLUSTER = 2.5  # cells


class Seeding:
    """Looks for land without floaters, a part of it at a time."""

    def __init__(self, settings: FloaterSettings) -> None:
        self.settings = settings
        self.diameter = 4.0 * settings.radius
        self._function: ImplicitFunction | None = None
        self._parameters = np.zeros(0)
        self._clock = 0
        self._due = _PARTS
        self._part = 0

    def all(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters with a seed on each component without any, as far as the cells are fine."""
        self._changed(function)
        self._due = 0
        return self._looked(function, floaters, np.ones(len(_CELLS), dtype=bool))

    def filled(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters with seeds where it is due to look in this step."""
        if self._changed(function):
            self._due = _PARTS
        if self._due and not len(floaters):
            return self.all(function, floaters)
        self._clock += 1
        if not self._due or self._clock % _EVERY:
            return floaters
        self._due -= 1
        self._part = (self._part + 1) % _PARTS
        return self._looked(function, floaters, self._part == _PART_OF)

    def measure(self, function: ImplicitFunction) -> Floats:
        """Return the box (2, 3) to sample in, and keep its greatest side as the surface's diameter.

        Raises SamplingError for a surface that is infinite, with no bounds set.
        """
        box = np.array(function.box(), dtype=np.float64)
        bounds = self.settings.bounds
        if bounds is not None:
            box = np.stack([np.maximum(box[0], bounds[0]), np.minimum(box[1], bounds[1])])
        if not np.all(box[0] <= box[1]):
            return np.zeros((0, 3))
        if not np.isfinite(box).all():
            raise SamplingError("surface", "it is infinite", "give bounds to sample it in")
        self.diameter = max(float((box[1] - box[0]).max()), 1e-3 * self.settings.radius)
        return box

    def _changed(self, function: ImplicitFunction) -> bool:
        """Return whether this is another surface than before."""
        if function is self._function:
            return False
        before, self._function = self._function, function
        parameters, self._parameters = self._parameters, function.parameters
        same = type(before) is type(function) and np.array_equal(parameters, self._parameters)
        return not same

    def _looked(self, function: ImplicitFunction, floaters: Floaters, cells: Bools) -> Floaters:
        box = self.measure(function)
        if not len(box):
            return floaters
        size = max(_CELL * self.settings.radius, self.diameter / _FINEST)
        centres, half = surface_cells(function, box, cells, size)
        if not len(centres):
            return floaters
        on = attached(function, centres, np.full(len(centres), half), 2.0 * half)
        here = Floaters.at(on.positions[~on.lost], self.settings.radius)
        points = Floaters(here.positions, here.radii, on.gradients[~on.lost], here.desired, here.ages)
        free = points.only(~claimed(function, points, floaters))
        return floaters.with_more(_one_each(free, _CLUSTER * 2.0 * half)) if len(free) else floaters


def surface_cells(
    function: ImplicitFunction, box: Floats, cells: Bools, size: float
) -> tuple[Floats, float]:
    """Return the centres (k, 3) of cells that the surface may be in, and half of their greatest side.

    cells (512,) are those of the division by eight to begin with; `size` is what they are halved down to.
    """
    side = (box[1] - box[0]) / 8.0
    low = box[0] + _CELLS[cells] * side
    while True:
        least, greatest = function.range(low, low + side)
        low = low[(least <= 0.0) & (greatest >= 0.0)]
        if not len(low) or side.max() <= 1.25 * size:
            return low + 0.5 * side, 0.5 * float(side.max())
        side = 0.5 * side
        low = (low[:, None, :] + _OCTANTS * side).reshape(-1, 3)


def claimed(function: ImplicitFunction, points: Floaters, floaters: Floaters) -> Bools:
    """Return which points (k,) of the surface belong to a component that has floaters."""
    if not len(floaters):
        return np.zeros(len(points), dtype=bool)
    count = min(3, len(floaters))
    _, near = cKDTree(floaters.positions).query(points.positions, count)
    near = near.reshape(len(points), count)
    way = floaters.positions[near] - points.positions[:, None]
    apart = np.sqrt(np.einsum("kni,kni->kn", way, way))
    alike = np.einsum("kni,ki->kn", floaters.normals[near], points.normals) > 0.0
    close = apart <= _CLAIM * np.maximum(floaters.radii, floaters.desired)[near]
    good = alike & close
    best = near[np.arange(len(points)), np.argmax(good, axis=1)]
    has = good.any(axis=1)
    has[has] = clear_between(function, points.only(has), floaters.positions[best[has]])
    left = np.flatnonzero(~has)
    if len(left):
        has[left] = arrives(function, points.only(left), floaters.positions[near[left, 0]])
    return has


def _one_each(points: Floaters, apart: float) -> Floaters:
    """Return one point of each cluster, with a radius of about half its extent."""
    count = len(points)
    first, second = near_pairs(points.positions, np.full(count, apart))
    links = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    _, label = connected_components(links, directed=False)
    chosen = np.unique(label, return_index=True)[1]
    way = points.positions - points.positions[chosen][label]
    extent = np.zeros(len(chosen))
    np.maximum.at(extent, label, np.sqrt(np.einsum("ki,ki->k", way, way)))
    seeds = points.only(chosen)
    radii = np.maximum(seeds.radii, 0.5 * extent)
    return Floaters(seeds.positions, radii, seeds.gradients, seeds.desired, seeds.ages)
