"""The least change by which a surface follows its control points (Witkin and Heckbert 1994, section 3.4).

Wanted is the rate q' of the parameters that differs least from a desired one, Q, in a metric M, while

    A q' = b,    A = F_q at the control points,    b = -(F_x . p' + phi F),

so that every point stays on the surface. With M^-1 = B B' (B is called the mobility) and q' = Q + B y, this
is the smallest y with (A B) y = b - A Q: y = (A B)^+ (b - A Q), which is what equations 7 and 8 give for M =
1.

Points can ask for what cannot be: more of them than parameters, or two that ask the same, or opposites. So
the pseudo-inverse is formed from singular values, of rows that are divided by |F_x| and so in units of
length, and small ones are damped. Points have ranks: pinned ones are met first, and dragged ones within what
these leave free. Where all can be met, that is the same least change, because the part that a rank adds is at
right angles to all rows above it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs

from ...arrays import Bools, Floats, Ints

_solved: Any = get_lapack_funcs("posv", dtype=np.float64)  # a factor, the solution, and whether none is found
_ASKED = 1e-5  # share of the longest row: a smaller singular value asks for what is asked already
_LITTLE = 1e-2  # share of a row: where the rows above leave less of it free, it is not worth the change
# share of what parameters can change F by: where |F_x| is less, it counts as this
_LEAST_GRADIENT = (
    0.01  # of what parameters can change F by: a point where F_x is less counts as if it were so
)


def length_weights(rows: Floats, slope: Floats) -> Floats:
    """Return the weights (n,) that make lengths of values of F at n points: 1 / |F_x|, bounded where that is
    near zero.

    Args:
        rows: A B (n, m).
        slope: |F_x| (n,).

    Returns:
        The weights (n,); 0 where neither tells anything.
    """
    longest = math.sqrt(np.vdot(rows, rows))  # at least as long as any row
    if np.minimum.reduce(slope, initial=np.inf) > max(_LEAST_GRADIENT * longest, 1e-200):
        return np.asarray(1.0 / slope)
    size = np.maximum(slope, _LEAST_GRADIENT * row_lengths(rows))
    return np.where(size > 1e-200, 1.0 / np.maximum(size, 1e-200), 0.0)


def row_lengths(rows: Floats) -> Floats:
    """Return the lengths (n,) of rows (n, m)."""
    return np.asarray(np.sqrt(np.add.reduce(rows * rows, axis=1)))


@dataclass(frozen=True, eq=False)
class _Rank:
    """Rows that are served together, with the singular values and vectors of what the rows above leave free
    of them.

    Attributes:
        rows: A B (n, m).
        left: the left singular vectors (n, n).
        values: the damped inverse of the singular values (n,).
        right: the right singular vectors (n, m).
        fixed: which of them count as met exactly (n,).
    """

    rows: Floats
    left: Floats
    values: Floats
    right: Floats
    fixed: Bools

    @classmethod
    def of(cls, rows: Floats, kept: Floats) -> _Rank:
        """Return the rank of rows (n, m), below the orthonormal rows `kept` (k, m)."""
        free = rows - (rows @ kept.T) @ kept if len(kept) else rows
        left, values, right = _singular(free)
        longest = math.sqrt(float(np.einsum("nm,nm->n", rows, rows).max()))
        smallest = max((_LITTLE if len(kept) else _ASKED) * longest, 1e-200)
        fixed = values > smallest
        if fixed.all():
            return cls(rows, left, 1.0 / values, right, fixed)
        damped = np.minimum(values / smallest, 1.0) ** 3 / np.maximum(values, smallest)
        return cls(rows, left, damped, right, fixed)

    @property
    def whole(self) -> Floats:
        """The inverse (m, n)."""
        return np.asarray((self.right.T * self.values) @ self.left.T)

    def answer(self, ask: Floats, most: float) -> Floats:
        """Return the least y (m,) for what is asked (n,); directions that need more than `most` get less."""
        along = self.values * (ask @ self.left)
        along *= np.minimum(1.0, most / np.maximum(np.abs(along), 1e-300)) ** 2
        return np.asarray(along @ self.right)


@dataclass(frozen=True, eq=False)
class RankedInverse:
    """The damped inverse of rows in ranks.

    Attributes:
        rows: A B (n, m), in units of length.
        rank: returns the rank of each row (n,), which is needed where some ask nearly what others ask; the
            smallest is served first.
        of_independent: the inverse (m, n) where none of them asks nearly what others ask; None if some do.
    """

    rows: Floats
    rank: Callable[[], Ints]
    of_independent: Floats | None

    @classmethod
    def of(cls, rows: Floats, rank: Callable[[], Ints]) -> RankedInverse:
        """Return the inverse of rows (n, m) whose ranks (n,) `rank` returns."""
        return cls(rows, rank, _inverse_of_independent(rows))

    @property
    def whole(self) -> Floats:
        """The inverse (m, n)."""
        return self._by_ranks[1] if self.of_independent is None else self.of_independent

    def beyond(self, rows: Floats) -> Floats:
        """Return the part of other rows (k, m) that these leave free."""
        if self.of_independent is None:
            kept = self._by_ranks[2]
            return rows - (rows @ kept.T) @ kept
        return rows - (rows @ self.of_independent) @ self.rows

    @cached_property
    def _by_ranks(self) -> tuple[list[tuple[Ints, _Rank]], Floats, Floats]:
        """The ranks with the numbers of their rows, the inverse (m, n), and a basis (k, m) of what the rows
        fix.
        """
        made, kept, whole, ranks = [], self.rows[:0], np.zeros(self.rows.T.shape), self.rank()
        for number in np.unique(ranks):
            own = np.flatnonzero(ranks == number)
            rank = _Rank.of(self.rows[own], kept)
            part = rank.whole
            whole -= part @ (rank.rows @ whole)
            whole[:, own] = part
            kept = np.concatenate([kept, rank.right[rank.fixed]])
            made.append((own, rank))
        return made, whole, kept

    def answer(self, ask: Floats, most: float = np.inf) -> Floats:
        """Return the least y (m,) for what each row asks (n,), or less where more than `most` is needed."""
        y = self.whole @ ask
        if y @ y <= most * most:
            return np.asarray(y)
        y = np.zeros(self.rows.shape[1])
        for own, rank in self._by_ranks[0]:
            y = y + rank.answer(ask[own] - rank.rows @ y, most)
        return y


def _inverse_of_independent(rows: Floats) -> Floats | None:
    """Return the inverse R' (R R')^-1 (m, n) of rows R (n, m), none of which asks nearly what others ask;
    None if some do.

    The others leave free of a row R_i the square 1 / (R R')^-1_ii.
    """
    if not len(rows):
        return rows.T
    square = rows @ rows.T
    _, inverse, failed = _solved(square, _identity(len(square)))
    if failed:  # some rows are others'
        return None
    taken = np.maximum.reduce(square.diagonal() * inverse.diagonal())
    return np.asarray(rows.T @ inverse) if taken < _LITTLE**-2 else None


@lru_cache(maxsize=16)
def _identity(count: int) -> Floats:
    """Return the identity matrix (count, count), not to be written to."""
    return np.eye(count)


def _singular(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the left singular vectors (n, n), the singular values (n,) and the right vectors (n, m) of rows
    (n, m).
    """
    if len(rows) > 1:
        left, values, right = np.linalg.svd(rows, full_matrices=False)
        return left, values, right
    length = math.sqrt(float(rows[0] @ rows[0]))
    return np.ones((1, 1)), np.array([length]), rows / max(length, 1e-300)
