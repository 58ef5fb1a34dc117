"""Solids of one kind: k elements, each a function f_j(x) in units of length, as rows (k, p) of parameters.

By itself such a set is the union of its elements, F = min f_j, or for half-spaces their intersection, F = max
f_j. Blends take the elements one by one (`operands`). Where two f_j are equal the derivatives are those of
the first.
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
ALL = slice(None)  # all elements
_AT_ONCE = 2**16  # pairs of a point and an element evaluated at once, which bounds the memory


@dataclass(frozen=True, eq=False)
class Solids(ElementRows, ImplicitFunction):
    """k elements of one kind.

    Attributes:
        sign: 1 for a union, -1 for an intersection.

    Raises:
        ImplicitError: for no elements at all.
    """

    sign: ClassVar[float] = 1.0  # -1 for the intersection

    def __post_init__(self) -> None:
        """Raise ImplicitError for no elements at all."""
        if not len(self.rows):
            raise ImplicitError(self.kind, "elements", "none", "give at least one")

    @abstractmethod
    def values(self, x: Floats, which: Which) -> Floats:
        """Return f (...) of the elements `which`, each at its own point of x (..., 3), in scene units."""

    @abstractmethod
    def gradients(self, x: Floats, which: Which) -> tuple[Floats, Floats]:
        """Return f (...) and f_x (..., 3) of the elements `which`, each at its own point."""

    @abstractmethod
    def hessians(self, x: Floats, which: Which) -> tuple[Floats, Floats, Floats]:
        """Return f (...), f_x (..., 3) and f_xx (..., 3, 3) of the elements `which`, each at
        its own point.
        """

    @abstractmethod
    def parameter_derivatives(self, x: Floats, which: Which) -> Floats:
        """Return the derivatives (..., p) of f by the elements' own parameters."""

    @abstractmethod
    def ranges(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds (n, k) of each f over boxes with corners (n, 3)."""

    @abstractmethod
    def least_slopes(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return proven lower bounds (n, k) of each f_x . direction over boxes, for a direction (n, 3)
        each.
        """

    @abstractmethod
    def boxes(self, level: float) -> Floats:
        """Return for each element a box (k, 2, 3) that holds where f <= level; infinite where that is."""

    def active_elements(self, x: Floats) -> Ints:
        """Return the number (n,) of the element whose f is F at points (n, 3)."""
        if len(self.rows) == 1:
            return np.zeros(len(x), dtype=np.intp)
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
        """Return F_q (n, m), with one element's derivatives in each row."""
        return self.parameter_rows(x, self.active_elements(x)).matrix()

    def parameter_rows(self, x: Floats, which: Ints) -> SparseRows:
        """Return the derivatives (n, m) of elements `which` (n,), at points (n, 3), by all parameters."""
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

    def box(self) -> Floats:
        """Return a box (2, 3) that holds the surface."""
        return self.box_inside(0.0)

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the elements' boxes, of those that are finite and not empty."""
        boxes = self.boxes(0.0)
        known = (np.isfinite(boxes) & (boxes[:, :1] <= boxes[:, 1:])).all(axis=(1, 2))
        return np.asarray(boxes[known].mean(axis=1))

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) about where F <= level: about all elements' boxes, or of an intersection within
        all.
        """
        boxes = self.boxes(level)
        if self.sign > 0.0:
            return np.stack((boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)))
        return np.stack((boxes[:, 0].max(axis=0), boxes[:, 1].min(axis=0)))

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return lower bounds (n,) of F_x . direction over boxes, of the elements that may be F there."""
        slopes, (least, most) = self.least_slopes(lower, upper, directions), self.ranges(lower, upper)
        return least_of_active(slopes, self.sign * least, self.sign * most)

    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n,) of F over boxes with corners (n, 3)."""
        least, most = self.ranges(lower, upper)
        if self.sign > 0.0:
            return least.min(axis=1), most.min(axis=1)
        return least.max(axis=1), most.max(axis=1)


def least_of_active(slopes: Floats, one: Floats, other: Floats) -> Floats:
    """Return the least of bounds of slopes (n, k) over those functions that may be the least of all (n,).

    Args:
        slopes: the bounds (n, k).
        one: bounds of the functions (n, k), the lower or the upper ones.
        other: the others (n, k).
    """
    active = np.minimum(one, other) <= np.maximum(one, other).min(axis=1, keepdims=True)
    bound: Floats = np.where(active, slopes, np.inf).min(axis=1)
    return bound


SLOPE_ROUNDING = 1e-12  # relative rounding of a slope's terms, with a reserve


def least_radial_slopes(across: Floats, sway: Floats, near: Floats, far: Floats) -> Floats:
    """Return lower bounds of a . z / |z| from the range of the linear a . z and that of |z|.

    Args:
        across: a . z at the centres of boxes.
        sway: by how much it changes within them at most.
        near: the least |z|.
        far: the greatest |z|.
    """
    least = across - sway - SLOPE_ROUNDING * (np.abs(across) + sway)
    size = np.where(least > 0.0, far, near)
    return np.where(size > 0.0, least / np.where(size > 0.0, size, 1.0), -np.inf)


def products(weights: Floats, ends: Floats) -> Floats:
    """Return weights times ends, which broadcast; 0 times infinity is 0."""
    return np.where(weights == 0.0, 0.0, np.where(weights == 0.0, 1.0, weights) * ends)
