"""The middle of an intersection of half-spaces n.x <= d, and its box, from corners and where it has no end.

Three planes meet in a corner of it if the place is in all other half-spaces; along n_i x n_j, in which two
meet, it has no end if no half-space has one there.  With three independent normals it has a corner, or it is
empty.  Many planes, or normals in one plane, are left to linear programming.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from ..arrays import Floats, Ints
from .extents import EMPTY

_MOST = 24  # planes, whose corners are all looked at
_SLACK, _PARALLEL = 1e-9, 1e-9
_INFEASIBLE, _LP_SLACK = 2, 1e-6


def box_of_half_spaces(normals: Floats, distances: Floats) -> Floats:
    """Return the box (2, 3) about where all n.x <= d, n (k, 3) of unit length, d (k,); a trifle too large.

    It is infinite where that is, and EMPTY where there is nothing.
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
    lines = np.cross(normals[pairs[:, 0]], normals[pairs[:, 1]])
    ways = np.concatenate((lines, -lines))[np.tile((lines * lines).sum(axis=1) > _PARALLEL, 2)]
    endless = ways[(ways @ normals.T <= _PARALLEL).all(axis=1)]
    low = np.where((endless < -_PARALLEL).any(axis=0), -np.inf, corners.min(axis=0) - slack)
    high = np.where((endless > _PARALLEL).any(axis=0), np.inf, corners.max(axis=0) + slack)
    return np.stack((low, high))


@lru_cache(maxsize=64)
def _choices(count: int, size: int) -> Ints:
    return np.array(list(combinations(range(count), size)), dtype=np.intp)


def middle_of_half_spaces(normals: Floats, distances: Floats) -> Floats:
    """Return the middle (1, 3) of the largest ball where all n.x <= d; none (0, 3) if there is no largest."""
    rows = np.column_stack((normals, np.ones(len(normals))))
    radius = np.array([[0.0, 0.0, 0.0, -1.0]])
    least = np.append(distances, 0.0)
    found = linprog(radius[0], A_ub=np.concatenate((rows, radius)), b_ub=least, bounds=(None, None))
    return np.asarray(found.x[None, :3] if found.status == 0 else np.zeros((0, 3)), dtype=np.float64)


def _by_programming(normals: Floats, distances: Floats) -> Floats:
    if _farthest(np.zeros(3), normals, distances) == -np.inf:
        return EMPTY.copy()
    ways = [sign * axis for sign in (-1.0, 1.0) for axis in np.eye(3)]
    ends = np.array([_farthest(way, normals, distances) for way in ways])
    return np.stack((-ends[:3], ends[3:]))


def _farthest(way: Floats, normals: Floats, distances: Floats) -> float:
    """The greatest way.x, and what may be missed; -inf for no place at all."""
    found = linprog(-way, A_ub=normals, b_ub=distances, bounds=(None, None))
    if found.status == _INFEASIBLE:
        return -np.inf
    return _LP_SLACK - float(found.fun) if found.status == 0 else np.inf
