"""Fields of k elements of one kind, each a Gaussian of the distance to something: exp(-|d|^2 / s^2).

A field's sum is what a blob is made of (Witkin and Heckbert 1994, section 5; Blinn 1982).  Its elements are
rows of p parameters.  Where a Gaussian is less than NEGLECTED, a bit of 1, it counts as nothing: beyond REACH
radii from the element, which is where the sum of all would not feel it.

A radius s enters as s^2: its sign means nothing, so it is kept as |s|.  An element whose radius is 0 is
nowhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats
from . import sparse_rows

REACH = 6.0
NEGLECTED = float(np.exp(-(REACH**2)))
LEAST_RADIUS = 1e-70  # that its fourth power is still a number
WELL_CONDITIONED = 1e3  # |c|^2 / s^2 up to which products lose no more than the last three digits


class Nearness(ABC):
    """The Gaussians g (..., n, k) of k elements at n points, and what they change by."""

    g: Floats

    @abstractmethod
    def slopes(self) -> Floats:
        """Return the gradient (..., n, 3) of the sum over the elements."""

    @abstractmethod
    def bends(self) -> Floats:
        """Return the second derivatives (..., n, 3, 3) of the sum."""

    @abstractmethod
    def shares(self) -> Floats:
        """Return each element's derivatives (..., n, k, p) by its own parameters."""

    @abstractmethod
    def rate(self, rates: Floats) -> Floats:
        """Return the sum's rate of change (..., n) for rates (..., k, p) of the parameters."""


class Elements(ABC):
    """k elements made ready to be evaluated about an origin."""

    @abstractmethod
    def at(self, x: Floats) -> Nearness:
        """Return them at points (..., n, 3)."""


@dataclass(frozen=True, eq=False)
class Field(ABC):
    """k elements of one kind, as rows (k, p) of their parameters; the last of them is the radius s."""

    rows: Floats
    kind: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]

    @property
    def parameters(self) -> Floats:
        """The parameters (k p,), element by element."""
        return self.rows.ravel()

    @property
    def scales(self) -> Floats:
        """The change of each parameter (k p,) that moves the surface about a unit: all are lengths here."""
        return np.ones(self.rows.size)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters (k p)."""
        numbers = range(1, len(self.rows) + 1)
        return tuple(f"{self.kind} {number}: {column}" for number in numbers for column in self.columns)

    def with_parameters(self, parameters: Floats) -> Self:
        """Return the field with other parameters (k p,); a radius below 0 becomes its opposite."""
        rows = np.array(parameters, dtype=np.float64).reshape(self.rows.shape)
        np.abs(rows[:, -1], out=rows[:, -1])
        return type(self)(rows)

    @property
    def radii(self) -> Floats:
        """The radii s (k,)."""
        return self.rows[:, -1]

    @property
    @abstractmethod
    def spans(self) -> Floats:
        """For each element the box (k, 2, 3) of what the distance is measured from."""

    @abstractmethod
    def elements(self, rows: Floats, origin: Floats) -> Elements:
        """Return elements given as rows (..., k, p), made ready about an origin (..., 3)."""

    @abstractmethod
    def distances(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest distance (n, k), up to rounding, from boxes (n, 3) to elements."""

    @cached_property
    def _whole(self) -> Elements:
        spans = self.spans
        origin = 0.5 * (spans[:, 0].min(axis=0) + spans[:, 1].max(axis=0)) if len(spans) else np.zeros(3)
        return self.elements(self.rows, origin)

    def at(self, x: Floats) -> Nearness:
        """Return all elements at points (n, 3)."""
        return self._whole.at(x)

    def shares(self, x: Floats) -> csr_array:
        """Return the sum's derivatives (n, k p) by the parameters at points (n, 3)."""
        near = self.at(x)
        return sparse_rows.of_masked(near.shares(), near.g > NEGLECTED)
