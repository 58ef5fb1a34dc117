"""The limit surface about an extraordinary vertex, exactly: Stam 1998 by powers of the subdivision matrix.

Refining once takes the points C of a ready face's neighbourhood to those of the child at the same corner, C'
= A C; the other three children are regular, with Bezier nets X_k C, k = 1, 2, 3.  So the whole face is the
corner's limit point and, for every level l, three bicubic patches over [0, 2^-l]^2 without [0, 2^-l-1]^2,

    nets X_k A^l C.

A has one eigenvalue 1, with right eigenvector 1 and left eigenvector w: the limit point is w C, and

    A^l = 1 w + B^l,  B = A - 1 w.

The powers B^l shrink by the subdominant eigenvalue and keep their digits, so points relative to the limit
point, tangents and normals are exact at any distance from it.  Stam diagonalizes A for this; powers exist
also where A cannot be diagonalized, and serve creases, borders, corners and darts alike.

Source: J. Stam, Exact evaluation of Catmull-Clark subdivision surfaces at arbitrary parameter values,
SIGGRAPH 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...arrays import Floats
from .neighbourhoods import VertexFan, control_grids, model_cage, neighbourhood_of
from .refinement import refine

LEVELS = 48  # levels that are followed: beyond 2^-48 parameters of the face have no digits left

# From four control points of a uniform cubic B-spline to those of the Bezier piece.
_TO_BEZIER: Floats = np.array([[1, 4, 1, 0], [0, 4, 2, 0], [0, 2, 4, 0], [0, 1, 4, 1]]) / 6.0


def bezier_nets(grids: Floats) -> Floats:
    """Return the Bezier nets (m, 4, 4, d) of uniform bicubic B-splines with control points (m, 4, 4, d)."""
    rows = np.tensordot(grids, _TO_BEZIER, axes=(1, 1))
    nets: Floats = np.moveaxis(np.tensordot(rows, _TO_BEZIER, axes=(1, 1)), 1, 3)
    return np.ascontiguousarray(nets)


@dataclass(frozen=True, eq=False)
class Powers:
    """Weights of the points of one kind of neighbourhood.

    limit (points,): of the limit point.  Relative to that point, nets (LEVELS, 3, 16, points): of the Bezier
    nets of all levels; rings (LEVELS, points, points): of the neighbourhoods of all levels.
    """

    limit: Floats
    nets: Floats
    rings: Floats


@lru_cache(maxsize=256)
def powers_of(fan: VertexFan) -> Powers:
    """Return the powers for one kind of neighbourhood."""
    cage = model_cage(fan)
    finer, matrix = refine(cage)
    to_finer = matrix.toarray()
    a = to_finer[neighbourhood_of(finer, fan, np.array([0]))[0]]
    limit = _left_eigenvector(a)
    patches = bezier_nets(control_grids(finer, to_finer, np.array([1, 2, 3])))
    rings = np.empty((LEVELS, *a.shape))
    rings[0] = np.eye(len(a)) - limit
    for level in range(1, LEVELS):
        rings[level] = (a - limit) @ rings[level - 1]
    nets: Floats = patches.reshape(1, 48, len(a)) @ rings
    return Powers(limit, nets.reshape(LEVELS, 3, 16, len(a)), rings)


def _left_eigenvector(a: Floats) -> Floats:
    """Return w (n,) with w A = w and sum 1."""
    return np.asarray(np.linalg.solve(a.T - np.eye(len(a)) + 1.0, np.ones(len(a))), dtype=np.float64)
