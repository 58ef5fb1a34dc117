"""Non-negative least squares, min |A x - b| with x >= 0, for the few rows of a wrench and any number of
columns.

Lawson and Hanson 1974, chapter 23: columns enter one at a time, that of the steepest descent first; the
passive ones are solved for by least squares; a component that would turn negative stops the move there and
leaves.  The contact forces and the certificate of rest stand on this, and scipy's own routine returns
suboptimal answers in the releases that the Blender versions we support can load (1.15; scipy issue 25389),
so it is written here.  Dependent columns (duplicated contacts) are no trouble: a column that would not enter
is barred until another one has.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints

_NO_DESCENT = 1e-14  # of the sizes of A and b


def nonnegative_least_squares(matrix: Floats, target: Floats) -> Floats:
    """Return the x >= 0 (k,) that minimizes |matrix @ x - target|, for a matrix (m, k) and target (m,)."""
    columns = matrix.shape[1]
    x, passive, barred = np.zeros(columns), np.zeros(columns, bool), np.zeros(columns, bool)
    size = max(1.0, float(np.abs(matrix).max(initial=0.0))) * max(1.0, float(np.abs(target).max(initial=0.0)))
    for _ in range(3 * columns + 30):
        descent = matrix.T @ (target - matrix @ x)
        descent[passive | barred] = -np.inf
        entering = int(np.argmax(descent)) if columns else 0
        if columns == 0 or descent[entering] <= _NO_DESCENT * size:
            break
        passive[entering] = True
        if _settle(matrix, target, x, passive, entering):
            barred[:] = False
        else:
            passive[entering], barred[entering] = False, True
    return x


def _settle(matrix: Floats, target: Floats, x: Floats, passive: Bools, entering: int) -> bool:
    """Move x to the solution on the passive columns, letting go of those that would turn negative; in place.

    Return False if the entering column would not grow: rounding alone let it in.
    """
    while True:
        rows: Ints = np.nonzero(passive)[0]
        solution: Floats = np.linalg.lstsq(matrix[:, rows], target, rcond=None)[0].astype(np.float64)
        negative = solution <= 0.0
        if not negative.any():
            x[:] = 0.0
            x[rows] = solution
            return True
        if x[entering] == 0.0 and bool(negative[rows == entering].any()):
            return False
        here = x[rows]
        reach = float((here[negative] / (here[negative] - solution[negative])).min())
        x[rows] += reach * (solution - here)
        leaving = negative & (x[rows] <= 1e-15 * max(1.0, float(x.max())))
        if not leaving.any():
            leaving = negative & (x[rows] == x[rows][negative].min())
        x[rows[leaving]] = 0.0
        passive[rows[leaving]] = False
