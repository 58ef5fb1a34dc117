"""The interface of an implicit function F(x, q), whatever it is made of.

F is negative inside and positive outside, so that its gradient F_x points outwards (Witkin and Heckbert 1994,
section 5, whose F has these signs). x is a place, q the vector of m parameters: centres, radii, a bias.
Adding a kind of function means to implement F, F_x, F_q and a bounding box, as in the paper, and besides F_xx
and proven ranges of F over boxes. A function is a frozen value: another q is another function. Every method
evaluates many points at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats


class ImplicitFunction(ABC):
    """A function whose zeros are a surface; lengths are in scene units."""

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The parameters q (m,)."""

    @property
    @abstractmethod
    def scales(self) -> Floats:
        """The change of each parameter (m,) that moves the surface by about a unit of length: 1 for a length.

        It makes centres, radii and mere numbers comparable (Witkin and Heckbert 1994, footnote 1).
        """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The name of each parameter (m), for messages."""

    @property
    def positive(self) -> Bools:
        """Which parameters (m,) must stay above 0: those named a radius or a bias, unless a kind overrides
        this.
        """
        return np.array([name.endswith(("radius", "bias")) for name in self.names], dtype=bool)

    @abstractmethod
    def with_parameters(self, parameters: Floats) -> Self:
        """Return the same kind of function with other parameters (m,)."""

    @abstractmethod
    def value(self, x: Floats) -> Floats:
        """Return F (k,) at points (k, 3)."""

    @abstractmethod
    def gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Return F (k,) and F_x (k, 3), 1 / scene unit times F's unit, at points (k, 3)."""

    @abstractmethod
    def hessian(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_xx (k, 3, 3) at points (k, 3)."""

    @abstractmethod
    def parameter_gradient(self, x: Floats) -> csr_array:
        """Return F_q (k, m) at points (k, 3), sparse: elements too far away to matter have no entry."""

    @abstractmethod
    def parameter_rate(self, x: Floats, rate: Floats) -> Floats:
        """Return F_q . rate (k,) at points (k, 3) for one rate of change (m,) of the parameters."""

    def gradient_and_rate(self, x: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q . rate (k,), which may cost less together than one by one."""
        return *self.gradient(x), self.parameter_rate(x, rate)

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return F (k,), F_x (k, 3) and F_q as a dense array (k, m), for few points (k, 3)."""
        return *self.gradient(x), self.parameter_gradient(x).toarray()

    @abstractmethod
    def box(self) -> Floats:
        """Return the lowest and the highest corner (2, 3) of a box that holds the whole surface.

        Its elements are infinite where the surface is. Without a surface the lowest corner is above the
        highest one.
        """

    @property
    def middles(self) -> Floats:
        """The middles (k, 3) of the elements that it is made of: small components lie about them.

        None where elements are not known, or have no end.
        """
        return np.zeros((0, 3))

    def is_endless(self) -> bool:
        """Return whether the box that holds the surface is infinite."""
        box = self.box()
        return bool((box[0] <= box[1]).all() and not np.isfinite(box).all())

    def box_inside(self, level: float) -> Floats:
        """Return a box (2, 3) that holds all places where F <= level; infinite unless one is known."""
        return np.array([[-np.inf] * 3, [np.inf] * 3])

    @abstractmethod
    def range(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven lower and upper bounds (k,) of F over boxes with corners lower and upper (k, 3)."""

    def least_slope(self, lower: Floats, upper: Floats, directions: Floats, level: float = np.inf) -> Floats:
        """Return proven lower bounds (k,) of F_x . direction over boxes, for a direction (k, 3) each.

        At a crease they hold for the gradients of all sides. They are -infinity where nothing is known.
        Below a level of F = infinity they are those of another function: it is F where F is no greater than
        the level, and beyond goes on rising where F levels off, as far from a sum of Gaussians.

        Args:
            lower: the lowest corners of the boxes (k, 3), which are finite.
            upper: their highest corners (k, 3).
            directions: vectors (k, 3) of any length.
            level: in the units of F, 0 at least.
        """
        return np.full(len(lower), -np.inf)

    def rising_range(self, lower: Floats, upper: Floats, level: float) -> tuple[Floats, Floats]:
        """Return bounds (k,) over boxes (k, 3) of the function that `least_slope` is of, for a level."""
        return self.range(lower, upper)

    def may_cross(self, lower: Floats, upper: Floats) -> Bools:
        """Return which boxes (k,) the surface may cross: those whose proven range of F holds 0.

        Args:
            lower: the lowest corners of the boxes (k, 3).
            upper: their highest corners (k, 3).
        """
        least, most = self.range(lower, upper)
        return np.asarray((least <= 0.0) & (most >= 0.0))
