"""The normal equations A = J K^-1 J' + C of rows that each have entries for one or two bodies.

They are what is left of a KKT system (Choi and Cremer 1999, equations 8 to 10)

    [ K  -J' ] [ x ]   [ r ]                  A l = -p - J K^-1 r,
    [ J   C  ] [ l ] = [ -p ],                x = K^-1 (J' l + r),

with K block diagonal, six coordinates a body, and C >= 0 diagonal: 0 of a row that must hold, and of a soft
row what it gives way to a multiplier of 1.

Which entries of A are not zero follows from the bodies of the rows alone.  The order of the rows (reverse
Cuthill and McKee 1969, in which A is banded) and the places of all products are found once for a structure
(the paper's section 5.3); a factorization then is one gather, one sum and LAPACK's banded Cholesky.  Where
the band would be wide, as that of a tree, A is factored as a general sparse matrix, in an order of least
degree that is kept, too.

*Dense columns* (the paper's section 5.2, Andersen 1996).  A body with many rows, the hub of a star, makes its
part of A full.  Its columns J_D are left out of A_S = A - J_D K_D^-1 J_D' and rows that lose all of their
entries by that get a unit on their diagonal, F F', so that P = A_S + F F' has a factor.  With U = J_D
K_D^-1/2

    A = P + U U' - F F' = P + V S V',    V = [U F],    S = diag(1, -1),

    A^-1 b = y - P^-1 V (S + V' P^-1 V)^-1 V' y,    y = P^-1 b,

which is the paper's equation 11 without its middle unknowns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy import sparse
from scipy.linalg import get_lapack_funcs
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from ..arrays import Floats, Ints

_Lapack = Callable[..., tuple[Floats, int]]
_factor_banded = cast("_Lapack", get_lapack_funcs("pbtrf", dtype=np.float64))
_solve_banded = cast("_Lapack", get_lapack_funcs("pbtrs", dtype=np.float64))

_MANY_ROWS = 60  # rows of a body above which its columns are dense, unless all bodies have as many
_WIDE = 120  # half bandwidth above which a general sparse factorization is faster


class DualEquations:
    """A = J K^-1 J' + C for rows of one structure; `factor` gives it numbers, `solve` solves."""

    def __init__(self, body: Ints, count: int) -> None:
        """Find the structure.

        Args:
            body: the bodies (n, 2) of the rows, negative for what does not move.
            count: the number of bodies.
        """
        self._rows, self._count = len(body), count
        dense = _dense_bodies(body, count)
        entry = np.flatnonzero(body.ravel() >= 0)
        owner = body.ravel()[entry]
        self._owner = np.where(body.ravel() >= 0, body.ravel(), 0)
        self._columns = (self._owner[:, None] * 6 + np.arange(6)).ravel()
        self._still = np.flatnonzero(body.ravel() < 0)
        self._rates, self._primal = self._pattern(), self._pattern().T
        self._in_hub = [(hub, entry[owner == hub]) for hub in dense]
        kept = entry[~np.isin(owner, dense)]
        first, second = _pairs_by_owner(kept, body.ravel()[kept])
        row1, row2 = first // 2, second // 2
        alone = np.ones(self._rows, bool)
        alone[kept // 2] = False
        self._lifted = np.flatnonzero(alone) if len(dense) else np.zeros(0, np.intp)
        size = self._rows
        graph = sparse.csr_array((np.ones(len(row1)), (row1, row2)), (size, size))
        self._order: Ints = np.zeros(0, np.intp)
        if size:
            order = reverse_cuthill_mckee((graph + graph.T).tocsr(), symmetric_mode=True)
            self._order = np.asarray(order, np.intp)
        self._place = np.empty(size, np.intp)
        self._place[self._order] = np.arange(size)
        below = np.maximum(self._place[row1], self._place[row2])
        above = np.minimum(self._place[row1], self._place[row2])
        self._first, self._second = first, second
        self._band = int((below - above).max(initial=0))
        self._general = _GeneralFactor(below, above, size) if self._band > _WIDE else None
        self._where = (below - above) + above * (self._band + 1)

    @property
    def half_bandwidth(self) -> int:
        """The half bandwidth of the part that is factored."""
        return self._band

    @property
    def dense_bodies(self) -> list[int]:
        """The numbers of the bodies whose columns are dense."""
        return [hub for hub, _ in self._in_hub]

    def factor(self, blocks: Floats, inverse: Floats, compliance: Floats) -> None:
        """Factor A.

        Args:
            blocks: J, the entries (n, 2, 6) by the two bodies of each row; those by what does not move have
                no meaning.
            inverse: K^-1 (m, 6, 6) of the bodies, or its diagonal (m, 6).
            compliance: C (n,).

        Raises:
            numpy.linalg.LinAlgError: A is not positive definite; more compliance mends that.
        """
        flat = blocks.reshape(-1, 6)
        if len(self._still):
            flat = flat.copy()
            flat[self._still] = 0.0
        self._flat_blocks, self._inverse = flat, inverse
        weights = inverse[self._owner]
        self._weighted = flat * weights if inverse.ndim == 2 else (flat[:, None] @ weights)[:, 0]
        products = np.einsum("pi,pi->p", flat[self._first], self._weighted[self._second])
        diagonal = compliance.copy()
        diagonal[self._lifted] += 1.0
        if not self._rows:
            return
        if self._general is not None:
            self._general.factor(products, diagonal[self._order])
        else:
            self._factor_band(products, diagonal)
        if self._in_hub:
            self._factor_hubs()

    def _factor_band(self, products: Floats, diagonal: Floats) -> None:
        width = self._band + 1
        banded: Floats = np.bincount(self._where, products, self._rows * width).astype(np.float64, copy=False)
        banded = banded.reshape(self._rows, width)
        banded[:, 0] += np.asarray(diagonal[self._order], np.float64)
        self._lower, failed = _factor_banded(banded.T, lower=1, overwrite_ab=1)
        if failed:
            raise np.linalg.LinAlgError(f"the normal equations are not positive definite ({failed})")

    def _factor_hubs(self) -> None:
        columns = np.zeros((self._rows, 6 * len(self._in_hub) + len(self._lifted)))
        for each, (hub, entries) in enumerate(self._in_hub):
            inverse = self._inverse[hub]
            root = np.diag(np.sqrt(inverse)) if inverse.ndim == 1 else np.linalg.cholesky(inverse)
            columns[entries // 2, 6 * each : 6 * each + 6] += self._flat_blocks[entries] @ root
        start = 6 * len(self._in_hub)
        columns[self._lifted, start + np.arange(len(self._lifted))] = 1.0
        signs = np.ones(columns.shape[1])
        signs[start:] = -1.0
        self._dense = columns
        self._solved = self._solve_sparse(columns)
        self._capacitance = np.diag(signs) + columns.T @ self._solved

    def _solve_sparse(self, right: Floats) -> Floats:
        """Return P^-1 b for right-hand sides (n,) or (n, k)."""
        ordered = right[self._order]
        if self._general is not None:
            ordered = self._general.solve(ordered)
        else:
            ordered, _ = _solve_banded(self._lower, ordered, lower=1)
        out = np.empty_like(right)
        out[self._order] = ordered.reshape(right.shape)
        return out

    def solve(self, right: Floats) -> Floats:
        """Return the multipliers A^-1 b for right-hand sides b, (n,) or (n, k)."""
        if not self._rows:
            return right
        solution = self._solve_sparse(right)
        if self._in_hub:
            inner = np.linalg.solve(self._capacitance, self._dense.T @ solution)
            solution = solution - self._solved @ inner
        return solution

    def primal(self, multipliers: Floats) -> Floats:
        """Return K^-1 J' l (m, 6) for multipliers l (n,)."""
        weighted = np.repeat(multipliers, 2)[:, None] * self._weighted
        sums: Floats = np.bincount(self._columns, weighted.ravel(), 6 * self._count).astype(
            np.float64, copy=False
        )
        return sums.reshape(-1, 6)

    def primal_of_many(self, multipliers: Floats) -> Floats:
        """Return K^-1 J' l (k, m, 6) for multipliers l (n, k)."""
        self._primal.data = self._weighted.ravel()
        sums: Floats = self._primal @ multipliers
        return sums.T.reshape(-1, self._count, 6)

    def rates(self, x: Floats) -> Floats:
        """Return J x (n,) for coordinates x (m, 6)."""
        products: Floats = (self._flat_blocks * x[self._owner]).sum(axis=1)
        rates: Floats = products.reshape(-1, 2).sum(axis=1)
        return rates

    def rates_of_many(self, x: Floats) -> Floats:
        """Return J x' (n, k) for coordinates x (k, m, 6)."""
        self._rates.data = self._flat_blocks.ravel()
        rates: Floats = self._rates @ x.reshape(len(x), 6 * self._count).T
        return rates

    def _pattern(self) -> sparse.csr_array:
        """Return a matrix (n, 6 m) of the pattern of J, of whose entries each row has two by six."""
        shape, starts = (self._rows, 6 * self._count), 12 * np.arange(self._rows + 1)
        return sparse.csr_array((np.zeros(12 * self._rows), self._columns, starts), shape)


class _GeneralFactor:
    """The sparse factor of a matrix whose pattern stays: its order is found by the first factorization."""

    def __init__(self, below: Ints, above: Ints, size: int) -> None:
        self._size = size
        self._order: Ints | None = None
        self._plain = True
        key, self._index = np.unique(above * size + below, return_inverse=True)
        self._column, self._row = key // size, key % size
        self._diagonal = np.flatnonzero(self._column == self._row)

    def factor(self, products: Floats, diagonal: Floats) -> None:
        """Factor the matrix of the sums of products, and a diagonal (n,)."""
        values = np.bincount(self._index.ravel(), products, len(self._row))
        off = self._column != self._row
        row = np.concatenate([self._row, self._column[off], np.arange(self._size)])
        column = np.concatenate([self._column, self._row[off], np.arange(self._size)])
        data = np.concatenate([values, values[off], diagonal])
        options: dict[str, Any] = {"options": {"SymmetricMode": True}, "diag_pivot_thresh": 0.0}
        if self._order is None:
            matrix = sparse.csc_array((data, (row, column)), (self._size, self._size))
            self._factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", **options)
            self._order = np.argsort(self._factors.perm_c)
            self._place = np.asarray(self._factors.perm_c, np.intp)
            return
        matrix = sparse.csc_array((data, (self._place[row], self._place[column])), (self._size, self._size))
        self._factors, self._plain = splu(matrix, permc_spec="NATURAL", **options), False

    def solve(self, right: Floats) -> Floats:
        """Return the solutions of right-hand sides (n,) or (n, k)."""
        if self._plain:
            return np.asarray(self._factors.solve(right))
        assert self._order is not None
        return np.asarray(self._factors.solve(right[self._order])[self._place])


def _dense_bodies(body: Ints, count: int) -> list[int]:
    """Return the bodies with so many rows that their columns are dense."""
    rows = np.bincount(body[body >= 0], minlength=count)
    usual = float(np.median(rows[rows > 0])) if (rows > 0).any() else 0.0
    many: list[int] = np.flatnonzero(rows > max(_MANY_ROWS, 4.0 * usual)).tolist()
    return many


def _pairs_by_owner(entry: Ints, owner: Ints) -> tuple[Ints, Ints]:
    """Return every pair of entries of one body, each once, an entry with itself, too."""
    order = np.argsort(owner, kind="stable")
    entry, owner = entry[order], owner[order]
    start = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]]) if len(owner) else np.zeros(0, np.intp)
    counts = np.diff(np.r_[start, len(owner)])
    first, second = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for size in np.unique(counts).tolist():
        mine = entry[start[counts == size][:, None] + np.arange(size)]
        one, other = np.tril_indices(size)
        first.append(mine[:, one].ravel())
        second.append(mine[:, other].ravel())
    return np.concatenate(first), np.concatenate(second)
