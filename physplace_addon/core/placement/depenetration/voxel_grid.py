"""A voxel grid: the cells that a surface passes through, and those inside a solid.

A surface is sampled so densely that no point of it is farther than 0.46 sides of a cell from a sample.
Insides are found by rays along z through the cells' centres, which count how often a closed surface winds
around them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot

# Distance of samples of a surface, in sides of a cell.
SPACING = 0.65
# Largest distance of a point of the surface from a sample, in sides of a cell.
ROUGHNESS = SPACING * 0.5**0.5
# Longest side, in cells, of triangles that are not halved before they are sampled.
_LARGE = 16.0


@dataclass(frozen=True)
class VoxelGrid:
    """A grid of cubic cells.

    Attributes:
        corner: (3,), the lower corner of the first cell.
        side: of a cell, scene units.
        shape: the numbers of cells along x, y and z.
    """

    corner: Floats
    side: float
    shape: tuple[int, int, int]

    def surface(self, triangles: Floats) -> Bools:
        """Return which cells hold samples of triangles (t, 3, 3), as an array of the grid's shape."""
        pieces = self._within((triangles - self.corner) / self.side)
        samples = [np.zeros((0, 3))]
        while len(pieces):
            side = pieces - np.roll(pieces, -1, axis=1)
            square = dot(side, side)
            large = square.max(axis=1) > _LARGE**2
            samples.append(_samples(_from_longest(pieces[~large], square[~large])))
            pieces = self._within(_halved(_from_longest(pieces[large], square[large])))
        cell = np.floor(np.concatenate(samples)).astype(np.intp)
        marked = np.zeros(self.shape, bool)
        marked[tuple(cell[((cell >= 0) & (cell < self.shape)).all(axis=1)].T)] = True
        return marked

    def _within(self, pieces: Floats) -> Floats:
        """Return the triangles (in units of cells) that do not lie wholly beside the grid."""
        beside = (pieces.min(axis=1) > self.shape) | (pieces.max(axis=1) < 0.0)
        near: Floats = pieces[~beside.any(axis=1)]
        return near

    def inside(self, triangles: Floats) -> Bools:
        """Return which cells have their centre inside a closed, outward surface of triangles (t, 3, 3).

        Each column of centres along z is a ray.  The winding number grows by one where it enters, through a
        face that looks down, and falls by one where it leaves.
        """
        a, b, c = ((triangles[:, i] - self.corner) / self.side - 0.5 for i in range(3))
        area = _area(a, b, c)
        which, x, y = self._columns(np.stack([a, b, c])[..., :2], area != 0.0)
        at = np.stack([x, y], axis=1).astype(np.float64)
        corners = (a[which], b[which], c[which])
        weights = np.stack([_area(at, corners[i - 2], corners[i - 1]) / area[which] for i in range(3)])
        hit = (weights >= 0.0).all(axis=0)
        height = np.einsum("ik,ik->k", weights, np.stack([corner[:, 2] for corner in corners]))[hit]
        z = np.clip(np.ceil(height), 0, self.shape[2]).astype(np.intp)
        turns = np.zeros((*self.shape[:2], self.shape[2] + 1), np.int32)
        np.add.at(turns, (x[hit], y[hit], z), np.where(area[which[hit]] > 0.0, -1, 1))
        found: Bools = turns.cumsum(axis=2)[:, :, :-1] > 0
        return found

    def _columns(self, corners: Floats, upright: Bools) -> tuple[Ints, Ints, Ints]:
        """Return (which (m,), x (m,), y (m,)): the columns that may pass through each of the triangles, of
        corners (3, t, 2) seen from above, in units of cells; but not through the upright ones.
        """
        last = np.array(self.shape[:2]) - 1
        low = np.clip(np.ceil(corners.min(axis=0)), 0, last + 1).astype(np.intp)
        high = np.clip(np.floor(corners.max(axis=0)), -1, last).astype(np.intp)
        wide = np.where(upright[:, None], np.maximum(high - low + 1, 0), 0)
        which, place = _counted(wide[:, 0] * wide[:, 1])
        across, along = np.divmod(place, np.maximum(wide[which, 1], 1))
        return which, low[which, 0] + across, low[which, 1] + along


def _counted(counts: Ints) -> tuple[Ints, Ints]:
    """Return, for numbers of things (k,), each thing's owner and its place among the owner's (m,)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]


def _from_longest(triangles: Floats, square: Floats) -> Floats:
    """Turn triangles (t, 3, 3), of sides of squares (t, 3), so that their first side is the longest."""
    turned = (square.argmax(axis=1)[:, None] + np.arange(3)) % 3
    from_longest: Floats = triangles[np.arange(len(triangles))[:, None], turned]
    return from_longest


def _halved(triangles: Floats) -> Floats:
    """Cut triangles (t, 3, 3) in two at the middle of their first side."""
    a, b, c = triangles.transpose(1, 0, 2)
    middle = 0.5 * (a + b)
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])


def _samples(triangles: Floats) -> Floats:
    """Return points (m, 3) all over triangles (t, 3, 3), in units of cells, whose first side is the longest.

    They stand in rows along that side, each a strip's middle and as long as the strip's longer border.
    """
    a, b, c = triangles.transpose(1, 0, 2)
    size = np.sqrt(dot(b - a, b - a))
    along = (b - a) / size[:, None]
    upward = c - a - dot(c - a, along)[:, None] * along
    strips = np.maximum(np.ceil(np.sqrt(dot(upward, upward)) / SPACING), 1).astype(np.intp)
    of, strip = _counted(strips)
    part = (strip / strips[of])[:, None]
    start = a[of] + part * (c - a)[of] + (0.5 / strips[of])[:, None] * upward[of]
    row_size = size[of] * (1.0 - part[:, 0])
    counts = np.ceil(row_size / SPACING).astype(np.intp)
    row, place = _counted(counts)
    shift = (place + 0.5) / counts[row] * row_size[row]
    points: Floats = start[row] + shift[:, None] * along[of][row]
    return points


def _area(a: Floats, b: Floats, c: Floats) -> Floats:
    """Twice the signed area (k,) of triangles seen from above; corners (k, 2 or more)."""
    area: Floats = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return area


def grown(marked: Bools, layers: int) -> Bools:
    """Return the marked cells and those up to `layers` cells from one, along every axis."""
    for _ in range(layers):
        for axis in range(3):
            wider = marked.copy()
            low, high = [slice(None)] * 3, [slice(None)] * 3
            low[axis], high[axis] = slice(None, -1), slice(1, None)
            wider[tuple(low)] |= marked[tuple(high)]
            wider[tuple(high)] |= marked[tuple(low)]
            marked = wider
    return marked
