"""Rows of three numbers, of which a step of floaters takes many.

Those of floaters are kept column by column in memory (Fortran's order): what goes over all of them then runs
along a column, and not three numbers at a time.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints

_ONES = np.ones(3)


def dots(one: Floats, other: Floats) -> Floats:
    """Return the products a . b (r,) of vectors (r, 3); a matrix product adds up quicker than einsum."""
    return np.asarray((one * other) @ _ONES)


def picked(vectors: Floats, which: Ints) -> Floats:
    """Return the rows (k, 3) of some numbers (k,), kept column by column."""
    return vectors.T.take(which, axis=1).T


def lengths(vectors: Floats) -> Floats:
    """Return the lengths (r,) of vectors (r, 3)."""
    return np.asarray(np.sqrt(np.square(vectors) @ _ONES))
