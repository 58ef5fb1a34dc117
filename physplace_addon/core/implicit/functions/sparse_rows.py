"""Sparse matrices F_q, put together row by row.

A row belongs to a point and has entries only for the parameters of elements near to it (Witkin and Heckbert
1994, section 6: "exploit sparsity in F's dependence on q"). The layout is that of compressed sparse rows;
scipy's matrix is made only at the end, because making one takes longer than the arithmetic of a few points.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints


class SparseRows(NamedTuple):
    """n rows of a sparse matrix: row i has `data` at `indices`, which rise, from starts[i] to starts[i + 1].

    Attributes:
        data: the entries (e,).
        indices: their columns (e,).
        starts: where each row starts (n + 1,).
        columns: the number of columns.
    """

    data: Floats
    indices: Ints
    starts: Ints
    columns: int

    def matrix(self) -> csr_array:
        """Return the rows as scipy's matrix, a copy of an empty one of the same shape, which is quicker to
        make.
        """
        matrix = copy.copy(_empty(len(self.starts) - 1, self.columns))
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices, self.starts
        return matrix


@lru_cache(maxsize=64)
def _empty(rows: int, columns: int) -> csr_array:
    return csr_array((rows, columns))


def rows_of(matrix: csr_array) -> SparseRows:
    """Return the rows of a matrix of scipy."""
    indices, starts = (np.asarray(own, dtype=np.intp) for own in (matrix.indices, matrix.indptr))
    return SparseRows(matrix.data, indices, starts, matrix.shape[-1])


def of_dense(values: Floats, near: Bools | None = None) -> SparseRows:
    """Return the values (n, m) as rows, with entries where `near` (n, m) holds, or everywhere."""
    points, columns = values.shape
    if near is None or near.all():
        indices = np.tile(np.arange(columns), points)
        return SparseRows(values.ravel(), indices, np.arange(points + 1) * columns, columns)
    return SparseRows(values[near], np.nonzero(near)[1], _starts(near.sum(axis=1)), columns)


def of_entries(points: Ints, indices: Ints, data: Floats, count: int, columns: int) -> SparseRows:
    """Return entries that are in any order, one for each (point, index), as rows.

    Args:
        points: the row of each entry (e,).
        indices: its column (e,).
        data: its value (e,).
        count: the number of rows.
        columns: the number of columns.
    """
    order = np.lexsort((indices, points))
    return SparseRows(data[order], indices[order], _starts(np.bincount(points, minlength=count)), columns)


def side_by_side(parts: Sequence[SparseRows]) -> SparseRows:
    """Return matrices of the same number of rows, next to one another."""
    if len(parts) == 1:
        return parts[0]
    counts = [np.diff(part.starts) for part in parts]
    starts = _starts(np.sum(counts, axis=0))
    data, indices = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.intp)
    filled, column = starts[:-1].copy(), 0
    for part, count in zip(parts, counts, strict=True):
        places = np.repeat(filled - part.starts[:-1], count) + np.arange(len(part.data))
        data[places], indices[places] = part.data, part.indices + column
        filled += count
        column += part.columns
    return SparseRows(data, indices, starts, column)


def scaled(rows: SparseRows, factors: Floats) -> SparseRows:
    """Return the rows times factors (n,); a row whose factor is 0 loses its entries."""
    counts, kept = np.diff(rows.starts), factors != 0.0
    data = rows.data * np.repeat(factors, counts)
    if kept.all():
        return rows._replace(data=data)
    entries = np.repeat(kept, counts)
    return SparseRows(data[entries], rows.indices[entries], _starts(np.where(kept, counts, 0)), rows.columns)


def selected(rows: SparseRows, columns: Bools) -> SparseRows:
    """Return the columns where the mask `columns` (m,) holds."""
    entries, numbers = columns[rows.indices], np.cumsum(columns) - 1
    data, indices = rows.data[entries], numbers[rows.indices[entries]]
    return SparseRows(data, indices, _starts(entries)[rows.starts], int(columns.sum()))


def _starts(counts: Ints | Bools) -> Ints:
    """Return where rows of so many entries (n,) start, and where the last one ends (n + 1,)."""
    starts = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=starts[1:])
    return starts
