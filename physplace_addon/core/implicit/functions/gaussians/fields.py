"""Fields: sums of k Gaussians of one kind, at a cost that grows with the near pairs of points and elements
only.

A blob is made of fields (Witkin and Heckbert 1994, section 5; Blinn 1982). Elements are rows of p parameters,
of which the last one is the radius s. It enters as s^2, so its sign means nothing and |s| is kept; an element
whose radius is 0 contributes nothing. Where a Gaussian is less than NEGLECTED, more than REACH radii away, it
is left out.

For many points and many elements both are put in the order of a tree and cut into groups. Only groups whose
boxes are within reach of one another are evaluated, all in one stack of matrices about the centres of the
groups of points. What is far is never evaluated, and every place is near its origin, which keeps the products
of matrices well conditioned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.spatial import cKDTree

from ....arrays import Bools, Floats, Ints
from ....vectors import length
from .. import sparse_rows
from ..element_rows import ElementRows
from ..sparse_rows import SparseRows
from .gaussian_terms import (
    LEAST_RADIUS,
    NEGLECTED,
    NOTHING,
    REACH,
    ROUNDING,
    SLOPE_ROUNDING,
    WELL_CONDITIONED,
    GaussianValues,
    PreparedElements,
)

# points and elements in a group: matrices so large keep the overhead of a group small
POINTS, ELEMENTS = 64, 8
_MOST_PAIRS = 2**16  # pairs of a point and an element that are evaluated at once, which bounds the memory


@dataclass(frozen=True, eq=False)
class Groups:
    """Things put into g groups of one size, near ones together.

    Attributes:
        members: their numbers (g, size); the last group is filled up by repetition.
        real: which members (g, size) are no repetition.
        lower: the lowest corners of the groups' boxes (g, 3).
        upper: their highest corners (g, 3).
    """

    members: Ints
    real: Bools
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, lower: Floats, upper: Floats, size: int) -> Groups:
        """Return things in groups of a size, by the corners of their boxes (n, 3)."""
        order = np.asarray(cKDTree(0.5 * (lower + upper), leafsize=size).indices, dtype=np.intp)
        places = np.arange(-(-len(order) // size) * size)
        members = order[np.minimum(places, len(order) - 1)].reshape(-1, size)
        real = (places < len(order)).reshape(-1, size)
        return cls(members, real, lower[members].min(axis=1), upper[members].max(axis=1))


@dataclass(frozen=True, eq=False)
class GroupPairs:
    """A stack of p pairs of a group of points and a group of elements, sorted by the points.

    Attributes:
        group: the number of the group of points (p,).
        points: its members (p, POINTS).
        real_points: which of them are no repetition.
        elements: the members of the group of elements (p, ELEMENTS).
        real_elements: which of them are no repetition.
        middles: the centres of the groups of points (p, 3).
    """

    group: Ints
    points: Ints
    real_points: Bools
    elements: Ints
    real_elements: Bools
    middles: Floats


def group_pairs(points: Groups, elements: Groups) -> Iterator[GroupPairs]:
    """Yield the pairs of groups whose boxes meet, some at a time."""
    apart = np.zeros((len(points.lower), len(elements.lower)), dtype=np.bool_)
    for i in range(3):
        apart |= points.lower[:, i, None] > elements.upper[:, i]
        apart |= points.upper[:, i, None] < elements.lower[:, i]
    of_points, of_elements = np.nonzero(~apart)
    middles = 0.5 * (points.lower + points.upper)
    stack = max(_MOST_PAIRS // (points.members.shape[1] * elements.members.shape[1]), 1)
    for start in range(0, len(of_points), stack):
        a, b = of_points[start : start + stack], of_elements[start : start + stack]
        yield GroupPairs(
            a, points.members[a], points.real[a], elements.members[b], elements.real[b], middles[a]
        )


def sums_over_groups(
    x: Floats, elements: Groups, height: int, evaluate: Callable[[GroupPairs], Floats]
) -> Floats:
    """Return sums over elements (height, n) at points x (n, 3), evaluated for near groups only.

    Args:
        x: the points (n, 3).
        elements: the groups of elements, whose boxes are grown by their reach.
        height: the number of sums.
        evaluate: returns for p pairs of groups the sums over their elements (p, height, POINTS).
    """
    points = Groups.of(x, x, POINTS)
    sums = np.zeros((len(points.lower), height, points.members.shape[1]))
    for some in group_pairs(points, elements):
        starts = np.flatnonzero(np.diff(some.group, prepend=-1))
        sums[some.group[starts]] += np.add.reduceat(evaluate(some), starts, axis=0)
    result = np.empty((height, len(x)))
    result[:, points.members[points.real]] = np.swapaxes(sums, 1, 2)[points.real].T
    return result


_SORTED = 2**17  # pairs of a point and an element from which on sorting them into groups may pay
_MANY, _MANY_CAREFUL = 768, 128  # elements from which on it pays; with differences, which cost more, sooner
_AT_ONCE = 2**15  # pairs evaluated at once: what is computed of them stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Field(ElementRows, ABC):
    """The sum of k Gaussians of one kind, given as rows (k, p) of their parameters."""

    sizes = (-1,)

    def _with_rows(self, rows: Floats) -> Self:
        """Return other elements of the kind (k, p): rows are all that a field has."""
        return type(self)(rows)

    @property
    def radii(self) -> Floats:
        """The radii s (k,) in scene units."""
        return self.rows[:, -1]

    @property
    @abstractmethod
    def spans(self) -> Floats:
        """For each element the box (k, 2, 3) of the points or segments from which the
        distance is measured.
        """

    @abstractmethod
    def elements(self, rows: Floats, origin: Floats) -> PreparedElements:
        """Return elements given as rows (..., k, p), ready to be evaluated about an origin (..., 3)."""

    @abstractmethod
    def exponents(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest |d|^2 / s^2 (n, k) over boxes with corners (n, 3), but for
        rounding.
        """

    @cached_property
    def _whole(self) -> PreparedElements:
        """All elements, ready to be evaluated about their middle."""
        return self.elements(self.rows, self._middle())

    def _middle(self) -> Floats:
        """Return about the centre (3,) of all elements, from which places are measured."""
        middle: Floats = np.add.reduce(self.spans, axis=(0, 1)) / max(2 * len(self.rows), 1)
        return middle

    @cached_property
    def _groups(self) -> Groups:
        """The elements in groups, their boxes grown by REACH radii."""
        spans, reach = self.spans, (REACH * self.radii)[:, None]
        return Groups.of(spans[:, 0] - reach, spans[:, 1] + reach, ELEMENTS)

    def values_at(self, x: Floats) -> GaussianValues:
        """Return all Gaussians (k, n) at points (n, 3)."""
        return self._whole.values_at(x.T)

    def _at_pairs(self, x: Floats, pairs: GroupPairs) -> GaussianValues:
        """Return the Gaussians of p pairs of groups (p, ELEMENTS, POINTS)."""
        places = np.swapaxes(x[pairs.points] - pairs.middles[:, None], 1, 2)
        elements = self.elements(self.rows[pairs.elements], pairs.middles)
        far = np.einsum("pin,pin->pn", places, places).max(axis=1, initial=0.0)
        elements.careful = bool((far[:, None] * elements.w).max(initial=0.0) > WELL_CONDITIONED)
        near = elements.values_at(np.swapaxes(x[pairs.points], 1, 2))
        near.g *= pairs.real_elements[..., None]
        return near

    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return proven bounds (n,) of the sum over boxes (n, 3), from each element's least and greatest
        distance.
        """
        step = max(_AT_ONCE // max(len(self.rows), 1), 1)
        ends = [(lower[i : i + step], upper[i : i + step]) for i in range(0, len(lower), step)]
        parts = [self._bounds_of(*end) for end in ends] or [(np.zeros(0), np.zeros(0))]
        least, most = zip(*parts, strict=True)
        return np.concatenate(least), np.concatenate(most)

    def least_fall(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return proven lower bounds (n,) of how fast the sum falls along directions (n, 3), over boxes
        (n, 3).

        A Gaussian falls by 2 w (d . direction) g, and d changes by no more than the place does.
        """
        step = max(_AT_ONCE // max(len(self.rows), 1), 1)
        parts = [
            self._least_fall_of(lower[i : i + step], upper[i : i + step], directions[i : i + step])
            for i in range(0, len(lower), step)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def _least_fall_of(self, lower: Floats, upper: Floats, directions: Floats) -> Floats:
        """Return the bounds (n,) over boxes that are few enough to be evaluated at once."""
        near, far = self.exponents(lower, upper)
        half = 0.5 * (upper - lower)
        across = self.distances_along(0.5 * (lower + upper), directions)
        sway = self._sways(directions, half)
        w = 2.0 / np.maximum(self.radii, LEAST_RADIUS) ** 2
        least = across - sway - SLOPE_ROUNDING * (np.abs(across) + sway)
        falls = w * least * np.exp(-np.where(least > 0.0, far, near))
        return np.asarray(falls.sum(axis=1) - SLOPE_ROUNDING * np.abs(falls).sum(axis=1))

    @abstractmethod
    def distances_along(self, x: Floats, directions: Floats) -> Floats:
        """Return d . direction (n, k) at points (n, 3), for a direction (n, 3) each, in scene units."""

    def _sways(self, directions: Floats, half: Floats) -> Floats:
        """Return by how much d . direction may change (n, 1) within boxes of half sizes (n, 3)."""
        return (length(directions) * length(half))[:, None]

    def _bounds_of(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the bounds (n,) over boxes that are few enough to be evaluated at once."""
        near, far = self.exponents(lower, upper)
        slack = ROUNDING * np.count_nonzero(near < NOTHING, axis=1)
        return np.exp(-far).sum(axis=1) - slack, np.exp(-near).sum(axis=1) + slack

    def _summed(
        self,
        x: Floats,
        height: int,
        evaluate: Callable[[GaussianValues, Floats], Floats],
        rates: Floats | None = None,
    ) -> Floats:
        """Return sums over the elements (height, n), for a part of the points and elements at a time.

        Args:
            x: the points (n, 3).
            height: the number of sums.
            evaluate: returns the sums of some Gaussians, from these and the rows of their rates.
            rates: rates of the parameters (k p,), or None: then `evaluate` is given the parameters.
        """
        rows = self.rows if rates is None else rates.reshape(self.rows.shape)
        count = len(x) * len(self.rows)
        if count <= _AT_ONCE:
            return evaluate(self.values_at(x), rows)
        if count <= _SORTED or len(self.rows) < (_MANY_CAREFUL if self._whole.careful else _MANY):
            step = max(_AT_ONCE // len(self.rows), 1)
            parts = [evaluate(self.values_at(x[i : i + step]), rows) for i in range(0, len(x), step)]
            return np.concatenate(parts, axis=-1)
        return sums_over_groups(
            x, self._groups, height, lambda own: evaluate(self._at_pairs(x, own), rows[own.elements])
        )

    def total(self, x: Floats) -> Floats:
        """Return the sum (n,) at points (n, 3)."""
        total: Floats = self._summed(x, 1, lambda near, _: near.total()[..., None, :])[0]
        return total

    def gradient_and_sum(self, x: Floats) -> Floats:
        """Return the gradient of the sum, and in the last row the sum (4, n), at points (n, 3)."""
        if len(x) * len(self.rows) <= _AT_ONCE:
            return self.values_at(x).gradient_and_sum()
        return self._summed(x, 4, lambda near, _: near.gradient_and_sum())

    def hessian(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the sum (4, n), and the second derivatives (3, 3, n), at points (n, 3)."""
        both = self._summed(x, 13, _with_second)
        return both[:4], both[4:].reshape(3, 3, -1)

    def parameter_rate(self, x: Floats, rates: Floats) -> Floats:
        """Return the rate of change (n,) of the sum for rates (k p,) of the parameters."""
        rate: Floats = self._summed(x, 1, lambda near, own: near.parameter_rate(own)[..., None, :], rates)[0]
        return rate

    def gradient_and_rate(self, x: Floats, rates: Floats) -> tuple[Floats, Floats]:
        """Return `gradient_and_sum` and `parameter_rate`, which share the Gaussians."""
        both = self._summed(x, 5, _with_rate, rates)
        return both[:4], both[4]

    def is_small(self, x: Floats) -> bool:
        """Return whether all derivatives may as well be formed as those that are not neglected."""
        return len(x) * len(self.rows) <= _SORTED

    def gradient_and_derivatives(self, x: Floats, out: Floats) -> Floats:
        """Return `gradient_and_sum` for few points, and write the derivatives of the sum by the parameters to
        `out` (k p, n).
        """
        near = self.values_at(x)
        near.parameter_derivatives(out.reshape(*self.rows.shape, len(x)))
        return near.gradient_and_sum()

    def dense_derivatives(self, x: Floats) -> tuple[Floats, Bools]:
        """Return the derivatives (n, k p) of the sum by the parameters, and which (n, k p)
        are not neglected.
        """
        near = self.values_at(x)
        shares = near.parameter_derivatives().reshape(self.rows.size, len(x))
        return shares.T, np.repeat(near.g > NEGLECTED, self.rows.shape[1], axis=0).T

    def parameter_rows(self, x: Floats) -> SparseRows:
        """Return the derivatives (n, k p) of the sum by the parameters, without those that are neglected."""
        if self.is_small(x):
            return sparse_rows.of_dense(*self.dense_derivatives(x))
        parts = [self._entries_of(x, own) for own in group_pairs(Groups.of(x, x, POINTS), self._groups)]
        points, indices, data = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return sparse_rows.of_entries(points, indices, data, len(x), self.rows.size)

    def _entries_of(self, x: Floats, own: GroupPairs) -> tuple[Ints, Ints, Floats]:
        """Return the points, the parameters and the values, each (e,), of the entries of some pairs of
        groups.
        """
        near = self._at_pairs(x, own)
        pair, element, point = np.nonzero((near.g > NEGLECTED) & own.real_points[:, None])
        width = self.rows.shape[1]
        indices = own.elements[pair, element][:, None] * width + np.arange(width)
        values = near.parameter_derivatives()[pair, element, :, point]
        return np.repeat(own.points[pair, point], width), indices.ravel(), values.ravel()


def _with_second(near: GaussianValues, _: Floats) -> Floats:
    """Return gradient, sum and second derivatives as 13 sums (..., 13, n)."""
    second = near.hessian()
    return np.concatenate(
        (near.gradient_and_sum(), second.reshape(*second.shape[:-3], 9, second.shape[-1])), axis=-2
    )


def _with_rate(near: GaussianValues, rates: Floats) -> Floats:
    """Return gradient, sum and rate as 5 sums (..., 5, n)."""
    return np.concatenate((near.gradient_and_sum(), near.parameter_rate(rates)[..., None, :]), axis=-2)
