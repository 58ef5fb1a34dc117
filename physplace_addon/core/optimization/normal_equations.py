"""The matrix B + J' D J of a quadratic programme with sparse rows J, for any positive diagonal D.

Rows that have entries for one or two bodies leave it sparse.  Its own rows are put in the order of Cuthill
and McKee, in which it is banded, and factored by Cholesky.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import SuperLU, splu

from ..arrays import Floats, Ints

_WIDEST_BAND = 500  # half bandwidth above which a general sparse factorization is faster


class NormalEquations:
    """B + J' D J for any D: its pattern and order are found once, its entries are a sparse matrix times D."""

    def __init__(self, matrix: sparse.csr_array, rows: sparse.csr_array) -> None:
        size = matrix.shape[0]
        row, first, second, products = _entry_products(rows)
        base = sparse.tril(matrix, format="coo")
        graph = sparse.csr_array(
            (np.ones(len(first) + base.nnz), (np.r_[first, base.row], np.r_[second, base.col])), (size, size)
        )
        self._order: Ints = np.asarray(reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True), np.intp)
        place = np.empty(size, np.intp)
        place[self._order] = np.arange(size)
        below, above = _sorted(place[first], place[second])
        base_below, base_above = _sorted(place[base.row], place[base.col])
        self._band = int(max((below - above).max(initial=0), (base_below - base_above).max(initial=0)))
        self._size = size
        where, index = np.unique(self._flat(below, above), return_inverse=True)
        self._where = where
        self._products = sparse.csr_array((products, (index.ravel(), row)), (len(where), rows.shape[0]))
        self._base = np.zeros((self._band + 1) * size)
        np.add.at(self._base, self._flat(base_below, base_above), base.data)
        self._lower: Floats = np.zeros(0)
        self._general: SuperLU | None = None

    def _flat(self, below: Ints, above: Ints) -> Ints:
        """Return where an entry of the lower triangle stands in the band's array, column by column."""
        return above * (self._band + 1) + (below - above)

    def factor(self, weights: Floats, diagonal: Floats) -> None:
        """Factor B + J' D J + a diagonal matrix, for D = weights (k,)."""
        flat = self._base.copy()
        flat[self._where] += np.asarray(self._products @ weights)
        band = flat.reshape(self._size, self._band + 1).T
        band[0] += diagonal[self._order]
        if self._band > _WIDEST_BAND:
            lower = sparse.dia_array((band, -np.arange(self._band + 1)), (self._size, self._size))
            full = (lower + sparse.tril(lower, -1).T).tocsc()
            full.eliminate_zeros()
            self._general = splu(
                full, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
            return
        self._lower = np.asarray(cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False))

    def solve(self, right: Floats) -> Floats:
        """Return the solution (d,) for a right-hand side (d,)."""
        ordered = right[self._order]
        if self._general is not None:
            ordered = np.asarray(self._general.solve(ordered), np.float64)
        else:
            solution = cho_solve_banded((self._lower, True), ordered, overwrite_b=True, check_finite=False)
            ordered = np.asarray(solution, np.float64)
        out = np.empty_like(right)
        out[self._order] = ordered
        return out


def _sorted(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    return np.maximum(a, b), np.minimum(a, b)


def _entry_products(rows: sparse.csr_array) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the row, both columns and the product of every pair of entries of a row, each pair once."""
    counts = np.diff(rows.indptr)
    found: list[tuple[Ints, Ints, Ints, Floats]] = []
    for count in np.unique(counts[counts > 0]).tolist():
        mine = np.nonzero(counts == count)[0]
        entries = rows.indptr[mine][:, None] + np.arange(count)
        one, other = np.tril_indices(count)
        columns, values = rows.indices[entries], rows.data[entries]
        found.append(
            (
                np.repeat(mine, len(one)),
                columns[:, one].ravel().astype(np.intp),
                columns[:, other].ravel().astype(np.intp),
                (values[:, one] * values[:, other]).ravel(),
            )
        )
    if not found:
        empty = np.zeros(0, np.intp)
        return empty, empty, empty, np.zeros(0)
    row, first, second, products = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return row, first, second, products
