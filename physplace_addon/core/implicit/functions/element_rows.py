"""Parameters of elements, given part by part: centres, radii, and so on.

The parameters of k elements of one kind: rows, one an element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats
from ...errors import ImplicitError


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


@dataclass(frozen=True, eq=False)
class ElementRows:
    """Rows (k, p) of the parameters of k elements, and what `ImplicitFunction` and `Summand` say of them.

    sizes: numbers of the columns that are lengths above 0.
    """

    rows: Floats
    kind: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    sizes: ClassVar[tuple[int, ...]] = ()

    @property
    def parameters(self) -> Floats:
        """The rows one after another (k p,)."""
        return self.rows.flatten()

    @property
    def scales(self) -> Floats:
        """1: all parameters are lengths unless a kind says otherwise."""
        return np.ones(self.rows.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The kind, its number from 1, and what it is."""
        numbers = range(1, len(self.rows) + 1)
        return tuple(f"{self.kind} {number}: {column}" for number in numbers for column in self.columns)

    @property
    def positive(self) -> Bools:
        """Where the sizes are."""
        marks = np.zeros(self.rows.shape, dtype=np.bool_)
        marks[:, list(self.sizes)] = True
        return marks.ravel()

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same with other parameters; a size below 0 becomes its opposite."""
        return replace(self, rows=self._valid(np.array(parameters, dtype=float).reshape(self.rows.shape)))

    def _valid(self, rows: Floats) -> Floats:
        for column in self.sizes:
            np.abs(rows[:, column], out=rows[:, column])
        return rows
