"""The parameters of k elements of one kind, as rows (k, p): one row an element.

Rows are put together from named parts, such as centres and radii, which are checked here.
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
    """Return rows (k, p) put together from named parts.

    Args:
        kind: the name of the kind of element, for messages.
        parts: name, width and values of each part: an array (k, width), or one row for all elements. The
            first part says how many elements there are.

    Raises:
        ImplicitError: names the kind and the part, for another shape and for what is not a finite number.
    """
    arrays = [_rows(kind, name, width, values) for name, width, values in parts]
    count = max(len(own) for own in arrays) if len(arrays[0]) == 1 else len(arrays[0])
    for own, (name, _, _) in zip(arrays, parts, strict=True):
        if len(own) not in (1, count):
            raise ImplicitError(kind, name, f"{len(own)} of them", f"give one, or {count}")
    return np.column_stack([np.broadcast_to(own, (count, own.shape[1])) for own in arrays])


def _rows(kind: str, name: str, width: int, values: ArrayLike) -> Floats:
    """Return the values of a part as rows (k, width). Raises ImplicitError."""
    array = np.asarray(values, dtype=np.float64)
    if array.size % width:
        raise ImplicitError(kind, name, f"an array of shape {array.shape}", f"give {width} numbers for each")
    if not np.isfinite(array).all():
        raise ImplicitError(kind, name, "not a finite number", "give finite numbers")
    return array.reshape(-1, width)


@dataclass(frozen=True, eq=False)
class ElementRows:
    """Rows (k, p) of the parameters of k elements, and the properties of `ImplicitFunction` that follow from
    them.

    Attributes:
        rows: the parameters (k, p).
        kind: the name of the kind, for messages.
        columns: the names of the p parameters.
        sizes: the numbers of the columns that are lengths above 0.
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
        """The change of each parameter (k p,) that moves the surface by a unit: 1, for lengths."""
        return np.ones(self.rows.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters (k p): the kind, the element's number from 1, and the column."""
        numbers = range(1, len(self.rows) + 1)
        return tuple(f"{self.kind} {number}: {column}" for number in numbers for column in self.columns)

    @property
    def positive(self) -> Bools:
        """Which parameters (k p,) are sizes."""
        marks = np.zeros(self.rows.shape, dtype=np.bool_)
        marks[:, list(self.sizes)] = True
        return marks.ravel()

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same elements with other parameters (k p,); a size below 0 becomes its opposite."""
        return self.over(np.array(parameters, dtype=np.float64))

    def over(self, parameters: Floats) -> Self:
        """Return the same elements with other parameters (k p,), which they keep and do not copy.

        A size below 0 is replaced by its opposite there.
        """
        return self._with_rows(self._valid(parameters.reshape(self.rows.shape)))

    def _with_rows(self, rows: Floats) -> Self:
        """Return the same elements with other rows (k, p)."""
        return replace(self, rows=rows)

    def _valid(self, rows: Floats) -> Floats:
        """Return the rows (k, p) with sizes made positive, in place."""
        for column in self.sizes:
            np.abs(rows[:, column], out=rows[:, column])
        return rows
