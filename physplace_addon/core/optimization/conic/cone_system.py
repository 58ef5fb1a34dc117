"""The matrix B + E'E / delta + J' M J of a problem with cones, for any 3 x 3 blocks M of its cones.

J has three rows for each of K cones: a normal row and two tangential ones.  The blocks M are not symmetric
where they stand for Coulomb's law, so the matrix is factored by LU.

Up to some sixty unknowns dense matrices are fastest.  Above, the unknowns are put in an order in which the
matrix is banded (`banded_order`).  The blocks M turn from one factorization to the next, so the sparse
product that `normal_equations` keeps for diagonal weights does not serve; here the rows of cones between the
same bodies are kept as a dense block over the columns that they touch, and all products are formed at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import sparse
from scipy.linalg import get_lapack_funcs
from scipy.sparse.linalg import splu

from ...arrays import Bools, Floats, Ints
from .banded_order import banded_order
from .cone_rows import ConeRows

DELTA: Final = 1e-8
"""Proximal regularization of equations and cones, where B has a unit diagonal and rows have unit length."""

_DENSE = 60  # most unknowns for which dense matrices are faster
_OF_A_BODY = 6  # unknowns
_MOST_SLOTS = 8  # most cones between the same bodies whose products are formed at once
_WIDEST_BAND = 500  # half bandwidth above which a general sparse factorization is faster


_LAPACK: Any = get_lapack_funcs(("getrf", "getrs", "gbtrf", "gbtrs"), dtype=np.float64)
_factored, _solved, _factored_band, _solved_band = _LAPACK


class SingularMatrixError(ArithmeticError):
    """The matrix has no factorization."""


@dataclass(frozen=True, eq=False)
class Entries:
    """A sparse matrix as rows (n,), columns (n,) and values (n,) of its entries, those of one place added.

    Rows follow each other; starts (m + 1,): where each begins.
    """

    row: Ints
    column: Ints
    value: Floats
    starts: Ints
    shape: tuple[int, int]

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> Entries:
        """Return the entries of a matrix."""
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        shape: Any = matrix.shape
        return cls(row, matrix.indices.astype(np.intp), matrix.data, matrix.indptr.astype(np.intp), shape)

    def lengths(self) -> Floats:
        """Return the lengths (m,) of the rows, 1 for rows without entries; no place may come twice."""
        squares = np.bincount(self.row, self.value**2, self.shape[0])
        return np.asarray(np.sqrt(np.where(squares > 0.0, squares, 1.0)))

    def scaled(self, rows: Floats, columns: Floats) -> Entries:
        """Return the matrix with rows and columns multiplied by factors (m,) and (d,)."""
        value = self.value * rows[self.row] * columns[self.column]
        return Entries(self.row, self.column, value, self.starts, self.shape)

    def dense(self) -> Floats:
        """Return a dense matrix."""
        count, size = self.shape
        flat = np.bincount(self.row * size + self.column, self.value, count * size)
        return flat.astype(np.float64).reshape(self.shape)

    def csr(self) -> sparse.csr_array:
        """Return a sparse matrix."""
        entries: Any = (self.value, self.column, self.starts)
        return sparse.csr_array(entries, shape=self.shape)


class ConeSystem:
    """Products with B (d, d), E (q, d) and J (3 K, d), and solutions with B + E'E / delta + J' M J."""

    def __init__(self, matrix: Entries, equations: Entries, rows: ConeRows) -> None:
        """Prepare products; J has all normal rows first, then those of the first and the second tangent."""
        self._solver: _Dense | _Banded
        self._matrix: Any
        self._equations: Any
        self._rows: Any
        if matrix.shape[0] <= _DENSE:
            self._matrix, self._equations, self._rows = matrix.dense(), equations.dense(), rows.dense()
            self._rows_transposed = np.ascontiguousarray(self._rows.T)
            base = self._matrix + (self._equations.T @ self._equations) / DELTA
            self._solver = _Dense(base, self._rows, self._rows_transposed)
        else:
            self._matrix, self._rows = matrix.csr(), rows.csr()
            self._rows_transposed = self._rows.T.tocsr()  # by rows, products are a third faster
            if len(equations.value):
                self._equations = equations.csr()
                base = self._matrix + (self._equations.T @ self._equations) / DELTA
                matrix = Entries.of(base.tocsr())
            else:
                self._equations = np.zeros(equations.shape)
            self._solver = _Banded(matrix, rows)
        self._equations_transposed = self._equations.T

    def matrix_times(self, x: Floats) -> Floats:
        """Return B x (d,)."""
        return np.asarray(self._matrix @ x)

    def equations_times(self, x: Floats) -> Floats:
        """Return E x (q,)."""
        return np.asarray(self._equations @ x)

    def rows_times(self, x: Floats) -> Floats:
        """Return J x (3, K) of x (d,)."""
        return np.asarray(self._rows @ x).reshape(3, -1)

    def transposed(self, multipliers: Floats, forces: Floats) -> Floats:
        """Return E' l + J' f (d,) of multipliers l (q,) and forces f (3, K)."""
        product = np.asarray(self._rows_transposed @ forces.ravel())
        if len(multipliers):
            product += self._equations_transposed @ multipliers
        return product

    def factor(self, blocks: Floats) -> None:
        """Factor the matrix for blocks M (3, 3, K).

        Raises:
            SingularMatrixError: the matrix is singular.
        """
        self._solver.factor(blocks)

    def solve(self, right: Floats) -> Floats:
        """Return the solution (d,) for a right-hand side (d,)."""
        return self._solver.solve(right)

    def solve_without_cones(self, right: Floats) -> Floats:
        """Return the solution (d,) with B + E'E / delta alone.

        Raises:
            SingularMatrixError: the matrix is singular.
        """
        return self._solver.solve_without_cones(right)


class _Dense:
    """Factorization of a dense matrix."""

    def __init__(self, base: Floats, rows: Floats, transposed: Floats) -> None:
        self._base, self._transposed = base, transposed
        self._thirds = rows.reshape(3, -1, rows.shape[1])
        self._factors, self._pivots = base, np.zeros(0, np.intc)

    def factor(self, blocks: Floats) -> None:
        weighted = np.einsum("ijk,jkd->ikd", blocks, self._thirds).reshape(-1, len(self._base))
        full = self._base + self._transposed @ weighted
        self._factors, self._pivots, failed = _factored(full)
        if failed:
            raise SingularMatrixError

    def solve(self, right: Floats) -> Floats:
        return np.asarray(_solved(self._factors, self._pivots, right)[0])

    def solve_without_cones(self, right: Floats) -> Floats:
        factors, pivots, failed = _factored(self._base)
        if failed:
            raise SingularMatrixError
        return np.asarray(_solved(factors, pivots, right)[0])


class _Banded:
    """Factorization of a band matrix, or of a general sparse one where the band is wide."""

    def __init__(self, base: Entries, rows: ConeRows) -> None:
        size = self._size = rows.size
        self._blocks = rows.blocks
        columns, self._slot, slots = _grouped(rows.columns)
        self._stacked = np.zeros((len(columns) * slots, 3, columns.shape[1]))
        self._stacked[self._slot] = self._blocks
        self._shape = (len(columns), 3 * slots, columns.shape[1])
        self._transposed = np.ascontiguousarray(self._stacked.reshape(self._shape).transpose(0, 2, 1))
        self._order = _banded_order(base, columns)
        place = np.full(size + 1, -1, np.intp)  # a column that only fills a block up has no place
        place[self._order] = np.arange(size)
        row, column = place[base.row], place[base.column]
        at = place[columns]
        self._band = max(int(np.abs(row - column).max(initial=0)), _widest(at))
        self._height = 3 * self._band + 1  # LAPACK's LU fills `band` spare rows above the upper ones
        spare = self._height * size
        rows_at, columns_at = (np.where(at >= 0, each, spare) for each in (at, self._flat(0 * at, at)))
        self._where = np.minimum(rows_at[:, :, None] + columns_at[:, None], spare).ravel()
        self._base = np.bincount(self._flat(row, column), base.value, spare + 1).astype(np.float64)
        self._solver: Callable[[Floats], Floats] = np.copy
        self._solver_without_cones: Callable[[Floats], Floats] | None = None

    def _flat(self, row: Ints, column: Ints) -> Ints:
        """Return where the entry of a row and a column stands in the band's array, column by column."""
        flat: Ints = column * self._height + 2 * self._band + (row - column)
        return flat

    def factor(self, blocks: Floats) -> None:
        self._stacked[self._slot] = np.matmul(blocks.transpose(2, 0, 1), self._blocks)
        products = np.matmul(self._transposed, self._stacked.reshape(self._shape))
        flat = np.bincount(self._where, products.ravel(), len(self._base)).astype(np.float64, copy=False)
        flat += self._base
        self._solver = self._factored(flat)

    def _factored(self, flat: Floats) -> Callable[[Floats], Floats]:
        """Return what solves with a matrix, given by its band's array."""
        band = flat[:-1].reshape(self._size, self._height).T
        if self._band > _WIDEST_BAND:
            return self._factored_generally(band)
        factors, pivots, failed = _factored_band(band, self._band, self._band, overwrite_ab=1)
        if failed:
            raise SingularMatrixError
        return lambda right: np.asarray(_solved_band(factors, self._band, self._band, right, pivots)[0])

    def _factored_generally(self, band: Floats) -> Callable[[Floats], Floats]:
        offsets = self._band - np.arange(2 * self._band + 1)
        full = sparse.dia_array((band[self._band :], offsets), (self._size, self._size)).tocsc()
        full.eliminate_zeros()
        try:
            factors = splu(full, permc_spec="MMD_AT_PLUS_A")
        except RuntimeError as error:
            raise SingularMatrixError from error
        return lambda right: np.asarray(factors.solve(right))

    def solve(self, right: Floats) -> Floats:
        return self._in_order(self._solver, right)

    def solve_without_cones(self, right: Floats) -> Floats:
        if self._solver_without_cones is None:
            self._solver_without_cones = self._factored(self._base.copy())
        return self._in_order(self._solver_without_cones, right)

    def _in_order(self, solver: Callable[[Floats], Floats], right: Floats) -> Floats:
        out = np.empty_like(right)
        out[self._order] = solver(right[self._order])
        return out


def _widest(at: Ints) -> int:
    """Return the largest difference of two places in one of the rows (G, m); -1 is no place."""
    if at.size == 0:
        return 0
    last = at.max(axis=1)
    first = np.where(at >= 0, at, last[:, None]).min(axis=1)
    return int((last - first).max())


def _grouped(columns: Ints) -> tuple[Ints, Ints, int]:
    """Return the columns (G, m) of groups of cones that touch the same, and each cone's slot (K,).

    All groups have the same number of slots, which comes last; those with fewer cones leave some empty.
    """
    order, begins = _sorted_rows(columns)
    starts, group = np.flatnonzero(begins), np.cumsum(begins) - 1
    counts = np.diff(np.append(starts, len(order)))
    within = np.arange(len(order)) - starts[group]
    slots = min(int(counts.max(initial=1)), _MOST_SLOTS)
    parts = -(-counts // slots)
    first = np.cumsum(parts) - parts
    slot = np.empty(len(order), np.intp)
    slot[order] = first[group] * slots + within
    return np.repeat(columns[order[starts]], parts, axis=0), slot, slots


def _sorted_rows(columns: Ints) -> tuple[Ints, Bools]:
    """Return an order (K,) in which equal rows of columns (K, m) follow each other, and which begin there."""
    first, last = columns[:, :1], columns[:, -1:]
    order = np.argsort((first * (columns.max(initial=0) + 1) + last).ravel(), kind="stable")
    begins = _begins(np.concatenate([first, last], axis=1)[order])
    if (begins == _begins(columns[order])).all():
        return order, begins
    order = np.lexsort(columns.T[::-1])  # the same first and last columns, but not all
    return order, _begins(columns[order])


def _begins(rows: Ints) -> Bools:
    """Return which rows (K, m) differ from the one before."""
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return begins


def _banded_order(base: Entries, columns: Ints) -> Ints:
    """Return the order (d,) in which unknowns that share a group's columns (G, m), d for none, or an entry of
    the base make a narrow band.

    Where bodies have six unknowns each, that follow each other, bodies are put in order.
    """
    size = base.shape[0]
    each = 1 if size % _OF_A_BODY else _OF_A_BODY
    node, count = columns // each, size // each
    first, second = node[:, :-1], node[:, 1:]  # each is connected with the next one of its group
    joined = (first != second) & (first < count) & (second < count)
    row, column = base.row // each, base.column // each
    apart = row != column
    first, second = np.append(first[joined], row[apart]), np.append(second[joined], column[apart])
    nodes = banded_order(count, first, second)
    return np.asarray((each * nodes[:, None] + np.arange(each)).ravel(), np.intp)
