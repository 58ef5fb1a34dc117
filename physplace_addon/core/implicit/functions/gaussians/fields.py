"""Sums over many elements at many points, at a cost that grows with the near pairs only.

Points and elements are each put in the order of a tree and cut into groups.  Only groups whose boxes are
within reach of one another are evaluated, all in one stack of matrices about the middles of the groups of
points: what is far is never looked at, and every place is near its origin.

Fields: k elements of one kind, each a Gaussian, which are summed.

A field's sum is what a blob is made of (Witkin and Heckbert 1994, section 5; Blinn 1982).  Its elements are
rows of p parameters.  Where a Gaussian is less than NEGLECTED it is left out: more than REACH radii away.

A radius s enters as s^2: its sign means nothing, so it is kept as |s|.  An element whose radius is 0 is
nowhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ....arrays import Bools, Floats, Ints
from .. import sparse_rows
from ..element_rows import ElementRows
from ..sparse_rows import SparseRows
from .gaussian_terms import (
    NEGLECTED,
    NOTHING,
    REACH,
    ROUNDING,
    WELL_CONDITIONED,
    GaussianValues,
    PreparedElements,
)

POINTS, ELEMENTS = 64, 8
_MOST_PAIRS = 2**16  # of a point and an element that are evaluated at once


@dataclass(frozen=True, eq=False)
class Groups:
    """Things in groups of one size: their numbers (g, size), which of these are not just fillers, and the
    boxes (g, 3) of the groups.
    """

    members: Ints
    real: Bools
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, lower: Floats, upper: Floats, size: int) -> Groups:
        """Group things by their boxes (n, 3)."""
        order = np.asarray(cKDTree(0.5 * (lower + upper), leafsize=size).indices, dtype=np.intp)
        places = np.arange(-(-len(order) // size) * size)
        members = order[np.minimum(places, len(order) - 1)].reshape(-1, size)
        real = (places < len(order)).reshape(-1, size)
        return cls(members, real, lower[members].min(axis=1), upper[members].max(axis=1))


@dataclass(frozen=True, eq=False)
class GroupPairs:
    """Groups of points beside groups of elements: a stack of p such pairs, sorted by the points."""

    group: Ints
    points: Ints
    real_points: Bools
    elements: Ints
    real_elements: Bools
    middles: Floats


def group_pairs(points: Groups, elements: Groups) -> Iterator[GroupPairs]:
    """Return the pairs of groups whose boxes meet, some at a time."""
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
    """Return the sums (height, n) at points (n, 3) of what `evaluate` finds for p pairs (p, height, size)."""
    points = Groups.of(x, x, POINTS)
    sums = np.zeros((len(points.lower), height, points.members.shape[1]))
    for some in group_pairs(points, elements):
        starts = np.flatnonzero(np.diff(some.group, prepend=-1))
        sums[some.group[starts]] += np.add.reduceat(evaluate(some), starts, axis=0)
    result = np.empty((height, len(x)))
    result[:, points.members[points.real]] = np.swapaxes(sums, 1, 2)[points.real].T
    return result


_SORTED = 2**17  # pairs of a point and an element from which on it may pay to sort them by place
_MANY, _MANY_CAREFUL = 768, 128  # elements from which on it does: with differences, which cost more, sooner
_AT_ONCE = 2**14  # pairs evaluated at once: what is made of them stays in the cache


@dataclass(frozen=True, eq=False)
class Field(ElementRows, ABC):
    """k elements of one kind, as rows (k, p) of their parameters."""

    sizes = (-1,)

    @property
    def radii(self) -> Floats:
        """The radii s (k,)."""
        return self.rows[:, -1]

    @property
    @abstractmethod
    def spans(self) -> Floats:
        """For each element the box (k, 2, 3) of what the distance is measured from."""

    @abstractmethod
    def elements(self, rows: Floats, origin: Floats) -> PreparedElements:
        """Return elements given as rows (..., k, p), made ready about an origin (..., 3)."""

    @abstractmethod
    def exponents(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return the least and the greatest |d|^2 / s^2 (n, k) of the elements in boxes (n, 3), but for
        rounding.
        """

    @cached_property
    def _whole(self) -> PreparedElements:
        return self.elements(self.rows, self._middle())

    def _middle(self) -> Floats:
        """The middle (3,) of all elements, about: what to take places from."""
        middle: Floats = np.add.reduce(self.spans, axis=(0, 1)) / max(2 * len(self.rows), 1)
        return middle

    @cached_property
    def _groups(self) -> Groups:
        spans, reach = self.spans, (REACH * self.radii)[:, None]
        return Groups.of(spans[:, 0] - reach, spans[:, 1] + reach, ELEMENTS)

    def values_at(self, x: Floats) -> GaussianValues:
        """Return all elements at points (n, 3)."""
        return self._whole.values_at(np.subtract(x.T, self._whole.origin[:, None], order="C"))

    def _at_pairs(self, x: Floats, pairs: GroupPairs) -> GaussianValues:
        """Return elements at points, group by group."""
        places = np.swapaxes(x[pairs.points] - pairs.middles[:, None], 1, 2)
        elements = self.elements(self.rows[pairs.elements], pairs.middles)
        far = np.einsum("pin,pin->pn", places, places).max(axis=1, initial=0.0)
        elements.careful = bool((far[:, None] * elements.w).max(initial=0.0) > WELL_CONDITIONED)
        near = elements.values_at(places)
        near.g *= pairs.real_elements[..., None]
        return near

    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds (n,) of the sum over boxes, from each element's least and greatest distance."""
        step = max(_AT_ONCE // max(len(self.rows), 1), 1)
        ends = [(lower[i : i + step], upper[i : i + step]) for i in range(0, len(lower), step)]
        parts = [self._bounds_of(*end) for end in ends] or [(np.zeros(0), np.zeros(0))]
        least, most = zip(*parts, strict=True)
        return np.concatenate(least), np.concatenate(most)

    def _bounds_of(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        near, far = self.exponents(lower, upper)
        slack = ROUNDING * np.count_nonzero(near < NOTHING, axis=1)
        return np.exp(-far).sum(axis=1) - slack, np.exp(-near).sum(axis=1) + slack

    def element_seeds(self) -> Floats:
        """Return the middles of the elements' own boxes (k, 3)."""
        return np.asarray(self.spans.mean(axis=1))

    def _summed(
        self,
        x: Floats,
        height: int,
        evaluate: Callable[[GaussianValues, Floats], Floats],
        rates: Floats | None = None,
    ) -> Floats:
        """Return sums over the elements (height, n) of what `evaluate` makes of them and their rates, a part
        of the pairs of points and elements at a time.
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
        """Return the gradient of the sum, and the sum (4, n)."""
        if len(x) * len(self.rows) <= _AT_ONCE:
            return self.values_at(x).gradient_and_sum()
        return self._summed(x, 4, lambda near, _: near.gradient_and_sum())

    def hessian(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the sum, and the sum (4, n), and the second derivatives (3, 3, n)."""
        both = self._summed(x, 13, _with_second)
        return both[:4], both[4:].reshape(3, 3, -1)

    def parameter_rate(self, x: Floats, rates: Floats) -> Floats:
        """Return the sum's rate of change (n,) for rates (k p,) of the parameters."""
        rate: Floats = self._summed(x, 1, lambda near, own: near.parameter_rate(own)[..., None, :], rates)[0]
        return rate

    def gradient_and_rate(self, x: Floats, rates: Floats) -> tuple[Floats, Floats]:
        """Return `first` and `rate`, which share the Gaussians."""
        both = self._summed(x, 5, _with_rate, rates)
        return both[:4], both[4]

    def is_small(self, x: Floats) -> bool:
        """Whether all derivatives may as well be found as those that are not neglected."""
        return len(x) * len(self.rows) <= _SORTED

    def gradient_and_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """Return `first`, and the derivatives (k p, n) of the sum by the parameters, for few points."""
        near = self.values_at(x)
        return near.gradient_and_sum(), near.parameter_derivatives().reshape(self.rows.size, len(x))

    def dense_derivatives(self, x: Floats) -> tuple[Floats, Bools]:
        """Return the derivatives (n, k p) of the sum by the parameters, and where they are not neglected."""
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
        """The points, parameters and values of the entries of some pairs."""
        near = self._at_pairs(x, own)
        pair, element, point = np.nonzero((near.g > NEGLECTED) & own.real_points[:, None])
        width = self.rows.shape[1]
        indices = own.elements[pair, element][:, None] * width + np.arange(width)
        values = near.parameter_derivatives()[pair, element, :, point]
        return np.repeat(own.points[pair, point], width), indices.ravel(), values.ravel()


def _with_second(near: GaussianValues, _: Floats) -> Floats:
    second = near.hessian()
    return np.concatenate(
        (near.gradient_and_sum(), second.reshape(*second.shape[:-3], 9, second.shape[-1])), axis=-2
    )


def _with_rate(near: GaussianValues, rates: Floats) -> Floats:
    return np.concatenate((near.gradient_and_sum(), near.parameter_rate(rates)[..., None, :]), axis=-2)
