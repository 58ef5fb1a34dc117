"""A surface F = 0 as marching tetrahedra cut it out of cells that are followed along it from given places.

Only cells that the surface crosses are visited: from one to the next through each face whose corners differ
in sign. So cells may be as small as a thin part needs, wherever it is. Components that no place is on are
left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.oracles.arrays import Bools, Floats, Ints
from tests.oracles.grid_surface import CORNERS, GridSurface, marched

_HALF = 2**20  # cells from the origin in each direction, at most
_AT_ONCE = 50_000  # places at which F is evaluated at once
_AROUND = np.stack(np.meshgrid(*[(-1, 0, 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
# faces of a cell: the axis, on which end of it, and the corners
_FACES = [(axis, end, np.flatnonzero(CORNERS[:, axis] == end)) for axis in range(3) for end in (0, 1)]


def followed_surface(value: Callable[[Floats], Floats], starts: Floats, step: float) -> GridSurface:
    """The components on which starts (s, 3) are, by cells of a size; value(x (k, 3)) -> (k,) is F."""
    origin = starts[0] - step * np.array([0.123, 0.456, 0.789])
    cells, field = _crossed(lambda at: value(origin + step * at), np.floor((starts - origin) / step))
    keys, first, own = np.unique(
        _keys(cells[:, None] + CORNERS).ravel(), return_index=True, return_inverse=True
    )
    return marched(field.ravel()[first], own.reshape(-1, 8), lambda rows: origin + step * _cells(keys[rows]))


def _crossed(value: Callable[[Floats], Floats], starts: Floats) -> tuple[Ints, Floats]:
    """The cells (c, 3) that are reached from starting ones, and F at their corners (c, 8)."""
    before, front = np.zeros(0, dtype=np.intp), np.unique(_keys(starts.astype(int)[:, None] + _AROUND))
    found, fields = [], []
    while len(front):
        cells = _cells(front)
        field = _values(value, cells)
        mixed = _mixed(field)
        found.append(cells[mixed])
        fields.append(field[mixed])
        ways = []
        for axis, end, corners in _FACES:
            through = _mixed(field[:, corners])
            ways.append(cells[through] + (2 * end - 1) * np.eye(3, dtype=int)[axis])
        # what was found earlier than in the last two rounds has no new neighbours
        new = np.setdiff1d(_keys(np.concatenate(ways)), np.union1d(before, front))
        before, front = front, new
    return np.concatenate(found), np.concatenate(fields)


def _values(value: Callable[[Floats], Floats], cells: Ints) -> Floats:
    """F at the corners of cells (c, 3), (c, 8)."""
    keys, own = np.unique(_keys(cells[:, None] + CORNERS).ravel(), return_inverse=True)
    places = _cells(keys).astype(float)
    field = np.concatenate([value(some) for some in np.array_split(places, 1 + len(places) // _AT_ONCE)])
    return field[own].reshape(-1, 8)


def _mixed(field: Floats) -> Bools:
    """Of which rows of F (c, k) the signs differ."""
    inside = (field < 0).sum(axis=1)
    return np.asarray((inside > 0) & (inside < field.shape[1]))


def _keys(cells: Ints) -> Ints:
    """One number for each cell (..., 3)."""
    moved = cells + _HALF
    return np.asarray((moved[..., 0] * 2 * _HALF + moved[..., 1]) * 2 * _HALF + moved[..., 2])


def _cells(keys: Ints) -> Ints:
    """The cells (k, 3) of keys (k,)."""
    rest, z = np.divmod(keys, 2 * _HALF)
    x, y = np.divmod(rest, 2 * _HALF)
    return np.stack([x, y, z], axis=-1) - _HALF
