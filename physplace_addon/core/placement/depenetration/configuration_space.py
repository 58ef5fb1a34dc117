"""Configuration-space obstacles of translations: which shifts clear a body of the world, on a voxel grid.

Space around the body is cut into cubic cells of side h.  A(x) marks the cells that its surface passes through
or that lie inside it; B(x) marks those of the world, its surface grown by one cell.  Shifted by a whole
number t of cells, the body is clear if no cell is marked by both.  So the configuration-space obstacle is the
set of t with

    N(t) = sum_x A(x) B(x + t) > 0.

This correlation is found for all t at once by the fast Fourier transform.  Solids, sheets without thickness,
holes and the insides of bowls need no cases of their own.

Every point of a surface lies within 0.46 h of a sample of it (`voxel_grid`), and two samples less than h
apart lie in the same cell or in neighbours.  So a shift with N(t) = 0 *is* clear; B is grown by more cells
where the bounds of the tessellations ask for it.  Shifts that are clear by less than about two cells are not
found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.fft import irfftn, next_fast_len, rfftn
from scipy.ndimage import label

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...collision import vertex_crossings
from ...mesh.inside import winding_number
from ...rigid import Pose
from ...vectors import dot
from .voxel_grid import ROUGHNESS, VoxelGrid, grown

# Cells of a coarse grid, and of a fine one for each shift that is wanted.
_COARSE, _FINE = 60_000, 150_000
# Length over R of the longest shift that is searched first, and its growth while nothing is clear.
_FIRST, _WIDER = 0.5, 2.0
# Cells around all that can be reached.
_MARGIN = 2
# Offset of the grid in units of h, so that columns of cell centres pass beside edges and corners.
_OFF_GRID = np.array([0.31, 0.17, 0.43])
# Length of a shift, over the shortest one, that may still lead to the least motion.
_LONGER = 1.5
# Cosine to "down" above which a shift is downward.
_STEEP = 0.7
# Least height, in cells, of the longer shifts that separate two neighbourhoods.
_RIDGE = 0.5


@dataclass(frozen=True, eq=False)
class Obstacles:
    """Bodies that another one must not be moved through: sheets, and solids that do not contain its centre.

    Attributes:
        bodies: the bodies, in the world.
        down: (3,), in the world; only downward shifts are barred.  None: all are.
    """

    bodies: tuple[Body, ...]
    down: Floats | None

    def bar(self, centre: Floats, shifts: Floats) -> Bools:
        """Return which shifts (k, 3) of a centre of mass (3,) lead through an obstacle, (k,)."""
        obstacles = [body.triangles for body in self.bodies if not _surrounds(body, centre)]
        triangles = np.concatenate([np.zeros((0, 3, 3)), *obstacles])
        start = np.broadcast_to(centre, (len(triangles), 3))
        barred = [vertex_crossings(start, start + x, triangles, triangles).crossed.any() for x in shifts]
        if self.down is None:
            return np.array(barred, bool)
        steep = _STEEP * np.sqrt(dot(shifts, shifts) * (self.down @ self.down))
        return np.array(barred, bool) & (shifts @ self.down > steep)


def _surrounds(body: Body, point: Floats) -> bool:
    return body.closed and bool(winding_number(point, body.triangles) > 0.5)


@dataclass(frozen=True, eq=False)
class Displacements:
    """The k shifts (k, 3), scene units, that clear a body, and which of them an obstacle bars (k,)."""

    shifts: Floats
    barred: Bools

    @property
    def lengths(self) -> Floats:
        """Return the lengths (k,), scene units."""
        lengths: Floats = np.sqrt(dot(self.shifts, self.shifts))
        return lengths


def clearing_displacements(
    active: Body, pose: Pose, world: Sequence[Body], obstacles: Obstacles, count: int, around: float
) -> Displacements:
    """Return shifts that clear a body of the world, shortest first.

    Each is the shortest of its neighbourhood.  None is much longer than the first, unless all of those are
    barred; then there are others, up to `around` times as long.

    Args:
        active: the body, in its own frame.
        pose: takes its frame to the world.
        world: the other bodies, in the world.
        obstacles: what shifts must not lead through.
        count: about how many are wanted; at least one is returned.
        around: the longest shift around an obstacle, over the shortest shift.
    """
    farthest = _FIRST * active.radius
    nearest = np.inf
    while not nearest <= farthest:
        nearest = float(_Shifts(active, pose, world, farthest, _COARSE).lengths.min())
        farthest *= _WIDER
    for farthest in (_LONGER * nearest, around * nearest):
        shifts = _Shifts(active, pose, world, farthest, count * _FINE).shortest(2 * count)
        displacements = Displacements(shifts, obstacles.bar(pose.points(active.mass.center), shifts))
        if not displacements.barred.all():
            break
    return displacements


def sure_depth(active: Body, pose: Pose, world: Sequence[Body], deepest: float) -> float:
    """Return a lower bound, scene units, of the depth by which solids overlap, at most `deepest`."""
    triangles = pose.points(active.triangles)
    lower, upper = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    grid = _grid(lower - deepest, upper + deepest, _COARSE)
    mine, theirs = grid.surface(triangles), grid.surface(np.concatenate([body.triangles for body in world]))
    nothing = np.zeros(grid.shape, bool)
    closed = [body.triangles for body in world if body.closed]
    in_mine = grid.inside(triangles) if active.closed else nothing
    in_theirs = grid.inside(np.concatenate(closed)) if closed else nothing
    most = int(np.ceil(deepest / grid.side))
    layers = max(
        _layers_over(mine & in_theirs, theirs, most),
        _layers_over(theirs & in_mine, mine, most),
        _layers_over(in_mine & in_theirs, mine | theirs, most),
    )
    return deepest if layers == most else layers * grid.side


def _layers_over(marked: Bools, border: Bools, most: int) -> int:
    """Return how many layers of cells, at most, cover a border so that no marked cell lies beyond them."""
    border = grown(border, 2)
    for layers in range(most):
        if not (marked & ~border).any():
            return layers
        border = grown(border, 1)
    return most


class _Shifts:
    """All shifts by whole cells up to a length: their lengths (n, n, n), inf where the body is not clear."""

    def __init__(self, active: Body, pose: Pose, world: Sequence[Body], farthest: float, cells: int) -> None:
        triangles = pose.points(active.triangles)
        grid = _grid(triangles.min(axis=(0, 1)) - farthest, triangles.max(axis=(0, 1)) + farthest, cells)
        bounds = active.triangle_bound.max() + max(body.triangle_bound.max() for body in world)
        layers = int(np.ceil(2.0 * ROUGHNESS + bounds / grid.side))
        mine = _cells(grid, [triangles], [triangles] if active.closed else [], 0)
        every, closed = [body.triangles for body in world], [body.triangles for body in world if body.closed]
        self.side = grid.side
        self._reach = int(np.ceil(farthest / grid.side))
        free = self._free(mine, _cells(grid, every, closed, layers))
        steps = self.side * np.arange(-self._reach, self._reach + 1)
        self.lengths = np.where(free, np.sqrt(sum(np.ix_(steps**2, steps**2, steps**2))), np.inf)

    def _free(self, mine: Bools, theirs: Bools) -> Bools:
        waves = rfftn(mine.astype(np.float32)).conj() * rfftn(theirs.astype(np.float32))
        steps = np.arange(-self._reach, self._reach + 1)
        free: Bools = irfftn(waves, theirs.shape)[np.ix_(*(steps % n for n in theirs.shape))] < 0.5
        return free

    def shortest(self, most: int) -> Floats:
        """Return the shortest shift of each neighbourhood (k, 3), at most `most`, shortest first."""
        lowest = (self.lengths <= _least_around(self.lengths)) & np.isfinite(self.lengths)
        found = np.argwhere(lowest)
        found = found[np.argsort(self.lengths[lowest], kind="stable")]
        chosen: list[Ints] = []
        while len(found) and len(chosen) < most:
            level = self.lengths[tuple(found[0])]
            around = _connected(self.lengths <= level + _RIDGE * self.side, found[0])
            if self.lengths[around].min() == level:
                chosen.append(found[0])
            found = found[~around[tuple(found.T)]]
        shifts: Floats = self.side * (np.array(chosen) - self._reach).astype(np.float64)
        return shifts


def _connected(marked: Bools, cell: Ints) -> Bools:
    """Mark the cells that are connected, by sides, edges or corners, to one of those marked."""
    parts = np.zeros(marked.shape, np.int32)
    label(marked, np.ones((3, 3, 3)), output=parts)
    connected: Bools = parts == parts[tuple(cell)]
    return connected


def _least_around(values: Floats) -> Floats:
    """Return the least value of each cell and the 26 about it."""
    for axis in range(3):
        least = values.copy()
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        np.minimum(least[tuple(low)], values[tuple(high)], out=least[tuple(low)])
        np.minimum(least[tuple(high)], values[tuple(low)], out=least[tuple(high)])
        values = least
    return values


def _grid(lower: Floats, upper: Floats, cells: int) -> VoxelGrid:
    side = float(np.prod(upper - lower) / cells) ** (1.0 / 3.0)
    counts = np.ceil((upper - lower) / side).astype(int) + 2 * _MARGIN + 1
    x, y, z = (int(next_fast_len(int(n), real=True)) for n in counts)
    return VoxelGrid(lower - (_MARGIN + _OFF_GRID) * side, side, (x, y, z))


def _cells(grid: VoxelGrid, surfaces: list[Floats], closed: list[Floats], layers: int) -> Bools:
    marked = grown(grid.surface(np.concatenate(surfaces)), layers)
    return marked | grid.inside(np.concatenate(closed)) if closed else marked
