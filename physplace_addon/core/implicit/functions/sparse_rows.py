"""Sparse matrices F_q put together row by row: a row is a point, and has entries for what is near it only."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints


class SparseRows(NamedTuple):
    """Row i has `data` at `indices`, which rise, from starts[i] to starts[i + 1]; out of `columns`."""

    data: Floats
    indices: Ints
    starts: Ints
    columns: int

    def matrix(self) -> csr_array:
        """Return it as scipy's matrix: a copy of an empty one, for making one takes longer than all else."""
        matrix = copy.copy(_empty(len(self.starts) - 1, self.columns))
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices, self.starts
        return matrix


@lru_cache(maxsize=64)
def _empty(rows: int, columns: int) -> csr_array:
    return csr_array((rows, columns))


def rows_of(matrix: csr_array) -> SparseRows:
    """Return the rows of a matrix."""
    indices, starts = (np.asarray(own, dtype=np.intp) for own in (matrix.indices, matrix.indptr))
    return SparseRows(matrix.data, indices, starts, matrix.shape[-1])


def of_dense(values: Floats, near: Bools | None = None) -> SparseRows:
    """Return the values (n, m) where `near` (n, m) holds, or all."""
    points, columns = values.shape
    if near is None or near.all():
        indices = np.tile(np.arange(columns), points)
        return SparseRows(values.ravel(), indices, np.arange(points + 1) * columns, columns)
    return SparseRows(values[near], np.nonzero(near)[1], _starts(near.sum(axis=1)), columns)


def of_entries(points: Ints, indices: Ints, data: Floats, count: int, columns: int) -> SparseRows:
    """Return entries in any order, one for each (point, index), as the rows of `count` points."""
    order = np.lexsort((indices, points))
    return SparseRows(data[order], indices[order], _starts(np.bincount(points, minlength=count)), columns)


def side_by_side(parts: Sequence[SparseRows]) -> SparseRows:
    """Return rows of the same number of points side by side."""
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
    """Return rows times factors (n,); a row whose factor is 0 loses its entries."""
    counts, kept = np.diff(rows.starts), factors != 0.0
    data = rows.data * np.repeat(factors, counts)
    if kept.all():
        return rows._replace(data=data)
    entries = np.repeat(kept, counts)
    return SparseRows(data[entries], rows.indices[entries], _starts(np.where(kept, counts, 0)), rows.columns)


def selected(rows: SparseRows, columns: Bools) -> SparseRows:
    """Return some of the columns, those where `columns` (m,) holds."""
    entries, numbers = columns[rows.indices], np.cumsum(columns) - 1
    data, indices = rows.data[entries], numbers[rows.indices[entries]]
    return SparseRows(data, indices, _starts(entries)[rows.starts], int(columns.sum()))


def _starts(counts: Ints | Bools) -> Ints:
    starts = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=starts[1:])
    return starts
