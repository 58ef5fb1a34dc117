"""Parameters of elements, given part by part: centres, radii, and so on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import ImplicitError


def columns_of(kind: str, parts: Sequence[tuple[str, int, ArrayLike]]) -> Floats:
    """Return rows (k, p) from named parts, each of a width: an array (k, width), or one row for all.

    The first says how many there are.  Raises ImplicitError, naming the kind and the part, for another shape,
    and for what is not a finite number.
    """
    arrays = [_rows(kind, name, width, values) for name, width, values in parts]
    count = max(len(own) for own in arrays) if len(arrays[0]) == 1 else len(arrays[0])
    for own, (name, _, _) in zip(arrays, parts, strict=True):
        if len(own) not in (1, count):
            raise ImplicitError(kind, name, f"{len(own)} of them", f"give one, or {count}")
    return np.column_stack([np.broadcast_to(own, (count, own.shape[1])) for own in arrays])


def _rows(kind: str, name: str, width: int, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.size % width:
        raise ImplicitError(kind, name, f"an array of shape {array.shape}", f"give {width} numbers for each")
    if not np.isfinite(array).all():
        raise ImplicitError(kind, name, "not a finite number", "give finite numbers")
    return array.reshape(-1, width)
