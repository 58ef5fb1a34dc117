"""Solids of one kind: k elements, each a function f_j(x) in units of length, as rows (k, p) of parameters.

By itself such a set is their union, F = min f_j, or for half-spaces their intersection, F = max f_j.  Blends
take the elements one by one.  Where two are equal the derivatives are those of the first.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from ....arrays import Floats, Ints
from ....errors import ImplicitError
from ..base import ImplicitFunction
from ..element_rows import ElementRows
from ..sparse_rows import SparseRows

Which = Ints | slice
ALL = slice(None)
_AT_ONCE = 2**16  # pairs of a point and an element


@dataclass(frozen=True, eq=False)
class Solids(ElementRows, ImplicitFunction):
    """k elements of one kind."""

    sign: ClassVar[float] = 1.0  # -1 for the intersection

    def __post_init__(self) -> None:
        """Raise ImplicitError for no elements at all."""
        if not len(self.rows):
            raise ImplicitError(self.kind, "elements", "none", "give at least one")

    @abstractmethod
    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...) of elements `which`, each at its own point of x (..., 3)."""

    @abstractmethod
    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and f_x (..., 3)."""

    @abstractmethod
    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3) and f_xx (..., 3, 3)."""

    @abstractmethod
    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return the derivatives (..., p) by the elements' own parameters."""

    @abstractmethod
    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n, k) of each f over boxes (n, 3)."""

    @abstractmethod
    def boxes(self, level: float) -> Floats:
        """Return, for each element, a box (k, 2, 3) that holds where f <= level; infinite where that is."""

    def active_elements(self, x: Floats) -> Ints:
        """Return the element (n,) that F is at points (n, 3)."""
        step = max(_AT_ONCE // len(self.rows), 1)
        parts = (x[i : i + step, None] for i in range(0, len(x), step))
        nearest = [np.argmin(self.sign * self.values(part, ALL), axis=1) for part in parts]
        return np.concatenate([np.zeros(0, dtype=np.intp), *nearest])

    def value(self, x: Floats) -> Floats:
        """Return F (n,)."""
        return self.values(x, self.active_elements(x))

    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (n,) and F_x (n, 3)."""
        return self.gradients(x, self.active_elements(x))

    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (n,), F_x (n, 3) and F_xx (n, 3, 3)."""
        return self.hessians(x, self.active_elements(x))

    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (n, m): one element's derivatives in each row."""
        return self.parameter_rows(x, self.active_elements(x)).matrix()

    def parameter_rows(self, x: Floats, which: Ints) -> SparseRows:
        """Return the derivatives of elements `which` (n,) by all parameters."""
        width = self.rows.shape[1]
        indices = (which[:, None] * width + np.arange(width)).ravel()
        return SparseRows(
            self.parameter_derivatives(x, which).ravel(),
            indices,
            np.arange(len(x) + 1) * width,
            self.rows.size,
        )

    def parameter_rates(self, x: Floats, which: Ints, rate: Floats) -> Floats:
        """Return the rates of change (n,) of elements `which` (n,) for a rate (m,) of the parameters."""
        change: Floats = np.einsum(
            "np,np->n", self.parameter_derivatives(x, which), rate.reshape(self.rows.shape)[which]
        )
        return change

    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (n,)."""
        return self.parameter_rates(x, self.active_elements(x), rate)

    def element_seeds(self) -> Floats:
        """Return the centres (k, 3), which come first among the parameters unless a kind says otherwise."""
        return self.rows[:, :3].copy()

    def box(self) -> Floats:
        """Return a box (2, 3) about the surface."""
        return self.box_inside(0.0)

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about all elements, or where intersected, within all."""
        boxes = self.boxes(level)
        if self.sign > 0.0:
            return np.stack((boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)))
        return np.stack((boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)))

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n,) of F over boxes."""
        least, most = self.ranges(lower, upper)
        if self.sign > 0.0:
            return least.min(axis=1), most.min(axis=1)
        return least.max(axis=1), most.max(axis=1)


def products(weights: Floats, ends: Floats) -> Floats:
    """Return products of which 0 times infinity is 0."""
    return np.where(weights == 0.0, 0.0, np.where(weights == 0.0, 1.0, weights) * ends)
