"""Sparse matrices F_q put together row by row: a row is a point, and has entries for what is near it only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Bools, Floats, Ints


def csr_of(data: Floats, indices: Ints, starts: Ints, columns: int) -> csr_array:
    """Return the matrix whose row i has `data` at `indices` from starts[i] to starts[i + 1], in order.

    As scipy's own way of making one, but for its checks, which take longer than all else where rows are few.
    """
    matrix = csr_array((len(starts) - 1, columns))
    matrix.data, matrix.indices, matrix.indptr = data, indices, starts
    return matrix


def of_masked(values: Floats, near: Bools) -> csr_array:
    """Return the matrix of the values (n, k, p) where `near` (n, k) holds: k blocks of p columns."""
    points, count, width = values.shape
    elements = np.nonzero(near)[1]
    indices = (elements[:, None] * width + np.arange(width)).ravel()
    return csr_of(values[near].ravel(), indices, _starts(near.sum(axis=1) * width), count * width)


def full(values: Floats) -> csr_array:
    """Return a matrix (n, m) with all its entries."""
    points, columns = values.shape
    indices = np.tile(np.arange(columns), points)
    return csr_of(values.ravel(), indices, np.arange(points + 1) * columns, columns)


def beside(parts: Sequence[csr_array]) -> csr_array:
    """Return matrices of the same number of rows side by side."""
    if len(parts) == 1:
        return parts[0]
    counts = [np.diff(part.indptr) for part in parts]
    starts = _starts(np.sum(counts, axis=0))
    data, indices = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.intp)
    filled, column = starts[:-1].copy(), 0
    for part, count in zip(parts, counts, strict=True):
        places = np.repeat(filled - part.indptr[:-1], count) + np.arange(len(part.data))
        data[places], indices[places] = part.data, part.indices + column
        filled += count
        column += part.shape[1]
    return csr_of(data, indices, starts, column)


def scaled(matrix: csr_array, factors: Floats) -> csr_array:
    """Return the rows of a matrix times factors (n,); a row whose factor is 0 loses its entries."""
    counts = np.diff(matrix.indptr)
    kept = factors != 0.0
    if kept.all():
        return csr_of(
            matrix.data * np.repeat(factors, counts), matrix.indices, matrix.indptr, matrix.shape[1]
        )
    entries = np.repeat(kept, counts)
    data = (matrix.data * np.repeat(factors, counts))[entries]
    return csr_of(data, matrix.indices[entries], _starts(np.where(kept, counts, 0)), matrix.shape[1])


def selected(matrix: csr_array, columns: Bools) -> csr_array:
    """Return some of a matrix's columns, those where `columns` (m,) holds."""
    entries = columns[matrix.indices]
    numbers = np.cumsum(columns) - 1
    before = _starts(entries)
    return csr_of(
        matrix.data[entries], numbers[matrix.indices[entries]], before[matrix.indptr], int(columns.sum())
    )


def _starts(counts: Ints | Bools) -> Ints:
    starts = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=starts[1:])
    return starts
