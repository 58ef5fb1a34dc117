"""Triangles over limit patches: equal cells in each quadrilateral, as many as its own surface needs.

Neighbours with other cells share all points of the side between them: see `lattice`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ..bezier.joins import Joins
from ..patches import Patches
from ..tessellation import ROUNDING
from .bounds import hull_bounds, regular_bounds
from .lattice import CutTriangles, Hanging, Lattice, cut_triangles, hanging_points
from .nets import LimitNets

_MOST_CELLS = 300_000  # cells of a body: their bounds then take some seconds
_ROUNDS = 24  # rounds of cutting before a tolerance is given up
# Factor by which one round may multiply the cells along a side, since a coarse cell's bound is an estimate.
_MOST_GROWTH = 4.0

Bounds = Callable[[Ints, Ints, float], Floats]
"""Proven bounds (c,) on the cells of patches (m,), counts (m, 2) in each, to be compared with a length."""


def cells_within_tolerance(
    nets: Patches, bounds: Bounds, joins: Joins, tolerance: float, kind: str, least: Ints
) -> tuple[Ints, Floats]:
    """Return the cells of quadrilaterals whose bounds are within a tolerance, and those bounds.

    Args:
        nets: the quadrilaterals.
        bounds: proven bounds on their cells.
        joins: how they are joined.
        tolerance: scene units; points that hang on the cells' sides count, too.
        kind: the name of the kind in errors.
        least: cells (n,) of each quadrilateral in each direction, at least.

    Returns:
        counts (n, 2); bounds (c,) of all cells, scene units.

    Raises:
        SurfaceError: if 300,000 cells do not suffice.
    """
    count = len(joins.patch)
    counts = np.repeat(least[:, None], 2, axis=1)
    parts: list[Floats] = [np.empty(0)] * count
    rows = np.arange(count)
    for _ in range(_ROUNDS):
        some = bounds(rows, counts[rows], tolerance)
        for row, part in zip(
            rows.tolist(), np.split(some, Lattice(counts[rows]).first_cells[1:-1]), strict=True
        ):
            parts[row] = part
        every, lattice = np.concatenate(parts), Lattice(counts)
        whole = _with_hanging(nets, lattice, hanging_points(lattice, joins), every)
        largest = np.maximum.reduceat(whole, 2 * lattice.first_cells[:-1])
        rows = np.flatnonzero(largest > tolerance)
        if len(rows) == 0:
            return counts, every
        growth = np.minimum(np.sqrt(largest[rows] / tolerance), _MOST_GROWTH)
        counts[rows] = np.ceil(counts[rows] * growth[:, None]).astype(np.intp)
        if int(counts.prod(axis=1).sum()) > _MOST_CELLS:
            break
    remedy = "use a larger tolerance, or fewer sharp folds"
    raise SurfaceError(kind, "tolerance", f"{tolerance:g} needs too many cells", remedy)


def _with_hanging(nets: Patches, lattice: Lattice, hanging: Hanging, bounds: Floats) -> Floats:
    """Return bounds (2 c,) on triangles that are cut at hanging points, given those (c,) on cells."""
    whole, more = np.repeat(bounds, 2), np.zeros(2 * len(bounds))
    np.maximum.at(more, hanging.triangle, hanging.heights(nets, lattice))
    raised: Floats = whole + more
    return raised


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

    lattice: the crossings of lines.  cut: the triangles, whose points are crossings and hanging points.
    at (q, 2): the parameters of each of these; numbers (q,): the point that it is.  points (p, 3); corners
    (t, 3); patch (t,) and parameters uv (t, 3, 2) on it; bound (t,).
    """

    lattice: Lattice
    cut: CutTriangles
    at: Floats
    numbers: Ints
    points: Floats
    corners: Ints
    patch: Ints
    uv: Floats
    bound: Floats


def tessellate_cage(nets: Patches, joins: Joins, counts: Ints, bounds: Floats) -> CageTessellation:
    """Return the triangles of all quadrilaterals; points on smooth joins are one."""
    lattice = Lattice(counts)
    hanging = hanging_points(lattice, joins)
    cut = cut_triangles(lattice, hanging)
    patch, at = lattice.grid_points()
    patch, at = np.concatenate([patch, hanging.patch]), np.concatenate([at, hanging.at])
    numbers = _shared(lattice, hanging, joins)
    points = np.empty((int(numbers.max()) + 1, 3))
    points[numbers] = nets.slopes(patch, at).point
    bound = _with_hanging(nets, lattice, hanging, bounds)[cut.whole]
    bound += ROUNDING * float(np.abs(points).max())
    owner = lattice.all_cells()[0][cut.whole // 2]
    return CageTessellation(
        lattice, cut, at, numbers, points, numbers[cut.corners], owner, at[cut.corners], bound
    )


def _shared(lattice: Lattice, hanging: Hanging, joins: Joins) -> Ints:
    """Return numbers of the crossings, and of the hanging points, such that those on smooth joins are one."""
    patch, side = np.nonzero(joins.smooth)
    first, row = _along(lattice, hanging, patch, side)
    second, _ = _along(lattice, hanging, joins.patch[patch, side], joins.side[patch, side])
    second = np.where(joins.backwards[patch, side][row], _reversed(second, row), second)
    return component_labels(np.column_stack([first, second]), int(lattice.firsts[-1]) + len(hanging))


def _along(lattice: Lattice, hanging: Hanging, patch: Ints, side: Ints) -> tuple[Ints, Ints]:
    """Return the points (q,) along sides (s,) of quadrilaterals (s,), by rising parameter, and the row (q,)
    of each.
    """
    crossing, row, t = lattice.along(patch, side)
    every = np.full((len(lattice.counts), 4), -1)
    every[patch, side] = np.arange(len(patch))
    extra = every[hanging.patch, hanging.side]
    mine = np.flatnonzero(extra >= 0)
    row = np.concatenate([row, extra[mine]])
    order = np.lexsort((np.concatenate([t, hanging.t[mine]]), row))
    return np.concatenate([crossing, lattice.firsts[-1] + mine])[order], row[order]


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
