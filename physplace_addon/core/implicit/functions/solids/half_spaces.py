"""Half-spaces: f = n . (x - o) - d, n of unit length; several are a convex polyhedron, their intersection.

Normals are measured about a place o in the middle of the object, so that turning one moves the plane where
the artist sees it. The length of n means nothing: F does not change along n, and n is made a unit vector
again whenever it is set.

The box about the polyhedron n . x <= d comes from its corners. Three planes meet in a corner if the place is
in all other half-spaces. Along n_i x n_j, in which two planes meet, the polyhedron is unbounded if no
half-space ends there. With three independent normals it has a corner, or it is empty. Many planes, or normals
in one plane, are left to linear programming.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from ....arrays import Floats, Ints
from ....errors import ImplicitError
from ....vectors import cross, dot, length, length_and_unit
from ..bounding_boxes import EMPTY
from ..element_rows import columns_of
from .solids import SLOPE_ROUNDING, Solids, Which, products

_MOST = 24  # planes up to which all corners are formed: 2,024 triples of them
# relative widening of the box; sine of an angle below which planes count as parallel
_SLACK, _PARALLEL = 1e-9, 1e-9
# scipy's status of a program without solution; the absolute error of its solutions
_INFEASIBLE, _LP_SLACK = 2, 1e-6


def box_of_half_spaces(normals: Floats, distances: Floats) -> Floats:
    """Return the box (2, 3) about where all n . x <= d, slightly widened.

    Args:
        normals: n (k, 3), of unit length.
        distances: d (k,), in the units of x.

    Returns:
        The box, infinite where the polyhedron is, and EMPTY where there is nothing.
    """
    if len(normals) > _MOST or np.linalg.matrix_rank(normals, tol=1e-6) < 3:
        return _by_programming(normals, distances)
    slack = _SLACK * (1.0 + np.abs(distances).max())
    triples, pairs = _choices(len(normals), 3), _choices(len(normals), 2)
    planes = normals[triples]
    meeting = np.abs(np.linalg.det(planes)) > _PARALLEL
    places = np.linalg.solve(planes[meeting], distances[triples[meeting]][..., None])[..., 0]
    corners = places[(places @ normals.T <= distances + slack).all(axis=1)]
    if not len(corners):
        return EMPTY.copy()
    lines = cross(normals[pairs[:, 0]], normals[pairs[:, 1]])
    ways = np.concatenate((lines, -lines))[np.tile((lines * lines).sum(axis=1) > _PARALLEL, 2)]
    endless = ways[(ways @ normals.T <= _PARALLEL).all(axis=1)]
    low = np.where((endless < -_PARALLEL).any(axis=0), -np.inf, corners.min(axis=0) - slack)
    high = np.where((endless > _PARALLEL).any(axis=0), np.inf, corners.max(axis=0) + slack)
    return np.stack((low, high))


@lru_cache(maxsize=64)
def _choices(count: int, size: int) -> Ints:
    """Return all choices (c, size) of so many out of `count` numbers."""
    return np.array(list(combinations(range(count), size)), dtype=np.intp)


def _by_programming(normals: Floats, distances: Floats) -> Floats:
    """Return the box (2, 3) by linear programming."""
    if _farthest(np.zeros(3), normals, distances) == -np.inf:
        return EMPTY.copy()
    ways = [sign * axis for sign in (-1.0, 1.0) for axis in np.eye(3)]
    ends = np.array([_farthest(way, normals, distances) for way in ways])
    return np.stack((-ends[:3], ends[3:]))


def _farthest(way: Floats, normals: Floats, distances: Floats) -> float:
    """Return the greatest direction . x in the polyhedron, and the solver's error; -inf if it is empty."""
    found = linprog(-way, A_ub=normals, b_ub=distances, bounds=(None, None))
    if found.status == _INFEASIBLE:
        return -np.inf
    return _LP_SLACK - float(found.fun) if found.status == 0 else np.inf


_ROUNDING = 2.0**-49  # relative rounding of a distance to a plane


@dataclass(frozen=True, eq=False)
class HalfSpaces(Solids):
    """k half-spaces; rows (k, 4) of outward normal and distance from `origin`, in scene units.

    Attributes:
        origin: o (3,), about which normals turn.
        size: how far from there the planes matter, in scene units.
    """

    origin: Floats
    size: float
    kind = "plane"
    columns = ("normal x", "normal y", "normal z", "distance")
    sign = -1.0

    @classmethod
    def of(
        cls, normals: ArrayLike, points: ArrayLike, origin: ArrayLike = (0.0, 0.0, 0.0), size: float = 1.0
    ) -> Self:
        """Return the half-spaces with outward normals (k, 3) of any length, whose planes go through points
        (k, 3).

        Raises:
            ImplicitError: for a normal without length.
        """
        rows = columns_of("plane", (("normals", 3, normals), ("points", 3, points)))
        length, n = length_and_unit(rows[:, :3])
        if not (length > 0.0).all():
            raise ImplicitError("plane", "normals", "a normal of length 0", "give it a direction")
        middle = np.asarray(origin, dtype=np.float64)
        distance = dot(n, rows[:, 3:] - middle)
        return cls(np.column_stack((n, distance)), middle, float(size))

    def _valid(self, rows: Floats) -> Floats:
        """Return the rows (k, 4) with unit normals, in place; a normal without length stays as it was."""
        length, n = length_and_unit(rows[:, :3])
        rows[:, :3] = np.where(length[:, None] > 0.0, n, self.rows[:, :3])
        return rows

    @property
    def scales(self) -> Floats:
        """1 / size for the components of a normal, 1 for a distance (4 k,)."""
        return np.tile([1.0 / self.size] * 3 + [1.0], len(self.rows))

    def values(self, x: Floats, which: Which) -> Floats:
        """Return the distances f (...), in scene units."""
        rows = self.rows[which]
        value: Floats = np.einsum("...i,...i->...", x - self.origin, rows[..., :3]) - rows[..., 3]
        return value

    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and n (..., 3)."""
        return self.values(x, which), np.broadcast_to(self.rows[which, :3], x.shape).copy()

    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), n (..., 3) and 0 (..., 3, 3)."""
        return *self.gradients(x, which), np.zeros((*x.shape, 3))

    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return the part of x - o across n by the normal, and -1 by the distance (..., 4)."""
        away, n = x - self.origin, self.rows[which, :3]
        across = away - np.einsum("...i,...i->...", away, n)[..., None] * n
        return np.concatenate((across, np.full((*across.shape[:-1], 1), -1.0)), axis=-1)

    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest f (n, k), which are at two corners of each box."""
        n, d = self.rows[:, :3], self.rows[:, 3]
        one, other = (products(n, (end - self.origin)[:, None]) for end in (lower, upper))
        least, most = np.minimum(one, other).sum(axis=-1), np.maximum(one, other).sum(axis=-1)
        ends = np.maximum(np.abs(lower), np.abs(upper)).sum(axis=1)[:, None]
        slack = np.where(np.isfinite(ends), _ROUNDING * (ends + np.abs(d) + np.abs(self.origin).sum()), 0.0)
        return least - d - slack, most - d + slack

    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return n . direction (n, k), whatever the boxes."""
        slopes: Floats = directions @ self.rows[:, :3].T
        return slopes - SLOPE_ROUNDING * length(directions)[:, None]

    def box_inside(self, level: float) -> Floats:
        """Return the box (2, 3) about the polyhedron, all its planes shifted outwards by the level."""
        own = box_of_half_spaces(self.rows[:, :3], (self.rows[:, 3] + level) / self.size)
        box: Floats = self.origin + self.size * own
        return box

    def boxes(self, level: float) -> Floats:
        """Return infinite boxes (k, 2, 3): only together do half-spaces bound anything."""
        return np.tile(-EMPTY, (len(self.rows), 1, 1))
