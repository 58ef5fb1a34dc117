"""The least change by which a surface follows its control points (Witkin and Heckbert 1994, section 3.4).

Wanted is the rate q' of the parameters that differs least from a desired one, Q, in a metric M, while

    A q' = b,    A = F_q at the control points,    b = -(F_x . p' + phi F),

so that every point stays on the surface.  With M^-1 = B B^T ("mobility") and q' = Q + B y this is the
smallest y with (A B) y = b - A Q: y = (A B)^+ (b - A Q), what equations 7 and 8 give for M = 1.

Points can ask for what cannot be: more of them than parameters, or two that ask the same, or opposites.  So
the pseudo-inverse is by singular values, of rows that are divided by |F_x| and so in units of length, and
small ones are damped.  Points come in ranks: what the pinned ask is met first, and what the dragged ask
within what that leaves free, and last mere wishes.  Where all can be met, that is the same least change:
the part that a rank adds is at right angles to all rows above it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats

_ASKED = 1e-5  # of a row: a smaller singular value asks what is asked already
_LITTLE = 1e-2  # of a row: where those before leave less of it free, it is not worth the change
_LEAST_GRADIENT = (
    0.01  # of what parameters can change F by: a point where F_x is less counts as if it were so
)
_RIDGE = 0.02  # of a parameter's own length: what its motion costs where it does not move the surface


def mobility_by_scales(scales: Floats, free: Bools) -> Floats:
    """Return B (m, m): each parameter's change is measured by how far it moves the surface, roughly.

    scales (m,): changes that move it by about a unit of length; free (m,): those that may change at all.
    """
    return np.diag(np.where(free, scales, 0.0))


def mobility_by_motion(motion: Floats, area: Floats, scales: Floats, free: Bools) -> Floats:
    """Return B (m, m) of the metric "mean square of the surface's motion" (footnote 1's sensitivity matrix).

    motion (k, m) is F_q / |F_x| at samples of the surface, area (k,) their share of it.  It does not depend
    on what the parameters are, nor on their units; with it, one that moves all of the surface, as a bias
    does, is left alone where one that moves a part will do.  A parameter that moves none, as that of a blob
    buried in others, would cost nothing: so each costs a little by its scale, too.
    """
    some = np.flatnonzero(free)
    weighted = motion * np.sqrt(area / area.sum())[:, None]
    metric = ((weighted.T @ weighted) * scales * scales[:, None])[np.ix_(some, some)]
    metric.ravel()[:: len(some) + 1] += _RIDGE
    half = np.linalg.inv(np.linalg.cholesky(metric)).T
    mobility = np.zeros((len(scales), len(scales)))
    mobility[np.ix_(some, some)] = scales[some, None] * half
    return mobility


def weights_of(rows: Floats, slope: Floats) -> Floats:
    """Return what makes lengths of F's values at points (n,): 1 / |F_x|, but bounded where F_x is near zero.

    rows (n, m) are A B, slope (n,) is |F_x|.  It is 0 where neither tells anything.
    """
    reach = np.sqrt(np.einsum("nm,nm->n", rows, rows))
    size = np.maximum(slope, _LEAST_GRADIENT * reach)
    return np.where(size > 1e-200, 1.0 / np.maximum(size, 1e-200), 0.0)


@dataclass(frozen=True, eq=False)
class _Rank:
    """Rows (n, m) that are served together, and the singular values and vectors of what those before leave
    free of them: values (n,) are damped and inverse, fixed (n,) tells which count.
    """

    rows: Floats
    left: Floats
    values: Floats
    right: Floats
    fixed: Bools

    @classmethod
    def of(cls, rows: Floats, kept: Floats) -> _Rank:
        """Take the singular values of rows (n, m) beside the orthonormal rows `kept` (k, m)."""
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
        """Return the least y for what is asked; a direction that needs more than `most` gets less."""
        along = self.values * (ask @ self.left)
        along *= np.minimum(1.0, most / np.maximum(np.abs(along), 1e-300)) ** 2
        return np.asarray(along @ self.right)


@dataclass(frozen=True, eq=False)
class Inverse:
    """The damped inverse of rows in ranks, `parts` (n_i, m): `whole` (m, n), and kept (k, m): an orthonormal
    basis of all that the rows fix.
    """

    parts: tuple[Floats, ...]
    columns: int

    @classmethod
    def of(cls, ranks: Sequence[Floats]) -> Inverse:
        """Invert ranks of rows (n_i, m), first come first served; rows of lengths, not of other units."""
        return cls(tuple(rows for rows in ranks if len(rows)), ranks[0].shape[1])

    @property
    def whole(self) -> Floats:
        """The inverse (m, n)."""
        return self._both[0]

    @property
    def kept(self) -> Floats:
        """The basis (k, m)."""
        return self._both[1]

    @cached_property
    def _both(self) -> tuple[Floats, Floats]:
        return _of_independent(self.parts) or self._by_ranks[1:]

    @cached_property
    def _by_ranks(self) -> tuple[list[_Rank], Floats, Floats]:
        made: list[_Rank] = []
        kept = np.zeros((0, self.columns))
        whole = kept.T
        for rows in self.parts:
            rank = _Rank.of(rows, kept)
            part = rank.whole
            whole = np.concatenate([whole - part @ (rows @ whole), part], axis=1)
            kept = np.concatenate([kept, rank.right[rank.fixed]])
            made.append(rank)
        return made, whole, kept

    def answer(self, ask: Floats, most: float = np.inf) -> Floats:
        """Return the least y (m,) for what each row asks (n,), or less where more than `most` is needed."""
        y = self.whole @ ask
        if y @ y <= most * most:
            return np.asarray(y)
        y, first = np.zeros(self.columns), 0
        for rank in self._by_ranks[0]:
            asked = ask[first : first + len(rank.rows)]
            y = y + rank.answer(asked - rank.rows @ y, most)
            first += len(asked)
        return y


def _of_independent(parts: Sequence[Floats]) -> tuple[Floats, Floats] | None:
    """Return the inverse and the basis of rows of which none asks nearly what others ask, and all are served
    alike; None if some do.

    With R R^T = L L^T they are R^T L^-T L^-1 and L^-1 R.  1 / |L^-1| is below all singular values.
    """
    if not parts:
        return None
    rows = np.concatenate(parts)
    square = rows @ rows.T
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(square))
    except np.linalg.LinAlgError:  # some rows are others'
        return None
    if not np.vdot(inverse, inverse) * square.diagonal().max() * _LITTLE**2 < 1.0:
        return None
    kept = inverse @ rows
    return kept.T @ inverse, kept


def _singular(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the singular values (n,) of rows (n, m), and the vectors on both sides (n, n), (n, m)."""
    if len(rows) > 1:
        left, values, right = np.linalg.svd(rows, full_matrices=False)
        return left, values, right
    length = math.sqrt(float(rows[0] @ rows[0]))
    return np.ones((1, 1)), np.array([length]), rows / max(length, 1e-300)
