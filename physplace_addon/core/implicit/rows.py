"""Products of rows of three numbers, of which a step of floaters takes many."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_ONES = np.ones(3)


def dots(one: Floats, other: Floats) -> Floats:
    """Return the products a . b (r,) of vectors (r, 3); a matrix product adds up quicker than einsum."""
    return np.asarray((one * other) @ _ONES)


def lengths(vectors: Floats) -> Floats:
    """Return the lengths (r,) of vectors (r, 3)."""
    return np.asarray(np.sqrt(np.square(vectors) @ _ONES))
