"""The first times at which pairs of primitives on rigid paths come nearer than a stop distance.

Each pair goes forward in time by safe steps (`safe_steps`), all pairs at once, and leaves the list when it
has arrived at the end, or behind a time at which another pair of its group was stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import coordinate_length
from .relative_paths import RelativePaths
from .safe_steps import point_distances, point_steps, segment_distances, segment_steps

STOP_SHARE = 0.5
"""The stop distance over the gap."""

NEAR_STOP_SHARE = 0.4
"""The stop distance over the distance at the start, where that is less than the gap."""

LEAST_STEP = 1e-10
"""Step, as a part of the whole path, below which a pair has arrived at its stop distance."""

SLOW_STEP = 1e-4
"""Estimate of what is left of the path up to the stop, below which a pair has arrived that creeps: there its
plane does not turn with the primitives, and each step goes a fixed share of what is left."""

CREEPING = 0.1
"""A step over the one before, above which a pair creeps."""

NEARLY = 0.01
"""Distance less the stop distance, over the latter, below which a pair that creeps can have arrived.  What
slides past a border takes a few short steps there, at a greater distance."""

MOST_STEPS = 200
"""Steps after which a pair is stopped where it is."""


@dataclass(frozen=True, eq=False)
class PrimitivePairs:
    """k pairs of convex primitives of bodies A and B: points and triangles, or segments and segments.

    paths: the path of A against B, for each pair.
    arms (n, 3, k): the corners of A's primitives from its reference point, in the axes of B at tau = 0.
    fixed (n', 3, k): those of B's primitives from its reference point, in its own axes.
    group (k,): its pairs stop together, at the first time of any.
    bound (k,): how much nearer than the primitives the true surfaces may be, lengths.
    """

    paths: RelativePaths
    arms: Floats
    fixed: Floats
    group: Ints
    bound: Floats

    def take(self, rows: Ints) -> PrimitivePairs:
        """Return the pairs of rows (m,)."""
        return PrimitivePairs(
            self.paths.take(rows),
            np.take(self.arms, rows, axis=2),
            np.take(self.fixed, rows, axis=2),
            self.group[rows],
            self.bound[rows],
        )

    def distances(self) -> Floats:
        """Return the distances (k,) at tau = 0, less the bounds; they are computed once."""
        return self._distances

    @cached_property
    def _distances(self) -> Floats:
        places = self.paths.vectors[:3] + self.arms
        if len(places) == 1:
            return point_distances(places[0], self.fixed) - self.bound
        return segment_distances(places, self.fixed) - self.bound


def stop_distances(parts: list[PrimitivePairs], gap: float, groups: int) -> Floats:
    """Return the stop distances (g,) of g groups.

    They are half of the gap, or .4 of the least distance of a group's pairs at the start where it is less
    than the gap; 0 where they touch or overlap.
    """
    nearest = np.full(groups, np.inf)
    for part in parts:
        np.minimum.at(nearest, part.group, part.distances())
    return np.where(nearest < gap, NEAR_STOP_SHARE * np.maximum(nearest, 0.0), STOP_SHARE * gap)


def first_approaches(parts: list[PrimitivePairs], stops: Floats, until: Floats) -> Floats:
    """Return the first times (g,) at which a pair of each of g groups is as near as the stop distance.

    All pairs of the group are farther apart at every time before.

    Args:
        parts: the pairs.
        stops: the stop distances (g,).
        until: the times (g,) up to which the groups are searched, and which they have if nothing stops them.
    """
    first = np.where(stops > 0.0, until, 0.0)
    searches = []
    for part in parts:
        search = _Search.of(part, stops)
        searches.append(search.take(np.flatnonzero(~search.surely_passes(part.distances()))))
    for _ in range(MOST_STEPS):
        searches = [search.advanced(first) for search in searches if len(search)]
        if not searches:
            break
    for search in searches:
        np.minimum.at(first, search.pairs.group, search.time)
    return first


@dataclass(frozen=True, eq=False)
class _Search:
    """Pairs (k,) on their paths.

    bounds (3, n, k): of the first three derivatives of the n corners of A's primitives.
    stop (k,): how near they may come, with their bounds.
    time (k,): where they are, free up to there.  step (k,): the last one.
    """

    pairs: PrimitivePairs
    bounds: Floats
    stop: Floats
    time: Floats
    step: Floats

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, pairs: PrimitivePairs, stops: Floats) -> _Search:
        """Return pairs at the start of their paths; stops (g,) are those of their groups."""
        arm = np.stack([coordinate_length(each) for each in pairs.arms])
        count = len(pairs.group)
        bounds = pairs.paths.derivative_bounds(arm)
        return cls(pairs, bounds, stops[pairs.group] + pairs.bound, np.zeros(count), np.full(count, np.inf))

    def take(self, rows: Ints) -> _Search:
        """Return the pairs of rows (m,)."""
        return _Search(
            self.pairs.take(rows),
            np.take(self.bounds, rows, axis=2),
            self.stop[rows],
            self.time[rows],
            self.step[rows],
        )

    def surely_passes(self, distance: Floats) -> Bools:
        """Return which pairs (k,) are too slow to be stopped, by distances (k,) less bounds."""
        slow: Bools = distance + self.pairs.bound - self.bounds[0].max(axis=0) > self.stop
        return slow

    def advanced(self, first: Floats) -> _Search:
        """Return the pairs that go on after one step of all; the times of others go into `first` (g,)."""
        left = first[self.pairs.group] - self.time
        step, distance = self._steps(np.maximum(left, 0.0))
        time = self.time + step
        ratio = step / self.step
        creeps = (ratio > CREEPING) & (step * ratio < SLOW_STEP * (1.0 - ratio))
        creeps &= distance < (1.0 + NEARLY) * self.stop
        stopped = (step < left) & ((step < LEAST_STEP) | creeps)
        np.minimum.at(first, self.pairs.group[stopped], time[stopped])
        going = np.flatnonzero((step < left) & ~stopped)
        return _Search(
            self.pairs.take(going),
            np.take(self.bounds, going, axis=2),
            self.stop[going],
            time[going],
            step[going],
        )

    def _steps(self, left: Floats) -> tuple[Floats, Floats]:
        pairs = self.pairs
        motion = pairs.paths.at(self.time) if self.time.any() else pairs.paths.start()
        if len(pairs.arms) == 1:
            return point_steps(motion, self.bounds, pairs.arms, pairs.fixed, self.stop, left)
        spin = pairs.paths.bounds[3:]
        return segment_steps(motion, self.bounds, spin, pairs.arms, pairs.fixed, self.stop, left)
