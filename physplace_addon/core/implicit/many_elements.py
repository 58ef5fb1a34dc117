"""Sums over many elements at many points, at a cost that grows with the near pairs only.

Points and elements are each put in the order of a tree and cut into groups.  Only groups whose boxes are
within reach of one another are evaluated, all in one stack of matrices about the middles of the groups of
points: what is far is never looked at, and every place is near its origin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import Bools, Floats, Ints

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
class Pairs:
    """Groups of points beside groups of elements: a stack of p such pairs, sorted by the points."""

    group: Ints
    points: Ints
    real_points: Bools
    elements: Ints
    real_elements: Bools
    middles: Floats


def pairs(points: Groups, elements: Groups) -> Iterator[Pairs]:
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
        yield Pairs(a, points.members[a], points.real[a], elements.members[b], elements.real[b], middles[a])


def summed(x: Floats, elements: Groups, height: int, evaluate: Callable[[Pairs], Floats]) -> Floats:
    """Return the sums (height, n) at points (n, 3) of what `evaluate` finds for p pairs (p, height, size)."""
    points = Groups.of(x, x, POINTS)
    sums = np.zeros((len(points.lower), height, points.members.shape[1]))
    for some in pairs(points, elements):
        starts = np.flatnonzero(np.diff(some.group, prepend=-1))
        sums[some.group[starts]] += np.add.reduceat(evaluate(some), starts, axis=0)
    result = np.empty((height, len(x)))
    result[:, points.members[points.real]] = np.swapaxes(sums, 1, 2)[points.real].T
    return result
