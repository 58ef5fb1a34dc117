"""Non-negative least squares, min |A x - b| with x >= 0, for a wrench's few rows and any number of columns.

Lawson and Hanson 1974, chapter 23: columns enter one at a time, that of the steepest descent first; the
passive ones are solved for by least squares; a component that would turn negative stops the move there and
leaves.  The contact forces and the certificate of rest stand on this, and scipy's own routine returns
suboptimal answers in the releases that the Blender versions we support can load (1.15; scipy issue 25389),
so it is written here.  Dependent columns (duplicated contacts) are no trouble: a column that would not enter
is barred until another one has.

The passive columns are kept as Q R and updated by rotations (O(m^2) a column), as their condition squared,
that of the normal equations, would cost half the digits.  A solution of a problem much like this one is a
good start: its positive entries are the first passive set, and only what differs is left to do.  No column
enters unless the misfit falls, which ends it surely, also where columns all but cancel one another (contacts
that squeeze).

A and b are divided by powers of two near their largest entries, which changes no digit, so that what counts
as rounding is the same whatever the units: forces of a bead of a milligram are no smaller than those of a
wall.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import qr_delete, qr_insert, solve_triangular

from ..arrays import Bools, Floats, Ints

_TIE = 1e-6  # descents that differ by less, over the steepest, are equal: the first of these columns enters
_NO_DESCENT = 1e-15  # descent, over the sizes of A and b, that is rounding
_DEPENDENT = 1e-10  # part of a column outside the span of the others below which it depends on them


def non_negative_least_squares(matrix: Floats, target: Floats, start: Floats | None = None) -> Floats:
    """Return the x >= 0 (k,) that minimizes |matrix @ x - target|.

    Source: Lawson and Hanson 1974, chapter 23.

    Args:
        matrix: A (m, k).
        target: b (m,).
        start: a guess of x (k,), such as the solution of a similar problem; a good one only saves time.
    """
    by_matrix, by_target = _exponent(matrix), _exponent(target)
    if by_matrix == by_target == 0:
        return _of_scaled(matrix, target, start)
    guess = None if start is None else np.ldexp(start, by_matrix - by_target)
    found = _of_scaled(np.ldexp(matrix, -by_matrix), np.ldexp(target, -by_target), guess)
    x: Floats = np.ldexp(found, by_target - by_matrix)
    return x


def _exponent(values: Floats) -> int:
    """Return n for which 2^n is not above the largest of some numbers, and 2^(n + 1) is; 0 if all are 0."""
    largest = float(np.abs(values).max(initial=0.0))
    return math.frexp(largest)[1] - 1 if largest > 0.0 else 0


def _of_scaled(matrix: Floats, target: Floats, start: Floats | None) -> Floats:
    """Return the solution (k,) where the largest entries of A and of b are from 1 to 2, or b is 0."""
    columns = matrix.shape[1]
    passive, barred = _Passive(matrix, target), np.zeros(columns, bool)
    size = float(np.abs(matrix).max(initial=0.0)) * float(np.abs(target).max(initial=0.0))
    if start is not None:
        passive.begin(start)
    for _ in range(3 * columns + 30):
        descent = matrix.T @ passive.misfit
        descent[passive.columns] = -np.inf
        descent[barred] = -np.inf
        tie = _TIE * float(descent.max(initial=0.0)) + 10.0 * _NO_DESCENT * size
        entering = int(np.argmax(descent >= descent.max() - tie)) if columns else 0
        if columns == 0 or descent[entering] <= _NO_DESCENT * size:
            break
        if passive.enter(entering):
            barred[:] = False
        else:
            barred[entering] = True
    return passive.x


class _Passive:
    """The columns (p,) of a matrix (m, k) that may be positive, their factors Q (m, m) and R (m, p), and the
    solution x (k,) on them with its misfit b - A x (m,).
    """

    def __init__(self, matrix: Floats, target: Floats) -> None:
        self._matrix, self._target = matrix, target
        self._q: Floats = np.eye(len(matrix), order="F")
        self._r: Floats = np.zeros((len(matrix), 0), order="F")
        self.columns: Ints = np.zeros(0, np.intp)
        self.x: Floats = np.zeros(matrix.shape[1])
        self.misfit: Floats = target.copy()

    def begin(self, start: Floats) -> None:
        """Set out from the positive entries of a guess (k,), as far as their columns are independent."""
        before = self._state()
        for column in np.nonzero(start > 0.0)[0]:
            self._add(int(column))
        self.x[self.columns] = start[self.columns]
        if not self._settle(None):
            self._restore(before)

    def enter(self, column: int) -> bool:
        """Take a column in; return False, and change nothing, if that leaves no smaller misfit: the column
        depends on those that are in, or rounding alone made it descend.
        """
        before = self._state()
        if self._add(column) and self._settle(column):
            return True
        self._restore(before)
        return False

    def _settle(self, entering: int | None) -> bool:
        """Move x to the solution on the passive columns, letting go of those that would turn negative.

        Return False if the entering column would not grow, or the misfit does not fall.
        """
        while True:
            solution = self._solve()
            columns, negative = self.columns, solution <= 0.0
            if not negative.any():
                return self._accept(solution)
            if entering is not None and self.x[entering] == 0.0 and bool(negative[columns == entering].any()):
                return False
            here = self.x[columns]
            reach = float((here[negative] / (here[negative] - solution[negative])).min())
            here += reach * (solution - here)
            leaving = negative & (here <= 1e-15 * max(1.0, float(here.max())))
            if not leaving.any():
                leaving = negative & (here == here[negative].min())
            here[leaving] = 0.0
            self.x[columns] = here
            self._remove(leaving)

    def _accept(self, solution: Floats) -> bool:
        before = self.misfit
        self.x[:] = 0.0
        self.x[self.columns] = solution
        self.misfit = self._target - self._matrix[:, self.columns] @ solution
        return bool(self.misfit @ self.misfit < before @ before)

    def _solve(self) -> Floats:
        count = len(self.columns)
        if count == 0:
            return np.zeros(0)
        right = self._q[:, :count].T @ self._target
        solution: Floats = solve_triangular(self._r[:count], right, check_finite=False).astype(np.float64)
        return solution

    def _add(self, column: int) -> bool:
        added, count = self._matrix[:, column], len(self.columns)
        if count == len(added):
            return False
        q, r = qr_insert(self._q, self._r, added, count, "col", check_finite=False)
        if abs(r[count, count]) <= _DEPENDENT * np.sqrt(added @ added):
            return False
        self._keep(q, r, np.append(self.columns, column))
        return True

    def _remove(self, leaving: Bools) -> None:
        for place in np.nonzero(leaving)[0][::-1]:
            q, r = qr_delete(self._q, self._r, int(place), which="col", check_finite=False)
            self._keep(q, r, np.delete(self.columns, place))

    def _keep(self, q: ArrayLike, r: ArrayLike, columns: Ints) -> None:
        self._q, self._r, self.columns = np.asarray(q, np.float64), np.asarray(r, np.float64), columns

    def _state(self) -> tuple[Floats, Floats, Ints, Floats, Floats]:
        return self._q, self._r, self.columns, self.x.copy(), self.misfit

    def _restore(self, state: tuple[Floats, Floats, Ints, Floats, Floats]) -> None:
        self._q, self._r, self.columns, self.x, self.misfit = state
