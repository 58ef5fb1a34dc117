"""A surface F = 0 as marching tetrahedra cut it out of a grid: slow, coarse, and always closed.

Each cube of the grid is cut into the six tetrahedra about its diagonal (Kuhn), each of which the surface,
taken as flat, leaves in a triangle or in two.  Points are on the grid's edges where F, taken as linear
there, is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tests.oracles.arrays import Floats, Ints

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
# Paths from corner 0 to corner 7 along one axis after another, by corners' numbers.
TETRAHEDRA = np.array([np.cumsum([0, *(4 >> axis for axis in axes)]) for axes in permutations(range(3))])


@dataclass(frozen=True)
class GridSurface:
    """Points (n, 3), triangles (t, 3) that do not know their outer side, and the volume of what is inside."""

    points: np.ndarray
    triangles: np.ndarray
    volume: float

    @property
    def euler_characteristic(self) -> int:
        """Points - edges + triangles."""
        sides = np.sort(self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        return len(self.points) - len(np.unique(sides, axis=0)) + len(self.triangles)

    @property
    def area(self) -> float:
        """The triangles' area."""
        a, b, c = (self.points[self.triangles[:, i]] for i in range(3))
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def grid_surface(value: Callable[[Floats], Floats], low: Floats, high: Floats, cells: float) -> GridSurface:
    """F = 0 for value(x (k, 3)) -> (k,) in the box from low to high (3,), `cells` along its longest side."""
    step = np.max(high - low) / cells
    counts = np.ceil((high - low) / step - 1e-9).astype(int) + 3
    axes = [low[i] + step * (np.arange(counts[i]) - 1) for i in range(3)]
    field = value(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)).reshape(counts)
    number = np.arange(field.size).reshape(counts)
    cubes = np.stack(
        [
            number[tuple(slice(c, n - 1 + c) for c, n in zip(corner, counts, strict=True))]
            for corner in CORNERS
        ],
        axis=-1,
    ).reshape(-1, 8)
    field = field.ravel()
    inside = field < 0
    full = inside[cubes].all(axis=1).sum()
    mixed = cubes[inside[cubes].any(axis=1) & ~inside[cubes].all(axis=1)]
    four = mixed[:, TETRAHEDRA].reshape(-1, 4)
    four = np.take_along_axis(four, np.argsort(~inside[four], axis=1, kind="stable"), axis=1)  # inside first
    within = inside[four].sum(axis=1)
    one, two, three = (four[within == n] for n in (1, 2, 3))
    ends = np.concatenate(
        [
            one[:, [0, 1, 0, 2, 0, 3]],
            two[:, [0, 2, 0, 3, 1, 3]],
            two[:, [0, 2, 1, 3, 1, 2]],
            three[:, [0, 3, 1, 3, 2, 3]],
        ]
    ).reshape(-1, 2)
    edges, triangle = np.unique(ends, axis=0, return_inverse=True)
    place = np.stack([axes[i][np.stack(np.unravel_index(edges, counts))[i]] for i in range(3)], axis=-1)
    share = (field[edges[:, 0]] / (field[edges[:, 0]] - field[edges[:, 1]]))[:, None]
    points = place[:, 0] + share * (place[:, 1] - place[:, 0])
    tetrahedron = step**3 / 6
    partly = _parts(field, one, [1, 2, 3]).sum() + (1 - _parts(field, three[:, ::-1], [1, 2, 3])).sum()
    partly += (within == 4).sum() + _wedges(field, two).sum()
    return GridSurface(points, triangle.reshape(-1, 3), float(tetrahedron * (6 * full + partly)))


def _shares(field: Floats, first: Ints, others: Ints) -> Floats:
    """How far from grid points (k,) the zero is, on the way to others (k, m)."""
    return field[first][:, None] / (field[first][:, None] - field[others])


def _parts(field: Floats, four: Ints, others: Sequence[int]) -> Floats:
    """The share of each tetrahedron that the corner cut off from it has."""
    result: Floats = _shares(field, four[:, 0], four[:, others]).prod(axis=1)
    return result


def _wedges(field: Floats, two: Ints) -> Floats:
    """The share of each tetrahedron ABCD on the side of A and B: the wedge cut in three, with zeros on AC,
    AD, BC and BD.
    """
    (ac, ad), (bc, bd) = (_shares(field, two[:, i], two[:, 2:]).T for i in (0, 1))
    result: Floats = ac * ad + (1 - ac) * bc * bd + ac * (1 - ad) * bd
    return result
