"""Linear complementarity with a symmetric matrix: z >= 0, w = S z + q >= 0, z . w = 0.

These are the conditions of min 1/2 z' S z + q . z with z >= 0, the dual of a step's quadratic programme.  A
primal-dual active set (Hintermüller, Ito and Kunisch 2003) guesses which z are positive, solves for these,
and guesses again by the signs of z and w.  That may go in circles.  So once the number of wrong signs has not
fallen for some rounds, the last wrong one alone changes sides until it falls: block principal pivoting
(Júdice and Pires 1994), which ends for every positive definite S (Murty 1974).  Where rows are all but
redundant that takes many rounds, and rounding can keep it from ending; then non-negative least squares, which
is slower than a few rounds, takes its place: with S = L L', min |L' z + L^-1 q|.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from scipy.linalg import get_lapack_funcs, solve_triangular

from ..arrays import Bools, Floats
from .non_negative import non_negative_least_squares

_Lapack = Callable[..., tuple[Floats, Floats, int]]
_solve_positive = cast("_Lapack", get_lapack_funcs("posv", dtype=np.float64))

_ROUNDS = 40  # solutions after which it is left to least squares
_TRIES = 3  # rounds in which all wrong signs change though there are no fewer of them
_ROUNDED = 1e-13  # w or z, over the greatest q or z, that is zero but for rounding
_PROXIMAL = 1e-10  # of the diagonal, that is added to it: redundant rows then have a solution


def complementary(matrix: Floats, linear: Floats, start: Bools | None = None) -> Floats:
    """Return z (k,) with z >= 0, S z + q >= 0 and z . (S z + q) = 0.

    Args:
        matrix: S (k, k), symmetric and positive semidefinite.
        linear: q (k,).
        start: which z (k,) are positive at first, such as in a similar problem.
    """
    size = len(linear)
    if size == 0 or (linear >= 0.0).all():
        return np.zeros(size)
    scale = np.sqrt(np.maximum(np.diag(matrix), np.finfo(float).tiny))
    scaled = matrix / scale[:, None] / scale + _PROXIMAL * np.eye(size)
    right = linear / scale
    found = _by_pivoting(scaled, right, right < 0.0 if start is None else start)
    if found is None:
        found = _by_least_squares(scaled, right)
    unscaled: Floats = found / scale
    return unscaled


def _by_pivoting(matrix: Floats, linear: Floats, active: Bools) -> Floats | None:
    """Return the solution by block principal pivoting from a guess; None if it does not end soon."""
    tolerance = _ROUNDED * float(np.abs(linear).max())
    least, tries = len(linear) + 1, _TRIES
    active, seen = active.copy(), set[bytes]()
    for _ in range(_ROUNDS):
        rows, z = active.nonzero()[0], np.zeros(len(linear))
        if len(rows):
            some = matrix[rows[:, None], rows].T
            _, found, failed = _solve_positive(some, -linear[rows], lower=1, overwrite_a=1)
            if failed:
                return None
            z[rows] = found
        none = _ROUNDED * float(np.abs(z).max())
        wrong = np.where(active, z < -none, matrix @ z + linear < -tolerance).nonzero()[0]
        if not len(wrong):
            return np.maximum(z, 0.0)
        if len(wrong) < least:
            least, tries = len(wrong), _TRIES
            seen.clear()
        elif tries > 0:
            tries -= 1
        else:
            wrong = wrong[-1:]
            if active.tobytes() in seen:  # the same round again, and so without end
                return None
            seen.add(active.tobytes())
        active[wrong] = ~active[wrong]
    return None


def _by_least_squares(matrix: Floats, linear: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    upper: Floats = np.linalg.qr((vectors * np.sqrt(np.maximum(values, _PROXIMAL))).T)[1]
    lower = upper.T
    target = solve_triangular(lower, -linear, lower=True)
    return non_negative_least_squares(lower.T, np.asarray(target, np.float64))
