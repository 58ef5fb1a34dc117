"""Arrays with the component first.

Inside this package k vectors are stored as (3, k): one row an axis.  A sum or a maximum over the
components then runs along contiguous rows, which in numpy is five to twenty times faster than
along a last axis of length 3.  The public functions take and return (k, 3).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, cross, from_rows

__all__ = ["cross", "dot", "from_rows", "length", "safe_ratio"]


def dot(a: Floats, b: Floats) -> Floats:
    """Inner products over the first axis: (3, ...) with (3, ...)."""
    product: Floats = (a * b).sum(axis=0)
    return product


def length(a: Floats) -> Floats:
    """Euclidean lengths over the first axis."""
    result: Floats = np.sqrt(dot(a, a))
    return result


def safe_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, zero where the denominator is not positive (a degenerate primitive)."""
    result: Floats = np.divide(
        numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0.0
    )
    return result
