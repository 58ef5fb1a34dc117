"""Non-negative least squares, min |A x - b| with x >= 0, for a wrench's few rows and any number of columns.

Lawson and Hanson 1974, chapter 23: columns enter one at a time, that of the steepest descent first; the
passive ones are solved for by least squares; a component that would turn negative stops the move there and
leaves.  The contact forces and the certificate of rest stand on this, and scipy's own routine returns
suboptimal answers in the releases that the Blender versions we support can load (1.15; scipy issue 25389),
so it is written here.  Dependent columns (duplicated contacts) are no trouble: a column that would not enter
is barred until another one has.

The passive columns are kept as Q R and updated by rotations (O(m^2) a column), as their condition squared,
that of the normal equations, would cost half the digits.  A solution of a problem much like this one is a
good start: its positive entries are the first passive set, and only what differs is left to do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr_delete, qr_insert, solve_triangular

from ..arrays import Bools, Floats, Ints

_NO_DESCENT = 1e-14  # of the sizes of A and b
_DEPENDENT = 1e-13  # of a column's length: what is left of it outside the span of the others


def nonnegative_least_squares(matrix: Floats, target: Floats, start: Floats | None = None) -> Floats:
    """Return the x >= 0 (k,) that minimizes |matrix @ x - target|, for a matrix (m, k) and target (m,).

    start (k,): a guess of x, such as the solution of a problem before this one; any is right, a good one is
    fast.
    """
    columns = matrix.shape[1]
    x, barred, passive = np.zeros(columns), np.zeros(columns, bool), _Passive(matrix, target)
    size = max(1.0, float(np.abs(matrix).max(initial=0.0))) * max(1.0, float(np.abs(target).max(initial=0.0)))
    if start is not None:
        _begin(passive, x, start)
    for _ in range(3 * columns + 30):
        descent = matrix.T @ (target - matrix @ x)
        descent[passive.columns] = -np.inf
        descent[barred] = -np.inf
        entering = int(np.argmax(descent)) if columns else 0
        if columns == 0 or descent[entering] <= _NO_DESCENT * size:
            break
        if passive.add(entering) and _settle(passive, x, entering):
            barred[:] = False
        else:
            passive.remove(passive.columns == entering)
            barred[entering] = True
    return x


class _Passive:
    """The columns (p,) of a matrix (m, k) that may be positive, and their factors Q (m, m) and R (m, p)."""

    def __init__(self, matrix: Floats, target: Floats) -> None:
        self._matrix, self._target = matrix, target
        self._q: Floats = np.eye(len(matrix), order="F")
        self._r: Floats = np.zeros((len(matrix), 0), order="F")
        self.columns: Ints = np.zeros(0, np.intp)

    def add(self, column: int) -> bool:
        """Return False, and change nothing, if it depends on those that are in."""
        added, count = self._matrix[:, column], len(self.columns)
        if count == len(added):
            return False
        q, r = qr_insert(self._q, self._r, added, count, "col", check_finite=False)
        if abs(r[count, count]) <= _DEPENDENT * np.sqrt(added @ added):
            return False
        self._keep(q, r, np.append(self.columns, column))
        return True

    def remove(self, leaving: Bools) -> None:
        """Take out those that a mask (p,) marks."""
        for place in np.nonzero(leaving)[0][::-1]:
            q, r = qr_delete(self._q, self._r, int(place), which="col", check_finite=False)
            self._keep(q, r, np.delete(self.columns, place))

    def _keep(self, q: ArrayLike, r: ArrayLike, columns: Ints) -> None:
        self._q, self._r, self.columns = np.asarray(q, np.float64), np.asarray(r, np.float64), columns

    def solve(self) -> Floats:
        """Return the least squares on these columns (p,)."""
        count = len(self.columns)
        if count == 0:
            return np.zeros(0)
        right = self._q[:, :count].T @ self._target
        solution: Floats = solve_triangular(self._r[:count], right, check_finite=False).astype(np.float64)
        return solution


def _begin(passive: _Passive, x: Floats, start: Floats) -> None:
    """Set out from the positive entries of a guess, as far as their columns are independent; in place."""
    for column in np.nonzero(start > 0.0)[0]:
        if passive.add(int(column)):
            x[column] = start[column]
    _settle(passive, x, None)


def _settle(passive: _Passive, x: Floats, entering: int | None) -> bool:
    """Move x to the solution on the passive columns, letting go of those that would turn negative; in place.

    Return False if the entering column would not grow: rounding alone let it in.
    """
    while True:
        solution = passive.solve()
        columns, negative = passive.columns, solution <= 0.0
        if not negative.any():
            x[:] = 0.0
            x[columns] = solution
            return True
        if entering is not None and x[entering] == 0.0 and bool(negative[columns == entering].any()):
            return False
        here = x[columns]
        reach = float((here[negative] / (here[negative] - solution[negative])).min())
        here += reach * (solution - here)
        leaving = negative & (here <= 1e-15 * max(1.0, float(here.max())))
        if not leaving.any():
            leaving = negative & (here == here[negative].min())
        here[leaving] = 0.0
        x[columns] = here
        passive.remove(leaving)
