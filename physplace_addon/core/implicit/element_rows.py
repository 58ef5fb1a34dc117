"""The parameters of k elements of one kind: rows, one an element."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..arrays import Bools, Floats


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
