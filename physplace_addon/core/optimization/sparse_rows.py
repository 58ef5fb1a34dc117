"""Rows and columns of sparse matrices, which scipy's types do not let one take by numbers."""

from __future__ import annotations

from typing import Any, cast

from scipy import sparse

from ..arrays import Ints


def rows_of(matrix: sparse.csr_array, rows: Ints) -> sparse.csr_array:
    """Return the given rows (n,) of a matrix."""
    return cast("sparse.csr_array", cast("Any", matrix)[rows])


def columns_of(matrix: sparse.csr_array, columns: Ints) -> sparse.csr_array:
    """Return the given columns (n,) of a matrix; itself where they are all of them in their order."""
    if len(columns) == matrix.shape[-1]:
        return matrix
    return cast("sparse.csr_array", cast("Any", matrix)[:, columns])
