"""Splitting a set of boxes into a binary tree by gap finding (Snyder 1995, section 3.1), level by level.

A *segment* is the set of boxes under one node.  All segments of one level are split at once.  Three
permutations list the boxes by increasing lower bound, one an axis, segment after segment; a split
is a stable partition of each, so they are sorted only once.

Within a segment sorted along an axis, box i + 1 begins after a gap of
``lower[i + 1] - max(upper[0 .. i])``.  The running maximum over many segments in one call is taken on
the ranks of the upper bounds with the segment's number as the leading digit, which is exact; there is
a gap if the maximum's rank is less than the number of upper bounds below the next lower bound.

A segment is split at its widest gap over the three axes.  Without a gap it is split at the middle
of the interval of box centres along the axis of greatest variance.  Hostile input (a geometric
progression of boxes) would make a tree as deep as it has boxes, and a level costs a round of numpy
calls: below level 2 log2(t) + 4 of t boxes the split is at the median.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints

__all__ = ["Partition", "partition"]

SMALLEST_GAP = 1e-3
"""Width, over the segment's extent, below which a gap is only the rounding of shared corners."""


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


@dataclass(frozen=True)
class _Boxes:
    lower: Floats  # (3, t)
    center: Floats  # (3, t)
    upper_rank: Ints  # (3, t)
    upper_sorted: Floats  # (3, t)
    uppers_below: Ints  # (3, t) how many upper bounds lie strictly below each lower bound


@dataclass(frozen=True)
class _Segments:
    """The segments of one level: `orders` (3, m) boxes by lower bound, segment after segment."""

    orders: Ints
    count: Ints
    owner: Ints  # (m,) the segment of each position

    @cached_property
    def first(self) -> Ints:
        result: Ints = np.cumsum(self.count) - self.count
        return result


def partition(lower: Floats, upper: Floats, leaf_size: int) -> Partition:
    """Return the tree over boxes `lower`, `upper` (t, 3), with at most `leaf_size` boxes in a leaf.

    Source: Snyder 1995, section 3.1 and Figure 5.
    """
    boxes, orders = _prepared(lower, upper)
    total = lower.shape[0]
    deepest_free_level = 2 * int(np.ceil(np.log2(max(total, 2)))) + 4
    order = np.empty(total, dtype=np.intp)
    starts, counts, children, level_start = [], [], [], [0]
    start, count = np.zeros(1, dtype=np.intp), np.full(1, total, dtype=np.intp)
    while count.size:
        next_id = level_start[-1] + count.size
        inner = count > leaf_size
        owner_all = np.repeat(np.arange(count.size), count)
        inner_position = inner[owner_all]
        _settle_leaves(order, orders[0], start, count, owner_all, inner_position)
        child = np.full((count.size, 2), -1, dtype=np.intp)
        child[inner] = next_id + np.arange(2 * int(inner.sum())).reshape(-1, 2)
        starts.append(start)
        counts.append(count)
        children.append(child)
        level_start.append(next_id)
        orders = orders if inner.all() else orders[:, inner_position]
        start, count, orders = _next_level(
            boxes, orders, start[inner], count[inner], len(starts) > deepest_free_level
        )
    return Partition(
        order=order,
        start=np.concatenate(starts),
        count=np.concatenate(counts),
        children=np.concatenate(children),
        level_start=np.array(level_start, dtype=np.intp),
    )


def _prepared(lower: Floats, upper: Floats) -> tuple[_Boxes, Ints]:
    lower, upper = np.ascontiguousarray(lower.T), np.ascontiguousarray(upper.T)
    by_upper = np.argsort(upper, axis=1, kind="stable")
    rank = np.empty_like(by_upper)
    np.put_along_axis(rank, by_upper, np.arange(lower.shape[1])[None, :], axis=1)
    by_lower = np.argsort(lower, axis=1, kind="stable")
    upper_sorted = np.take_along_axis(upper, by_upper, axis=1)
    boxes = _Boxes(
        lower=lower,
        center=0.5 * lower + 0.5 * upper,
        upper_rank=rank,
        upper_sorted=upper_sorted,
        uppers_below=_uppers_below(lower, by_lower, upper_sorted),
    )
    return boxes, by_lower


def _uppers_below(lower: Floats, by_lower: Ints, upper_sorted: Floats) -> Ints:
    result = np.empty_like(by_lower)
    for axis in range(3):
        order = by_lower[axis]
        result[axis, order] = np.searchsorted(upper_sorted[axis], lower[axis][order], side="left")
    return result


def _settle_leaves(
    order: Ints, boxes: Ints, start: Ints, count: Ints, owner: Ints, inner_position: Bools
) -> None:
    """Write the boxes of finished segments to their final places in `order`."""
    if inner_position.all():
        return
    done = np.flatnonzero(~inner_position)
    first = np.cumsum(count) - count
    segment = owner[done]
    order[start[segment] + done - first[segment]] = boxes[done]


def _next_level(
    boxes: _Boxes, orders: Ints, start: Ints, count: Ints, median: bool
) -> tuple[Ints, Ints, Ints]:
    """Return start and count of the children of all segments, and the partitioned orders."""
    if not count.size:
        return start, count, orders
    segments = _Segments(orders, count, np.repeat(np.arange(count.size), count))
    side = _sides(boxes, segments, median)
    left_count = np.add.reduceat(side[orders[0]].astype(np.intp), segments.first)
    child_count = np.stack([left_count, count - left_count], axis=1).ravel()
    left_slot = np.repeat(np.arange(child_count.size) % 2 == 0, child_count)
    slots = np.flatnonzero(left_slot), np.flatnonzero(~left_slot)
    parts = np.stack([_split(order, side, *slots) for order in orders])
    child_start = np.stack([start, start + left_count], axis=1).ravel()
    return child_start, child_count, parts


def _sides(boxes: _Boxes, segments: _Segments, median: bool) -> Bools:
    """Return which boxes (t,) go to the first child of their segment."""
    boxes_here = segments.orders[0]
    axis, threshold = _center_split(boxes, segments)
    key = boxes.center[axis[segments.owner], boxes_here]
    side = np.zeros(boxes.lower.shape[1], dtype=bool)
    if not median:
        gap_axis, gap_threshold, found = _widest_gaps(boxes, segments)
        axis = np.where(found, gap_axis, axis)
        threshold = np.where(found, gap_threshold, threshold)
        if found.any():
            by_gap = found[segments.owner]
            key = np.where(by_gap, boxes.lower[axis[segments.owner], boxes_here], key)
    side[boxes_here] = key < threshold[segments.owner]
    left = np.add.reduceat(side[boxes_here].astype(np.intp), segments.first)
    unsplit = (left == 0) | (left == segments.count) | median
    if unsplit.any():
        _halve(side, segments, axis, unsplit)
    return side


def _widest_gaps(boxes: _Boxes, segments: _Segments) -> tuple[Ints, Floats, Bools]:
    """Return, for each segment, the axis of its widest gap, the first lower bound after it, and whether it
    exists.
    """
    best = np.zeros(segments.count.size)
    axis, threshold = np.zeros(best.size, dtype=np.intp), np.zeros(best.size)
    for each in range(3):
        segment, width, lower = _gaps(boxes, segments, each)
        widest = np.zeros(best.size)
        np.maximum.at(widest, segment, width)
        chosen = (widest[segment] == width) & (width > best[segment])
        axis[segment[chosen]], threshold[segment[chosen]] = each, lower[chosen]
        best = np.maximum(best, widest)
    return axis, threshold, best > 0.0


def _gaps(boxes: _Boxes, segments: _Segments, axis: int) -> tuple[Ints, Floats, Floats]:
    """Return all gaps along an axis: their segment, width, and the lower bound that ends them."""
    order, last = segments.orders[axis], segments.first + segments.count - 1
    digit = segments.owner * boxes.lower.shape[1]
    running = np.maximum.accumulate(boxes.upper_rank[axis][order] + digit) - digit
    opens = running[:-1] < boxes.uppers_below[axis][order[1:]]
    opens[last[:-1]] = False
    before = np.flatnonzero(opens)
    segment = segments.owner[before]
    lower = boxes.lower[axis][order[before + 1]]
    width = lower - boxes.upper_sorted[axis][running[before]]
    start = boxes.lower[axis][order[segments.first]]
    extent = boxes.upper_sorted[axis][running[last]] - start
    wide = width > SMALLEST_GAP * extent[segment]
    return segment[wide], width[wide], lower[wide]


def _center_split(boxes: _Boxes, segments: _Segments) -> tuple[Ints, Floats]:
    """Return, for each segment, the axis of greatest variance of the centres, and their interval's middle on
    it.
    """
    first = segments.first
    center = np.take(boxes.center, segments.orders[0], axis=1)
    mean = np.add.reduceat(center, first, axis=1) / segments.count
    off_mean = center - np.repeat(mean, segments.count, axis=1)
    axis = np.add.reduceat(off_mean * off_mean, first, axis=1).argmax(axis=0)
    pick = np.arange(axis.size)
    low = np.minimum.reduceat(center, first, axis=1)[axis, pick]
    high = np.maximum.reduceat(center, first, axis=1)[axis, pick]
    return axis, 0.5 * low + 0.5 * high


def _halve(side: Bools, segments: _Segments, axis: Ints, chosen: Bools) -> None:
    """Put the first half, in the order of the segment's axis, on the first side."""
    place = np.arange(segments.owner.size) - segments.first[segments.owner]
    first_half = place < (segments.count // 2)[segments.owner]
    for each in range(3):
        here = (chosen & (axis == each))[segments.owner]
        side[segments.orders[each][here]] = first_half[here]


def _split(order: Ints, side: Bools, left_slots: Ints, right_slots: Ints) -> Ints:
    """Return the stable partition of one axis' order within every segment; the slots of both sides are
    given.
    """
    left = side[order]
    result = np.empty_like(order)
    result[left_slots] = order[left]
    result[right_slots] = order[~left]
    return result
