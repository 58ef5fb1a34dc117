"""The rows of K cones, three each, as dense blocks over the columns that they touch.

Rows of one contact touch the columns of its one or two bodies, so blocks hold few zeros.  Sparse and dense
matrices follow from blocks without sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class ConeRows:
    """Rows of K cones for d = `size` unknowns.

    columns (K, m): those that each cone's rows touch, each once; `size` where it touches fewer.
    blocks (K, 3, m): the rows there, the normal one first; 0 where the column is `size`.
    """

    columns: Ints
    blocks: Floats
    size: int

    def __len__(self) -> int:
        return len(self.columns)

    @classmethod
    def of(cls, contacts: sparse.csr_array, limits: sparse.csr_array) -> ConeRows:
        """Return the three rows of each contact (3 k, d), and after them limits (g, d) without tangents."""
        size = int(contacts.shape[-1])
        columns, blocks = _contact_blocks(contacts)
        index, value = _padded(limits)
        width = max(columns.shape[1], index.shape[1])
        every = np.full((len(columns) + len(index), width), size, np.intp)
        every[: len(columns), : columns.shape[1]] = columns
        every[len(columns) :, : index.shape[1]] = index
        rows = np.zeros((len(every), 3, width))
        rows[: len(columns), :, : columns.shape[1]] = blocks
        rows[len(columns) :, 0, : index.shape[1]] = value
        return cls(every, rows, size)

    def take(self, chosen: Ints) -> ConeRows:
        """Return the rows of some of the cones (n,)."""
        return ConeRows(self.columns[chosen], self.blocks[chosen], self.size)

    def normals_times(self, x: Floats) -> Floats:
        """Return the products (K,) of the normal rows with x (d,)."""
        products: Floats = np.einsum("km,km->k", self.blocks[:, 0], np.append(x, 0.0)[self.columns])
        return products

    def normal_lengths(self, columns: Floats) -> Floats:
        """Return the lengths (K,) of the normal rows with columns multiplied by factors (d,), 1 for rows
        without entries.
        """
        scaled = self.blocks[:, 0] * np.append(columns, 0.0)[self.columns]
        squares = np.einsum("km,km->k", scaled, scaled)
        return np.asarray(np.sqrt(np.where(squares > 0.0, squares, 1.0)))

    def scaled(self, rows: Floats, columns: Floats) -> ConeRows:
        """Return the rows multiplied by factors (3, K), and columns by factors (d,)."""
        by_column = np.append(columns, 0.0)[self.columns]
        return ConeRows(self.columns, self.blocks * by_column[:, None] * rows.T[:, :, None], self.size)

    def dense(self) -> Floats:
        """Return all normal rows, then those of the first and of the second tangent, (3 K, d)."""
        count = len(self)
        full = np.zeros((3, count, self.size + 1))
        full[:, np.arange(count)[:, None], self.columns] = self.blocks.transpose(1, 0, 2)
        return np.ascontiguousarray(full[:, :, : self.size]).reshape(3 * count, self.size)

    def csr(self) -> sparse.csr_array:
        """Return the same as a sparse matrix; zeros fill up rows that touch fewer columns."""
        count, width = self.columns.shape
        inside = np.where(self.columns < self.size, self.columns, 0)
        data = self.blocks.transpose(1, 0, 2).ravel()
        entries: Any = (data, np.tile(inside.ravel(), 3), np.arange(3 * count + 1) * width)
        return sparse.csr_array(entries, shape=(3 * count, self.size))


def _padded(rows: sparse.csr_array) -> tuple[Ints, Floats]:
    """Return the columns (n, m) and values (n, m) of sparse rows, filled up by the column d with 0."""
    filled = np.diff(rows.indptr)
    width = int(filled.max(initial=0))
    there = np.arange(width) < filled[:, None]
    index, value = np.full(there.shape, rows.shape[-1], np.intp), np.zeros(there.shape)
    index[there], value[there] = rows.indices, rows.data
    return index, value


def _contact_blocks(rows: sparse.csr_array) -> tuple[Ints, Floats]:
    """Return the columns (k, m) that the three rows of each contact touch, and the rows there (k, 3, m)."""
    index, value = _padded(rows)
    count, width = len(index) // 3, index.shape[1]
    index, value = index.reshape(count, 3, width), value.reshape(count, 3, width)
    if (index == index[:, :1]).all():
        return index[:, 0], value
    contact, axis, _ = real = np.nonzero(index < rows.shape[-1])
    keys, place = np.unique(contact * rows.shape[-1] + index[real], return_inverse=True)
    owner = keys // rows.shape[-1]
    within = np.arange(len(keys)) - np.searchsorted(owner, np.arange(count))[owner]
    width = int(within.max(initial=-1)) + 1
    columns, blocks = np.full((count, width), rows.shape[-1], np.intp), np.zeros((count, 3, width))
    columns[owner, within] = keys % rows.shape[-1]
    blocks[contact, axis, within[place.ravel()]] = value[real]
    return columns, blocks
