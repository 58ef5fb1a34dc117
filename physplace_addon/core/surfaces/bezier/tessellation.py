"""Triangles over patches joined by their sides: equal cells in each patch, as many on both sides of
a join.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SurfaceError
from ...mesh.edges import component_labels
from ..parameter_lines import MOST_CELLS
from ..patches import POLE_SIDE, SidedPatches
from ..tessellation import ROUNDING
from .joins import Joins
from .sheet import BezierSheet

_LEAST = 2  # cells along each direction of a patch: the corners of a patch alone may lie on one line
_ROUNDS = 32  # rounds of cutting before a tolerance is given up
# Factor by which one round may multiply the cells of a patch, since the share of a coarse cell is an
# estimate.
_MOST_GROWTH = 6.0


def cells_at_resolution(joins: Joins, resolution: tuple[int, int]) -> Ints:
    """Return the cells (n, 2) of patches with at least `resolution` lines (nu, nv) each, alike along joins.

    Two cells in a direction are the least: the corners of a patch alone may lie on one line.
    """
    return largest_along_strips(strips_of(joins), np.maximum(np.array(resolution) - 1, _least(joins)))


def cells_within_tolerance(
    nets: SidedPatches, joins: Joins, tolerance: float, kind: str, most: int = MOST_CELLS
) -> Ints:
    """Return the cells (n, 2) of patches whose bounds are within a tolerance, alike along joins.

    Args:
        nets: the patches.
        joins: how they are joined.
        tolerance: scene units.
        kind: the name of the kind in errors.
        most: cells of all patches.

    Raises:
        SurfaceError: if `most` cells do not suffice.
    """
    strips = strips_of(joins)
    counts = largest_along_strips(strips, _least(joins))
    growth, changed = np.ones(counts.shape), np.ones(len(counts), dtype=np.bool_)
    for _ in range(_ROUNDS):
        for patch in np.flatnonzero(changed).tolist():
            growth[patch] = _growth(nets.cell_bounds(patch, *counts[patch].tolist()), tolerance)
        if (growth <= 1.0).all():
            return counts
        wanted = largest_along_strips(strips, np.ceil(counts * growth).astype(np.intp))
        counts, changed = wanted, (wanted != counts).any(axis=1)
        if int(counts.prod(axis=1).sum()) > most:
            break
    remedy = "use a larger tolerance, or a surface with fewer waves"
    raise SurfaceError(kind, "tolerance", f"{tolerance:g} needs too many cells", remedy)


def _least(joins: Joins) -> Ints:
    """Return the least cells (n, 2): one more in a direction in which a patch is joined with itself."""
    own = np.arange(len(joins.patch))[:, None]
    around = (joins.patch == own) & (joins.side == np.array([1, 0, 3, 2]))
    least: Ints = _LEAST + around[:, ::2].astype(np.intp)
    return least


def strips_of(joins: Joins) -> Ints:
    """Return numbers (n, 2) of the strips of cells: directions u and v of patches that joins tie together are
    alike.
    """
    patch, side = np.nonzero(joins.patch >= 0)
    own = 2 * patch + (side < 2)
    other = 2 * joins.patch[patch, side] + (joins.side[patch, side] < 2)
    size = 2 * len(joins.patch)
    return component_labels(np.column_stack([own, other]), size).reshape(-1, 2)


def largest_along_strips(strips: Ints, wanted: Ints) -> Ints:
    """Return the largest number of cells (n, 2) wanted anywhere along each strip."""
    most = np.ones(int(strips.max()) + 1, dtype=np.intp)
    np.maximum.at(most, strips.ravel(), wanted.ravel())
    return most[strips]


def _growth(cells: tuple[Floats, Floats, Floats], tolerance: float) -> tuple[float, float]:
    """Return by how much to multiply the cells of one patch along u and v; 1 where they are within the
    tolerance.
    """
    bounds, bend_u, bend_v = cells
    excess = bounds > tolerance
    if not excess.any():
        return 1.0, 1.0
    share_u, share_v = 0.125 * float(bend_u[excess].max()), 0.125 * float(bend_v[excess].max())
    growth = [min(max((2.0 * share / tolerance) ** 0.5, 1.0), _MOST_GROWTH) for share in (share_u, share_v)]
    if max(growth) < 1.1:
        growth[0 if share_u >= share_v else 1] = 1.5
    return growth[0], growth[1]


@dataclass(frozen=True, eq=False)
class SheetTessellation:
    """The triangles of one face, as in `Tessellation`.

    grid_points: for each of its patches the points (nu + 1, nv + 1) at the crossings of its lines.
    triangles: for each the numbers (2, nu, nv) of the lower and the upper triangle of each cell, -1 where it
    has no area.
    """

    points: Floats
    corners: Ints
    uv: Floats
    bound: Floats
    grid_points: tuple[Ints, ...]
    triangles: tuple[Ints, ...]

    def beside(self, patch: int, side: int) -> tuple[Ints, Ints]:
        """Return the points along a side of a patch, and the triangles with an edge on it."""
        lower, upper = (_along(triangles, side) for triangles in self.triangles[patch])
        own, other = (upper, lower) if side % 2 else (lower, upper)
        return _along(self.grid_points[patch], side), np.where(own < 0, other, own)


def tessellate_sheet(sheet: BezierSheet, patches: SidedPatches, counts: Ints) -> SheetTessellation:
    """Return the triangles of a face, made of these patches, with cells (n, 2) in each."""
    grids = _numbered_grids(counts)
    same = _shared(sheet, grids, int(grids[-1].max()) + 1)
    points = np.empty((int(same.max()) + 1, 3))
    corners, uvs, bounds, triangles = [], [], [], []
    before = 0
    for patch, grid in enumerate(grids):
        at = _line_parameters(*counts[patch].tolist())
        points[same[grid.ravel()]] = patches.slopes(np.full(len(at), patch), at).point
        own, uv = _cells(same[grid], at.reshape(*grid.shape, 2), bool(patches.polar[patch]))
        bound = np.tile(patches.cell_bounds(patch, *counts[patch].tolist())[0], 2)
        area = (own[:, 0] != own[:, 1]) & (own[:, 1] != own[:, 2]) & (own[:, 2] != own[:, 0])
        number = np.where(area, np.cumsum(area) - 1 + before, -1)
        before += int(area.sum())
        corners.append(own[area])
        uvs.append(sheet.layout.origins[patch] + uv[area])
        bounds.append(bound[area])
        triangles.append(number.reshape(2, *counts[patch]))
    rounding = ROUNDING * float(np.abs(points).max())
    return SheetTessellation(
        points,
        np.concatenate(corners),
        np.concatenate(uvs),
        np.concatenate(bounds) + rounding,
        tuple(same[grid] for grid in grids),
        tuple(triangles),
    )


def _numbered_grids(counts: Ints) -> list[Ints]:
    """Return numbers of the crossings of lines of all patches, not yet shared."""
    sizes = (counts + 1).prod(axis=1)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return [
        start + np.arange(size).reshape(nu + 1, nv + 1)
        for start, size, (nu, nv) in zip(first.tolist(), sizes.tolist(), counts.tolist(), strict=True)
    ]


def _along(grid: Ints, side: int) -> Ints:
    last = -1 if side % 2 else 0
    return grid[last] if side < 2 else grid[:, last]


def _shared(sheet: BezierSheet, grids: Sequence[Ints], count: int) -> Ints:
    """Return numbers (count,) of the crossings such that those on smooth joins, and at poles, are one."""
    first, second = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    for patch, side in np.argwhere(sheet.joins.smooth).tolist():
        other = _along(grids[sheet.joins.patch[patch, side]], int(sheet.joins.side[patch, side]))
        first.append(_along(grids[patch], side))
        second.append(other[::-1] if sheet.joins.backwards[patch, side] else other)
    for patch in np.nonzero(sheet.nets.polar)[0].tolist():
        side = _along(grids[patch], POLE_SIDE)
        first.append(side)
        second.append(np.full(len(side), side[0]))
    return component_labels(np.column_stack([np.concatenate(first), np.concatenate(second)]), count)


def _line_parameters(cells_u: int, cells_v: int) -> Floats:
    u, v = np.arange(cells_u + 1) / cells_u, np.arange(cells_v + 1) / cells_v
    return np.column_stack([np.repeat(u, len(v)), np.tile(v, len(u))])


def _cells(grid: Ints, at: Floats, polar: bool) -> tuple[Ints, Floats]:
    """Return both triangles of every cell: points (2 cells, 3) and parameters (2 cells, 3, 2)."""
    low, right = np.s_[:-1, :-1], np.s_[1:, :-1]
    up, far = np.s_[:-1, 1:], np.s_[1:, 1:]
    order = ((low, right, up), (far, up, right))
    corners = np.concatenate([np.stack([grid[c].ravel() for c in three], axis=1) for three in order])
    uv = np.concatenate([np.stack([at[c].reshape(-1, 2) for c in three], axis=1) for three in order])
    if polar:
        _centre_poles(uv)
    return corners, uv


def _centre_poles(uv: Floats) -> None:
    """Set a corner at the pole to the mean u of its neighbours (in place)."""
    at_pole: Bools = uv[:, :, 1] == 1.0
    single = at_pole & (at_pole.sum(axis=1) == 1)[:, None]
    others = 0.5 * (uv[:, :, 0].sum(axis=1, keepdims=True) - uv[:, :, 0])
    uv[:, :, 0] = np.where(single, others, uv[:, :, 0])
