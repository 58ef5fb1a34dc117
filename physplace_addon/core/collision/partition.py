"""Splitting a set of boxes into a balanced binary tree, level by level (Snyder 1995, section 3.1).

Every node of a level has the same number of *slots*, so a level is one array (nodes, slots) and is split by
one call: each row along the longest axis of its box centres, at the middle slot.  There are 2^i or 3 * 2^i
slots in all, whichever is the least that holds the t boxes.  The slots left over are spread evenly: each
empty one has a number of its own, whose binary digits say to which side it goes at each level.

The paper splits at gaps between boxes.  In the traversals measured here that saves nothing, and finding gaps
takes six times as long as finding medians.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints

__all__ = ["Partition", "partition"]

SHORT_ROW = 64
"""Most slots of a row that is sorted whole; in longer rows finding the middle alone is faster."""

_Floats32 = NDArray[np.float32]
"""Places in units of the whole set's extent: they only decide what is split where."""


@dataclass(frozen=True)
class Partition:
    """A binary tree over boxes 0 .. t - 1, with n nodes numbered level by level.

    order (t,), start, count (n,): the boxes below a node are ``order[start : start + count]``.
    children (n, 2): node numbers, -1 for a leaf.
    level_start (levels + 1,): level d holds the nodes ``level_start[d] .. level_start[d + 1] - 1``.
    """

    order: Ints
    start: Ints
    count: Ints
    children: Ints
    level_start: Ints


def partition(lower: Floats, upper: Floats, leaf_size: int) -> Partition:
    """Return the tree over boxes `lower`, `upper` (t, 3), with at most `leaf_size` boxes in a leaf."""
    slots = _ordered(*_places(lower, upper), len(lower), leaf_size)
    filled = slots < len(lower)
    before = np.concatenate([[0], np.cumsum(filled)])
    begin, width = np.zeros(1, dtype=np.intp), np.full(1, slots.size)
    starts, counts, children, level_start = [], [], [], [0]
    while begin.size:
        start, count = before[begin], before[begin + width] - before[begin]
        inner = count > leaf_size
        level_start.append(level_start[-1] + begin.size)
        child = np.full((begin.size, 2), -1, dtype=np.intp)
        child[inner] = level_start[-1] + np.arange(2 * int(inner.sum())).reshape(-1, 2)
        starts.append(start)
        counts.append(count)
        children.append(child)
        begin, width = _halves(begin[inner], width[inner])
    return Partition(
        order=slots[filled].astype(np.intp),
        start=np.concatenate(starts),
        count=np.concatenate(counts),
        children=np.concatenate(children),
        level_start=np.array(level_start, dtype=np.intp),
    )


def _halves(begin: Ints, width: Ints) -> tuple[Ints, Ints]:
    """Return first slot and number of slots (2 m,) of the halves of m nodes."""
    first = (width + 1) // 2
    return (
        np.stack([begin, begin + first], axis=1).ravel(),
        np.stack([first, width - first], axis=1).ravel(),
    )


def _places(lower: Floats, upper: Floats) -> tuple[_Floats32, Ints]:
    """Return the centres (3, slots), NaN in empty slots, and the numbers (slots,) of boxes 0, 1, 2 ..."""
    count = len(lower)
    center = (0.5 * lower + 0.5 * upper).T
    least = center.min(axis=1, keepdims=True)
    size = float((center - least).max())
    whole = 1 << (count - 1).bit_length()
    total = 3 * whole // 4 if whole >= 4 and 3 * whole // 4 >= count else whole
    place = np.full((3, total), np.nan, dtype=np.float32)
    place[:, :count] = (center - least) * (1.0 / size if size > 0.0 else 0.0)
    return place, np.arange(total)


def _ordered(place: _Floats32, slots: Ints, count: int, leaf_size: int) -> Ints:
    """Return the boxes' numbers (slots,), so that halves of halves of them are the nodes of the tree."""
    rows, width, level = 1, slots.size, 0
    while width > leaf_size:
        here = place.reshape(3, rows, width)
        key = here[_longest_axis(here), np.arange(rows)].copy()
        empty = np.flatnonzero(slots >= count)
        second = (slots[empty] - count >> level) & 1 if width % 2 == 0 else 0
        key.reshape(-1)[empty] = np.where(second, np.inf, -np.inf)
        half = (width + 1) // 2
        place_in_row = np.argsort(key, axis=1) if width <= SHORT_ROW else np.argpartition(key, half, axis=1)
        moved = (place_in_row + (np.arange(rows) * width)[:, None]).ravel()
        place, slots = np.take(place, moved, axis=1), slots[moved]
        if width % 2:
            break
        rows, width, level = 2 * rows, width // 2, level + 1
    return slots


def _longest_axis(place: _Floats32) -> Ints:
    """Return the axis (rows,) along which the centres (3, rows, width) of each row extend farthest."""
    if place.shape[2] <= SHORT_ROW:
        place = np.ascontiguousarray(place.transpose(0, 2, 1)).transpose(0, 2, 1)
    extent = np.fmax.reduce(place, axis=2) - np.fmin.reduce(place, axis=2)
    result: Ints = extent.argmax(axis=0)
    return result
