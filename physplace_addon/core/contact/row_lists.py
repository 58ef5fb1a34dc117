"""Lists of features for each triangle, and joins of two such lists.

A body owns every segment and vertex of its boundary through exactly one triangle.  Pairs of near triangles
therefore list every pair of near features once: the join of what the two triangles of each pair own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose, Poses

IndexPairs = tuple[Ints, Ints]


@lru_cache(maxsize=4)
def every_pair(count: int) -> IndexPairs:
    """Return all pairs of different rows of so many, the lesser one first; they are not to be written to."""
    first, second = np.triu_indices(count, 1)
    first.flags.writeable = second.flags.writeable = False
    return first, second


@dataclass(frozen=True, eq=False)
class RowLists:
    """A list of items for each of t rows, compressed: row r has items[start[r]:start[r + 1]].

    start (t + 1,); items (n,).
    """

    start: Ints
    items: Ints

    @classmethod
    def of(cls, items: Ints, row: Ints, row_count: int) -> RowLists:
        """Return the lists of `row_count` rows, from the row (n,) of each of `items` (n,)."""
        counts = np.bincount(row, minlength=row_count)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        return cls(start, items[np.argsort(row, kind="stable")])

    @cached_property
    def has_items(self) -> Bools:
        """Which rows (t,) have any item."""
        has_items: Bools = np.diff(self.start) > 0
        return has_items

    def of_rows(self, rows: Ints) -> IndexPairs:
        """Return (place (m,), item (m,)): every item of row rows[place], places ascending."""
        counts = self.start[rows + 1] - self.start[rows]
        place = np.repeat(np.arange(len(rows)), counts)
        first = np.repeat(self.start[rows] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        return place, self.items[first + np.arange(len(place))]


def first_of_each_pair(a: Ints, b: Ints) -> Ints:
    """Return the rows at which each distinct pair (a_i, b_i) occurs first."""
    if len(a) == 0:
        return np.zeros(0, np.intp)
    key = a.astype(np.int64) * (int(b.max()) + 1) + b
    first: Ints = np.unique(key, return_index=True)[1]
    return first


def row_keys(*columns: Ints) -> Ints:
    """Return a number (k,) for each row of columns (k,), not negative: only equal rows have the same.

    The numbers are in the order of the rows.
    """
    key = columns[0].astype(np.int64)
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if int(key.max(initial=0)) > _LARGEST // width:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
        key = key * width + column
    return key


_LARGEST = int(np.iinfo(np.int64).max) - 1


def distinct_pairs(a: Ints, b: Ints) -> IndexPairs:
    """Return the distinct pairs (a_i, b_i), in ascending order."""
    rows = first_of_each_pair(a, b)
    return a[rows], b[rows]


def joined_by_row(row_a: Ints, a: Ints, row_b: Ints, b: Ints, row_count: int) -> IndexPairs:
    """Return all pairs (a_i, b_j) with row_a[i] = row_b[j]; rows ascend in both lists."""
    counts_b = np.bincount(row_b, minlength=row_count)
    start_b = np.concatenate([[0], np.cumsum(counts_b)[:-1]])
    repeat = counts_b[row_a]
    left = np.repeat(a, repeat)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    return left, b[np.repeat(start_b[row_a], repeat) + offset]


def placed(points: Floats, pose: Pose | Poses | None) -> Floats:
    """Return points (..., 3) after a rigid motion, one for all or one for each row; None is the identity."""
    if isinstance(pose, Poses):
        return pose.points(points)
    return points if pose is None else pose.points(points.reshape(-1, 3)).reshape(points.shape)
