"""Triangles over limit patches: equal cells in each quadrilateral, as many on both sides of every edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ..bezier.joins import Joins
from ..bezier.tessellation import largest_along_strips, strips_of
from ..patches import Patches
from .bounds import hull_bounds, regular_bounds
from .nets import LimitNets

_MOST_CELLS = 300_000  # cells of a body: their bounds then take some seconds
_ROUNDS = 24  # rounds of cutting before a tolerance is given up
# Factor by which one round may multiply the cells along a side, since a coarse cell's bound is an estimate.
_MOST_GROWTH = 4.0
# Rounding of a point, over the largest coordinate, that each bound is raised by.
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
_SPLIT = ((0, 1, 2), (3, 2, 1))  # the triangles of a cell: its corners are low, right, up, far


@dataclass(frozen=True, eq=False)
class Lattice:
    """The crossings of lines of all quadrilaterals, counts (n, 2) cells each, numbered one after another."""

    counts: Ints

    @cached_property
    def firsts(self) -> Ints:
        """The first crossing of each quadrilateral, and their number (n + 1,)."""
        return np.concatenate([[0], np.cumsum((self.counts + 1).prod(axis=1))])

    @cached_property
    def first_cells(self) -> Ints:
        """The first cell of each quadrilateral, and their number (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts.prod(axis=1))])

    def all_cells(self) -> tuple[Ints, Ints]:
        """Return the quadrilateral (c,) of each cell, and its place there (c, 2)."""
        sizes = self.counts.prod(axis=1)
        patch = np.repeat(np.arange(len(sizes)), sizes)
        number = np.arange(len(patch)) - self.first_cells[patch]
        return patch, np.stack(np.divmod(number, self.counts[patch, 1]), axis=1)

    def grid_points(self) -> tuple[Ints, Floats]:
        """Return the quadrilateral (p,) of each crossing, and its parameters (p, 2)."""
        sizes = (self.counts + 1).prod(axis=1)
        patch = np.repeat(np.arange(len(sizes)), sizes)
        number = np.arange(len(patch)) - self.firsts[patch]
        place = np.stack(np.divmod(number, self.counts[patch, 1] + 1), axis=1)
        return patch, place / self.counts[patch]

    def along(self, patch: Ints, side: Ints) -> tuple[Ints, Ints]:
        """Return the crossings (q,) along sides (s,) of quadrilaterals (s,), by rising parameter, and the row
        (q,) of each.
        """
        nu, nv = self.counts[patch].T
        step = np.where(side < 2, 1, nv + 1)
        start = self.firsts[patch] + np.choose(side, [0 * nu, nu * (nv + 1), 0 * nu, nv])
        length = np.where(side < 2, nv, nu) + 1
        row = np.repeat(np.arange(len(patch)), length)
        number = np.arange(len(row)) - np.repeat(np.cumsum(length) - length, length)
        return start[row] + step[row] * number, row

    def beside(self, patch: int, side: int) -> Ints:
        """Return the triangles (q,) with an edge on a side, by rising parameter."""
        nu, nv = self.counts[patch].tolist()
        cells = np.arange(nu * nv).reshape(nu, nv)
        last = -1 if side % 2 else 0
        line = cells[last] if side < 2 else cells[:, last]
        return 2 * (int(self.first_cells[patch]) + line) + side % 2


Bounds = Callable[[Ints, Ints, float], Floats]
"""Proven bounds (c,) on the cells of patches (m,), counts (m, 2) in each, to be compared with a length."""


def cells_within_tolerance(
    bounds: Bounds, joins: Joins, tolerance: float, kind: str, least: Ints
) -> tuple[Ints, Floats]:
    """Return the cells of quadrilaterals whose bounds are within a tolerance, and those bounds.

    Args:
        bounds: proven bounds on cells.
        joins: how the quadrilaterals are joined.
        tolerance: scene units.
        kind: the name of the kind in errors.
        least: cells (n,) of each quadrilateral in each direction, at least.

    Returns:
        counts (n, 2), alike along joins; bounds (c,) of all cells, scene units.

    Raises:
        SurfaceError: if 300,000 cells do not suffice.
    """
    count = len(joins.patch)
    strips = strips_of(joins)
    counts = largest_along_strips(strips, np.repeat(least[:, None], 2, axis=1))
    parts: list[Floats] = [np.empty(0)] * count
    rows, growth = np.arange(count), np.ones((count, 1))
    for _ in range(_ROUNDS):
        some = bounds(rows, counts[rows], tolerance)
        for row, part in zip(
            rows.tolist(), np.split(some, Lattice(counts[rows]).first_cells[1:-1]), strict=True
        ):
            parts[row] = part
            growth[row] = min(max(float(part.max() / tolerance) ** 0.5, 1.0), _MOST_GROWTH)
        if (growth == 1.0).all():
            return counts, np.concatenate(parts)
        before, counts = counts, largest_along_strips(strips, np.ceil(counts * growth).astype(np.intp))
        rows = np.flatnonzero((counts != before).any(axis=1))
        if int(counts.prod(axis=1).sum()) > _MOST_CELLS:
            break
    remedy = "use a larger tolerance, or fewer sharp folds"
    raise SurfaceError(kind, "tolerance", f"{tolerance:g} needs too many cells", remedy)


def bounds_of(nets: LimitNets, counts: Ints, enough: float) -> Floats:
    """Return proven bounds (c,) on the distance of the surface from the triangles of all cells, scene units.

    Args:
        nets: the quadrilaterals.
        counts: cells (n, 2) in each.
        enough: the length that the bounds will be compared with; looser ones need not be exact.
    """
    lattice = Lattice(counts)
    patch, place = lattice.all_cells()
    bounds = np.empty(len(patch))
    net = nets.tree.net[nets.roots]
    kinds, kind = np.unique(counts, axis=0, return_inverse=True)
    for number, (nu, nv) in enumerate(kinds.tolist()):
        rows = np.flatnonzero((kind.ravel() == number) & (net >= 0))
        cells = lattice.first_cells[rows][:, None] + np.arange(nu * nv)
        bounds[cells] = regular_bounds(nets.leaves.control[net[rows]], nu, nv)
    odd = np.flatnonzero(net[patch] < 0)
    if len(odd):
        lower, upper = (place[odd] + shift for shift in (0, 1))
        size = counts[patch[odd]]
        bounds[odd] = hull_bounds(nets, patch[odd], lower / size, upper / size, enough)
    return bounds


@dataclass(frozen=True, eq=False)
class CageTessellation:
    """All triangles of patches over a cage.

    lattice: the crossings of lines.  numbers: the point at each of them.  points (p, 3); corners (t, 3);
    patch (t,) and parameters uv (t, 3, 2) on it; bound (t,).  Triangles 2 c and 2 c + 1 are those of cell c.
    """

    lattice: Lattice
    numbers: Ints
    points: Floats
    corners: Ints
    patch: Ints
    uv: Floats
    bound: Floats


def tessellate_cage(nets: Patches, joins: Joins, counts: Ints, bounds: Floats) -> CageTessellation:
    """Return the triangles of all quadrilaterals; points on smooth joins are one."""
    lattice = Lattice(counts)
    patch, at = lattice.grid_points()
    numbers = _shared(lattice, joins)
    found = nets.slopes(patch, at).point
    points = np.empty((int(numbers.max()) + 1, 3))
    points[numbers] = found
    owner, place = lattice.all_cells()
    low = lattice.firsts[owner] + place[:, 0] * (counts[owner, 1] + 1) + place[:, 1]
    right = low + counts[owner, 1] + 1
    four = np.stack([low, right, low + 1, right + 1], axis=1)
    three = four[:, _SPLIT].reshape(-1, 3)
    bound = np.repeat(bounds, 2) + _ROUNDING * float(np.abs(points).max())
    return CageTessellation(lattice, numbers, points, numbers[three], np.repeat(owner, 2), at[three], bound)


def _shared(lattice: Lattice, joins: Joins) -> Ints:
    """Return numbers of the crossings such that those on smooth joins are one."""
    patch, side = np.nonzero(joins.smooth)
    first, row = lattice.along(patch, side)
    second, _ = lattice.along(joins.patch[patch, side], joins.side[patch, side])
    second = np.where(joins.backwards[patch, side][row], _reversed(second, row), second)
    return component_labels(np.column_stack([first, second]), int(lattice.firsts[-1]))


def _reversed(values: Ints, row: Ints) -> Ints:
    """Return each row's values the other way round; rows (q,) are sorted."""
    first = np.searchsorted(row, row, side="left")
    last = np.searchsorted(row, row, side="right") - 1
    return values[first + last - np.arange(len(row))]


def degenerate_patches(nets: Patches) -> Bools:
    """Return which quadrilaterals (n,) have no tangent plane at a corner or in their middle."""
    at = np.array([[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    patch = np.repeat(np.arange(len(nets)), len(at))
    slopes = nets.slopes(patch, np.tile(at, (len(nets), 1)))
    along, across = np.linalg.norm(slopes.along, axis=1), np.linalg.norm(slopes.across, axis=1)
    area = np.linalg.norm(np.cross(slopes.along, slopes.across), axis=1)
    bad: Bools = (area <= 1e-9 * along * across).reshape(-1, len(at)).any(axis=1)
    return bad
